mod worker;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use super::super::wake::strip_phrase;
use super::*;
use crate::tests::{quiet, wav};
use joi_audio::RATE;
use joi_base::message::{OpenedBy, Utterance};
use joi_base::pulse::Heart;
use joi_models::test_model;

const JFK: &str = "And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country.";

pub(super) fn jfk() -> Vec<f32> {
    let reader =
        hound::WavReader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/jfk.wav")).unwrap();
    reader.into_samples::<i16>().map(|s| f32::from(s.unwrap()) / 32_768.0).collect()
}

pub(crate) fn tiny() -> Whisper {
    let path = test_model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin");
    Whisper::load(&path, &SttConfig { threads: 1, ..SttConfig::default() }).unwrap()
}

/// Speech over playback.
pub(super) fn interjection(samples: &[f32]) -> Utterance {
    Utterance {
        opened_by: OpenedBy::Interjection,
        samples: samples.into(),
        ..job(1, 1, 0, DecodeUrgency::Final).utterance
    }
}

fn job(generation: u64, revision: u32, length: usize, urgency: DecodeUrgency) -> SttJob {
    let utterance = Utterance {
        generation,
        revision,
        opened_by: OpenedBy::Request,
        lead: None,
        samples: vec![0.0; length].into(),
        begins_at: 0,
        speech_begins_at: 0,
        voiced: 0,
        voice: 1.0,
        speech_ends_at: 0,
        captured: Instant::now(),
    };
    SttJob { utterance, urgency }
}

/// Lower-case words only, since models differ in commas.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|w| !w.is_empty())
        .collect()
}

#[test]
fn a_recorded_speech_is_transcribed_word_for_word_with_the_window_cut() {
    let transcript = tiny().transcribe(&jfk(), &AtomicBool::new(false)).unwrap();
    assert_eq!(words(&transcript.text), words(JFK));
    assert_eq!((transcript.audio_ctx, transcript.ran_away), (704, false));
    assert!((-0.5..0.0).contains(&transcript.mean_logprob), "{}", transcript.mean_logprob);
    assert!((0.0..0.3).contains(&transcript.no_speech), "{}", transcript.no_speech);
}

#[test]
fn what_a_long_utterance_took_is_given_back_and_the_next_one_is_understood() {
    let (mut whisper, never) = (tiny(), AtomicBool::new(false));
    let before = whisper.transcribe(&jfk(), &never).unwrap();
    assert_eq!(whisper.seen.largest, 704);
    whisper.give_back();
    assert_eq!(
        (whisper.seen.largest, whisper.encoded.audio_ctx),
        (0, 0),
        "a new state, which has seen nothing"
    );
    let after = whisper.transcribe(&jfk(), &never).unwrap();
    assert_eq!((after.text, after.mean_logprob), (before.text, before.mean_logprob));
    let few = &jfk()[..3 * RATE as usize];
    whisper.give_back();
    whisper.transcribe(few, &never).unwrap();
    whisper.give_back();
    assert_eq!(whisper.seen.largest, 384, "of a short one nothing is given back");
}

