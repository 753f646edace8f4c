//! A thumb up: to an alarm it says that it was seen, to a question of hers it says yes.
//!
//! Part of the conversation's task. In: the time stamp of the message it is put to. Out: an acknowledged alarm, or a turn
//! that says yes. To any other message, to an older question and after the question's time it means nothing.

use tokio_util::sync::CancellationToken;

use super::SignalConversation;
use crate::message::Private;
use crate::outbound::{CarrierName, MessageStamp, SentLetter, Urgency};
use crate::reply::model::ChatModel;
use crate::signal::gate::{ApprovalAge, SignalThread};

impl<M: ChatModel> SignalConversation<M> {
    pub(super) async fn approved(
        &self,
        thread: SignalThread,
        (target, age): (i64, ApprovalAge),
        stop: &CancellationToken,
    ) {
        let letter = self.parts.outbox.sent_as(CarrierName::Signal, MessageStamp(target)).await;
        let letter = letter.inspect_err(|error| tracing::warn!(%error, "what was approved is not known"));
        let Ok(Some(SentLetter { id, urgency, key })) = letter else { return };
        let language = self.parts.engine.language();
        match (urgency, key) {
            (Urgency::Critical, Some(key)) => {
                let told = language.sentences().alert.acknowledged.clone();
                let was_ringing = self.parts.engine.alarm_was_seen(&key).await;
                if was_ringing {
                    self.post(thread, told, Some(format!("seen/{target}"))).await;
                }
            }
            (Urgency::Direct, _) if age == ApprovalAge::Fresh => {
                let talk = self.talk(thread);
                let is_asked = *talk.question() == Some(id);
                if is_asked && talk.session.awaits_yes(self.parts.clock.now().timestamp()) {
                    let yes = Private(language.sentences().messages.thumb_up.clone());
                    self.turn(thread, (yes, None), stop).await;
                }
            }
            _ => {}
        }
    }
}
