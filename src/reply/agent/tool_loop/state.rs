//! What the loop of one answer knows: the messages so far, which tools may be called, what came of them.
//!
//! Belongs to the task of one turn, or waits for a yes. Messages are only added at the end, and the system message
//! stays: the model's cache and native calls both depend on it. It changes only when tools are given up.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Zoned;

use super::example;
use crate::llm::{Ask, Length, Message, ModelSize, Role};
use crate::message::Channel;
use crate::reply::agent::plan::{Plan, Step};
use crate::reply::agent::protocol::{self, Answering, Protocol, WrittenCall};
use crate::reply::agent::repeats::Repeats;
use crate::reply::output::ask::{Question, WrittenCalls};
use crate::reply::output::filter::{Claims, Purpose};
use crate::reply::output::sink::ReplySink;
use crate::reply::prompt::head::Heads;
use crate::reply::session::tool_history::{CallOutcome, HistoryRow};
use crate::reply::turn::Turn;
use crate::tools::gate::{Address, Mood, Taint};
use crate::tools::{Tool, Toolbox, schema};

/// Most tokens of a choice.
const CHOICE_TOKENS: u32 = 200;

/// Whether a call did what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    Yes,
    No,
}

/// The state of one answer.
#[derive(Debug, Clone)]
pub(crate) struct LoopState {
    /// Where it was asked.
    pub(crate) channel: Channel,
    /// When it was asked.
    pub(crate) now: Zoned,
    /// What was asked, redacted.
    pub(crate) asked: String,
    /// The prompt and everything since.
    pub(crate) messages: Vec<Message>,
    /// The tools of the request, in the native protocol.
    pub(crate) native: Vec<serde_json::Value>,
    /// Names of all tools there are: their calls are recognised.
    pub(crate) known: Vec<String>,
    /// Names that may be called in this turn.
    pub(crate) allowed: Vec<String>,
    /// Names whose cues are in the request.
    pub(crate) picks: Vec<String>,
    /// The next reply is a choice among the picks, and nothing but one.
    pub(crate) chooses: bool,
    /// How the model calls tools.
    pub(crate) protocol: Protocol,
    /// Which model.
    pub(crate) model: String,
    /// How much may be asked of it.
    pub(crate) size: ModelSize,
    /// Whether strangers' words are in the turn.
    pub(crate) taint: Taint,
    /// What the user's words are.
    pub(crate) mood: Mood,
    /// Calls so far.
    pub(crate) repeats: Repeats,
    /// The parts of the request.
    pub(crate) parts: Vec<String>,
    /// The plan, if there is one.
    pub(crate) plan: Plan,
    /// The calls that the request, or each of its parts, is as it stands, and how many there were of them.
    pub(crate) ready: VecDeque<WrittenCall>,
    pub(crate) stand: usize,
    /// Results of this turn.
    pub(crate) results: Vec<String>,
    /// Turns of the model that are left.
    pub(crate) turns_left: u32,
    /// How the tools of the turn were picked, for the record.
    pub(crate) strategy: String,
    /// What tools said of their results, as it can be told.
    pub(crate) sentences: Vec<String>,
    /// How many of them the user was told already.
    told: usize,
    /// Calls so far that were made before.
    pub(crate) again: u32,
    /// Searches for tools so far.
    pub(crate) searches: u32,
    /// A tool has confirmed a deed.
    pub(crate) has_acted: bool,
    /// The model could make no call of the plan's next step: the next reply is its own.
    pub(crate) has_refused_step: bool,
    /// An empty reply was already asked about.
    pub(crate) has_recovered: bool,
    /// The rows of this answer that an earlier turn already told.
    rows: Vec<HistoryRow>,
}

impl LoopState {
    /// Whether somebody but the model has named this address.
    pub(super) fn origin_of(&self, address: Option<&str>) -> Address {
        let Some(address) = address else { return Address::Named };
        let others = self.messages.iter().filter(|message| message.role != Role::Assistant);
        // A plan stands in the user's message and is the model's all the same.
        let mut texts = others.map(|message| self.plan.taken_out_of(&message.content));
        let is_named = texts.any(|text| text.contains(address.trim()));
        if is_named { Address::Named } else { Address::Made }
    }

    /// Whether a small model calls nothing but the example of its prompt, of which nobody spoke.
    pub(super) fn is_example(&self, wanted: &WrittenCalls) -> bool {
        let user = || self.messages.iter().filter(|message| message.role == Role::User);
        let is_it = |made: &WrittenCall| example::is_it(made, user().map(|message| message.content.as_str()));
        self.size == ModelSize::Small && !wanted.calls.is_empty() && wanted.calls.iter().all(is_it)
    }

