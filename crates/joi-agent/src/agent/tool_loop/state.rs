//! Holds the state of one answer's loop: the request, the prompt so far, the allowed tools, the results.
//!
//! Belongs to the task of one turn, or waits for a yes. Input: calls and their results. Output: the next request to the
//! model, or a call that is made without it. The parts are in [`prompt`], [`scope`] and [`progress`]; what concerns
//! more than one of them is here.

use joi_tools::Repeats;
use std::sync::Arc;

use jiff::Zoned;

use crate::agent::ask::{ModelQuestion, WrittenCalls};
use crate::agent::prompt_kind::PromptKind;
use crate::prompt::head::{Heads, is_in_form};
use crate::session::tool_history::CallOutcome;
use crate::sink::ReplySink;
use joi_answer::LengthLimit;
use joi_answer::OfferRule;
use joi_answer::Purpose;
use joi_answer::plan::{Plan, PlanStep};
use joi_answer::protocol::{self, Protocol, WrittenCall};
use joi_answer::source;
use joi_answer::truth::ClaimEvidence;
use joi_answer::vacant::VacancyRule;
use joi_base::message::{Channel, Origin};
use joi_language::Language;
use joi_language::PromptName;
use joi_llm::{Ask, Length, Message, ModelSize};
use joi_tools::form::{self, FormScope};
use joi_tools::gate::{Address, Taint, Wish};
use joi_tools::{Arguments, Effect, Source, Tool, Toolbox};
use joi_understand::wish::{self, CallWords, Utterances};
use progress::LoopProgress;
use prompt::LoopPrompt;
use scope::{ReadyCalls, ToolScope};

mod guess;
mod handed;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod scope;

/// Most tokens of a choice.
const CHOICE_TOKENS: u32 = 200;

/// Success or failure of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    Yes,
    No,
}

/// The request; it stays as it is while the answer is made, but for the time of a later turn.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Where.
    pub(crate) channel: Channel,
    /// When.
    pub(crate) now: Zoned,
    /// The words, redacted.
    pub(crate) words: String,
    /// Somebody is quoted in them, or they were pasted.
    pub(crate) is_quoting: bool,
    /// Whose words they are.
    pub(crate) origin: Origin,
    /// Earlier questions to the user and what the words may refer to, without a word of strangers.
    pub(crate) asked_back: Option<String>,
    pub(crate) dialogue: Vec<String>,
    /// The memories recalled for them.
    pub(crate) remembered: String,
    /// Earlier words of the user.
    pub(crate) told: Vec<String>,
    /// The last answer.
    pub(crate) last: String,
    /// In which they are understood.
    pub(crate) language: Arc<Language>,
    /// Their parts.
    pub(crate) parts: Vec<String>,
    /// The kind of prompt they are answered through.
    pub(crate) prompt: PromptKind,
    /// The length limit of the answer.
    pub(crate) limit: Option<LengthLimit>,
    /// The answer that this one goes on with; mostly none.
    pub(crate) earlier: String,
}

impl Asked {
    /// The words, and what they may refer to.
    fn said(&self) -> Utterances<'_> {
        Utterances { asked: &self.words, asked_back: self.asked_back.as_deref(), dialogue: &self.dialogue }
    }

    /// Returns whether the words want an answer and not an action.
    fn only_asks(&self) -> bool {
        self.asked_back.is_none() && wish::only_asks(&self.language, &self.words)
    }

    /// Returns whether the words ask for a call; `found` is what own tools have returned in this turn.
    pub(crate) fn wish(&self, tool: &dyn Tool, arguments: &Arguments, size: ModelSize, found: &str) -> Wish {
        let (values, said) = (tool.values(arguments), self.said());
        match tool.effect(arguments) {
            // Of a tool that hands words out the gate itself looks at whose they are.
            Effect::Looks | Effect::Fetches if size == ModelSize::Small && !tool.hands_out() => {
                // What an own tool has returned may be asked about further.
                let known = format!("{} {found}", self.remembered);
                wish::mentioned(&self.language, &said, &known, &values)
            }
            Effect::Looks | Effect::Fetches => Wish::Act,
            Effect::Remembers | Effect::Changes | Effect::Risks | Effect::Ends => {
                let cues = self.language.cues(tool.name()).chain(tool.cues().iter().copied());
                let cues = cues.chain(tool.owned_cues().iter().map(String::as_str)).collect();
                let wish = wish::wish(
                    &self.language,
                    &said,
                    &CallWords { deed: tool.deed(arguments), values, cues },
                );
                match wish {
                    Wish::Act if !self.origin.is_owners() => Wish::Ask("the owner did not ask for it"),
                    wish => wish,
                }
            }
        }
    }
}

