//! The sound that a client sends: transcribed, or searched for wake phrases.
//!
//! Part of the task of a connection. In: chunks of any format. Out: the words as they become certain, then all of them; or
//! the wake phrases. Sound to be transcribed has a limit, sound in which a phrase is looked for has none.

use serde_json::json;

use joi_audio::RATE;

use super::{TalkError, WyomingTalk};
use crate::ears::{EarReply, EarStream, EarTask};
use crate::offer::wire_name;
use crate::request::AudioPiece;
use crate::sound::{FormatError, PcmFormat, SoundIntake};

/// Longest sound of one transcription, in seconds.
const MOST_SECONDS: usize = 60;

/// A stream of sound.
pub(super) struct SatelliteHearing {
    stream: EarStream,
    intake: SoundIntake,
    is_transcribed: bool,
    /// Samples so far.
    taken: usize,
    is_finished: bool,
    /// The words so far.
    text: String,
    /// An event of the transcript was sent, or a phrase detected.
    has_begun: bool,
}

impl SatelliteHearing {
    /// Returns whether the client has sent all of it.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Waits for the next reply. Cancel-safe.
    pub(super) async fn reply(&mut self) -> Option<EarReply> {
        self.stream.reply().await
    }
}

impl From<FormatError> for TalkError {
    fn from(error: FormatError) -> Self {
        Self::refused("invalid", error)
    }
}

impl WyomingTalk<'_> {
    /// The sound that follows is for `purpose`; what was begun for another one is given up.
    pub(super) fn purpose_is(&mut self, purpose: EarTask) {
        self.hearing = None;
        self.purpose = purpose;
    }

    pub(super) fn detect(&mut self, names: &[String]) -> Result<(), TalkError> {
        let offer = &self.server.parts.offer;
        let phrase = |name: &String| {
            offer.phrase(name).map(str::to_owned).ok_or_else(|| {
                let known: Vec<String> = offer.phrases.iter().map(|phrase| wire_name(phrase)).collect();
                TalkError::refused(
                    "invalid",
                    format!("\"names\" has {name:?}; allowed: {}", known.join(", ")),
                )
            })
        };
        let phrases: Vec<String> = match names {
            [] => offer.phrases.clone(),
            names => names.iter().map(phrase).collect::<Result<_, _>>()?,
        };
        if phrases.is_empty() {
            return Err(TalkError::refused("unavailable", "no wake phrase is listened for here"));
        }
        self.purpose_is(EarTask::Detect(phrases));
        Ok(())
    }

    pub(super) async fn audio_start(&mut self, format: PcmFormat) -> Result<(), TalkError> {
        format.checked()?;
        self.open().await.map(|_| ())
    }

    pub(super) async fn audio_chunk(&mut self, piece: AudioPiece) -> Result<(), TalkError> {
        let AudioPiece { format, timestamp, pcm } = piece;
        let hearing = self.open().await?;
        let samples = hearing.intake.push(format, &pcm)?;
        hearing.taken += samples.len();
        if hearing.is_transcribed && hearing.taken > MOST_SECONDS * RATE as usize {
            let why = format!("the sound is longer than {MOST_SECONDS} s; send it in pieces");
            return Err(TalkError::refused("too-large", why));
        }
        hearing.stream.sound(samples, timestamp).await;
        Ok(())
    }

    pub(super) async fn audio_stop(&mut self) {
        let Some(hearing) = &mut self.hearing else {
            // There was no sound at all.
            match self.purpose {
                EarTask::Transcribe => self.transcribed(String::new(), None),
                EarTask::Detect(_) => self.send("not-detected", json!({})),
            }
            return;
        };
        let rest = hearing.intake.finish();
        hearing.stream.sound(rest, None).await;
        hearing.stream.finish().await;
        hearing.is_finished = true;
    }

    /// Returns the open stream, or opens one.
    async fn open(&mut self) -> Result<&mut SatelliteHearing, TalkError> {
        if self.hearing.is_none() {
            self.begins();
            let parts = &self.server.parts;
            let is_transcribed = self.purpose == EarTask::Transcribe;
            let is_offered = !is_transcribed || parts.offer.hearing.is_some();
            let Some(ears) = parts.ears.as_ref().filter(|_| is_offered) else {
                return Err(TalkError::refused("unavailable", "speech to text is not served here"));
            };
            let stream = ears.open(self.purpose.clone()).await.ok_or_else(ended)?;
            self.hearing = Some(SatelliteHearing {
                stream,
                intake: SoundIntake::default(),
                is_transcribed,
                taken: 0,
                is_finished: false,
                text: String::new(),
                has_begun: false,
            });
        }
        self.hearing.as_mut().ok_or_else(ended)
    }

    /// Takes a reply of the ears.
    pub(super) fn heard(&mut self, reply: Option<EarReply>) -> Result<(), TalkError> {
        let Some(hearing) = &mut self.hearing else { return Ok(()) };
        match reply {
            Some(EarReply::Words(words)) => {
                hearing.text.push_str(&words.0);
                if !std::mem::replace(&mut hearing.has_begun, true) {
                    self.send("transcript-start", json!({}));
                }
                self.send("transcript-chunk", json!({ "text": words.0 }));
            }
            Some(EarReply::Transcribed(language)) => {
                let (text, has_begun) = (std::mem::take(&mut hearing.text), hearing.has_begun);
                self.hearing = None;
                if !has_begun {
                    self.send("transcript-start", json!({}));
                }
                self.end_of_transcript(&text, language);
            }
            Some(EarReply::Detected { phrase, timestamp }) => {
                hearing.has_begun = true;
                self.send("detection", json!({ "name": wire_name(&phrase), "timestamp": timestamp }));
            }
            Some(EarReply::Listened) => {
                let was_detected = hearing.has_begun;
                self.hearing = None;
                if !was_detected {
                    self.send("not-detected", json!({}));
                }
            }
            Some(EarReply::Failed(why)) => return Err(TalkError::refused("failed", why)),
            None => return Err(ended()),
        }
        Ok(())
    }

    /// Sends a whole transcript.
    fn transcribed(&mut self, text: String, language: Option<String>) {
        self.send("transcript-start", json!({}));
        self.end_of_transcript(&text, language);
    }

    /// Sends what ends a transcript: all of its words in one, for clients that read nothing else.
    fn end_of_transcript(&mut self, text: &str, language: Option<String>) {
        let mut data = json!({ "text": text });
        if let Some(language) = language {
            data["language"] = language.into();
        }
        self.send("transcript", data);
        self.send("transcript-stop", json!({}));
    }
}

fn ended() -> TalkError {
    TalkError::refused("unavailable", "speech recognition does not run; `joi status` says why")
}