#[test]
fn both_sizes_transcribe_the_same_words_and_a_choice_is_measured() {
    let files = [
        (SttModel::Base, test_model("whisper-base", "ggml-base-q8_0.bin")),
        (SttModel::TinyEn, test_model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin")),
    ];
    let mut base = Whisper::load(&files[0].1, &SttConfig::default()).unwrap();
    let transcript = base.transcribe(&jfk(), &AtomicBool::new(false)).unwrap();
    assert_eq!(words(&transcript.text), words(JFK));

    let choice = measure(&files, &SttConfig::default()).unwrap();
    let order: Vec<SttModel> = choice.measured.iter().map(|m| m.model).collect();
    assert_eq!(order, [SttModel::TinyEn, SttModel::Base]);
    assert!(choice.measured[0].millis < choice.measured[1].millis, "{choice:?}");
}

#[test]
fn audio_of_any_length_gives_an_answer_and_the_state_is_used_again() {
    let mut whisper = tiny();
    let never = AtomicBool::new(false);
    for length in [0, 1, 15_999, 40_000] {
        let transcript = whisper.transcribe(&vec![0.0; length], &never).unwrap();
        assert!(transcript.text.len() < 100, "{length} samples: {}", transcript.text);
    }
    let odd = [f32::NAN, f32::INFINITY, -1e30, 1e30].repeat(4000);
    assert!(whisper.transcribe(&odd, &never).is_ok());
    assert_eq!(words(&whisper.transcribe(&jfk(), &never).unwrap().text), words(JFK));
}

#[test]
fn a_decoder_that_goes_round_is_asked_again_with_a_window_that_need_not_be_the_whole_one() {
    let (mut whisper, never) = (tiny(), AtomicBool::new(false));
    // Its window of 384 makes "Turn it up" of this 21 times, where the processor rounds as those it was found with.
    let sound = [quiet(0.3), wav("again.wav"), quiet(0.4)].concat();
    let transcript = whisper.transcribe(&sound, &never).unwrap();
    assert_eq!(words(&transcript.text), ["turn", "it", "up"]);
    let is_wider = transcript.audio_ctx == 768;
    assert!(is_wider || transcript.audio_ctx == 384, "{transcript:?}");
    assert_eq!(transcript.ran_away, is_wider, "whoever judges it knows");
}

#[test]
fn two_of_one_model_work_at_the_same_time_and_neither_knows_the_other() {
    let mut one = tiny();
    let mut other = one.sibling().unwrap();
    let (audio, silent, off) = (jfk(), vec![0.0; 32_000], AtomicBool::new(false));
    std::thread::scope(|scope| {
        let speech = scope.spawn(|| one.transcribe(&audio, &off).unwrap());
        let silence = other.transcribe(&silent, &off).unwrap();
        assert_eq!(words(&speech.join().unwrap().text), words(JFK));
        assert!(silence.text.len() < 100, "{silence:?}");
    });
    drop(one);
    assert_eq!(
        words(&other.transcribe(&audio, &off).unwrap().text),
        words(JFK),
        "the weights are there as before"
    );
}

#[test]
fn a_raised_flag_ends_a_decode_and_leaves_the_state_usable() {
    let mut whisper = tiny();
    let flag = AtomicBool::new(true);
    assert_eq!(whisper.transcribe(&jfk(), &flag), Err(SttError::Aborted));
    flag.store(false, Ordering::Relaxed);
    let audio = jfk();
    std::thread::scope(|scope| {
        let decode = scope.spawn(|| whisper.transcribe(&audio, &flag));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(decode.join().unwrap(), Err(SttError::Aborted));
    });
    flag.store(false, Ordering::Relaxed);
    assert_eq!(words(&whisper.transcribe(&audio, &flag).unwrap().text), words(JFK));
}

#[test]
fn files_that_are_no_whole_model_are_refused_with_one_sentence() {
    let good = test_model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin");
    let whole = std::fs::read(&good).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut huge_head = whole.clone();
    huge_head[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut long_word = whole.clone();
    let first_word = 4 + 44 + 8 + 80 * 201 * 4 + 4;
    long_word[first_word..first_word + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let cases: [(&str, &[u8], &str); 7] = [
        ("empty", b"", "is no ggml model"),
        ("text", b"<html>not found</html>", "is no ggml model"),
        ("head", &whole[..30], "ends too early"),
        ("half", &whole[..whole.len() / 2], "ends too early"),
        ("nearly", &whole[..whole.len() - 1], "ends too early"),
        ("huge", &huge_head, "n_audio_state = 4294967295"),
        ("word", &long_word, "ends too early"),
    ];
    for (name, bytes, why) in cases {
        let path = dir.path().join(name);
        std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
        let error = Whisper::load(&path, &SttConfig::default()).err().map(|e| e.to_string()).unwrap();
        assert!(error.contains(why) && error.contains("joi models fetch"), "{name}: {error}");
    }
    let missing = Whisper::load(&dir.path().join("none"), &SttConfig::default()).err().unwrap();
    assert!(missing.to_string().contains("No such file"), "{missing}");
}

#[test]
fn a_language_the_model_does_not_know_is_refused() {
    let path = test_model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin");
    let config = SttConfig { language: "de".into(), ..SttConfig::default() };
    let error = Whisper::load(&path, &config).err().unwrap().to_string();
    assert!(error.contains("hear.stt.model = \"base\""), "{error}");
}

/// `text` in one of flite's voices, at 16 kHz, with a little silence around.
fn flite(voice: &str, text: &str) -> Vec<f32> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let mut command = std::process::Command::new("flite");
    let status = command.args(["-voice", voice, "-t", text, "-o"]).arg(&file).status();
    assert!(status.is_ok_and(|s| s.success()), "flite is installed (apt-get install flite)");
    let said = joi_audio::read_wav(&file, joi_audio::RATE).unwrap();
    [vec![0.0; 4_000], said, vec![0.0; 8_000]].concat()
}

#[test]
fn what_is_said_in_one_breath_with_the_phrase_is_understood_without_it() {
    let asked = [
        "what time is it",
        "why is the sky blue",
        "set a timer for five minutes",
        "stop",
        "turn off the kitchen light",
        "",
    ];
    let mut whisper = tiny();
    let mut right = 0;
    for voice in ["rms", "slt", "kal16"] {
        for text in asked {
            let utterance = Utterance {
                lead: Some("hey jarvis".into()),
                samples: flite(voice, &format!("hey jarvis {text}.")).into(),
                ..job(3, 1, 0, DecodeUrgency::Final).utterance
            };
            let transcript = whisper.understand(&utterance, &AtomicBool::new(false)).unwrap();
            assert_eq!((transcript.generation, transcript.revision), (3, 1));
            let rest = strip_phrase(&transcript.text, &["hey jarvis"]);
            right += usize::from(words(&rest.replace('5', "five")) == words(text));
            eprintln!("{voice}: {text:30} {}", transcript.text);
        }
    }
    assert!(right >= 15, "{right} of 18");
}
