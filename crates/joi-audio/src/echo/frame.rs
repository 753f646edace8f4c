//! The length of a canceller frame and the level of silence, which all parts of the echo canceller share.

/// Samples per canceller frame: 10 ms.
pub(super) const FRAME: usize = 160;

/// Playback below this level counts as silence: −100 dBFS.
pub(super) const SILENCE: f32 = 1e-5;
