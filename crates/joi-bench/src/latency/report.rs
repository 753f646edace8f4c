//! What the turns came to, as tables and histograms.

use std::path::Path;

use anyhow::Context as _;
use comfy_table::Table;
use joi::cli::show::{self, Tone};
use joi_base::trace::Stage;
use serde_json::json;

use super::figures::{MeasuredTurn, Spread, histogram};
use super::{Kind, LatencyArgs, Measured, plot};

/// One bar of the histogram stands for so many milliseconds.
const STEP_MS: f64 = 100.0;

/// A name, and which turns it is for.
type TurnGroup = (&'static str, fn(&MeasuredTurn) -> bool);

/// The groups of turns that are reported separately, by the program's record of them.
const GROUPS: [TurnGroup; 6] = [
    ("… decided by the first look", |turn| turn.decided("first look").is_some()),
    ("… a whole command", |turn| turn.decided("endpoint") == Some("a whole command")),
    ("… one that could go on", |turn| turn.decided("endpoint") == Some("a whole command that could go on")),
    ("… ended by silence", |turn| turn.decided("endpoint") == Some("silence")),
    ("… answered without the model", |turn| turn.asked_the_model() == Some(false)),
    ("… answered by the model", |turn| turn.asked_the_model() == Some(true)),
];

/// The figures of one kind of turns by one program.
pub(super) struct Report<'a> {
    /// Commands or questions, and by whom they were answered.
    pub(super) title: String,
    pub(super) turns: &'a [MeasuredTurn],
}

impl Report<'_> {
    fn figures(&self) -> Vec<f64> {
        self.turns.iter().filter_map(MeasuredTurn::ms).collect()
    }

    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(self.figures())
    }

    /// Shows all of it.
    pub(super) fn show(&self) -> std::io::Result<()> {
        let unheard = self.turns.iter().filter(|turn| turn.audible.is_none()).count();
        show::line(format!("\n{}: {} turns, {unheard} without an answer", self.title, self.turns.len()))?;
        show::line(self.stages())?;
        for (step, count) in histogram(&self.figures(), STEP_MS).into_iter().enumerate() {
            let bar = "█".repeat(count);
            show::line(format!("{:>6.0} ms {}", step as f64 * STEP_MS, show::coloured(Tone::Good, bar)))?;
        }
        Ok(())
    }

    /// One row a stage: by the program's record, and at the end by what was heard.
    fn stages(&self) -> Table {
        let mut table = show::table(["MS AFTER THE LAST WORD", "TURNS", "LEAST", "P50", "P95", "MAX"]);
        let mut row = |name: &str, spread: Option<Spread>| {
            if let Some(spread) = spread {
                let figures =
                    [spread.least, spread.median, spread.p95, spread.most].map(|ms| format!("{ms:.0}"));
                let mut cells = vec![name.to_owned(), spread.count.to_string()];
                cells.extend(figures);
                table.add_row(cells);
            }
        };
        for stage in Stage::ALL.into_iter().filter(|stage| *stage != Stage::Wake && *stage != Stage::End) {
            row(stage.name(), Spread::of(self.turns.iter().filter_map(|turn| turn.at(stage))));
        }
        row("command at the house", Spread::of(self.turns.iter().filter_map(MeasuredTurn::sent_ms)));
        row("heard at the loudspeaker", self.spread());
        for (name, belongs) in GROUPS {
            row(
                name,
                Spread::of(self.turns.iter().filter(|turn| belongs(turn)).filter_map(MeasuredTurn::ms)),
            );
        }
        row("heard later than the record says", Spread::of(self.turns.iter().filter_map(beyond_the_record)));
        let turns = self.turns.iter();
        row("… its last word is later", Spread::of(turns.clone().filter_map(MeasuredTurn::last_word_later)));
        row("… its first sound is earlier", Spread::of(turns.filter_map(MeasuredTurn::first_sound_earlier)));
        table
    }
}

/// Shows all of it.
pub(super) fn print(measured: &[Measured], args: &LatencyArgs) -> anyhow::Result<()> {
    let spread = |turns: &[MeasuredTurn]| Spread::of(turns.iter().filter_map(MeasuredTurn::ms));
    if args.json {
        let told = measured.iter().map(|(name, kind, turns)| {
            json!({
                "program": name,
                "kind": kind.name(),
                "ms": spread(turns).map(|spread| spread.json()),
                "sent_ms": Spread::of(turns.iter().filter_map(MeasuredTurn::sent_ms)).map(|s| s.json()),
                "beyond_the_record_ms": Spread::of(turns.iter().filter_map(beyond_the_record)).map(|s| s.json()),
                "last_word_later_ms": Spread::of(turns.iter().filter_map(MeasuredTurn::last_word_later)).map(|s| s.json()),
                "first_sound_earlier_ms": Spread::of(turns.iter().filter_map(MeasuredTurn::first_sound_earlier)).map(|s| s.json()),
                "turns": turns.iter().map(MeasuredTurn::json).collect::<Vec<_>>(),
            })
        });
        return Ok(show::line(serde_json::to_string_pretty(&told.collect::<Vec<_>>())?)?);
    }
    for (name, kind, turns) in measured {
        Report { title: format!("{name}, {}", kind.name()), turns }.show()?;
    }
    for kind in [Kind::Commands, Kind::Questions] {
        let of = |wanted: &str| {
            measured.iter().find(|(name, of, _)| *name == wanted && *of == kind).and_then(|(.., t)| spread(t))
        };
        if let (Some(joi), Some(peer)) = (of("joi"), of("peer")) {
            show::line(format!("{}: {:.2} × the peer's median", kind.name(), joi.median / peer.median))?;
        }
    }
    Ok(())
}

/// Draws how soon each kind of turns was heard.
pub(super) fn draw(measured: &[Measured], file: &Path) -> anyhow::Result<()> {
    let kinds = measured.iter().map(|(name, kind, turns)| {
        (format!("{name}, {}", kind.name()), turns.iter().filter_map(MeasuredTurn::ms).collect())
    });
    let picture = plot::picture(&kinds.collect::<Vec<_>>())
        .context("nothing was heard, so that there is no picture")?;
    std::fs::write(file, picture).with_context(|| format!("can't write {}", file.display()))
}

/// Returns how much later it was heard than the program's record says.
pub(super) fn beyond_the_record(turn: &MeasuredTurn) -> Option<f64> {
    Some(turn.ms()? - turn.at(Stage::Audible)?)
}
