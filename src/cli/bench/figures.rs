//! Formats what was measured on a machine as a table to paste.
//! Pure: no I/O, no clock.

use serde::Serialize;

use crate::cli::latency::percentile;
use joi_base::trace::{Stage, TurnRecord};
use joi_hear::score::{BUDGET, ScorerTime};

/// One measured value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Figure {
    pub(super) what: String,
    /// Nothing where it could not be measured.
    pub(super) value: Option<f64>,
    pub(super) unit: &'static str,
}

/// A machine, and what was measured on it, in the order of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MachineFigures {
    /// Of this program.
    pub(super) version: &'static str,
    pub(super) machine: String,
    /// What answers questions.
    pub(super) mind: String,
    pub(super) figures: Vec<Figure>,
    /// What makes the figures worse than the machine is.
    pub(super) troubles: Vec<&'static str>,
}

impl MachineFigures {
    pub(super) fn add(&mut self, what: impl Into<String>, value: impl Into<Option<f64>>, unit: &'static str) {
        self.figures.push(Figure { what: what.into(), value: value.into(), unit });
    }

    /// How long the second stage of wake phrases takes, and what depends on it.
    pub(super) fn add_scorer(&mut self, time: &ScorerTime) {
        let up_to = BUDGET.as_millis();
        let what =
            format!("2 s of speech scored for wake phrases; up to {up_to} ms any written phrase is heard");
        self.add(what, time.millis as f64, "ms");
    }

    /// As a table in Markdown.
    pub(super) fn markdown(&self) -> String {
        let head =
            format!("Joi {} on {}; {}\n\n| measured | |\n|---|---|\n", self.version, self.machine, self.mind);
        let row = |figure: &Figure| {
            let value = figure
                .value
                .map_or_else(|| "–".into(), |value| format!("{} {}", rounded(value), figure.unit));
            format!("| {} | {value} |\n", figure.what)
        };
        let rows: String = self.figures.iter().map(row).collect();
        let troubles: String = self.troubles.iter().map(|trouble| format!("\nBesides: {trouble}.")).collect();
        head + rows.as_str() + &troubles
    }
}

/// Three digits that count.
fn rounded(value: f64) -> String {
    let places = match value.abs() {
        0.0..1.0 => 2,
        1.0..100.0 => 1,
        _ => 0,
    };
    format!("{value:.places$}")
}

/// Returns a turn that was answered by the language model.
pub(super) fn is_question(turn: &TurnRecord) -> bool {
    !turn.model_use.is_empty()
}

/// Returns a turn that needed none.
pub(super) fn is_command(turn: &TurnRecord) -> bool {
    turn.model_use.is_empty() && turn.decisions.iter().any(|decision| decision.stage == "intents")
}

/// Returns the median of the moment at which those of `turns` that `are_meant` came to `stage`, in milliseconds after
/// the last word.
pub(super) fn median(turns: &[TurnRecord], stage: Stage, are_meant: fn(&TurnRecord) -> bool) -> Option<f64> {
    let meant = turns.iter().filter(|turn| are_meant(turn));
    let mut all: Vec<f64> = meant.filter_map(|turn| turn.moment(stage)).collect();
    all.sort_by(f64::total_cmp);
    (!all.is_empty()).then(|| percentile(&all, 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_base::message::{Channel, TurnId};
    use joi_base::trace::{Decision, Mark, ModelUse};

    fn turn(ms: f64, model_use: Vec<ModelUse>, decisions: Vec<Decision>) -> TurnRecord {
        TurnRecord {
            id: TurnId(1),
            channel: Channel::Voice,
            at: String::new(),
            heard: "what time is it".into(),
            reply: "Noon.".into(),
            marks: vec![Mark { stage: Stage::FirstSample, ms }],
            decisions,
            model_use,
            tool_use: vec![],
        }
    }

    #[test]
    fn commands_and_questions_are_separated_and_the_median_counts() {
        let command = |ms| turn(ms, vec![], vec![Decision::new("intents", "Time", "a phrase")]);
        let question = turn(2_000.0, vec![ModelUse::default()], vec![]);
        let without_a_model = turn(100.0, vec![], vec![]);
        let turns = [command(900.0), command(300.0), without_a_model, command(400.0), question];
        assert_eq!(median(&turns, Stage::FirstSample, is_command), Some(400.0));
        assert_eq!(median(&turns, Stage::FirstSample, is_question), Some(2_000.0));
        assert_eq!(median(&turns, Stage::Audible, is_question), None);
        assert_eq!(median(&[], Stage::FirstSample, is_command), None);
    }

    #[test]
    fn the_table_can_be_pasted_and_names_what_is_missing() {
        let mut measured = MachineFigures {
            version: "1.0.0",
            machine: "a board, 4 cores".into(),
            mind: "a model is ready".into(),
            figures: vec![],
            troubles: vec!["the voltage is too low"],
        };
        measured.add("first chunk of her voice", 212.4, "ms");
        measured.add("real-time factor", 0.3149, "");
        measured.add("memory of the model server", None, "MB");
        measured.add_scorer(&ScorerTime { millis: 412 });
        assert_eq!(
            measured.markdown(),
            "Joi 1.0.0 on a board, 4 cores; a model is ready\n\n| measured | |\n|---|---|\n\
             | first chunk of her voice | 212 ms |\n| real-time factor | 0.31  |\n\
             | memory of the model server | – |\n\
             | 2 s of speech scored for wake phrases; up to 700 ms any written phrase is heard | 412 ms |\n\nBesides: the voltage is too low."
        );
    }
}
