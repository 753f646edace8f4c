//! Ears and mouth of a small machine, served as a Wyoming satellite: a bigger Joi, or Home Assistant, connects and thinks.
//!
//! [`serve_unit`] holds the one connection that may use it; [`UnitEars`] are a thread that listens for the wake phrase and
//! hands out sound without the echo of what is played. In: a microphone, a loudspeaker, wake phrases. Out: sound of the room
//! once the phrase was said, to nobody but the connected server. There is no speech model, no language model and no voice.

mod ears;
mod mouth;
mod serve;
mod talk;
#[cfg(test)]
mod tests;

pub use ears::{UnitEars, UnitHeard};
pub use mouth::UnitMouth;
pub use serve::{UnitInfo, UnitParts, serve_unit};
pub use talk::UnitMode;
