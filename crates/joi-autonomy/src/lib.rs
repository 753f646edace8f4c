//! What keeps an eye on the house by itself.
//!
//! [`watch`]: conditions that somebody asked to hear of, or to have something done at. It decides with pure functions
//! over injected time; what is to be said goes through the announcement queue, what is to be done through the house's own
//! checks, what must outlast a crash through the database thread. It has no mechanism of its own for any of these.

pub mod watch;
