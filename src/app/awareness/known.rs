//! The context state of the house: what is known of it and of the user, kept in the database.
//!
//! [`Awareness`] is a handle that the watcher, the impulse and prompts share under one short lock; any thread. In: the
//! stored state. Out: what is known, for prompts, and the state in the database. A database that cannot be written keeps
//! nothing from being noticed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Zoned};

use joi_agent::HouseKnown;
use joi_base::clock::Clock;
use joi_language::Language;
use joi_proactive::alert::Alerts;
use joi_proactive::awareness::{AwarenessConfig, ContextState, HomePresence, Topic};
use joi_store::{Store, StoreError};

/// States of the house are used in prompts for this long after the last update.
const TRUE_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Time limit for storing the state.
const SAVE: Duration = Duration::from_secs(3);

/// The handle of the context state; clones share it.
#[derive(Clone)]
pub struct Awareness {
    state: Arc<Mutex<ContextState>>,
    pub(super) rules: Arc<AwarenessConfig>,
    store: Option<Store>,
    pub(super) clock: Arc<dyn Clock>,
    /// Number of erasures when the state was written last.
    erasures: Arc<AtomicU64>,
    /// The last write of the state failed.
    pub(super) is_unsaved: Arc<AtomicBool>,
}

impl Awareness {
    /// Reads what was known before the last end of the program; an unreadable state is logged and begun anew.
    pub async fn recalled(rules: &AwarenessConfig, store: Option<Store>, clock: Arc<dyn Clock>) -> Self {
        let erasures = match &store {
            Some(store) => store.times_forgotten().await.unwrap_or_default(),
            None => 0,
        };
        let text = match &store {
            Some(store) => store.context_state().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "what was known of the house can't be read");
                None
            }),
            None => None,
        };
        let state = text.map(|text| ContextState::read(&text)).transpose().unwrap_or_else(|error| {
            tracing::warn!(%error, "what was known of the house makes no sense and is begun anew");
            None
        });
        let state = Arc::new(Mutex::new(state.unwrap_or_default()));
        let erasures = Arc::new(AtomicU64::new(erasures));
        let is_unsaved = Arc::default();
        Self { state, rules: Arc::new(rules.clone()), store, clock, erasures, is_unsaved }
    }

    /// Returns what is known beside the states of the house, for prompts. None of it is text that a stranger may have written.
    pub fn known(&self, language: &Language, now: &Zoned) -> HouseKnown {
        let (state, at) = (self.state(), now.timestamp());
        let own = state.in_hand.as_ref().filter(|topic| topic.is_worded_by_us());
        let known = HouseKnown {
            weather: state.weather(at).map(str::to_owned),
            mentioned: own.map(|topic| topic.fact.part(language, now)),
            ..HouseKnown::default()
        };
        if state.updated.is_none_or(|updated| at.duration_since(updated).abs() > TRUE_FOR) {
            return known;
        }
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        HouseKnown {
            alarms: owned(state.dangers().collect()),
            open: owned(state.open_doors().collect()),
            is_anybody_home: match state.presence {
                HomePresence::Home { .. } => Some(true),
                HomePresence::Away { .. } => Some(false),
                HomePresence::Unknown => None,
            },
            ..known
        }
    }

    /// `[awareness]`.
    pub(in crate::app) fn rules(&self) -> &AwarenessConfig {
        &self.rules
    }

    pub(in crate::app) fn state(&self) -> MutexGuard<'_, ContextState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a topic that might be mentioned; the watcher stores it with the rest.
    pub(in crate::app) fn offer(&self, topic: Topic) {
        let now = self.clock.now().timestamp();
        if self.state().offer(topic, &self.rules, now) {
            self.is_unsaved.store(true, Ordering::Release);
        }
    }

    /// Stores the state and returns whether it is stored; a failure is logged and retried by the watcher. Once something
    /// was erased, by whichever program, none of the words in it come back.
    pub(in crate::app) async fn save(&self) -> bool {
        let Some(store) = &self.store else { return false };
        let saved = tokio::time::timeout(SAVE, self.save_in(store)).await;
        let saved = saved.unwrap_or(Err(StoreError::Slow));
        self.is_unsaved.store(saved.is_err(), Ordering::Release);
        saved.inspect_err(|error| tracing::warn!(%error, "what is known of the house is not stored")).is_ok()
    }

    /// Does the same, unless an alarm is not stored: a danger that counts as announced would be lost with the program.
    pub(in crate::app) async fn save_after(&self, alerts: &Alerts) -> bool {
        if alerts.are_stored() {
            return self.save().await;
        }
        self.is_unsaved.store(true, Ordering::Release);
        false
    }

    async fn save_in(&self, store: &Store) -> Result<(), StoreError> {
        if let Ok(erasures) = store.times_forgotten().await
            && self.erasures.swap(erasures, Ordering::AcqRel) != erasures
        {
            self.state().forget_words();
        }
        let text = serde_json::to_string(&*self.state());
        store.set_context_state(text.map_err(|error| StoreError::Record(error.to_string()))?).await
    }
}
