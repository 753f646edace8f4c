//! Runs one call: checks that the tool exists, that the arguments fit, that it is not a repetition and that the gate
//! allows it, then records the outcome.
//!
//! Runs in the task of one turn. The checks run in this order, and each failure is reported to the model in words that
//! help it to correct the call. Every call is put on record.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::timeout;

use super::CallPlace;
use super::state::{LoopState, Success};
use crate::agent::AgentContext;
use crate::model::ChatModel;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Action, ReplyEvent};
use joi_answer::protocol::WrittenCall;
use joi_answer::truth::DoneCall;
use joi_base::trace::ToolUse;
use joi_language::fill;
use joi_llm::ModelSize;
use joi_tools::gate::{self, CallFacts, Consent, GateVerdict, Taint, Wish};
use joi_tools::{self as tools, Arguments, Deed, Effect, Output, Source, Tool, ToolError, fence, schema};
use joi_understand::house::PlannedCommand;
use joi_understand::house::thread::HouseThread;
use joi_understand::intents::VolumeChange;
use joi_understand::wish;

/// The longest question to the owner, in characters: what can't be asked about is not done.
const LONGEST_QUESTION: usize = 300;
/// Time after which a call that still runs is mentioned: longer than a look-up usually takes, and short enough that
/// the silence is not taken for a fault.
const LONG_CALL: Duration = Duration::from_secs(4);
/// The most of a stranger's words that the model sees of one result, in characters.
const FOREIGN: usize = 1_500;
/// The most of any other result.
const OWN: usize = 4_000;

