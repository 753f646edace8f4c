//! What each conversation spoke of last, for words such as "it" and "there".
//!
//! Any thread. In: a conversation, what it spoke of, and when. Out: the same, for some minutes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// What each conversation spoke of last. It counts for `lasts`.
#[derive(Debug)]
pub struct LastOf<T> {
    lasts: SignedDuration,
    of: Mutex<HashMap<String, (T, Timestamp)>>,
}

impl<T: Clone> LastOf<T> {
    /// Nothing was spoken of yet.
    pub fn new(lasts: SignedDuration) -> Self {
        Self { lasts, of: Mutex::default() }
    }

    /// Notes that `conversation` spoke of `what`.
    pub fn note(&self, conversation: &str, what: T, now: Timestamp) {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        of.retain(|_, (_, at)| self.counts(*at, now));
        of.insert(conversation.to_owned(), (what, now));
    }

    /// Returns what `conversation` spoke of last, as long as that counts.
    pub fn get(&self, conversation: &str, now: Timestamp) -> Option<T> {
        let of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        of.get(conversation).filter(|(_, at)| self.counts(*at, now)).map(|(what, _)| what.clone())
    }

    fn counts(&self, at: Timestamp, now: Timestamp) -> bool {
        now.duration_since(at).abs() < self.lasts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_conversation_has_its_own_and_for_a_while() {
        let last = LastOf::new(SignedDuration::from_mins(2));
        let at = |seconds: i64| Timestamp::from_second(seconds).unwrap();
        last.note("kitchen", 1, at(0));
        last.note("hall", 2, at(60));
        assert_eq!((last.get("kitchen", at(119)), last.get("kitchen", at(120))), (Some(1), None));
        assert_eq!((last.get("hall", at(120)), last.get("office", at(60))), (Some(2), None));
    }
}
