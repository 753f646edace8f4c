//! The reporting task of the voice: turns played clips into spoken lines.
//!
//! One task. In: the player's events. Out: speech events, by way of the ledger, and after a while of silence the request to
//! rest. It ends with either side.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::event::SpeakEvent;
use super::state::{MouthState, VoiceRequest};
use joi_audio::PlayEvent;

/// After this long without a sound the voice may free the memory of long sentences.
pub(super) const REST_AFTER: Duration = Duration::from_secs(30);

/// The reporting task: turns the player's events into speech events, until the player or the receiver is
/// gone.
pub(super) async fn report(
    shared: Arc<MouthState>,
    mut played: mpsc::Receiver<PlayEvent>,
    voice: mpsc::WeakSender<VoiceRequest>,
    events: mpsc::Sender<SpeakEvent>,
) {
    let mut has_spoken = false;
    loop {
        let rest_after = if has_spoken { REST_AFTER } else { Duration::MAX };
        let played = match tokio::time::timeout(rest_after, played.recv()).await {
            Ok(Some(played)) => played,
            Ok(None) => return,
            Err(_) => {
                has_spoken = false;
                // A queue that is full or closed has no time to rest.
                let _ = voice.upgrade().map(|voice| voice.try_send(VoiceRequest::Rest));
                continue;
            }
        };
        has_spoken |= matches!(played, PlayEvent::Started { .. });
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
