//! From raw words to a request: what is private is redacted, what needs no model is recognised, an utterance with
//! several requests is taken apart.
//!
//! In: text as it was heard or typed. Out: text without secrets, a quick intent, or the parts of a compound request.

pub mod compound;
pub mod house;
pub mod intents;
pub mod question;
pub mod redact;
pub mod reference;
pub mod requests;
pub mod risk;
pub mod text;
pub mod tongue;
pub mod wish;
