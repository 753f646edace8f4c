//! reply

pub mod check;
pub mod intents;
pub mod malformed;
pub mod redact;
pub mod sanitize;
