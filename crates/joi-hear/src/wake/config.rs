//! `[hear.wake]`: wake phrases. Plain data, read once at the start.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::TEMPLATES_ARE_BUILT_IN;
use crate::score;
use joi_base::problem::Problem;

/// A phrase with a model of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StockPhrase {
    /// Written form, lower case: "hey jarvis".
    pub phrase: &'static str,
    /// The model's name in the manifest.
    pub model: &'static str,
    /// The model's file.
    pub file: &'static str,
    /// Mean probability above which the phrase counts as said, 0..1.
    pub cutoff: f32,
    /// From the crossing to the end of the phrase, in milliseconds: each model has a lag of its own.
    pub end_ms: i32,
    /// The phrases its model can reject.
    pub unlike: Option<Unlike>,
}

/// Which phrases sound is not when a model finds it too unlike its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unlike {
    /// Log-odds of the model below which sound is none of the phrases.
    pub below: f32,
    /// The phrases this was measured for, in lower case.
    pub phrases: &'static [&'static str],
}

/// The phrases with models of their own, with the cutoffs their maker recommends. Of 152 "hey joi" by 13 voices that the
/// scorer knew, in a quiet room, beside a fan and in a crowd, the model of "hey jarvis" gave none less than −9.3.
pub const STOCK: [StockPhrase; 4] = [
    StockPhrase {
        phrase: "hey jarvis",
        model: "wake-hey-jarvis",
        file: "hey_jarvis.tflite",
        cutoff: 0.97,
        end_ms: -150,
        unlike: Some(Unlike { below: -11.0, phrases: &["hey joi", "hey jarvis"] }),
    },
    StockPhrase {
        phrase: "alexa",
        model: "wake-alexa",
        file: "alexa.tflite",
        cutoff: 0.9,
        end_ms: -190,
        unlike: None,
    },
    StockPhrase {
        phrase: "hey mycroft",
        model: "wake-hey-mycroft",
        file: "hey_mycroft.tflite",
        cutoff: 0.95,
        end_ms: 270,
        unlike: None,
    },
    StockPhrase {
        phrase: "okay nabu",
        model: "wake-okay-nabu",
        file: "okay_nabu.tflite",
        cutoff: 0.85,
        end_ms: 0,
        unlike: None,
    },
];

/// How phrases are listened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WakeMode {
    /// `scored` where the machine is fast enough, which is measured once; else `stock`.
    #[default]
    Auto,
    /// Only phrases with a model of their own; where a model is unsure, the scorer decides.
    Stock,
    /// Any written phrase: wherever a voice begins, the scorer runs.
    Scored,
}

/// Settings of wake phrase detection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WakeConfig {
    /// The wake phrases, at least one, of one to five words each. "hey jarvis", "alexa", "hey mycroft" and "okay nabu"
    /// have models of their own and cost about 0.3 % of a core; for all others together a scorer runs up to twelve times
    /// a minute while people talk. A cutoff of 0.5 to 0.99 (of the model) or a margin of -6 to 0 (of the scorer, -3 by
    /// itself) can be added: higher means fewer false alarms and more misses; alike = ["hey joey"], further ways to
    /// write what is said; and rpw = "/home/me/hey_joi.rpw", recordings of the phrase as rustpotter keeps them, which
    /// it is known by where phrases are not scored.
    pub phrases: Vec<WakePhrase>,
    /// How phrases are detected: "stock" (only those with a model), "scored" (all of them), or "auto": scored where
    /// the machine is fast enough, which is measured once, but for voices that can be neither "hey joi" nor "hey
    /// jarvis", where there are no other phrases.
    pub mode: WakeMode,
    /// Seconds after a detection in which the same phrase is not detected again, 0.5 to 10. Raising it hides
    /// double detections, and ignores a second try for longer.
    pub refractory: f64,
    /// Least cutoff during playback, 0.5 to 0.99. Raising it makes playback and the television interrupt
    /// less, and the user too.
    pub strict_cutoff: f32,
}

/// One wake phrase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WakePhrase {
    /// Written form: one to five words of letters. "hey jarvis", "alexa", "hey mycroft" and "okay nabu" have
    /// models of their own.
    pub name: String,
    /// Mean probability of the model above which the phrase counts as said, 0.5 to 0.99; the model's own when
    /// left out. Raising it gives fewer false alarms and more misses. Of recordings (`rpw`) the likeness, which is lower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<f32>,
    /// Margin of the scorer from which on the phrase counts as said, −6 to 0; −3 when left out. Raising it
    /// gives fewer false alarms and more misses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f32>,
    /// Further ways to write what is said, for a name that English would spell otherwise: "hey joey".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<String>,
    /// An `.rpw` file of rustpotter: recordings of the phrase, for machines that are too slow to score it. An absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpw: Option<PathBuf>,
}

