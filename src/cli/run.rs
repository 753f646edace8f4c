//! `joi run`: runs the daemon: the spoken conversation and every service.
//!
//! Main thread and a Tokio runtime. A missing microphone is shown once and retried; on a terminal one can type too.

mod show_news;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader, Split};

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

/// Lines that follow each other within this time were not typed one by one.
const AT_ONCE: Duration = Duration::from_millis(30);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Show what joi does, never what is said; always so when stderr goes to the journal
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
        let Started { mut daemon, brain, lock } = started;
        // It ends when the daemon does: what is typed is never the end of a conversation.
        daemon.supervise(answer_typed(&brain)).await;
        let ended = daemon.end().await;
        if ended.is_ok() {
            app::note_end(&brain).await;
        }
        brain.shutdown().await;
        drop(lock);
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
        while let Some(line) = next_text(&mut lines).await {
            if line.is_empty() {
                continue;
            }
            match slash::run(&line, (brain, typist.session()), last.as_ref()).await {
                Ok(Slash::NotOne) => last = Some(typist.ask(&line).await.record),
                Ok(Slash::Done | Slash::Unknown) => {}
                Err(error) => show::remark(format!("{error:#}")),
            }
        }
    }
    std::future::pending().await
}

/// The next text without blank edges; nothing at the end. Lines that come at once were pasted and are one text: nobody
/// types them, so that each would be a request of its owner.
async fn next_text(lines: &mut Split<impl AsyncBufRead + Unpin>) -> Option<String> {
    let mut text = next_line(lines).await?;
    while let Ok(Some(line)) = tokio::time::timeout(AT_ONCE, next_line(lines)).await {
        text.push('\n');
        text.push_str(&line);
    }
    Some(text.trim().to_owned())
}

/// The next line that is text; nothing at the end.
async fn next_line(lines: &mut Split<impl AsyncBufRead + Unpin>) -> Option<String> {
    for number in 1.. {
        let bytes = lines.next_segment().await.ok().flatten()?;
        if let Some(line) = typed::line(bytes, number) {
            return Some(line);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn lines_that_come_at_once_are_one_text_and_typed_ones_are_not() {
        let (mut keys, terminal) = tokio::io::duplex(256);
        let mut lines = BufReader::new(terminal).split(b'\n');
        keys.write_all(b"what time is it\n").await.unwrap();
        assert_eq!(next_text(&mut lines).await.as_deref(), Some("what time is it"));
        keys.write_all(b"From: Eve\ncancel all timers\n\n").await.unwrap();
        assert_eq!(next_text(&mut lines).await.as_deref(), Some("From: Eve\ncancel all timers"));
        // A line without its end is waited for, however long that takes.
        keys.write_all(b"good").await.unwrap();
        let typing = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            keys.write_all(b" night\n").await.unwrap();
            drop(keys);
        };
        let (text, ()) = tokio::join!(next_text(&mut lines), typing);
        assert_eq!(text.as_deref(), Some("good night"));
        assert_eq!(next_text(&mut lines).await, None);
    }
}
