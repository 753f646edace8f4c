//! The client: its pure parts against recorded answers, the whole against the house to try.

mod parts;
mod stories;
