//! PURE: what an onset or a talk comes to: the waiting that goes on, the talk that goes on with an earlier one, and the
//! stretch that is told.

use super::{Onset, Span, Talk, Wait};

impl Onset {
    /// How the waiting goes on when this was no word.
    pub(super) fn given_up(self, wait: Wait) -> Wait {
        // An onset from before the floor is the phrase's, not a soft beginning of what may follow.
        let floor = if self.began < wait.floor { self.last_voiced } else { wait.floor };
        Wait { floor, ..wait }
    }
}

impl Talk {
    /// This talk as the rest of an earlier one.
    pub(super) fn continuing(self, earlier: Self) -> Self {
        Self {
            begins_at: earlier.begins_at,
            began: earlier.began,
            voiced: earlier.voiced + self.voiced,
            ..self
        }
    }

    pub(super) fn span(self, ends_at: u64) -> Span {
        let Self { begins_at, began, last_voiced, voiced, revision, .. } = self;
        Span { begins_at, ends_at, speech_begins_at: began, speech_ends_at: last_voiced, voiced, revision }
    }
}
