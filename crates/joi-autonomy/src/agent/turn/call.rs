//! One call of an agent: is there such a tool, do the arguments fit, does the gate let it run, and what came of it.
//!
//! Runs in the task of the agent. In: a call as the model wrote it. Out: a text for the model, or the end of the turn. The
//! number of actions is a hard limit: one that would pass it is not made, and ends the turn.

use std::sync::Arc;

use super::{AgentDesk, AgentTurn, AgentTurnDone, TurnStep};
use crate::agent::news::TurnEnding;
use joi_base::clock::Clock;
use joi_language::Language;
use joi_tools::gate::{AgentCall, Consent, GateVerdict, StandingPermission, Taint, judge_agent};
use joi_tools::{
    self as tools, Arguments, Call, Effect, Repeats, Source, Tool, Toolbox, ToolsConfig, fence, schema,
};

/// The most of a result that the model sees, in characters.
const MOST_RESULT: usize = 1_500;
/// The most of a result in the record of the turn.
const MOST_RECORDED: usize = 160;

/// What came of a call.
pub enum CallEnd {
    /// A text for the model; of a call that was not made, or failed, the reason.
    Said(Result<String, String>),
    /// The turn is over.
    Ends(TurnEnding),
}

/// The calls of one turn.
pub struct TurnCalls<'a> {
    rules: &'a ToolsConfig,
    clock: &'a dyn Clock,
    turn: &'a AgentTurn<'a>,
    toolbox: Toolbox,
    language: Arc<Language>,
    taint: Taint,
    repeats: Repeats,
    last: (String, u32),
    actions: u32,
    ended_by: Option<Arguments>,
    made: Vec<String>,
    /// Tokens read and written so far.
    pub tokens: u64,
    /// The last words of the model.
    pub text: String,
}

impl<'a> TurnCalls<'a> {
    /// The calls of a turn that begins.
    pub fn new(
        turn: &'a AgentTurn<'a>,
        (rules, clock): (&'a ToolsConfig, &'a dyn Clock),
        (toolbox, language): (Toolbox, Arc<Language>),
    ) -> Self {
        let taint = if turn.is_tainted { Taint::Tainted } else { Taint::Clean };
        Self {
            rules,
            clock,
            turn,
            toolbox,
            language,
            taint,
            repeats: Repeats::default(),
            last: Default::default(),
            actions: 0,
            ended_by: None,
            made: Vec::new(),
            tokens: 0,
            text: String::new(),
        }
    }

    /// Returns what came of the turn.
    pub fn done(self, end: TurnEnding) -> AgentTurnDone {
        let Self { actions, ended_by, made: calls, tokens, text, taint, .. } = self;
        AgentTurnDone { end, tokens, actions, ended_by, text, calls, is_foreign: taint == Taint::Tainted }
    }

    /// Makes a call, if it may be made.
    pub async fn call(&mut self, name: &str, given: &Arguments, desk: &dyn AgentDesk) -> CallEnd {
        desk.step(TurnStep::Calls { tool: name, arguments: given }).await;
        let end = self.judged(name, given, desk).await;
        let ended = match &end {
            CallEnd::Said(Ok(text)) => Ok(text.as_str()),
            CallEnd::Said(Err(why)) => Err(why.as_str()),
            CallEnd::Ends(TurnEnding::Finished) => Ok("done"),
            CallEnd::Ends(_) => Err("the turn is over"),
        };
        let source = if self.taint == Taint::Tainted { Source::Foreign } else { Source::Own };
        desk.step(TurnStep::Called { tool: name, outcome: ended, source }).await;
        end
    }

