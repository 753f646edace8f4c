//! The loop of one answer: ask the model, run what it calls, ask again, until it answers in words.
//!
//! Runs in the task of one turn. In: a [`Loop`] with the prompt in it. Out: words to the outlet, and how it
//! ended. A call that needs a yes ends the turn with a question; the loop waits in [`Pending`] for the answer
//! and goes on where it was. At most so many turns of the model as are configured; then what was found is told.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::ask::{self, Answer, Wanted};
use super::carry::Row;
use super::digest;
use super::gate::{Ending, Gate};
use super::model::{ChatModel, ModelState};
use super::outlet::{Outlet, Unheard};
use super::plan::Course;
use super::protocol::{Made, Protocol};
use super::{Engine, Turn, deadline, words};
use crate::llm::{Ask, Length, Message, ModelSize};
use crate::message::Channel;
use crate::tools::gate::{Consent, Taint};

mod call;
mod example;
mod state;

use call::Called;
pub(super) use state::Loop;

/// Most calls of one reply of the model.
const MOST_CALLS: usize = 5;
/// Characters a second that are spoken: a question has to be heard before it can be answered.
const SPOKEN_A_SECOND: usize = 15;

/// How the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The model answered.
    Answered,
    /// Something else took the place of an answer.
    Apologised,
    /// The owner is asked.
    Asked,
    /// Nothing is to be said: the conversation is over.
    Stopped,
}

/// A call that waits for a yes.
pub(super) struct Pending {
    state: Loop,
    made: Made,
    /// Calls of the same reply that were not looked at yet.
    rest: Vec<Made>,
    until: Timestamp,
}

impl Pending {
    /// Whether a yes at `now` still counts.
    pub(super) fn is_open(&self, now: Timestamp) -> bool {
        now <= self.until
    }
}

impl<M: ChatModel> Engine<M> {
    /// Goes on until there is an answer.
    pub(super) async fn converse(&self, mut state: Loop, outlet: &mut Outlet) -> Result<End, Unheard> {
        while state.turns_left > 0 {
            state.turns_left -= 1;
            if let Some(end) = self.once(&mut state, outlet).await? {
                return Ok(end);
            }
        }
        self.out_of_turns(&state, outlet).await
    }

    /// Goes on after the owner's yes.
    pub(super) async fn confirmed(
        &self,
        turn: &Turn<'_>,
        pending: Pending,
        outlet: &mut Outlet,
    ) -> Result<End, Unheard> {
        let Pending { mut state, made, rest, .. } = pending;
        state.restore(&turn.now, outlet);
        let place = Place { made: &made, behind: &rest, only: Only::of(&rest) };
        let called = self.call(&mut state, &made, Consent::Given, outlet).await?;
        if let Some(end) = self.came_of(&mut state, &place, called, outlet).await? {
            return Ok(end);
        }
        for skipped in &rest {
            let told = "Error: this call was not run. Make it again if it is still needed.";
            state.append_result(skipped, told, state::Success::No, outlet);
        }
        self.converse(state, outlet).await
    }

    /// One turn of the model, or one step of a plan.
    async fn once(&self, state: &mut Loop, outlet: &mut Outlet) -> Result<Option<End>, Unheard> {
        if let Some(made) = state.planned(self.toolbox()) {
            outlet.decided("plan", "direct", made.name.as_str()).await?;
            let wanted = Wanted { calls: vec![made], words: String::new(), thinking: String::new() };
            return self.all_called(state, wanted, outlet).await;
        }
        let question = state.question(self.toolbox());
        let answer = ask::answer(&*self.parts.model, &self.parts.reply, &question, outlet).await?;
        let chose = std::mem::take(&mut state.chooses);
        match answer {
            Answer::Calls(wanted) if state.is_example(&wanted) => {
                outlet.decided("tools", "none", "the model wrote down the example of a call").await?;
                state.has_refused_step |= chose;
                state.put_tools_away(self.heads(), &self.grown());
                state.turns_left = state.turns_left.max(1);
                Ok(None)
            }
            Answer::Calls(wanted) => self.all_called(state, wanted, outlet).await,
            Answer::Apology => Ok(Some(End::Apologised)),
            Answer::Whole | Answer::Nothing { .. } | Answer::NoTools if chose => {
                state.has_refused_step = true;
                outlet.decided("tools", "none", "the model wants no tool").await?;
                Ok(None)
            }
            Answer::Whole => Ok(Some(End::Answered)),
            Answer::NoTools => {
                self.parts.protocols.learn(&state.model, self.parts.store.as_ref()).await;
                outlet.decided("tools", "text", "the model takes no native tools; remembered").await?;
                state.speak_text(self.heads(), &self.grown());
                state.turns_left += 1;
                Ok(None)
            }
            Answer::Nothing { thinking } if !thinking.is_empty() => {
                let mut thought = Message::assistant("");
                thought.thinking = Some(thinking);
                state.messages.push(thought);
                Ok(None)
            }
            Answer::Nothing { .. } if !std::mem::replace(&mut state.has_recovered, true) => {
                state.hint(include_str!("../../assets/prompts/recovery.md").trim());
                state.turns_left = state.turns_left.max(1);
                Ok(None)
            }
            Answer::Nothing { .. } => {
                ask::apologise(state.size, outlet).await?;
                Ok(Some(End::Apologised))
            }
        }
    }

