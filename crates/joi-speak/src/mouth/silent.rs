//! What the voice thread does where no voice could be loaded.
//!
//! In: requests to the voice. Out: the events of lines without speakable text, so that every turn ends.

use std::time::Instant;

use tokio::sync::mpsc;

use super::event::{SpeakEvent, send};
use super::state::{MouthState, VoiceRequest};

/// The thread without a voice: every line passes in silence, until the last handle is dropped.
pub(super) fn pass(
    shared: &MouthState,
    mut orders: mpsc::Receiver<VoiceRequest>,
    events: &mpsc::Sender<SpeakEvent>,
) {
    while let Some(order) = orders.blocking_recv() {
        let due = match order {
            VoiceRequest::Say { epoch, .. } | VoiceRequest::Finish { epoch, .. }
                if shared.is_stale(epoch) =>
            {
                continue;
            }
            VoiceRequest::Prepare { .. } | VoiceRequest::Rest => continue,
            VoiceRequest::Say { line, .. } => {
                let mut ledger = shared.ledger();
                let row = ledger.open(line, String::new());
                ledger.close(row, Instant::now())
            }
            VoiceRequest::Finish { turn, .. } => shared.ledger().finish(turn, Instant::now()),
        };
        send(due, events);
    }
}
