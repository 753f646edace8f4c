//! Decides which state is shown, and why.
//!
//! In: the switch, the start, the activity, devices and services. Out: one state and its note. The user's switch overrides a
//! missing device, which overrides the start, which overrides the activity.
//! Pure: no I/O, no clock.

use super::status::{DeviceStatus, ServiceRow, ShownState};
use joi_base::message::Activity;

/// The facts behind the state, beside devices and services.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownFacts {
    /// The user has switched the microphone off.
    pub(super) is_muted: bool,
    /// The services that hear, or without a microphone the channels, are ready.
    pub(super) is_ready: bool,
    /// The activity of the conversation.
    pub(super) activity: Activity,
}

/// Returns the state that is shown and its note. A missing device is an error; a missing service is noted beside any
/// state.
pub(super) fn shown(
    situation: ShownFacts,
    devices: [&DeviceStatus; 2],
    services: &[ServiceRow],
) -> (ShownState, Option<String>) {
    let degraded = services.iter().filter_map(|service| service.degraded.as_deref());
    let faults = devices.into_iter().filter_map(DeviceStatus::fault);
    let (state, notes): (_, Vec<_>) = if situation.is_muted {
        (Activity::Muted.into(), degraded.collect())
    } else if devices.into_iter().any(|device| device.fault().is_some()) {
        (Activity::Error.into(), faults.chain(degraded).collect())
    } else if !situation.is_ready && situation.activity == Activity::Idle {
        (ShownState::Starting, degraded.collect())
    } else {
        (situation.activity.into(), degraded.collect())
    };
    (state, (!notes.is_empty()).then(|| notes.join("; ")))
}
