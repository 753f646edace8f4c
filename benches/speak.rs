//! How long until she is heard: the first chunk of a reply of four sentences, its first sentence as a whole, and all of
//! it before its first sample is played. Also the pure stages in front of the voice.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use joi_language::Language;
use joi_speak::{
    LanguageVoice, LeadSilence, PiperFiles, Segmenter, SpeakConfig, SpeakableReader, VoiceSource, speakable,
};

const REPLY: &str = "The living room lamp is on, and the temperature is **22.5 °C**. Tomorrow will be mostly sunny \
                     with a light breeze from the west. Your next meeting starts at 9:30. Would you like me to set \
                     a reminder?";

fn english() -> Language {
    match Language::load("en") {
        Ok(language) => language,
        Err(error) => panic!("{error}"),
    }
}

fn load() -> LanguageVoice {
    let models = std::env::var_os("JOI_MODELS").map(PathBuf::from).unwrap_or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        cache
            .unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"))
            .join("joi/models")
    });
    let files = PiperFiles {
        model: models.join("voice-joe/en_US-joe-medium.onnx"),
        config: models.join("voice-joe/en_US-joe-medium.onnx.json"),
        espeak_data: std::env::temp_dir().join("joi-bench-espeak"),
        onnxruntime: models.join("onnxruntime/libonnxruntime.so"),
    };
    let config = SpeakConfig { threads: 1, ..SpeakConfig::default() };
    match files.load(&config.style()) {
        Ok(voice) => LanguageVoice::new(voice, &english(), &config),
        Err(error) => panic!("{error}"),
    }
}

/// Samples of `text`.
fn say(voice: &mut LanguageVoice, language: &Language, text: &str) -> usize {
    match voice.render(&speakable(text, language)) {
        Ok(samples) => samples.len(),
        Err(error) => panic!("{error}"),
    }
}

/// Samples of the first chunk of `text`.
fn begin(voice: &mut LanguageVoice, language: &Language, text: &str) -> usize {
    let (voice, text) = (&mut voice.voice, speakable(text, language));
    let first = voice.begin(&text, LeadSilence::Cut).and_then(|()| voice.next_chunk(&|| false));
    match first {
        Ok(chunk) => chunk.map_or(0, |chunk| chunk.samples.len()),
        Err(error) => panic!("{error}"),
    }
}

fn first_sample(c: &mut Criterion) {
    let (mut voice, language) = (load(), english());
    let mut group = c.benchmark_group("first sample of four sentences");
    group.sample_size(10);
    let first = || Segmenter::new(&language).push(black_box(REPLY)).swap_remove(0);
    group.bench_function("its first chunk", |b| b.iter(|| begin(&mut voice, &language, &first())));
    group.bench_function("its first sentence", |b| b.iter(|| say(&mut voice, &language, &first())));
    group.bench_function("all of it", |b| b.iter(|| say(&mut voice, &language, black_box(REPLY))));
    group.finish();
}

fn pure(c: &mut Criterion) {
    let language = english();
    let mut speaking = SpeakableReader::new(&language);
    c.bench_function("segment four sentences", |b| {
        b.iter(|| {
            let mut segmenter = Segmenter::new(&language);
            let mut segments = segmenter.push(black_box(REPLY));
            segments.extend(segmenter.finish());
            segments
        })
    });
    c.bench_function("speakable four sentences", |b| b.iter(|| speaking.speakable(black_box(REPLY))));
}

criterion_group!(benches, first_sample, pure);
criterion_main!(benches);
