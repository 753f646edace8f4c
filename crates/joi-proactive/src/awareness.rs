//! Events in the house: readings become events, events have a significance, significant ones become topics.
//!
//! Every item is a function of (state, input, now). In: the house as it is, alerts of
//! others, the time. Out: a [`ContextState`] that can be stored, and what was [`Noticed`]. It asks no server, keeps no
//! clock and says nothing; `app/awareness.rs` does that.
//! Pure: no I/O, no clock.

mod config;
mod event;
mod notice;
mod observe;
mod patterns;
mod significance;
mod state;
#[cfg(test)]
mod tests;
mod topics;

pub use config::{AwarenessConfig, MeaningSource};
pub use event::{CriticalId, Happening, HouseEvent};
pub use notice::{NoticePriority, ReceivedNotice};
pub use observe::{ItemObservation, observations};
pub use patterns::{AnswerPatterns, HourOfWeek, PatternRules};
pub use significance::{Significance, significance};
pub use state::{ContextMessage, ContextState, HomePresence, Noticed, WeatherOutlook};
pub use topics::{Topic, TopicQueue, TopicRules};
