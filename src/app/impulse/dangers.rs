//! Records dangers beside the decisions; they are announced as alarms, without a decision.
//!
//! Part of the impulse's task. In: what was noticed since the last time. Out: one record for each danger, with what it adds
//! to the score. It announces nothing, and no alarm waits for it.

use super::{ImpulseSpeaker, ImpulseSubject};
use joi_agent::model::ChatModel;
use joi_proactive::awareness::{Happening, Noticed, Significance};
use joi_proactive::impulse::ImpulseRecord;
use joi_proactive::impulse::record::ImpulseOutcome;

impl<M: ChatModel> ImpulseSpeaker<M> {
    /// Keeps a record of each danger that was noticed since the last time.
    pub(super) async fn note_dangers(&mut self) {
        let now = self.parts.clock.now();
        // After a clock was set back, those that are noticed from here on count.
        let noted = self.dangers_until.min(now.timestamp());
        let dangers: Vec<_> = {
            let state = self.parts.awareness.state();
            let is_new = |noticed: &&Noticed| {
                noticed.significance == Significance::Critical && noticed.event.at > noted
            };
            let new = state.events.iter().filter(is_new);
            new.map(|noticed| (noticed.event.at, name(&noticed.event.happening))).collect()
        };
        self.dangers_until = dangers.iter().map(|(at, _)| *at).max().unwrap_or(noted);
        for (at, name) in dangers {
            let (_, record) = self.decided(&now, ImpulseSubject::Danger(name));
            let record = ImpulseRecord { at, outcome: Some(ImpulseOutcome::ToldAtOnce), ..record };
            self.keep(&record).await;
        }
    }
}

/// Returns which danger, without any word of somebody else.
fn name(happening: &Happening) -> &'static str {
    match happening {
        Happening::Critical { id } => id.name(),
        _ => "notice",
    }
}
