//! From a model's tokens to words that may be said: calls are held back, claims and malformed text refused, markers
//! removed, patience kept.
//!
//! Runs in the task of one turn. In: the model's stream. Out: clauses to the channel, and calls to the agent.

pub mod check;
pub mod gate;
pub mod json;
pub mod length;
pub mod malformed;
pub mod marks;
pub mod news;
pub mod offer;
pub mod protocol;
pub mod sanitize;
pub mod source;
pub mod truth;
pub mod vacant;
