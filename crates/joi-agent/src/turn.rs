//! Input and output of a turn.
//!
//! Plain data, any thread. Nothing here decides or does anything.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Zoned;

use joi_base::message::{Channel, ConversationId, Origin, Place, Private, TurnId};
use joi_base::trace::{Decision, ModelUse, ToolUse};
use joi_language::{Language, LanguageCode};
use joi_store::ExchangeId;
use joi_understand::intents::VolumeChange;

/// An utterance, heard or typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInput {
    /// Which turn.
    pub id: TurnId,
    /// The words, without the wake phrase, not yet redacted.
    pub text: Private<String>,
    /// Their language, where that is known: it was heard.
    pub language: Option<LanguageCode>,
    /// The recogniser was not sure of the words, or they are not its own: they are no yes to what is risky.
    pub is_unsure: bool,
}

impl TurnInput {
    /// Returns whose words they are: what was heard was spoken, also where it came as a message.
    pub(crate) fn origin(&self, channel: Channel) -> Origin {
        if self.language.is_some() { Origin::Speech } else { Origin::of_user(channel) }
    }
}

/// Events of a turn, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyEvent {
    /// The next words of the answer: show them, speak them. Together they are the answer.
    Text(String),
    /// A sentence to say at once that does not belong to the answer ("one moment…").
    Aside(String),
    /// Behind the answer, and no part of it: the question whether it is to go on.
    Offer(String),
    /// Do this now.
    Act(Action),
    /// A written notice to the owner; not to be spoken.
    Notice(String),
    /// The model's first word came.
    FirstToken(Instant),
    /// Something was decided; for the trace.
    Decided(Decision),
    /// A model call is over; for the trace.
    Used(ModelUse),
    /// A tool was called, or was not; for the trace.
    Called(ToolUse),
}

/// An action for the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Be silent at once.
    StopSpeaking,
    /// Change the volume.
    Volume(VolumeChange),
    /// The user wants nothing more: don't listen for a follow-up.
    EndConversation,
}

/// The outcome of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyOutcome {
    /// The utterance, heard or typed, redacted: this, never the input, goes into records.
    pub heard: Private<String>,
    /// The answer, as far as it went out.
    pub text: Private<String>,
    /// The kind of its ending.
    pub ended: Ended,
    /// Whether more may be said.
    pub conversation: ConversationStatus,
    /// The stored exchange; see `Engine::heard_only`.
    pub exchange: Option<ExchangeId>,
}

/// Whether the user may want to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationStatus {
    /// The user may.
    GoesOn,
    /// The user wants nothing more.
    IsOver,
    /// The user was asked for a yes, which counts for that long; silence means no.
    Awaits(Duration),
    /// The user was asked whether the answer is to go on; silence means no.
    Offered,
}

/// The ways a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The model answered.
    Answered,
    /// No model was needed.
    Quick,
    /// No complete answer was found, and joi said so.
    Apologised,
    /// The turn was cancelled, or nobody listened any more.
    Cancelled,
}

/// One turn behind the redaction.
pub(crate) struct Turn<'a> {
    /// The channel of the request.
    pub(crate) channel: Channel,
    /// Whose words they are.
    pub(crate) origin: Origin,
    /// When.
    pub(crate) now: Zoned,
    /// The words, redacted.
    pub(crate) asked: &'a str,
    /// The words beside them that ask for nothing, with them: "the rice is done, stop the timer".
    pub(crate) beside: &'a str,
    /// The recogniser was not sure of them.
    pub(crate) is_unsure: bool,
    /// Somebody is quoted in them at length, or they were pasted: they are a stranger's as a whole.
    pub(crate) is_quoting: bool,
    /// Another request of the same words comes behind it: nothing is offered before that is done.
    pub(crate) is_followed: bool,
    /// In which it is understood and answered.
    pub(crate) language: Arc<Language>,
    /// The room in which it was spoken.
    pub(crate) place: Option<&'a Place>,
}

impl<'a> Turn<'a> {
    /// One in which the user asks `asked` in this conversation.
    pub(crate) fn of(
        conversation: &'a ConversationId,
        asked: &'a str,
        now: Zoned,
        language: Arc<Language>,
    ) -> Self {
        let channel = conversation.channel;
        Self {
            channel,
            origin: Origin::of_user(channel),
            now,
            asked,
            beside: asked,
            is_unsure: false,
            is_quoting: false,
            is_followed: false,
            language,
            place: (channel == Channel::Voice).then_some(&conversation.place),
        }
    }
}

/// Whether an exchange belongs to the dialogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It belongs to the dialogue.
    Yes,
    /// It is left out.
    No,
}