impl LoopState {
    /// Returns whose words a call carries out of the machine. An address is the user's own if named word for word in
    /// this turn; of a list of results one may be followed.
    pub(crate) fn address(&self, tool: &dyn Tool, arguments: &Arguments) -> Address {
        // Of words that quote somebody none is known to be the user's.
        let is_own_text = !self.asked.is_quoting;
        let is_named = |address: &str| {
            let address = address.trim();
            let is_first_link =
                self.progress.followed == 0 && self.progress.pages.iter().any(|page| page.url == address);
            is_own_text && self.asked.words.contains(address) || is_first_link
        };
        let is_own = |query: &str| is_own_text && wish::holds(&self.asked.language, &self.asked.words, query);
        let address = tool.address(arguments).is_none_or(is_named);
        let query = tool.query(arguments).is_none_or(is_own);
        if address && query { Address::Named } else { Address::Made }
    }

    /// Returns whose words the arguments of a call are made of: a stranger's if such words are in the turn, unless the
    /// user has said them all.
    pub(crate) fn source(&self, tool: &dyn Tool, arguments: &Arguments) -> Source {
        let is_said = |text: &str| wish::holds(&self.asked.language, &self.asked.words, text);
        let is_own =
            || !self.asked.is_quoting && tool.values(arguments).iter().all(|value| is_said(&value.text));
        if self.taint == Taint::Clean || is_own() { Source::Own } else { Source::Foreign }
    }
}

/// The state of one answer.
#[derive(Debug, Clone)]
pub(crate) struct LoopState {
    /// The request.
    pub(crate) asked: Asked,
    /// The prompt.
    pub(crate) prompt: LoopPrompt,
    /// Which tools may be called.
    pub(crate) scope: ToolScope,
    /// The calls that need no model.
    pub(crate) ready: ReadyCalls,
    /// The plan, if there is one.
    pub(crate) plan: Plan,
    /// The progress.
    pub(crate) progress: LoopProgress,
    /// Calls so far.
    pub(crate) repeats: Repeats,
    /// Whether strangers' words are in the turn.
    pub(crate) taint: Taint,
}

