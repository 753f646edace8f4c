//! What must not wait behind the turns of others: that an alarm was seen, and what becomes of messages that wait.
//!
//! A future of the conversation's task beside that of the turns. In: messages as they arrive. Out: silent alarms,
//! corrected and removed messages; everything else waits for its turn. It asks no model.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::inbox::SignalArrivals;
use super::{SignalConversation, SignalThread};
use joi_agent::model::ChatModel;
use joi_messages::outbound::{CarrierName, MessageStamp, SentLetter, Urgency};
use joi_messages::signal::gate::{OwnerMatter, OwnerMessage};

/// What arrives waits for the database no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

impl<M: ChatModel> SignalConversation<M> {
    /// Takes what arrives, until `stop`.
    pub(super) async fn sort(&self, inbox: &mut SignalArrivals, stop: &CancellationToken) {
        loop {
            // Both arms are cancel-safe.
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = inbox.next() => message,
            };
            let Some(message) = message else { return };
            let has_room = self.sorted(message).await;
            if inbox.take_left_out() || !has_room {
                let told = self.parts.engine.language().sentences().messages.too_many.clone();
                self.post_in_time(SignalThread::Owner, told, None).await;
            }
        }
    }

    /// Does what is done at once, or lets it wait; whether there was room for it.
    async fn sorted(&self, message: OwnerMessage) -> bool {
        let (thread, stamp) = (message.thread, message.stamp);
        match message.matter {
            OwnerMatter::TakenBack(target) => self.taken_back(target),
            OwnerMatter::Corrected(target, matter) => self.waiting.correct(target, stamp, *matter),
            OwnerMatter::Approval(target, _) if self.is_alarm_seen(thread, target).await => {}
            // Whatever else is said in the group is not addressed to joi.
            OwnerMatter::Remark(ref text) => {
                let _ = self.is_alarm_heard(thread, &text.0, stamp).await;
            }
            OwnerMatter::Words(ref text) if self.is_alarm_heard(thread, &text.0, stamp).await => {}
            _ => return self.waiting.put(message),
        }
        true
    }

    /// Whether these words say that the alarms were heard, and nothing else; they are silent then.
    async fn is_alarm_heard(&self, thread: SignalThread, text: &str, stamp: i64) -> bool {
        let session = &self.talk(thread).session;
        let Some(told) = self.parts.engine.alarms_were_heard(session, text).await else { return false };
        self.post_in_time(thread, told, Some(format!("seen/{stamp}"))).await;
        true
    }

    /// Hands a message to the outbox; where the database hangs, what arrives next does not wait for it.
    async fn post_in_time(&self, thread: SignalThread, text: String, key: Option<String>) {
        if tokio::time::timeout(PATIENCE, self.post(thread, text, key)).await.is_err() {
            tracing::warn!("an answer is not sent yet: the database does not answer");
        }
    }

    /// Drops the request of a message that its sender deleted.
    fn taken_back(&self, target: i64) {
        self.waiting.take_back(target);
        for talk in [&self.owner, &self.group] {
            let mut last = talk.last();
            if last.names.has(target) {
                last.question = None;
                drop(last);
                talk.session.drop_question();
            }
        }
    }

    /// Whether a thumb up was put to an alarm; that one is silent then.
    async fn is_alarm_seen(&self, thread: SignalThread, target: i64) -> bool {
        let letter = self.parts.outbox.sent_as(CarrierName::Signal, MessageStamp(target)).await;
        let letter = letter.inspect_err(|error| tracing::warn!(%error, "what was approved is not known"));
        let Ok(Some(SentLetter { urgency: Urgency::Critical, key: Some(key), .. })) = letter else {
            return false;
        };
        if self.parts.engine.alarm_was_seen(&key).await {
            let told = self.parts.engine.language().sentences().alert.acknowledged.clone();
            self.post_in_time(thread, told, Some(format!("seen/{target}"))).await;
        }
        true
    }
}
