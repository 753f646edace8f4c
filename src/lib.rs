//! Joi: a private voice companion that runs on a Raspberry Pi.
//!
//! The modules below stand in the order in which a spoken turn passes through them:
//!
//! ```text
//!  microphone ─► capture ring ─► resample 16 kHz ─┬─► wake ──┐
//!                 (lock-free)                     └─► VAD ───┤
//!                                                            ▼
//!  speaker ◄─ playback ring ◄─ resample               endpointer ─► Utterance
//!                 ▲                                          │ (speculative decode while silent)
//!                 │                                          ▼
//!              Piper ◄─ sentences ◄─ speakable text       whisper ─► Transcript
//!                                          ▲                 ▼
//!                                       sanitise          redact ─► quick intents ─► action + short answer
//!                                          ▲                 │ (everything else)
//!                                          └── model ◄─ prompt ◄─ dialogue window
//! ```
//!
//! [`app`] wires the stages together; nothing imports it but the binary.

pub mod clock;
pub mod english;
pub mod message;
pub mod paths;
pub mod problem;
pub mod pulse;
pub mod trace;

pub mod audio;
pub mod channels;
pub mod control;

pub mod hear;
pub mod llm;
pub mod models;
pub mod reply;
pub mod schedule;
pub mod speak;
pub mod store;
pub mod tools;

pub mod app;
pub mod cli;
pub mod config;
