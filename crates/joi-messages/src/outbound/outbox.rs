//! The handle of the outbox: posts messages, and reports their state.
//!
//! Any task; clones share it. What is posted is in the database before `post` returns. Where the database can't be
//! written, or does not answer, an alert is held in memory and sent all the same; anything else is an error for whoever
//! posts it. The oldest of the least urgent messages gives way when too many wait; an alert only to alerts.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, watch};

use super::config::OutboundConfig;
use super::held::HeldLetters;
use super::letter::{Letter, LetterState};
use super::rates::RecentlySent;
use super::{CarrierName, MessageStamp, Outgoing, OutgoingId, Urgency};
use joi_base::clock::Clock;
use joi_language::Languages;
use joi_store::{OutgoingChange, OutgoingRow, Store, StoreError};

/// Messages that may wait; one more and the oldest of the least urgent is given up.
const MOST_WAITING: usize = 300;
/// An alert waits for the database no longer than this: then it is sent from memory.
const PATIENCE: Duration = Duration::from_secs(1);
/// Whoever waits for the database looks so often whether an alert is held meanwhile.
const LOOK: Duration = Duration::from_millis(100);
/// The time for which a finished message counts for rates and keys.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

/// The parts of an outbox.
#[derive(Clone)]
pub struct OutboxParts {
    /// Holds the messages.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The language in which a message says that it is late.
    pub languages: Languages,
    /// `[outbound]`.
    pub config: OutboundConfig,
    /// Whoever can carry messages at all.
    pub carriers: Vec<CarrierName>,
}

/// Takes messages; clones share it.
#[derive(Clone)]
pub struct Outbox {
    pub(super) parts: Arc<OutboxParts>,
    pub(super) shared: Arc<OutboxShared>,
}

#[derive(Default)]
pub(super) struct OutboxShared {
    /// Something was posted.
    pub(super) posted: Notify,
    /// How it stood when the dispatcher last looked.
    seen: watch::Sender<OutboxCounts>,
    /// What the database could not take: alerts under numbers below zero, and messages as they stand now.
    held: Mutex<HeldLetters>,
}

/// How the outbox stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutboxCounts {
    /// Messages that wait or are underway.
    pub waiting: u32,
    /// Messages to the owner in the last hour, without alerts.
    pub direct: u32,
    /// Messages that the model took for urgent in the last hour.
    pub escalated: u32,
    /// Messages that were given up within a day.
    pub given_up: u32,
}

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentLetter {
    /// Its number.
    pub id: OutgoingId,
    /// How urgent it was.
    pub urgency: Urgency,
    /// The key that its sender gave it.
    pub key: Option<String>,
}

impl Outbox {
    /// An outbox over the database; whatever is underway there is from an earlier run of the program.
    pub fn new(parts: OutboxParts) -> Self {
        Self { parts: Arc::new(parts), shared: Arc::default() }
    }

    /// Returns whether there is anybody to carry messages.
    pub fn has_carriers(&self) -> bool {
        !self.parts.carriers.is_empty()
    }

    /// Takes a message; from now on it is sent at least once while it is worth it, also after a restart. Without a
    /// carrier it is dropped, and its number is 0.
    ///
    /// # Errors
    /// The database's: the message is not sent. An alert is no error: it is sent from memory.
    pub async fn post(&self, message: Outgoing) -> Result<OutgoingId, StoreError> {
        let now = self.now();
        let carriers = carriers_for(message.urgency, &self.parts.carriers);
        let letters: Vec<Letter> =
            carriers.into_iter().map(|carrier| Letter::new(&message, carrier, now)).collect();
        let Some(first) = letters.first().cloned() else { return Ok(OutgoingId(0)) };
        let adding = letters.clone();
        let adding = self.parts.store.change_outgoing(move |rows| add(rows, adding, now));
        let added = match first.urgency {
            Urgency::Critical => {
                tokio::time::timeout(PATIENCE, adding).await.unwrap_or(Err(StoreError::Slow))
            }
            Urgency::Escalated | Urgency::Direct | Urgency::Proactive => adding.await,
        };
        let id = match added {
            Ok(ids) => match ids.first() {
                Some(id) => OutgoingId(*id),
                None => self.standing_for(&first, now).await,
            },
            Err(error) if first.urgency == Urgency::Critical => {
                tracing::error!(%error, "an alert is sent from memory, since the database can't be written");
                self.held().hold(letters, now)
            }
            Err(error) => return Err(error),
        };
        self.shared.posted.notify_one();
        Ok(id)
    }

    /// Returns the message that is there already in place of a new one; 0 where the new one found no room.
    async fn standing_for(&self, new: &Letter, now: Timestamp) -> OutgoingId {
        let letters = self.letters().await.unwrap_or_default();
        let same = letters.into_iter().find(|(_, old)| stands_for(old, new, now));
        same.map_or(OutgoingId(0), |(id, _)| id)
    }

    /// Returns how it stood when it was last looked at, without asking the database.
    pub fn last_counts(&self) -> OutboxCounts {
        *self.shared.seen.borrow()
    }

