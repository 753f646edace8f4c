//! `joi run`: talk to her. A missing microphone is told once and retried; on a terminal one can type too.

mod show_news;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, BufReader, Split, Stdin};

use self::show_news::Screen;
use super::context::CliContext;
use super::show;
use super::slash::{self, Slash};
use super::typed::{self, Typist};
use crate::app::{self, Brain, Show, Started};

const EXAMPLES: &str = "\
Examples:
  joi run                                          then say \"hey jarvis, what time is it?\"
  joi run --set hear.endpoint.patience=quick       answer after a shorter pause
  joi run --log info                               tell more on stderr
  joi run --discreet                               show no word of what is said, as for a service's log";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Show what she does, never what is said; always so when stderr goes to the journal
    #[arg(long)]
    discreet: bool,
}

/// Whether the words of a conversation are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Shown,
    Hidden,
}

pub(crate) fn run(args: RunArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let is_logged = std::env::var_os("JOURNAL_STREAM").is_some() && !std::io::stderr().is_terminal();
    let screen = Screen::new(if args.discreet || is_logged { Words::Hidden } else { Words::Shown });
    let show: Show = Arc::new(move |shown| screen.show(shown));
    context.block_on(async {
        let started = app::start(context.config(), &context.paths, context.journal.clone(), show).await?;
        let Started { mut daemon, brain } = started;
        // It ends when the daemon does: what is typed is never the end of a conversation.
        daemon.supervise(answer_typed(&brain)).await;
        let ended = daemon.end().await;
        if ended.is_ok() {
            app::note_end(&brain).await;
        }
        brain.shutdown().await;
        ended?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Answers what is typed, when somebody can type; else waits for ever.
async fn answer_typed(brain: &Brain) {
    if std::io::stdin().is_terminal() {
        let mut typist = Typist::new(brain).await;
        let mut lines = BufReader::new(tokio::io::stdin()).split(b'\n');
        let mut last = None;
        while let Some(line) = next_line(&mut lines).await {
            if line.trim().is_empty() {
                continue;
            }
            match slash::run(&line, (brain, &typist.session), last.as_ref()).await {
                Ok(Slash::NotOne) => last = Some(typist.ask(&line).await.record),
                Ok(Slash::Done | Slash::Unknown) => {}
                Err(error) => show::remark(format!("{error:#}")),
            }
        }
    }
    std::future::pending().await
}

/// The next line that is text; nothing at the end.
async fn next_line(lines: &mut Split<BufReader<Stdin>>) -> Option<String> {
    for number in 1.. {
        let bytes = lines.next_segment().await.ok().flatten()?;
        if let Some(line) = typed::line(bytes, number) {
            return Some(line);
        }
    }
    None
}
