//! One problem of a configuration: which key, which value, what is allowed, what to do.
//!
//! Pure data, any thread. A stage's `check` returns all its problems, never only the first.

use std::fmt;

/// A value that cannot be used, with what its owner needs to correct it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Full key, for example `hear.endpoint.patience`.
    pub key: String,
    /// The value as it was given.
    pub value: String,
    /// The allowed values, with unit and range.
    pub allowed: String,
    /// What to do, as one sentence; empty when `allowed` says it all.
    pub remedy: String,
}

impl Problem {
    /// Creates a problem that `allowed` explains.
    pub fn new(key: impl Into<String>, value: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.to_string(), allowed: allowed.into(), remedy: String::new() }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// Checks that a number lies in `range`; returns nothing if it does. `unit` may be empty.
    pub fn outside(key: &str, value: f64, range: std::ops::RangeInclusive<f64>, unit: &str) -> Option<Self> {
        if range.contains(&value) {
            return None;
        }
        let allowed = format!("{} to {} {unit}", range.start(), range.end());
        Some(Self::new(key, value, allowed.trim_end()))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}; allowed: {}", self.key, self.value, self.allowed)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, ". {}", self.remedy) }
    }
}
