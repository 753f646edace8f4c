//! Exports and imports what joi remembers as a file of JSON Lines, and the lines that were typed.
//!
//! In: a store and a file. Out: one object a line. A line that can't be read stops an import before anything is
//! changed, with its number.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use crate::cli::show;
use joi_base::paths::Paths;
use joi_language::words;
use joi_store::{Portable, Store};

/// Writes everything to `file`, readable by its owner only, or to stdout.
pub(super) async fn export(store: &Store, file: Option<&Path>) -> anyhow::Result<()> {
    let pieces = store.export().await?;
    let mut lines = String::new();
    for piece in &pieces {
        lines.push_str(&serde_json::to_string(piece)?);
        lines.push('\n');
    }
    let Some(file) = file else {
        anstream::stdout().write_all(lines.as_bytes())?;
        return Ok(());
    };
    private(file)
        .and_then(|mut open| open.write_all(lines.as_bytes()))
        .with_context(|| format!("{} can't be written", file.display()))?;
    show::remark(format!("wrote {} lines to {}", pieces.len(), file.display()));
    Ok(())
}

/// Opens a file for its owner only, also when it was there before with wider rights.
fn private(file: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let open = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    // A terminal, a pipe or /dev/null stays as it is.
    if open.metadata()?.is_file() {
        open.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(open)
}

/// Takes what a file holds; `-` is stdin.
pub(super) async fn import(store: &Store, file: &Path, as_json: bool) -> anyhow::Result<()> {
    let mut text = String::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().read_to_string(&mut text),
        _ => std::fs::File::open(file).and_then(|mut open| open.read_to_string(&mut text)),
    };
    read.with_context(|| format!("{} can't be read", file.display()))?;
    let mut pieces = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let piece: Portable = serde_json::from_str(line)
            .with_context(|| format!("line {} of {} is no line of an export", number + 1, file.display()))?;
        pieces.push(redacted(piece));
    }
    let done = store.import(pieces).await?;
    if as_json {
        show::line(json!({ "memories": done.memories, "messages": done.messages, "known": done.known }))?;
    } else {
        let (memories, messages, known) = (done.memories, done.messages, done.known);
        show::line(format!("took {memories} memories and {messages} messages; {known} were there already"))?;
    }
    Ok(())
}

/// Redacts a piece: a file may come from anywhere, and nothing is stored unredacted.
fn redacted(piece: Portable) -> Portable {
    let clean = |text: String| joi_redact::redact_structured(&text).into_string();
    match piece {
        Portable::Memory { kind, at, text, source } => {
            Portable::Memory { kind, at, text: clean(text), source }
        }
        Portable::Message { channel, place, role, at, text, origin } => {
            Portable::Message { channel, place, role, at, text: clean(text), origin }
        }
    }
}

/// Takes the lines about a topic out of the history of typed lines.
pub(super) fn forget_typed(paths: &Paths, about: &str) -> anyhow::Result<()> {
    let file = paths.data.join("history.txt");
    let Ok(history) = std::fs::read_to_string(&file) else { return Ok(()) };
    let topic = words::words(about);
    let is_about = |line: &&str| words::mention(&words::words(line), &topic);
    let kept: Vec<&str> = history.lines().filter(|line| !is_about(line)).collect();
    if kept.len() < history.lines().count() {
        private(&file)?.write_all((kept.join("\n") + "\n").as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_export_is_private_also_over_a_file_that_others_could_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.jsonl");
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        drop(private(&file).unwrap());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