/// A tool with its arguments, or the outcome for the record and the message to the model.
type Checked = Result<(Arc<dyn Tool>, Arguments), (&'static str, String)>;

/// The outcome of a call.
pub(super) enum Called {
    /// A message to the model.
    Told { text: String, success: Success, sentence: Option<String> },
    /// The owner is asked this.
    Ask(String),
    /// This is the answer.
    Answer(String),
    /// This is said, and the turn ends.
    End(String),
    /// The conversation is over.
    Stop,
}

impl Called {
    fn refused(text: String) -> Self {
        Self::Told { text, success: Success::No, sentence: None }
    }
}

impl<M: ChatModel> AgentContext<'_, M> {
    /// Makes a call, if it may be made.
    pub(super) async fn call(
        &self,
        state: &mut LoopState,
        place: &CallPlace<'_>,
        consent: Consent,
        sink: &mut ReplySink,
    ) -> Result<Called, ReceiverClosed> {
        let made = place.made;
        let mut record =
            ToolUse { name: made.name.clone(), arguments: redacted(&made.arguments), ..ToolUse::default() };
        let (tool, arguments) = match self.checked(state, made, consent) {
            Ok(checked) => checked,
            Err((outcome, told)) => {
                (record.outcome, record.reason) = (outcome.into(), told.clone());
                if outcome == "refused" {
                    state.scope.note_fault(&told);
                    let known = self.heads.all_tools().get(&made.name).map(|tool| &**tool);
                    let looks = |tool: &dyn Tool| !writes(tool.effect(&made.arguments));
                    if !known.is_some_and(looks) {
                        state.progress.undone.push(DoneCall::undone(&made.name, known, &made.arguments));
                    }
                }
                sink.send(ReplyEvent::Called(record)).await?;
                let instead = if outcome == "repeated" { state.found_results() } else { None };
                return Ok(match instead {
                    Some(sentence) => Called::Answer(sentence),
                    None if state.goes_in_circles() => Called::End(sink.sentence(|say| &say.unfinished)),
                    None => Called::refused(told),
                });
            }
        };
        let effect = tool.effect(&arguments);
        if writes(effect) && (record.arguments != made.arguments || holds_label(&arguments)) {
            (record.outcome, record.reason) = ("refused".into(), "secrets are not kept".into());
            sink.send(ReplyEvent::Called(record)).await?;
            return self.keeps_no_secret(state, sink).await;
        }
        let call = (&*tool, &arguments);
        let verdict = self.judged(state, call, place.wish, consent);
        sink.decided("gate", verdict.name(), format!("{}: {}", made.name, verdict.reason())).await?;
        if let Some((outcome, reason, called)) = held_back(verdict, call, state, sink) {
            (record.outcome, record.reason) = (outcome.into(), reason);
            if writes(effect) {
                state.progress.undone.push(DoneCall::undone(tool.name(), Some(&*tool), &arguments));
            }
            sink.send(ReplyEvent::Called(record)).await?;
            return Ok(called);
        }
        if !matches!(effect, Effect::Looks | Effect::Ends) {
            self.session.note_call(&state.asked.now);
            if tool.house_call(&arguments).is_none() {
                // The last action is not one in the house any more.
                self.session.with(|session| session.house = HouseThread::default());
            }
        }
        self.run(state, call, record, sink).await
    }

    /// What the gate says of a call.
    fn judged(
        &self,
        state: &LoopState,
        (tool, arguments): (&dyn Tool, &Arguments),
        wish: Wish,
        consent: Consent,
    ) -> GateVerdict {
        let deed = tool.deed(arguments);
        let refused = self.session.with(|session| {
            if wish == Wish::Act {
                session.history.refused.remove(&deed);
            }
            session.history.refused.contains(&deed)
        });
        let facts = CallFacts {
            tool: tool.name(),
            effect: tool.effect(arguments),
            taint: state.taint,
            address: state.address(tool, arguments),
            permission: tool.permission(),
            handed: state.handed(tool, arguments),
            wish,
            refused,
            consent,
            lately: self.session.recent_calls(&state.asked.now),
        };
        gate::judge(&facts, self.rules)
    }

    /// Runs a call that may run, and puts it on record.
    async fn run(
        &self,
        state: &mut LoopState,
        (tool, arguments): (&dyn Tool, &Arguments),
        mut record: ToolUse,
        sink: &mut ReplySink,
    ) -> Result<Called, ReceiverClosed> {
        let effect = tool.effect(arguments);
        // Counted whether it comes to something or not.
        state.progress.followed += u32::from(tool.address(arguments).is_some());
        let began = Instant::now();
        let source = state.source(tool, arguments);
        let (now, language) = (&state.asked.now, &state.asked.language);
        let conversation = &self.session.id().to_string();
        let call = tools::Call { arguments, effect, now, source, language, conversation };
        let house_call = tool.house_call(arguments);
        let running = tools::run(tool, call);
        let done = mentioned(running, &mut state.progress.has_mentioned_wait, sink).await?;
        // A refused call was not sent; a call whose answer was lost may have been.
        if let Some(house_call) =
            house_call.filter(|_| !matches!(done, Err(ToolError::TellModel(_) | ToolError::Failed { .. })))
        {
            let now = state.asked.now.timestamp();
            let tools::HouseCall { before, ordered, command, title } = house_call;
            let planned = PlannedCommand { ordered, command, title, clamped: None };
            self.session.with(|session| {
                session.last_deed = None;
                session.house.has_called(planned, &before, now);
            });
        }
        record.ms = began.elapsed().as_secs_f64() * 1e3;
        (record.outcome, record.reason) = match &done {
            Ok(_) => ("done".into(), String::new()),
            Err(error) => ("failed".into(), joi_redact::redact_structured(&error.to_string()).into_string()),
        };
        sink.send(ReplyEvent::Called(record)).await?;
        match done {
            Ok(output) => {
                let now = state.asked.now.timestamp();
                self.session.with(|session| match output.back.clone() {
                    Some(back) => session.note_deed(back, now),
                    None if matches!(effect, Effect::Changes | Effect::Remembers) => session.last_deed = None,
                    None => {}
                });
                state.progress.note_done(DoneCall::of(tool, arguments, &output));
                self.done(state, tool, output, sink).await
            }
            // A small model would invent what was not found.
            Err(ToolError::Failed { why, cause })
                if !writes(effect) && state.prompt.size() == ModelSize::Small =>
            {
                let sentence = cause.sentence(&sink.language).to_owned();
                if !state.is_only_ready_calls() {
                    return Ok(Called::End(sentence));
                }
                state.progress.sentences.push(sentence.clone());
                let text = fence::cut(&why, OWN);
                Ok(Called::Told { text, success: Success::No, sentence: Some(sentence) })
            }
            Err(error @ (ToolError::TellModel(_) | ToolError::Correct(_) | ToolError::Failed { .. })) => {
                let why = error.to_string();
                if matches!(error, ToolError::Correct(_)) {
                    state.scope.note_fault(&why);
                }
                if writes(effect) {
                    state.progress.undone.push(DoneCall::undone(tool.name(), Some(tool), arguments));
                }
                // The error may be in the words of whoever was asked.
                if effect == Effect::Fetches || fence::is_fenced(&why) {
                    state.taint = Taint::Tainted;
                    sink.is_foreign = true;
                }
                Ok(Called::refused(fence::cut(&why, OWN)))
            }
            Err(ToolError::EndTurn(sentence)) => Ok(Called::End(sentence)),
        }
    }

    /// A call that would have stored a secret: the user is informed, and the rest of the request goes on.
    async fn keeps_no_secret(
        &self,
        state: &mut LoopState,
        sink: &mut ReplySink,
    ) -> Result<Called, ReceiverClosed> {
        let (sentence, text) =
            (sink.refused_secret(), "Secrets are not kept. The user was told so.".to_owned());
        if state.is_only_ready_calls() {
            state.progress.sentences.push(sentence.clone());
            return Ok(Called::Told { text, success: Success::No, sentence: Some(sentence) });
        }
        if state.prompt.size() == ModelSize::Small {
            return Ok(Called::Answer(sentence));
        }
        sink.say_on(&sentence).await?;
        sink.begin_another();
        Ok(Called::refused(text))
    }

    /// The tool and arguments of a call, or how it is put on record and the message to the model instead.
    fn checked(&self, state: &mut LoopState, made: &WrittenCall, consent: Consent) -> Checked {
        let tool = self.heads.all_tools().get(&made.name).filter(|tool| state.scope.allows(tool.name()));
        let Some(tool) = tool else {
            let name: String = made.name.chars().take(60).collect();
            return Err((
                "refused",
                format!("There is no tool {name} now. The tools are: {}.", state.scope.allowed.join(", ")),
            ));
        };
        let arguments =
            schema::checked(&tool.schema(), &made.arguments).map_err(|fault| ("refused", fault))?;
        if consent == Consent::Given {
            return Ok((Arc::clone(tool), arguments));
        }
        if state.repeats.is_repeated(&made.name, &arguments) {
            let told =
                format!("{} was called with the same arguments before. Use the result above.", made.name);
            return Err(("repeated", told));
        }
        if made.name == tools::TOOL_SEARCH && state.progress.count_search() > self.rules.search_max_calls {
            let told = "No more searches for tools in this answer. Use what there is.".to_owned();
            return Err(("refused", told));
        }
        Ok((Arc::clone(tool), arguments))
    }

    /// The result of a tool.
    async fn done(
        &self,
        state: &mut LoopState,
        tool: &dyn Tool,
        output: Output,
        sink: &mut ReplySink,
    ) -> Result<Called, ReceiverClosed> {
        let actions: &[Action] = match output.deed {
            Some(Deed::Louder) => &[Action::Volume(VolumeChange::Up)],
            Some(Deed::Quieter) => &[Action::Volume(VolumeChange::Down)],
            Some(Deed::Volume(percent)) => &[Action::Volume(VolumeChange::Set(percent))],
            Some(Deed::StopTalking) => &[Action::StopSpeaking, Action::EndConversation],
            None => &[],
        };
        for action in actions {
            sink.send(ReplyEvent::Act(*action)).await?;
        }
        if output.deed == Some(Deed::StopTalking) {
            sink.is_over = true;
            return Ok(Called::Stop);
        }
        self.grow(state, &output.offers);
        state.progress.pages.extend(output.pages);
        let text = match output.source {
            Source::Own => fence::cut(&output.text, OWN),
            Source::Foreign => {
                state.taint = Taint::Tainted;
                sink.is_foreign = true;
                let is_fenced = fence::is_fenced(&output.text);
                if is_fenced { output.text } else { fence::wrap(&output.text, FOREIGN) }
            }
        };
        // With one turn nobody reads it any more.
        let is_short = tool.is_brief() || self.rules.max_turns == 1;
        let text = if is_short { text } else { self.digested(state, tool.name(), text, sink).await? };
        state.progress.sentences.extend(output.sentence.clone());
        Ok(Called::Told { text, success: Success::Yes, sentence: output.sentence })
    }

    /// Offers further tools from the next reply on.
    fn grow(&self, state: &mut LoopState, offers: &[String]) {
        let new: Vec<&String> =
            offers.iter().filter(|name| self.heads().toolbox().get(name).is_some()).collect();
        if new.is_empty() {
            return;
        }
        for name in new {
            self.session.with(|session| session.history.grow(name));
            state.scope.allow(name);
        }
        let prompt = &mut state.prompt;
        prompt.native = self.heads().of(prompt.size(), prompt.protocol(), &self.grown()).tools;
    }
}

