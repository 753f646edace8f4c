//! The names by which a language is transcribed and spoken: whisper's code of it, and its voice in each speech engine.
//!
//! In: the text of `voice.toml`, which may be missing. Out: names; whether they exist is checked where they are used.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The names of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceNames {
    /// The language as whisper calls it.
    pub whisper: String,
    /// A Piper voice among the files of the language: `voice.onnx` beside `voice.onnx.json`.
    pub own: Option<PathBuf>,
    /// Voices by speech engine.
    voices: BTreeMap<String, String>,
}

impl VoiceNames {
    /// Reads a language's file. Without a name for whisper, that is the language's code.
    ///
    /// # Errors
    /// The message of the TOML parser.
    pub(super) fn read(text: &str, code: &str, own: Option<PathBuf>) -> Result<Self, String> {
        let mut voices: BTreeMap<String, String> = toml::from_str(text).map_err(|error| error.to_string())?;
        let whisper = voices.remove("whisper").unwrap_or_else(|| code.to_owned());
        Ok(Self { whisper, own, voices })
    }

    /// Returns the name of the voice in a speech engine, if the file has one.
    pub fn of(&self, engine: &str) -> Option<&str> {
        self.voices.get(engine).map(String::as_str)
    }

    /// Returns the speech engines that the file names.
    pub fn engines(&self) -> impl Iterator<Item = &str> {
        self.voices.keys().map(String::as_str)
    }
}
