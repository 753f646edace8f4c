//! `joi timers`: timers, alarms and reminders, whether joi runs or not.
//!
//! Works on the database itself; a running `joi run` is notified and reads it again.

use std::process::ExitCode;
use std::sync::Arc;

use jiff::Zoned;
use serde_json::{Value, json};

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use joi_base::clock::SystemClock;
use joi_language::Language;
use joi_schedule::{
    Bell, Done, Entry, EntryId, EntryKind, EntryState, Many, OrderReport, Schedule, ScheduleOrder, Trust,
    When, Which, words,
};
use joi_store::Store;
use joi_understand::intents;

const EXAMPLES: &str = "\
Examples:
  joi timers                                          what is set, what rings, what was missed
  joi timers add 9m30s --name pasta
  joi timers add half past six on weekdays
  joi timers add tomorrow at noon --remind \"call Ann\"
  joi timers cancel pasta
  joi timers cancel --all
  joi timers pause pasta
  joi timers resume pasta
  joi timers restart pasta                            its whole length once more
  joi timers snooze 5 minutes
  joi timers stop                                     what rings is silent
  joi timers trust-clock                              the clock is right, although it went back
  joi timers --json | jq '.[].left_s'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct TimersArgs {
    #[command(subcommand)]
    action: Option<TimersCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum TimersCommand {
    /// Everything that is set, that rings, that was missed
    #[command(after_help = EXAMPLES)]
    List,
    /// Set a timer ("9 minutes"), an alarm ("half past six on weekdays") or a reminder (--remind)
    #[command(after_help = EXAMPLES)]
    Add {
        /// How long, or when, as one would say it
        #[arg(required = true)]
        when: Vec<String>,
        /// What it is called
        #[arg(long)]
        name: Option<String>,
        /// Words to be said then
        #[arg(long, value_name = "WORDS", conflicts_with = "name")]
        remind: Option<String>,
    },
    /// Forget a timer, an alarm or a reminder
    #[command(after_help = EXAMPLES)]
    Cancel {
        /// Its name, or its number in the list
        which: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "which")]
        all: bool,
    },
    /// A timer stands still
    #[command(after_help = EXAMPLES)]
    Pause {
        /// Its name, or its number in the list; none for the only one
        which: Vec<String>,
    },
    /// A timer that stands still goes on
    #[command(after_help = EXAMPLES)]
    Resume {
        /// Its name, or its number in the list; none for the only one
        which: Vec<String>,
    },
    /// A timer gets its whole length once more
    #[command(after_help = EXAMPLES)]
    Restart {
        /// Its name, or its number in the list; none for the only one
        which: Vec<String>,
    },
    /// What rings, or just rang, rings again later
    #[command(after_help = EXAMPLES)]
    Snooze {
        /// After so long, for example 5 minutes [default: timers.snooze_min]
        length: Vec<String>,
    },
    /// What rings is silent
    #[command(after_help = EXAMPLES)]
    Stop,
    /// Say that this machine's clock is right: alarms that wait for the right time go on
    #[command(after_help = EXAMPLES)]
    TrustClock,
}

pub(crate) fn run(args: TimersArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let action = args.action.unwrap_or(TimersCommand::List);
    let trusts = matches!(action, TimersCommand::TrustClock);
    let languages = context.languages()?;
    let order = order(action, &languages.get())?;
    let file = context.paths.database();
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let wake_up = app::timers::wake_up(&context.paths);
        let language = languages.get();
        let clock = Arc::new(SystemClock);
        let schedule =
            app::timers::schedule(context.config(), languages, store.clone(), clock, Some(wake_up));
        if trusts {
            let sentence = match schedule.trust_clock().await? {
                true => "the clock is believed; what waited for the right time goes on",
                false => "the clock was not in doubt",
            };
            show::line(sentence)?;
            drop(schedule);
            store.close().await?;
            return Ok(ExitCode::SUCCESS);
        }
        let is_list = matches!(order, ScheduleOrder::List(_));
        let done = schedule.obey(order).await?;
        let code = if args.json {
            let entries = entries(&schedule, &done).await?;
            let rows: Vec<Value> = entries.iter().map(|entry| row(entry, &done.at, &language)).collect();
            show::line(serde_json::to_string_pretty(&rows)?)?;
            code(&done.report)
        } else if is_list {
            table(&done, &language)?;
            ExitCode::SUCCESS
        } else {
            print_result(&done, &language)?
        };
        drop(schedule);
        store.close().await?;
        Ok(code)
    })
}

fn order(action: TimersCommand, language: &Language) -> anyhow::Result<ScheduleOrder> {
    Ok(match action {
        TimersCommand::List => ScheduleOrder::List(None),
        TimersCommand::Add { when, name, remind } => {
            let said = when.join(" ");
            let Some(order) = app::timers::order_to_set(language, &said, name, remind) else {
                anyhow::bail!(
                    "\"{said}\" is no length and no time; allowed: for example \"9 minutes\", \"6:30 on weekdays\", \
                     \"tomorrow at noon\""
                );
            };
            order
        }
        TimersCommand::Cancel { which, all } => {
            let which = which.join(" ");
            anyhow::ensure!(all || !which.is_empty(), "say which one, by name or number, or --all");
            let many = if all { Many::All } else { Many::One };
            ScheduleOrder::Cancel(Which { many, ..named(which) })
        }
        TimersCommand::Pause { which } => {
            ScheduleOrder::Pause(Which { kind: Some(EntryKind::Timer), ..named(which.join(" ")) })
        }
        TimersCommand::Resume { which } => {
            ScheduleOrder::Resume(Which { kind: Some(EntryKind::Timer), ..named(which.join(" ")) })
        }
        TimersCommand::Restart { which } => {
            ScheduleOrder::Restart(Which { kind: Some(EntryKind::Timer), ..named(which.join(" ")) })
        }
        TimersCommand::Snooze { length } if length.is_empty() => {
            ScheduleOrder::Snooze { which: Which::default(), seconds: None }
        }
        TimersCommand::Snooze { length } => {
            let said = length.join(" ");
            let Some(When::In(seconds)) = intents::when(language, &said) else {
                anyhow::bail!("\"{said}\" is no length; allowed: for example \"5 minutes\"");
            };
            ScheduleOrder::Snooze { which: Which::default(), seconds: Some(seconds) }
        }
        TimersCommand::Stop => ScheduleOrder::Silence,
        TimersCommand::TrustClock => ScheduleOrder::List(None),
    })
}

