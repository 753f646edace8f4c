//! `joi-model` as its clients see it: the real program with the real model, over real sockets.
//!
//! The model files are `chat-qwen2.5-coder-0.5b` and `embed-all-minilm-l6-v2` in JOI_MODELS (or the cache);
//! without them the tests fail and say how to fetch them.

#![expect(clippy::expect_used, reason = "a test that can't go on says why and fails")]

#[path = "api/support.rs"]
mod support;
#[path = "api/tiny.rs"]
mod tiny;

#[path = "api/abort.rs"]
mod abort;
#[path = "api/cards.rs"]
mod cards;
#[path = "api/chat.rs"]
mod chat;
#[path = "api/embeddings.rs"]
mod embeddings;
#[path = "api/odd_tools.rs"]
mod odd_tools;
#[path = "api/places.rs"]
mod places;
#[path = "api/prompts.rs"]
mod prompts;
#[path = "api/qwen3.rs"]
mod qwen3;
#[path = "api/refusals.rs"]
mod refusals;
#[path = "api/residence.rs"]
mod residence;
#[path = "api/tools.rs"]
mod tools;
