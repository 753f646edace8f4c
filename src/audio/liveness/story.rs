//! PURE. What the machine of `liveness` is told and what it tells. Plain data.

use std::time::Duration;

use super::super::DeviceFault;

/// How patient the machine is.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::audio) struct Limits {
    /// Opening, or the wait for the first callback, that takes so long is told.
    pub(in crate::audio) told: Duration,
    /// Opening is given up after.
    pub(in crate::audio) opening: Duration,
    /// The first callback is waited for so long.
    pub(in crate::audio) first: Duration,
    /// Every further callback comes within.
    pub(in crate::audio) stall: Duration,
    /// More errors within a second than a session may have.
    pub(in crate::audio) storm: u64,
    /// Only zeros for so long is a missing device; nothing for speakers.
    pub(in crate::audio) silent: Option<Duration>,
    /// Only zeros for so long, after sound that was never still, is a dead one.
    pub(in crate::audio) dead: Duration,
    /// The pause before the first new attempt; doubled up to `rest_max`.
    pub(in crate::audio) rest: Duration,
    /// The longest pause between attempts.
    pub(in crate::audio) rest_max: Duration,
    /// A session that lasted so long makes the next pause short again.
    pub(in crate::audio) settled: Duration,
    /// The pause between looks at the system's devices; three times as long while another stands in, and
    /// doubled up to `look_max` while a preferred one is there and will not open.
    pub(in crate::audio) look: Duration,
    /// The longest pause between looks.
    pub(in crate::audio) look_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            told: Duration::from_millis(1_800),
            opening: Duration::from_secs(10),
            first: Duration::from_secs(5),
            stall: Duration::from_secs(1),
            storm: 200,
            silent: None,
            dead: Duration::from_millis(1_500),
            rest: Duration::from_millis(500),
            rest_max: Duration::from_secs(5),
            settled: Duration::from_secs(10),
            look: Duration::from_millis(1_700),
            look_max: Duration::from_secs(300),
        }
    }
}

/// What the keeper sees of the session.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::audio) enum Seen {
    /// Nothing new.
    Nothing,
    /// The session is open.
    Opened {
        /// On the device of this name.
        device: String,
        /// Its place in the order of preference, from 0.
        rank: usize,
    },
    /// Opening failed.
    Failed(DeviceFault),
    /// The callback's counts.
    Counts(Counts),
    /// A device that is preferred to the present one is there.
    Better,
    /// The present one is not among the system's devices any more.
    Missing,
}

/// The callback's counts since the session was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audio) struct Counts {
    /// How often it ran.
    pub(in crate::audio) callbacks: u64,
    /// How much sound since the last sample that was not zero.
    pub(in crate::audio) zeros: Duration,
    /// Before, the device was never still for seconds.
    pub(in crate::audio) restless: bool,
    /// How many errors were reported.
    pub(in crate::audio) errors: u64,
    /// The sound system reported the session as dead.
    pub(in crate::audio) lost: bool,
}

/// What the keeper has to do.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::audio) struct Verdict {
    /// What to do with the session.
    pub(in crate::audio) act: Option<Act>,
    /// Tell whoever uses the device.
    pub(in crate::audio) news: Option<News>,
}

/// What to do with the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audio) enum Act {
    /// Begin to open one.
    Open,
    /// Let go of it; it may hang while it closes.
    Close,
    /// Let go of it and begin to open another.
    Reopen,
    /// Look at the system's devices.
    Survey,
}

/// What the device's user wants to know.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::audio) enum News {
    /// It is missing from here on.
    Gone(DeviceFault),
    /// It delivers, on the device of this name.
    Back(String),
}
