//! How long whisper takes for a short utterance: its window cut to the audio, against the whole of 30 s.
//! Needs the whisper models; `joi models fetch` brings them.

#![expect(clippy::expect_used, reason = "a benchmark that can't start says why and stops")]
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, criterion_group, criterion_main};
use joi_base::paths::Paths;
use joi_hear::whisper::{SttConfig, WHOLE, Whisper, audio_ctx};
use joi_models::ModelLibrary;

fn windows(c: &mut Criterion) {
    let root = Paths::discover().expect("HOME is set").models;
    let library = ModelLibrary::open(root).expect("the built-in list is right");
    let reader = hound::WavReader::open("assets/speech/measure.wav").expect("the clip is in the repository");
    let clip: Vec<f32> =
        reader.into_samples::<i16>().map(|s| f32::from(s.expect("a whole clip")) / 32_768.0).collect();
    let quiet = AtomicBool::new(false);
    for model in ["whisper-tiny.en", "whisper-base"] {
        let path = library.path(model).expect("the models were fetched");
        let mut whisper = Whisper::load(&path, &SttConfig::default()).expect("a whole model");
        let mut group = c.benchmark_group(model);
        group.sample_size(10);
        for (name, ctx) in [("cut", audio_ctx(clip.len())), ("whole", WHOLE)] {
            group.bench_function(name, |b| {
                b.iter(|| whisper.transcribe_in(ctx, &clip, &quiet).expect("a transcript"));
            });
        }
    }
}

criterion_group!(benches, windows);
criterion_main!(benches);
