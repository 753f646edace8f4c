//! A hold on the server that serves: it is not changed while one exists.
//!
//! Any Tokio task. The number of holds is in a `watch`, which the keeper waits on.

use tokio::sync::watch;

/// While it lives, the server stays the same. A turn of several questions takes one.
pub struct ServerHold(watch::Sender<usize>);

impl ServerHold {
    /// Counts one more hold in `holds`.
    pub(super) fn new(holds: &watch::Sender<usize>) -> Self {
        holds.send_modify(|holds| *holds += 1);
        Self(holds.clone())
    }
}

impl std::fmt::Debug for ServerHold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hold")
    }
}

impl Drop for ServerHold {
    fn drop(&mut self) {
        self.0.send_modify(|holds| *holds -= 1);
    }
}
