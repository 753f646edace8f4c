//! Caches results of the model that hold for one conversation.
//!
//! State of a session. Input: what a model picked or wrote. Output: the same, for the same request. A cache lives as
//! long as the conversation: a stop and a new conversation clear it, age does not. Only what a model really said is
//! stored, never a substitute.
//! Pure: no I/O, no clock.

use std::num::NonZeroUsize;

use lru::LruCache;

use crate::memory::recall_query::RecallQuery;
use crate::prompt::profiles::Profile;
use joi_store as store;

/// Most entries of each kind.
const MOST: NonZeroUsize = NonZeroUsize::new(128).unwrap();

/// All of it.
pub(crate) struct Caches {
    /// The user's profile, and the state of the store it is from.
    pub(crate) known: Option<(u64, store::MemoryProfile)>,
    /// The profile of this conversation, once it was picked.
    pub(crate) profile: Option<&'static Profile>,
    /// Tools that were picked, by [`crate::agent::router::key`].
    pub(crate) routes: LruCache<String, Vec<String>>,
    /// What to look for in the memory, by the request and the topic.
    pub(crate) queries: LruCache<String, RecallQuery>,
    /// Digests of what was found, by what they are of; nothing where nothing was of use.
    pub(crate) digests: LruCache<String, Option<String>>,
}

impl Default for Caches {
    fn default() -> Self {
        Self {
            known: None,
            profile: None,
            routes: LruCache::new(MOST),
            queries: LruCache::new(MOST),
            digests: LruCache::new(MOST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_many_is_dropped() {
        let mut scratch = Caches::default();
        for n in 0..130 {
            scratch.routes.put(n.to_string(), Vec::new());
            scratch.routes.get("0");
        }
        assert_eq!(scratch.routes.len(), 128);
        assert!(scratch.routes.contains("0"), "it was used all the time");
        assert!(!scratch.routes.contains("1") && !scratch.routes.contains("2"));
    }
}
