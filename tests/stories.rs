//! Stories told through the public interface, one file each.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod support {
    pub(crate) mod sound_server;
}

mod stories {
    mod sound_server;
}
