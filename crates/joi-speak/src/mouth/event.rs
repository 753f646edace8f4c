//! Reports of the voice thread and of the reporting task, and how the thread sends them.

use std::time::Instant;

use tokio::sync::mpsc;

use super::spoken_line::SpokenLine;
use joi_audio::DeviceFault;
use joi_base::message::TurnId;

/// A report about a line or a turn, or about the voice and the speaker.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeakEvent {
    /// Playback of the turn's first sound starts.
    Started {
        /// The turn.
        turn: TurnId,
        /// When the device took it, or the silence in front of it.
        taken: Instant,
        /// When it is heard: its first 10 ms that are not silent.
        at: Instant,
    },
    /// Playback of a line's first sample starts.
    Saying {
        /// The turn.
        turn: TurnId,
        /// The line as it is spoken: numbers and units in words, no markdown.
        spoken: String,
        /// The moment.
        at: Instant,
    },
    /// A line was played to its end (a line without speakable text counts when it would have been played).
    Heard {
        /// The line.
        line: SpokenLine,
        /// When its last sample was played.
        at: Instant,
    },
    /// The turn was finished by [`Mouth::finish`](super::Mouth::finish) and its last sample was played.
    Done {
        /// The turn.
        turn: TurnId,
        /// The moment.
        at: Instant,
    },
    /// A line could not be spoken; the next ones are tried.
    Failed {
        /// The turn.
        turn: TurnId,
        /// One sentence with the remedy.
        error: String,
    },
    /// The voice could not be loaded, for good. One sentence with the remedy.
    Voiceless(String),
    /// The speaker is missing from here on; reported once, retried in the background.
    Mute(DeviceFault),
    /// This device plays: reported at the first start and after every [`SpeakEvent::Mute`].
    Audible {
        /// The device's name as the sound system gives it.
        device: String,
    },
}

/// The turn was stopped, or speech output is closed: send nothing more for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the turn was stopped; nothing more is said for it")]
pub struct Stopped;

/// Sends events from the voice thread. Fails only when the receiver was dropped.
pub(super) fn send(due: Vec<SpeakEvent>, events: &mpsc::Sender<SpeakEvent>) {
    for event in due {
        let _ = events.blocking_send(event);
    }
}
