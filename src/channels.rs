//! Where turns come from and answers go to: voice (microphone and speaker) and console (text).
//!
//! A channel owns no model and no device; it turns events of the stages into questions for the reply
//! engine, and the engine's events into speech or print.

pub mod console;
pub mod turn;
pub mod voice;
