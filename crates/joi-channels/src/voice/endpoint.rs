//! One place where people talk with Joi: its microphone and loudspeaker, and whose conversation it is.
//!
//! Plain parts, made by whoever wires the program and given to a conversation. Several endpoints stand beside one another
//! in one process: each has its own devices and threads, and all share the engine.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use tokio::sync::mpsc::Receiver;

use super::hearing::HearingRules;
use joi_agent::Session;
use joi_audio::{EchoMeter, Player, RingSound};
use joi_base::message::{ConversationId, Place};
use joi_hear::whisper::{Stt, SttEvent};
use joi_hear::{Delivery, HearCommand};
use joi_speak::{Mouth, SpeakEvent};

/// One place.
pub struct VoiceEndpoint {
    /// The room it stands in.
    pub place: Place,
    /// What is heard there.
    pub input: EndpointInput,
    /// What is said there.
    pub output: EndpointOutput,
    /// The conversation that is held there.
    pub(super) session: Arc<Session>,
}

impl VoiceEndpoint {
    /// The endpoint at `place`.
    pub fn new(place: Place, input: EndpointInput, output: EndpointOutput) -> Self {
        let session = Arc::new(Session::new(ConversationId::voice(place.name())));
        Self { place, input, output, session }
    }
}

/// The listener and both transcribers of an endpoint.
pub struct EndpointInput {
    /// Tells the listener what to do.
    pub commands: SyncSender<HearCommand>,
    /// What the listener hears.
    pub deliveries: Receiver<Delivery>,
    /// Transcribes what is said to her, and its results.
    pub stt: (Stt, Receiver<SttEvent>),
    /// Transcribes what is said while she speaks, and its results: a thread of its own, so that "stop" waits for
    /// nothing.
    pub interjections: (Stt, Receiver<SttEvent>),
    /// What counts as said to her.
    pub to_her: HearingRules,
}

/// The loudspeaker of an endpoint and the voice in front of it.
pub struct EndpointOutput {
    /// Plays tones.
    pub player: Player,
    /// Speaks, and its reports. Without a voice the answer is shown only.
    pub mouth: Option<(Mouth, Receiver<SpeakEvent>)>,
    /// How well her own voice is kept out of the microphone; nothing when it is not.
    pub echo: Option<EchoMeter>,
    /// Whether tones are played.
    pub tones: Tones,
    /// What is played before what a timer says.
    pub ring: RingSound,
}

/// Whether the wake word and errors are acknowledged by a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tones {
    /// They are.
    On,
    /// They are not.
    Off,
}
