//! The real voice, for tests.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

use joi_models::test_model;

use crate::piper::pacing::ChunkPacing;
use crate::piper::{PiperFiles, PiperVoice};
use crate::{SpeakConfig, Voice};

/// Where the real voice lies.
pub fn files() -> PiperFiles {
    PiperFiles {
        model: test_model("voice-joe", "en_US-joe-medium.onnx"),
        config: test_model("voice-joe", "en_US-joe-medium.onnx.json"),
        espeak_data: std::env::temp_dir().join(format!("joi-espeak-{}", std::process::id())),
        onnxruntime: test_model("onnxruntime", "libonnxruntime.so"),
    }
}

/// The real voice.
pub fn joe() -> Voice {
    Voice::load(&files().into(), &SpeakConfig::default()).unwrap()
}

/// The same, who says everything the same way twice.
pub fn steady_joe() -> Voice {
    paced_joe(&SpeakConfig { variation: 0.0, ..SpeakConfig::default() }, 0.08)
}

/// The same on a machine on which decoding takes that much of the time of the sound.
pub fn paced_joe(config: &SpeakConfig, effort: f64) -> Voice {
    let mut voice = PiperVoice::load(&files(), config).unwrap();
    voice.network.pace(ChunkPacing::steady(12, effort));
    Voice::Piper(Box::new(voice))
}
