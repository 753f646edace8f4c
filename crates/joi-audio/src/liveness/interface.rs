//! Inputs and outputs of the `liveness` state machine. Plain data.
//!
//! Pure: no I/O, no clock.

use std::time::Duration;

use super::super::DeviceFault;

/// Timeouts of the state machine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LivenessLimits {
    /// Opening, or the wait for the first callback, is reported after this long.
    pub(crate) report_after: Duration,
    /// Opening is given up after this long.
    pub(crate) opening: Duration,
    /// Longest wait for the first callback.
    pub(crate) first: Duration,
    /// A stream whose callbacks end so soon after it was opened has not begun yet: it may take as long as the first.
    pub(crate) starting: Duration,
    /// Longest gap between later callbacks.
    pub(crate) stall: Duration,
    /// Most errors a stream may report within a second.
    pub(crate) storm: u64,
    /// A device that delivers only zeros for this long is missing; nothing for speakers.
    pub(crate) silent: Option<Duration>,
    /// A device that had a noise floor and delivers only zeros for this long is dead.
    pub(crate) dead: Duration,
    /// Pause before the first retry; doubled up to `rest_max`.
    pub(crate) rest: Duration,
    /// Longest pause between retries.
    pub(crate) rest_max: Duration,
    /// A stream that lasted this long resets the pause.
    pub(crate) settled: Duration,
    /// Pause between checks of the system's devices; three times as long while a fallback is in use, and
    /// doubled up to `look_max` while a preferred device is listed but can't be opened.
    pub(crate) look: Duration,
    /// Longest pause between checks.
    pub(crate) look_max: Duration,
    /// Pause while the preferred device is in use and the sound system reports devices that come and go.
    pub(crate) look_told: Duration,
}

impl Default for LivenessLimits {
    fn default() -> Self {
        Self {
            report_after: Duration::from_millis(1_800),
            opening: Duration::from_secs(10),
            first: Duration::from_secs(5),
            starting: Duration::from_millis(500),
            stall: Duration::from_secs(1),
            storm: 200,
            silent: None,
            dead: Duration::from_millis(1_500),
            rest: Duration::from_millis(500),
            rest_max: Duration::from_secs(5),
            settled: Duration::from_secs(10),
            look: Duration::from_millis(1_700),
            look_max: Duration::from_secs(300),
            look_told: Duration::from_secs(60),
        }
    }
}

/// What the supervisor has observed of the stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Observation {
    /// Nothing new.
    Nothing,
    /// The stream is open.
    Opened {
        /// On the device of this name.
        device: String,
        /// Its rank in the order of preference, from 0.
        rank: usize,
    },
    /// Opening failed.
    Failed(DeviceFault),
    /// The callback's counts.
    Counts(CallbackCounts),
    /// A device that is preferred to the present one has appeared.
    Better,
    /// The present one is not listed any more.
    Missing,
}

/// The callback's counts since the stream was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallbackCounts {
    /// How often it ran.
    pub(crate) callbacks: u64,
    /// Time since the last sample that was not zero.
    pub(crate) zeros: Duration,
    /// Before that, the device had a noise floor for seconds.
    pub(crate) restless: bool,
    /// How many errors were reported.
    pub(crate) errors: u64,
    /// Number of reports by the sound system that its devices may have changed; 0 if it reports none.
    pub(crate) changes: u64,
    /// The sound system reported the stream as dead.
    pub(crate) lost: bool,
}

/// What the supervisor has to do.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reaction {
    /// What to do with the stream.
    pub(crate) act: Option<StreamAction>,
    /// Report this to the device's user.
    pub(crate) event: Option<DeviceEvent>,
}

/// What to do with the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamAction {
    /// Start to open one.
    Open,
    /// Close it; closing may block.
    Close,
    /// Close it and start to open another.
    Reopen,
    /// List the system's devices.
    Survey,
}

/// Event for the device's user.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DeviceEvent {
    /// It is missing from here on.
    Gone(DeviceFault),
    /// It delivers, on the device of this name.
    Back(String),
}
