//! The part of a brain that conversations by voice share, for those that begin when it is in use already.
//!
//! Plain handles, any task.

use std::sync::Arc;

use super::brain::Brain;
use joi_agent::Engine;
use joi_base::clock::Clock;
use joi_base::message::TurnId;
use joi_base::pulse::Pulse;
use joi_language::Languages;
use joi_llm::Mind;
use joi_schedule::Schedule;
use joi_schedule::announce::Announcer;
use joi_store::Store;

/// What conversations by voice share.
#[derive(Clone)]
pub(super) struct VoiceBrain {
    /// Answers.
    pub(super) engine: Arc<Engine<Mind>>,
    /// Nothing when the database can't be opened.
    pub(super) store: Option<Store>,
    /// Timers, alarms and reminders; nothing without a database.
    pub(super) schedule: Option<Schedule>,
    /// Takes whatever is to be said without having been asked for.
    pub(super) announcer: Announcer,
    /// The language that is spoken.
    pub(super) languages: Languages,
    /// The clock.
    pub(super) clock: Arc<dyn Clock>,
    /// The hearts of all stages.
    pub(super) pulse: Pulse,
}

impl Brain {
    /// Returns what conversations by voice share.
    pub(super) fn for_voice(&self) -> VoiceBrain {
        VoiceBrain {
            engine: Arc::clone(&self.engine),
            store: self.store.clone(),
            schedule: self.schedule.clone(),
            announcer: self.announcer.clone(),
            languages: self.languages.clone(),
            clock: Arc::clone(&self.clock),
            pulse: self.pulse.clone(),
        }
    }
}

impl VoiceBrain {
    /// Returns the newest turn ever recorded.
    pub(super) async fn last_turn(&self) -> TurnId {
        let Some(store) = &self.store else { return TurnId(0) };
        match store.last_turn().await {
            Ok(Some(record)) => record.id,
            Ok(None) => TurnId(0),
            Err(error) => {
                tracing::warn!(%error, "the last turn is not known");
                TurnId(0)
            }
        }
    }
}
