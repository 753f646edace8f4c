//! What the events of a satellite mean for the room's conversation, and what the satellite is to know of that.
//!
//! In: events of the satellite, [`RoomSignal`]s of the conversation. Out: [`RoomAct`]s. A satellite that has heard the phrase
//! itself sends sound until it gets a transcript; one that always sends, or sends when somebody speaks, is searched for the
//! phrase here, and may be followed up without it. Sound that no pipeline was asked for is dropped.
//! Pure: no I/O, no clock.

use serde_json::{Value, json};

use joi_base::message::{Activity, Private};

use crate::sound::{FormatError, PcmFormat, SoundIntake};
use crate::wire::{WireData, WireEvent};

/// Longest name of a wake phrase that is believed.
const LONGEST_PHRASE: usize = 60;

/// What happens in the conversation of the room.
#[derive(Debug, Clone, PartialEq)]
pub enum RoomSignal {
    /// The wake phrase was recognised, here or by the satellite.
    Woke(String),
    /// Somebody has begun to speak.
    Begins,
    /// This was understood.
    Understood(Private<String>),
    /// The next words of the answer.
    Words(Private<String>),
    /// The conversation rests until the next wake phrase.
    Rests,
    /// The activity from here on.
    Activity(Activity),
}

/// The action that follows.
#[derive(Debug, PartialEq)]
pub(crate) enum RoomAct {
    /// Send this to the satellite.
    Send(WireEvent),
    /// Somebody said this phrase there.
    Called(String),
    /// Sound of the room, at 16 kHz.
    Sound(Vec<f32>),
    /// No sound comes for now.
    Ended,
    /// The satellite has played everything.
    Played,
    /// The satellite answers pings.
    Alive,
}

/// Who looks for the wake phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waker {
    Satellite,
    Joi,
}

/// A request that the satellite waits for the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Request {
    Nothing,
    /// The satellite has called, and the conversation does not know yet.
    Called,
    Open,
}

/// The state of one connection.
pub(crate) struct RoomTalk {
    waker: Waker,
    request: Request,
    /// Sound is taken.
    flows: bool,
    is_muted: bool,
    /// The phrase that the satellite named last.
    phrase: Option<String>,
    /// For a satellite that names none.
    usual_phrase: String,
    /// Of the stream that comes; each chunk of a satellite has one of its own.
    intake: SoundIntake,
    is_speaking: bool,
    /// Words of the answer that were not shown yet.
    words: String,
}

impl RoomTalk {
    pub(crate) fn new(usual_phrase: &str) -> Self {
        Self {
            waker: Waker::Joi,
            request: Request::Nothing,
            flows: false,
            is_muted: false,
            phrase: None,
            usual_phrase: usual_phrase.to_owned(),
            intake: SoundIntake::default(),
            is_speaking: false,
            words: String::new(),
        }
    }

    /// The microphone is switched off, or on; returns what is sent about it. The satellite starts with the first call.
    pub(crate) fn run(&mut self, is_muted: bool) -> RoomAct {
        self.is_muted = is_muted;
        self.flows = false;
        send(if is_muted { "pause-satellite" } else { "run-satellite" }, json!({}))
    }

    /// Returns what follows from an event of the satellite.
    ///
    /// # Errors
    /// Its sound cannot be used.
    pub(crate) fn event(&mut self, event: WireEvent) -> Result<Vec<RoomAct>, FormatError> {
        let WireEvent { kind, data, payload } = event;
        Ok(match kind.as_str() {
            "ping" => vec![send("pong", json!({ "text": data.get("text") }))],
            "pong" => vec![RoomAct::Alive],
            "detection" => {
                self.phrase = text_of(&data, "name");
                vec![]
            }
            "run-pipeline" => self.pipeline(&data),
            "audio-chunk" if self.flows && !self.is_muted => {
                let samples = self.intake.push(PcmFormat::of_chunk(&data), &payload)?;
                if samples.is_empty() { vec![] } else { vec![RoomAct::Sound(samples)] }
            }
            "audio-stop" | "streaming-stopped" if self.flows => self.stops_flowing(),
            "played" => vec![RoomAct::Played],
            // Whatever else there is concerns somebody else.
            _ => vec![],
        })
    }

