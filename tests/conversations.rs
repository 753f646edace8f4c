//! What the embedded model makes of scripted conversations. A test binary of its own, because it takes all
//! cores for minutes and others keep real time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, what was not expected ends it")]

#[expect(dead_code, reason = "these conversations need only a part of it")]
mod support;

/// The model takes all cores.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

mod stories {
    mod evals;
    mod everyday;
}
