//! `joi tasks`: the research that goals have others do, whether joi runs or not.
//!
//! Works on the database itself. In: numbers. Out: a table, a task with its inner history.

use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::json;

use super::context::CliContext;
use super::goals::{local, nudge};
use super::show;
use joi_goals::owner;
use joi_goals::status::{WorkEvent, WorkStatus};
use joi_store::{Store, WorkRow};

const EXAMPLES: &str = "\
Examples:
  joi tasks                  what goals are having researched
  joi tasks list --all       also tasks that are over
  joi tasks show 7           what it is to do, and each step of it
  joi tasks cancel 7";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct TasksArgs {
    #[command(subcommand)]
    action: Option<TasksCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum TasksCommand {
    /// What goals are having researched
    #[command(after_help = EXAMPLES)]
    List {
        /// Also tasks that are over
        #[arg(long)]
        all: bool,
    },
    /// What a task is to do, and each step of it
    #[command(after_help = EXAMPLES)]
    Show {
        /// Its number
        task: i64,
    },
    /// Give a task up
    #[command(after_help = EXAMPLES)]
    Cancel {
        /// Its number
        task: i64,
    },
}

pub(crate) fn run(args: TasksArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (file, json) = (context.paths.database(), args.json);
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let done = act(args.action.unwrap_or(TasksCommand::List { all: false }), &store, context, json).await;
        store.close().await?;
        done.map(|()| ExitCode::SUCCESS)
    })
}

async fn act(action: TasksCommand, store: &Store, context: &CliContext, json: bool) -> anyhow::Result<()> {
    let rows = store.work().await?;
    let task = |number: i64| {
        let found = rows.iter().find(|row| row.id == number && row.parent != 0);
        found.ok_or_else(|| {
            anyhow::anyhow!("there is no task {number}; `joi tasks list --all` shows those there are")
        })
    };
    match action {
        TasksCommand::List { all } => {
            let is_shown =
                |row: &&WorkRow| row.parent != 0 && (all || !WorkStatus::called(&row.status).is_over());
            list(&rows.iter().filter(is_shown).collect::<Vec<_>>(), &rows, json)
        }
        TasksCommand::Show { task: number } => shown(task(number)?, store, json).await,
        TasksCommand::Cancel { task: number } => {
            let row = task(number)?;
            anyhow::ensure!(
                !WorkStatus::called(&row.status).is_over(),
                "task {number} is over already: {}",
                row.status
            );
            owner::change(store, number, WorkEvent::Cancelled, Timestamp::now()).await?;
            show::line(format!("task {number} is cancelled"))?;
            nudge(context).await
        }
    }
}

fn list(tasks: &[&WorkRow], rows: &[WorkRow], json: bool) -> anyhow::Result<()> {
    let goal = |task: &WorkRow| {
        rows.iter().find(|row| row.id == task.parent).map_or_else(String::new, |row| row.name.clone())
    };
    if json {
        let row = |task: &&WorkRow| {
            json!({ "id": task.id, "name": task.name, "goal": task.parent, "status": task.status,
                "instructions": task.brief, "active": task.active.to_string(), "failure": task.failure })
        };
        let rows: Vec<_> = tasks.iter().map(row).collect();
        return Ok(show::line(serde_json::to_string_pretty(&rows)?)?);
    }
    if tasks.is_empty() {
        return Ok(show::line("no tasks")?);
    }
    let mut table = show::table(["TASK", "NAME", "GOAL", "STATUS", "LAST"]);
    for task in tasks {
        let number = task.id.to_string();
        table.add_row([number, task.name.clone(), goal(task), task.status.clone(), local(task.active)]);
    }
    Ok(show::line(table)?)
}

async fn shown(task: &WorkRow, store: &Store, json: bool) -> anyhow::Result<()> {
    let steps = store.steps(task.id, 100).await?;
    let cells = store.cells(task.id, 0, 100).await?;
    if json {
        let step = |step: &joi_store::InnerStep| {
            json!({ "at": step.at.to_string(), "role": step.role, "text": step.text,
                "origin": step.origin.name() })
        };
        let steps: Vec<_> = steps.iter().map(step).collect();
        let whole = json!({ "id": task.id, "name": task.name, "status": task.status,
            "instructions": task.brief, "failure": task.failure, "inner": steps });
        return Ok(show::line(serde_json::to_string_pretty(&whole)?)?);
    }
    show::line(format!("task {} ({}): {}\n{}", task.id, task.status, task.name, task.brief))?;
    for cell in &cells {
        show::line(format!("{}  {}  {}", local(cell.at), cell.author, cell.text))?;
    }
    for step in &steps {
        show::line(format!("{}  {}  {}", local(step.at), step.role, step.text))?;
    }
    Ok(())
}
