//! `joi impulse simulate` and `joi why --impulse`: whether and why joi speaks unasked.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use jiff::Zoned;
use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::config::Config;
use joi_proactive::impulse::ImpulseVerdict;
use joi_proactive::impulse::record::ImpulseRecord;
use joi_proactive::impulse::simulate::people::SimulatedHouse;
use joi_proactive::impulse::simulate::{Inconsiderate, Simulation, SimulationParts, simulate};
use joi_store::Store;

const EXAMPLES: &str = "\
Examples:
  joi impulse simulate                                  a month in a flat: contacts per day
  joi impulse simulate --house family --seed 7
  joi impulse simulate --days 90 --csv > contacts.csv
  joi impulse simulate --svg month.svg                  the month as a picture
  joi --set impulse.threshold=0.6 impulse simulate      what another setting would do
  joi why --impulse                                     why joi spoke unasked or did not, just now";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImpulseArgs {
    #[command(subcommand)]
    action: ImpulseCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ImpulseCommand {
    /// Run a scripted house through your settings: how often would joi speak unasked?
    #[command(after_help = EXAMPLES)]
    Simulate(SimulateArgs),
}

#[derive(Debug, clap::Args)]
struct SimulateArgs {
    /// How many days
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=366))]
    days: u32,
    /// Chance: the same number gives the same month
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Which house and people
    #[arg(long, value_enum, default_value_t = SimulatedHouse::Flat)]
    house: SimulatedHouse,
    /// Days and contacts as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Everything as JSON
    #[arg(long)]
    json: bool,
    /// Also write a picture of the month
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(crate) fn run(args: ImpulseArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let ImpulseCommand::Simulate(args) = args.action;
    let month = month(&args, context.config())?;
    if let Some(file) = &args.svg {
        std::fs::write(file, picture(&month, &args))
            .with_context(|| format!("writing {}", file.display()))?;
    }
    let bad = month.inconsiderate();
    if args.json {
        show::line(as_json(&month))?;
    } else if args.csv {
        show::line(month.csv().trim_end())?;
    } else {
        show::line(month.plot().trim_end())?;
        print(&month, bad)?;
    }
    Ok(if bad == Inconsiderate::default() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(super::exit::EXIT_FAILED)
    })
}

fn month(args: &SimulateArgs, config: &Config) -> anyhow::Result<Simulation> {
    let start: Zoned =
        "2026-03-02T00:00[Europe/Vienna]".parse().context("the first day of the simulation")?;
    Ok(simulate(&SimulationParts {
        impulse: &config.impulse,
        awareness: &config.awareness,
        quiet: &config.announce.quiet(),
        start,
        days: args.days,
        house: args.house,
        seed: args.seed,
    }))
}

fn picture(month: &Simulation, args: &SimulateArgs) -> String {
    let SimulateArgs { days, seed, house, .. } = args;
    month.svg(&format!("When she spoke up: {}, seed {seed}, {days} days", house.name()))
}

fn print(month: &Simulation, bad: Inconsiderate) -> std::io::Result<()> {
    let answered = month.contacts.iter().filter(|contact| contact.is_answered).count();
    show::line(format!(
        "\n{} contacts, {answered} answered; a day: median {}, at most {}",
        month.contacts.len(),
        month.median(),
        month.most()
    ))?;
    let held: Vec<String> = month.held.iter().map(|(why, count)| format!("{why} {count}")).collect();
    show::line(format!("{} {}", show::coloured(Tone::Quiet, "silent because:"), held.join(", ")))?;
    show::line(format!("{} dangers, all told at once: {}", month.dangers.len(), bad.dangers_missed == 0))?;
    let told = format!(
        "in quiet hours {}, within {} min after \"not now\" {}, topics twice in 24 h {}",
        bad.in_quiet_hours,
        month.rest.as_mins(),
        bad.after_not_now,
        bad.repeated
    );
    let tone = if bad == Inconsiderate::default() { Tone::Good } else { Tone::Bad };
    show::line(show::coloured(tone, told))
}

fn as_json(month: &Simulation) -> serde_json::Value {
    let contacts: Vec<_> = month
        .contacts
        .iter()
        .map(|contact| {
            json!({
                "at": contact.at.to_string(), "topic": contact.key, "score": contact.total,
                "answered": contact.is_answered,
            })
        })
        .collect();
    json!({
        "contacts": contacts,
        "per_day": month.per_day.iter().map(|(date, count)| json!({"date": date.to_string(), "contacts": count}))
            .collect::<Vec<_>>(),
        "held": month.held,
        "median": month.median(),
        "inconsiderate": month.inconsiderate(),
    })
}