    async fn judged(&mut self, name: &str, given: &Arguments, desk: &dyn AgentDesk) -> CallEnd {
        let (tool, arguments) = match self.checked(name, given, desk.limits().same_in_a_row) {
            Ok(checked) => checked,
            Err(refusal) => return self.said(name, Err(refusal)),
        };
        let effect = tool.effect(&arguments);
        let is_action = matches!(effect, Effect::Remembers | Effect::Changes | Effect::Risks)
            || self.turn.speaks.contains(&tool.name());
        let is_allowed = self.turn.allow.iter().any(|name| name == tool.name());
        let call = AgentCall {
            tool: &*tool,
            arguments: &arguments,
            taint: self.taint,
            standing: if is_allowed { StandingPermission::Given } else { StandingPermission::None },
            consent: Consent::NotAsked,
        };
        match judge_agent(&call, self.rules) {
            GateVerdict::Allow => {}
            GateVerdict::Ask(_) => {
                let in_words = tool.in_words(&arguments, &self.language);
                let text = desk.ask(tool.name(), &arguments, in_words);
                return self.said(name, Err(text));
            }
            GateVerdict::Forbid(why) => {
                return self.said(name, Err(format!("This call is not allowed: {why}.")));
            }
        }
        if is_action {
            if self.actions >= self.turn.actions_left {
                self.made.push(format!("{}: not made, too many actions", tool.name()));
                return CallEnd::Ends(TurnEnding::OutOfActions);
            }
            self.actions += 1;
        }
        let ends = self.turn.ends == Some(tool.name());
        let text = self.run(&*tool, (&arguments, effect)).await;
        match text {
            Ok(_) if ends => {
                self.ended_by = Some(arguments);
                CallEnd::Ends(TurnEnding::Finished)
            }
            said => self.said(name, said),
        }
    }

    async fn run(
        &mut self,
        tool: &dyn Tool,
        (arguments, effect): (&Arguments, Effect),
    ) -> Result<String, String> {
        let source = if self.taint == Taint::Tainted { Source::Foreign } else { Source::Own };
        let (now, language) = (&self.clock.now(), &*self.language);
        let done =
            tools::run(tool, Call { arguments, effect, now, source, language, conversation: "" }).await;
        match done {
            Ok(output) => {
                let text = fence::cut(&output.text, MOST_RESULT);
                if output.source == Source::Own {
                    return Ok(text);
                }
                self.taint = Taint::Tainted;
                Ok(if fence::is_fenced(&text) { text } else { fence::wrap(&text, MOST_RESULT) })
            }
            Err(error) => {
                let why = error.to_string();
                if effect == Effect::Fetches || fence::is_fenced(&why) {
                    self.taint = Taint::Tainted;
                }
                Err(fence::cut(&why, MOST_RESULT))
            }
        }
    }

    fn checked(
        &mut self,
        called: &str,
        given: &Arguments,
        same_in_a_row: u32,
    ) -> Result<(Arc<dyn Tool>, Arguments), String> {
        let ends = |tool: &&Arc<dyn Tool>| tool.effect(given) != Effect::Ends;
        let Some(tool) = self.toolbox.get(called).filter(ends).cloned() else {
            let name: String = called.chars().take(60).collect();
            return Err(format!(
                "There is no tool {name}. The tools are: {}.",
                self.toolbox.names().join(", ")
            ));
        };
        let arguments = schema::checked(&tool.schema(), given)?;
        let in_a_row = if self.last.0 == called { self.last.1 + 1 } else { 1 };
        self.last = (called.to_owned(), in_a_row);
        if in_a_row > same_in_a_row {
            return Err(format!("{called} was called {same_in_a_row} times in a row. Do something else."));
        }
        if self.repeats.is_repeated(called, &arguments) {
            return Err(format!("{} was called with the same arguments before. Use that result.", called));
        }
        Ok((tool, arguments))
    }

    fn said(&mut self, name: &str, said: Result<String, String>) -> CallEnd {
        let (Ok(text) | Err(text)) = &said;
        self.made.push(format!("{}: {}", name, fence::shortened(text, MOST_RECORDED)));
        CallEnd::Said(said)
    }
}
