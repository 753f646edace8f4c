//! The reporting task of the voice: what the player has played becomes what was said.
//!
//! One task. In: the player's events. Out: speech events, by way of the ledger. It ends with either side.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc;

use super::{MouthState, SpeakEvent};
use crate::audio::PlayEvent;

/// The reporting task: turns the player's events into speech events, until the player or the receiver is
/// gone.
pub(super) async fn report(
    shared: Arc<MouthState>,
    mut played: mpsc::Receiver<PlayEvent>,
    events: mpsc::Sender<SpeakEvent>,
) {
    while let Some(played) = played.recv().await {
        let due = match played {
            PlayEvent::Started { tag, taken, at } => shared.ledger().started(tag, (taken, at)),
            PlayEvent::Finished { tag, at } => shared.ledger().finished(tag, at),
            PlayEvent::Dropped { tag } => shared.ledger().dropped(tag, Instant::now()),
            PlayEvent::Gone(fault) => vec![SpeakEvent::Mute(fault)],
            PlayEvent::Back { device } => vec![SpeakEvent::Audible { device }],
            PlayEvent::Idle => Vec::new(),
        };
        for event in due {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}
