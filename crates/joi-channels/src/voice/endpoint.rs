//! A place where people talk with joi: its microphone, its loudspeaker and its conversation.
//!
//! Plain parts, made by whoever wires the program and given to a conversation. Several endpoints stand beside one another
//! in one process: each has its own devices and threads, and all share the engine.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use tokio::sync::mpsc::Receiver;

use super::hearing_rules::HearingRules;
use joi_agent::Session;
use joi_audio::{EchoMeter, Player, RingSound};
use joi_base::message::{ConversationId, Place};
use joi_hear::whisper::{Stt, SttEvent};
use joi_hear::{Delivery, HearCommand};
use joi_speak::{Mouth, SpeakEvent};

/// A place with a microphone and a loudspeaker.
pub struct VoiceEndpoint {
    /// The room it stands in.
    pub place: Place,
    /// The hearing side.
    pub input: EndpointInput,
    /// The speaking side.
    pub output: EndpointOutput,
    /// How it is connected.
    pub reach: Reach,
    /// The conversation that is held there.
    pub(super) session: Arc<Session>,
}

/// How an endpoint is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// By devices of this machine: a lost microphone is announced.
    ThisMachine,
    /// Over the network: whoever holds the connection reports its loss.
    Network,
}

impl VoiceEndpoint {
    /// The endpoint at `place`.
    pub fn new((place, reach): (Place, Reach), input: EndpointInput, output: EndpointOutput) -> Self {
        let session = Arc::new(Session::new(ConversationId::voice(place.name())));
        Self { place, input, output, reach, session }
    }
}

/// The listener and both transcribers of an endpoint.
pub struct EndpointInput {
    /// Commands to the listener.
    pub commands: SyncSender<HearCommand>,
    /// Events of the listener.
    pub deliveries: Receiver<Delivery>,
    /// Transcribes what is said to joi, with its results.
    pub stt: (Stt, Receiver<SttEvent>),
    /// Transcribes what is said during playback, with its results: a thread of its own, so that "stop" waits for
    /// nothing.
    pub interjections: (Stt, Receiver<SttEvent>),
    /// The rules that decide whether something was said to joi.
    pub to_her: HearingRules,
}

/// The loudspeaker of an endpoint and the voice in front of it.
pub struct EndpointOutput {
    /// Plays tones.
    pub player: Player,
    /// Speaks, and its reports. Without a voice the answer is shown only.
    pub mouth: Option<(Mouth, Receiver<SpeakEvent>)>,
    /// How well playback is removed from the microphone's signal; `None` without echo cancellation.
    pub echo: Option<EchoMeter>,
    /// Whether tones are played.
    pub tones: Tones,
    /// The sound of timers and alarms.
    pub ring: RingSound,
}

/// The choice whether the wake word and errors are acknowledged by a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tones {
    /// Tones are played.
    On,
    /// No tone is played.
    Off,
}