impl Default for WakeConfig {
    fn default() -> Self {
        Self {
            phrases: vec![WakePhrase::new("hey joi"), WakePhrase::new("hey jarvis")],
            mode: WakeMode::Auto,
            refractory: 2.0,
            strict_cutoff: 0.97,
        }
    }
}

impl WakePhrase {
    /// Creates a phrase with nothing else set.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), cutoff: None, margin: None, alike: Vec::new(), rpw: None }
    }

    /// Returns the ways it is written in a transcript, lower case, its own first.
    pub fn written(&self) -> Vec<String> {
        let all = score::spellings(&self.name.to_lowercase(), &self.alike);
        all.iter().filter(|form| !form.contains(',')).map(|form| form.trim().to_lowercase()).collect()
    }

    /// Returns whether its model rejects sound that is too unlike the phrase. Phrases with other spellings, or fitted to
    /// a voice, were not measured.
    pub fn can_reject(&self) -> bool {
        let name = self.name.to_lowercase();
        let is_known =
            |stock: &StockPhrase| stock.unlike.is_some_and(|unlike| unlike.phrases.contains(&name.as_str()));
        self.alike.is_empty() && self.margin.is_none() && STOCK.iter().any(is_known)
    }

    /// Returns the model for it, if there is one. Upper case and extra spaces don't matter.
    pub fn stock(&self) -> Option<&'static StockPhrase> {
        let name = self.name.to_lowercase();
        let name: Vec<_> = name.split_whitespace().collect();
        STOCK.iter().find(|s| s.phrase.split(' ').eq(name.iter().copied()))
    }
}

impl WakeConfig {
    /// Returns all problems of these settings.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.phrases.is_empty() {
            let allowed = "at least one phrase";
            problems.push(Problem::new("hear.wake.phrases", "empty", allowed));
        }
        for phrase in &self.phrases {
            problems.extend(no_phrase("hear.wake.phrases.name", &phrase.name));
            problems
                .extend(phrase.alike.iter().filter_map(|form| no_phrase("hear.wake.phrases.alike", form)));
            if let Some(margin) = phrase.margin {
                let key = "hear.wake.phrases.margin";
                problems.extend(Problem::outside(key, round(margin), -6.0..=0.0, ""));
            }
            if let Some(rpw) = phrase.rpw.as_ref().filter(|rpw| !rpw.is_absolute()) {
                let (key, value) = ("hear.wake.phrases.rpw", format!("\"{}\"", rpw.display()));
                problems.push(Problem::new(
                    key,
                    value,
                    "an absolute path, for example \"/home/me/hey_joi.rpw\"",
                ));
            }
            if let Some(cutoff) = phrase.cutoff {
                let key = "hear.wake.phrases.cutoff";
                problems.extend(Problem::outside(key, round(cutoff), 0.5..=0.99, ""));
            }
        }
        let has_means = |phrase: &WakePhrase| {
            phrase.stock().is_some() || (phrase.rpw.is_some() && TEMPLATES_ARE_BUILT_IN)
        };
        if self.mode == WakeMode::Stock && !self.phrases.iter().any(has_means) {
            let all: Vec<_> = STOCK.iter().map(|s| format!("\"{}\"", s.phrase)).collect();
            let allowed = format!("with mode = \"stock\" at least one of {}", all.join(", "));
            problems.push(
                Problem::new("hear.wake.phrases", "without a phrase that has a model", allowed)
                    .remedy("Or set hear.wake.mode = \"auto\"."),
            );
        }
        problems.extend(Problem::outside("hear.wake.refractory", self.refractory, 0.5..=10.0, "s"));
        let strict = round(self.strict_cutoff);
        problems.extend(Problem::outside("hear.wake.strict_cutoff", strict, 0.5..=0.99, ""));
        problems
    }
}

/// Without the digits that only the widening to f64 adds.
fn round(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

fn no_phrase(key: &str, name: &str) -> Option<Problem> {
    let allowed = "one to five words of letters, 3 to 40 characters, for example \"hey joi\"";
    score::normal(name).is_none().then(|| Problem::new(key, format!("\"{name}\""), allowed))
}
