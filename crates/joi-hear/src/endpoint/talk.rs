//! The results of an onset or a talk: waiting that goes on, a talk that continues an earlier one, and
//! the reported stretch.
//!
//! Pure: no I/O, no clock.

use super::{Onset, SpeechSpan, Talk, Wait};

impl Onset {
    /// Returns how waiting goes on when this was no word.
    pub(super) fn given_up(self, wait: Wait) -> Wait {
        // An onset from before the floor belongs to the phrase, not to a soft beginning of what may follow.
        let floor = if self.began < wait.floor { self.last_voiced } else { wait.floor };
        Wait { floor, ..wait }
    }
}

impl Talk {
    /// This talk as the continuation of an earlier one.
    pub(super) fn continuing(self, earlier: Self) -> Self {
        Self {
            begins_at: earlier.begins_at,
            began: earlier.began,
            voiced: earlier.voiced + self.voiced,
            ..self
        }
    }

    pub(super) fn span(self, ends_at: u64) -> SpeechSpan {
        let Self { begins_at, began, last_voiced, voiced, revision, .. } = self;
        SpeechSpan {
            begins_at,
            ends_at,
            speech_begins_at: began,
            speech_ends_at: last_voiced,
            voiced,
            revision,
        }
    }
}
