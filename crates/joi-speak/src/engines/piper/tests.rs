use std::cell::Cell;
use std::path::PathBuf;

use super::*;
pub(super) use crate::testing::{files, joe, paced_joe, say, steady_joe};
use joi_base::machine::alone::is_alone;
use joi_base::machine::{give_back_memory, resident};

/// What the voice says, sentence by sentence.
fn sentences(voice: &mut dyn Voice, text: &str) -> Vec<Vec<f32>> {
    let (mut sentences, mut is_open) = (Vec::<Vec<f32>>::new(), false);
    let each = &mut |chunk: SoundChunk| {
        let continues = chunk.continues();
        match sentences.last_mut().filter(|_| is_open) {
            Some(sentence) => sentence.extend(chunk.samples),
            None => sentences.push(chunk.samples),
        }
        is_open = continues;
    };
    say(voice, text, &|| false, each).unwrap();
    assert!(!is_open, "the last chunk is the end of its sentence");
    sentences
}

/// Seconds, and root mean square level.
fn measure(samples: &[f32], rate: u32) -> (f64, f64) {
    let power: f64 = samples.iter().map(|s| f64::from(s * s)).sum();
    (samples.len() as f64 / f64::from(rate), (power / samples.len() as f64).sqrt())
}

#[test]
fn sentences_come_one_by_one_at_a_sound_level_and_length() {
    let mut voice = joe().voice;
    let clips = sentences(&mut *voice, "It is a quarter past nine. Good morning!");
    assert_eq!((clips.len(), voice.rate()), (2, 22_050));
    for (clip, range) in clips.iter().zip([1.2..3.0, 0.6..2.0]) {
        let (seconds, level) = measure(clip, 22_050);
        assert!(range.contains(&seconds), "{seconds} s");
        assert!((0.03..0.4).contains(&level), "{level}");
        assert!(clip.iter().all(|s| s.is_finite() && s.abs() <= 1.0));
        assert!(clip[clip.len() - 1_000..].iter().any(|s| *s != 0.0), "the pause is not the voice's");
    }
    assert!(sentences(&mut *voice, "...").is_empty());
}

#[test]
fn a_slower_and_louder_voice_is_slower_and_louder() {
    let text = "The living room lamp is on.";
    let plain = sentences(&mut *joe().voice, text).concat();
    let config = SpeakConfig { speed: 0.67, gain: 3.0, ..SpeakConfig::default() };
    let changed = sentences(&mut *files().load(&config.style()).unwrap(), text).concat();
    let ((plain_s, plain_level), (slow_s, loud_level)) = (measure(&plain, 22_050), measure(&changed, 22_050));
    assert!(slow_s > 1.2 * plain_s, "{slow_s} s instead of {plain_s} s");
    assert!(loud_level > 1.3 * plain_level, "{loud_level} instead of {plain_level}");
}

#[test]
fn without_variation_a_sentence_sounds_the_same_every_time() {
    let twice = |variation: f32| {
        let mut voice = paced_joe(&SpeakConfig { variation, ..SpeakConfig::default() }, 0.08).voice;
        [0, 1].map(|_| sentences(&mut *voice, "The lamp is on.").concat())
    };
    let [first, second] = twice(0.0);
    assert!(first == second, "not a sample differs");
    let [first, second] = twice(1.0);
    assert!(first != second, "chance is in it");
}

/// The chunks of one sentence.
fn chunks(voice: &mut dyn Voice) -> Vec<SoundChunk> {
    let text = "The washing machine is done, and the window in the bathroom is open.";
    voice.begin(text, LeadSilence::Cut).unwrap();
    std::iter::from_fn(|| voice.next_chunk(&|| false).unwrap()).collect()
}

#[test]
fn a_sentence_begins_to_sound_long_before_all_of_it_is_computed() {
    let chunks = chunks(&mut *steady_joe().voice);
    let continued: Vec<bool> = chunks.iter().map(SoundChunk::continues).collect();
    assert!(chunks.len() > 2, "{continued:?}");
    assert!(continued.iter().rev().skip(1).all(|continues| *continues) && continued.last() == Some(&false));
    let all: usize = chunks.iter().map(|chunk| chunk.samples.len()).sum();
    assert!(chunks[0].samples.len() < all / 4, "{} of {all}", chunks[0].samples.len());
}