    /// A loop at its beginning.
    pub(crate) fn new(
        turn: &Turn<'_>,
        messages: Vec<Message>,
        Answering { model, size, protocol }: Answering,
    ) -> Self {
        Self {
            channel: turn.channel,
            now: turn.now.clone(),
            asked: turn.asked.to_owned(),
            messages,
            native: Vec::new(),
            known: Vec::new(),
            allowed: Vec::new(),
            picks: Vec::new(),
            chooses: false,
            protocol,
            model,
            size,
            taint: Taint::Tainted,
            mood: Mood::Question,
            repeats: Repeats::default(),
            parts: Vec::new(),
            plan: Plan::default(),
            ready: VecDeque::new(),
            stand: 0,
            results: Vec::new(),
            turns_left: 1,
            strategy: String::new(),
            sentences: Vec::new(),
            told: 0,
            again: 0,
            searches: 0,
            has_acted: false,
            has_refused_step: false,
            has_recovered: false,
            rows: Vec::new(),
        }
    }

    /// What the model is asked next.
    pub(crate) fn question(&self, toolbox: &Toolbox) -> Question<'_> {
        let mut ask = Ask { messages: self.messages.clone(), tools: self.native.clone(), ..Ask::default() };
        let mut purpose = Purpose::Answer;
        if self.chooses {
            let picked: Vec<&Arc<dyn Tool>> =
                self.picks.iter().filter_map(|name| toolbox.get(name)).collect();
            let picked: Vec<&dyn Tool> = picked.into_iter().map(|tool| &**tool).collect();
            ask.format = Some(schema::choice(&picked));
            ask.length = Length::AtMost(CHOICE_TOKENS);
            purpose = Purpose::Choice;
        }
        let may_claim = self.known.is_empty() || self.has_acted || self.mood == Mood::Question;
        let claims = if may_claim { Claims::Fine } else { Claims::Refused };
        Question { ask, known: &self.known, purpose, claims }
    }

    /// The call that is to be made without asking the model: the request itself, or the next step of the plan. A step that needs one becomes a choice.
    pub(crate) fn planned(&mut self, toolbox: &Toolbox) -> Option<WrittenCall> {
        if let Some(made) = self.ready.pop_front() {
            self.chooses = false;
            return Some(made);
        }
        let runs_plans = self.protocol == Protocol::Text && self.size == ModelSize::Small;
        if self.plan.is_empty() || !runs_plans || std::mem::take(&mut self.has_refused_step) {
            return None;
        }
        match self.plan.next(self.results.len(), toolbox) {
            Step::Call(made) if self.allowed.contains(&made.name) => Some(made),
            Step::Call(_) | Step::Answer => None,
            Step::Words(_) => {
                self.picks = self.plan.tools(toolbox);
                self.chooses = !self.picks.is_empty();
                None
            }
        }
    }

    /// Whether nothing but a single request is to be answered, so that a tool's own sentence is the answer.
    pub(crate) fn is_plain(&self) -> bool {
        let is_one = self.parts.len() <= 1 && self.plan.is_empty() && self.results.len() == 1;
        is_one && self.size == ModelSize::Small && self.taint == Taint::Clean
    }

    /// The answer to a request of nothing but calls as they stand, when each tool has said its sentence.
    pub(crate) fn told_of_each(&self) -> Option<String> {
        let is_over = self.results.len() == self.stand && self.sentences.len() == self.stand;
        let said = self.sentences[self.told..].iter().filter(|sentence| !sentence.is_empty());
        (self.stands() && is_over).then(|| said.map(String::as_str).collect::<Vec<_>>().join(" "))
    }

    /// What such a request has come to so far, when the user is asked about its next call; once.
    pub(crate) fn told_so_far(&mut self) -> Option<String> {
        let so_far = self.sentences[self.told..].join(" ");
        let is_some = self.stands() && !so_far.is_empty();
        is_some.then(|| {
            self.told = self.sentences.len();
            so_far
        })
    }

    /// Whether the request is nothing but calls as they stand, of which the tools tell exactly.
    pub(super) fn stands(&self) -> bool {
        self.stand > 1 && self.size == ModelSize::Small && self.taint == Taint::Clean
    }

    /// What is told instead of asking a small model once more, when it makes calls a second time that were made
    /// before: what was found, in the words of the tools, when all of it has some.
    pub(crate) fn told_instead(&mut self) -> Option<String> {
        self.again += 1;
        let is_exact = self.size == ModelSize::Small && self.taint == Taint::Clean;
        (is_exact && self.again > 1 && !self.sentences.is_empty()).then(|| self.sentences.join(" "))
    }

    /// Whether a small model does nothing but make calls again that were made before.
    pub(crate) fn goes_in_circles(&self) -> bool {
        self.size == ModelSize::Small && self.again > 1
    }

    /// Adds the model's calls.
    pub(crate) fn append_calls(&mut self, wanted: &WrittenCalls, sink: &mut ReplySink) {
        let words = match self.protocol {
            Protocol::Native => wanted.words.as_str(),
            Protocol::Text => wanted.words.trim(),
        };
        let message = protocol::assistant(self.protocol, words, &wanted.thinking, &wanted.calls);
        sink.rows.push(HistoryRow { message: message.clone(), results: Vec::new() });
        self.rows.push(HistoryRow { message: message.clone(), results: Vec::new() });
        self.messages.push(message);
    }

    /// Adds a result. In text mode the results of one reply share a message, so that speakers alternate.
    pub(crate) fn append_result(
        &mut self,
        made: &WrittenCall,
        text: &str,
        success: Success,
        sink: &mut ReplySink,
    ) {
        let text = match success {
            Success::Yes => text.to_owned(),
            Success::No => format!("Error: {}", text.trim_start_matches("Error: ")),
        };
        let outcome = CallOutcome { tool: made.name.clone(), failed: success == Success::No };
        let message = protocol::result(self.protocol, made, &text);
        self.results.push(text);
        let hinted = match self.protocol {
            Protocol::Native => message.clone(),
            Protocol::Text => {
                Message { content: format!("{}\n{}", message.content, self.next_hint()), ..message.clone() }
            }
        };
        let joins = self.protocol == Protocol::Text && self.messages.last().is_some_and(is_result);
        for rows in [&mut sink.rows, &mut self.rows] {
            match rows.last_mut().filter(|row| joins && is_result(&row.message)) {
                Some(row) => {
                    row.message.content = format!("{}\n\n{}", row.message.content, message.content);
                    row.results.push(outcome.clone());
                }
                None => rows.push(HistoryRow { message: message.clone(), results: vec![outcome.clone()] }),
            }
        }
        match self.messages.last_mut().filter(|_| joins) {
            Some(last) => last.content = format!("{}\n\n{}", last.content, hinted.content),
            None => self.messages.push(hinted),
        }
    }

    /// What stands below the newest result.
    fn next_hint(&mut self) -> String {
        let done = self.results.len();
        if !self.plan.is_empty() {
            return self.plan.hint(done);
        }
        match self.parts.get(done).filter(|_| self.parts.len() > 1) {
            Some(open) => {
                self.chooses = self.size == ModelSize::Small && !self.picks.is_empty();
                include_str!("../../../../assets/prompts/hint.open.md")
                    .trim()
                    .replace("{done}", &done.to_string())
                    .replace("{all}", &self.parts.len().to_string())
                    .replace("{open}", open)
            }
            None => include_str!("../../../../assets/prompts/hint.complete.md").trim().to_owned(),
        }
    }

    /// Adds a word of ours; speakers stay in turn.
    pub(crate) fn hint(&mut self, hint: &str) {
        match self.messages.last_mut().filter(|last| last.role == Role::User) {
            Some(last) => last.content = format!("{}\n\n{hint}", last.content),
            None => self.messages.push(Message::user(hint)),
        }
    }

    /// Goes on with tools as text; what was native so far is not called again.
    pub(crate) fn speak_text(&mut self, heads: &Heads, grown: &[String]) {
        self.protocol = Protocol::Text;
        let native = std::mem::take(&mut self.native);
        let before = heads.of(self.size, Protocol::Native, grown).system;
        let after = heads.of(self.size, Protocol::Text, grown).system;
        if let Some(system) = self.messages.first_mut().filter(|_| !native.is_empty()) {
            system.content = system.content.replace(&before, &after);
        }
    }

    /// Goes on without tools: the model does not know what to do with them, and reads of none.
    pub(super) fn put_tools_away(&mut self, heads: &Heads, grown: &[String]) {
        let before = heads.of(self.size, self.protocol, grown).system;
        if let Some(system) = self.messages.first_mut() {
            system.content = system.content.replace(&before, &heads.persona(self.size));
        }
        self.native.clear();
        self.known.clear();
        self.allowed.clear();
        self.picks.clear();
        self.chooses = false;
    }

    /// Goes on at `now` in a later turn, whose sink gets the rows of this answer.
    pub(crate) fn restore(&mut self, now: &Zoned, sink: &mut ReplySink) {
        self.now = now.clone();
        sink.rows.clone_from(&self.rows);
    }
}

fn is_result(message: &Message) -> bool {
    message.role == Role::User && message.content.starts_with(protocol::RESULT_START)
}
