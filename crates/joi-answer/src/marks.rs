//! How parts of the prompt begin that an answer must not repeat.
//!
//! The prompt is written with these, and the gate looks for them in what the model says.

/// Here and now: the time, the place, the state of the house.
pub const CONTEXT: &str = "[Context:";
/// Memories that were found.
pub(crate) const MEMORY: &str = "[Memory of ";
/// The plan of an answer.
pub const PLAN: &str = "[Plan for ";
/// Deeds since the last answer of the model.
pub(crate) const DONE: &str = "[Done since:";
/// Words of the user that were answered without the model.
pub(crate) const SAID: &str = "[The user said:";
/// All of them.
pub(crate) const ALL: [&str; 5] = [CONTEXT, MEMORY, PLAN, DONE, SAID];
