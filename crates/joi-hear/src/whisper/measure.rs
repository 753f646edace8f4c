//! Measures which of the two whisper models is fast enough on this machine.
//!
//! Blocks for some seconds: called once, during setup.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::config::{SttConfig, SttModel};
use super::{SttError, Whisper};
use crate::measurement::Measurable;

/// A model that takes longer than this for three seconds of speech makes answers noticeably late.
pub const BUDGET: Duration = Duration::from_millis(800);
/// Three seconds of speech (John F. Kennedy, public domain); silence would be decoded too quickly.
const CLIP: &[u8] = include_bytes!("../../../../assets/speech/measure.wav");
/// Runs of each model; the fastest counts, since the first one also fills caches.
const RUNS: usize = 3;

/// The measurement of one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Which model.
    pub model: SttModel,
    /// Milliseconds for the three-second clip.
    pub millis: u64,
}

/// The model for this machine, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    /// The chosen model, never [`SttModel::Auto`].
    pub model: SttModel,
    /// The measurements, in the order of model size.
    pub measured: Vec<Measured>,
}

impl Measurable for ModelChoice {
    /// Unless the largest one is fast enough already.
    fn could_be_better(&self) -> bool {
        self.measured.last().is_none_or(|largest| largest.model != self.model)
    }
}

/// Measures the available models (`files`: model and its path, in any order) on three seconds of speech and
/// chooses the largest that stays within [`BUDGET`], else the smallest.
pub fn measure(files: &[(SttModel, PathBuf)], config: &SttConfig) -> Result<ModelChoice, SttError> {
    let clip = clip()?;
    let mut measured = Vec::new();
    for (model, path) in files {
        let mut whisper = Whisper::load(path, config)?;
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            best = best.min(whisper.transcribe(&clip, &AtomicBool::new(false))?.took);
        }
        measured.push(Measured { model: *model, millis: best.as_millis() as u64 });
    }
    measured.sort_by_key(|m| size(m.model));
    let model = choose(&measured);
    Ok(ModelChoice { model, measured })
}

/// Returns the largest model within the budget, else the smallest measured. Pure.
fn choose(measured: &[Measured]) -> SttModel {
    let fits = |m: &&Measured| u128::from(m.millis) <= BUDGET.as_millis();
    let largest = measured.iter().rev().find(fits).or(measured.first());
    largest.map_or(SttModel::TinyEn, |m| m.model)
}

fn size(model: SttModel) -> u8 {
    match model {
        SttModel::Auto => 0,
        SttModel::TinyEn => 1,
        SttModel::Base => 2,
    }
}

/// Returns the built-in clip: mono, 16 kHz.
///
/// # Errors
/// It is damaged.
pub fn clip() -> Result<Vec<f32>, SttError> {
    let broken = |e: hound::Error| SttError::Failed(format!("the built-in clip is unreadable: {e}"));
    let reader = hound::WavReader::new(Cursor::new(CLIP)).map_err(broken)?;
    let samples = reader.into_samples::<i16>().map(|s| s.map(|s| f32::from(s) / 32_768.0));
    samples.collect::<Result<_, _>>().map_err(broken)
}

/// Processor, threads and language: what the measurement depends on.
pub fn machine(config: &SttConfig) -> String {
    format!(
        "{}, {} threads, {}",
        joi_base::machine::processor(),
        config.threads_to_use(),
        config.heard().join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(tiny: u64, base: u64) -> Vec<Measured> {
        vec![
            Measured { model: SttModel::TinyEn, millis: tiny },
            Measured { model: SttModel::Base, millis: base },
        ]
    }

    #[test]
    fn the_largest_model_within_the_budget_is_chosen_else_the_smallest() {
        assert_eq!(choose(&took(350, 800)), SttModel::Base);
        assert_eq!(choose(&took(350, 801)), SttModel::TinyEn);
        assert_eq!(choose(&took(2000, 4500)), SttModel::TinyEn);
        assert_eq!(choose(&took(2000, 4500)[1..]), SttModel::Base);
        assert_eq!(choose(&[]), SttModel::TinyEn);
    }

    #[test]
    fn only_a_larger_model_would_be_better() {
        let chosen = |base| {
            let measured = took(350, base);
            ModelChoice { model: choose(&measured), measured }
        };
        assert!(chosen(4500).could_be_better());
        assert!(!chosen(700).could_be_better());
    }

    #[test]
    fn the_clip_is_three_seconds_of_sound() {
        let clip = clip().unwrap();
        assert_eq!(clip.len(), 48_000);
        assert!(clip.iter().any(|s| s.abs() > 0.1));
    }
}
