//! hear

pub mod whisper;
