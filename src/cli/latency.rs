//! Where the time of turns went, as a table: each turn, or the distribution of many.

use comfy_table::Table;
use serde_json::{Value, json};

use super::show;
use joi_base::trace::{Stage, TurnRecord};
use joi_page::chart::histogram;

/// Returns one row per stage, one column per turn: milliseconds after the end of speech.
pub(crate) fn table(turns: &[TurnRecord]) -> Table {
    let mut table = show::table(["MS AFTER SPEECH ENDED"]);
    let mut head = vec!["MS AFTER SPEECH ENDED".to_string()];
    head.extend((1..=turns.len()).map(|n| format!("TURN {n}")));
    table.set_header(head);
    for stage in Stage::ALL {
        let mut row = vec![stage.name().to_string()];
        row.extend(turns.iter().map(|turn| turn.moment(stage).map_or("-".into(), |ms| format!("{ms:.0}"))));
        table.add_row(row);
    }
    table
}

/// Returns one row per stage: how many turns passed it, median, 95th percentile, largest.
pub(crate) fn distribution(turns: &[TurnRecord]) -> Table {
    let mut table = show::table(["MS AFTER SPEECH ENDED", "TURNS", "P50", "P95", "MAX"]);
    for (stage, sorted) in sorted(turns) {
        if let Some(max) = sorted.last() {
            table.add_row([
                stage.name().to_string(),
                sorted.len().to_string(),
                format!("{:.0}", percentile(&sorted, 0.5)),
                format!("{:.0}", percentile(&sorted, 0.95)),
                format!("{max:.0}"),
            ]);
        }
    }
    table
}

/// The same as JSON.
pub(crate) fn distribution_json(turns: &[TurnRecord]) -> Value {
    let rows: serde_json::Map<_, _> = sorted(turns)
        .into_iter()
        .filter(|(_, sorted)| !sorted.is_empty())
        .map(|(stage, sorted)| {
            let row = json!({
                "turns": sorted.len(), "p50": percentile(&sorted, 0.5), "p95": percentile(&sorted, 0.95),
                "max": sorted.last(),
            });
            (stage.name().replace(' ', "_"), row)
        })
        .collect();
    Value::Object(rows)
}

fn sorted(turns: &[TurnRecord]) -> Vec<(Stage, Vec<f64>)> {
    let of = |stage| {
        let mut all: Vec<f64> = turns.iter().filter_map(|turn| turn.moment(stage)).collect();
        all.sort_by(f64::total_cmp);
        (stage, all)
    };
    Stage::ALL.into_iter().map(of).collect()
}

/// Nearest-rank percentile of ascending values; 0 of none.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    histogram::percentile(sorted, share).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let sorted: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile(&sorted, 0.5), 10.0);
        assert_eq!(percentile(&sorted, 0.95), 19.0);
        assert_eq!(percentile(&[7.0], 0.5), 7.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