    /// Counts, and keeps that for whoever shows it.
    pub(super) fn counted(&self, letters: &[(OutgoingId, Letter)]) -> OutboxCounts {
        let sent = RecentlySent::of(letters.iter().map(|(_, letter)| letter), self.now());
        let count = |wanted: fn(&Letter) -> bool| {
            u32::try_from(letters.iter().filter(|(_, letter)| wanted(letter)).count()).unwrap_or(u32::MAX)
        };
        let counts = OutboxCounts {
            waiting: count(Letter::is_open),
            direct: sent.direct(),
            escalated: sent.escalated(),
            given_up: count(|letter| letter.state == LetterState::GivenUp),
        };
        self.shared.seen.send_replace(counts);
        counts
    }

    /// So many messages that the model took for urgent are sent within an hour.
    pub fn most_escalated(&self) -> u32 {
        self.parts.config.escalated_per_hour
    }

    /// Returns what became of a message; nothing where it is not known any more.
    ///
    /// # Errors
    /// The database's.
    pub async fn state(&self, of: OutgoingId) -> Result<Option<LetterState>, StoreError> {
        let letters = self.letters().await?;
        Ok(letters.into_iter().find(|(id, _)| *id == of).map(|(_, letter)| letter.state))
    }

    /// Returns the message under this key that waits, is underway or was sent, and its words, which are erased once it
    /// was sent.
    ///
    /// # Errors
    /// The database's.
    pub async fn posted_as(&self, key: &str) -> Result<Option<(OutgoingId, String)>, StoreError> {
        let mut letters = self.stored_letters().await?;
        letters
            .retain(|(_, letter)| letter.key.as_deref() == Some(key) && letter.state != LetterState::GivenUp);
        Ok(letters.pop().map(|(id, letter)| (id, letter.text)))
    }

    /// Withdraws a message that waits; one that is underway cannot be held.
    ///
    /// # Errors
    /// The database's: it may be sent.
    pub async fn withdraw(&self, id: OutgoingId) -> Result<(), StoreError> {
        let ending = move |rows: Vec<OutgoingRow>| {
            let found = rows.iter().filter_map(read).find(|(of, _)| *of == id);
            let waits = found.filter(|(_, letter)| letter.state == LetterState::Waiting);
            let end = |(id, letter): (OutgoingId, Letter)| {
                Ok(OutgoingChange::Put(id.0, written(&letter.ended(LetterState::GivenUp))?))
            };
            waits.into_iter().map(end).collect()
        };
        self.parts.store.change_outgoing(ending).await.map(|_| ())
    }

    /// Returns the message that a carrier calls so, for a day; nothing where there is none. Where the database does not
    /// answer, only alerts that were sent from memory are known.
    ///
    /// # Errors
    /// The database's.
    pub async fn sent_as(
        &self,
        carrier: CarrierName,
        stamp: MessageStamp,
    ) -> Result<Option<SentLetter>, StoreError> {
        let is_it = |letter: &Letter| letter.carrier == carrier && letter.stamp == Some(stamp);
        let letters = tokio::time::timeout(PATIENCE, self.letters()).await;
        let mut letters = match letters.unwrap_or(Err(StoreError::Slow)) {
            Err(_) if !self.held().is_empty() => self.held().merged(Vec::new()).0,
            letters => letters?,
        };
        letters.retain(|(_, letter)| is_it(letter));
        let of =
            |(id, letter): (OutgoingId, Letter)| SentLetter { id, urgency: letter.urgency, key: letter.key };
        Ok(letters.pop().map(of))
    }

    /// Returns how it stands now.
    #[cfg(test)]
    pub(super) async fn counts(&self) -> Result<OutboxCounts, StoreError> {
        Ok(self.counted(&self.letters().await?))
    }

    /// A message has ended so, as its carrier would say.
    #[cfg(any(test, feature = "testing"))]
    #[allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]
    pub async fn settle(&self, id: OutgoingId, state: LetterState) {
        let (_, letter) = self.letters().await.unwrap().into_iter().find(|(of, _)| *of == id).unwrap();
        self.put(id, letter.ended(state)).await.unwrap();
    }

    pub(super) fn now(&self) -> Timestamp {
        self.parts.clock.now().timestamp()
    }

    /// Returns all messages as they stand now, what the database could not take included. Where it does not answer,
    /// what is held goes out all the same.
    pub(super) async fn letters(&self) -> Result<Vec<(OutgoingId, Letter)>, StoreError> {
        let stored = match self.stored().await {
            Err(_) if !self.held().is_empty() => Vec::new(),
            stored => stored?,
        };
        Ok(self.as_it_stands(stored).await)
    }

    /// Returns the same, only if the database could be read.
    pub(super) async fn stored_letters(&self) -> Result<Vec<(OutgoingId, Letter)>, StoreError> {
        let stored = self.stored().await?;
        Ok(self.as_it_stands(stored).await)
    }

    /// Returns what is stored, with what is held.
    async fn as_it_stands(&self, stored: Vec<(OutgoingId, Letter)>) -> Vec<(OutgoingId, Letter)> {
        let (letters, to_write) = self.held().merged(stored);
        for id in to_write {
            let Some(letter) = self.held().get(id).cloned() else { continue };
            match self.write(id, &letter).await {
                // What became of it meanwhile is written by whoever knows that.
                Ok(()) => self.held().forget_as(id, &letter),
                Err(error) => tracing::warn!(%error, "what became of an alert was not stored"),
            }
        }
        letters
    }

