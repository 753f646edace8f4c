//! Where turns come from and answers go to: voice (microphone and speaker), console (text) and Signal (messages).
//!
//! A channel owns no model and no device; it turns events of the stages into questions for the reply
//! engine, and the engine's events into speech, print or messages.

pub mod console;
pub mod signal;
#[cfg(test)]
mod tests;
pub mod turn;
pub mod voice;
