//! Runs the loop of one answer: asks the model, runs its calls, asks again, until it answers in words.
//!
//! Runs in the task of one turn. Input: a [`LoopState`] with the prompt in it. Output: words to the sink, and the
//! ending. A call that needs a yes ends the turn with a question; the loop waits in [`PendingCall`] for the answer and
//! continues from there. The configuration limits the model's turns; after the last one the results so far are
//! reported.

use std::sync::Arc;
use std::time::Duration;

use crate::agent::AgentContext;
use crate::agent::ask::{self, ModelAnswer, WrittenCalls};
use crate::agent::side_call::{SideCall, side_call};
use crate::deadline;
use crate::model::ChatModel;
use crate::session::open_question::{OpenQuestion, open_until};
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ReplyEvent, Turn};
use joi_answer::digest;
use joi_answer::protocol::{self, WrittenCall};
use joi_answer::truth;
use joi_answer::{AnswerEnding, OutputGate};
use joi_base::trace::ToolUse;
use joi_language::PromptName;
use joi_llm::{Ask, Length, Message, ModelSize};
use joi_tools::gate::{Consent, Taint, Wish};
use joi_tools::{Effect, schema};
use joi_understand::wish;

mod call;
mod ending;
mod look_up;
pub(crate) mod pending;
mod shorten;
pub(crate) mod state;

use call::Called;
use pending::PendingCall;
use state::LoopState;

/// Most calls of one reply of the model.
const MOST_CALLS: usize = 5;

/// The ending of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopEnd {
    /// The model answered.
    Answered,
    /// Something else took the place of an answer.
    Apologised,
    /// The owner is asked.
    Asked,
    /// Nothing is to be said: the conversation is over.
    Stopped,
}

