//! The house: a model of rooms and items, and the home automation servers it is read from.
//!
//! [`house`] is pure and knows neither a server nor speech: what the rest of the program understands, asks and
//! commands is said in its types. Nothing here decides what an utterance means.

pub mod house;
