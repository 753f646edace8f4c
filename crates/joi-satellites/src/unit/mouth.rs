//! The thread that plays on a satellite what its server sends.
//!
//! In: sound in pieces, its end, a stop. Out: that everything was played. The network is read no faster than the loudspeaker
//! plays: a queue that is full makes the connection wait.

use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use joi_audio::{Clip, ClipPart, Epoch, PlayEvent, Player, RATE, tone};

/// Pieces that wait for the loudspeaker.
const PIECES: usize = 256;
/// Tag of tones, whose end nobody waits for.
const TONE: u64 = u64::MAX;

/// An order to the thread.
#[derive(Debug)]
pub(super) enum MouthOrder {
    Play(Vec<f32>, Epoch),
    End(Epoch),
}

/// The handle of the thread, which ends when it is dropped.
pub struct UnitMouth {
    orders: Sender<MouthOrder>,
    player: Player,
    events: Receiver<PlayEvent>,
    /// A sound was sent to its end, and is not known to be over.
    awaits: bool,
    has_begun: bool,
}

impl UnitMouth {
    /// Plays through `player`, whose events are `events`.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn spawn(player: Player, events: Receiver<PlayEvent>) -> std::io::Result<Self> {
        let (orders, inbox) = channel(PIECES);
        let of = player.clone();
        std::thread::Builder::new().name("satellite mouth".into()).spawn(move || play(inbox, &of))?;
        Ok(Self { orders, player, events, awaits: false, has_begun: false })
    }

    /// Plays the next samples of a sound. Waits while too many wait.
    pub(super) async fn play(&mut self, samples: Vec<f32>) {
        if samples.is_empty() {
            return;
        }
        self.has_begun = true;
        // The thread lives as long as this handle.
        let _ = self.orders.send(MouthOrder::Play(samples, self.player.epoch())).await;
    }

    /// The sound is whole.
    pub(super) async fn end(&mut self) {
        self.awaits = true;
        if std::mem::take(&mut self.has_begun) {
            let _ = self.orders.send(MouthOrder::End(self.player.epoch())).await;
        }
    }

    /// Stops the sound that is played.
    pub(super) fn silence(&mut self) {
        (self.has_begun, self.awaits) = (false, true);
        self.player.flush();
    }

    pub(super) fn tone(&self) {
        // A tone that comes too late is none.
        let _ = self.player.play_now(TONE, RATE, tone::acknowledge(RATE));
    }

    /// Waits until a sound that was sent to its end was played. Cancel-safe.
    pub(super) async fn played(&mut self) {
        loop {
            match self.events.recv().await {
                Some(PlayEvent::Idle) if std::mem::take(&mut self.awaits) => return,
                Some(PlayEvent::Gone(fault)) => tracing::warn!(%fault, "the loudspeaker is gone"),
                Some(PlayEvent::Back { device }) => tracing::info!(device, "the loudspeaker plays"),
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// Hands sounds to the player, part by part.
fn play(mut inbox: Receiver<MouthOrder>, player: &Player) {
    let (mut is_open, mut tag, mut newest) = (false, 0, player.epoch());
    while let Some(order) = inbox.blocking_recv() {
        let (MouthOrder::Play(_, epoch) | MouthOrder::End(epoch)) = &order;
        // A sound that was stopped begins anew with the next one.
        is_open &= std::mem::replace(&mut newest, *epoch) == *epoch;
        let (samples, part): (Arc<[f32]>, _) = match order {
            MouthOrder::Play(samples, _) if is_open => (samples.into(), ClipPart::Middle),
            MouthOrder::Play(samples, _) => (samples.into(), ClipPart::Begin),
            MouthOrder::End(_) if is_open => (Arc::from([]), ClipPart::End),
            MouthOrder::End(_) => continue,
        };
        tag += 1;
        let clip = Clip { tag, rate: RATE, samples, part, epoch: newest };
        is_open = player.play(clip).is_ok() && part != ClipPart::End;
    }
}
