//! Lists devices and selects the one to use. Runs on the disposable threads of the stream supervisor.
//!
//! In: the configured host and ids. Out: a device with its preferred settings, or a [`DeviceFault`].

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait};
use cpal::{
    BufferSize, Device, Error, ErrorKind, Host, SampleFormat, StreamConfig, SupportedBufferSize,
    SupportedStreamConfig,
};

use super::connection::{connect, lists_what_is_in_use};
use super::stand_in;
use super::stream_supervisor::{DeviceIdentity, ErrorSeverity, Survey};
use super::{AudioConfig, DeviceFault, HostChoice};

mod cards;

pub use cards::device_choices;

/// Longest time that listing the devices may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// ALSA's way to JACK, which every desktop has. It is opened only where it is named in the settings: its library
/// shares a database between all programs, and waits for ever once one was killed while it held a lock there.
const JACK: &str = "alsa:jack";

/// In front of the ids of a sound server's devices (cpal).
pub(super) const SOUND_SERVER: &str = "pulseaudio:";

/// Longest time the sound system may take to build a stream, or to answer a request.
pub(super) const BUILD: Duration = Duration::from_secs(5);

/// Direction of the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A microphone.
    Input,
    /// A speaker.
    Output,
}

/// One device as `joi devices` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The value for `audio.input` or `audio.output`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Microphone or speaker.
    pub direction: Direction,
    /// The system's default device.
    pub default: bool,
    /// Native rate in Hz.
    pub rate: u32,
    /// Native number of channels.
    pub channels: u16,
}

/// Returns the devices of the host, microphones and speakers.
///
/// Takes at most ten seconds.
///
/// # Errors
/// [`DeviceFault::NoHost`] when no sound system answers, [`DeviceFault::Hung`] when it never comes back.
pub fn devices(host: HostChoice) -> Result<Vec<DeviceInfo>, DeviceFault> {
    within_patience(move || list_devices(host))
}

/// A call into a dead sound server may block for ever: its thread is then abandoned.
fn within_patience<T: Send + 'static>(
    ask: impl FnOnce() -> Result<T, DeviceFault> + Send + 'static,
) -> Result<T, DeviceFault> {
    let (answer, answered) = mpsc::channel();
    thread::spawn(move || answer.send(ask()));
    answered.recv_timeout(PATIENCE).unwrap_or(Err(DeviceFault::Hung))
}

fn list_devices(host: HostChoice) -> Result<Vec<DeviceInfo>, DeviceFault> {
    let host = connect(host)?;
    let mut list = Vec::new();
    for direction in [Direction::Input, Direction::Output] {
        let default = direction.default_device(&host).and_then(|device| device.id().ok());
        let all = host.devices().map_err(|error| DeviceFault::NoHost { why: error.to_string() })?;
        list.extend(all.filter_map(|device| {
            let id = device.id().ok().filter(|id| id.to_string() != JACK)?;
            let config = direction.config(&device).ok()?;
            Some(DeviceInfo {
                id: id.to_string(),
                name: device.to_string(),
                direction,
                default: default.as_ref() == Some(&id),
                rate: config.sample_rate(),
                channels: config.channels(),
            })
        }));
    }
    Ok(list)
}

impl Direction {
    fn default_device(self, host: &Host) -> Option<Device> {
        match self {
            Self::Input => host.default_input_device(),
            Self::Output => host.default_output_device(),
        }
    }

    fn config(self, device: &Device) -> Result<SupportedStreamConfig, Error> {
        match self {
            Self::Input => device.default_input_config(),
            Self::Output => device.default_output_config(),
        }
    }
}

/// The selected device, with the settings to open it with.
pub(super) struct Chosen {
    /// The device.
    pub(super) device: Device,
    /// Display name.
    pub(super) name: String,
    /// Its identity.
    pub(super) which: DeviceIdentity,
    /// Native rate and channels, with a buffer of fixed length.
    pub(super) config: StreamConfig,
    /// Native sample format.
    pub(super) format: SampleFormat,
    /// Where it stands in for the default device: a sentence about that choice.
    pub(super) stands_in: Option<String>,
}

