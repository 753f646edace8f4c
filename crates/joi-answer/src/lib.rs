//! From a model's tokens to words that may be said: calls are held back, claims and malformed text refused, markers
//! removed, patience kept.
//!
//! Runs in the task of one turn. In: the model's stream. Out: clauses to the channel, and calls to the agent.

pub mod check;
pub mod digest;
pub mod example;
mod filter;
pub mod form;
mod gate;
pub mod json;
mod length;
mod malformed;
pub mod marks;
pub mod news;
mod offer;
pub mod own_words;
pub mod parts;
pub mod plan;
pub mod protocol;
mod sanitize;
pub mod source;
pub mod tool_list;
pub mod truth;
pub mod vacant;

pub use filter::{FilterRules, FilteredReply, Purpose, ReplyFilter};
pub use gate::{AnswerEnding, OutputGate, sentences_end};
pub use length::{AnswerLength, AnswerStop, LengthLimit};
pub use malformed::Malformed;
pub use offer::OfferRule;
