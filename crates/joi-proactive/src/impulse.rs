//! The impulse: decides whether joi speaks unasked, and records why.
//!
//! Pure cores: [`score()`] adds up the factors, [`decide()`] says what follows, [`rates`] counts, [`words`] looks at a text
//! before it goes out, [`simulate`] runs all of it over a scripted house. [`record`] is what is stored of a decision.
//! `app/impulse.rs` is the one caller that acts.
//! Pure: no I/O, no clock.

mod config;
pub mod decide;
pub mod rates;
pub mod record;
pub mod rhythm;
pub mod score;
pub mod simulate;
#[cfg(test)]
mod tests;
pub mod words;

pub use config::{ImpulseConfig, ImpulseScoreConfig};
pub use decide::{Hold, ImpulseInput, ImpulseVerdict, decide};
pub use record::ImpulseRecord;
pub use score::{ImpulseScore, ScoreInput, score};
