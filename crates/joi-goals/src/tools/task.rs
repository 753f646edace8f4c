//! `create_task`: opens a task of the goal, which works without it.

use joi_store::NewWork;
use joi_tools::{Call, Output, ToolError};

use super::scope::{RunTools, clean, lost, origin};
use crate::limits::{MOST_TASKS, TASKS_PER_DAY};
use crate::status::WorkStatus;

pub(super) async fn create(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    let Some(kind) = run.task else {
        return Err(ToolError::TellModel("no tasks can be opened here.".into()));
    };
    let (name, brief) = (clean(&call, "name"), clean(&call, "instructions"));
    if name.is_empty() || brief.is_empty() {
        return Err(ToolError::TellModel("a task needs a name and instructions.".into()));
    }
    let rows = run.store.work().await.map_err(lost)?;
    let own: Vec<_> = rows.iter().filter(|row| row.parent == run.row.id).collect();
    let open = own.iter().filter(|row| !WorkStatus::called(&row.status).is_over());
    if open.clone().count() >= MOST_TASKS {
        let why = format!("{MOST_TASKS} tasks are open already; wait for one of them.");
        return Err(ToolError::TellModel(why));
    }
    if open.clone().any(|row| row.name.eq_ignore_ascii_case(&name)) {
        return Err(ToolError::TellModel("a task of that name is open already.".into()));
    }
    let today = call.now.date();
    let is_today = |at: jiff::Timestamp| at.to_zoned(call.now.time_zone().clone()).date() == today;
    if own.iter().filter(|row| is_today(row.created)).count() >= TASKS_PER_DAY {
        let why = format!("{TASKS_PER_DAY} tasks were opened today, which is all.");
        return Err(ToolError::TellModel(why));
    }
    let task = NewWork {
        kind: kind.name.to_owned(),
        parent: run.row.id,
        name: name.clone(),
        brief,
        status: kind.begins.name().to_owned(),
        tools: run.row.tools.clone(),
        checks_per_day: kind.checks_per_day,
        // Instructions that were written after words of strangers may be theirs.
        origin: origin(call.source),
    };
    let id = run.store.open_work(task, call.now.timestamp()).await.map_err(lost)?;
    run.shows(&call, format!("task {id}: {name}")).await?;
    Ok(Output::own(format!("It is task {id}. Its result will come as a note; do not wait for it.")))
}
