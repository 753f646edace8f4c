//! `joi goals`: what joi works on in the background, and talking about it, whether joi runs or not.
//!
//! Works on the database itself, and notifies the running program. In: names or numbers. Out: tables, threads, answers. Without a
//! running program words wait in the thread.

use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use joi_base::message::Origin;
use joi_goals::names::{self, NamedGoal};
use joi_goals::orchestrator::TYPED;
use joi_goals::owner::{self, OpenedGoal};
use joi_goals::status::{WorkEvent, WorkStatus};
use joi_store::{Store, ThreadCell, WorkChange, WorkRow};

mod answers;

const EXAMPLES: &str = "\
Examples:
  joi goals                                  what joi works on
  joi goals new \"trip to Tokyo\" --about \"two weeks in May, by train\"
  joi goals show Tokyo                       its thread, notes and tasks
  joi goals show Tokyo --inner               also every call and result
  joi goals say Tokyo we like small inns     waits for the answer where joi runs
  joi goals pause Tokyo                      leave it for now; resume goes on
  joi goals archive Tokyo                    it is done; its notes stay
  joi goals tools Tokyo fs_read_file         which tools of other programs it may use
  joi goals history Tokyo inns               earlier talks with it
  joi goals remove Tokyo                     erase it with everything that belongs to it";

/// Cells of a thread that are shown.
const SHOWN: u32 = 40;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct GoalsArgs {
    #[command(subcommand)]
    action: Option<GoalsCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum GoalsCommand {
    /// What joi works on
    #[command(after_help = EXAMPLES)]
    List {
        /// Also goals that are done
        #[arg(long)]
        all: bool,
    },
    /// Open a goal
    #[command(after_help = EXAMPLES)]
    New {
        /// What it is called
        name: String,
        /// What it is about [default: its name]
        #[arg(long)]
        about: Option<String>,
        /// A tool of another program that it may use; may be repeated
        #[arg(long = "tool", value_name = "TOOL")]
        tools: Vec<String>,
    },
    /// The thread, notes and tasks of a goal
    #[command(after_help = EXAMPLES)]
    Show {
        /// Its name or number
        goal: String,
        /// Also its inner history: every call and result
        #[arg(long)]
        inner: bool,
    },
    /// Say something to a goal, and wait for its answer where joi runs
    #[command(after_help = EXAMPLES)]
    Say {
        /// Its name or number
        goal: String,
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
        /// Don't wait for an answer
        #[arg(long)]
        no_wait: bool,
    },
    /// Leave a goal for now: it does nothing by itself
    #[command(after_help = EXAMPLES)]
    Pause {
        /// Its name or number
        goal: String,
    },
    /// Go on with a goal
    #[command(after_help = EXAMPLES)]
    Resume {
        /// Its name or number
        goal: String,
    },
    /// Finish a goal; its notes stay
    #[command(after_help = EXAMPLES)]
    Archive {
        /// Its name or number
        goal: String,
    },
    /// Set which tools of other programs a goal may use
    #[command(after_help = EXAMPLES)]
    Tools {
        /// Its name or number
        goal: String,
        /// The names of the tools; none: no tool
        tools: Vec<String>,
    },
    /// Search earlier talks with a goal
    #[command(after_help = EXAMPLES)]
    History {
        /// Its name or number
        goal: String,
        /// Words to look for
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Erase a goal with everything that belongs to it
    #[command(after_help = EXAMPLES)]
    Remove {
        /// Its name or number
        goal: String,
    },
}

pub(crate) fn run(args: GoalsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (file, json) = (context.paths.database(), args.json);
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let done = act(args.action.unwrap_or(GoalsCommand::List { all: false }), &store, context, json).await;
        store.close().await?;
        done.map(|()| ExitCode::SUCCESS)
    })
}

