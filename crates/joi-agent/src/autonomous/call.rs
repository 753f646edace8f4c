//! One call of an agent: is there such a tool, do the arguments fit, does the gate let it run, and what came of it.
//!
//! Runs in the task of the agent. In: a call as the model wrote it. Out: a text for the model, or the end of the turn. The
//! number of actions is a hard limit: one that would pass it is not made, and ends the turn.

use std::sync::Arc;

use super::{AgentDesk, AgentTurn, AgentTurnDone};
use crate::Engine;
use crate::agent::repeats::Repeats;
use joi_answer::protocol::WrittenCall;
use joi_autonomy::agent::news::TurnEnding;
use joi_language::Language;
use joi_tools::gate::{AgentCall, Consent, GateVerdict, StandingPermission, Taint, judge_agent};
use joi_tools::{self as tools, Arguments, Call, Effect, Source, Tool, ToolError, Toolbox, fence, schema};

/// Most calls of one tool in a row.
const SAME_IN_A_ROW: u32 = 5;
/// The most of a result that the model sees, in characters.
const MOST_RESULT: usize = 1_500;
/// The most of a result in the record of the turn.
const MOST_RECORDED: usize = 160;

/// What came of a call.
pub(super) enum CallEnd {
    /// A text for the model.
    Said(String),
    /// The turn is over.
    Ends(TurnEnding),
}

/// The calls of one turn.
pub(super) struct TurnCalls<'a, M> {
    engine: &'a Engine<M>,
    turn: &'a AgentTurn<'a>,
    toolbox: Toolbox,
    language: Arc<Language>,
    taint: Taint,
    repeats: Repeats,
    last: (String, u32),
    actions: u32,
    ended_by: Option<Arguments>,
    made: Vec<String>,
    pub(super) tokens: u64,
    pub(super) text: String,
}

impl<'a, M> TurnCalls<'a, M> {
    pub(super) fn new(
        engine: &'a Engine<M>,
        turn: &'a AgentTurn<'a>,
        (toolbox, language): (Toolbox, Arc<Language>),
    ) -> Self {
        let taint = if turn.is_tainted { Taint::Tainted } else { Taint::Clean };
        Self {
            engine,
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

    pub(super) fn done(self, end: TurnEnding) -> AgentTurnDone {
        let Self { actions, ended_by, made: calls, tokens, text, taint, .. } = self;
        AgentTurnDone { end, tokens, actions, ended_by, text, calls, is_foreign: taint == Taint::Tainted }
    }

    /// Makes a call, if it may be made.
    pub(super) async fn call(&mut self, made: &WrittenCall, desk: &dyn AgentDesk) -> CallEnd {
        let (tool, arguments) = match self.checked(made) {
            Ok(checked) => checked,
            Err(refusal) => return self.said(made, refusal),
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
        match judge_agent(&call, &self.engine.parts.tool_rules) {
            GateVerdict::Allow => {}
            GateVerdict::Ask(_) => {
                let in_words = tool.in_words(&arguments, &self.language);
                let text = desk.ask(tool.name(), &arguments, in_words);
                return self.said(made, text);
            }
            GateVerdict::Forbid(why) => return self.said(made, format!("This call is not allowed: {why}.")),
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
            Ok(text) | Err(text) => self.said(made, text),
        }
    }

    async fn run(
        &mut self,
        tool: &dyn Tool,
        (arguments, effect): (&Arguments, Effect),
    ) -> Result<String, String> {
        let source = if self.taint == Taint::Tainted { Source::Foreign } else { Source::Own };
        let (now, language) = (&self.engine.parts.clock.now(), &*self.language);
        let done = tools::run(tool, Call { arguments, effect, now, source, language }).await;
        match done {
            Ok(output) => {
                let text = fence::cut(&output.text, MOST_RESULT);
                if output.source == Source::Own {
                    return Ok(text);
                }
                self.taint = Taint::Tainted;
                Ok(if fence::is_fenced(&text) { text } else { fence::wrap(&text, MOST_RESULT) })
            }
            Err(ToolError::TellModel(why) | ToolError::EndTurn(why)) => {
                if effect == Effect::Fetches || fence::is_fenced(&why) {
                    self.taint = Taint::Tainted;
                }
                Err(fence::cut(&why, MOST_RESULT))
            }
        }
    }

    fn checked(&mut self, made: &WrittenCall) -> Result<(Arc<dyn Tool>, Arguments), String> {
        let ends = |tool: &&Arc<dyn Tool>| tool.effect(&made.arguments) != Effect::Ends;
        let Some(tool) = self.toolbox.get(&made.name).filter(ends).cloned() else {
            let name: String = made.name.chars().take(60).collect();
            return Err(format!(
                "There is no tool {name}. The tools are: {}.",
                self.toolbox.names().join(", ")
            ));
        };
        let arguments = schema::checked(&tool.schema(), &made.arguments)?;
        let in_a_row = if self.last.0 == made.name { self.last.1 + 1 } else { 1 };
        self.last = (made.name.clone(), in_a_row);
        if in_a_row > SAME_IN_A_ROW {
            return Err(format!(
                "{} was called {SAME_IN_A_ROW} times in a row. Do something else.",
                made.name
            ));
        }
        if self.repeats.is_repeated(&made.name, &arguments) {
            return Err(format!("{} was called with the same arguments before. Use that result.", made.name));
        }
        Ok((tool, arguments))
    }

    fn said(&mut self, made: &WrittenCall, text: String) -> CallEnd {
        self.made.push(format!("{}: {}", made.name, fence::shortened(&text, MOST_RECORDED)));
        CallEnd::Said(text)
    }
}