    async fn stored(&self) -> Result<Vec<(OutgoingId, Letter)>, StoreError> {
        let rows = self.answered(self.parts.store.outgoing()).await?;
        Ok(rows.iter().filter_map(read).collect())
    }

    /// Returns what the database answers, unless it keeps an alert waiting that is held in memory.
    async fn answered<T>(&self, asked: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let mut asked = pin!(asked);
        loop {
            match tokio::time::timeout(LOOK, &mut asked).await {
                Ok(answer) => return answer,
                Err(_) if self.held().has_unsent() => return Err(StoreError::Slow),
                Err(_) => {}
            }
        }
    }

    /// Writes how a message stands now; where the database can't, it is held in memory.
    ///
    /// # Errors
    /// The database's.
    pub(super) async fn put(&self, id: OutgoingId, letter: Letter) -> Result<(), StoreError> {
        if id.0 < 0 {
            // Also what was sent: the same alert must not go out again.
            self.held().put(id, letter);
            return Ok(());
        }
        let done = self.write(id, &letter).await;
        let mut held = self.held();
        match &done {
            Ok(()) => held.forget(id),
            Err(_) => held.put(id, letter),
        }
        done
    }

    async fn write(&self, id: OutgoingId, letter: &Letter) -> Result<(), StoreError> {
        let change = vec![OutgoingChange::Put(id.0, written(letter)?)];
        self.answered(self.parts.store.change_outgoing(move |_| Ok(change))).await.map(|_| ())
    }

    /// Removes what a day has made worthless.
    pub(super) async fn tidy(&self) -> Result<(), StoreError> {
        let now = self.now();
        let tidying = move |rows: Vec<OutgoingRow>| {
            let old = rows.iter().filter(|row| match read(row) {
                Some((_, letter)) => {
                    !letter.is_open() && now.duration_since(letter.posted).abs() > REMEMBERED
                }
                None => true,
            });
            Ok(old.map(|row| OutgoingChange::Remove(row.id)).collect())
        };
        self.answered(self.parts.store.change_outgoing(tidying)).await.map(|_| ())
    }

    fn held(&self) -> MutexGuard<'_, HeldLetters> {
        self.shared.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who carries a message of that urgency: an alert everybody, all others the first one there is.
fn carriers_for(urgency: Urgency, all: &[CarrierName]) -> Vec<CarrierName> {
    let mut all = all.to_vec();
    all.sort_unstable();
    match urgency {
        Urgency::Critical | Urgency::Escalated => all,
        Urgency::Direct | Urgency::Proactive => all.into_iter().take(1).collect(),
    }
}

/// Returns whether `new` need not be sent, since a message under its key was sent, waits, or may have arrived.
fn stands_for(old: &Letter, new: &Letter, now: Timestamp) -> bool {
    let is_same = new.key.is_some() && old.key == new.key && old.carrier == new.carrier;
    let has_failed = old.state == LetterState::GivenUp && old.doubts == 0;
    is_same && !has_failed && now.duration_since(old.posted).abs() <= REMEMBERED
}

/// Adds messages, unless they are there already, and makes room.
fn add(
    rows: Vec<OutgoingRow>,
    letters: Vec<Letter>,
    now: Timestamp,
) -> Result<Vec<OutgoingChange>, StoreError> {
    let stored: Vec<(OutgoingId, Letter)> = rows.iter().filter_map(read).collect();
    let is_stored = |new: &Letter| stored.iter().any(|(_, old)| stands_for(old, new, now));
    let mut open: Vec<&(OutgoingId, Letter)> =
        stored.iter().filter(|(_, letter)| letter.state == LetterState::Waiting).collect();
    // What would give way is taken from the end.
    open.sort_by_key(|(id, letter)| (letter.urgency, std::cmp::Reverse(*id)));
    let mut changes = Vec::new();
    let mut room = MOST_WAITING.saturating_sub(open.len());
    for new in letters.iter().filter(|letter| !is_stored(letter)) {
        if room > 0 {
            room -= 1;
        } else {
            tracing::warn!("too many messages wait; the oldest of the least urgent is given up");
            // A new one of less urgency than all that wait is that one itself.
            let Some((id, oldest)) = open.pop_if(|(_, oldest)| oldest.urgency >= new.urgency) else {
                continue;
            };
            changes.push(OutgoingChange::Put(id.0, written(&oldest.clone().ended(LetterState::GivenUp))?));
        }
        changes.push(OutgoingChange::Add(written(new)?, now));
    }
    Ok(changes)
}

fn read(row: &OutgoingRow) -> Option<(OutgoingId, Letter)> {
    Some((OutgoingId(row.id), serde_json::from_str(&row.message).ok()?))
}

fn written(letter: &Letter) -> Result<String, StoreError> {
    serde_json::to_string(letter).map_err(|error| StoreError::Record(error.to_string()))
}