async fn act(action: GoalsCommand, store: &Store, context: &CliContext, json: bool) -> anyhow::Result<()> {
    let now = Timestamp::now();
    match action {
        GoalsCommand::List { all } => list(&goals(store, all).await?, &store.work().await?, json),
        GoalsCommand::New { name, about, tools } => {
            let about = about.unwrap_or_else(|| name.clone());
            let opened = owner::open(store, (&name, &about), (Origin::Typing, TYPED), tools, now).await?;
            match opened {
                OpenedGoal::Opened(id, name) => {
                    show::line(format!("goal {id}: {name}"))?;
                    nudge(context).await
                }
                OpenedGoal::There(id, name) => anyhow::bail!(
                    "there is a goal called {name} already: {id}; `joi goals say {id} …` says something to it"
                ),
                OpenedGoal::TooMany(count) => anyhow::bail!(
                    "there are {count} goals, which is all there may be; `joi goals archive NAME` finishes one"
                ),
            }
        }
        GoalsCommand::Show { goal, inner } => {
            let row = meant(store, &goal).await?;
            thread(&row, store, inner, json).await
        }
        GoalsCommand::Say { goal, words, no_wait } => {
            let row = meant(store, &goal).await?;
            let events = if no_wait { None } else { answers::follow(context)? };
            let said = owner::say(store, row.id, &words.join(" "), (Origin::Typing, TYPED), now).await?;
            nudge(context).await?;
            match events {
                Some(events) => answers::wait(events, (store, row.id), said).await,
                None if no_wait => Ok(()),
                None => Ok(show::line("joi is not running; the words wait in the thread")?),
            }
        }
        GoalsCommand::Pause { goal } => change(store, context, &goal, WorkEvent::Left).await,
        GoalsCommand::Resume { goal } => change(store, context, &goal, WorkEvent::Resumed).await,
        GoalsCommand::Archive { goal } => change(store, context, &goal, WorkEvent::Ended).await,
        GoalsCommand::Tools { goal, tools } => {
            let row = meant(store, &goal).await?;
            store.change_work(row.id, vec![WorkChange::Tools(tools.clone())], now).await?;
            let tools = if tools.is_empty() { "no tool of another program".into() } else { tools.join(", ") };
            show::line(format!("{}: {tools}", row.name))?;
            nudge(context).await
        }
        GoalsCommand::History { goal, words } => {
            let row = meant(store, &goal).await?;
            let found = store.search_sessions(row.id, &words.join(" "), Timestamp::MIN, 5).await?;
            for one in &found {
                show::line(format!("{}  {}", local(one.ended), one.summary))?;
            }
            anyhow::ensure!(!found.is_empty(), "no earlier talk with {} holds these words", row.name);
            Ok(())
        }
        GoalsCommand::Remove { goal } => {
            let row = meant(store, &goal).await?;
            store.erase_work(row.id).await?;
            show::line(format!("{} is erased", row.name))?;
            nudge(context).await
        }
    }
}

async fn change(store: &Store, context: &CliContext, goal: &str, event: WorkEvent) -> anyhow::Result<()> {
    let row = meant(store, goal).await?;
    owner::change(store, row.id, event, Timestamp::now()).await?;
    let status = WorkStatus::called(&row.status).after(event);
    show::line(format!("{}: {}", row.name, status.name()))?;
    nudge(context).await
}

/// Notifies the running program, if there is one.
pub(super) async fn nudge(context: &CliContext) -> anyhow::Result<()> {
    let wake_up = app::timers::wake_up(&context.paths);
    tokio::task::spawn_blocking(move || wake_up()).await?;
    Ok(())
}

/// Returns the goals, those that are done only with `all`.
pub(super) async fn goals(store: &Store, all: bool) -> anyhow::Result<Vec<WorkRow>> {
    let is_shown = |row: &WorkRow| {
        row.parent == 0 && !row.status.is_empty() && (all || !WorkStatus::called(&row.status).is_over())
    };
    Ok(store.work().await?.into_iter().filter(is_shown).collect())
}

/// Returns the goal of that name or number.
pub(super) async fn meant(store: &Store, said: &str) -> anyhow::Result<WorkRow> {
    let mut goals = goals(store, true).await?;
    let number = said.parse::<i64>().ok();
    if let Some(at) = goals.iter().position(|row| Some(row.id) == number) {
        return Ok(goals.swap_remove(at));
    }
    let named: Vec<(i64, String)> = goals.iter().map(|row| (row.id, row.name.clone())).collect();
    let list = named.iter().map(|(id, name)| format!("{id} {name}")).collect::<Vec<_>>().join(", ");
    match names::meant(&named, said, &[]) {
        NamedGoal::One(id) => {
            let at = goals.iter().position(|row| row.id == id);
            at.map(|at| goals.swap_remove(at)).ok_or_else(|| anyhow::anyhow!("the goal {said} is gone"))
        }
        NamedGoal::Several(several) => {
            anyhow::bail!("\"{said}\" may be each of: {}; give its number", several.join(", "))
        }
        NamedGoal::None if list.is_empty() => {
            anyhow::bail!("there are no goals; `joi goals new NAME` opens one")
        }
        NamedGoal::None => anyhow::bail!("there is no goal \"{said}\"; the goals are: {list}"),
    }
}

