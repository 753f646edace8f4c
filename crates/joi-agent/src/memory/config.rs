//! The knobs of the memory: `[memory]`.
//!
//! Plain data, any thread; immutable after start.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// `[memory]`: memory beyond the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether joi remembers anything beyond the conversation, and recalls it.
    pub enabled: bool,
    /// Most entries that are recalled for one question, 0 to 10. More is more to read before the answer.
    pub recall: u32,
    /// Where these may be from: "all", "diary", or "facts" (what joi was asked to remember, and documents).
    pub sources: Sources,
    /// Whether the model is asked what to look for: "auto" (a large model; a small one only where a plan wants the
    /// memory and the words alone say nothing), "always", or "never" (by words alone).
    pub extractor: Extractor,
    /// Whether the model makes shorter what was recalled when it is long: "auto" (small models), "always", "never".
    pub digest: MemoryDigest,
    /// Whether a conversation that has ended is summarised in the diary.
    pub diary: bool,
    /// Days that pages of the diary are kept, 1 to 36500.
    pub diary_days: u32,
}

/// Where what is recalled may be from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sources {
    /// From everywhere.
    All,
    /// From the diary only.
    Diary,
    /// From what joi was asked to remember, and documents.
    Facts,
}

/// Whether the model is asked what to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extractor {
    /// A large model; a small one only where a plan wants the memory and the words alone say nothing.
    Auto,
    /// For every question that the memory is asked.
    Always,
    /// Never: by the words alone.
    Never,
}

/// Whether what was recalled is made shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryDigest {
    /// For a small model.
    Auto,
    /// Whenever it is long.
    Always,
    /// Never.
    Never,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            recall: 3,
            sources: Sources::All,
            extractor: Extractor::Auto,
            digest: MemoryDigest::Auto,
            diary: true,
            diary_days: 365,
        }
    }
}

impl MemoryConfig {
    /// All values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let rows = [
            ("memory.recall", self.recall, 0.0..=10.0, "entries"),
            ("memory.diary_days", self.diary_days, 1.0..=36_500.0, "days"),
        ];
        let outside = |(key, value, range, unit)| Problem::outside(key, f64::from(value), range, unit);
        rows.into_iter().filter_map(outside).collect()
    }

    /// Pages of the diary from before this are to be removed.
    pub fn diary_cutoff(&self, now: Timestamp) -> Timestamp {
        let kept = SignedDuration::from_hours(24 * i64::from(self.diary_days));
        now.checked_sub(kept).unwrap_or(Timestamp::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_reported() {
        assert_eq!(MemoryConfig::default().check(), []);
        let bad = MemoryConfig { recall: 11, diary_days: 0, ..MemoryConfig::default() };
        let keys: Vec<String> = bad.check().into_iter().map(|problem| problem.key).collect();
        assert_eq!(keys, ["memory.recall", "memory.diary_days"]);
    }
}