    /// Runs all calls of one reply.
    async fn all_called(
        &self,
        state: &mut Loop,
        mut wanted: Wanted,
        outlet: &mut Outlet,
    ) -> Result<Option<End>, Unheard> {
        if wanted.calls.len() > MOST_CALLS {
            tracing::warn!(calls = wanted.calls.len(), "too many calls in one reply; the first five count");
            wanted.calls.truncate(MOST_CALLS);
        }
        state.append_calls(&wanted, outlet);
        let mut rest = wanted.calls.as_slice();
        let only = Only::of(rest.get(1..).unwrap_or_default());
        while let [made, behind @ ..] = rest {
            let called = self.call(state, made, Consent::NotAsked, outlet).await?;
            let place = Place { made, behind, only };
            if let Some(end) = self.came_of(state, &place, called, outlet).await? {
                return Ok(Some(end));
            }
            rest = behind;
        }
        Ok(None)
    }

    /// Deals with what came of a call.
    async fn came_of(
        &self,
        state: &mut Loop,
        place: &Place<'_>,
        called: Called,
        outlet: &mut Outlet,
    ) -> Result<Option<End>, Unheard> {
        match called {
            Called::Told { text, success, sentence } => {
                state.append_result(place.made, &text, success, outlet);
                let is_plain = place.only == Only::Yes && state.is_plain();
                match sentence.filter(|_| is_plain).or_else(|| state.told_of_each()) {
                    Some(sentence) => {
                        outlet.say_on(&sentence).await?;
                        Ok(Some(End::Answered))
                    }
                    None => Ok(None),
                }
            }
            Called::Ask(question) => {
                let so_far = state.told_so_far().map(|told| told + " ").unwrap_or_default();
                outlet.say_on(&format!("{so_far}{question}")).await?;
                outlet.awaits = Some(Duration::from_secs(u64::from(self.parts.tool_rules.confirm_s)));
                let pending = Pending {
                    state: state.clone(),
                    made: place.made.clone(),
                    rest: place.behind.to_vec(),
                    until: self.open_until(state.channel, &question),
                };
                self.lock(&self.pending).insert(state.channel, pending);
                Ok(Some(End::Asked))
            }
            Called::Answer(sentence) => {
                outlet.say_on(&sentence).await?;
                Ok(Some(End::Answered))
            }
            Called::End(sentence) => {
                outlet.say_on(&sentence).await?;
                Ok(Some(End::Apologised))
            }
            Called::Stop => Ok(Some(End::Stopped)),
        }
    }