fn list(goals: &[WorkRow], all: &[WorkRow], json: bool) -> anyhow::Result<()> {
    let open_tasks = |goal: &WorkRow| {
        let is_open = |row: &&WorkRow| row.parent == goal.id && !WorkStatus::called(&row.status).is_over();
        all.iter().filter(is_open).count()
    };
    if json {
        let row = |goal: &WorkRow| {
            json!({ "id": goal.id, "name": goal.name, "status": goal.status, "about": goal.brief,
                "active": goal.active.to_string(), "unread": goal.unread, "tasks": open_tasks(goal),
                "failure": goal.failure, "tools": goal.tools })
        };
        let rows: Vec<_> = goals.iter().map(row).collect();
        return Ok(show::line(serde_json::to_string_pretty(&rows)?)?);
    }
    if goals.is_empty() {
        return Ok(show::line("no goals; `joi goals new NAME` opens one")?);
    }
    let mut table = show::table(["GOAL", "NAME", "STATUS", "TASKS", "LAST"]);
    for goal in goals {
        let status = match (&goal.run, goal.failure.as_str()) {
            (Some(_), _) => format!("{}, thinking", goal.status),
            (None, "") => goal.status.clone(),
            (None, failure) => format!("{}, {failure}", goal.status),
        };
        let tasks = open_tasks(goal).to_string();
        table.add_row([goal.id.to_string(), goal.name.clone(), status, tasks, local(goal.active)]);
    }
    Ok(show::line(table)?)
}

/// Returns a moment as it is here.
pub(super) fn local(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%F %H:%M").to_string()
}

/// Returns a cell of a thread as a line.
fn line(cell: &ThreadCell) -> String {
    let (who, tone) = match (cell.author.as_str(), cell.kind.as_str()) {
        ("user", _) => ("you", Tone::Good),
        ("error", _) => ("error", Tone::Bad),
        (_, "tool") => ("does", Tone::Quiet),
        _ => ("joi", Tone::Fair),
    };
    let foreign = if cell.origin == Origin::Stranger { " [read elsewhere]" } else { "" };
    format!("{}  {}{foreign}  {}", local(cell.at), show::coloured(tone, who), cell.text)
}

async fn thread(row: &WorkRow, store: &Store, inner: bool, json: bool) -> anyhow::Result<()> {
    let cells = store.cells(row.id, 0, SHOWN).await?;
    let notes = store.work_notes(row.id, "note", SHOWN).await?;
    let learnings = store.work_notes(row.id, "learning", SHOWN).await?;
    let tasks: Vec<WorkRow> = store.work().await?.into_iter().filter(|task| task.parent == row.id).collect();
    let steps = if inner { store.steps(row.id, 100).await? } else { Vec::new() };
    if json {
        let cell = |cell: &ThreadCell| {
            json!({ "id": cell.id, "at": cell.at.to_string(), "author": cell.author, "kind": cell.kind,
                "text": cell.text, "origin": cell.origin.name(), "processed": cell.is_processed })
        };
        let note = |note: &joi_store::WorkNote| {
            json!({ "id": note.id, "at": note.at.to_string(), "text": note.text, "source": note.source,
                "origin": note.origin.name() })
        };
        let step = |step: &joi_store::InnerStep| {
            json!({ "at": step.at.to_string(), "role": step.role, "text": step.text,
                "origin": step.origin.name() })
        };
        let whole = json!({ "id": row.id, "name": row.name, "status": row.status, "about": row.brief,
            "thread": cells.iter().map(cell).collect::<Vec<_>>(),
            "notes": notes.iter().map(note).collect::<Vec<_>>(),
            "learnings": learnings.iter().map(note).collect::<Vec<_>>(),
            "tasks": tasks.iter().map(|task| json!({ "id": task.id, "name": task.name, "status": task.status }))
                .collect::<Vec<_>>(),
            "inner": steps.iter().map(step).collect::<Vec<_>>() });
        return Ok(show::line(serde_json::to_string_pretty(&whole)?)?);
    }
    show::line(format!("{} ({}): {}", row.name, row.status, row.brief))?;
    cells.iter().try_for_each(|cell| show::line(line(cell)))?;
    for (title, kept) in [("Notes", &notes), ("What you like", &learnings)] {
        if !kept.is_empty() {
            show::line(format!("\n{title}"))?;
        }
        for note in kept.iter().rev() {
            let source = if note.source.is_empty() { String::new() } else { format!("  ({})", note.source) };
            show::line(format!("{:>4}  {}{source}", note.id, note.text))?;
        }
    }
    if !tasks.is_empty() {
        show::line("\nTasks")?;
    }
    for task in &tasks {
        show::line(format!("{:>4}  {}  {}", task.id, task.status, task.name))?;
    }
    if !steps.is_empty() {
        show::line("\nInner history")?;
    }
    for step in &steps {
        show::line(format!("{}  {}  {}", local(step.at), step.role, step.text))?;
    }
    Ok(())
}