/// Waits for a call. The first one of an answer that takes longer than [`LONG_CALL`] is mentioned, once. Dropping the
/// future cancels the call.
async fn mentioned<T>(
    call: impl Future<Output = T>,
    has_mentioned: &mut bool,
    sink: &ReplySink,
) -> Result<T, ReceiverClosed> {
    let mut call = pin!(call);
    if let Ok(done) = timeout(LONG_CALL, &mut call).await {
        return Ok(done);
    }
    if !std::mem::replace(has_mentioned, true) {
        sink.aside(&sink.sentence(|say| &say.taking_long)).await?;
    }
    Ok(call.await)
}

/// Returns what comes of a call that the gate does not let run: its outcome and the reason for the record, and the
/// message.
fn held_back(
    verdict: GateVerdict,
    (tool, arguments): (&dyn Tool, &Arguments),
    state: &LoopState,
    sink: &ReplySink,
) -> Option<(&'static str, String, Called)> {
    let deed = tool.in_words(arguments, &sink.language);
    let question = fill(&sink.sentence(|say| &say.shall_i), &[("deed", &deed)]);
    let told = match verdict {
        GateVerdict::Allow => return None,
        GateVerdict::Ask(why) if question.chars().count() <= LONGEST_QUESTION => {
            // Words of a model are in it: on one line.
            let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
            return Some(("asked", why.into(), Called::Ask(question)));
        }
        GateVerdict::Ask(_) => "The arguments are too long to ask the user about.".to_owned(),
        GateVerdict::Forbid(why) => format!("This call is not allowed: {why}. Tell the user so."),
    };
    // Declining a change that the user ruled out needs no words of the model.
    let is_no = verdict == GateVerdict::Forbid(wish::REFUSED) && writes(tool.effect(arguments));
    let called = match state.prompt.size() {
        ModelSize::Small if is_no => Called::Answer(sink.sentence(|say| &say.left_alone)),
        ModelSize::Small | ModelSize::Large => Called::refused(told.clone()),
    };
    Some(("refused", told, called))
}

/// Returns whether a call leaves something behind.
fn writes(effect: Effect) -> bool {
    matches!(effect, Effect::Remembers | Effect::Changes | Effect::Risks)
}

/// Returns whether a secret was taken out of what these arguments are made of.
fn holds_label(arguments: &Arguments) -> bool {
    joi_redact::has_label(&Value::Object(arguments.clone()).to_string())
}

pub(super) fn redacted(arguments: &Arguments) -> Arguments {
    match joi_redact::redact_json(&Value::Object(arguments.clone())) {
        Value::Object(clean) => clean,
        _ => Arguments::new(),
    }
}
