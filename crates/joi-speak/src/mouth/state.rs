//! State shared by the handle, the voice thread and the reporting task, and the requests to the thread.
//!
//! Any thread; locks are held for a few operations on the ledger only.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::event::Stopped;
use super::ledger::Ledger;
use super::rehearsal::Rehearsal;
use super::spoken_line::SpokenLine;
use crate::Interrupter;
use joi_audio::{Epoch, Player};
use joi_base::message::TurnId;
use joi_language::LanguageCode;

/// A request to the voice thread. The player's epoch shows whether a stop came since.
pub(super) enum VoiceRequest {
    /// Speak a line.
    Say { line: SpokenLine, epoch: Epoch },
    /// Synthesise the beginning of a text in advance.
    Prepare { text: String, language: LanguageCode },
    /// The turn has no further lines.
    Finish { turn: TurnId, epoch: Epoch },
    /// Nothing was spoken for a while.
    Rest,
}

/// State shared by the handle, the voice thread and the reporting task.
pub(super) struct MouthState {
    pub(super) player: Player,
    /// Of all voices; none until they are loaded.
    pub(super) interrupters: OnceLock<Vec<Interrupter>>,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) rehearsal: Rehearsal,
    /// The number of lines that were synthesised.
    #[cfg(any(test, feature = "testing"))]
    pub(super) syntheses: std::sync::atomic::AtomicUsize,
}

impl MouthState {
    /// The state before the first line. `interrupters` is empty while the voices are loaded.
    pub(super) fn new(player: Player, interrupters: OnceLock<Vec<Interrupter>>) -> Self {
        Self {
            player,
            interrupters,
            ledger: Mutex::new(Ledger::default()),
            rehearsal: Rehearsal::default(),
            #[cfg(any(test, feature = "testing"))]
            syntheses: Default::default(),
        }
    }

    /// Locks the ledger.
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up what the voice prepares, unless that is `text`: the voice is needed for `text` now.
    pub(super) fn leave_rehearsal(&self, text: &str) {
        if self.rehearsal.give_up_unless(text) {
            self.interrupt();
        }
    }

    /// Aborts what is being synthesised.
    pub(super) fn interrupt(&self) {
        self.interrupters.get().into_iter().flatten().for_each(|interrupt| interrupt());
    }

    /// Returns whether playback was stopped since `epoch`.
    pub(super) fn is_stale(&self, epoch: Epoch) -> bool {
        self.player.epoch() != epoch
    }

    /// Admits a request for `turn`. The epoch is read under the ledger's lock, so a stop comes wholly before
    /// or wholly after it.
    pub(super) fn enter(&self, turn: TurnId) -> Result<Epoch, Stopped> {
        let mut ledger = self.ledger();
        ledger.enter(turn)?;
        Ok(self.player.epoch())
    }
}
