//! Notes, learnings and items of the day.

use joi_base::message::Origin;
use joi_language::words;
use joi_store::{NewWorkNote, WorkNote};
use joi_tools::{Call, Output, Source, ToolError, fence};
use serde_json::Value;

use super::scope::{RunTools, clean, lost, origin, source_of};
use crate::limits::{FEED_ITEMS, LEARNINGS_KEPT, LONGEST_BLOCK, NOTES_KEPT, NOTES_SHOWN};

pub(super) async fn create(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    let (text, source) = (clean(&call, "text"), clean(&call, "source"));
    if text.is_empty() {
        return Err(ToolError::TellModel("a note needs text.".into()));
    }
    let id = add(run, "note", (&text, source), NOTES_KEPT, &call).await?;
    run.shows(&call, format!("note {id}: {text}")).await?;
    Ok(Output::own(format!("It is note {id}.")))
}

async fn add(
    run: &RunTools,
    kind: &'static str,
    (text, source): (&str, String),
    most: u32,
    call: &Call<'_>,
) -> Result<i64, ToolError> {
    let (work, origin) = (run.keeper(), origin(call.source));
    let note = NewWorkNote { work, kind, text: text.to_owned(), source, origin };
    run.store.add_work_note(note, most, call.now.timestamp()).await.map_err(lost)
}

pub(super) async fn read(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    let wanted = words::words(call.text("words"));
    let notes = run.store.work_notes(run.keeper(), "note", NOTES_KEPT).await.map_err(lost)?;
    let is_meant = |note: &&WorkNote| wanted.is_empty() || words::mention(&words::words(&note.text), &wanted);
    let found: Vec<&WorkNote> = notes.iter().filter(is_meant).take(NOTES_SHOWN as usize).collect();
    Ok(shown(&found, "There is no such note."))
}

/// Returns notes for the model; where one of them holds words of strangers, all stand between marks.
fn shown(notes: &[&WorkNote], none: &str) -> Output {
    let line = |note: &&WorkNote| {
        let source = if note.source.is_empty() { String::new() } else { format!(" ({})", note.source) };
        format!("{}: {}{source}", note.id, note.text)
    };
    let text = notes.iter().map(line).collect::<Vec<_>>().join("\n");
    let is_foreign = notes.iter().any(|note| note.origin == Origin::Stranger);
    match () {
        () if text.is_empty() => Output::own(none),
        () if is_foreign => Output::foreign(fence::wrap(&text, LONGEST_BLOCK)),
        () => Output::own(fence::shortened(&text, LONGEST_BLOCK)),
    }
}

pub(super) async fn learning(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    match call.text("action") {
        "add" => {
            let text = clean(&call, "text");
            if text.is_empty() {
                return Err(ToolError::TellModel("add needs text.".into()));
            }
            let id = add(run, "learning", (&text, String::new()), LEARNINGS_KEPT, &call).await?;
            Ok(Output::own(format!("It is learning {id}.")))
        }
        "remove" => {
            let number = call.arguments.get("number").and_then(Value::as_i64);
            let number = number.ok_or_else(|| ToolError::TellModel("remove needs a number.".into()))?;
            // What a stranger wrote must not take away what the owner likes.
            if call.source == Source::Foreign {
                let why = "words of strangers are in this run; leave learnings as they are.";
                return Err(ToolError::TellModel(why.into()));
            }
            let is_gone = run.store.remove_work_note(run.keeper(), number).await.map_err(lost)?;
            Ok(Output::own(if is_gone { "It was removed." } else { "There is no such learning." }))
        }
        _ => {
            let all = run.store.work_notes(run.keeper(), "learning", LEARNINGS_KEPT).await.map_err(lost)?;
            Ok(shown(&all.iter().collect::<Vec<_>>(), "There are no learnings."))
        }
    }
}

pub(super) async fn feed(run: &RunTools, call: Call<'_>) -> Result<Output, ToolError> {
    let (text, source) = (clean(&call, "text"), clean(&call, "source"));
    if text.is_empty() || source.is_empty() {
        return Err(ToolError::TellModel("an item needs text and the source it comes from.".into()));
    }
    let now = call.now;
    let is_today = |note: &&WorkNote| note.at.to_zoned(now.time_zone().clone()).date() == now.date();
    let items = run.store.work_notes(run.row.id, "feed", FEED_ITEMS).await.map_err(lost)?;
    if items.iter().filter(is_today).count() >= FEED_ITEMS as usize {
        let why = format!("there are {FEED_ITEMS} items already, which is all for today.");
        return Err(ToolError::TellModel(why));
    }
    if items.iter().any(|item| words::words(&item.text) == words::words(&text)) {
        return Err(ToolError::TellModel("that item is there already.".into()));
    }
    add(run, "feed", (&text, source), FEED_ITEMS, &call).await?;
    Ok(Output::of(source_of(Origin::Ours), "It was added."))
}
