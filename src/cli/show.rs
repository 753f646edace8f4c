//! How results look: tables, colour on a terminal and none in a pipe, one-sentence errors.
//!
//! Called by the commands, and by `joi-bench`, on the main thread. `anstream` strips colour where nobody would see it.

use std::fmt::Display;
use std::io::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use comfy_table::{ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressStyle};

use super::log;
use crate::control::{ReportText, TextPiece};
pub use crate::control::{Tone, bytes};

/// Between two pictures of what goes on.
const TICK: Duration = Duration::from_millis(200);

fn style(tone: Tone) -> Style {
    let colour = match tone {
        Tone::Good => AnsiColor::Green,
        Tone::Fair => AnsiColor::Yellow,
        Tone::Bad => AnsiColor::Red,
        Tone::Quiet => AnsiColor::BrightBlack,
    };
    Style::new().fg_color(Some(colour.into()))
}

/// `text` in the colour of `mood`, for [`line()`].
pub fn coloured(mood: Tone, text: impl Display) -> String {
    let style = style(mood);
    format!("{style}{text}{style:#}")
}

/// A text with the colours of its pieces, for [`line()`].
pub(super) fn painted(text: &ReportText) -> String {
    let piece = |TextPiece { text, tone }: &TextPiece| match tone {
        Some(tone) => coloured(*tone, text),
        None => text.clone(),
    };
    text.0.iter().map(piece).collect()
}

/// Writes a line to stdout; a closed pipe is an error, not a panic.
///
/// # Errors
/// Nobody reads it any more, or the disk is full.
pub fn line(text: impl Display) -> std::io::Result<()> {
    writeln!(anstream::stdout(), "{text}")
}

/// Hands what was written to stdout over to whoever reads it.
///
/// # Errors
/// As for [`line()`].
pub fn flush() -> std::io::Result<()> {
    anstream::stdout().flush()
}

/// Writes words of an answer to stdout as they come; nobody minds when that fails.
pub fn words(words: &str) {
    let mut out = anstream::stdout();
    let _ = write!(out, "{words}").and_then(|()| out.flush());
}

/// Writes a line to stderr; nobody minds when that fails.
pub fn remark(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// An error with its causes in one sentence.
pub fn error(error: &anyhow::Error) {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !told.iter().any(|earlier| earlier.contains(&cause)) {
            told.push(cause);
        }
    }
    let told = format!("{} {}", coloured(Tone::Bad, "joi:"), told.join(": "));
    remark(if log::is_journal() { log::with_priority(&told, tracing::Level::ERROR) } else { told });
}

/// Returns a table without frames that fits the terminal.
pub fn table<'a>(head: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(head.into_iter().collect::<Vec<_>>());
    table
}

/// Returns a bar on a terminal, nothing in a pipe.
pub fn progress(what: &'static str, len: u64) -> ProgressBar {
    let bar = ProgressBar::new(len);
    // The template is constant; were it wrong, the default style would still show something.
    if let Ok(style) = ProgressStyle::with_template("{msg:6} {bar:32} {pos} of {len}, {eta} left") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(what);
    bar
}

/// Shows on a terminal that `what` goes on and for how long already, until the bar is finished; nothing in a pipe.
pub fn working(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    // As for `progress`.
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar.enable_steady_tick(TICK);
    bar
}
