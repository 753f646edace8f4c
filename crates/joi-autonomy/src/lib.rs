//! What keeps an eye on the house by itself.
//!
//! [`watch`]: conditions that somebody asked to hear of, or to have something done at. [`agent`]: agents that set their own
//! pace. Both decide with pure functions over injected time; what is to be said goes through the announcement queue, what
//! is to be done through the house's own checks and the gate of tools, what must outlast a crash through the database
//! thread. There is no mechanism of their own for any of these.

pub mod agent;
pub mod watch;
