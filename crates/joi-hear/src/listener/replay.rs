//! Replays sound from the history: for the voice activity network, which needs a warm-up, and for an
//! endpointer that was opened late.
//!
//! Owned by the listener. In: positions in its history. Out: verdicts on the frames from there on.

use std::time::Instant;

use super::{Listener, PRIMING, earlier, samples};
use crate::endpoint::Frame;
use crate::vad::FRAME;
use crate::{FollowUpWindow, HearEvent};
use joi_base::message::OpenedBy;

impl Listener {
    /// Listens in this window. Who answers quickly may have begun before the command came: then what was heard since
    /// the last played sample is shown with the next frame.
    pub(super) fn follow_up(&mut self, FollowUpWindow { since, after, lasts }: FollowUpWindow) {
        self.opened_by = OpenedBy::FollowUp;
        let since = self.position_at(since);
        let from = since + samples(after);
        self.endpointer.open_window(since, from, from + samples(lasts));
        if since < self.history.end() {
            self.again_from = Some(since);
        } else {
            self.prime();
        }
    }

    /// Passes the sound from position `since` on to the endpointer.
    pub(super) fn show_again(&mut self, since: u64, now: Instant, out: &mut Vec<HearEvent>) {
        let end = self.history.end();
        for frame in self.prime_from(since).into_iter().filter(|f| f.end > since) {
            if let Some(edge) = self.endpointer.observe(frame) {
                self.report(edge, earlier(now, end - frame.end), out);
            }
        }
    }

    /// Passes the last second to the voice activity network; returns its verdict on each frame.
    pub(super) fn prime(&mut self) -> Vec<Frame> {
        self.prime_from(self.history.end())
    }

    /// Passes the sound from a second before `position` on to the voice activity network; returns its verdict
    /// on each frame.
    fn prime_from(&mut self, position: u64) -> Vec<Frame> {
        self.vad.reset();
        let end = self.history.end();
        let oldest = self.history.begin().next_multiple_of(FRAME as u64);
        let wanted = position.min(end).saturating_sub(PRIMING * FRAME as u64);
        let start = (wanted / FRAME as u64 * FRAME as u64).max(oldest);
        let mut samples = [0.0; FRAME];
        (start..end)
            .step_by(FRAME)
            .map(|at| {
                self.history.fill(at, &mut samples);
                Frame { end: at + FRAME as u64, voiced: self.vad.is_voiced(&samples) }
            })
            .collect()
    }
}
