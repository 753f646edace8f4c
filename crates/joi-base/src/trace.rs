//! The record of one turn: latency per stage, decisions and their reasons.
//!
//! Plain data, filled by the channel that runs the turn, stored by `store`, shown by `joi why` and `joi
//! bench`. It never waits and reads no clock: times are passed in.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::message::{Channel, TurnId};

/// A stage that every turn passes at most once, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The wake phrase was detected.
    Wake,
    /// The last loud 10 ms of what was said: the other stages count from its end.
    SpeechEnd,
    /// The end of the utterance was decided.
    Endpoint,
    /// The transcript was complete.
    Transcript,
    /// The model's first token (absent when no model was asked).
    FirstToken,
    /// The first complete sentence.
    FirstSentence,
    /// The device took the first sample of the answer.
    FirstSample,
    /// The first 10 ms that are not silent are heard: behind the silence in front of them and the device's own latency.
    Audible,
    /// The last sample was played, or the last character shown.
    End,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 9] = [
        Self::Wake,
        Self::SpeechEnd,
        Self::Endpoint,
        Self::Transcript,
        Self::FirstToken,
        Self::FirstSentence,
        Self::FirstSample,
        Self::Audible,
        Self::End,
    ];

    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wake => "wake",
            Self::SpeechEnd => "speech end",
            Self::Endpoint => "endpoint",
            Self::Transcript => "transcript",
            Self::FirstToken => "first token",
            Self::FirstSentence => "first sentence",
            Self::FirstSample => "first sample",
            Self::Audible => "audible",
            Self::End => "end",
        }
    }
}

/// One stage with its time, in milliseconds since the turn's origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Which stage.
    pub stage: Stage,
    /// Milliseconds since the origin; negative before it (the wake phrase).
    pub ms: f64,
}

/// One decision and its reason, in the words `joi why` shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The part that decided, for example `intents`.
    pub stage: String,
    /// The decision, for example `time`.
    pub verdict: String,
    /// Why, in a few words.
    pub reason: String,
}

impl Decision {
    /// Creates a decision with its reason.
    pub fn new(stage: &str, verdict: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { stage: stage.into(), verdict: verdict.into(), reason: reason.into() }
    }
}

/// The cost of a model call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// Its purpose: `answer`, `choice`, `planner`, `router`, `extractor`, a digest, `profile`.
    #[serde(default)]
    pub purpose: String,
    /// The model's name.
    pub model: String,
    /// `ollama` or `local`.
    pub backend: String,
    /// Prompt tokens, including those cached from an earlier call.
    pub prompt_tokens: u64,
    /// Cached prompt tokens. Reported by `joi-model`, not by Ollama.
    #[serde(default)]
    pub cached_tokens: Option<u64>,
    /// Time spent evaluating the prompt, in milliseconds.
    pub prompt_ms: f64,
    /// Generated tokens.
    pub reply_tokens: u64,
    /// Time spent generating, in milliseconds.
    pub reply_ms: f64,
}

impl ModelUse {
    /// Prompt tokens that had to be evaluated: an upper bound where the server does not report cached ones.
    pub fn evaluated(&self) -> u64 {
        self.prompt_tokens.saturating_sub(self.cached_tokens.unwrap_or(0))
    }
}

/// A tool call of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// Its arguments, redacted.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Its outcome: `done`, `failed`, `refused`, `asked`, `repeated`.
    pub outcome: String,
    /// Why, in a few words; empty when it is done.
    pub reason: String,
    /// How long it ran, in milliseconds.
    pub ms: f64,
}

/// The record of one turn, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// Which turn.
    pub id: TurnId,
    /// Its channel.
    pub channel: Channel,
    /// Wall clock at its origin, RFC 3339.
    pub at: String,
    /// The words heard or typed, redacted.
    pub heard: String,
    /// The answer, redacted.
    pub reply: String,
    /// Times, in the order of [`Stage`].
    pub marks: Vec<Mark>,
    /// Decisions, in the order they were made.
    pub decisions: Vec<Decision>,
    /// Model calls, in order.
    pub model_use: Vec<ModelUse>,
    /// Tool calls, in order.
    #[serde(default)]
    pub tool_use: Vec<ToolUse>,
}

