//! The window for a follow-up: when it opens, and a word that begins shortly before it does.
//!
//! Right behind the last played sample the room may still hold the voice of joi. The window opens later for that; but
//! a voice that begins in between, after silence, and goes on when it opens is a quick answer. One that never fell
//! silent began too early.
//! Pure: no I/O, no clock.

use super::{CLOSURE, Edge, EndpointPhase, Endpointer, FRAME, Frame, Onset, Wait};

/// Speech before the window opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EarlyVoice {
    /// Position of the last played sample.
    since: u64,
    /// The newest frame was voiced.
    voiced: bool,
    /// Where the first silence behind the last played sample began, or the newest one behind a voice.
    silent_from: Option<u64>,
    /// A voice that began after it.
    onset: Option<Onset>,
}

impl EarlyVoice {
    /// One more frame before the window opens.
    fn heard(mut self, Frame { end, voiced }: Frame, pre_roll: u64) -> Self {
        self.voiced = voiced;
        if end <= self.since {
            return self;
        }
        let began = end.saturating_sub(FRAME as u64);
        match (&mut self.onset, voiced) {
            (Some(onset), true) => {
                onset.voiced += FRAME as u64;
                onset.last_voiced = end;
            }
            (None, true) => {
                self.onset = self.silent_from.map(|silent_from| {
                    let begins_at = began.saturating_sub(pre_roll).max(silent_from);
                    Onset { begins_at, began, voiced: FRAME as u64, last_voiced: end }
                });
            }
            (Some(onset), false) if end - onset.last_voiced >= CLOSURE => {
                self.silent_from = Some(onset.last_voiced);
                self.onset = None;
            }
            (Some(_), false) => {}
            (None, false) => {
                self.silent_from.get_or_insert(began.max(self.since));
            }
        }
        self
    }
}

impl Endpointer {
    /// Listens to speech that begins between the positions `from` and `until`, or in silence behind `since`, and
    /// goes on at `from`; whatever it did before.
    pub(crate) fn open_window(&mut self, since: u64, from: u64, until: u64) {
        self.window_ends = until;
        let wait = Wait { floor: from.max(self.spent), deadline: until, ended: None };
        let early = EarlyVoice { since: since.max(self.spent), voiced: true, silent_from: None, onset: None };
        self.phase = EndpointPhase::Ahead { wait, early };
    }

    /// Listens on in the same window: speech from `at` on may be a follow-up.
    pub(crate) fn reopen_window(&mut self, at: u64) {
        self.open_window(at, at, self.window_ends);
    }

    /// A frame while the window is not open, or while somebody speaks since before the last played sample.
    pub(super) fn ahead(&mut self, frame: Frame, wait: Wait, early: EarlyVoice) -> Option<Edge> {
        if frame.end <= wait.floor {
            let early = early.heard(frame, self.limits.pre_roll);
            self.phase = EndpointPhase::Ahead { wait, early };
            return None;
        }
        if let Some(onset) = early.onset {
            self.phase = EndpointPhase::Onset(onset, wait);
            return self.observe(frame);
        }
        if !(frame.voiced && early.voiced) {
            self.phase = EndpointPhase::Waiting(wait);
            return self.observe(frame);
        }
        if frame.end >= wait.deadline {
            self.close();
            return Some(Edge::NothingSaid);
        }
        None
    }
}
