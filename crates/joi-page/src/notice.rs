//! What came of a form: one sentence, shown once, on the page that the browser gets next.
//!
//! Any thread, a short lock. In: a browser and a sentence. Out: the same, once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use joi_language::fill;
use joi_language::page::PageWords;

use crate::PageFault;

/// Browsers that a sentence waits for. When full, all of them are dropped: those that are signed in are fewer.
const MOST: usize = 64;

/// Whether something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoticeTone {
    Done,
    Failed,
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageNotice {
    pub(crate) tone: NoticeTone,
    pub(crate) text: String,
}

impl PageNotice {
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self { tone: NoticeTone::Done, text: text.into() }
    }

    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self { tone: NoticeTone::Failed, text: text.into() }
    }

    /// Why something was not done.
    pub(crate) fn fault(fault: PageFault, words: &PageWords) -> Self {
        Self::failed(match fault {
            PageFault::Muted => words.now.is_muted.clone(),
            PageFault::NotYet => words.now.not_yet.clone(),
            PageFault::NoSpeaker => words.now.no_speaker.clone(),
            PageFault::Gone => words.memory.gone.clone(),
            PageFault::Secret => words.memory.secret.clone(),
            PageFault::Empty => words.memory.empty_text.clone(),
            PageFault::Unclear => words.now.unclear.clone(),
            PageFault::Recording => words.wake.busy.clone(),
            PageFault::Enough => words.wake.full.clone(),
            PageFault::NoTime => words.memory.no_time.clone(),
            PageFault::Because(why) => fill(&words.shell.failed, &[("why", &why)]),
        })
    }
}

/// The sentences that wait.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<HashMap<String, PageNotice>>);

impl Notices {
    /// Keeps a sentence for the browser `id`, in place of an earlier one.
    pub(crate) fn keep(&self, id: String, notice: PageNotice) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MOST {
            waiting.clear();
        }
        waiting.insert(id, notice);
    }

    /// Takes the sentence for the browser `id`.
    pub(crate) fn take(&self, id: &str) -> Option<PageNotice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }
}
