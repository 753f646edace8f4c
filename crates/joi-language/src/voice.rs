//! By what a language is heard and spoken: whisper's code of it, a Piper voice, espeak-ng's voice.
//!
//! In: the text of `voice.toml`, which may be missing. Out: names; whether they stand for something is found out
//! where they are used. Pure: no I/O, no clock.

use std::path::PathBuf;

use serde::Deserialize;

/// The names of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoiceNames {
    /// The language as whisper calls it.
    pub whisper: String,
    /// A Piper voice, a model whose name begins with voice-.
    pub piper: Option<String>,
    /// A Piper voice among the files of the language: `voice.onnx` beside `voice.onnx.json`.
    pub own: Option<PathBuf>,
    /// The language as espeak-ng calls it.
    pub espeak: String,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct VoiceFile {
    whisper: Option<String>,
    piper: Option<String>,
    espeak: Option<String>,
}

impl VoiceNames {
    /// Reads a language's file; what it does not name is called like the language.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(text: &str, code: &str, own: Option<PathBuf>) -> Result<Self, String> {
        let VoiceFile { whisper, piper, espeak } = toml::from_str(text).map_err(|error| error.to_string())?;
        Ok(Self {
            whisper: whisper.unwrap_or_else(|| code.to_owned()),
            piper,
            own,
            espeak: espeak.unwrap_or_else(|| code.to_owned()),
        })
    }
}
