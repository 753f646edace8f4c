//! What happens in the conversation, for whoever shows it.
//!
//! Plain data. Nothing here decides or does anything.

use joi_base::message::{Activity, Private};
use joi_base::trace::TurnRecord;

/// What happens, for whoever shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The wake phrase was recognised.
    Woke(String),
    /// Somebody asked to be listened to without the wake phrase.
    Asked,
    /// The user has begun to speak.
    Begins,
    /// This was understood.
    Understood(Private<String>),
    /// The next words of the answer.
    Words(Private<String>),
    /// A turn is over and was recorded.
    Turn(Box<TurnRecord>),
    /// Something was heard that is not answered; the record holds the reason.
    Dismissed(Box<TurnRecord>),
    /// Joi rests until the next wake phrase, for this reason.
    Rests(&'static str),
    /// This rings from here on; its wording.
    Rings(Private<String>),
    /// An announcement; one sentence.
    Told(Private<String>),
    /// Something works again or does not work any more; one sentence.
    Remark(String),
    /// The microphone is missing; one sentence with the remedy.
    Deaf(String),
    /// This microphone delivers.
    Hears(String),
    /// The speaker or the voice is missing; one sentence with the remedy.
    Speechless(String),
    /// This speaker plays.
    Speaks(String),
    /// The activity from here on; sent on each change.
    Activity(Activity),
}
