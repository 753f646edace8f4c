//! Selects the stored messages that the model sees again, and their form.
//!
//! A conversation is a run of messages without a gap longer than the window; all of it is shown, with a few earlier
//! messages of the same channel, each exchange with its age. Of those, what goes back to strangers is left out: it
//! would taint every following conversation. Nothing here depends on the conversation's length, so the prompt only
//! grows at its end; when it is too long, half of the window is dropped at once. Answers without the model are no
//! examples: a run of them is one line at the head of the question behind it, and for a small model, which weaves it
//! into any answer, only if the question refers to it. A run that a question has closed never changes again.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use crate::config::ReplyConfig;
use crate::outgoing::Withheld;
use crate::prompt::context;
use joi_base::message::{ConversationId, Origin};
use joi_language::Language;
use joi_llm::{self as llm, Message, ModelSize};
use joi_store::{DialogueRole, DialogueRow, WordedBy};
use joi_tools::fence;
use joi_understand::question::content_words;
use joi_understand::reference;

/// Actions without the model since it last answered.
const DONE: &str = include_str!("../../../../assets/prompts/done.md");
/// Statements since then that the model did not answer.
const TOLD: &str = include_str!("../../../../assets/prompts/told.md");
/// Most exchanges in such a line, the newest, and most characters of each side of one.
const MOST_DONE: usize = 3;
const DONE_CHARS: usize = 60;

/// The past messages that the model is shown.
#[derive(Default)]
pub(crate) struct Past {
    /// Messages in time order, the user's first.
    pub(crate) messages: Vec<Message>,
    /// The stored row of each of them, and who found the words of its exchange.
    ids: Vec<i64>,
    wordings: Vec<WordedBy>,
    /// Number of them in the current conversation; 0 means a new one.
    pub(crate) live: usize,
    /// How many messages of this conversation alone go on without a silence; 0 means that it is a new one.
    pub(crate) own: usize,
    /// Whether a part of it goes back to words of strangers.
    pub(crate) is_foreign: bool,
    /// The words of the current conversation, without the words that go back to strangers.
    pub(crate) own_texts: Vec<String>,
    /// Those of them that the user said.
    pub(crate) told: Vec<String>,
    /// The newest answer, when it is one of ours and asks something.
    pub(crate) asked_back: Option<String>,
}

impl Past {
    /// The stored row of the newest answer.
    pub(crate) fn newest(&self) -> Option<i64> {
        self.ids.last().copied()
    }

    /// The stored row of the oldest message.
    pub(crate) fn oldest(&self) -> Option<i64> {
        self.ids.iter().min().copied()
    }

    /// Returns whether the answer of that row is among them.
    pub(crate) fn holds(&self, answer: i64) -> bool {
        self.ids.contains(&answer)
    }

    /// Returns what the model is shown of it: what was worded by the model, and before each answer what was `called`
    /// for it; the rest as lines.
    pub(crate) fn shown(
        &self,
        called: &[(i64, Vec<Message>)],
        asked_now: &str,
        reader: DoneReader<'_>,
    ) -> ShownDialogue {
        let before = self.messages.len() - self.live;
        let (mut shown, mut run, mut asked) = (ShownDialogue::default(), Vec::new(), None);
        for (at, message) in self.messages.iter().enumerate() {
            if message.role == llm::Role::User {
                shown.messages.extend(asked.replace(message).cloned());
                continue;
            }
            let rows: Vec<&Message> = called
                .iter()
                .filter(|(answer, _)| *answer == self.ids[at])
                .flat_map(|(_, rows)| rows)
                .collect();
            if self.wordings[at] == WordedBy::Fixed && rows.is_empty() {
                // Of an earlier conversation it is of no use, nor where nothing came of it; what was said counts.
                let came_to = (!came_to_nothing(reader.language, &message.content)).then_some(message);
                let is_told =
                    at >= before && (came_to.is_some() || was_listened_to(reader.language, &message.content));
                run.extend(asked.take().filter(|_| is_told).map(|asked| (asked, came_to)));
                continue;
            }
            if let Some(asked) = asked.take() {
                let line = reader.line(&std::mem::take(&mut run), &asked.content);
                let gap = if line.is_empty() { "" } else { "\n\n" };
                shown.messages.push(Message::user(format!("{line}{gap}{}", asked.content)));
            }
            shown.messages.extend(rows.into_iter().cloned());
            shown.messages.push(message.clone());
        }
        shown.messages.extend(asked.cloned());
        shown.since = reader.line(&run, asked_now);
        shown
    }

