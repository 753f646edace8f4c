//! What might be worth mentioning: a short queue of topics.
//!
//! In: events that matter. Out: the topic to mention next. At most [`TopicRules::most`] wait; a further one drives out
//! the least significant, then the oldest. What is too old leaves, and what was announced does not come back within
//! [`TopicRules::again_after`].
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::significance::Significance;
use joi_language::{SentenceName, SentenceTemplate};

/// One thing that might be mentioned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    /// Its number.
    pub id: u64,
    /// The key: two topics with one key are the same.
    pub key: String,
    /// The fact, put into words when it is said.
    pub fact: SentenceTemplate,
    /// Words that a message about it must contain; empty where any words do.
    pub what: String,
    /// How much it matters.
    pub significance: Significance,
    /// Since when it waits.
    pub at: Timestamp,
    /// How often there were no words for it, or they could not be sent.
    #[serde(default)]
    pub refused: u32,
}

/// How the queue works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicRules {
    /// Most topics that wait.
    pub most: usize,
    /// After this time one is of no interest any more.
    pub expires: SignedDuration,
    /// So long a topic that was announced is not taken again.
    pub again_after: SignedDuration,
}

/// All that wait, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TopicQueue {
    waiting: Vec<Topic>,
    told: Vec<(String, Timestamp)>,
    last: u64,
}

impl Topic {
    /// Returns whether no word of it is somebody else's, as of a notice or a warning. The sentence reports, and not the
    /// key: in those that older versions have stored, a foreign text stands first.
    pub fn is_worded_by_us(&self) -> bool {
        use SentenceName::{Arrived, LeftLate, LeftOpen, TooCold, TooWarm, WarmthChanged};
        matches!(self.fact.name(), LeftOpen | TooWarm | TooCold | WarmthChanged | Arrived | LeftLate)
    }

    /// Returns whether it is said as it stands, with its source, and put into words by no model.
    pub fn is_quoted(&self) -> bool {
        matches!(self.fact.name(), SentenceName::FeedItem | SentenceName::FeedItemForeign)
    }

    /// Returns what kind of thing it is about, without any word of somebody else.
    pub fn kind(&self) -> &'static str {
        match self.fact.name() {
            SentenceName::LeftOpen => "open",
            SentenceName::TooWarm | SentenceName::TooCold | SentenceName::WarmthChanged => "warmth",
            SentenceName::Arrived => "arrived",
            SentenceName::LeftLate => "left",
            SentenceName::WeatherAlert => "warning",
            SentenceName::FeedItem | SentenceName::FeedItemForeign => "news",
            _ => "notice",
        }
    }
}

/// Returns whether a stored key is this one, be it as older versions wrote it: foreign texts without their kind.
fn is_key(stored: &str, key: &str) -> bool {
    let bare = key.strip_prefix("notice:").or_else(|| key.strip_prefix("warning:"));
    stored == key || bare == Some(stored)
}

impl TopicQueue {
    /// Adds a topic, or renews the fact of one that waits already. Nothing when it was announced a while ago, or when
    /// it is itself what has to leave; then `false`.
    pub fn push(&mut self, mut topic: Topic, rules: TopicRules, now: Timestamp) -> bool {
        self.prune(rules, now);
        if self.told.iter().any(|(key, _)| is_key(key, &topic.key)) {
            return false;
        }
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| is_key(&waiting.key, &topic.key)) {
            waiting.fact = topic.fact;
            waiting.significance = waiting.significance.max(topic.significance);
            return true;
        }
        self.last += 1;
        topic.id = self.last;
        self.waiting.push(topic);
        if self.waiting.len() <= rules.most {
            return true;
        }
        let leaves = self.waiting.iter().min_by_key(|t| (t.significance, t.at, t.id)).map(|t| t.id);
        self.waiting.retain(|waiting| Some(waiting.id) != leaves);
        leaves != Some(self.last)
    }

    /// Renews the fact of a topic that waits, where there is another one.
    pub fn renew(&mut self, key: &str, fact: Option<SentenceTemplate>) {
        let waiting = self.waiting.iter_mut().find(|topic| topic.key == key);
        if let (Some(topic), Some(fact)) = (waiting, fact) {
            topic.fact = fact;
        }
    }

    /// Returns the topic to mention next: of those that failed least often the most significant, of those the oldest.
    pub fn next(&self) -> Option<&Topic> {
        let order =
            |topic: &&Topic| (topic.refused, std::cmp::Reverse(topic.significance), topic.at, topic.id);
        self.waiting.iter().min_by_key(order)
    }

    /// It could not be announced: another one comes first.
    pub fn refused(&mut self, id: u64) {
        if let Some(topic) = self.waiting.iter_mut().find(|topic| topic.id == id) {
            topic.refused = topic.refused.saturating_add(1);
        }
    }

    /// It was announced.
    pub fn mark_announced(&mut self, id: u64, now: Timestamp) {
        if let Some(at) = self.waiting.iter().position(|topic| topic.id == id) {
            let topic = self.waiting.remove(at);
            self.told.push((topic.key, now));
        }
    }

    /// Leaves nothing but the numbers that were given.
    pub fn clear(&mut self) {
        (self.waiting, self.told) = (Vec::new(), Vec::new());
    }

    /// It is not true any more.
    pub fn withdraw(&mut self, key: &str) {
        self.waiting.retain(|topic| !is_key(&topic.key, key));
    }

    /// Removes what is too old. Moments that lie ahead, after a clock was set back, count as now.
    pub fn prune(&mut self, rules: TopicRules, now: Timestamp) {
        for topic in &mut self.waiting {
            topic.at = topic.at.min(now);
        }
        for (_, at) in &mut self.told {
            *at = (*at).min(now);
        }
        self.waiting.retain(|topic| now.duration_since(topic.at) < rules.expires);
        self.told.retain(|(_, at)| now.duration_since(*at) < rules.again_after);
    }

    /// Returns all that wait.
    pub fn waiting(&self) -> &[Topic] {
        &self.waiting
    }

    /// Returns how many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