/// Returns what `which` names, by number or name; any where it is empty.
fn named(which: String) -> Which {
    match which.parse() {
        Ok(id) => Which { id: Some(EntryId(id)), ..Which::default() },
        Err(_) => Which { name: (!which.is_empty()).then_some(which), ..Which::default() },
    }
}

async fn entries(schedule: &Schedule, done: &Done) -> anyhow::Result<Vec<Entry>> {
    Ok(match &done.report {
        OrderReport::Set(entry) | OrderReport::Changed(entry) => vec![entry.clone()],
        OrderReport::Cancelled(entries)
        | OrderReport::Skipped(entries, _)
        | OrderReport::Snoozed(entries)
        | OrderReport::Paused(entries)
        | OrderReport::Resumed(entries)
        | OrderReport::Silenced(entries)
        | OrderReport::Left(entries)
        | OrderReport::Listed(_, entries) => entries.clone(),
        OrderReport::Ask(_)
        | OrderReport::NoSuch(_)
        | OrderReport::NothingRings
        | OrderReport::IsOver
        | OrderReport::TooLong
        | OrderReport::TooMany => schedule.entries().await?,
    })
}

fn row(entry: &Entry, now: &Zoned, language: &Language) -> Value {
    let due = due(entry, now).map(|due| due.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    let days = (!entry.days.is_none()).then(|| words::days(entry.days, language));
    json!({
        "id": entry.id,
        "kind": entry.kind,
        "name": entry.name,
        "state": state(entry),
        "due": due,
        "left_s": entry.left(now).as_secs(),
        "length_s": entry.length_s,
        "days": days,
    })
}

/// Returns when it is due; nothing while it stands still.
fn due(entry: &Entry, now: &Zoned) -> Option<Zoned> {
    (!entry.is_paused()).then(|| entry.due.moment(now.time_zone()).to_zoned(now.time_zone().clone()))
}

fn state(entry: &Entry) -> &'static str {
    match entry.state {
        EntryState::Waiting => "waiting",
        EntryState::Paused { .. } => "paused",
        EntryState::Ringing { .. } => "ringing",
        EntryState::Over => "over",
        EntryState::Missed => "missed",
    }
}

/// The entries of a list, for people.
pub(crate) fn table(done: &Done, language: &Language) -> anyhow::Result<()> {
    let OrderReport::Listed(_, entries) = &done.report else { return Ok(()) };
    if entries.is_empty() {
        show::line("there are no timers, alarms or reminders")?;
        return Ok(());
    }
    let mut table = show::table(["NO", "KIND", "NAME", "DUE", "LEFT"]);
    for entry in entries {
        let due = due(entry, &done.at);
        let due = due.map_or("paused".to_owned(), |due| due.strftime("%a %Y-%m-%d %H:%M:%S").to_string());
        let days = if entry.days.is_none() {
            String::new()
        } else {
            format!(", {}", words::days(entry.days, language))
        };
        let left = entry.left(&done.at).as_secs();
        let left = match entry.state {
            EntryState::Ringing { .. } if entry.kind == EntryKind::House => "now".to_owned(),
            EntryState::Ringing { .. } => show::coloured(Tone::Bad, "rings"),
            EntryState::Missed => show::coloured(Tone::Fair, "missed"),
            EntryState::Waiting | EntryState::Paused { .. } | EntryState::Over => {
                words::length(left.max(0).unsigned_abs(), language)
            }
        };
        table.add_row([
            entry.id.to_string(),
            entry.kind.name().to_owned(),
            entry.name.clone().unwrap_or_default(),
            format!("{due}{days}"),
            left,
        ]);
    }
    show::line(table)?;
    if done.trust == Trust::Behind {
        show::remark(show::coloured(Tone::Fair, IN_DOUBT));
    }
    Ok(())
}

const IN_DOUBT: &str = "! the clock shows less than it did before, so alarms wait; set it, or, if it is right, run \
                        `joi timers trust-clock`";

fn print_result(done: &Done, language: &Language) -> anyhow::Result<ExitCode> {
    let sentence = match &done.report {
        OrderReport::Silenced(entries) => format!("{} silenced", entries.len()),
        report => words::reported(report, &done.at, language),
    };
    show::line(sentence)?;
    if done.bell == Bell::Nobody && matches!(done.report, OrderReport::Set(_) | OrderReport::Snoozed(_)) {
        show::remark(format!(
            "{} joi is not running: it rings once `joi run` does",
            show::coloured(Tone::Fair, "!")
        ));
    }
    Ok(code(&done.report))
}

fn code(report: &OrderReport) -> ExitCode {
    // That nothing rings is what was wanted.
    let is_well = report.is_done() || *report == OrderReport::NothingRings;
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