    /// The satellite asks for a pipeline: it sends sound from here on.
    fn pipeline(&mut self, data: &WireData) -> Vec<RoomAct> {
        if self.is_muted {
            return vec![];
        }
        let stage = data.get("start_stage").and_then(Value::as_str).unwrap_or_default();
        match stage {
            "wake" => {
                (self.waker, self.flows) = (Waker::Joi, true);
                vec![send("detect", json!({ "names": null }))]
            }
            "asr" => {
                (self.waker, self.flows, self.request) = (Waker::Satellite, true, Request::Called);
                let named = self.phrase.take();
                let named = named.or_else(|| text_of(data, "wake_word_name"));
                vec![RoomAct::Called(named.unwrap_or_else(|| self.usual_phrase.clone()))]
            }
            // A text to be said or answered comes from whoever has the right to, not from a satellite.
            _ => vec![],
        }
    }

    /// Returns what follows from what the conversation does.
    pub(crate) fn signal(&mut self, signal: RoomSignal) -> Vec<RoomAct> {
        match signal {
            RoomSignal::Woke(phrase) => self.woke(&phrase),
            RoomSignal::Begins => {
                let is_new = !std::mem::replace(&mut self.is_speaking, true);
                if is_new { vec![send("voice-started", json!({ "timestamp": null }))] } else { vec![] }
            }
            RoomSignal::Understood(text) => self.transcribed(&text.0),
            RoomSignal::Words(words) => {
                self.words.push_str(&words.0);
                vec![]
            }
            // Nothing was understood: an empty transcript ends the request in every version of the satellites.
            RoomSignal::Rests if self.request == Request::Open => self.transcribed(""),
            RoomSignal::Rests => vec![],
            RoomSignal::Activity(activity) => self.activity(activity),
        }
    }

    fn woke(&mut self, phrase: &str) -> Vec<RoomAct> {
        let is_known = self.request == Request::Called;
        self.request = Request::Open;
        self.is_speaking = false;
        let mut acts = Vec::new();
        if !is_known {
            let name = crate::offer::wire_name(phrase);
            acts.push(send("detection", json!({ "name": name, "timestamp": null })));
        }
        acts.push(send("transcribe", json!({})));
        acts
    }

    fn transcribed(&mut self, text: &str) -> Vec<RoomAct> {
        let mut acts = self.voice_stops();
        acts.push(send("transcript", json!({ "text": text })));
        self.request = Request::Nothing;
        // It stops by itself, and what is on its way is not meant any more.
        if self.waker == Waker::Satellite && self.flows {
            acts.extend(self.stops_flowing());
        }
        acts
    }

    fn stops_flowing(&mut self) -> Vec<RoomAct> {
        self.flows = false;
        let rest = self.intake.finish();
        let rest = (!rest.is_empty()).then_some(RoomAct::Sound(rest));
        rest.into_iter().chain([RoomAct::Ended]).collect()
    }

    fn voice_stops(&mut self) -> Vec<RoomAct> {
        let has_stopped = std::mem::take(&mut self.is_speaking);
        if has_stopped { vec![send("voice-stopped", json!({ "timestamp": null }))] } else { vec![] }
    }

    /// Sound for the satellite begins; returns the words of it that are known by now.
    pub(crate) fn sounds(&mut self) -> Option<WireEvent> {
        let text = std::mem::take(&mut self.words);
        let text = text.trim();
        (!text.is_empty()).then(|| WireEvent::new("synthesize", json!({ "text": text })))
    }

    fn activity(&mut self, activity: Activity) -> Vec<RoomAct> {
        match activity {
            Activity::Thinking => {
                self.words.clear();
                self.voice_stops()
            }
            _ => vec![],
        }
    }
}

fn send(kind: &str, data: Value) -> RoomAct {
    RoomAct::Send(WireEvent::new(kind, data))
}

/// Returns a phrase as it is said: satellites call theirs "hey_jarvis_v0.1".
fn text_of(data: &WireData, key: &str) -> Option<String> {
    let name = data.get(key).and_then(Value::as_str)?.trim();
    let (name, version) = name.rsplit_once("_v").unwrap_or((name, ""));
    let is_version = version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let name = if is_version { name.to_owned() } else { format!("{name}_v{version}") };
    let phrase: String = name.replace('_', " ").chars().take(LONGEST_PHRASE).collect();
    (!phrase.is_empty()).then_some(phrase)
}