impl TurnRecord {
    /// Returns whether the words were heard and left unanswered; then they were not stored.
    pub fn was_dismissed(&self) -> bool {
        self.heard.is_empty() && self.reply.is_empty() && self.marks.is_empty()
    }

    /// Returns when it was over, where its time can be read.
    pub fn ended(&self) -> Option<Timestamp> {
        let last = self.marks.iter().map(|mark| mark.ms).fold(0.0, f64::max);
        let at: Timestamp = self.at.parse().ok()?;
        at.checked_add(SignedDuration::try_from_secs_f64(last / 1e3).ok()?).ok()
    }

    /// Returns when the turn passed `stage`, in milliseconds after the last word.
    pub fn moment(&self, stage: Stage) -> Option<f64> {
        self.marks.iter().find(|mark| mark.stage == stage).map(|mark| mark.ms)
    }
}

/// Fills a [`TurnRecord`] while the turn runs.
#[derive(Debug, Clone)]
pub struct Trace {
    origin: Instant,
    marks: Vec<Mark>,
    /// Decisions, in the order they were made.
    pub decisions: Vec<Decision>,
    /// Model calls, in order.
    pub model_use: Vec<ModelUse>,
    /// Tool calls, in order.
    pub tool_use: Vec<ToolUse>,
}

impl Trace {
    /// Creates a trace whose times count from `origin`: the end of speech, or the moment text was entered.
    pub fn starting(origin: Instant) -> Self {
        Self { origin, marks: Vec::new(), decisions: Vec::new(), model_use: Vec::new(), tool_use: Vec::new() }
    }

    /// Records that `stage` was passed at `at`. Only the first call for a stage counts.
    pub fn mark(&mut self, stage: Stage, at: Instant) {
        if self.marks.iter().any(|m| m.stage == stage) {
            return;
        }
        let ms = match at.checked_duration_since(self.origin) {
            Some(after) => after.as_secs_f64() * 1e3,
            None => -(self.origin.duration_since(at).as_secs_f64() * 1e3),
        };
        self.marks.push(Mark { stage, ms });
        self.marks.sort_by_key(|m| m.stage);
    }

    /// Returns how long ago the origin was at `now`.
    pub fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.origin)
    }

    /// Returns the times so far, in the order of [`Stage`].
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Records a decision.
    pub fn decide(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_over_with_its_last_mark() {
        let mark = |stage, ms| Mark { stage, ms };
        let mut record = TurnRecord {
            id: TurnId(1),
            channel: Channel::Voice,
            at: "2026-11-02T07:00:01Z".into(),
            heard: String::new(),
            reply: String::new(),
            marks: vec![mark(Stage::Wake, -900.0), mark(Stage::Audible, 480.0), mark(Stage::End, 2500.0)],
            decisions: vec![],
            model_use: vec![],
            tool_use: vec![],
        };
        assert_eq!(record.ended(), "2026-11-02T07:00:03.5Z".parse().ok());
        record.marks.truncate(1);
        assert_eq!(record.ended(), record.at.parse().ok());
        record.at = "yesterday".into();
        assert_eq!(record.ended(), None);
    }

    #[test]
    fn marks_keep_the_order_of_the_stages_and_only_the_first_note() {
        let origin = Instant::now() + Duration::from_secs(10);
        let mut trace = Trace::starting(origin);
        trace.mark(Stage::Transcript, origin + Duration::from_millis(400));
        trace.mark(Stage::Wake, origin - Duration::from_millis(1500));
        trace.mark(Stage::Transcript, origin + Duration::from_millis(900));
        assert_eq!(
            trace.marks(),
            [Mark { stage: Stage::Wake, ms: -1500.0 }, Mark { stage: Stage::Transcript, ms: 400.0 }]
        );
    }
}
