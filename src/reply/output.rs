//! From a model's tokens to words that may be said: calls are held back, claims and malformed text refused, markers
//! removed, patience kept.
//!
//! Runs in the task of one turn. In: the model's stream. Out: clauses to the channel, and calls to the agent.

pub mod check;
pub(crate) mod gate;
pub(crate) mod json;
pub(crate) mod length;
pub mod malformed;
pub(crate) mod marks;
pub(crate) mod news;
pub(crate) mod offer;
pub(crate) mod protocol;
pub mod sanitize;
pub(crate) mod source;
pub(crate) mod truth;
pub(crate) mod vacant;
