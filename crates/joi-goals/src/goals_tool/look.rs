//! Says how goals are, what happened today, and what is new.
//!
//! Futures of a call. Words of strangers are said to be so, and taint the turn.

use joi_base::message::Origin;
use joi_language::{capital, fill};
use joi_store::{StoreError, WorkRow};
use joi_tools::{Call, Output, Source};

use super::{GoalsTool, KnownGoal, midnight};
use crate::limits::FEED_ITEMS;
use crate::status::WorkStatus;

pub(super) fn list(tool: &GoalsTool, call: &Call<'_>) -> Output {
    let say = &call.language.sentences().goals;
    let open: Vec<String> =
        tool.known.all().into_iter().filter(|goal| !goal.is_over).map(|goal| goal.name).collect();
    let sentence = match open.len() {
        0 => say.no_goals.clone(),
        count => {
            let items = call.language.sentences().time.listed(&open);
            fill(&say.list[usize::from(count > 1)], &[("items", &items)])
        }
    };
    Output::own(sentence.clone()).saying(sentence)
}

pub(super) async fn how(tool: &GoalsTool, goal: &KnownGoal, call: &Call<'_>) -> Result<Output, StoreError> {
    let say = &call.language.sentences().goals;
    let rows = tool.store.work().await?;
    let status = rows.iter().find(|row| row.id == goal.id).map(|row| WorkStatus::called(&row.status));
    let state = match status {
        Some(WorkStatus::Working) => &say.working,
        Some(WorkStatus::Archived) => &say.over,
        _ => &say.waiting,
    };
    let mut parts = vec![capital(&fill(state, &[("name", &goal.name)]))];
    let is_running = |row: &&WorkRow| row.parent == goal.id && !WorkStatus::called(&row.status).is_over();
    parts.extend(counted(&say.tasks, rows.iter().filter(is_running).count()));
    let notes = tool.store.work_notes(goal.id, "note", 200).await?;
    parts.extend(counted(&say.notes, notes.len()));
    let cells = tool.store.cells(goal.id, 0, 100).await?;
    let latest = cells.iter().rev().find(|cell| cell.author == "agent" && cell.kind == "text");
    let mut source = Source::Own;
    if let Some(cell) = latest {
        let is_foreign = cell.origin == Origin::Stranger;
        source = if is_foreign { Source::Foreign } else { Source::Own };
        let sentence = if is_foreign { &say.last_foreign } else { &say.last };
        parts.push(fill(sentence, &[("text", &cell.text)]));
    }
    let sentence = parts.join(" ");
    Ok(Output::of(source, sentence.clone()).saying(sentence))
}

pub(super) async fn today(tool: &GoalsTool, call: &Call<'_>) -> Result<Output, StoreError> {
    let say = &call.language.sentences().goals;
    let since = midnight(call);
    let rows = tool.store.work().await?;
    let mut items = Vec::new();
    for goal in tool.known.all() {
        let cells = tool.store.cells(goal.id, 0, 200).await?;
        let messages =
            cells.iter().filter(|cell| cell.at >= since && cell.author == "agent" && cell.kind == "text");
        let notes = tool.store.work_notes(goal.id, "note", 200).await?;
        let is_done = |row: &&WorkRow| {
            let is_over = WorkStatus::called(&row.status) == WorkStatus::Completed;
            row.parent == goal.id && is_over && row.status_since >= since
        };
        let mut parts: Vec<String> = Vec::new();
        parts.extend(counted(&say.messages, messages.count()));
        parts.extend(counted(&say.done_tasks, rows.iter().filter(is_done).count()));
        let new_notes = notes.iter().filter(|note| note.at >= since).count();
        if parts.is_empty() && new_notes > 0 {
            parts.extend(counted(&say.notes, new_notes).map(|text| text.trim_end_matches('.').to_owned()));
        }
        if !parts.is_empty() {
            let text = call.language.sentences().time.listed(&parts);
            items.push(fill(&say.day_of, &[("name", &goal.name), ("text", &text)]));
        }
    }
    let sentence = if items.is_empty() {
        say.nothing_today.clone()
    } else {
        fill(&say.today, &[("items", &items.join("; "))])
    };
    Ok(Output::own(sentence.clone()).saying(sentence))
}

pub(super) async fn news(tool: &GoalsTool, call: &Call<'_>) -> Result<Output, StoreError> {
    let say = &call.language.sentences().goals;
    let items = tool.store.work_notes(0, "feed", FEED_ITEMS).await?;
    let since = midnight(call);
    let fresh: Vec<_> = items.iter().filter(|item| item.at >= since).rev().collect();
    let line = |item: &&joi_store::WorkNote| {
        let is_foreign = item.origin == Origin::Stranger;
        let sentence = if is_foreign { &say.item_foreign } else { &say.item };
        fill(sentence, &[("text", &item.text), ("source", &item.source)])
    };
    let is_foreign = fresh.iter().any(|item| item.origin == Origin::Stranger);
    let sentence = if fresh.is_empty() {
        say.no_news.clone()
    } else {
        fresh.iter().map(line).collect::<Vec<_>>().join(" ")
    };
    let source = if is_foreign { Source::Foreign } else { Source::Own };
    Ok(Output::of(source, sentence.clone()).saying(sentence))
}

/// Returns a sentence about a number; nothing about none.
fn counted([one, several]: &[String; 2], count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some(one.clone()),
        _ => Some(fill(several, &[("count", &count.to_string())])),
    }
}
