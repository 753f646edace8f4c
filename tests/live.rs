//! The program in a room with a microphone and a speaker, in real time. A test binary of its own, so that
//! nothing else runs meanwhile.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, what was not expected ends it")]

#[expect(dead_code, reason = "these stories need only a part of it")]
mod support {
    pub(crate) use joi_llm::testing as ollama_double;
    pub(crate) mod program;
    pub(crate) mod sound_server;
    pub(crate) mod speech;
}

mod stories {
    mod live;
    mod live_kills;
    mod moments;
    mod room;
}
