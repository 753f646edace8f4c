//! A second look with the real scorer at what flite says, and with a thread that is busy.

use super::*;
use joi_audio::read_wav;
use joi_base::message::{OpenedBy, Transcript};
use joi_base::pulse::Heart;
use joi_hear::judge::Judgement;
use joi_hear::testing::model;
use joi_hear::whisper::{Stt, SttConfig, Whisper};
use joi_language::testing::in_english;

fn stt() -> Stt {
    let whisper = Whisper::load(&model("whisper-tiny.en", "ggml-tiny.en-q8_0.bin"), &SttConfig::default());
    Stt::spawn(whisper.unwrap(), Heart::unwatched()).unwrap().0
}

/// What flite says, with half a second of silence on both sides.
fn utterance(revision: u32, voice: &str, text: &str) -> Utterance {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let flite =
        std::process::Command::new("flite").args(["-voice", voice, "-t", text, "-o"]).arg(&file).status();
    assert!(flite.is_ok_and(|status| status.success()), "flite is installed (apt-get install flite)");
    let said = read_wav(&file, RATE).unwrap();
    let voiced = said.len() as u64;
    Utterance {
        generation: 1,
        revision,
        opened_by: OpenedBy::Request,
        lead: None,
        samples: [vec![0.0; 8_000], said, vec![0.0; 8_000]].concat().into(),
        begins_at: 16_000,
        speech_begins_at: 24_000,
        speech_ends_at: 24_000 + voiced,
        voiced,
        voice: 1.0,
        captured: Instant::now(),
    }
}

fn judged(revision: u32, text: &str) -> Judged {
    let transcript = Transcript {
        language: None,
        generation: 1,
        revision,
        text: text.into(),
        mean_logprob: -0.2,
        no_speech: 0.01,
        audio_ctx: 384,
        ran_away: false,
        took: Duration::from_millis(300),
    };
    let judgement = Judgement { verdict: JudgeVerdict::Addressed(text.into()), reason: "a test".into() };
    Judged { transcript, judgement, sound: None, look: None, is_unsure: false }
}

fn words(judged: &Judged) -> (&str, &str) {
    let look = judged.look.as_ref().map_or("none", |decision| decision.verdict.as_str());
    (text_of(&judged.judgement.verdict).unwrap(), look)
}

const MINUTE: Option<Duration> = Some(Duration::from_secs(60));

#[tokio::test]
async fn the_sound_settles_what_was_almost_a_command() {
    let stt = stt();
    let mut look = SecondLook::new(stt.lender(), in_english(), MINUTE);
    for (revision, voice, said, written, expected) in [
        // Two that the model itself writes so, and the issue's own.
        (0, "slt", "turn off the alarm", "Turned off the alarm.", ("Turn off the alarm.", "settled")),
        (
            1,
            "kal",
            "cancel the pasta timer",
            "cancelled the pasta timer.",
            ("cancel the pasta timer.", "settled"),
        ),
        (
            2,
            "rms",
            "set a timer for nine minutes",
            "Said a timer for nine minutes.",
            ("Set a timer for nine minutes.", "settled"),
        ),
        // Somebody did say the other word.
        (3, "rms", "burn off the alarm", "Burn off the alarm.", ("Burn off the alarm.", "not sure")),
    ] {
        let utterance = utterance(revision, voice, said);
        assert_eq!(look.begin(judged(revision, written), Some(&utterance)), None, "{written}");
        let came = look.next().await;
        assert_eq!(words(&came), expected, "{came:?}");
        let reason = &came.look.as_ref().unwrap().reason;
        assert!(!reason.contains("nine") && !reason.contains("pasta"), "it quotes nobody: {reason}");
        // The end of the utterance brings the same transcript once more.
        assert_eq!(look.begin(judged(revision, written), Some(&utterance)), Some(came));
    }
}

#[tokio::test]
async fn what_needs_no_look_goes_through_at_once() {
    let stt = stt();
    let utterance = utterance(0, "rms", "stop");
    let mut look = SecondLook::new(stt.lender(), in_english(), MINUTE);
    for text in
        ["why is the sky blue", "set a timer for nine minutes", "did you said a timer for nine minutes"]
    {
        assert_eq!(look.begin(judged(0, text), Some(&utterance)), Some(judged(0, text)));
    }
    let almost = judged(0, "said a timer for nine minutes");
    assert_eq!(look.begin(almost.clone(), None), Some(almost.clone()), "without its sound");
    let mut never = SecondLook::new(stt.lender(), in_english(), None);
    assert_eq!(never.begin(almost.clone(), Some(&utterance)), Some(almost.clone()), "switched off");
    let mut long = utterance;
    long.samples = vec![0.0; 200_000].into();
    long.speech_ends_at = long.begins_at + 190_000;
    assert_eq!(look.begin(almost.clone(), Some(&long)), Some(almost), "more than the scorer hears");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_late_is_not_waited_for_and_an_older_one_is_dropped() {
    let stt = stt();
    let utterance = utterance(0, "rms", "set a timer");
    let mut look = SecondLook::new(stt.lender(), in_english(), Some(Duration::from_millis(600)));
    let (release, released) = std::sync::mpsc::channel::<()>();
    assert!(stt.lender().lend(move |_| _ = released.recv()));
    let almost = judged(0, "said a timer for nine minutes");
    assert_eq!(look.begin(almost, Some(&utterance)), None);
    assert_eq!(words(&look.next().await), ("said a timer for nine minutes", "late"));
    let again = judged(1, "said a timer for nine minutes");
    assert_eq!(look.begin(again, Some(&utterance)), None);
    look.drop_before((1, 2));
    assert!(look.open.is_none());
    // The thread has ended before it looked.
    let last = judged(2, "said a timer for nine minutes");
    assert_eq!(look.begin(last, Some(&utterance)), None);
    drop(stt);
    drop(release);
    let came = look.next().await;
    assert_eq!(words(&came), ("said a timer for nine minutes", "failed"), "{came:?}");
}