#[test]
fn where_decoding_is_slow_a_sentence_comes_whole() {
    let slow = chunks(&mut *paced_joe(&SpeakConfig::default(), 0.5).voice);
    assert_eq!(slow.iter().map(SoundChunk::continues).collect::<Vec<_>>(), [false]);
}

#[test]
fn however_long_a_voice_is_silent_first_an_answer_begins_with_sound() {
    let config = SpeakConfig { speed: 0.5, ..SpeakConfig::default() };
    let first = chunks(&mut *paced_joe(&config, 0.08).voice).swap_remove(0);
    // 10 ms are left of the silence; a block later the voice is there.
    let loudest = first.samples[..882].iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    assert!(loudest > 0.003, "{loudest}");
}

#[test]
fn a_stop_ends_it_between_and_within_sentences_and_it_speaks_again() {
    let mut voice = joe().voice;
    let stopped = Cell::new(false);
    let mut clips = 0;
    let said = say(&mut *voice, "One. Two. Three.", &|| stopped.get(), &mut |_| {
        clips += 1;
        stopped.set(true);
    });
    assert!(matches!(said, Err(SpeakError::Stopped)) && clips == 1);

    // The question is asked right before a run: what it does then comes within the run.
    let interrupter = voice.interrupter().unwrap();
    let asked = Cell::new(0);
    let is_stopped = || {
        asked.set(asked.get() + 1);
        interrupter();
        asked.get() > 1
    };
    let said = say(&mut *voice, "This is never computed.", &is_stopped, &mut |_| clips += 1);
    assert!(matches!(said, Err(SpeakError::Stopped)));
    assert_eq!((clips, asked.get()), (1, 2));

    assert_eq!(sentences(&mut *voice, "And again.").len(), 1);
}

#[test]
fn a_voice_that_rests_gives_back_what_long_sentences_took_and_speaks_as_before() {
    if !is_alone(
        module_path!(),
        "a_voice_that_rests_gives_back_what_long_sentences_took_and_speaks_as_before",
    ) {
        return;
    }
    give_back_memory();
    let mut voice = steady_joe().voice;
    let long = "and the window in the bathroom is open, ".repeat(12);
    let before = sentences(&mut *voice, "The lamp is on.");
    assert_eq!(sentences(&mut *voice, &format!("The kettle is hot, {long}and so on.")).len(), 1);
    let held = || resident(std::process::id()).unwrap() >> 20;
    let spoken = held();
    voice.rest().unwrap();
    assert!(held() + 20 < spoken, "{} MB of {spoken} MB", held());
    assert!(sentences(&mut *voice, "The lamp is on.") == before, "not a sample differs");
}

#[test]
fn unusable_files_are_named_with_a_remedy() {
    let scratch = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let model = std::fs::read(files().model).unwrap();
    let cut_short = write("cut.onnx", &model[..model.len() / 2]);
    let not_json = write("broken.json", b"{\"audio\":");
    let changed = |name: &str, pointer: &str, value: serde_json::Value| {
        let mut description: serde_json::Value =
            serde_json::from_slice(&std::fs::read(files().config).unwrap()).unwrap();
        *description.pointer_mut(pointer).unwrap() = value;
        write(name, description.to_string().as_bytes())
    };
    let no_marks = changed("marks.json", "/phoneme_id_map", serde_json::json!({"a": [1]}));
    let no_rate = changed("rate.json", "/audio/sample_rate", serde_json::json!(0));
    let missing = PathBuf::from("/nowhere/at/all");
    let text = |files: PiperFiles| match files.load(&SpeakConfig::default().style()) {
        Ok(_) => panic!("{files:?} was accepted"),
        Err(error) => error.to_string(),
    };
    for (bad, name, remedy) in [
        (PiperFiles { model: missing.clone(), ..files() }, "/nowhere/at/all", "joi models fetch"),
        (PiperFiles { model: cut_short.clone(), ..files() }, "cut.onnx", "joi models fetch"),
        (PiperFiles { model: write("empty.onnx", b""), ..files() }, "empty.onnx", "joi models fetch"),
        (PiperFiles { config: missing, ..files() }, "/nowhere/at/all", "joi models fetch"),
        (PiperFiles { config: not_json, ..files() }, "broken.json", "joi models fetch"),
        (PiperFiles { config: no_rate, ..files() }, "a sample rate of 0 Hz", "joi models fetch"),
        (PiperFiles { config: no_marks, ..files() }, "marks.json", "joi models fetch"),
    ] {
        let error = text(bad);
        assert!(error.contains(name) && error.contains(remedy), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