/// Opens the first configured device that exists and can be started. Where nothing is configured and the default
/// device has nothing for this direction, opens what may stand in for it ([`stand_in`]).
pub(super) fn open<T>(
    config: &AudioConfig,
    direction: Direction,
    mut start: impl FnMut(&Chosen) -> Result<T, Error>,
) -> Result<(Chosen, T), DeviceFault> {
    let host = connect(config.host)?;
    let wanted = wanted(config, direction);
    let mut is_lacking = stand_in::is_left_to_the_system(wanted);
    let mut refusal = None;
    for (rank, id) in wanted.iter().enumerate() {
        let Some(device) = find(&host, id, direction) else { continue };
        let name = device.to_string();
        match start_on((device, rank), config, direction, &mut start) {
            Ok(opened) => return Ok(opened),
            // Of several refusals, report that of the preferred device: it is the one to fix.
            Err(error) => {
                is_lacking &= cards::is_lack(&error);
                refusal = refusal.or_else(|| Some(fault(&error, name)));
            }
        }
    }
    if is_lacking {
        match open_stand_in(&host, config, direction, &mut start) {
            Some(Ok(opened)) => return Ok(opened),
            // That is the one to fix, since the default has nothing to offer.
            Some(Err(fault)) => return Err(fault),
            None => {}
        }
    }
    Err(refusal.unwrap_or_else(|| DeviceFault::NotFound { wanted: wanted.to_vec() }))
}

/// Returns the first of the stand-ins that can be started, else why the first one can't that has something to offer;
/// nothing where none has.
fn open_stand_in<T>(
    host: &Host,
    config: &AudioConfig,
    direction: Direction,
    start: &mut impl FnMut(&Chosen) -> Result<T, Error>,
) -> Option<Result<(Chosen, T), DeviceFault>> {
    let all = cards::stand_ins(host, direction);
    let behind = wanted(config, direction).len();
    let mut refusal = None;
    for (place, candidate) in all.iter().enumerate() {
        match start_on((candidate.device.clone(), behind + place), config, direction, start) {
            Ok((chosen, started)) => {
                let stands_in = stand_in::notice(&all, place, direction);
                return Some(Ok((Chosen { stands_in, ..chosen }, started)));
            }
            Err(error) if cards::is_lack(&error) => {}
            Err(error) => refusal = refusal.or_else(|| Some(Err(fault(&error, candidate.name.clone())))),
        }
    }
    refusal
}

/// Starts a device with its native rate and channels; where the fixed period is refused, with its default period.
fn start_on<T>(
    (device, rank): (Device, usize),
    config: &AudioConfig,
    direction: Direction,
    start: &mut impl FnMut(&Chosen) -> Result<T, Error>,
) -> Result<(Chosen, T), Error> {
    let mut chosen = choose((device, rank), config, direction)?;
    let mut result = start(&chosen);
    if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::UnsupportedConfig) {
        chosen.config.buffer_size = BufferSize::Default;
        result = start(&chosen);
    }
    result.map(|started| (chosen, started))
}

/// Checks whether the device in use is still present, and whether a preferred one has appeared. May block,
/// like every call into a sound system.
pub(super) fn survey(config: &AudioConfig, direction: Direction, which: &DeviceIdentity) -> Survey {
    let Ok(host) = connect(config.host) else { return Survey::Same };
    let is_there =
        |id: &String| find(&host, id, direction).is_some_and(|device| direction.config(&device).is_ok());
    let wanted = wanted(config, direction);
    if wanted.iter().take(which.rank).any(is_there) {
        return Survey::Better;
    }
    if which.rank >= wanted.len() && cards::has_better(&host, direction, &which.id) {
        return Survey::Better;
    }
    if !lists_what_is_in_use(&host) {
        return Survey::Same;
    }
    let Ok(mut devices) = host.devices() else { return Survey::Same };
    match devices.any(|device| device.id().is_ok_and(|id| id.to_string() == which.id)) {
        false if which.id.starts_with(SOUND_SERVER) => Survey::Missing,
        _ => Survey::Same,
    }
}

fn wanted(config: &AudioConfig, direction: Direction) -> &[String] {
    match direction {
        Direction::Input => &config.input,
        Direction::Output => &config.output,
    }
}

/// Returns the native settings of a device.
fn choose(
    (device, rank): (Device, usize),
    config: &AudioConfig,
    direction: Direction,
) -> Result<Chosen, Error> {
    let period_ms = match direction {
        Direction::Input => config.input_period_ms,
        Direction::Output => config.output_period_ms,
    };
    let name = device.to_string();
    let id = device.id().map(|id| id.to_string()).unwrap_or_default();
    let own = direction.config(&device)?;
    let channels =
        if id.starts_with(SOUND_SERVER) { mixed(direction, own.channels()) } else { own.channels() };
    let config =
        StreamConfig { channels, sample_rate: own.sample_rate(), buffer_size: period(&own, period_ms) };
    let which = DeviceIdentity { id, rank };
    Ok(Chosen { device, name, which, config, format: own.sample_format(), stands_in: None })
}

/// Returns the number of channels to ask of a sound server, which mixes them itself. Speech has one.
fn mixed(direction: Direction, own: u16) -> u16 {
    match (direction, own) {
        (Direction::Input, 1 | 2) => own,
        _ => 1,
    }
}

