//! Recordings and models that tests need.

#![allow(clippy::expect_used, reason = "in a test, what was not expected ends it")]

use std::path::{Path, PathBuf};

/// Returns a model of the cache; tests need the real ones.
pub fn model(name: &str, file: &str) -> PathBuf {
    let cache = std::env::var_os("JOI_MODELS").map(PathBuf::from).unwrap_or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME is set")).join(".cache");
        cache.unwrap_or_else(home).join("joi/models")
    });
    let path = cache.join(name).join(file);
    assert!(path.exists(), "{} is missing: run `joi models fetch {name}`", path.display());
    path
}

/// Returns a file of the test data.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/hear").join(name)
}

/// Returns the samples of a 16 kHz mono WAV file of the test data.
pub fn wav(name: &str) -> Vec<f32> {
    let mut reader = hound::WavReader::open(data(name)).expect("the fixture is there");
    reader.samples::<i16>().map(|s| f32::from(s.expect("16-bit")) / 32768.0).collect()
}

/// Very soft noise: what a room is when nobody speaks.
pub fn quiet(seconds: f64) -> Vec<f32> {
    let mut random = 1u32;
    (0..(seconds * 16_000.0) as usize)
        .map(|_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((random >> 16) as f32 / 32768.0 - 1.0) * 4e-4
        })
        .collect()
}
