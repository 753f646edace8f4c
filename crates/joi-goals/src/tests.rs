//! Goals over a real database and the real engine with a scripted model, in paused time.

mod engine;
mod limits;
pub(crate) mod rows;
mod scripted;
mod trust;
mod voice;
