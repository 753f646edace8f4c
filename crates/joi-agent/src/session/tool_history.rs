//! Stores tool calls and their results from earlier answers of the same conversation.
//!
//! State of a session. Input: the calls of one answer. Output: messages for the next prompts, each before the answer it
//! led to. It lives as long as the conversation, and is stored beside the dialogue, so that a restart does not remove
//! the taint of strangers' words. Its content is redacted.
//! Pure: no I/O, no clock.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::outgoing::Withheld;
use joi_llm::{Message, Role};
use joi_store::ExchangeId;
use joi_tools::fence;

mod answered;

/// Most tools that a conversation has found: a small model does not read more.
const MOST_FOUND: usize = 12;

/// Answers whose calls are kept.
const MOST_TURNS: usize = 16;

/// A message of the loop, and of a result which tools it is from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HistoryRow {
    /// As the model saw it, without hints.
    pub(crate) message: Message,
    /// The results in it.
    pub(crate) results: Vec<CallOutcome>,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallOutcome {
    /// The tool.
    pub(crate) tool: String,
    /// The call failed: it may be wanted again.
    pub(crate) failed: bool,
}

/// The calls of one answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct HistoryTurn {
    answer: i64,
    rows: Vec<HistoryRow>,
}

/// All that is carried over in one conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ToolHistory {
    turns: VecDeque<HistoryTurn>,
    /// Words of strangers were in the conversation.
    pub(crate) is_tainted: bool,
    /// Tools that were found on the way, in the order they were.
    pub(crate) grown: Vec<String>,
    /// Actions the user refused; they are not asked about again before the user requests them, be it in a later
    /// conversation.
    #[serde(default)]
    pub(crate) refused: BTreeSet<String>,
}

impl ToolHistory {
    /// As it is kept; empty when there is nothing to keep.
    pub(crate) fn written(&self) -> String {
        let is_empty =
            self.turns.is_empty() && !self.is_tainted && self.grown.is_empty() && self.refused.is_empty();
        let tainted = || r#"{"turns":[],"is_tainted":true,"grown":[]}"#.to_owned();
        if is_empty { String::new() } else { serde_json::to_string(self).unwrap_or_else(|_| tainted()) }
    }

    /// Returns what was kept. What can't be read may have held anything: then strangers' words were in it.
    pub(crate) fn read(kept: &str) -> Self {
        if kept.is_empty() {
            return Self::default();
        }
        let mut read: Self = serde_json::from_str(kept).unwrap_or_else(|_| Self::tainted());
        for turn in &mut read.turns {
            turn.rows = answered::only(std::mem::take(&mut turn.rows));
        }
        read
    }

    /// Of which only that is known.
    pub(crate) fn tainted() -> Self {
        Self { is_tainted: true, ..Self::default() }
    }

    /// Nothing but refusals outlives a conversation.
    pub(crate) fn end_conversation(&mut self) {
        *self = Self { refused: std::mem::take(&mut self.refused), ..Self::default() };
    }

    /// Keeps what the answer `exchange` called.
    pub(crate) fn add(&mut self, exchange: ExchangeId, rows: Vec<HistoryRow>) {
        self.is_tainted |= rows.iter().any(|row| fence::is_fenced(&row.message.content));
        let rows = answered::only(rows);
        if rows.is_empty() {
            return;
        }
        if self.turns.len() == MOST_TURNS {
            self.turns.pop_front();
        }
        let rows = rows
            .into_iter()
            .map(|row| HistoryRow { message: joi_llm::redacted(row.message), ..row })
            .collect();
        self.turns.push_back(HistoryTurn { answer: exchange.answer_row(), rows });
    }

    /// A tool was found on the way. Of too many the one that was found first is dropped.
    pub(crate) fn grow(&mut self, name: &str) {
        if !self.grown.iter().any(|known| known == name) {
            self.grown.push(name.to_owned());
        }
        if self.grown.len() > MOST_FOUND {
            self.grown.remove(0);
        }
    }

    /// The newest `turns` answers' messages, by the row of the answer, each result at most `chars` long; without the
    /// answers that called a tool of withheld data.
    pub(crate) fn rows(&self, turns: usize, chars: usize, withheld: Withheld) -> Vec<(i64, Vec<Message>)> {
        let skipped = self.turns.len().saturating_sub(turns);
        let shown = |turn: &HistoryTurn| {
            let cut = |row: &HistoryRow| Message {
                content: fence::cut(&row.message.content, chars),
                ..row.message.clone()
            };
            (turn.answer, turn.rows.iter().map(cut).collect())
        };
        let is_shown = |turn: &&HistoryTurn| {
            !turn.rows.iter().flat_map(|row| &row.results).any(|result| withheld.hides(&result.tool))
        };
        self.turns.iter().skip(skipped).filter(is_shown).map(shown).collect()
    }

    /// Tools of the newest answer, when it was `answer`, that failed: they may be wanted again.
    pub(crate) fn failed(&self, answer: Option<i64>) -> Vec<String> {
        let newest = self.turns.back().filter(|turn| Some(turn.answer) == answer);
        let results = newest.into_iter().flat_map(|turn| &turn.rows).flat_map(|row| &row.results);
        results.filter(|result| result.failed).map(|result| result.tool.clone()).collect()
    }
}

