//! What several stories need.

pub(crate) mod fake_joi_model;
pub(crate) mod ollama_double;
pub(crate) mod program;
pub(crate) mod sound_server;
pub(crate) mod speech;