/// The last decisions, with every factor.
pub(super) fn why(last: u32, is_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let file = context.paths.database();
    let none = "joi has not decided yet whether to speak unasked; `joi run` does, every 12 minutes or so";
    anyhow::ensure!(file.exists(), "{none}");
    let rows = context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let rows = store.impulses(last).await?;
        store.close().await?;
        Ok(rows)
    })?;
    let records: Vec<ImpulseRecord> =
        rows.iter().rev().filter_map(|row| serde_json::from_str(&row.json).ok()).collect();
    anyhow::ensure!(!records.is_empty(), "{none}");
    if is_json {
        for record in &records {
            show::line(json!(record))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    show::line(table(&records, &Zoned::now()))?;
    Ok(ExitCode::SUCCESS)
}

fn table(records: &[ImpulseRecord], now: &Zoned) -> String {
    let mut table = show::table([
        "WHEN", "BASE", "SILENCE", "CONTEXT", "TIME", "CHANCE", "DAMPER", "HABIT", "BOOST", "TOTAL",
        "NEEDED", "DECIDED", "ABOUT", "CAME TO",
    ]);
    let number = |value: f64| format!("{value:+.2}");
    for record in records {
        let score = &record.score;
        let at = record.at.to_zoned(now.time_zone().clone());
        let silence = record.silence_h.map_or("never".to_owned(), |hours| format!("{hours:.1} h"));
        let came = match (record.outcome, &record.why) {
            (Some(outcome), Some(why)) => format!("{}: {why}", outcome.name()),
            (Some(outcome), None) => outcome.name().to_owned(),
            (None, _) => String::new(),
        };
        table.add_row([
            at.strftime("%a %H:%M").to_string(),
            number(score.base),
            format!("{} ({silence})", number(score.silence)),
            format!("{} ({} topics, {} events)", number(score.context), record.topics, record.events),
            number(score.time),
            number(score.entropy),
            format!("{} ({} sent)", number(-score.damper), record.outbound),
            number(score.pattern),
            number(score.boost),
            format!("{:.2}", score.total),
            format!("{:.2}", record.threshold),
            match record.verdict {
                ImpulseVerdict::Speak { .. } => show::coloured(Tone::Good, record.verdict.name()),
                ImpulseVerdict::Hold { .. } => record.verdict.name().to_owned(),
            },
            record.about.clone().unwrap_or_default(),
            came,
        ]);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_proactive::impulse::ScoreInput;
    use joi_proactive::impulse::record::ImpulseOutcome;
    use joi_proactive::impulse::score::score;

    #[test]
    fn the_picture_and_the_figures_of_the_documentation_are_what_the_simulation_makes() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/user/");
        let (house, svg) = (SimulatedHouse::Family, None);
        let args = SimulateArgs { days: 30, seed: 1, house, csv: false, json: false, svg };
        let month = month(&args, &Config::default()).unwrap();
        let (file, drawn) = (format!("{docs}proactive.svg"), picture(&month, &args));
        if std::env::var_os("JOI_UPDATE_REFERENCE").is_some() {
            std::fs::write(&file, &drawn).unwrap();
        }
        assert!(std::fs::read_to_string(&file).unwrap() == drawn, "the picture is another one");
        let page = std::fs::read_to_string(format!("{docs}proactive.md")).unwrap();
        let most = ["none", "one", "two", "three", "four"][month.most()];
        let told = format!("{} contacts in 30 days, at most {most} a day", month.contacts.len());
        assert!(page.contains(&told), "{told}");
    }

    #[test]
    fn what_a_danger_adds_has_a_column_of_its_own() {
        let now: Zoned = "2026-03-04T03:00[Europe/Vienna]".parse().unwrap();
        let input = ScoreInput {
            now: &now,
            silence: None,
            topics: 0,
            events: 1,
            is_away: false,
            draw: 0.0,
            outbound: 0,
            pattern: 0.0,
            is_critical: true,
        };
        let record = ImpulseRecord {
            at: now.timestamp(),
            score: score(&input, &Config::default().impulse.score),
            threshold: 0.5,
            verdict: ImpulseVerdict::Speak { topic: 0 },
            topics: 0,
            events: 1,
            outbound: 0,
            direct: 0,
            silence_h: None,
            about: Some("smoke_alarm".into()),
            outcome: Some(ImpulseOutcome::ToldAtOnce),
            why: None,
        };
        let told = table(&[record], &now);
        for part in ["BOOST", "+0.50", "smoke_alarm", "told at once"] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}
