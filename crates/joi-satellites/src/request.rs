//! What a client asks for: typed requests from events.
//!
//! In: an event. Out: a [`WyomingRequest`], or which field is missing or wrong. Unknown events and unknown fields are
//! ignored, as the protocol wants it.
//! Pure: no I/O, no clock.

use serde_json::Value;

use super::sound::PcmFormat;
use super::wire::{WireData, WireEvent};

/// One request, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WyomingRequest {
    /// Which programs are served here?
    Describe,
    /// Are you there? The text comes back as it is.
    Ping(Value),
    /// The sound that follows is to be transcribed.
    Transcribe,
    /// Wake phrases are to be looked for in the sound that follows; none named means all.
    Detect(Vec<String>),
    /// Sound begins.
    AudioStart(PcmFormat),
    /// Some of it.
    AudioChunk(AudioPiece),
    /// It is over.
    AudioStop,
    /// Say this text.
    Synthesize { text: String, voice: VoiceWish },
    /// A text follows in pieces.
    SynthesizeStart(VoiceWish),
    /// A piece of it.
    SynthesizeChunk(String),
    /// It is whole.
    SynthesizeStop,
    /// Words for the conversation.
    Handle(String),
    /// Words whose intent is asked for.
    Recognize(WireData),
    /// Nothing that concerns this server.
    Ignored,
}

/// Some sound of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AudioPiece {
    pub(crate) format: PcmFormat,
    /// The client's clock, in milliseconds.
    pub(crate) timestamp: Option<u64>,
    pub(crate) pcm: Vec<u8>,
}

/// The voice that is asked for; nothing in it means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct VoiceWish {
    pub(crate) name: Option<String>,
    pub(crate) language: Option<String>,
}

/// An event without a field that it needs, or with one that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{key}\" of the event \"{kind}\" is {value}; allowed: {allowed}")]
pub(crate) struct RequestError {
    kind: String,
    key: &'static str,
    value: String,
    allowed: &'static str,
}

/// The fields of one event.
struct Fields<'a> {
    kind: &'a str,
    data: &'a WireData,
}

impl Fields<'_> {
    fn refused(&self, key: &'static str, value: Option<&Value>, allowed: &'static str) -> RequestError {
        let value = value.map_or_else(|| "missing".to_owned(), |value| shortened(value.to_string()));
        RequestError { kind: self.kind.to_owned(), key, value, allowed }
    }

    fn given(&self, key: &str) -> Option<&Value> {
        self.data.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &'static str) -> Result<String, RequestError> {
        let value = self.given(key);
        let text = value.and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| self.refused(key, value, "a text"))
    }

    fn number(&self, key: &'static str) -> Result<u32, RequestError> {
        let value = self.given(key);
        let whole = value.and_then(Value::as_f64).filter(|it| it.fract() == 0.0 && *it >= 0.0);
        let number = whole.filter(|it| *it <= f64::from(u32::MAX)).map(|it| it as u32);
        number.ok_or_else(|| self.refused(key, value, "a whole number"))
    }

    fn texts(&self, key: &'static str) -> Result<Vec<String>, RequestError> {
        let Some(value) = self.given(key) else { return Ok(Vec::new()) };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts = value.as_array().and_then(|list| list.iter().map(text).collect());
        texts.ok_or_else(|| self.refused(key, Some(value), "a list of texts"))
    }

    fn format(&self) -> Result<PcmFormat, RequestError> {
        let (rate, width) = (self.number("rate")?, self.number("width")?);
        Ok(PcmFormat { rate, width, channels: self.number("channels")? })
    }

    /// The voice, of a text that is plain.
    fn voice(&self) -> Result<VoiceWish, RequestError> {
        match self.given("text_format") {
            None => {}
            Some(value) if value.as_str() == Some("text") => {}
            other => return Err(self.refused("text_format", other, "\"text\"")),
        }
        let voice = self.given("voice");
        let part =
            |key: &str| voice.and_then(|voice| voice.get(key)).and_then(Value::as_str).map(str::to_owned);
        Ok(VoiceWish { name: part("name"), language: part("language") })
    }
}

