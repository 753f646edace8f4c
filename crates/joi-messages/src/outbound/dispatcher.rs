//! The task that sends what is in the outbox.
//!
//! One Tokio task. In: the outbox, the carriers, whether they can send. Out: messages, one at a time in each lane of a
//! carrier, and what became of them in the database. `decide` and `outcome` say what is done; this does it. It never
//! repeats anything that may have arrived without a mark, and what is wrong with the database does not keep an alert.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, select_all};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use jiff::Timestamp;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::carrier::{CarrierLink, Parcel};
use super::decide::{self, CarrierLane, OutboxView, SendStep};
use super::letter::{Letter, LetterState};
use super::{Carrier, CarrierName, CarryFault, MessageStamp, Outbox, OutgoingId, Urgency, outcome, wording};
use joi_base::message::Private;
use joi_base::pulse::Heart;

/// The wall clock may be set: it looks again after this time at the latest.
const AT_LEAST: Duration = Duration::from_secs(30);
/// After a failure of the database.
const AFTER_FAILURE: Duration = Duration::from_secs(5);
/// Rounds between two times of tidying up: an hour at most.
const TIDY_EVERY: u32 = 120;

/// Sends what is in an outbox.
#[derive(Clone)]
pub struct Dispatcher {
    outbox: Outbox,
    carriers: Vec<Arc<dyn Carrier>>,
}

/// A message that came back.
type Returned = (OutgoingId, Letter, Result<Option<MessageStamp>, CarryFault>);

/// The deliveries in progress.
#[derive(Default)]
struct Underway {
    sending: FuturesUnordered<BoxFuture<'static, Returned>>,
    lanes: Vec<CarrierLane>,
}

impl Dispatcher {
    /// Sends the messages of `outbox` through these carriers.
    pub fn new(outbox: Outbox, carriers: Vec<Arc<dyn Carrier>>) -> Self {
        Self { outbox, carriers }
    }

    /// The longest round without a sign of life, for whoever watches it.
    pub const ROUND: Duration = Duration::from_secs(90);

