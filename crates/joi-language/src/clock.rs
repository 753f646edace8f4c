//! A time of day as people say it, before it is known which half of the day they mean.
//!
//! Plain data, any thread.

/// A time of day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockSaid {
    /// 0 to 24.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// Whether the hour counts to 24: "noon", "06:30".
    pub exactness: Exactness,
}

/// How an hour is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// From 1 to 12 it may be before or after noon.
    Either,
    /// Just so.
    Exact,
}
