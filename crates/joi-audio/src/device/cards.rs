//! The cards that may stand in for ALSA's default device. Runs on the disposable threads of the stream supervisor.
//!
//! In: a host, which is asked what it lists; what stands in is decided by `stand_in`. Out: devices to open, best first.

use cpal::traits::{DeviceTrait, HostTrait};
use cpal::{Device, Error, ErrorKind, Host};

use super::super::connection::{connect, lists_what_is_in_use};
use super::super::stand_in::{self, DescribedDevice};
use super::super::{AudioConfig, DeviceFault};
use super::{Direction, wanted, within_patience};

/// Returns whether a device fails because it has nothing for this direction, or does not exist: no wait and no right
/// helps.
pub(super) fn is_lack(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DeviceNotAvailable | ErrorKind::UnsupportedConfig | ErrorKind::UnsupportedOperation
    )
}

/// Returns the devices that may stand in for the default, best first; none of them is opened, so those in use are
/// listed too.
pub(super) fn stand_ins(host: &Host, direction: Direction) -> Vec<DescribedDevice<Device>> {
    // What lists everything is a sound server, which chooses by itself.
    if lists_what_is_in_use(host) {
        return Vec::new();
    }
    let Ok(devices) = host.devices() else { return Vec::new() };
    let described = devices.filter_map(|device| {
        let is_able = match direction {
            Direction::Input => device.supports_input(),
            Direction::Output => device.supports_output(),
        };
        Some(DescribedDevice { id: device.id().ok()?.to_string(), name: device.to_string(), is_able, device })
    });
    stand_in::stand_ins(described.collect())
}

/// Returns whether a card that goes before the one in use can be opened by now.
pub(super) fn has_better(host: &Host, direction: Direction, in_use: &str) -> bool {
    let all = stand_ins(host, direction);
    let own = stand_in::card(in_use);
    let Some(place) = all.iter().position(|device| stand_in::card(&device.id) == own) else { return false };
    all.iter().take(place).any(|device| direction.config(&device.device).is_ok())
}

/// What stands in for the default microphone and the default speaker, one sentence each; nothing where they work or
/// others are configured.
///
/// Takes at most ten seconds.
///
/// # Errors
/// [`DeviceFault::NoHost`] when no sound system answers, [`DeviceFault::Hung`] when it never comes back.
pub fn device_choices(config: &AudioConfig) -> Result<Vec<String>, DeviceFault> {
    let config = config.clone();
    within_patience(move || {
        let host = connect(config.host)?;
        let directions = [Direction::Input, Direction::Output];
        Ok(directions.into_iter().filter_map(|direction| choice(&host, &config, direction)).collect())
    })
}

fn choice(host: &Host, config: &AudioConfig, direction: Direction) -> Option<String> {
    let lacks = |device: &Device| direction.config(device).is_err_and(|error| is_lack(&error));
    let is_needed = stand_in::is_left_to_the_system(wanted(config, direction))
        && direction.default_device(host).is_none_or(|device| lacks(&device));
    if !is_needed {
        return None;
    }
    let all = stand_ins(host, direction);
    let place = all.iter().position(|device| !lacks(&device.device))?;
    stand_in::notice(&all, place, direction)
}
