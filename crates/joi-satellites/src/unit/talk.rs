//! What a satellite sends, and what it does with what it is sent.
//!
//! In: events of the server, what the ears hear. Out: [`UnitAct`]s. Sound leaves the machine only while the server has made the
//! satellite run, and, where the phrase is listened for here, only from the phrase to the transcript.
//! Pure: no I/O, no clock.

use serde_json::{Value, json};

use crate::sound::{FormatError, PcmFormat, SoundIntake, pcm_of};
use crate::wire::WireEvent;

/// When sound is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitMode {
    /// After the wake phrase, until the server has understood.
    OnPhrase,
    /// All the time: the server listens for the phrase, and may be followed up without it.
    Always,
}

/// The action that follows.
#[derive(Debug, PartialEq)]
pub(crate) enum UnitAct {
    /// Send this to the server.
    Send(WireEvent),
    /// Play these samples, at 16 kHz.
    Play(Vec<f32>),
    /// The sound that is played is whole.
    PlayedOut,
    /// The sound is not to be played to its end.
    Silence,
    /// Acknowledge the phrase.
    Tone,
}

/// The state of the connection to the server.
pub(crate) struct UnitTalk {
    mode: UnitMode,
    runs: bool,
    streams: bool,
    plays: bool,
    intake: SoundIntake,
}

impl UnitTalk {
    pub(crate) fn new(mode: UnitMode) -> Self {
        Self { mode, runs: false, streams: false, plays: false, intake: SoundIntake::default() }
    }

    /// Returns whether sound of the room is to be sent.
    pub(crate) fn streams(&self) -> bool {
        self.streams
    }

    /// Returns what follows from an event of the server.
    ///
    /// # Errors
    /// Its sound cannot be played.
    pub(crate) fn event(&mut self, event: WireEvent) -> Result<Vec<UnitAct>, FormatError> {
        let WireEvent { kind, data, payload } = event;
        Ok(match kind.as_str() {
            "ping" => vec![send("pong", json!({ "text": data.get("text") }))],
            "run-satellite" => self.run(),
            "pause-satellite" => {
                (self.runs, self.streams) = (false, false);
                vec![]
            }
            "transcript" | "error" if self.mode == UnitMode::OnPhrase => {
                self.streams = false;
                vec![]
            }
            "detection" if self.mode == UnitMode::Always => vec![UnitAct::Tone],
            "audio-chunk" => {
                self.plays = true;
                let samples = self.intake.push(PcmFormat::of_chunk(&data), &payload)?;
                if samples.is_empty() { vec![] } else { vec![UnitAct::Play(samples)] }
            }
            "audio-stop" if std::mem::take(&mut self.plays) => {
                let rest = self.intake.finish();
                match data.get("flush").and_then(Value::as_bool) {
                    Some(true) => vec![UnitAct::Silence],
                    _ => vec![UnitAct::Play(rest), UnitAct::PlayedOut],
                }
            }
            // A sound without any is over at once.
            "audio-stop" => vec![send("played", json!({}))],
            _ => vec![],
        })
    }

    fn run(&mut self) -> Vec<UnitAct> {
        self.runs = true;
        self.streams = self.mode == UnitMode::Always;
        if self.streams { vec![pipeline("wake", None)] } else { vec![] }
    }

    /// The phrase was said.
    pub(crate) fn woke(&mut self, phrase: &str) -> Vec<UnitAct> {
        if !self.runs || self.mode == UnitMode::Always {
            return vec![];
        }
        self.streams = true;
        let name = crate::offer::wire_name(phrase);
        let detection = send("detection", json!({ "name": name, "timestamp": null }));
        vec![detection, pipeline("asr", Some(&name)), UnitAct::Tone]
    }

    /// Sound of the room, at 16 kHz.
    pub(crate) fn heard(&self, samples: &[f32]) -> Option<WireEvent> {
        let data = json!({ "rate": joi_audio::RATE, "width": 2, "channels": 1, "timestamp": null });
        self.streams.then(|| WireEvent::new("audio-chunk", data).with_payload(pcm_of(samples)))
    }

    /// Everything was played.
    pub(crate) fn played(&self) -> WireEvent {
        WireEvent::new("played", json!({}))
    }
}

fn send(kind: &str, data: Value) -> UnitAct {
    UnitAct::Send(WireEvent::new(kind, data))
}

fn pipeline(start: &str, phrase: Option<&str>) -> UnitAct {
    let data = json!({
        "start_stage": start, "end_stage": "tts", "restart_on_end": start == "wake", "wake_word_name": phrase,
    });
    send("run-pipeline", data)
}
