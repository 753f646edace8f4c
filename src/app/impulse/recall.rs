//! A message that waits for a carrier outlives the program: after a restart its topic is not sent again.
//!
//! Part of the impulse's task. In: topics, the outbox. Out: the words that are underway, as if they had been posted by this
//! run.

use super::ImpulseSpeaker;
use super::deliver::{WaitingWords, WordsWay};
use joi_agent::model::ChatModel;
use joi_proactive::awareness::Topic;
use joi_proactive::impulse::record::ImpulseOutcome;
use joi_proactive::impulse::{ImpulseRecord, ImpulseVerdict};
use joi_store::StoreError;

/// Decisions that are looked through for the one that led to a message: those of the time in which one may wait.
const DECISIONS: u32 = 50;

/// Under which the message about a topic is sent once only.
pub(super) fn key_of(topic: &Topic) -> String {
    format!("impulse-{}-{}", topic.id, topic.at.as_millisecond())
}

impl<M: ChatModel> ImpulseSpeaker<M> {
    /// Looks once for what an earlier run has posted; where the database can't be read, again at the next step.
    pub(super) async fn recall(&mut self) {
        if self.is_recalled {
            return;
        }
        match self.posted_before().await {
            Ok(words) => {
                self.is_recalled = true;
                self.waiting = self.waiting.take().or(words);
            }
            Err(error) => tracing::debug!(%error, "what was posted before the start is not known"),
        }
    }

    async fn posted_before(&self) -> Result<Option<WaitingWords>, StoreError> {
        let topics = self.parts.awareness.state().topics.waiting().to_vec();
        for topic in topics {
            let Some((id, text)) = self.parts.outbox.posted_as(&key_of(&topic)).await? else { continue };
            let (language, now) = (self.parts.languages.get(), self.parts.clock.now());
            // The words of what was sent are erased.
            let text = if text.is_empty() { topic.fact.sentence(&language, &now) } else { text };
            let kept = self.decision_on(topic.id).await?;
            return Ok(Some(WaitingWords { way: WordsWay::Posted(id), topic, text, kept }));
        }
        Ok(None)
    }

    /// Returns the decision that led to the message about this topic.
    async fn decision_on(&self, topic: u64) -> Result<Option<(i64, ImpulseRecord)>, StoreError> {
        let Some(store) = &self.parts.store else { return Ok(None) };
        let rows = store.impulses(DECISIONS).await?;
        let records = rows
            .iter()
            .filter_map(|row| Some((row.id, serde_json::from_str::<ImpulseRecord>(&row.json).ok()?)));
        let led = |record: &ImpulseRecord| {
            record.verdict == ImpulseVerdict::Speak { topic }
                && record.outcome == Some(ImpulseOutcome::Waiting)
        };
        Ok(records.into_iter().find(|(_, record)| led(record)))
    }
}
