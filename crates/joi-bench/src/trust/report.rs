//! The measurement as tables and as JSON.
//! Pure: no I/O, no clock.

use comfy_table::Table;
use serde_json::{Value, json};

use super::ears::TrustHeard;
use super::words::is_word;
use crate::bound::at_most;
use joi::cli::show;
use joi::cli::wake::noise::NoiseKind;
use joi::cli::wake::voices::Spoken;
use joi_hear::judge::{JudgeVerdict, Judgement};

/// An utterance that was made of noise.
pub(super) struct NoiseTrial {
    pub(super) kind: NoiseKind,
    pub(super) utterance: TrustHeard,
}

/// A word, and the utterances that were made of it.
pub(super) struct WordTrial {
    pub(super) spoken: Spoken,
    pub(super) heard: Vec<TrustHeard>,
}

impl WordTrial {
    /// Whether something was believed.
    fn is_trusted(&self) -> bool {
        self.heard
            .iter()
            .any(|heard| passes(&heard.follow_up) || heard.follow_up.verdict == JudgeVerdict::Stop)
    }

    /// Whether the words were right.
    fn is_understood(&self) -> bool {
        self.heard.iter().any(|heard| is_word(&heard.text, &self.spoken.word))
    }
}

/// The whole measurement.
pub(super) struct TrustReport {
    pub(super) seed: u64,
    pub(super) model: &'static str,
    pub(super) minutes: u32,
    pub(super) noise: Vec<NoiseTrial>,
    pub(super) words: Vec<WordTrial>,
}

impl TrustReport {
    pub(super) fn json(&self) -> Value {
        let heard = |heard: &TrustHeard| {
            let evidence = &heard.evidence;
            json!({
                "text": heard.text, "voiced_s": evidence.voiced.as_secs_f64(), "voice": evidence.voice,
                "no_speech": evidence.no_speech,
                "mean_logprob": evidence.mean_logprob, "ran_away": evidence.ran_away,
                "voice_db": evidence.voice_db, "quiet_db": evidence.quiet_db,
                "follow_up": [heard.follow_up.verdict.name(), heard.follow_up.reason],
                "after_wake": [heard.after_wake.verdict.name(), heard.after_wake.reason],
            })
        };
        let rate = |accepted: usize| {
            json!({
                "accepted": accepted, "per_hour": self.per_hour(accepted as f64),
                "per_hour_at_most": self.per_hour(at_most(accepted)),
            })
        };
        let noise: Vec<Value> = self
            .noise
            .iter()
            .map(|trial| json!({ "kind": trial.kind.name(), "heard": heard(&trial.utterance) }))
            .collect();
        let words: Vec<Value> = self
            .words
            .iter()
            .map(|trial| {
                json!({
                    "word": trial.spoken.word, "voice": trial.spoken.voice(), "group": trial.spoken.group.name(),
                    "trusted": trial.is_trusted(), "understood": trial.is_understood(),
                    "heard": trial.heard.iter().map(heard).collect::<Vec<_>>(),
                })
            })
            .collect();
        let voices: Vec<Value> = self
            .voices()
            .into_iter()
            .map(|(group, voice)| {
                let VerdictCounts { said, trusted, understood, kept } = self.counts(group, voice.as_deref());
                json!({ "group": group, "voice": voice, "said": said, "trusted": trusted, "understood": understood, "kept": kept })
            })
            .collect();
        json!({
            "seed": self.seed, "model": self.model,
            "noise": {
                "minutes": self.minutes, "utterances": self.noise.len(),
                "follow_up": rate(self.accepted(None, |heard| &heard.follow_up)),
                "after_wake": rate(self.accepted(None, |heard| &heard.after_wake)),
                "stops": self.noise.iter().filter(|trial| trial.utterance.follow_up.verdict == JudgeVerdict::Stop).count(),
                "heard": noise,
            },
            "words": { "voices": voices, "heard": words },
        })
    }

    /// One row per kind of noise.
    pub(super) fn noise_table(&self) -> Table {
        let mut table = show::table(["NOISE", "UTTERANCES", "AFTER AN ANSWER", "AFTER THE WAKE PHRASE"]);
        for kind in NoiseKind::ALL {
            let utterances = self.noise.iter().filter(|trial| trial.kind == kind).count();
            table.add_row([
                kind.name().to_owned(),
                utterances.to_string(),
                self.accepted(Some(kind), |heard| &heard.follow_up).to_string(),
                self.accepted(Some(kind), |heard| &heard.after_wake).to_string(),
            ]);
        }
        table
    }

    /// One row per voice and one per group.
    pub(super) fn word_table(&self) -> Table {
        let mut table = show::table(["VOICES", "VOICE", "WORDS", "TRUSTED", "UNDERSTOOD", "KEPT"]);
        for (group, voice) in self.voices() {
            let VerdictCounts { said, trusted, understood, kept } = self.counts(group, voice.as_deref());
            let row = [said, trusted, understood, kept].map(|count| count.to_string());
            table.add_row(
                [vec![group.to_owned(), voice.unwrap_or_else(|| "all".into())], row.to_vec()].concat(),
            );
        }
        table
    }

    /// What it comes to.
    pub(super) fn summary(&self) -> String {
        let line = |what: &str, accepted: usize| {
            format!(
                "{what}: {accepted} accepted in {} minutes of noise, at most {:.1} an hour (95 % sure)",
                self.minutes,
                self.per_hour(at_most(accepted))
            )
        };
        [
            line("after an answer", self.accepted(None, |heard| &heard.follow_up)),
            line("after the wake phrase", self.accepted(None, |heard| &heard.after_wake)),
            format!("{}, seed {}", self.model, self.seed),
        ]
        .join("\n")
    }

    fn accepted(&self, kind: Option<NoiseKind>, judgement: impl Fn(&TrustHeard) -> &Judgement) -> usize {
        let counts = |trial: &&NoiseTrial| {
            kind.is_none_or(|kind| kind == trial.kind) && passes(judgement(&trial.utterance))
        };
        self.noise.iter().filter(counts).count()
    }

    fn per_hour(&self, count: f64) -> f64 {
        if self.minutes == 0 { 0.0 } else { count * 60.0 / f64::from(self.minutes) }
    }

    /// Groups and their voices in order; no voice stands for all of the group.
    fn voices(&self) -> Vec<(&'static str, Option<String>)> {
        let mut rows: Vec<(&'static str, Option<String>)> = Vec::new();
        for trial in &self.words {
            let group = trial.spoken.group.name();
            for row in [(group, Some(trial.spoken.voice())), (group, None)] {
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        rows.sort_by_key(|(group, voice)| (*group != "tuned", voice.is_none()));
        rows
    }

    fn counts(&self, group: &str, voice: Option<&str>) -> VerdictCounts {
        let of = |trial: &&WordTrial| {
            trial.spoken.group.name() == group && voice.is_none_or(|voice| voice == trial.spoken.voice())
        };
        let mut counts = VerdictCounts::default();
        for trial in self.words.iter().filter(of) {
            counts.said += 1;
            counts.trusted += usize::from(trial.is_trusted());
            counts.understood += usize::from(trial.is_understood());
            counts.kept += usize::from(trial.is_trusted() && trial.is_understood());
        }
        counts
    }
}

#[derive(Debug, Default)]
struct VerdictCounts {
    said: usize,
    trusted: usize,
    understood: usize,
    kept: usize,
}

/// Whether joi would have answered.
fn passes(judgement: &Judgement) -> bool {
    matches!(judgement.verdict, JudgeVerdict::FollowUp(_) | JudgeVerdict::Addressed(_))
}
