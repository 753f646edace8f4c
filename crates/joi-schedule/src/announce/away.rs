//! Whether anybody is at home to hear what is said.
//!
//! Any task. In: that the last one left, or somebody came back. Out: the queue keeps what only somebody at home could
//! hear until then.

use std::sync::atomic::Ordering;

use super::{Announcer, Presence, Situation};

impl Announcer {
    /// Nobody is at home, or somebody is again.
    pub fn set_away(&self, is_away: bool) {
        if self.shared.is_away.swap(is_away, Ordering::Relaxed) != is_away {
            self.shared.changed.send_replace(());
        }
    }

    /// Whether nobody is at home, as far as the house knows now.
    pub fn is_away(&self) -> bool {
        self.shared.is_away.load(Ordering::Relaxed)
    }

    /// The situation at a place, with what is known of the house.
    pub(super) fn with_presence<'a>(&self, situation: &Situation<'a>) -> Situation<'a> {
        match self.is_away() {
            true => Situation { presence: Presence::Away, ..*situation },
            false => *situation,
        }
    }
}
