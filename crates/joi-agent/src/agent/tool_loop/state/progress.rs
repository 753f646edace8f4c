//! Progress of one answer: results, what of them was said, and what is left to try.
//!
//! Plain data of the task of one turn; it decides nothing.

use crate::agent::tool_loop::state::prompt::{ResultMessage, is_result};
use crate::session::tool_history::{CallOutcome, HistoryRow};
use crate::sink::ReplySink;
use joi_answer::truth::DoneCall;
use joi_llm::Message;
use joi_tools::FoundPage;

/// Progress of the answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoopProgress {
    /// Results of this turn.
    pub(crate) results: Vec<String>,
    /// Number of results of successful calls.
    pub(super) succeeded: usize,
    /// The newest is of one that did not.
    pub(super) has_failed: bool,
    /// Turns of the model that are left.
    pub(crate) turns_left: u32,
    /// Sentences of tools about their results.
    pub(crate) sentences: Vec<String>,
    /// Number of those already announced.
    told: usize,
    /// Calls so far that were made before.
    pub(super) again: u32,
    /// Searches for tools so far.
    searches: u32,
    /// Pages that were found or read, and how many addresses were followed.
    pub(crate) pages: Vec<FoundPage>,
    pub(crate) followed: u32,
    /// The calls of this turn that succeeded.
    pub(crate) done: Vec<DoneCall>,
    /// Those that would have changed something and were refused, failed, or wait for a yes.
    pub(crate) undone: Vec<DoneCall>,
    /// The model could make no call of the plan's next step: the next reply is its own.
    pub(crate) has_refused_step: bool,
    /// A call that takes long was mentioned.
    pub(crate) has_mentioned_wait: bool,
    /// An empty reply was already asked about.
    has_recovered: bool,
    /// The rows of this answer that an earlier turn already announced.
    rows: Vec<HistoryRow>,
}

impl LoopProgress {
    /// An answer that has not begun, with so many turns of the model.
    pub(crate) fn new(turns_left: u32) -> Self {
        Self { turns_left, ..Self::default() }
    }

    /// Takes a turn of the model; whether there was one left.
    pub(crate) fn take_turn(&mut self) -> bool {
        let is_left = self.turns_left > 0;
        self.turns_left = self.turns_left.saturating_sub(1);
        is_left
    }

    /// Counts a search for tools; how many there were.
    pub(crate) fn count_search(&mut self) -> u32 {
        self.searches += 1;
        self.searches
    }

    /// Adds a call that succeeded; what it makes good is not undone any more.
    pub(crate) fn note_done(&mut self, call: DoneCall) {
        self.undone.retain(|undone| !undone.is_again(&call));
        self.done.push(call);
    }

    /// Returns whether an empty reply may be asked about: once, and it takes a turn.
    pub(crate) fn may_recover(&mut self) -> bool {
        self.turns_left > 0 && !std::mem::replace(&mut self.has_recovered, true)
    }

    /// Returns the sentences of tools that were not announced yet.
    pub(super) fn unannounced(&self) -> String {
        let said = self.sentences[self.told..].iter().filter(|sentence| !sentence.is_empty());
        said.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Marks all sentences of tools as announced.
    pub(super) fn note_announced(&mut self) {
        self.told = self.sentences.len();
    }

    /// Adds the model's calls to the rows of this turn and of the answer.
    pub(super) fn add_calls_row(&mut self, message: &Message, sink: &mut ReplySink) {
        for rows in [&mut sink.rows, &mut self.rows] {
            rows.push(HistoryRow { message: message.clone(), results: Vec::new() });
        }
    }

    /// Adds a result to both.
    pub(super) fn add_result_row(
        &mut self,
        message: &Message,
        outcome: &CallOutcome,
        goes: ResultMessage,
        sink: &mut ReplySink,
    ) {
        for rows in [&mut sink.rows, &mut self.rows] {
            match rows.last_mut().filter(|row| goes == ResultMessage::Shared && is_result(&row.message)) {
                Some(row) => {
                    row.message.content = format!("{}\n\n{}", row.message.content, message.content);
                    row.results.push(outcome.clone());
                }
                None => rows.push(HistoryRow { message: message.clone(), results: vec![outcome.clone()] }),
            }
        }
    }

    /// Gives the sink of a later turn the rows of this answer.
    pub(super) fn restore_rows(&self, sink: &mut ReplySink) {
        sink.rows.clone_from(&self.rows);
    }
}
