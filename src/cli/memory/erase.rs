//! `joi memory forget`: entries, documents, and everything about something.
//!
//! Main thread. In: the store and what is meant. Out: how much is gone. On a terminal it shows that the work goes on.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use serde_json::json;

use super::carry;
use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show;
use joi_store::{Store, StoreError, TopicMentions};

/// Shows that `work` goes on while it does.
async fn shown<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    let working = show::working("searching and erasing");
    let done = work.await;
    working.finish_and_clear();
    done
}

/// Erases the entries with these numbers.
pub(super) async fn numbers(store: &Store, numbers: Vec<i64>, json: bool) -> anyhow::Result<ExitCode> {
    let wanted = numbers.len();
    let gone = shown(store.forget_memories(numbers)).await?;
    if json {
        show::line(json!({ "erased": gone }))?;
    } else {
        show::line(format!("erased {gone} of {wanted} entries"))?;
    }
    Ok(if gone == wanted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Erases a document.
pub(super) async fn document(store: &Store, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let pieces = shown(store.forget_document(name)).await?;
    if json {
        show::line(json!({ "erased": pieces }))?;
    } else if pieces == 0 {
        show::line(format!("there is no document {name}; `joi memory list --kind document` lists them"))?;
    } else {
        show::line(format!("erased {name}, {pieces} pieces"))?;
    }
    Ok(if pieces > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Erases what mentions `about`, after a yes.
pub(super) async fn about(
    store: &Store,
    context: &CliContext,
    about: &str,
    yes: bool,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let known = shown(store.known_about(about)).await?;
    if known.is_nothing() {
        // A snapshot may hold what the database has no more.
        shown(store.forget_about(about)).await?;
        carry::forget_typed(&context.paths, about)?;
        show::line(if json {
            json!({ "erased": 0 }).to_string()
        } else {
            "joi remembers nothing about that".into()
        })?;
        return Ok(ExitCode::FAILURE);
    }
    if !yes {
        anyhow::ensure!(
            std::io::stdin().is_terminal(),
            "say --yes to erase {} without being asked",
            amounts(known)
        );
        write!(anstream::stderr(), "Erase {}? [y/N] ", amounts(known))?;
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        if !matches!(line.trim(), "y" | "Y" | "yes") {
            show::line("nothing was erased")?;
            return Ok(ExitCode::FAILURE);
        }
    }
    let gone = shown(store.forget_about(about)).await?;
    carry::forget_typed(&context.paths, about)?;
    if gone.timers > 0 {
        // What rings must stop; the program may not run.
        let wake_up = app::timers::wake_up(&context.paths);
        tokio::task::spawn_blocking(move || wake_up()).await?;
    }
    if json {
        let TopicMentions { exchanges, memories, turns, notes, timers, other } = gone;
        show::line(json!({
            "exchanges": exchanges, "memories": memories, "turns": turns, "notes": notes, "timers": timers,
            "other": other,
        }))?;
    } else {
        show::line(format!("erased {}", amounts(gone)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn amounts(gone: TopicMentions) -> String {
    let TopicMentions { exchanges, memories, turns, .. } = gone;
    let more = [(gone.notes, "entries of lists"), (gone.timers, "timers"), (gone.other, "other records")];
    let more = more.into_iter().filter(|(count, _)| *count > 0);
    let more: String = more.map(|(count, what)| format!(", {count} {what}")).collect();
    format!("{exchanges} exchanges, {memories} memories and {turns} turn records{more}")
}