    /// Sends until `stop`; what is underway then is waited for by nobody, and marked when it is sent again.
    pub async fn run(self, stop: CancellationToken, heart: Heart) {
        let mut links: Vec<_> =
            self.carriers.iter().map(|carrier| (carrier.name(), carrier.link())).collect();
        let mut running = Underway::default();
        let mut is_recovered = false;
        for round in (0..TIDY_EVERY).cycle() {
            heart.beat();
            if round == 0
                && let Err(error) = self.outbox.tidy().await
            {
                tracing::warn!(%error, "old messages were not removed");
            }
            is_recovered = is_recovered || self.recover().await;
            let wait = self.send_all(&mut links, &mut running).await;
            // Every arm is cancel-safe: a message that came back is taken out by the arm that ends.
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.outbox.shared.posted.notified() => {}
                () = changed(&mut links) => {}
                () = tokio::time::sleep(wait) => {}
                Some((id, letter, outcome)) = running.sending.next() => {
                    running.lanes.retain(|lane| *lane != CarrierLane::of(&letter));
                    self.came_back(id, letter, &outcome).await;
                }
            }
        }
    }

    /// Settles what an earlier run left underway, which may have arrived; returns whether the database could be read.
    async fn recover(&self) -> bool {
        let Ok(letters) = self.outbox.stored_letters().await else { return false };
        let now = self.outbox.now();
        for (id, letter) in letters {
            if letter.state == LetterState::Underway {
                tracing::warn!(urgency = ?letter.urgency, "a message was underway when the program ended");
                self.put(id, outcome::in_doubt(letter, now)).await;
            }
        }
        true
    }

    /// Hands over all that can be; returns how long there is nothing to do.
    async fn send_all(
        &self,
        links: &mut [(CarrierName, watch::Receiver<CarrierLink>)],
        running: &mut Underway,
    ) -> Duration {
        loop {
            let letters = match self.outbox.letters().await {
                Ok(letters) => letters,
                Err(error) => {
                    tracing::warn!(%error, "the messages to be sent can't be read");
                    return AFTER_FAILURE;
                }
            };
            self.outbox.counted(&letters);
            let up: Vec<CarrierName> = links
                .iter_mut()
                .filter_map(|(name, link)| (*link.borrow_and_update() == CarrierLink::Up).then_some(*name))
                .collect();
            let now = self.outbox.now();
            let limits = &self.outbox.parts.config;
            let view = OutboxView { letters: &letters, up: &up, busy: &running.lanes, limits, now };
            let found = |id: OutgoingId| letters.iter().find(|(other, _)| *other == id).cloned();
            match decide::next(&view) {
                SendStep::Wait(until) => return pause(until, now),
                SendStep::Expire(id) => {
                    let Some((id, letter)) = found(id) else { continue };
                    tracing::warn!(urgency = ?letter.urgency, "a message was not sent in time");
                    self.put(id, letter.ended(LetterState::GivenUp)).await;
                }
                SendStep::Send(id, rest_from) => {
                    let Some((id, letter)) = found(id) else { continue };
                    if !self.hand_over(id, letter, rest_from, running).await {
                        return AFTER_FAILURE;
                    }
                }
            }
        }
    }

    /// Marks a message as underway and hands it to its carrier; returns whether that was possible.
    async fn hand_over(
        &self,
        id: OutgoingId,
        letter: Letter,
        rest_from: Option<Timestamp>,
        running: &mut Underway,
    ) -> bool {
        let Some(carrier) = self.carriers.iter().find(|carrier| carrier.name() == letter.carrier) else {
            self.put(id, letter.ended(LetterState::GivenUp)).await;
            return true;
        };
        let now = self.outbox.now();
        let language = self.outbox.parts.languages.get();
        let text = wording::worded(&letter, rest_from, &language, &self.outbox.parts.clock.now());
        let tells_limit = rest_from.is_some();
        let letter = Letter { state: LetterState::Underway, handed: Some(now), tells_limit, ..letter };
        if let Err(error) = self.outbox.put(id, letter.clone()).await {
            tracing::warn!(%error, "that a message is underway was not stored");
            if letter.urgency != Urgency::Critical {
                let waits = Letter { state: LetterState::Waiting, handed: None, ..letter };
                self.put(id, waits).await;
                return false;
            }
        }
        running.lanes.push(CarrierLane::of(&letter));
        let parcel = Parcel { audience: letter.audience, urgency: letter.urgency, text: Private(text) };
        let carried = carrier.carry(parcel);
        running.sending.push(async move { (id, letter, carried.await) }.boxed());
        true
    }

    async fn came_back(
        &self,
        id: OutgoingId,
        letter: Letter,
        outcome: &Result<Option<MessageStamp>, CarryFault>,
    ) {
        let (urgency, carrier) = (letter.urgency, letter.carrier.name());
        let after = outcome::after(letter, outcome, self.outbox.now());
        match outcome {
            Ok(_) => tracing::debug!(?urgency, carrier, "a message was sent"),
            Err(fault) if after.is_open() => {
                tracing::warn!(?urgency, carrier, %fault, "a message is sent again later");
            }
            Err(fault) => tracing::error!(?urgency, carrier, %fault, "a message is given up"),
        }
        self.put(id, after).await;
    }

    async fn put(&self, id: OutgoingId, letter: Letter) {
        if let Err(error) = self.outbox.put(id, letter).await {
            tracing::warn!(%error, "what became of a message was not stored");
        }
    }
}

fn pause(until: Option<Timestamp>, now: Timestamp) -> Duration {
    let left = until.map(|until| until.duration_since(now));
    left.and_then(|left| Duration::try_from(left).ok()).map_or(AT_LEAST, |left| left.min(AT_LEAST))
}

/// Waits until a carrier comes up or goes down; for ever where there is none that could.
async fn changed(links: &mut [(CarrierName, watch::Receiver<CarrierLink>)]) {
    let mut waiting: Vec<BoxFuture<'_, bool>> =
        links.iter_mut().map(|(_, link)| async { link.changed().await.is_ok() }.boxed()).collect();
    while !waiting.is_empty() {
        let (is_change, _, rest) = select_all(waiting).await;
        if is_change {
            return;
        }
        // That carrier is gone for good.
        waiting = rest;
    }
    std::future::pending().await
}