impl LoopState {
    /// Returns the next request to the model.
    pub(crate) fn question(&self, toolbox: &Toolbox) -> ModelQuestion<'_> {
        let LoopPrompt { messages, native, .. } = &self.prompt;
        let mut ask = Ask { messages: messages.clone(), tools: native.clone(), ..Ask::default() };
        let mut purpose = Purpose::Answer;
        if self.scope.chooses {
            let picked: Vec<&Arc<dyn Tool>> =
                self.scope.picks.iter().filter_map(|name| toolbox.get(name)).collect();
            let picked: Vec<&dyn Tool> = picked.into_iter().map(|tool| &**tool).collect();
            // What would be refused whatever is in it need not be written.
            let scope = match self.asked.only_asks() && !self.scope.is_guess {
                true => FormScope::Looks,
                false => FormScope::Everything,
            };
            ask.format = Some(match self.scope.is_guess {
                true => form::of_words(&picked, scope, &self.asked.form_source()),
                false => form::of_tools(&picked, scope),
            });
            if !self.prompt.form.is_empty() {
                let further: Vec<&dyn Tool> =
                    picked.iter().copied().filter(|tool| !is_in_form(*tool)).collect();
                let request = joi_answer::form::request(&self.asked.words, &further, &self.scope.fault);
                ask.messages = self.prompt.form.iter().cloned().chain([request]).collect();
            }
            ask.length = Length::AtMost(CHOICE_TOKENS);
            purpose = Purpose::Choice;
        }
        let known = &self.scope.known;
        let (evidence, offers) = (self.evidence(), self.offers());
        let Asked { limit, earlier, language, .. } = &self.asked;
        let named = source::longest_name(language, &self.progress.pages);
        let limit = limit.map(|limit| named.map_or(limit, |named| limit.with_room_for(&named)));
        let vacancy = self.vacancy();
        ModelQuestion { ask, known, purpose, evidence, offers, vacancy, limit, earlier }
    }

    /// Returns the texts that do not count as an answer of a small model before anything was called.
    fn vacancy(&self) -> Option<VacancyRule<'_>> {
        let head = self.prompt.messages.first().map_or("", |system| system.content.as_str());
        let persona = head.split("\n\n").next().unwrap_or_default();
        let is_looked_at = self.is_small() && self.progress.results.is_empty();
        is_looked_at.then_some(VacancyRule {
            asked: &self.asked.words,
            persona,
            remembered: &self.asked.remembered,
            earlier: &self.asked.told,
            last: &self.asked.last,
        })
    }

    /// Returns the evidence for the model's claims about actions.
    pub(crate) fn evidence(&self) -> ClaimEvidence<'_> {
        let Asked { words, told, remembered, .. } = &self.asked;
        let LoopProgress { done, undone, .. } = &self.progress;
        ClaimEvidence { asked: words, done, undone, told, remembered }
    }

    /// Returns the rule for the model's offers.
    pub(crate) fn offers(&self) -> OfferRule<'_> {
        match self.taint {
            Taint::Clean => OfferRule::Free,
            Taint::Tainted => OfferRule::Asked(self.asked.said()),
        }
    }

    /// The call that is to be made without asking the model: the request itself, or the next step of the plan. A step
    /// that needs the model becomes a choice.
    pub(crate) fn planned(&mut self, toolbox: &Toolbox) -> Option<WrittenCall> {
        if let Some(made) = self.ready.next() {
            self.scope.chooses = false;
            return Some(made);
        }
        let runs_plans = self.prompt.protocol() == Protocol::Text && self.is_small();
        let has_plan = !self.plan.is_empty() && runs_plans;
        if !has_plan || std::mem::take(&mut self.progress.has_refused_step) {
            return None;
        }
        // What has failed is not done, and as it stands it would fail again.
        if self.progress.has_failed {
            return None;
        }
        match self.plan.next(self.progress.succeeded, toolbox) {
            PlanStep::Call(made) if self.scope.allows(&made.name) => Some(made),
            PlanStep::Call(_) | PlanStep::Answer => None,
            PlanStep::Words(_) => {
                self.scope.choose_from(self.plan.tools(toolbox));
                None
            }
        }
    }

    fn is_small(&self) -> bool {
        self.prompt.size() == ModelSize::Small
    }

    /// Returns whether the sentences of tools may stand for the answer: a small model words it worse, and nothing in
    /// the turn has to be weighed.
    fn may_quote_tools(&self) -> bool {
        self.is_small() && self.taint == Taint::Clean
    }

    /// Returns whether nothing but a single request is to be answered, so that a tool's own sentence is the answer.
    pub(crate) fn is_plain(&self) -> bool {
        let is_one = self.asked.parts.len() <= 1 && self.plan.is_empty() && self.progress.results.len() == 1;
        is_one && self.may_quote_tools()
    }

    /// The answer to a request of nothing but calls as they stand, when each tool has said its sentence.
    pub(crate) fn each_result(&self) -> Option<String> {
        let LoopProgress { results, sentences, .. } = &self.progress;
        let is_over = results.len() == self.ready.count && sentences.len() == self.ready.count;
        (self.is_only_ready_calls() && is_over).then(|| self.progress.unannounced())
    }

    /// Returns what such a request has come to so far, when the user is asked about its next call; once.
    pub(crate) fn results_so_far(&mut self) -> Option<String> {
        let so_far = self.progress.unannounced();
        let is_some = self.is_only_ready_calls() && !so_far.is_empty();
        is_some.then(|| {
            self.progress.note_announced();
            so_far
        })
    }

    /// Returns whether the request is nothing but calls as they stand, of which the tools report exactly.
    pub(super) fn is_only_ready_calls(&self) -> bool {
        self.ready.count > 1 && self.may_quote_tools()
    }

    /// Returns what is said instead of asking a small model once more, when it makes calls a second time that were made
    /// before: what was found, in the words of the tools, when all of it has some.
    pub(crate) fn found_results(&mut self) -> Option<String> {
        self.progress.again += 1;
        let LoopProgress { again, sentences, .. } = &self.progress;
        (self.may_quote_tools() && *again > 1 && !sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Returns whether a small model does nothing but make calls again that were made before.
    pub(crate) fn goes_in_circles(&self) -> bool {
        self.is_small() && self.progress.again > 1
    }

    /// Adds the model's calls.
    pub(crate) fn append_calls(&mut self, wanted: &WrittenCalls, sink: &mut ReplySink) {
        let protocol = self.prompt.protocol();
        let words = match protocol {
            Protocol::Native => wanted.words.as_str(),
            Protocol::Text => wanted.words.trim(),
        };
        let message = protocol::assistant(protocol, words, &wanted.thinking, &wanted.calls);
        self.progress.add_calls_row(&message, sink);
        self.prompt.messages.push(message);
    }

    /// Adds a result.
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
        let message = protocol::result(self.prompt.protocol(), made, &text);
        self.progress.results.push(text);
        self.progress.has_failed = success == Success::No;
        self.progress.succeeded += usize::from(success == Success::Yes);
        let hinted = match self.prompt.protocol() {
            Protocol::Native => message.clone(),
            Protocol::Text => {
                Message { content: format!("{}\n{}", message.content, self.next_hint()), ..message.clone() }
            }
        };
        self.progress.add_result_row(&message, &outcome, self.prompt.next_result(), sink);
        self.prompt.append_result(hinted);
    }

    /// Returns the note below the newest result.
    fn next_hint(&mut self) -> String {
        let done = self.progress.succeeded;
        let language = Arc::clone(&self.asked.language);
        let texts = language.prompts();
        if !self.plan.is_empty() {
            return match self.progress.has_failed {
                true => self.plan.hint_of_failure(done, texts),
                false => self.plan.hint(done, texts),
            };
        }
        let parts = &self.asked.parts;
        match parts.get(done).filter(|_| parts.len() > 1) {
            Some(open) => {
                self.scope.chooses = self.is_small() && !self.scope.picks.is_empty();
                texts
                    .of(PromptName::HintOpen)
                    .replace("{done}", &done.to_string())
                    .replace("{all}", &parts.len().to_string())
                    .replace("{open}", open)
            }
            None => texts.of(PromptName::HintComplete).to_owned(),
        }
    }

    /// Goes on without tools: the model does not know what to do with them, and reads of none. Results stay where they
    /// are.
    pub(super) fn put_tools_away(&mut self, heads: &Heads, grown: &[String]) {
        if !(self.progress.results.is_empty() && self.prompt.talk()) {
            self.prompt.drop_tools(heads, grown);
        }
        self.scope.close();
    }

    /// Goes on at `now` in a later turn, whose sink gets the rows of this answer.
    pub(crate) fn restore(&mut self, now: &Zoned, sink: &mut ReplySink) {
        self.asked.now = now.clone();
        self.progress.restore_rows(sink);
    }
}
