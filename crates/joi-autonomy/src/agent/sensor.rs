//! Sensors: where the readings of an agent come from.
//!
//! [`Sensor`] is the contract; a tool or an address that is read at an interval, a file that is watched, and streams
//! implement it. One task drives each of them. Out: readings as JSON with their author. A failure is retried after pauses.
//!
//! ```
//! use futures_util::FutureExt;
//! use futures_util::future::BoxFuture;
//! use joi_autonomy::agent::sensor::{Sensor, SensorFault, SensorReading};
//! use joi_tools::Source;
//!
//! /// Counts.
//! struct Counter(u64);
//!
//! impl Sensor for Counter {
//!     fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>> {
//!         async move {
//!             self.0 += 1;
//!             Ok(SensorReading::of(self.0.into(), Source::Own))
//!         }
//!         .boxed()
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! assert_eq!(Counter(0).next().await?.value, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::time::Duration;

use futures_util::future::BoxFuture;
use joi_home::house::Item;
use joi_home::{HomeView, ServerEvent};
use joi_tools::Source;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, watch};

mod file;
mod house;
mod poll;
mod stream;
mod url;

pub use file::FileSensor;
pub use house::HouseSensor;
pub use poll::{PollSensor, PolledTool};
pub use stream::{SseSensor, WebSocketSensor};

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// Most bytes of one reading.
pub(super) const MOST_BYTES: usize = 256 * 1024;

/// A source of readings.
pub trait Sensor: Send {
    /// Waits for the next reading. Dropping the future loses at most that reading.
    fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>>;
}

/// The house as sensors follow it: its view, and what happens there.
pub type HouseFeed = (watch::Receiver<HomeView>, broadcast::Receiver<ServerEvent>);

/// What sensors need of the program.
pub trait SensorWorld {
    /// Returns the function that calls the tool `name` with these arguments.
    fn polled(&self, name: &str, arguments: &Map<String, Value>) -> PolledTool;

    /// Returns the house; nothing where none is connected.
    fn house(&self) -> Option<HouseFeed>;
}

/// A reading.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorReading {
    /// The value.
    pub value: Value,
    /// Whose words it is made of.
    pub source: Source,
    /// The item of the house that it is the state of.
    pub item: Option<Box<Item>>,
}

impl SensorReading {
    /// A reading of no item.
    pub fn of(value: Value, source: Source) -> Self {
        Self { value, source, item: None }
    }
}

/// A sensor has no reading; it is tried again after a pause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SensorFault {
    /// The source can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// There is no value at the pointer.
    #[error("what came has nothing at {0}; mend pointer")]
    NoValue(String),
    /// The source has ended, or is not there.
    #[error("{0} has ended")]
    Ended(&'static str),
}

/// The pauses between attempts: from the interval on, doubled each time, 300 s at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SensorPauses {
    first: Duration,
    failures: u32,
}

impl SensorPauses {
    /// Pauses that begin with `interval`.
    pub fn new(interval: Duration) -> Self {
        Self { first: interval, failures: 0 }
    }

    /// A reading came: the next failure is a first one.
    pub fn worked(&mut self) {
        self.failures = 0;
    }

    /// Returns the number of failures in a row, and the pause after this one.
    pub fn failed(&mut self) -> (u32, Duration) {
        let doubled = self.first.saturating_mul(1_u32 << self.failures.min(20));
        self.failures = self.failures.saturating_add(1);
        (self.failures, doubled.min(LONGEST_PAUSE.max(self.first)).min(LONGEST_PAUSE))
    }
}

/// Returns the value at `pointer` in a text, which is JSON or stands for itself.
pub(super) fn value_at(text: &str, pointer: &str) -> Result<Value, SensorFault> {
    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.trim().to_owned()));
    picked(value, pointer)
}

/// Returns the value at `pointer`.
pub(super) fn picked(value: Value, pointer: &str) -> Result<Value, SensorFault> {
    if pointer.is_empty() {
        return Ok(value);
    }
    value.pointer(pointer).cloned().ok_or_else(|| SensorFault::NoValue(pointer.to_owned()))
}

/// Returns whose words the readings of a foreign source are.
pub(super) fn author(is_trusted: bool) -> Source {
    if is_trusted { Source::Own } else { Source::Foreign }
}

#[cfg(test)]
mod tests;
