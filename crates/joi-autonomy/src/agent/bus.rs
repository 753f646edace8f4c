//! The bus of the events of agents: bounded, with one sender and any number of readers.
//!
//! Any thread; sending never waits. Full: the oldest events are overwritten, and a reader that is so far behind is lost.
//! Events are counted by name, and logged without their words.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;

use super::news::AgentEvent;

/// Events that a reader has not read yet.
const MOST_UNREAD: usize = 256;

/// The bus; clones share it.
#[derive(Debug, Clone)]
pub struct AgentBus {
    events: broadcast::Sender<AgentEvent>,
    counts: Arc<Mutex<BTreeMap<&'static str, u64>>>,
}

impl Default for AgentBus {
    fn default() -> Self {
        Self { events: broadcast::Sender::new(MOST_UNREAD), counts: Arc::default() }
    }
}

impl AgentBus {
    /// Sends an event to whoever reads.
    pub fn send(&self, event: AgentEvent) {
        let name = event.news.name();
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
        tracing::info!(agent = event.agent, event = name, news = ?event.news, "agent");
        // Nobody may read.
        let _ = self.events.send(event);
    }

    /// Reads events from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<AgentEvent> {
        self.events.subscribe()
    }

    /// Returns how many events of each name there were.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::news::AgentNews;

    fn event(turn: u64) -> AgentEvent {
        let (agent, at) = ("garage".to_owned(), "2026-03-04T12:00:00Z".parse().unwrap());
        AgentEvent { news: AgentNews::TurnStarted { turn }, agent, at, words: Some("secret".into()) }
    }

    #[test]
    fn events_are_counted_and_a_reader_that_is_far_behind_is_lost() {
        let bus = AgentBus::default();
        let mut reader = bus.subscribe();
        (0..300).for_each(|turn| bus.send(event(turn)));
        assert_eq!(bus.counts(), BTreeMap::from([("autonomy:turn_started", 300)]));
        assert!(matches!(reader.try_recv(), Err(broadcast::error::TryRecvError::Lagged(_))));
        assert!(reader.try_recv().is_ok());
    }

    #[test]
    fn an_event_is_one_flat_object_and_its_words_can_be_left_out() {
        let written = |event: AgentEvent| serde_json::to_string(&event).unwrap();
        let expected =
            r#"{"event":"autonomy:turn_started","turn":7,"agent":"garage","at":"2026-03-04T12:00:00Z"}"#;
        assert_eq!(written(event(7).without_words()), expected);
        assert_eq!(serde_json::from_str::<AgentEvent>(expected).unwrap(), event(7).without_words());
        assert!(written(event(7)).contains(r#""words":"secret""#));
    }
}