/// A buffer of fixed length: the default buffer has caused two seconds of latency.
fn period(own: &SupportedStreamConfig, period_ms: u32) -> BufferSize {
    let frames = (u64::from(own.sample_rate()) * u64::from(period_ms) / 1000).max(1) as u32;
    BufferSize::Fixed(match own.buffer_size() {
        SupportedBufferSize::Range { min, max } => frames.max(*min).min(*max),
        SupportedBufferSize::Unknown => frames,
    })
}

/// By id (with or without the host's name in front), else by a part of its name.
///
/// Only what is meant is opened: some of ALSA's devices may block ([`JACK`]).
fn find(host: &Host, id: &str, direction: Direction) -> Option<Device> {
    let wanted = id.trim();
    match wanted {
        "" => return None,
        "default" => return direction.default_device(host),
        _ => {}
    }
    let mut meant: Vec<(NameFit, Device)> = host
        .devices()
        .ok()?
        .filter_map(|device| {
            let fit = name_fit(&device.id().ok()?.to_string(), &device.to_string(), wanted)?;
            Some((fit, device))
        })
        .collect();
    meant.sort_by_key(|(fit, _)| *fit);
    meant.into_iter().map(|(_, device)| device).find(|device| direction.config(device).is_ok())
}

/// The ways in which a wanted id or name fits a device, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameFit {
    /// It is the whole id.
    Id,
    /// It is the id behind "host:".
    BareId,
    /// It is a part of the device's name.
    Part,
}

fn name_fit(id: &str, name: &str, wanted: &str) -> Option<NameFit> {
    if id == wanted {
        Some(NameFit::Id)
    } else if id.split_once(':').is_some_and(|(_, bare)| bare == wanted) {
        Some(NameFit::BareId)
    } else {
        name.to_lowercase().contains(&wanted.to_lowercase()).then_some(NameFit::Part)
    }
}

/// Maps an error of the sound system to a fault with a remedy.
fn fault(error: &Error, device: String) -> DeviceFault {
    let why = || error.to_string();
    match error.kind() {
        ErrorKind::DeviceBusy => DeviceFault::Busy { device },
        ErrorKind::PermissionDenied => DeviceFault::Forbidden { device },
        ErrorKind::HostUnavailable => DeviceFault::NoHost { why: why() },
        _ => DeviceFault::Refused { device, why: why() },
    }
}

/// Returns whether a stream survives an error.
pub(super) fn weight(error: &Error) -> ErrorSeverity {
    match error.kind() {
        ErrorKind::Xrun | ErrorKind::RealtimeDenied | ErrorKind::DeviceChanged => ErrorSeverity::Passing,
        _ => ErrorSeverity::Fatal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_meant_by_id_then_bare_id_then_part_of_its_name() {
        let fit = |id, name| name_fit(id, name, "mic");
        assert_eq!(fit("mic", "Virtual"), Some(NameFit::Id));
        assert_eq!(fit("pulseaudio:mic", "Virtual"), Some(NameFit::BareId));
        assert_eq!(fit("pulseaudio:alsa_input.usb-1", "Desk Microphone"), Some(NameFit::Part));
        assert_eq!(fit("alsa:hw:CARD=mic", "Headset"), None);
        assert_eq!(name_fit("alsa:hw:CARD=mic", "USB", "hw:CARD=mic"), Some(NameFit::BareId));
        assert_eq!(name_fit("alsa:default", "USB Mic, Front", "usb mic"), Some(NameFit::Part));
        assert!(NameFit::Id < NameFit::BareId && NameFit::BareId < NameFit::Part);
    }

    #[test]
    fn a_sound_server_mixes_what_has_more_channels_than_a_voice_or_a_pair_of_ears() {
        assert_eq!([1, 2, 4, 6].map(|own| mixed(Direction::Input, own)), [1, 2, 1, 1]);
        assert_eq!([1, 2, 6].map(|own| mixed(Direction::Output, own)), [1, 1, 1]);
    }

    #[test]
    fn only_errors_that_end_a_stream_are_fatal() {
        assert_eq!(weight(&Error::new(ErrorKind::Xrun)), ErrorSeverity::Passing);
        assert_eq!(weight(&Error::new(ErrorKind::DeviceNotAvailable)), ErrorSeverity::Fatal);
        assert_eq!(weight(&Error::new(ErrorKind::BackendError)), ErrorSeverity::Fatal);
    }

    #[test]
    fn faults_name_the_device_and_the_remedy() {
        let text = fault(&Error::new(ErrorKind::DeviceBusy), "Mic".into()).to_string();
        assert_eq!(text, "Mic is in use by another program; close it or choose another device");
    }
}
