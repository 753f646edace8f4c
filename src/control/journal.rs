//! The newest warnings and errors, kept in memory for `joi status`.
//!
//! Any thread logs, one short lock each time. Kept are the message and the named fault of this program's own
//! log lines, nothing of other crates and no other field: no log line contains what was said, and this
//! journal would not repeat it. When it is full the oldest entry is dropped.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use super::moment::moment;
use joi_base::clock::Clock;

/// Entries that are kept.
const ENTRIES: usize = 20;
/// Characters that are kept of one.
const LENGTH: usize = 300;
/// Fields whose value is part of the sentence.
const FIELDS: [&str; 2] = ["error", "fault"];

/// A warning or an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// When it was logged last: RFC 3339, UTC.
    pub at: String,
    /// `warn` or `error`.
    pub level: String,
    /// The module that logged it.
    pub from: String,
    /// One sentence.
    pub told: String,
    /// Number of repetitions in a row.
    pub times: u64,
}

/// Numbers of warnings and errors since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogCounts {
    /// Warnings.
    pub warnings: u64,
    /// Errors.
    pub errors: u64,
}

/// The newest warnings and errors. Clones share them.
#[derive(Clone)]
pub struct Journal {
    entries: Arc<Mutex<VecDeque<JournalEntry>>>,
    warnings: Arc<AtomicU64>,
    errors: Arc<AtomicU64>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("entries", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Journal {
    /// An empty one whose times are those of `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { entries: Arc::default(), warnings: Arc::default(), errors: Arc::default(), clock }
    }

    /// Returns how many were logged, those included that are not kept any more.
    pub fn counts(&self) -> LogCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        LogCounts { warnings: read(&self.warnings), errors: read(&self.errors) }
    }

    /// Returns what is kept, oldest first.
    pub fn entries(&self) -> Vec<JournalEntry> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<JournalEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, entry: JournalEntry) {
        let mut entries = self.lock();
        if let Some(last) = entries.back_mut()
            && (&last.told, &last.level) == (&entry.told, &entry.level)
        {
            last.times += 1;
            last.at = entry.at;
            return;
        }
        if entries.len() == ENTRIES {
            entries.pop_front();
        }
        entries.push_back(entry);
    }
}

impl<S: Subscriber> Layer<S> for Journal {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let meta = event.metadata();
        if !is_ours(meta.target()) || *meta.level() > Level::WARN {
            return;
        }
        let counter = if *meta.level() == Level::ERROR { &self.errors } else { &self.warnings };
        counter.fetch_add(1, Ordering::Relaxed);
        let mut sentence = LogMessage::default();
        event.record(&mut sentence);
        let told = match sentence.fault {
            Some(fault) => format!("{}: {fault}", sentence.message),
            None => sentence.message,
        };
        self.keep(JournalEntry {
            at: moment(&*self.clock),
            level: meta.level().as_str().to_lowercase(),
            from: meta.target().to_owned(),
            told: told.chars().take(LENGTH).collect(),
            times: 1,
        });
    }
}

/// Returns whether the program itself or one of its crates logs as `target`.
fn is_ours(target: &str) -> bool {
    let rest = target.strip_prefix("joi");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with('_'))
}

/// Message and fault of a log line.
#[derive(Default)]
struct LogMessage {
    message: String,
    fault: Option<String>,
}

impl Visit for LogMessage {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else if FIELDS.contains(&field.name()) {
            self.fault = Some(format!("{value:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;
    use joi_base::clock::ManualClock;

    fn journal() -> Journal {
        Journal::new(Arc::new(ManualClock::at("2026-03-01T13:00:00+01:00[Europe/Vienna]".parse().unwrap())))
    }

    fn logging(journal: &Journal, work: impl FnOnce()) {
        tracing::subscriber::with_default(tracing_subscriber::registry().with(journal.clone()), work);
    }

    #[test]
    fn warnings_are_kept_with_their_fault_and_nothing_else_of_them() {
        let journal = journal();
        logging(&journal, || {
            tracing::info!("nobody wants to know");
            tracing::warn!(target: "joi_store", error = %"disk full", text = "my marmalade", "not stored");
            tracing::error!(target: "hyper::client", "none of ours");
            tracing::warn!(target: "joined::up", "none of ours either");
        });
        let entry = JournalEntry {
            at: "2026-03-01T12:00:00Z".into(),
            level: "warn".into(),
            from: "joi_store".into(),
            told: "not stored: disk full".into(),
            times: 1,
        };
        assert_eq!(journal.entries(), [entry]);
    }

    #[test]
    fn what_repeats_is_counted_and_the_oldest_goes() {
        let journal = journal();
        logging(&journal, || {
            for _ in 0..1000 {
                tracing::warn!(target: "joi_audio", "the listener thread fell behind");
            }
            for i in 0..ENTRIES {
                tracing::warn!(target: "joi_audio::echo", "number {i} {}", "x".repeat(2 * LENGTH));
            }
        });
        let kept = journal.entries();
        assert_eq!(kept.len(), ENTRIES);
        assert!(kept[0].told.starts_with("number 0 ") && kept[0].told.chars().count() == LENGTH);
        let again = self::journal();
        logging(&again, || (0..1000).for_each(|_| tracing::warn!(target: "joi_audio", "late")));
        assert_eq!(again.counts(), LogCounts { warnings: 1000, errors: 0 });
        assert_eq!(again.entries().iter().map(|entry| entry.times).collect::<Vec<_>>(), [1000]);
    }
}