/// Returns whether a message is the user's own words, and no result in text mode.
pub(crate) fn is_question(message: &Message) -> bool {
    message.role == Role::User && !message.content.starts_with(joi_answer::protocol::RESULT_START)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use joi_answer::protocol::{self, Protocol, WrittenCall};
    use joi_base::message::{ConversationId, Origin};
    use joi_store::{Exchange, Store, WordedBy};

    async fn exchange(store: &Store) -> ExchangeId {
        let (at, text) = (jiff::Timestamp::UNIX_EPOCH, joi_base::message::Private("x".to_owned()));
        let exchange = Exchange {
            conversation: ConversationId::console(),
            asked_at: at,
            asked: text.clone(),
            answered_at: at,
            answer: text,
            answer_origin: Origin::Ours,
            asked_origin: Origin::Typing,
            wording: WordedBy::Model,
        };
        store.add_exchange(exchange).await.unwrap()
    }

    fn rows(text: &str, failed: bool) -> Vec<HistoryRow> {
        let arguments = json!({ "to": "jane@example.org" }).as_object().cloned().unwrap();
        let call = WrittenCall { id: None, name: "mail".into(), arguments };
        let call_row = HistoryRow {
            message: protocol::assistant(Protocol::Native, "", "", std::slice::from_ref(&call)),
            results: Vec::new(),
        };
        let outcome = CallOutcome { tool: "mail".into(), failed };
        vec![
            call_row,
            HistoryRow { message: protocol::result(Protocol::Native, &call, text), results: vec![outcome] },
        ]
    }

    #[tokio::test]
    async fn the_newest_answers_are_shown_cut_and_redacted() {
        let store = Store::in_memory().unwrap();
        let mut carry = ToolHistory::default();
        let mut answers = Vec::new();
        for _ in 0..20 {
            let id = exchange(&store).await;
            answers.push(id.answer_row());
            carry.add(id, rows(&format!("sent to jane@example.org {}", "x".repeat(900)), false));
        }
        let shown = carry.rows(2, 200, Withheld::default());
        assert_eq!(shown.iter().map(|(answer, _)| *answer).collect::<Vec<_>>(), answers[18..]);
        let (call, result) = (&shown[1].1[0], &shown[1].1[1]);
        assert_eq!(call.tool_calls[0].function.arguments["to"], "[REDACTED_EMAIL]");
        assert!(result.content.starts_with("sent to [REDACTED_EMAIL] x") && result.content.ends_with('…'));
        assert_eq!(result.content.chars().count(), 200);
        assert_eq!(carry.rows(100, 200, Withheld::default()).len(), MOST_TURNS);
        assert!(carry.rows(0, 200, Withheld::default()).is_empty());
    }

    #[tokio::test]
    async fn a_tool_comes_back_only_when_it_failed_in_the_answer_just_before() {
        let store = Store::in_memory().unwrap();
        let mut carry = ToolHistory::default();
        let first = exchange(&store).await;
        carry.add(first, rows("no connection", true));
        assert_eq!(carry.failed(Some(first.answer_row())), ["mail"]);
        assert_eq!(carry.failed(Some(first.answer_row() + 2)), [""; 0], "another answer lies between");
        let second = exchange(&store).await;
        carry.add(second, rows("Error: that is what the page says", false));
        assert_eq!(carry.failed(Some(second.answer_row())), [""; 0], "only the flag counts");
    }

    #[tokio::test]
    async fn a_cut_keeps_the_fence_and_the_taint() {
        let store = Store::in_memory().unwrap();
        let mut carry = ToolHistory::default();
        carry.add(exchange(&store).await, rows(&fence::wrap(&"word ".repeat(200), 1_500), false));
        let shown = carry.rows(1, 200, Withheld::default());
        let text = &shown[0].1[1].content;
        assert!(text.starts_with(fence::BEGIN) && text.ends_with(fence::END), "{text}");
        assert!(carry.is_tainted);
    }

    #[tokio::test]
    async fn what_is_kept_is_read_back_and_what_can_not_be_read_counts_as_tainted() {
        let store = Store::in_memory().unwrap();
        let mut carry = ToolHistory::default();
        assert_eq!(carry.written(), "");
        assert!(!ToolHistory::read("").is_tainted);
        carry.add(exchange(&store).await, rows("sent to jane@example.org", true));
        carry.grown.push("mail".into());
        let kept = carry.written();
        assert!(!kept.contains("jane"), "{kept}");
        let read = ToolHistory::read(&kept);
        assert_eq!(read.rows(9, 200, Withheld::default()), carry.rows(9, 200, Withheld::default()));
        assert_eq!((read.is_tainted, &read.grown), (false, &carry.grown));
        for broken in ["{", "[]", "null", "{\"turns\":[]}", "{\"is_tainted\":false}"] {
            assert!(ToolHistory::read(broken).is_tainted, "{broken}");
        }
    }
}
