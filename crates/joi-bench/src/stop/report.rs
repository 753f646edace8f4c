//! The outcomes of the trials, as tables. Pure but for the printing.

use std::collections::BTreeMap;

use serde_json::json;

use super::Switch;
use super::script::{EARLY, StopTrial, TrialKind};
use joi::cli::show;

/// What came of one trial.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// Seconds from the end of the word until joi is silent; nothing when joi speaks on.
    pub(super) silent_s: Option<f64>,
    /// Whether joi took it for an order to be silent, rather than for somebody who talks over joi.
    pub(super) is_order: bool,
    /// Seconds from the beginning of the word until joi speaks softly.
    pub(super) ducked_s: Option<f64>,
    /// Whether the canceller knew the room at the end.
    pub(super) converged: bool,
    /// Why joi stopped.
    pub(super) reason: Option<String>,
    /// How each stretch was judged, for whoever tunes it.
    pub(super) seen: Vec<String>,
}

impl Outcome {
    pub(super) fn json(&self, trial: &StopTrial) -> serde_json::Value {
        json!({
            "kind": format!("{:?}", trial.kind),
            "word": trial.cries.as_ref().map(|(_, word)| word),
            "voice": trial.cries.as_ref().map(|(speaker, _)| format!("{speaker:?}")),
            "level_db": trial.level_db,
            "begins_s": trial.begins.as_secs_f64(),
            "silent_s": self.silent_s,
            "is_order": self.is_order,
            "ducked_s": self.ducked_s,
            "converged": self.converged,
            "reason": self.reason,
            "seen": self.seen,
        })
    }
}

/// A row of the table.
#[derive(Debug, Default)]
struct StopRow {
    trials: usize,
    orders: usize,
    silent: Vec<f64>,
    ducked: Vec<f64>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct StopTally {
    rows: BTreeMap<(TrialKind, String), StopRow>,
    mistakes: Vec<String>,
}

impl StopTally {
    pub(super) fn count(&mut self, trial: &StopTrial, outcome: Outcome) {
        let when = if trial.begins < EARLY { "early" } else { "late" };
        let name = match trial.kind {
            TrialKind::Told | TrialKind::Other => format!("{when}, {:3.0} dB", trial.level_db),
            TrialKind::Alone => "her own words".to_owned(),
        };
        let row = self.rows.entry((trial.kind, name)).or_default();
        row.trials += 1;
        row.orders += usize::from(outcome.is_order);
        row.silent.extend(outcome.silent_s);
        row.ducked.extend(outcome.ducked_s);
        let is_mistake = match trial.kind {
            TrialKind::Told => false,
            TrialKind::Other => outcome.is_order,
            TrialKind::Alone => true,
        };
        if let Some(reason) = outcome.reason.filter(|_| is_mistake) {
            let said = trial.cries.as_ref().map_or("nothing", |(_, word)| word);
            self.mistakes.push(format!("she stopped though somebody said {said}: {reason}"));
        }
    }

    pub(super) fn show(mut self, recogniser: &str, second: Switch) -> anyhow::Result<()> {
        let mut table = show::table([
            "SAID",
            "WHEN, LEVEL",
            "TRIALS",
            "STOPPED",
            "LISTENED",
            "SILENT MEDIAN",
            "SILENT P95",
            "DUCKED P95",
        ]);
        for ((kind, name), row) in &mut self.rows {
            let said = match kind {
                TrialKind::Told => "a stop word",
                TrialKind::Other => "something else",
                TrialKind::Alone => "nothing",
            };
            let ms = |list: &mut Vec<f64>, share| {
                quantile(list, share).map_or_else(String::new, |s| format!("{:.0} ms", s * 1e3))
            };
            table.add_row([
                said.to_owned(),
                name.clone(),
                row.trials.to_string(),
                row.orders.to_string(),
                (row.silent.len() - row.orders).to_string(),
                ms(&mut row.silent, 0.5),
                ms(&mut row.silent, 0.95),
                ms(&mut row.ducked, 0.95),
            ]);
        }
        show::line(table)?;
        let second = if second == Switch::On { "with" } else { "without" };
        show::line(format!("\nrecogniser {recogniser}, {second} the second opinion"))?;
        for mistake in &self.mistakes {
            show::line(mistake)?;
        }
        Ok(())
    }
}

/// The value that so much of the list does not exceed.
fn quantile(list: &mut [f64], share: f64) -> Option<f64> {
    list.sort_by(f64::total_cmp);
    let at = (share * list.len() as f64).ceil() as usize;
    list.get(at.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let mut list: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!((quantile(&mut list, 0.5), quantile(&mut list, 0.95)), (Some(10.0), Some(19.0)));
        assert_eq!(quantile(&mut [], 0.5), None);
        assert_eq!(quantile(&mut [3.0], 0.95), Some(3.0));
    }
}
