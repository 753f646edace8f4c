//! `joi timers`: timers, alarms and reminders, whether she runs or not.
//!
//! Works on the database itself; a running `joi run` is told to look again.

use std::process::ExitCode;
use std::sync::Arc;

use jiff::Zoned;
use serde_json::{Value, json};

use super::session::Session;
use super::show::{self, Mood};
use crate::app;
use crate::clock::SystemClock;
use crate::language::{Language, Languages};
use crate::reply::understand::intents;
use crate::schedule::{
    Bell, Bias, Done, Entry, EntryId, Kind, Many, Order, Report, Schedule, State, Trust, Wanted, When, Which,
    words,
};
use crate::store::Store;

const EXAMPLES: &str = "\
Examples:
  joi timers                                          what is set, what rings, what was missed
  joi timers add 9m30s --name pasta
  joi timers add half past six on weekdays
  joi timers add tomorrow at noon --remind \"call Ann\"
  joi timers cancel pasta
  joi timers cancel --all
  joi timers snooze 5 minutes
  joi timers stop                                     what rings is silent
  joi timers trust-clock                              the clock is right, although it went back
  joi timers --json | jq '.[].left_s'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// What is set, what rings, what was missed
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

pub(crate) fn run(args: Args, session: &Session) -> anyhow::Result<ExitCode> {
    let action = args.action.unwrap_or(Action::List);
    let trusts = matches!(action, Action::TrustClock);
    let languages = Languages::new(session.language()?);
    let order = order(action, &languages.get())?;
    let file = session.paths.database();
    session.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let wake_up = app::timers::wake_up(&session.paths);
        let language = languages.get();
        let clock = Arc::new(SystemClock);
        let schedule =
            app::timers::schedule(session.config(), languages, store.clone(), clock, Some(wake_up));
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
        let is_list = matches!(order, Order::List(_));
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
            told(&done, &language)?
        };
        drop(schedule);
        store.close().await?;
        Ok(code)
    })
}

fn order(action: Action, language: &Language) -> anyhow::Result<Order> {
    Ok(match action {
        Action::List => Order::List(None),
        Action::Add { when, name, remind } => {
            let said = when.join(" ");
            let Some(when) = intents::when(language, &said) else {
                anyhow::bail!(
                    "\"{said}\" is no length and no time; allowed: for example \"9 minutes\", \"6:30 on weekdays\", \
                     \"tomorrow at noon\""
                );
            };
            let kind = match (&remind, &when) {
                (Some(_), _) => Kind::Reminder,
                (None, When::In(_)) => Kind::Timer,
                (None, When::At(_)) => Kind::Alarm,
            };
            let bias = if kind == Kind::Reminder { Bias::ByDay } else { Bias::Next };
            Order::Set(Wanted { kind, name: remind.or(name), when: Some(when), bias })
        }
        Action::Cancel { which, all } => {
            let which = which.join(" ");
            anyhow::ensure!(all || !which.is_empty(), "say which one, by name or number, or --all");
            let many = if all { Many::All } else { Many::One };
            match which.parse() {
                _ if all => Order::Cancel(Which { many, ..Which::default() }),
                Ok(id) => Order::Cancel(Which { id: Some(EntryId(id)), ..Which::default() }),
                Err(_) => Order::Cancel(Which { name: Some(which), ..Which::default() }),
            }
        }
        Action::Snooze { length } if length.is_empty() => {
            Order::Snooze { which: Which::default(), seconds: None }
        }
        Action::Snooze { length } => {
            let said = length.join(" ");
            let Some(When::In(seconds)) = intents::when(language, &said) else {
                anyhow::bail!("\"{said}\" is no length; allowed: for example \"5 minutes\"");
            };
            Order::Snooze { which: Which::default(), seconds: Some(seconds) }
        }
        Action::Stop => Order::Silence,
        Action::TrustClock => Order::List(None),
    })
}

async fn entries(schedule: &Schedule, done: &Done) -> anyhow::Result<Vec<Entry>> {
    Ok(match &done.report {
        Report::Set(entry) | Report::Changed(entry) => vec![entry.clone()],
        Report::Cancelled(entries)
        | Report::Skipped(entries, _)
        | Report::Snoozed(entries)
        | Report::Silenced(entries)
        | Report::Left(entries)
        | Report::Listed(_, entries) => entries.clone(),
        Report::Ask(_)
        | Report::NoSuch(_)
        | Report::NothingRings
        | Report::IsOver
        | Report::TooLong
        | Report::TooMany => schedule.entries().await?,
    })
}

fn row(entry: &Entry, now: &Zoned, language: &Language) -> Value {
    let due = entry.due.moment(now.time_zone());
    let days = (!entry.days.is_none()).then(|| words::days(entry.days, language));
    json!({
        "id": entry.id,
        "kind": entry.kind,
        "name": entry.name,
        "state": state(entry),
        "due": due.to_zoned(now.time_zone().clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "left_s": due.duration_since(now.timestamp()).as_secs(),
        "length_s": entry.length_s,
        "days": days,
    })
}

fn state(entry: &Entry) -> &'static str {
    match entry.state {
        State::Waiting => "waiting",
        State::Ringing { .. } => "ringing",
        State::Over => "over",
        State::Missed => "missed",
    }
}

/// The entries of a list, for people.
pub(crate) fn table(done: &Done, language: &Language) -> anyhow::Result<()> {
    let Report::Listed(_, entries) = &done.report else { return Ok(()) };
    if entries.is_empty() {
        show::line("there are no timers, alarms or reminders")?;
        return Ok(());
    }
    let mut table = show::table(["NO", "KIND", "NAME", "DUE", "LEFT"]);
    for entry in entries {
        let due = entry.due.moment(done.at.time_zone()).to_zoned(done.at.time_zone().clone());
        let days = if entry.days.is_none() {
            String::new()
        } else {
            format!(", {}", words::days(entry.days, language))
        };
        let left = due.timestamp().duration_since(done.at.timestamp()).as_secs();
        let left = match entry.state {
            State::Ringing { .. } => show::coloured(Mood::Bad, "rings"),
            State::Missed => show::coloured(Mood::Fair, "missed"),
            State::Waiting | State::Over => words::length(left.max(0).unsigned_abs(), language),
        };
        table.add_row([
            entry.id.to_string(),
            entry.kind.name().to_owned(),
            entry.name.clone().unwrap_or_default(),
            format!("{}{days}", due.strftime("%a %Y-%m-%d %H:%M:%S")),
            left,
        ]);
    }
    show::line(table)?;
    if done.trust == Trust::Behind {
        show::remark(show::coloured(Mood::Fair, IN_DOUBT));
    }
    Ok(())
}

const IN_DOUBT: &str = "! the clock shows less than it did before, so alarms wait; set it, or, if it is right, run \
                        `joi timers trust-clock`";

fn told(done: &Done, language: &Language) -> anyhow::Result<ExitCode> {
    let sentence = match &done.report {
        Report::Silenced(entries) => format!("{} silenced", entries.len()),
        report => words::tell(report, &done.at, language),
    };
    show::line(sentence)?;
    if done.bell == Bell::Nobody && matches!(done.report, Report::Set(_) | Report::Snoozed(_)) {
        show::remark(format!(
            "{} joi is not running: it rings once `joi run` does",
            show::coloured(Mood::Fair, "!")
        ));
    }
    Ok(code(&done.report))
}

fn code(report: &Report) -> ExitCode {
    // That nothing rings is what was wanted.
    let is_well = report.is_done() || *report == Report::NothingRings;
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