/// A value for people, without all of what somebody sent.
fn shortened(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(40) {
        text.truncate(at);
        text.push('…');
    }
    text
}

impl TryFrom<WireEvent> for WyomingRequest {
    type Error = RequestError;

    fn try_from(event: WireEvent) -> Result<Self, RequestError> {
        let WireEvent { kind, data, payload } = event;
        let fields = Fields { kind: &kind, data: &data };
        Ok(match kind.as_str() {
            "describe" => Self::Describe,
            "ping" => Self::Ping(data.get("text").cloned().unwrap_or_default()),
            "transcribe" => Self::Transcribe,
            "detect" => Self::Detect(fields.texts("names")?),
            "audio-start" => Self::AudioStart(fields.format()?),
            "audio-chunk" => {
                let timestamp = fields.given("timestamp").and_then(Value::as_f64);
                let timestamp = timestamp.filter(|it| *it >= 0.0).map(|it| it as u64);
                Self::AudioChunk(AudioPiece { format: fields.format()?, timestamp, pcm: payload })
            }
            "audio-stop" => Self::AudioStop,
            "synthesize" => Self::Synthesize { text: fields.text("text")?, voice: fields.voice()? },
            "synthesize-start" => Self::SynthesizeStart(fields.voice()?),
            "synthesize-chunk" => Self::SynthesizeChunk(fields.text("text")?),
            "synthesize-stop" => Self::SynthesizeStop,
            "transcript" => Self::Handle(fields.text("text")?),
            "recognize" => {
                fields.text("text")?;
                Self::Recognize(data)
            }
            _ => Self::Ignored,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(kind: &str, data: Value) -> Result<WyomingRequest, String> {
        WyomingRequest::try_from(WireEvent::new(kind, data)).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_of_newer_clients_are_ignored_and_missing_ones_are_named() {
        let told =
            json!({ "language": "en", "vad_sensitivity": "any", "transcript_names": ["Ada"], "context": {} });
        assert_eq!(request("transcribe", told), Ok(WyomingRequest::Transcribe));
        assert_eq!(request("select-program", json!({ "name": "joi" })), Ok(WyomingRequest::Ignored));
        assert_eq!(request("run-satellite", json!({})), Ok(WyomingRequest::Ignored));
        assert_eq!(request("detect", json!({ "names": null })), Ok(WyomingRequest::Detect(vec![])));
        let refused = [
            ("synthesize", json!({}), "\"text\" of the event \"synthesize\" is missing; allowed: a text"),
            (
                "synthesize",
                json!({ "text": 7 }),
                "\"text\" of the event \"synthesize\" is 7; allowed: a text",
            ),
            (
                "synthesize",
                json!({ "text": "<speak/>", "text_format": "ssml" }),
                "\"text_format\" of the event \"synthesize\" is \"ssml\"; allowed: \"text\"",
            ),
            (
                "audio-start",
                json!({ "rate": 16_000.5, "width": 2, "channels": 1 }),
                "\"rate\" of the event \"audio-start\" is 16000.5; allowed: a whole number",
            ),
            (
                "detect",
                json!({ "names": "x".repeat(90) }),
                &format!(
                    "\"names\" of the event \"detect\" is \"{}…; allowed: a list of texts",
                    "x".repeat(39)
                ),
            ),
        ];
        for (kind, data, error) in refused {
            assert_eq!(request(kind, data), Err(error.to_owned()));
        }
    }

    #[test]
    fn a_chunk_keeps_its_bytes_and_the_clock_of_its_sender() {
        let data = json!({ "rate": 16_000.0, "width": 2, "channels": 1, "timestamp": 1_500 });
        let event = WireEvent::new("audio-chunk", data).with_payload(vec![1, 2]);
        let format = PcmFormat { rate: 16_000, width: 2, channels: 1 };
        let piece = AudioPiece { format, timestamp: Some(1_500), pcm: vec![1, 2] };
        assert_eq!(WyomingRequest::try_from(event), Ok(WyomingRequest::AudioChunk(piece)));
    }
}
