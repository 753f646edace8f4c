use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use super::super::wake::strip_phrase;
use super::worker::{Transcriber, spawn_with};
use super::*;
use crate::audio::RATE;
use crate::message::{OpenedBy, Utterance};
use crate::models::test_model;
use crate::pulse::Heart;

const JFK: &str = "And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country.";

pub(super) fn jfk() -> Vec<f32> {
    let reader = hound::WavReader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jfk.wav")).unwrap();
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
    let quiet = AtomicBool::new(false);
    for length in [0, 1, 15_999, 40_000] {
        let transcript = whisper.transcribe(&vec![0.0; length], &quiet).unwrap();
        assert!(transcript.text.len() < 100, "{length} samples: {}", transcript.text);
    }
    let odd = [f32::NAN, f32::INFINITY, -1e30, 1e30].repeat(4000);
    assert!(whisper.transcribe(&odd, &quiet).is_ok());
    assert_eq!(words(&whisper.transcribe(&jfk(), &quiet).unwrap().text), words(JFK));
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

/// Answers with the number of samples; waits for a go-ahead first, or for the abort flag.
struct Scripted {
    begun: Sender<usize>,
    go: Receiver<()>,
}

impl Transcriber for Scripted {
    fn understand(&mut self, utterance: &Utterance, abort: &AtomicBool) -> Result<Transcript, SttError> {
        let Utterance { samples, generation, revision, .. } = utterance;
        self.begun.send(samples.len()).unwrap();
        loop {
            if abort.load(Ordering::Relaxed) {
                return Err(SttError::Aborted);
            }
            match self.go.recv_timeout(Duration::from_millis(1)) {
                Ok(()) => return Ok(said(samples.len(), *generation, *revision)),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(e) => return Err(SttError::Failed(e.to_string())),
            }
        }
    }
}

fn said(length: usize, generation: u64, revision: u32) -> Transcript {
    Transcript {
        language: None,
        generation,
        revision,
        text: length.to_string(),
        mean_logprob: 0.0,
        no_speech: 0.0,
        audio_ctx: 384,
        ran_away: false,
        took: Duration::ZERO,
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

struct Bench {
    stt: Stt<Scripted>,
    events: tokio::sync::mpsc::Receiver<SttEvent>,
    begun: Receiver<usize>,
    go: Sender<()>,
}

impl Bench {
    fn new() -> Self {
        let ((begun_sender, begun), (go, go_receiver)) = (channel(), channel());
        let scripted = Scripted { begun: begun_sender, go: go_receiver };
        let (stt, events) = spawn_with(scripted, Heart::unwatched()).unwrap();
        Self { stt, events, begun, go }
    }

    fn event(&mut self) -> SttEvent {
        self.events.blocking_recv().unwrap()
    }
}

fn event(generation: u64, revision: u32, length: usize, urgency: DecodeUrgency) -> SttEvent {
    SttEvent { generation, revision, urgency, result: Ok(said(length, generation, revision)) }
}

#[test]
fn a_final_job_is_answered_by_the_speculative_result_of_its_revision() {
    let mut bench = Bench::new();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.submit(job(1, 0, 12, DecodeUrgency::Final));
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(1, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.event(), event(1, 0, 10, DecodeUrgency::Final));
    assert!(bench.begun.try_recv().is_err(), "nothing was decoded twice");
    drop(bench.stt);
}

#[test]
fn a_newer_revision_or_generation_aborts_the_running_decode_and_voids_its_result() {
    let mut bench = Bench::new();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.submit(job(1, 1, 20, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(20));
    bench.stt.submit(job(2, 0, 30, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(30));
    bench.stt.submit(job(1, 7, 40, DecodeUrgency::Final));
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(2, 0, 30, DecodeUrgency::Final));
    drop(bench.stt);
}

#[test]
fn speech_that_goes_on_voids_the_speculative_result() {
    let mut bench = Bench::new();
    bench.stt.submit(job(3, 0, 10, DecodeUrgency::Speculative));
    assert_eq!(bench.begun.recv(), Ok(10));
    bench.stt.cancel_before(3, 1);
    bench.stt.submit(job(3, 0, 10, DecodeUrgency::Final));
    bench.stt.submit(job(3, 1, 25, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(25));
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(3, 1, 25, DecodeUrgency::Final));
    drop(bench.stt);
}

#[test]
fn dropping_the_handle_ends_the_thread_and_the_events() {
    let mut bench = Bench::new();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(10));
    drop(bench.stt);
    assert_eq!(bench.begun.try_recv(), Err(TryRecvError::Disconnected), "the model is gone by then");
    assert_eq!(bench.events.blocking_recv(), None);
}

#[test]
fn the_model_is_lent_after_the_transcriptions_and_never_when_the_thread_has_ended() {
    let mut bench = Bench::new();
    let lender = bench.stt.lender();
    bench.stt.submit(job(1, 0, 10, DecodeUrgency::Final));
    assert_eq!(bench.begun.recv(), Ok(10));
    let (done, when) = channel();
    for n in 0..4 {
        let done = done.clone();
        assert!(lender.lend(move |_: &mut Scripted| done.send(n).unwrap()));
    }
    assert!(!lender.lend(|_| unreachable!("a fifth one is refused")));
    assert!(when.try_recv().is_err(), "the transcription goes first");
    bench.go.send(()).unwrap();
    assert_eq!(bench.event(), event(1, 0, 10, DecodeUrgency::Final));
    drop(done);
    assert_eq!(when.iter().collect::<Vec<i32>>(), [0, 1, 2, 3]);
    drop(bench.stt);
    assert!(!lender.lend(|_| unreachable!("nobody would do it")));
}

#[test]
fn the_real_model_works_on_its_thread() {
    let (stt, mut events) = Stt::spawn(tiny(), Heart::unwatched()).unwrap();
    let samples: Arc<[f32]> = jfk().into();
    let mut queue: VecDeque<DecodeUrgency> = [DecodeUrgency::Speculative, DecodeUrgency::Final].into();
    while let Some(urgency) = queue.pop_front() {
        let mut job = job(5, 2, 0, urgency);
        job.utterance.samples = Arc::clone(&samples);
        assert_eq!(samples.len(), 11 * RATE as usize);
        stt.submit(job);
        let event = events.blocking_recv().unwrap();
        let transcript = event.result.unwrap();
        assert_eq!((event.generation, event.revision, event.urgency), (5, 2, urgency));
        assert_eq!((transcript.generation, transcript.revision), (5, 2));
        assert_eq!(words(&transcript.text), words(JFK));
    }
    drop(stt);
}

/// `text` in one of flite's voices, at 16 kHz, with a little silence around.
fn flite(voice: &str, text: &str) -> Vec<f32> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let mut command = std::process::Command::new("flite");
    let status = command.args(["-voice", voice, "-t", text, "-o"]).arg(&file).status();
    assert!(status.is_ok_and(|s| s.success()), "flite is installed (apt-get install flite)");
    let said = crate::audio::read_wav(&file, crate::audio::RATE).unwrap();
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
