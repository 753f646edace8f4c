//! `joi-model` as its clients see it: the real program with the real model, over real sockets.
//!
//! The model file is `chat-qwen2.5-coder-0.5b` in JOI_MODELS (or the cache); without it the tests
//! fail and say how to fetch it.

#![expect(clippy::expect_used, reason = "a test that can't go on says why and fails")]

#[path = "api/support.rs"]
mod support;

#[path = "api/abort.rs"]
mod abort;
#[path = "api/cards.rs"]
mod cards;
#[path = "api/chat.rs"]
mod chat;
#[path = "api/places.rs"]
mod places;
#[path = "api/refusals.rs"]
mod refusals;
#[path = "api/residence.rs"]
mod residence;
#[path = "api/tools.rs"]
mod tools;
