//! Silero against the scores of its makers' own model, and against damaged files.

use super::super::tests::{data, model, quiet, vad, wav};
use super::*;

fn frames(samples: &[f32]) -> impl Iterator<Item = &[f32; FRAME]> {
    samples.as_chunks().0.iter()
}

#[test]
fn the_probabilities_are_those_of_the_reference() {
    let text = std::fs::read_to_string(data("phrases.silero.txt")).unwrap();
    let reference: Vec<f32> = text.lines().map(|l| l.parse().unwrap()).collect();
    let mut vad = vad();
    let ours: Vec<f32> = frames(&wav("phrases.wav")).map(|f| vad.probability(f)).collect();
    assert_eq!(ours.len(), reference.len());
    let worst = ours.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 0.005, "largest difference {worst}");
}

#[test]
fn after_a_reset_it_is_as_new() {
    let samples = wav("question.wav");
    let mut used = vad();
    assert!(frames(&samples).any(|f| used.probability(f) > 0.9));
    used.reset();
    let mut fresh = vad();
    for frame in frames(&samples) {
        assert_eq!(used.probability(frame), fresh.probability(frame));
    }
}

#[test]
fn there_is_no_voice_in_noise_tones_and_silence() {
    let tone =
        |hz: f32| (0..32_000).map(move |i| (i as f32 * hz * std::f32::consts::TAU / 16_000.0).sin() * 0.3);
    for sound in
        [quiet(3.0), vec![0.0; 32_000], tone(440.0).collect(), tone(880.0).chain(tone(660.0)).collect()]
    {
        let mut vad = vad();
        assert_eq!(frames(&sound).filter(|f| vad.is_voiced(f)).count(), 0);
    }
}

#[test]
fn the_clearest_frame_is_remembered_until_a_reset() {
    let samples = wav("question.wav");
    let (mut vad, mut alone) = (vad(), vad());
    let mut all = Vec::new();
    for frame in frames(&samples) {
        vad.is_voiced(frame);
        all.push(alone.probability(frame));
    }
    let highest = |of: &[f32]| of.iter().copied().fold(0.0, f32::max);
    assert_eq!(vad.clearest(all.len()), highest(&all));
    assert_eq!(vad.clearest(3), highest(&all[all.len() - 3..]));
    assert_eq!(vad.clearest(0), 0.0);
    vad.reset();
    assert_eq!(vad.clearest(9), 0.0);
}

#[test]
fn nonsense_samples_leave_no_trace_after_a_reset() {
    let mut vad = vad();
    vad.probability(&[f32::NAN; FRAME]);
    vad.probability(&[f32::MAX; FRAME]);
    vad.reset();
    assert!(vad.probability(&[0.0; FRAME]) < 0.1);
}

#[test]
fn a_damaged_file_is_an_error() {
    let whole = std::fs::read(model("silero-vad", "ggml-silero-v6.2.0.bin")).unwrap();
    let config = VadConfig::default();
    for cut in (0..whole.len()).step_by(10_007) {
        assert!(matches!(Vad::new(&whole[..cut], &config), Err(VadError::Damaged { .. })), "cut at {cut}");
    }
    for at in (0..160).chain((160..whole.len()).step_by(20_011)) {
        let mut changed = whole.clone();
        changed[at] ^= 0xff;
        drop(Vad::new(&changed, &config)); // whatever it says, it does not panic
    }
    let missing = Vad::load(Path::new("/nowhere/silero.bin"), &config).err().map(|e| e.to_string());
    assert!(
        missing.is_some_and(|e| e.starts_with("can't read the voice activity model /nowhere/silero.bin"))
    );
}

/// A small file of that format: header, one layer, one tensor.
fn small() -> Vec<u8> {
    let numbers = |values: &[i32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = numbers(&[0x6767_6d6c, 4]);
    bytes.extend(b"vad\0");
    bytes.extend(numbers(&[1, 2, 3, 4, 5, 1, 1, 1, 1, 1, 2, 3, 4]));
    bytes.extend(numbers(&[1, 1, 0, 2]));
    bytes.extend(b"w");
    bytes.extend([0; 8]);
    bytes
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_never_break_the_reader_of_voice_models(bytes in joi_base::testing::damaged(&small())) {
        let _ = Vad::new(&bytes, &VadConfig::default());
    }
}
