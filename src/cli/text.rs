//! `joi text`: type to her. Line editing and history on a terminal; plain lines in a pipe.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::session::Session;
use super::show::{self, Mood};
use super::slash::{self, Slash};
use super::typed::Typist;
use crate::app::Brain;
use crate::paths::Paths;

const EXAMPLES: &str = "\
Examples:
  joi text              then type; /why, /tools, /model and /help tell more
  printf 'what time is it?\\nwhat day is it?\\n' | joi text";

/// Lines of history that are kept.
const HISTORY: usize = 500;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

pub(crate) fn run(_: Args, session: &Session) -> anyhow::Result<ExitCode> {
    session.block_on(async {
        let brain = Brain::start(session.config(), &session.paths).await?;
        for remark in &brain.remarks {
            show::remark(remark);
        }
        let mut typist = Typist::new(&brain).await;
        let is_terminal = std::io::stdin().is_terminal();
        let mut lines = if is_terminal { Input::terminal(&session.paths)? } else { Input::Pipe };
        if is_terminal {
            show::remark("type a question; /help lists commands, Ctrl-D ends");
        }
        let mut last = None;
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
            if slash::run(&line, &brain, last.as_ref())? == Slash::Done {
                continue;
            }
            last = Some(typist.ask(&line).await.record);
        }
        lines.keep(&session.paths);
        brain.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Where lines come from.
enum Input {
    Terminal(Box<DefaultEditor>),
    Pipe,
}

impl Input {
    fn terminal(paths: &Paths) -> anyhow::Result<Self> {
        let config = rustyline::Config::builder().max_history_size(HISTORY)?.auto_add_history(true).build();
        let mut editor = DefaultEditor::with_config(config)?;
        // The first start has no history.
        let _ = editor.load_history(&history(paths));
        Ok(Self::Terminal(Box::new(editor)))
    }

    /// The next line; nothing at the end.
    fn next(&mut self) -> anyhow::Result<Option<String>> {
        match self {
            Self::Terminal(editor) => match editor.readline(&show::coloured(Mood::Good, "› ")) {
                Ok(line) => Ok(Some(line)),
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(None),
                Err(error) => Err(error.into()),
            },
            Self::Pipe => {
                let mut line = String::new();
                let read = std::io::stdin().lock().read_line(&mut line)?;
                Ok((read > 0).then_some(line))
            }
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

fn history(paths: &Paths) -> std::path::PathBuf {
    paths.data.join("history.txt")
}
