//! From words to a request: what needs no model is recognised, an utterance with several requests is taken apart.
//!
//! In: text as it was heard or typed, without secrets. Out: a quick intent, or the parts of a compound request.
//!
//! ```
//! use joi_language::Language;
//! use joi_understand::intents::{Intent, match_intent};
//!
//! let english = Language::load("en")?;
//! let asked = match_intent(&english, "What time is it?").map(|quick| quick.what);
//! assert_eq!(asked, Some(Intent::Time));
//! assert_eq!(match_intent(&english, "Why is the sky blue?"), None);
//! # Ok::<(), joi_language::LanguageError>(())
//! ```

pub mod carried;
pub mod compound;
pub mod house;
pub mod intents;
pub mod known;
pub mod newest;
pub mod question;
pub mod reference;
pub mod requests;
pub mod risk;
mod templates;
pub mod text;
pub mod tongue;
pub mod wish;
