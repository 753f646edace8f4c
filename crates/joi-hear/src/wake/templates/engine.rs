//! The engine itself: rustpotter, and what guards the program from files that it would fail at.

use std::collections::HashMap;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustpotter::{
    Rustpotter, RustpotterConfig, WakewordLoad, WakewordRef, WakewordRefBuildFromBuffers, WakewordSave,
};

use serde::Deserialize;

use super::{LIKENESS, TemplateError};
use joi_audio::RATE;

/// Samples that are compared at once: 30 ms.
pub(super) const FRAME: usize = 3 * RATE as usize / 100;
/// Coefficients of each template, as rustpotter's own tools make them.
const COEFFICIENTS: u16 = 16;
/// Likeness of the averaged templates below which the single ones are not looked at; rustpotter's own value.
const AVERAGE: f32 = 0.2;
/// For this many steps of 10 ms the sound must match a template; rustpotter's own value.
const STEPS: usize = 5;
/// As much noise they are tried on: longer than any phrase, in samples.
const TRIED: usize = 3 * RATE as usize;
/// The name of the only phrase of an engine.
const KEY: &str = "phrase";

/// Compares sound with the templates of one phrase.
pub(super) struct Comparer(Rustpotter);

impl Comparer {
    /// Creates an engine that reports when the phrase was said: as like as `from`, else as the file asks, else
    /// [`LIKENESS`].
    pub(super) fn detecting(rpw: &[u8], from: Option<f32>) -> Result<Self, TemplateError> {
        let mut config = RustpotterConfig::default();
        config.detector.threshold = from.unwrap_or(LIKENESS);
        (config.detector.avg_threshold, config.detector.min_scores) = (AVERAGE, STEPS);
        config.detector.eager = true;
        Self::guarded(rpw, from, &config)
    }

    /// Creates an engine that reports how like the sound is.
    pub(super) fn measuring(rpw: &[u8]) -> Result<Self, TemplateError> {
        let mut config = RustpotterConfig::default();
        (config.detector.avg_threshold, config.detector.min_scores) = (0.0, usize::MAX);
        config.detector.threshold = 0.0;
        Self::guarded(rpw, Some(0.0), &config)
    }

    fn guarded(rpw: &[u8], from: Option<f32>, config: &RustpotterConfig) -> Result<Self, TemplateError> {
        guarded(|| {
            let mut engine = Rustpotter::new(config)?;
            match read(rpw) {
                Some(mut templates) => {
                    templates.threshold = from.or(templates.threshold);
                    engine.add_wakeword_ref(KEY, templates)?;
                }
                None => engine.add_wakeword_from_buffer(KEY, rpw)?,
            }
            Ok(Self(engine))
        })
    }

    /// Returns the likeness with which the phrase was detected in the next [`FRAME`] samples.
    pub(super) fn detected(&mut self, frame: &[f32]) -> Option<f32> {
        self.0.process_samples(frame.to_vec()).map(|detection| detection.score)
    }

    /// Returns how like the likest moment up to the next [`FRAME`] samples was, since the sound was unlike last.
    pub(super) fn likest(&mut self, frame: &[f32]) -> f32 {
        let over = self.0.process_samples(frame.to_vec()).map(|detection| detection.score);
        let so_far = self.0.get_partial_detection().map(|detection| detection.score);
        over.or(so_far).unwrap_or(0.0)
    }

    /// What comes next does not continue what came before.
    pub(super) fn reset(&mut self) {
        self.0.reset();
    }
}

/// Returns whether the engine can do with them: it compares them with some noise.
pub(super) fn check(rpw: &[u8]) -> Result<(), TemplateError> {
    let mut comparer = Comparer::detecting(rpw, None)?;
    guarded(|| {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..TRIED / FRAME {
            let noise: Vec<f32> = (0..FRAME).map(|_| random.f32() - 0.5).collect();
            comparer.detected(&noise);
        }
        Ok(())
    })
}

/// What `work` comes to; it panics where parts of a file don't fit together.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, TemplateError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(TemplateError::Damaged),
        Err(_) => Err(TemplateError::Damaged("its parts don't fit together".into())),
    }
}

/// Templates as rustpotter 2 kept them.
#[derive(Deserialize)]
struct EarlierTemplates {
    name: String,
    avg_features: Option<Vec<Vec<f32>>>,
    samples_features: HashMap<String, Vec<Vec<f32>>>,
    threshold: Option<f32>,
    avg_threshold: Option<f32>,
    rms_level: f32,
}

impl WakewordLoad for EarlierTemplates {}

/// Returns the templates of a file of rustpotter 3 or 2; nothing of what else it may hold.
fn read(rpw: &[u8]) -> Option<WakewordRef> {
    if let Ok(templates) = WakewordRef::load_from_buffer(rpw) {
        return Some(templates);
    }
    let EarlierTemplates { name, avg_features, samples_features, threshold, avg_threshold, rms_level } =
        EarlierTemplates::load_from_buffer(rpw).ok()?;
    let mfcc_size = u16::try_from(samples_features.values().next()?.first()?.len()).ok()?;
    Some(WakewordRef { name, avg_features, samples_features, threshold, avg_threshold, rms_level, mfcc_size })
}

/// Returns the bytes of an `.rpw` file made of recordings.
pub(super) fn learn(phrase: &str, takes: &[Vec<f32>]) -> Result<Vec<u8>, TemplateError> {
    let named = takes.iter().enumerate().map(|(at, take)| Ok((format!("recording {}", at + 1), wav(take)?)));
    let takes: HashMap<String, Vec<u8>> = named.collect::<Result<_, TemplateError>>()?;
    // A take of nothing panics in there.
    let made = catch_unwind(|| {
        let name = phrase.to_owned();
        WakewordRef::new_from_sample_buffers(name, None, None, takes, COEFFICIENTS)?.save_to_buffer()
    });
    made.unwrap_or_else(|_| Err("one is too short".into())).map_err(TemplateError::NotLearnt)
}

fn wav(take: &[f32]) -> Result<Vec<u8>, TemplateError> {
    let unfit = |error: hound::Error| TemplateError::NotLearnt(error.to_string());
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: RATE,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).map_err(unfit)?;
    take.iter().try_for_each(|sample| writer.write_sample(*sample)).map_err(unfit)?;
    writer.finalize().map_err(unfit)?;
    Ok(file.into_inner())
}
