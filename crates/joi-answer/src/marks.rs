//! How parts of the prompt begin that an answer must not repeat.
//!
//! The prompt is written with these, and the gate looks for them in what the model says.

/// Here and now: the time, the place, the state of the house.
pub const CONTEXT: &str = "[Context:";
/// What was found in the memory.
pub(crate) const MEMORY: &str = "[Memory of ";
/// The plan of an answer.
pub const PLAN: &str = "[Plan for ";
/// What was done since the last answer of the model.
pub(crate) const DONE: &str = "[Done since:";
/// What the user said that was answered without the model.
pub(crate) const SAID: &str = "[The user said:";
/// All of them.
pub(crate) const ALL: [&str; 5] = [CONTEXT, MEMORY, PLAN, DONE, SAID];
