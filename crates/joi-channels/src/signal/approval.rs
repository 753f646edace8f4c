//! Takes a thumb up to a question as a yes.
//!
//! Part of the conversation's task. In: the time stamp of the message it is put to. Out: a turn that says yes. To any other
//! message, to an older question and after the question's time it means nothing; what it means to an alarm is in `sorting`.

use tokio_util::sync::CancellationToken;

use super::{LastMessage, MessageNames, SignalConversation, WrittenWords};
use joi_agent::model::ChatModel;
use joi_base::message::Private;
use joi_messages::outbound::{CarrierName, MessageStamp, SentLetter};
use joi_messages::signal::gate::{ApprovalAge, SignalThread};

impl<M: ChatModel> SignalConversation<M> {
    pub(super) async fn approved(
        &self,
        thread: SignalThread,
        (target, age): (i64, ApprovalAge),
        cancel: &CancellationToken,
    ) {
        if age == ApprovalAge::Stale {
            return;
        }
        let letter = self.parts.outbox.sent_as(CarrierName::Signal, MessageStamp(target)).await;
        let letter = letter.inspect_err(|error| tracing::warn!(%error, "what was approved is not known"));
        let Ok(Some(SentLetter { id, .. })) = letter else { return };
        let talk = self.talk(thread);
        let LastMessage { question, is_fleeting, .. } = *talk.last();
        if question == Some(id) && talk.session.awaits_yes(self.parts.clock.now().timestamp()) {
            let text = Private(self.parts.engine.language().sentences().messages.thumb_up.clone());
            let names = &MessageNames::default();
            let yes = WrittenWords { text, language: None, names, is_fleeting };
            self.turn(thread, yes, cancel).await;
        }
    }
}
