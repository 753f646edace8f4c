//! `joi text`: a typed conversation. Line editing and history on a terminal; plain lines in a pipe.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use tokio_util::sync::CancellationToken;

use super::context::CliContext;
use super::show::{self, Tone};
use super::slash::{self, Slash};
use super::typed::{self, Typist};
use crate::app::{self, Brain};
use joi_base::paths::Paths;

const EXAMPLES: &str = "\
Examples:
  joi text              then type; /why, /timers, /tools, /model and /help tell more
  printf 'what time is it?\\nwhat day is it?\\n' | joi text";

/// Lines of history that are kept.
const HISTORY: usize = 500;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TextArgs {}

pub(crate) fn run(_: TextArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    context.block_on(async {
        let brain = Brain::start_with_tools(context.config(), &context.paths).await?;
        for remark in &brain.remarks {
            show::remark(remark);
        }
        let mut typist = Typist::new(&brain).await;
        let is_terminal = std::io::stdin().is_terminal();
        let mut lines =
            if is_terminal { LineInput::terminal(&context.paths)? } else { LineInput::Pipe { lines: 0 } };
        if is_terminal {
            show::remark("type a question; /help lists commands, Ctrl-D ends");
        }
        let stop = CancellationToken::new();
        let keeping = tokio::spawn(app::keep_diary(&brain, &context.config().store, stop.clone()));
        let mut last = None;
        let erased_before = erasures(&brain).await;
        loop {
            let (line, rest) = tokio::task::spawn_blocking(move || {
                let line = lines.next();
                (line, lines)
            })
            .await?;
            lines = rest;
            let Some(line) = line? else { break };
            if line.trim().is_empty() {
                continue;
            }
            if slash::run(&line, (&brain, typist.session()), last.as_ref()).await? != Slash::NotOne {
                continue;
            }
            last = Some(typist.ask(&line).await.record);
        }
        // After an erasure the lines of before may hold what was erased; the file was cleaned by whoever erased it.
        if erasures(&brain).await == erased_before {
            lines.keep(&context.paths);
        }
        stop.cancel();
        let _ = keeping.await;
        brain.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Returns how often something was erased from the database; nothing where that is not known.
async fn erasures(brain: &Brain) -> Option<u64> {
    match &brain.store {
        Some(store) => store.times_forgotten().await.ok(),
        None => None,
    }
}

/// The source of lines.
enum LineInput {
    Terminal(Box<DefaultEditor>),
    Pipe {
        /// Lines that were read.
        lines: usize,
    },
}

impl LineInput {
    fn terminal(paths: &Paths) -> anyhow::Result<Self> {
        let mut editor = editor()?;
        // The first start has no history.
        let _ = editor.load_history(&history(paths));
        Ok(Self::Terminal(Box::new(editor)))
    }

    /// The next line; nothing at the end.
    fn next(&mut self) -> anyhow::Result<Option<String>> {
        match self {
            Self::Terminal(editor) => match editor.readline(&show::coloured(Tone::Good, "› ")) {
                Ok(line) => {
                    remember(editor, &line)?;
                    Ok(Some(line))
                }
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(None),
                Err(error) => Err(error.into()),
            },
            Self::Pipe { lines } => loop {
                let mut bytes = Vec::new();
                if std::io::stdin().lock().read_until(b'\n', &mut bytes)? == 0 {
                    return Ok(None);
                }
                *lines += 1;
                if let Some(line) = typed::line(bytes, *lines) {
                    return Ok(Some(line));
                }
            },
        }
    }

    fn keep(&mut self, paths: &Paths) {
        if let Self::Terminal(editor) = self
            && let Err(error) = editor.save_history(&history(paths))
        {
            show::remark(format!("the history was not kept: {error}"));
        }
    }
}

fn editor() -> anyhow::Result<DefaultEditor> {
    Ok(DefaultEditor::with_config(rustyline::Config::builder().max_history_size(HISTORY)?.build())?)
}

/// Adds a line to the history, which is kept in a file: without secrets.
fn remember(editor: &mut DefaultEditor, line: &str) -> anyhow::Result<()> {
    let line = joi_redact::redact(line).into_string();
    if !line.is_empty() {
        editor.add_history_entry(line)?;
    }
    Ok(())
}

fn history(paths: &Paths) -> std::path::PathBuf {
    paths.data.join("history.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_is_kept_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history.txt");
        let mut first = editor().unwrap();
        for line in ["what time is it", "  ", "write to jane@example.org", "my password is hunter22"] {
            remember(&mut first, line).unwrap();
        }
        first.save_history(&file).unwrap();
        let kept = std::fs::read_to_string(&file).unwrap();
        assert!(!kept.contains("jane") && !kept.contains("hunter22"), "{kept}");
        let mut second = editor().unwrap();
        second.load_history(&file).unwrap();
        let lines: Vec<&String> = second.history().iter().collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], "what time is it");
    }
}