    /// Until when a question that is asked now may be answered.
    fn open_until(&self, channel: Channel, question: &str) -> Timestamp {
        let spoken = match channel {
            Channel::Voice => question.len().div_ceil(SPOKEN_A_SECOND),
            Channel::Console => 0,
        };
        let seconds = i64::from(self.parts.tool_rules.confirm_s) + i64::try_from(spoken).unwrap_or(0);
        let now = self.parts.clock.now().timestamp();
        now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now)
    }

    /// Tells what was found when there are no turns left.
    async fn out_of_turns(&self, state: &Loop, outlet: &mut Outlet) -> Result<End, Unheard> {
        outlet.decided("tools", "unfinished", "the answer has no turns left").await?;
        let told = digest::UNFINISHED_PROMPT
            .replace("{asked}", &state.asked)
            .replace("{text}", &digest::activity(&state.results));
        let messages = state.messages.iter().take(1).cloned().chain([Message::user(told.trim())]).collect();
        let ask = Ask { messages, length: Length::AtMost(250), ..Ask::default() };
        let told = match state.results.is_empty() {
            true => None,
            false => {
                let beside = ask::Beside { purpose: "unfinished", limit: deadline::DIGEST };
                ask::aside(&*self.parts.model, ask, beside, outlet).await
            }
        };
        let told = told.as_deref().and_then(checked).map(|told| digest::unfinished(&told));
        match told {
            Some(told) => outlet.say_on(&told).await?,
            None if !outlet.said.trim().is_empty() => {}
            None => outlet.say_on(words::UNFINISHED).await?,
        }
        Ok(End::Apologised)
    }

    /// The short form of a long result, when it is wanted and can be had.
    async fn digested(
        &self,
        state: &Loop,
        tool: &str,
        text: String,
        outlet: &Outlet,
    ) -> Result<String, Unheard> {
        let is_wanted = match self.parts.tool_rules.digest {
            crate::tools::Digest::Auto => state.size == ModelSize::Small,
            crate::tools::Digest::Always => true,
            crate::tools::Digest::Never => false,
        };
        let is_wanted = is_wanted && state.plan.course != Course::Reply;
        let pieces = if is_wanted { digest::pieces(&text) } else { Vec::new() };
        if pieces.is_empty() {
            return Ok(text);
        }
        let began = tokio::time::Instant::now();
        let mut notes = Vec::new();
        for piece in &pieces {
            let prompt = digest::PROMPT.replace("{asked}", &state.asked).replace("{text}", piece);
            let messages = state.messages.iter().cloned().chain([Message::user(prompt.trim())]).collect();
            let ask = Ask { messages, length: Length::AtMost(200), ..Ask::default() };
            let limit = deadline::DIGEST.saturating_sub(began.elapsed());
            let beside = ask::Beside { purpose: "digest", limit };
            let note = ask::aside(&*self.parts.model, ask, beside, outlet).await;
            let Some(note) = note else {
                outlet.decided("digest", "kept raw", "there was no note in time").await?;
                return Ok(text);
            };
            match digest::judge(&note, piece) {
                digest::Note::Use(note) => notes.push(note),
                digest::Note::Nothing => {}
                digest::Note::Invented => {
                    outlet.decided("digest", "kept raw", "the note held a number of its own").await?;
                    return Ok(text);
                }
            }
        }
        if notes.is_empty() {
            outlet.send(digest::kept_raw(tool)).await?;
            outlet.decided("digest", "kept raw", "nothing of use was found").await?;
            return Ok(text);
        }
        let short = digest::joined(&notes, &text);
        let sizes = format!(
            "{} to {} characters in {} pieces",
            text.chars().count(),
            short.chars().count(),
            pieces.len()
        );
        tracing::debug!(tool, %sizes, "a result was digested");
        outlet.decided("digest", "short", sizes).await?;
        Ok(short)
    }
}

/// A call among those of its reply.
struct Place<'a> {
    made: &'a Made,
    /// Those after it.
    behind: &'a [Made],
    only: Only,
}

/// Whether a call stands alone in its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Only {
    Yes,
    No,
}

impl Only {
    fn of(others: &[Made]) -> Self {
        if others.is_empty() { Self::Yes } else { Self::No }
    }
}

/// `text` as far as it may go out.
fn checked(text: &str) -> Option<String> {
    let mut gate = Gate::default();
    let first = gate.push(text).ok()?;
    let rest = gate.finish(Ending::Whole).ok()?;
    Some(first + &rest)
}

/// Whether strangers' words are in the conversation.
pub(super) fn taint(is_tainted: bool) -> Taint {
    if is_tainted { Taint::Tainted } else { Taint::Clean }
}

/// What a turn's rows are kept as.
pub(super) fn kept(rows: &mut Vec<Row>) -> Vec<Row> {
    std::mem::take(rows)
}

/// The protocol of a model that may not be there yet.
pub(super) fn protocol_of<M: ChatModel>(engine: &Engine<M>) -> (String, ModelSize, Protocol) {
    // A model that is still starting is most likely the embedded one.
    match engine.parts.model.state() {
        ModelState::Ready(served) => {
            let protocol = engine.parts.protocols.of(&served.model, served.size, served.has_tools);
            (served.model, served.size, protocol)
        }
        ModelState::Starting | ModelState::Down(_) => (String::new(), ModelSize::Small, Protocol::Text),
    }
}
