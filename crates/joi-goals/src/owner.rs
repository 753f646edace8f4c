//! What the owner does with goals, by voice, in writing or by command: opens one, says something to it, changes its state.
//!
//! Futures of a call or a command. In: words of the owner, redacted here. Out: rows. Whoever calls it wakes the program that works
//! on goals.

use jiff::Timestamp;
use joi_base::message::Origin;
use joi_redact::redact;
use joi_store::{NewCell, NewWork, Store, StoreError, WorkChange, WorkRow};
use joi_tools::fence;

use crate::kind::{self, ASSISTANT, GOAL, TYPES};
use crate::limits::{LONGEST_NAME, LONGEST_TEXT, MOST_GOALS};
use crate::status::{WorkEvent, WorkStatus};

/// What became of opening a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedGoal {
    /// It is open: its number and name.
    Opened(i64, String),
    /// There is one of that name that is not over.
    There(i64, String),
    /// There are so many already.
    TooMany(usize),
}

/// Opens a goal with the words that ask for it, which wait as its first message.
///
/// # Errors
/// The database's.
pub async fn open(
    store: &Store,
    (name, brief): (&str, &str),
    (origin, channel): (Origin, &str),
    tools: Vec<String>,
    now: Timestamp,
) -> Result<OpenedGoal, StoreError> {
    let name = fence::shortened(redact(name).into_string().trim(), LONGEST_NAME);
    let brief = fence::shortened(redact(brief).into_string().trim(), LONGEST_TEXT);
    let rows = store.work().await?;
    let is_open = |row: &&WorkRow| row.kind == GOAL.name && !WorkStatus::called(&row.status).is_over();
    let open: Vec<&WorkRow> = rows.iter().filter(is_open).collect();
    if let Some(same) = open.iter().find(|row| row.name.to_lowercase() == name.to_lowercase()) {
        return Ok(OpenedGoal::There(same.id, same.name.clone()));
    }
    if open.len() >= MOST_GOALS {
        return Ok(OpenedGoal::TooMany(open.len()));
    }
    let new = NewWork {
        kind: GOAL.name.to_owned(),
        parent: 0,
        name: name.clone(),
        brief: brief.clone(),
        status: GOAL.begins.name().to_owned(),
        tools,
        checks_per_day: GOAL.checks_per_day,
        origin,
    };
    let id = store.open_work(new, now).await?;
    store.add_cell(id, message(&brief, origin, channel), now).await?;
    Ok(OpenedGoal::Opened(id, name))
}

/// Passes words of the owner on to a goal or the assistant; returns the number of the message.
///
/// # Errors
/// The database's.
pub async fn say(
    store: &Store,
    work: i64,
    text: &str,
    (origin, channel): (Origin, &str),
    now: Timestamp,
) -> Result<i64, StoreError> {
    let text = fence::shortened(redact(text).into_string().trim(), LONGEST_TEXT);
    let id = store.add_cell(work, message(&text, origin, channel), now).await?;
    become_after(store, work, WorkEvent::Asked, Vec::new(), now).await?;
    Ok(id)
}

fn message(text: &str, origin: Origin, channel: &str) -> NewCell {
    let (author, kind, run) = ("user", "text", None);
    NewCell { author, kind, text: text.to_owned(), origin, channel: channel.to_owned(), run }
}

/// Has a goal or a task go on, wait or end. A goal that is left alone does not look by itself; the tasks of one that ends
/// are cancelled.
///
/// # Errors
/// The database's.
pub async fn change(store: &Store, work: i64, event: WorkEvent, now: Timestamp) -> Result<(), StoreError> {
    let checks = |row: &WorkRow| kind::called(TYPES, &row.kind).map_or(0, |kind| kind.checks_per_day);
    let rows = store.work().await?;
    let Some(row) = rows.iter().find(|row| row.id == work) else { return Ok(()) };
    let (changes, is_end) = match event {
        WorkEvent::Resumed => (vec![WorkChange::Checks(checks(row)), WorkChange::Woken(true)], false),
        WorkEvent::Left => (vec![WorkChange::Checks(0), WorkChange::Woken(false)], false),
        WorkEvent::Ended => (vec![WorkChange::Checks(0), WorkChange::Woken(false)], true),
        _ => (Vec::new(), false),
    };
    become_after(store, work, event, changes, now).await?;
    if is_end {
        for task in rows.iter().filter(|row| row.parent == work) {
            become_after(store, task.id, WorkEvent::Cancelled, Vec::new(), now).await?;
        }
    }
    Ok(())
}

async fn become_after(
    store: &Store,
    work: i64,
    event: WorkEvent,
    mut changes: Vec<WorkChange>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let rows = store.work().await?;
    let Some(row) = rows.iter().find(|row| row.id == work) else { return Ok(()) };
    let status = WorkStatus::called(&row.status).after(event);
    changes.push(WorkChange::Status(status.name().to_owned()));
    store.change_work(work, changes, now).await
}

/// Returns the number of the assistant, which is opened where there is none.
///
/// # Errors
/// The database's.
pub async fn assistant(store: &Store, now: Timestamp) -> Result<i64, StoreError> {
    if let Some(row) = store.work().await?.iter().find(|row| row.kind == ASSISTANT.name) {
        return Ok(row.id);
    }
    let new = NewWork {
        kind: ASSISTANT.name.to_owned(),
        parent: 0,
        name: ASSISTANT.name.to_owned(),
        brief: String::new(),
        status: ASSISTANT.begins.name().to_owned(),
        tools: Vec::new(),
        checks_per_day: ASSISTANT.checks_per_day,
        origin: Origin::Ours,
    };
    store.open_work(new, now).await
}
