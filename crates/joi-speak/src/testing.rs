//! The real voice, for tests.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use std::path::PathBuf;

use joi_language::Language;
use joi_models::test_model;

use crate::engines::piper::pacing::ChunkPacing;
use crate::engines::piper::{PiperFiles, PiperVoice};
use crate::{LanguageVoice, SpeakConfig};
#[cfg(test)]
use crate::{LeadSilence, SoundChunk, SpeakError, Voice};

/// Folder of espeak-ng's data for this process.
pub fn espeak_data() -> PathBuf {
    std::env::temp_dir().join(format!("joi-espeak-{}", std::process::id()))
}

/// Where the real voice lies.
pub fn files() -> PiperFiles {
    PiperFiles {
        model: test_model("voice-joe", "en_US-joe-medium.onnx"),
        config: test_model("voice-joe", "en_US-joe-medium.onnx.json"),
        espeak_data: espeak_data(),
        onnxruntime: test_model("onnxruntime", "libonnxruntime.so"),
    }
}

/// Speaks `text` until `is_stopped`, and passes on each chunk.
#[cfg(test)]
pub(crate) fn say(
    voice: &mut dyn Voice,
    text: &str,
    is_stopped: &dyn Fn() -> bool,
    each: &mut dyn FnMut(SoundChunk),
) -> Result<(), SpeakError> {
    voice.begin(text, LeadSilence::Kept)?;
    while let Some(chunk) = voice.next_chunk(is_stopped)? {
        each(chunk);
    }
    Ok(())
}

/// Returns the real voice.
pub fn joe() -> LanguageVoice {
    let config = SpeakConfig::default();
    spoken_by(PiperVoice::load(&files(), &config.style()).unwrap(), &config)
}

fn spoken_by(voice: PiperVoice, config: &SpeakConfig) -> LanguageVoice {
    LanguageVoice::new(Box::new(voice), &Language::load("en").unwrap(), config)
}

/// The same, who says everything the same way twice.
pub fn steady_joe() -> LanguageVoice {
    paced_joe(&SpeakConfig { variation: 0.0, ..SpeakConfig::default() }, 0.08)
}

/// The same on a machine on which decoding takes that much of the time of the sound.
pub fn paced_joe(config: &SpeakConfig, effort: f64) -> LanguageVoice {
    let mut voice = PiperVoice::load(&files(), &config.style()).unwrap();
    voice.network.pace(ChunkPacing::steady(12, effort));
    spoken_by(voice, config)
}
