//! Models, voices and phrases that are served, and how they are described to clients.
//!
//! In: their names. Out: the event `info`, which is made once: a client waits for it for a second.
//! Pure: no I/O, no clock.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use joi_language::Language;
use joi_speak::SpeakableReader;

use super::wire::WireEvent;

/// Everything that is served.
#[derive(Debug, Clone, Default)]
pub struct WyomingOffer {
    /// Speech to text; nothing where it is not served.
    pub hearing: Option<HearingOffer>,
    /// Text to speech, the first voice for whoever names none.
    pub voices: Vec<VoiceOffer>,
    /// Wake phrases by their written forms, such as "hey jarvis".
    pub phrases: Vec<String>,
    /// Codes of the languages of the wake phrases and of the conversation.
    pub languages: Vec<String>,
    /// Whether words are answered.
    pub converses: bool,
}

/// Speech to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HearingOffer {
    /// The name of the model.
    pub model: String,
    /// Codes of the languages that are recognised.
    pub languages: Vec<String>,
}

/// A voice.
#[derive(Clone)]
pub struct VoiceOffer {
    /// Its name.
    pub name: String,
    pub(crate) language: Arc<Language>,
    pub(crate) reader: SpeakableReader,
}

impl fmt::Debug for VoiceOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VoiceOffer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl VoiceOffer {
    /// A voice for texts in `language`.
    pub fn new(name: String, language: Arc<Language>) -> Self {
        let reader = SpeakableReader::new(&language);
        Self { name, language, reader }
    }
}

/// Where the project is described.
const PROJECT: &str = env!("CARGO_PKG_REPOSITORY");

impl WyomingOffer {
    /// Returns the event `info`.
    pub(crate) fn info(&self) -> WireEvent {
        let hearing = self.hearing.iter().map(|it| it.program()).collect::<Vec<_>>();
        let speaking = if self.voices.is_empty() { vec![] } else { vec![self.speaking()] };
        let wake = if self.phrases.is_empty() { vec![] } else { vec![self.wake()] };
        let handle = if self.converses { vec![self.conversation()] } else { vec![] };
        WireEvent::new(
            "info",
            json!({ "asr": hearing, "tts": speaking, "wake": wake, "handle": handle, "intent": [], "mic": [], "snd": [] }),
        )
    }

    /// Returns the written form of the phrase that a client calls `name`.
    pub(crate) fn phrase(&self, name: &str) -> Option<&str> {
        self.phrases.iter().find(|phrase| wire_name(phrase) == name).map(String::as_str)
    }

    fn speaking(&self) -> Value {
        let voice = |voice: &VoiceOffer| {
            artifact(
                &voice.name,
                &voice.name,
                [("languages", json!([voice.language.code()])), ("speakers", Value::Null)],
            )
        };
        let voices: Vec<Value> = self.voices.iter().map(voice).collect();
        program("Text to speech", [("voices", voices.into()), ("supports_synthesize_streaming", true.into())])
    }

    fn wake(&self) -> Value {
        let model = |phrase: &String| {
            artifact(
                &wire_name(phrase),
                phrase,
                [("languages", json!(self.languages)), ("phrase", json!(phrase))],
            )
        };
        let models: Vec<Value> = self.phrases.iter().map(model).collect();
        program("Wake phrases", [("models", models.into())])
    }

    fn conversation(&self) -> Value {
        let model = artifact("joi", "Conversation", [("languages", json!(self.languages))]);
        let abilities =
            [("supports_handled_streaming", false.into()), ("supports_home_control", false.into())];
        program("Conversation", [("models", json!([model]))].into_iter().chain(abilities))
    }
}

impl HearingOffer {
    fn program(&self) -> Value {
        let mut model = artifact(&self.model, "Whisper", [("languages", json!(self.languages))]);
        model["attribution"] = json!({ "name": "OpenAI", "url": "https://github.com/openai/whisper" });
        program(
            "Speech to text",
            [
                ("models", json!([model])),
                ("supports_transcript_streaming", true.into()),
                // The client says when the speaker is done.
                ("requires_external_vad", true.into()),
            ],
        )
    }
}

/// Returns the name of a wake phrase in events.
pub(crate) fn wire_name(phrase: &str) -> String {
    phrase.to_lowercase().split_whitespace().collect::<Vec<_>>().join("_")
}

fn program(description: &str, fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    artifact("joi", description, fields)
}

fn artifact(name: &str, description: &str, fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut all = json!({
        "name": name, "attribution": { "name": "Joi", "url": PROJECT }, "installed": true,
        "description": description, "version": env!("CARGO_PKG_VERSION"),
    });
    for (key, value) in fields {
        all[key] = value;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_are_there_with_the_fields_that_clients_insist_on() {
        let offer = WyomingOffer {
            hearing: Some(HearingOffer { model: "whisper-base".into(), languages: vec!["en".into()] }),
            voices: vec![VoiceOffer::new("joe".into(), Arc::new(Language::load("en").unwrap()))],
            phrases: vec!["Hey Joi".into()],
            languages: vec!["en".into()],
            converses: true,
        };
        let info = Value::from(offer.info().data);
        let lists = ["asr", "tts", "wake", "handle", "intent", "mic", "snd"];
        let lengths = lists.map(|list| info[list].as_array().map_or(9, Vec::len));
        assert_eq!(lengths, [1, 1, 1, 1, 0, 0, 0]);
        assert_eq!(info.get("satellite"), None, "Home Assistant would load nothing else");
        for (list, parts) in [("asr", "models"), ("tts", "voices"), ("wake", "models"), ("handle", "models")]
        {
            for artifact in [&info[list][0], &info[list][0][parts][0]] {
                assert!(artifact["name"].is_string() && artifact["installed"] == true, "{artifact}");
                assert!(
                    artifact["attribution"]["name"].is_string() && artifact["attribution"]["url"].is_string()
                );
            }
            assert!(info[list][0][parts][0]["languages"].is_array());
        }
        assert_eq!(info["wake"][0]["models"][0]["name"], "hey_joi");
        assert_eq!((offer.phrase("hey_joi"), offer.phrase("hey joi")), (Some("Hey Joi"), None));
        let nothing = Value::from(WyomingOffer::default().info().data);
        assert!(lists.iter().all(|list| nothing[list] == json!([])));
    }
}
