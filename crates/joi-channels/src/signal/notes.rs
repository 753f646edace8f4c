//! Voice messages of the owner: fetched from the daemon, made into words by whoever can listen.
//!
//! Part of the conversation's task; listening is done elsewhere. In: an attachment. Out: its words with their language, or
//! why there are none, which is one sentence. Its bytes are foreign: nobody but the listener looks into them. Only the
//! owner's messages get here.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;

use super::SignalConversation;
use joi_agent::model::ChatModel;
use joi_base::message::Private;
use joi_language::{Language, LanguageCode, fill, times};
use joi_messages::signal::attachment;
use joi_messages::signal::envelope::IncomingFile;
use joi_messages::signal::gate::SignalThread;

/// The longest voice message that is listened to.
pub const LONGEST: Duration = Duration::from_secs(120);
/// Bytes of the largest: two minutes of the best sound that phones record.
pub const LARGEST: u64 = 4_000_000;
/// The daemon may have to fetch it first.
const FETCH: Duration = Duration::from_secs(60);

/// Words that were heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardNote {
    /// They.
    pub text: Private<String>,
    /// Their language.
    pub language: LanguageCode,
}

/// Why there are no words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteFault {
    /// Nobody here can decode that kind of sound.
    #[error("a kind of sound that can't be decoded")]
    UnknownKind,
    /// It is too long or too large.
    #[error("too long")]
    TooLong,
    /// No words can be made out.
    #[error("no words in it")]
    Unclear,
    /// It could not be fetched, or nobody can listen now.
    #[error("{0}")]
    NotHeard(String),
}

/// Makes words of a voice message.
pub trait NoteListener: Send + Sync {
    /// Listens to the bytes of a file.
    fn listen(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<HeardNote, NoteFault>>;
}

/// Returns the answer to a voice message without words.
pub(super) fn fault_sentence(fault: &NoteFault, language: &Language) -> String {
    let words = &language.sentences().messages;
    match fault {
        NoteFault::UnknownKind => words.note_unknown.clone(),
        NoteFault::TooLong => {
            fill(&words.note_too_long, &[("length", &times::length(LONGEST.as_secs(), language))])
        }
        NoteFault::Unclear => words.note_unclear.clone(),
        NoteFault::NotHeard(_) => words.note_unheard.clone(),
    }
}

impl<M: ChatModel> SignalConversation<M> {
    /// The words of a voice message.
    pub(super) async fn listen(
        &self,
        thread: SignalThread,
        file: IncomingFile,
    ) -> Result<(Private<String>, Option<LanguageCode>), NoteFault> {
        let heard = self.heard(thread, file).await;
        let heard =
            heard.inspect_err(|fault| tracing::warn!(%fault, "a voice message was not understood"))?;
        Ok((heard.text, Some(heard.language)))
    }

    async fn heard(&self, thread: SignalThread, file: IncomingFile) -> Result<HeardNote, NoteFault> {
        if file.size.is_some_and(|size| size > LARGEST) {
            return Err(NoteFault::TooLong);
        }
        let params = match thread {
            SignalThread::Owner => json!({ "id": file.id, "recipient": self.parts.config.owner_uuid() }),
            SignalThread::Group => json!({ "id": file.id, "groupId": self.parts.config.group }),
        };
        let answer = self.parts.link.ask("getAttachment", params, FETCH).await;
        let answer = answer.map_err(|fault| NoteFault::NotHeard(fault.to_string()))?;
        let no_file = || NoteFault::NotHeard("the daemon sends no attachment".to_owned());
        let bytes = attachment::bytes(&answer).ok_or_else(no_file)?;
        if bytes.len() as u64 > LARGEST {
            return Err(NoteFault::TooLong);
        }
        self.parts.notes.listen(bytes).await
    }
}