    /// For the trace.
    pub(crate) fn verdict(&self) -> &'static str {
        if self.live == 0 { "new conversation" } else { "going on" }
    }
}

/// The dialogue as a prompt shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ShownDialogue {
    /// Its messages.
    pub(crate) messages: Vec<Message>,
    /// Actions without the model behind the last of them; empty when nothing was.
    pub(crate) since: String,
}

/// The readers of a note about actions without the model.
#[derive(Clone, Copy)]
pub(crate) struct DoneReader<'a> {
    pub(crate) language: &'a Language,
    pub(crate) size: ModelSize,
    pub(crate) withheld: Withheld,
}

impl DoneReader<'_> {
    /// A run of exchanges in one line before the question `asked`; empty when it is not to be read. Answers without the
    /// model hold states of the house and memories, so nothing is shown of them while such data are withheld.
    fn line(self, run: &[(&Message, Option<&Message>)], asked: &str) -> String {
        let line = done_line(run);
        let is_read = || {
            let known = content_words(&line);
            self.size == ModelSize::Large
                || !asked.is_empty() && reference::goes_on(self.language, asked)
                || content_words(asked).iter().any(|word| known.contains(word))
        };
        if line.is_empty() || self.withheld.is_any() || !is_read() { String::new() } else { line }
    }
}

/// Returns whether an answer of ours says only that there is none: a small model takes its words for its own.
fn came_to_nothing(language: &Language, answer: &str) -> bool {
    let say = &language.sentences().reply;
    let none = [
        &say.trouble,
        &say.unwell,
        &say.no_model,
        &say.still_starting,
        &say.failed_no_place,
        &say.failed_network,
        &say.failed_service,
        &say.failed_slow,
        &say.failed_broken,
        &say.lost_thread,
        &say.not_done,
        &say.not_understood,
        &say.unfinished,
        &say.nothing_heard,
        &say.muddled,
        &say.came_out_wrong,
        &say.no_answer,
        &say.listening,
        &say.listening_sad,
        &say.listening_glad,
        &say.untold,
        &say.no_more,
    ];
    none.into_iter().any(|none| answer.trim() == none)
}

/// Returns whether it was the answer to a personal statement.
fn was_listened_to(language: &Language, answer: &str) -> bool {
    let say = &language.sentences().reply;
    [&say.listening, &say.listening_sad, &say.listening_glad].into_iter().any(|said| answer.trim() == said)
}

