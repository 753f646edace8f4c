//! Writes into the record of a turn when its question was spoken and understood, and why it was answered.
//!
//! Pure: no I/O, no clock.

use std::time::Duration;

use super::signals::{Judged, SpokenQuestion};
use joi_base::trace::{Decision, Stage, Trace};
use joi_understand::intents::Completeness;

/// The end is a moment of the sound, which is heard some frames later.
const HEARD: Duration = Duration::from_millis(64);

/// A trace with everything that happened before the question was understood.
pub(super) fn first_marks(question: &SpokenQuestion) -> Trace {
    let mut trace = Trace::starting(question.speech_ended);
    if let Some(woke) = question.woke {
        trace.mark(Stage::Wake, woke);
    }
    trace.mark(Stage::SpeechEnd, question.speech_ended);
    trace.mark(Stage::Endpoint, question.decided);
    trace.mark(Stage::Transcript, question.known.max(question.decided));
    let silence = question.decided.saturating_duration_since(question.voice_ended).as_millis();
    let meaning = match question.meaning {
        Completeness::Complete => "a whole command",
        Completeness::Amendable | Completeness::Open => "a whole command that could go on",
        Completeness::Incomplete => "the beginning of a command",
        Completeness::Question => "a whole question",
        Completeness::Sentence => "a whole sentence",
        Completeness::Free | Completeness::Unknown => "silence",
    };
    // What the words mean has ended the utterance only where they were known by then.
    let late = question.known.saturating_duration_since(question.decided);
    let (meaning, came) = if late > HEARD {
        ("silence", format!("; the words came {} ms later", late.as_millis()))
    } else {
        (meaning, String::new())
    };
    let ended = Decision::new("endpoint", meaning, format!("ended by {silence} ms of silence{came}"));
    for decision in std::iter::once(ended).chain(decisions(&question.judged)) {
        trace.decide(decision);
    }
    trace
}

/// What whisper and the judge have decided.
pub(super) fn decisions(judged: &Judged) -> Vec<Decision> {
    let heard = &judged.transcript;
    let whisper = Decision::new(
        "whisper",
        if heard.ran_away { "the decoder went in circles" } else { "decoded once" },
        format!(
            "mean log-probability {:.2}, no-speech {:.2}, audio context {}, {:.0} ms",
            heard.mean_logprob,
            heard.no_speech,
            heard.audio_ctx,
            heard.took.as_secs_f64() * 1e3
        ),
    );
    let judgement = &judged.judgement;
    let judge = Decision::new("judge", judgement.verdict.name(), judgement.reason.as_str());
    [whisper, judge].into_iter().chain(judged.look.clone()).collect()
}