impl<M: ChatModel> AgentContext<'_, M> {
    /// Goes on until there is an answer.
    pub(crate) async fn converse(
        &self,
        mut state: LoopState,
        sink: &mut ReplySink,
    ) -> Result<LoopEnd, ReceiverClosed> {
        while state.progress.take_turn() {
            if let Some(end) = self.once(&mut state, sink).await? {
                if end == LoopEnd::Answered {
                    ending::name_source(&state, sink).await?;
                }
                return Ok(end);
            }
        }
        self.out_of_turns(&state, sink).await
    }

    /// Goes on after the owner's yes.
    pub(crate) async fn confirmed(
        &self,
        turn: &Turn<'_>,
        pending: PendingCall,
        sink: &mut ReplySink,
    ) -> Result<LoopEnd, ReceiverClosed> {
        let PendingCall { mut state, call: made, rest, .. } = pending;
        state.restore(&turn.now, sink);
        sink.is_foreign |= state.taint == Taint::Tainted;
        let wish = self.wish(&state, &made);
        let place = CallPlace { made: &made, wish, behind: &rest, only: Only::of(&rest) };
        let called = self.call(&mut state, &place, Consent::Given, sink).await?;
        if let Some(end) = self.came_of(&mut state, &place, called, sink).await? {
            return Ok(end);
        }
        for skipped in &rest {
            let told = "Error: this call was not run. Make it again if it is still needed.";
            state.append_result(skipped, told, state::Success::No, sink);
        }
        self.converse(state, sink).await
    }

    /// One turn of the model, or one step of a plan.
    async fn once(
        &self,
        state: &mut LoopState,
        sink: &mut ReplySink,
    ) -> Result<Option<LoopEnd>, ReceiverClosed> {
        if let Some(made) = state.planned(self.heads().toolbox()) {
            sink.decided("plan", "direct", made.name.as_str()).await?;
            let mut wanted =
                WrittenCalls { calls: vec![made], words: String::new(), thinking: String::new() };
            let wishes = self.weigh(state, &mut wanted);
            return self.all_called(state, wanted, &wishes, sink).await;
        }
        let question = state.question(self.heads().toolbox());
        let early_answer = self.session.with(|state| state.early_answer.take());
        let begun = match early_answer {
            Some(early_answer) => early_answer.into_words(&question.ask).await,
            None => None,
        };
        if begun.is_some() {
            sink.decided("model", "begun", "the answer was begun in the silence behind the words").await?;
        }
        let answer = ask::answer(self.model, self.config, (&question, begun), sink).await?;
        let chose = std::mem::take(&mut state.scope.chooses);
        match answer {
            ModelAnswer::Calls(wanted)
                if state.prompt.is_example(&wanted) || state.is_shown_example(&wanted) =>
            {
                sink.decided("tools", "none", "the model wrote down the example of a call").await?;
                state.progress.has_refused_step |= chose;
                state.put_tools_away(self.heads(), &self.grown());
                Ok(None)
            }
            ModelAnswer::Calls(mut wanted) => {
                let wishes = self.weigh(state, &mut wanted);
                if !self.are_unwanted(state, &wanted.calls, &wishes) {
                    return self.all_called(state, wanted, &wishes, sink).await;
                }
                state.progress.has_refused_step |= chose;
                self.pass_over(state, wanted, sink).await
            }
            ModelAnswer::Apology => Ok(Some(LoopEnd::Apologised)),
            ModelAnswer::Whole
            | ModelAnswer::Nothing { .. }
            | ModelAnswer::NoTools
            | ModelAnswer::Empty(_)
                if chose =>
            {
                state.progress.has_refused_step = true;
                sink.decided("tools", "none", "the model wants no tool").await?;
                // What it has read of tools it would copy into the answer.
                if state.progress.results.is_empty() && state.plan.is_empty() {
                    state.put_tools_away(self.heads(), &self.grown());
                }
                Ok(None)
            }
            ModelAnswer::Whole => Ok(Some(LoopEnd::Answered)),
            ModelAnswer::Stopped(stop) => self.stopped(state, stop, sink).await.map(Some),
            ModelAnswer::Empty(refusal) => self.empty(state, refusal, sink).await,
            ModelAnswer::NoTools => {
                self.protocols.learn(&state.prompt.answering.model, self.store).await;
                sink.decided("tools", "text", "the model takes no native tools; remembered").await?;
                state.prompt.speak_text(self.heads(), &self.grown());
                state.progress.turns_left += 1;
                Ok(None)
            }
            ModelAnswer::Nothing { thinking } => self.nothing_said(state, thinking, sink).await,
        }
    }

    /// Goes on after a reply without a word.
    async fn nothing_said(
        &self,
        state: &mut LoopState,
        thinking: String,
        sink: &mut ReplySink,
    ) -> Result<Option<LoopEnd>, ReceiverClosed> {
        if !thinking.is_empty() {
            let mut thought = Message::assistant("");
            thought.thinking = Some(thinking);
            state.prompt.messages.push(thought);
            return Ok(None);
        }
        if state.progress.may_recover() {
            let language = Arc::clone(&state.asked.language);
            state.prompt.hint(language.prompts().of(PromptName::Recovery));
            return Ok(None);
        }
        ask::apologise(state.prompt.size(), sink).await?;
        Ok(Some(LoopEnd::Apologised))
    }

    /// The calls of one reply as they are meant, not too many of them, and what the user's words say of each.
    fn weigh(&self, state: &LoopState, wanted: &mut WrittenCalls) -> Vec<Wish> {
        if wanted.calls.len() > MOST_CALLS {
            tracing::warn!(calls = wanted.calls.len(), "too many calls in one reply; the first five count");
            wanted.calls.truncate(MOST_CALLS);
        }
        protocol::settle(&mut wanted.calls, self.heads.all_tools());
        for made in &mut wanted.calls {
            let tool = self.heads.all_tools().get(&made.name);
            let own = tool.and_then(|tool| state.in_own_words(tool, &made.arguments));
            made.arguments = own.unwrap_or_else(|| std::mem::take(&mut made.arguments));
        }
        wanted.calls.iter().map(|made| self.wish(state, made)).collect()
    }

    /// Returns what the user's words say of a call, whose arguments are read as its tool will get them.
    fn wish(&self, state: &LoopState, made: &WrittenCall) -> Wish {
        let Some(tool) = self.heads.all_tools().get(&made.name) else { return Wish::Ask("no such tool") };
        let arguments = schema::checked(&tool.schema(), &made.arguments);
        let found: Vec<&str> = state.progress.done.iter().map(|call| call.answer.as_str()).collect();
        let arguments = arguments.as_ref().unwrap_or(&made.arguments);
        let wish = state.asked.wish(&**tool, arguments, state.prompt.size(), &found.join(" "));
        if state.scope.is_guess { state.asked.of_guess(&**tool, arguments, wish) } else { wish }
    }

    /// Returns whether a small model calls what nobody asked for: it talks on better when it reads nothing of that.
    fn are_unwanted(&self, state: &LoopState, calls: &[WrittenCall], wishes: &[Wish]) -> bool {
        let ends = |made: &WrittenCall| {
            let tool = self.heads.all_tools().get(&made.name);
            tool.is_some_and(|tool| tool.effect(&made.arguments) == Effect::Ends)
        };
        let is_talk = |wish: &Wish| matches!(wish, Wish::Talk(why) if *why != wish::REFUSED);
        state.prompt.size() == ModelSize::Small
            && !calls.is_empty()
            && calls.iter().zip(wishes).all(|(made, wish)| is_talk(wish) && !ends(made))
    }

    /// Goes on without tools, and without the calls that nobody asked for; they are put on record. To an order nothing
    /// is left to say but that it was not carried out.
    async fn pass_over(
        &self,
        state: &mut LoopState,
        wanted: WrittenCalls,
        sink: &mut ReplySink,
    ) -> Result<Option<LoopEnd>, ReceiverClosed> {
        sink.decided("gate", "forbidden", "nobody asked for what the model calls").await?;
        for made in wanted.calls {
            let arguments = call::redacted(&made.arguments);
            let (outcome, reason) = ("refused".into(), "nobody asked for it".into());
            let known = self.heads.all_tools().get(&made.name).map(|tool| &**tool);
            state.progress.undone.push(truth::DoneCall::undone(&made.name, known, &made.arguments));
            let record = ToolUse { name: made.name, arguments, outcome, reason, ..ToolUse::default() };
            sink.send(ReplyEvent::Called(record)).await?;
        }
        if state.progress.results.is_empty() && wish::orders(&state.asked.language, &state.asked.words) {
            sink.say_on(&sink.sentence(|say| &say.not_done)).await?;
            return Ok(Some(LoopEnd::Apologised));
        }
        state.put_tools_away(self.heads(), &self.grown());
        Ok(None)
    }

    /// Runs all calls of one reply.
    async fn all_called(
        &self,
        state: &mut LoopState,
        wanted: WrittenCalls,
        wishes: &[Wish],
        sink: &mut ReplySink,
    ) -> Result<Option<LoopEnd>, ReceiverClosed> {
        state.append_calls(&wanted, sink);
        let only = Only::of(wanted.calls.get(1..).unwrap_or_default());
        for (at, (made, wish)) in wanted.calls.iter().zip(wishes).enumerate() {
            let place = CallPlace { made, wish: *wish, behind: &wanted.calls[at + 1..], only };
            let called = self.call(state, &place, Consent::NotAsked, sink).await?;
            if let Some(end) = self.came_of(state, &place, called, sink).await? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Deals with what came of a call.
    async fn came_of(
        &self,
        state: &mut LoopState,
        place: &CallPlace<'_>,
        called: Called,
        sink: &mut ReplySink,
    ) -> Result<Option<LoopEnd>, ReceiverClosed> {
        match called {
            Called::Told { text, success, sentence } => {
                state.append_result(place.made, &text, success, sink);
                let is_plain = place.only == Only::Yes && state.is_plain();
                match sentence.filter(|_| is_plain).or_else(|| state.each_result()) {
                    Some(sentence) => {
                        sink.say_on(&sentence).await?;
                        Ok(Some(LoopEnd::Answered))
                    }
                    None => Ok(None),
                }
            }
            Called::Ask(question) => {
                let so_far = state.results_so_far().map(|told| told + " ").unwrap_or_default();
                sink.say_on(&format!("{so_far}{question}")).await?;
                let confirm = Duration::from_secs(u64::from(self.rules.confirm_s));
                sink.awaits = Some(confirm);
                let now = self.clock.now().timestamp();
                let pending = PendingCall {
                    state: state.clone(),
                    call: place.made.clone(),
                    rest: place.behind.to_vec(),
                    until: open_until(now, confirm, state.asked.channel, &question),
                    is_repeated: false,
                };
                self.session.with(|state| state.question = Some(OpenQuestion::Call(Box::new(pending))));
                Ok(Some(LoopEnd::Asked))
            }
            Called::Answer(sentence) => {
                sink.say_on(&sentence).await?;
                Ok(Some(LoopEnd::Answered))
            }
            Called::End(sentence) => {
                sink.say_on(&sentence).await?;
                Ok(Some(LoopEnd::Apologised))
            }
            Called::Stop => Ok(Some(LoopEnd::Stopped)),
        }
    }

    /// Reports the results so far when there are no turns left.
    async fn out_of_turns(&self, state: &LoopState, sink: &mut ReplySink) -> Result<LoopEnd, ReceiverClosed> {
        sink.decided("tools", "unfinished", "the answer has no turns left").await?;
        let told = digest::UNFINISHED_PROMPT
            .replace("{asked}", &state.asked.words)
            .replace("{text}", &digest::activity(&state.progress.results));
        let messages =
            state.prompt.messages.iter().take(1).cloned().chain([Message::user(told.trim())]).collect();
        let ask = Ask { messages, length: Length::AtMost(250), ..Ask::default() };
        // With one turn a model is asked once.
        let may_ask = !state.progress.results.is_empty() && self.rules.max_turns > 1;
        let told = match may_ask {
            false => None,
            true => {
                let side = SideCall { purpose: "unfinished", limit: deadline::DIGEST };
                side_call(self.model, ask, side, sink).await
            }
        };
        let told = told.as_deref().and_then(checked).map(|told| digest::unfinished(&told));
        let may_be_said = |told: &String| {
            truth::unsupported(&sink.language, told, state.evidence()).is_none()
                && state.offers().allows(&sink.language, told)
        };
        match told.filter(may_be_said) {
            Some(told) => {
                let begun = sink.sentence(|say| &say.not_finished);
                sink.say_on(&format!("{begun} {told}")).await?;
            }
            None if state.progress.results.is_empty() => {
                sink.say_on(&sink.sentence(|say| &say.not_understood)).await?;
            }
            None if !sink.said.trim().is_empty() => {}
            None if state.taint == Taint::Clean && !state.progress.sentences.is_empty() => {
                sink.say_on(&state.progress.sentences.join(" ")).await?;
            }
            None => sink.say_on(&sink.sentence(|say| &say.unfinished)).await?,
        }
        Ok(LoopEnd::Apologised)
    }
}

/// A call among those of its reply.
struct CallPlace<'a> {
    made: &'a WrittenCall,
    /// The evidence of the user's words for it.
    wish: Wish,
    /// Those after it.
    behind: &'a [WrittenCall],
    only: Only,
}

/// Whether a call stands alone in its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Only {
    Yes,
    No,
}

impl Only {
    fn of(others: &[WrittenCall]) -> Self {
        if others.is_empty() { Self::Yes } else { Self::No }
    }
}

/// `text` as far as it may go out.
fn checked(text: &str) -> Option<String> {
    let mut gate = OutputGate::default();
    let first = gate.push(text).ok()?;
    let rest = gate.finish(AnswerEnding::Whole).ok()?;
    Some(first + &rest)
}
