//! Messages as they stand now, where the database could not take that.
//!
//! In: alerts that could not be stored, changes that could not be written. Out: what is to be sent all the same. An alert
//! is held under a number below zero until the database has it. At most [`MOST`] are held; the oldest gives way.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::OutgoingId;
use super::letter::{Letter, LetterState};

/// Alerts that are held while the database can't be written.
const MOST: usize = 32;
/// The time for which a sent message occupies its key.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

/// All of them.
#[derive(Debug, Default)]
pub(super) struct HeldLetters(BTreeMap<OutgoingId, Letter>);

impl HeldLetters {
    /// Alerts that the database could not take, each once; the number of the last one.
    pub(super) fn hold(&mut self, letters: Vec<Letter>, now: Timestamp) -> OutgoingId {
        let is_recent = |letter: &Letter| now.duration_since(letter.posted).abs() <= REMEMBERED;
        self.0.retain(|id, letter| id.0 >= 0 || letter.is_open() || is_recent(letter));
        let mut last = OutgoingId(0);
        for letter in letters {
            if let Some((id, _)) = self.0.iter().find(|(_, other)| is_same(other, &letter)) {
                last = *id;
                continue;
            }
            last = OutgoingId(self.0.keys().next().map_or(-1, |lowest| lowest.0.min(0) - 1));
            self.0.insert(last, letter);
        }
        while self.0.keys().filter(|id| id.0 < 0).count() > MOST {
            // The greatest number below zero is the oldest; what was sent goes before what waits.
            let mut oldest = self.0.iter().rev().filter(|(id, _)| id.0 < 0);
            let sent = oldest.clone().find(|(_, letter)| !letter.is_open());
            let oldest = sent.or_else(|| oldest.next()).map(|(id, _)| *id);
            oldest.map(|oldest| self.0.remove(&oldest));
        }
        last
    }

    /// A message stands so, and the database does not know it.
    pub(super) fn put(&mut self, id: OutgoingId, letter: Letter) {
        self.0.insert(id, letter);
    }

    /// The database knows how it stands.
    pub(super) fn forget(&mut self, id: OutgoingId) {
        self.0.remove(&id);
    }

    /// The database knows that it stood as in `letter`; nothing else that became of it since.
    pub(super) fn forget_as(&mut self, id: OutgoingId, letter: &Letter) {
        if self.0.get(&id) == Some(letter) {
            self.0.remove(&id);
        }
    }

    /// Returns whether an alert is held that was not sent yet: nobody waits for the database then.
    pub(super) fn has_unsent(&self) -> bool {
        self.0.iter().any(|(id, letter)| id.0 < 0 && letter.is_open())
    }

    /// Nothing is held.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what is stored, as it stands now, and what is held only. An alert that the database has taken after all
    /// counts once; the numbers of those that are to be written because of that come with it.
    pub(super) fn merged(
        &mut self,
        mut stored: Vec<(OutgoingId, Letter)>,
    ) -> (Vec<(OutgoingId, Letter)>, Vec<OutgoingId>) {
        let mut to_write = Vec::new();
        for (id, letter) in &mut stored {
            let of_it = |(held, other): &(&OutgoingId, &Letter)| held.0 < 0 && is_same(other, letter);
            let Some((held, _)) = self.0.iter().find(of_it).filter(|_| letter.is_open()) else { continue };
            let held = *held;
            let Some(now) = self.0.get(&held).cloned() else { continue };
            // What a carrier has comes back under its number.
            if now.state == LetterState::Underway {
                *letter = now;
                continue;
            }
            self.0.remove(&held);
            self.0.insert(*id, now);
            to_write.push(*id);
        }
        let is_known = |of: &Letter| {
            let counts = |known: &Letter| known.state != LetterState::GivenUp;
            stored.iter().any(|(_, letter)| is_same(letter, of) && counts(letter))
        };
        self.0.retain(|id, letter| id.0 >= 0 || letter.state != LetterState::Waiting || !is_known(letter));
        let alone = self.0.iter().filter(|(id, letter)| id.0 < 0 && !is_known(letter));
        let alone: Vec<_> = alone.map(|(id, letter)| (*id, letter.clone())).collect();
        for (id, letter) in &mut stored {
            if let Some(now) = self.0.get(id) {
                *letter = now.clone();
            }
        }
        stored.extend(alone);
        (stored, to_write)
    }

    /// Returns how a message stands that the database does not know so.
    pub(super) fn get(&self, id: OutgoingId) -> Option<&Letter> {
        self.0.get(&id)
    }
}

/// Returns whether both are one message by one carrier.
fn is_same(one: &Letter, other: &Letter) -> bool {
    one.key.is_some() && one.key == other.key && one.carrier == other.carrier
}
