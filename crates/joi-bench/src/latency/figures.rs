//! Where an utterance ends and an answer begins in recordings, and what many turns come to.
//! Pure: no I/O, no clock.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use joi_base::trace::{Stage, TurnRecord};
use serde_json::{Value, json};

use super::server::Levels;

/// A block this much softer than the loudest of its utterance is no speech any more.
const SOFT_DB: f32 = 35.0;
/// Sound softer than this is silence in any case.
const SILENCE_DB: f32 = -50.0;

/// When the last loud block of what was said from `since` on was over; nothing when nothing was loud.
pub(super) fn last_loud(microphone: &Levels, since: Instant) -> Option<Instant> {
    let first = microphone.index(since);
    let blocks = microphone.since(first);
    let loudest = blocks.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let limit = (loudest - SOFT_DB).max(SILENCE_DB);
    let last = blocks.iter().rposition(|db| *db > limit)?;
    microphone.moment(first + last + 1)
}

/// When the first loud block from `since` on begins.
pub(super) fn first_loud(loudspeaker: &Levels, since: Instant) -> Option<Instant> {
    let first = loudspeaker.index(since);
    let at = loudspeaker.since(first).iter().position(|db| *db > SILENCE_DB)?;
    loudspeaker.moment(first + at)
}

/// Whether the loudspeaker has been silent for the last `length`.
pub(super) fn is_silent_for(loudspeaker: &Levels, length: Duration) -> bool {
    let blocks = loudspeaker.since(0);
    let wanted = (length.as_millis() / super::server::BLOCK.as_millis()) as usize;
    let last = &blocks[blocks.len().saturating_sub(wanted)..];
    last.len() == wanted && last.iter().all(|db| *db <= SILENCE_DB)
}

/// One spoken turn.
#[derive(Debug, Clone)]
pub(super) struct MeasuredTurn {
    /// The spoken words.
    pub(super) words: String,
    /// By which voice.
    pub(super) voice: String,
    /// When the last loud block said was over; nothing when no answer was heard.
    pub(super) said_at: Option<Timestamp>,
    /// From the last loud block said to the first loud block heard; nothing when no answer was heard.
    pub(super) audible: Option<Duration>,
    /// From the last loud block said to the command at the house; nothing where none came.
    pub(super) sent: Option<Duration>,
    /// The program's own record of it, where there is one.
    pub(super) record: Option<TurnRecord>,
}

impl MeasuredTurn {
    /// Milliseconds from outside.
    pub(super) fn ms(&self) -> Option<f64> {
        self.audible.map(|audible| audible.as_secs_f64() * 1e3)
    }

    /// Milliseconds until the command came to the house.
    pub(super) fn sent_ms(&self) -> Option<f64> {
        self.sent.map(|sent| sent.as_secs_f64() * 1e3)
    }

    /// Milliseconds at `stage` by the program's own record.
    pub(super) fn at(&self, stage: Stage) -> Option<f64> {
        self.record.as_ref()?.moment(stage)
    }

    /// How many milliseconds later than in the recording the program's own record has the end of the last word.
    pub(super) fn last_word_later(&self) -> Option<f64> {
        let told: Timestamp = self.record.as_ref()?.at.parse().ok()?;
        Some(told.duration_since(self.said_at?).as_secs_f64() * 1e3)
    }

    /// How many milliseconds earlier than in the recording the program's own record has the first sound, by the clock.
    pub(super) fn first_sound_earlier(&self) -> Option<f64> {
        Some(self.ms()? - self.at(Stage::Audible)? - self.last_word_later()?)
    }

    /// Returns the decision at that step, by the program's own record.
    pub(super) fn decided(&self, step: &str) -> Option<&str> {
        let decisions = &self.record.as_ref()?.decisions;
        decisions.iter().find(|decision| decision.stage == step).map(|decision| decision.verdict.as_str())
    }

    /// Whether a chat model had a part in the answer, where that is known.
    pub(super) fn asked_the_model(&self) -> Option<bool> {
        self.record.as_ref().map(|record| !record.model_use.is_empty())
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "words": self.words,
            "voice": self.voice,
            "audible_ms": self.ms(),
            "sent_ms": self.sent_ms(),
            "last_word_later_ms": self.last_word_later(),
            "first_sound_earlier_ms": self.first_sound_earlier(),
            "record": self.record,
        })
    }
}

/// What many figures come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    pub(super) count: usize,
    pub(super) least: f64,
    pub(super) median: f64,
    pub(super) p95: f64,
    pub(super) most: f64,
}

impl Spread {
    /// Of these; nothing of none.
    pub(super) fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let rank = |share: f64| sorted[((share * sorted.len() as f64).ceil() as usize).max(1) - 1];
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        Some(Self { count: sorted.len(), least, median: rank(0.5), p95: rank(0.95), most })
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        let Self { count, least, median, p95, most } = self;
        json!({ "turns": count, "least_ms": least, "median_ms": median, "p95_ms": p95, "most_ms": most })
    }
}

/// How many figures fall into each step of `step`, from 0 on.
pub(super) fn histogram(figures: &[f64], step: f64) -> Vec<usize> {
    let mut counts = Vec::new();
    for figure in figures {
        let at = (figure.max(0.0) / step) as usize;
        if counts.len() <= at {
            counts.resize(at + 1, 0);
        }
        counts[at] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_nearest_ranks() {
        let spread = Spread::of((1..=20).rev().map(f64::from)).unwrap();
        assert_eq!(spread, Spread { count: 20, least: 1.0, median: 10.0, p95: 19.0, most: 20.0 });
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn the_record_is_compared_with_the_recordings_at_both_ends() {
        let record = json!({
            "id": 1, "channel": "voice", "at": "2026-11-02T07:00:01.010Z", "heard": "stop", "reply": "", "decisions": [],
            "model_use": [], "marks": [{ "stage": "audible", "ms": 480.0 }],
        });
        let turn = MeasuredTurn {
            words: "stop".into(),
            voice: "slt".into(),
            said_at: Some("2026-11-02T07:00:01Z".parse().unwrap()),
            audible: Some(Duration::from_millis(500)),
            sent: None,
            record: Some(serde_json::from_value(record).unwrap()),
        };
        let close = |told: Option<f64>, wanted: f64| (told.unwrap() - wanted).abs() < 1e-6;
        assert!(close(turn.last_word_later(), 10.0) && close(turn.first_sound_earlier(), 10.0), "{turn:?}");
        assert_eq!(MeasuredTurn { record: None, ..turn }.first_sound_earlier(), None);
    }

    #[test]
    fn a_histogram_counts_by_steps() {
        assert_eq!(histogram(&[0.0, 99.0, 100.0, 350.0, -5.0], 100.0), [3, 1, 0, 1]);
        assert!(histogram(&[], 100.0).is_empty());
    }
}