/// A run of exchanges in one line, the newest last: what was done, and what was only said; empty when there are none.
fn done_line(run: &[(&Message, Option<&Message>)]) -> String {
    let skipped = run.len().saturating_sub(MOST_DONE);
    let side = |message: &Message| {
        let line = message.content.split_whitespace().collect::<Vec<_>>().join(" ");
        fence::shortened(line.replace(['[', ']'], "").trim_end_matches(['.', '!', '?']), DONE_CHARS)
    };
    let (mut done, mut told) = (Vec::new(), Vec::new());
    for (asked, answer) in &run[skipped..] {
        match answer {
            Some(answer) => done.push(format!("{}: {}", side(asked), side(answer))),
            None => told.push(side(asked)),
        }
    }
    let line = |prompt: &str, name: &str, all: &[String]| {
        (!all.is_empty()).then(|| prompt.trim().replace(name, &all.join("; ")))
    };
    let lines = [line(TOLD, "{told}", &told), line(DONE, "{done}", &done)];
    lines.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The earliest moment from which messages can matter at `now`: as far back from the beginning of
/// the conversation as is configured, and a conversation is hardly ever as long as that.
pub(crate) fn horizon(cfg: &ReplyConfig, now: Timestamp) -> Timestamp {
    earliest(cfg, earliest(cfg, now))
}

fn earliest(cfg: &ReplyConfig, began: Timestamp) -> Timestamp {
    let oldest = SignedDuration::from_hours(i64::from(cfg.older_hours));
    began.checked_sub(oldest).unwrap_or(Timestamp::MIN)
}

/// The past of a question asked in `conversation` at `now`. `rows` are oldest first.
pub(crate) fn past(
    rows: &[DialogueRow],
    conversation: &ConversationId,
    now: Timestamp,
    cfg: &ReplyConfig,
) -> Past {
    let window = SignedDuration::from_secs(i64::from(cfg.window_s));
    let going_on = live(rows.iter().rev().map(|row| row.at), now, window);
    let of_own = rows.iter().rev().filter(|row| row.conversation == *conversation);
    let own = live(of_own.map(|row| row.at), now, window);
    let (before, live) = rows.split_at(rows.len() - going_on);
    let began = live.first().map_or(now, |row| row.at);
    let earliest = earliest(cfg, began);
    let earlier: Vec<&DialogueRow> = before
        .iter()
        .filter(|row| row.conversation == *conversation && row.at >= earliest && row.at <= began)
        .collect();
    let earlier = without_strangers(&earlier);
    let skipped = earlier.len().saturating_sub(cfg.older_messages as usize);
    let is_foreign = live.iter().any(|row| row.origin == Origin::Stranger);
    let is_own = |row: &&DialogueRow| row.origin != Origin::Stranger;
    let own_texts = live.iter().filter(is_own).map(|row| row.text.0.clone()).collect();
    let is_users = |row: &&DialogueRow| is_own(row) && row.role == DialogueRole::User;
    let told = live.iter().filter(is_users).map(|row| row.text.0.clone()).collect();
    let newest = live.iter().rfind(|row| row.conversation == *conversation);
    let asks = |row: &&DialogueRow| row.role == DialogueRole::Assistant && row.text.0.contains('?');
    let asked_back = newest.filter(is_own).filter(asks).map(|row| row.text.0.clone());
    let marked = earlier[skipped..].iter().map(|row| marked(row, began));
    let plain = live.iter().map(|row| Message::new(speaker(row.role), &*row.text.0));
    let mut messages: Vec<Message> = marked.chain(plain).collect();
    let of_rows = || earlier[skipped..].iter().copied().chain(live);
    let mut ids: Vec<i64> = of_rows().map(|row| row.id).collect();
    let mut wordings: Vec<WordedBy> = of_rows().map(|row| row.wording).collect();
    let surplus = surplus(messages.len(), cfg.window_exchanges as usize);
    let first_user = messages.iter().skip(surplus).position(|m| m.role == llm::Role::User);
    let dropped = first_user.map_or(messages.len(), |first| surplus + first);
    messages.drain(..dropped);
    ids.drain(..dropped);
    wordings.drain(..dropped);
    let live = live.len().min(messages.len());
    Past { messages, ids, wordings, live, own, is_foreign, own_texts, told, asked_back }
}

/// Exchanges in which nothing goes back to a stranger.
fn without_strangers<'a>(rows: &[&'a DialogueRow]) -> Vec<&'a DialogueRow> {
    let exchanges = rows.chunk_by(|_, next| next.role == DialogueRole::Assistant);
    let is_own = |exchange: &&[&DialogueRow]| exchange.iter().all(|row| row.origin != Origin::Stranger);
    exchanges.filter(is_own).flatten().copied().collect()
}

/// Returns how many of the messages at these times, the newest first, belong to a conversation that is still going on.
fn live(times: impl Iterator<Item = Timestamp>, now: Timestamp, window: SignedDuration) -> usize {
    let mut later = now;
    let goes_on = |at: &Timestamp| {
        // A clock that was set back leaves messages from "the future"; they are no part of now.
        let gap = later.duration_since(*at).abs();
        later = *at;
        gap <= window
    };
    times.take_while(goes_on).count()
}

/// Returns how many of `count` messages are dropped so that at most `exchanges` remain, half of them at a
/// time. Even, so that questions keep their answers.
fn surplus(count: usize, exchanges: usize) -> usize {
    let most = exchanges * 2;
    let step = exchanges.next_multiple_of(2);
    count.saturating_sub(most).div_ceil(step) * step
}

/// An earlier message. Only the user's side carries the mark: a model that sees marks in its own
/// answers soon writes them itself.
fn marked(row: &DialogueRow, began: Timestamp) -> Message {
    match row.role {
        DialogueRole::User => Message::user(format!("[{}] {}", context::ago(row.at, began), row.text.0)),
        DialogueRole::Assistant => Message::new(llm::Role::Assistant, &*row.text.0),
    }
}

fn speaker(role: DialogueRole) -> llm::Role {
    match role {
        DialogueRole::User => llm::Role::User,
        DialogueRole::Assistant => llm::Role::Assistant,
    }
}
