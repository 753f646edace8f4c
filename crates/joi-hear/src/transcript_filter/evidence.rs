//! Measures the evidence of the audio for its transcript.
//!
//! In: an utterance and its transcript. Out: an [`Evidence`]. Levels are those of 20 ms frames.
//! Pure: no I/O, no clock.

use std::time::Duration;

use joi_audio::RATE;
use joi_base::message::{Transcript, Utterance};

/// Samples of a frame whose level is taken: 20 ms.
const FRAME: usize = RATE as usize / 50;
/// The level of digital silence, in dBFS.
const SILENCE_DB: f32 = -120.0;
/// A voice's level excludes this share of its frames: the pauses and closures within words.
const VOICE_RANK: f32 = 0.75;
/// The quiet part of an utterance is this share of its frames.
const QUIET_RANK: f32 = 0.1;

/// The weight of the no-speech probability, in nats.
pub(super) const NO_SPEECH_WEIGHT: f32 = 3.0;

/// Evidence for and against a transcript.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Sound in which there was a voice.
    pub voiced: Duration,
    /// The highest probability of a voice in any frame, 0..1: sounds that only resemble a voice rarely reach
    /// a high one.
    pub voice: f32,
    /// Whisper's probability that there is no speech, 0..1.
    pub no_speech: f32,
    /// Mean natural-log probability of the tokens; 0 is certain.
    pub mean_logprob: f32,
    /// The first transcript repeated itself.
    pub ran_away: bool,
    /// Level of the voiced part in dBFS: three quarters of its frames are below it.
    pub voice_db: f32,
    /// Level of the utterance's quiet part in dBFS: a tenth of its frames are below it.
    pub quiet_db: f32,
}

impl Evidence {
    /// Returns the evidence that `utterance` gives for `transcript`.
    pub fn of(utterance: &Utterance, transcript: &Transcript) -> Self {
        let samples = &utterance.samples;
        let place =
            |position: u64| (position.saturating_sub(utterance.begins_at) as usize).min(samples.len());
        let (from, to) = (place(utterance.speech_begins_at), place(utterance.speech_ends_at));
        Self {
            voiced: Duration::from_secs_f64(utterance.voiced as f64 / f64::from(RATE)),
            voice: utterance.voice,
            no_speech: transcript.no_speech,
            mean_logprob: transcript.mean_logprob,
            ran_away: transcript.ran_away,
            voice_db: level(&samples[from.min(to)..to], VOICE_RANK),
            quiet_db: level(samples, QUIET_RANK),
        }
    }

    /// Doubt: the mean surprise of the tokens in nats, plus three times the probability that there is no
    /// speech. Nine in ten short words of synthetic voices stay below 2.3, and hardly any noise does; neither
    /// number alone separates them as well.
    pub fn doubt(&self) -> f32 {
        NO_SPEECH_WEIGHT * self.no_speech - self.mean_logprob
    }

    /// Returns how far the voice stands out from the background, in dB.
    pub(crate) fn contrast_db(&self) -> f32 {
        self.voice_db - self.quiet_db
    }
}

/// Returns the level in dBFS that the share `rank` (0..1) of the frames of `samples` does not exceed.
fn level(samples: &[f32], rank: f32) -> f32 {
    let mut levels: Vec<f32> = samples.chunks_exact(FRAME).map(rms_db).collect();
    levels.sort_by(f32::total_cmp);
    let at = (rank * levels.len() as f32) as usize;
    levels.get(at.min(levels.len().saturating_sub(1))).copied().unwrap_or(SILENCE_DB)
}

fn rms_db(samples: &[f32]) -> f32 {
    let power = samples.iter().map(|s| f64::from(*s) * f64::from(*s)).sum::<f64>() / samples.len() as f64;
    (10.0 * power.log10()).max(f64::from(SILENCE_DB)) as f32
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use joi_base::message::OpenedBy;

    fn utterance(samples: Vec<f32>, speech: std::ops::Range<u64>) -> Utterance {
        Utterance {
            generation: 1,
            revision: 0,
            opened_by: OpenedBy::FollowUp,
            lead: None,
            samples: samples.into(),
            begins_at: 1000,
            speech_begins_at: 1000 + speech.start,
            speech_ends_at: 1000 + speech.end,
            voiced: speech.end - speech.start,
            voice: 1.0,
            captured: Instant::now(),
        }
    }

    fn transcript() -> Transcript {
        Transcript {
            language: None,
            generation: 1,
            revision: 0,
            text: "yes".into(),
            mean_logprob: -0.25,
            no_speech: 0.125,
            audio_ctx: 384,
            ran_away: true,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn the_voice_is_measured_where_it_is_and_the_quiet_everywhere() {
        let mut samples = vec![0.001; 16_000];
        samples[4000..12_000].fill(0.1);
        let evidence = Evidence::of(&utterance(samples, 4000..12_000), &transcript());
        let expected = Evidence {
            voiced: Duration::from_millis(500),
            voice: 1.0,
            no_speech: 0.125,
            mean_logprob: -0.25,
            ran_away: true,
            voice_db: evidence.voice_db,
            quiet_db: evidence.quiet_db,
        };
        assert_eq!(evidence, expected);
        assert_eq!(evidence.doubt(), 0.625);
        assert!((evidence.voice_db + 20.0).abs() < 0.1, "{evidence:?}");
        assert!((evidence.contrast_db() - 40.0).abs() < 0.1, "{evidence:?}");
    }

    #[test]
    fn an_utterance_without_sound_is_silent_and_nothing_stands_out_of_it() {
        let evidence = Evidence::of(&utterance(vec![], 0..0), &transcript());
        assert_eq!((evidence.voice_db, evidence.quiet_db), (SILENCE_DB, SILENCE_DB));
        let evidence = Evidence::of(&utterance(vec![0.0; 3200], 0..3200), &transcript());
        assert_eq!(evidence.contrast_db(), 0.0);
    }
}
