//! Progress of a fetch: bars with rate and remaining time on a terminal, plain lines in a pipe or a log.
//! Called from the task that fetches; writes to standard error.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};

/// Receives what happens during a fetch, one step after the other.
pub trait FetchProgress: Send + Sync {
    /// A step begins, of `total` bytes when that is known.
    fn begin(&self, what: &str, total: Option<u64>);
    /// This many bytes of the step are done.
    fn at(&self, done: u64);
    /// The step ended, well or not.
    fn end(&self);
    /// A remark, for example that a source failed and the next one is tried.
    fn note(&self, text: &str);
}

/// Bars when standard error is a terminal, else lines.
pub fn on_stderr() -> Box<dyn FetchProgress> {
    if std::io::stderr().is_terminal() { Box::new(Bars::default()) } else { Box::new(Lines::default()) }
}

/// Bars with rate and remaining time.
#[derive(Debug, Default)]
pub struct Bars(Mutex<Option<ProgressBar>>);

impl Bars {
    fn with(&self, f: impl FnOnce(&mut Option<ProgressBar>)) {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl FetchProgress for Bars {
    fn begin(&self, what: &str, total: Option<u64>) {
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{msg:32!} {bar:24} {bytes:>10} of {total_bytes:10} {bytes_per_sec:>12}, {eta} left",
            ),
            None => (ProgressBar::no_length(), "{msg:32!} {spinner} {bytes:>10} {bytes_per_sec:>12}"),
        };
        // The template is constant; were it wrong, the default style would still show something.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.with(|slot| *slot = Some(bar));
    }

    fn at(&self, done: u64) {
        self.with(|slot| {
            if let Some(bar) = slot {
                bar.set_position(done);
            }
        });
    }

    fn end(&self) {
        self.with(|slot| {
            if let Some(bar) = slot.take() {
                bar.abandon();
            }
        });
    }

    fn note(&self, text: &str) {
        self.with(|slot| match slot {
            Some(bar) => bar.println(text),
            None => write_line(text),
        });
    }
}

/// One line when a step begins and one for every further quarter of it.
#[derive(Debug, Default)]
pub struct Lines(Mutex<ProgressStep>);

#[derive(Debug, Default)]
struct ProgressStep {
    what: String,
    total: Option<u64>,
    quarters: u64,
}

impl FetchProgress for Lines {
    fn begin(&self, what: &str, total: Option<u64>) {
        let mut step = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match total {
            Some(total) => write_line(&format!("{what}: {}", BinaryBytes(total))),
            None => write_line(what),
        }
        *step = ProgressStep { what: what.into(), total, quarters: 0 };
    }

    fn at(&self, done: u64) {
        let mut step = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(total) = step.total.filter(|total| *total > 0) else { return };
        let quarters = done.saturating_mul(4) / total;
        if quarters > step.quarters && quarters < 4 {
            step.quarters = quarters;
            write_line(&format!("{}: {} %", step.what, quarters * 25));
        }
    }

    fn end(&self) {}

    fn note(&self, text: &str) {
        write_line(text);
    }
}

fn write_line(text: &str) {
    // A closed standard error is no reason to stop fetching.
    let _ = writeln!(std::io::stderr(), "{text}");
}
