//! The plan of a turn: whether it is worth asking for one, and what came of it.
//!
//! Runs in the task of the turn. In: the request, the dialogue and the tools that were picked. Out: a [`Plan`]. With
//! a small model words alone decide whether a plan is worth a call: several parts that each want a tool, or
//! talk of the past. A planner that fails, is too slow or writes nonsense leaves the turn as it is without one.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::compound::Joint;
use super::config::{Order, PlannerMode};
use super::memory::{Gate, question};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::plan::{self, Course, Plan, Recall};
use super::protocol::Made;
use super::router::{Routed, is_always};
use super::trunk::Beside;
use super::{Engine, Turn, compound, deadline, dialogue, tool_loop};
use crate::llm::ModelSize;
use crate::tools::route;

/// The instruction.
const PROMPT: &str = include_str!("../../assets/prompts/planner.md");
/// The same for a small model, which reads it slowly.
const PROMPT_SMALL: &str = include_str!("../../assets/prompts/planner.small.md");
/// Most tokens of a plan, and of a small model's.
const TOKENS: u32 = 250;
const TOKENS_SMALL: u32 = 120;
/// A shorter request needs no plan, in characters.
const SHORTEST: usize = 4;

/// What the words of a request tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Signs {
    chars: usize,
    /// Parts of it that want a tool; none when each is a call as it stands.
    parts: usize,
    /// It is about something said or done before that the conversation does not hold.
    is_past: bool,
    /// There are tools or a memory to plan with.
    has_means: bool,
}

/// Whether a plan is worth a call; why not, if it is not.
fn is_worth_it(mode: PlannerMode, size: ModelSize, signs: Signs) -> Result<(), &'static str> {
    match (mode, size) {
        (PlannerMode::Never, _) => Err("reply.planner.mode is never"),
        _ if signs.chars < SHORTEST => Err("the request is too short"),
        _ if !signs.has_means => Err("there are neither tools nor a memory"),
        (PlannerMode::Always, _) | (PlannerMode::Auto, ModelSize::Large) => Ok(()),
        (PlannerMode::Auto, ModelSize::Small) if signs.parts > 1 || signs.is_past => Ok(()),
        (PlannerMode::Auto, ModelSize::Small) => Err("one part, and nothing of the past"),
    }
}

/// The parts of a request, in the language it seems to be in.
pub(super) fn parts_of(asked: &str) -> Vec<&str> {
    compound::parts(asked, question::tongue(asked))
}

/// Every way to take a request apart in two.
pub(super) fn halves_of(asked: &str) -> Vec<([&str; 2], Joint)> {
    compound::halves(asked, question::tongue(asked))
}

impl<M: ChatModel> Engine<M> {
    /// Which tools the request may use, and the plan for it, in the configured order.
    pub(super) async fn directed(
        &self,
        turn: &Turn<'_>,
        past: &dialogue::Past,
        gate: Gate,
        outlet: &Outlet,
    ) -> Result<(Routed, Plan), Unheard> {
        let signs = self.signs(turn, gate);
        match self.parts.reply.planner.order {
            Order::Router => {
                let routed = self.routed(turn, past, outlet).await?;
                let plan = self.plan(turn, past, (signs, &routed), outlet).await?;
                Ok((routed, plan))
            }
            Order::Planner => {
                let plan = self.plan(turn, past, (signs, &Routed::open()), outlet).await?;
                Ok((self.routed(turn, past, outlet).await?, plan))
            }
        }
    }

    /// The plan for the request.
    async fn plan(
        &self,
        turn: &Turn<'_>,
        past: &dialogue::Past,
        (signs, routed): (Signs, &Routed),
        outlet: &Outlet,
    ) -> Result<Plan, Unheard> {
        let size = tool_loop::protocol_of(self).1;
        let config = &self.parts.reply.planner;
        if config.mode == PlannerMode::Never {
            return Ok(Plan::default());
        }
        if let Err(why) = is_worth_it(config.mode, size, signs) {
            outlet.decided("planner", "no plan", why).await?;
            return Ok(Plan::default());
        }
        let (instruction, shape, tokens) = self.planning(turn.asked, routed);
        let beside = Beside {
            purpose: "planner",
            instruction: &instruction,
            format: Some(shape),
            tokens,
            limit: deadline::PLANNER,
            model: &config.model,
        };
        let Some(written) = self.beside(past, beside, outlet).await else {
            outlet.decided("planner", "failed", "there was no plan in time").await?;
            return Ok(Plan::default());
        };
        let steps = plan::steps(&written);
        let count = steps.len();
        let mut plan = match (size, config.mode) {
            (ModelSize::Small, PlannerMode::Auto) => self.sensible(turn.asked, steps),
            _ => Plan::new(steps, self.toolbox()),
        };
        if size == ModelSize::Small && signs.is_past && plan.recall == Recall::Skip {
            // What the words say plainly is not overruled by a small model.
            plan.recall = Recall::AsUsual;
        }
        let verdict = match (plan.course, count) {
            (Course::Open, 0) => "failed",
            (Course::Open, _) => "no tool named",
            (Course::Reply, _) => "reply",
            (Course::Steps, _) => "steps",
        };
        let memory = match plan.recall {
            Recall::AsUsual => "memory as usual",
            Recall::Skip => "no memory",
            Recall::About(_) => "asks the memory",
        };
        tracing::debug!(verdict, count, memory, "planned");
        outlet.decided("planner", verdict, format!("{count} steps, {memory}")).await?;
        Ok(plan)
    }

    /// What a small model planned, as far as the words of the request want it too. It likes to name all tools there
    /// are.
    fn sensible(&self, asked: &str, steps: Vec<String>) -> Plan {
        let grown = self.grown();
        let offered = self.toolbox().offered(&grown);
        let mut names = route::by_words(asked, &offered).names;
        names.extend(parts_of(asked).into_iter().flat_map(|part| route::by_words(part, &offered).names));
        Plan::of_wanted(steps, &names, self.toolbox())
    }

    /// What a model is told to plan by, the shape of a plan, and its most tokens.
    pub(super) fn planning(&self, asked: &str, routed: &Routed) -> (String, Value, u32) {
        let size = tool_loop::protocol_of(self).1;
        let (prompt, tokens) = match size {
            ModelSize::Small => (PROMPT_SMALL, TOKENS_SMALL),
            ModelSize::Large => (PROMPT, TOKENS),
        };
        let instruction = prompt.replace("{tools}", &self.described(routed, size)).replace("{asked}", asked);
        let shape = json!({
            "type": "object",
            "properties": { "steps": {
                "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": 5,
            } },
            "required": ["steps"],
        });
        (instruction, shape, tokens)
    }

    fn signs(&self, turn: &Turn<'_>, gate: Gate) -> Signs {
        let remembers =
            self.parts.memory.enabled && self.parts.memory.recall > 0 && self.parts.store.is_some();
        Signs {
            chars: turn.asked.trim().chars().count(),
            parts: match parts_of(turn.asked) {
                parts if self.stand(&parts).is_some() => 0,
                parts => self.wanting(&parts),
            },
            is_past: remembers && gate == Gate::Open && question::is_past(turn.asked, &turn.now),
            has_means: remembers || !self.toolbox().is_empty(),
        }
    }

    /// How many of the parts hold words that want a tool.
    pub(super) fn wanting(&self, parts: &[&str]) -> usize {
        let grown = self.grown();
        let offered = self.toolbox().offered(&grown);
        parts.iter().filter(|part| !route::by_words(part, &offered).names.is_empty()).count()
    }

    /// The calls that the parts are as they stand; nothing when one of them is none.
    pub(super) fn stand(&self, parts: &[&str]) -> Option<VecDeque<Made>> {
        let grown = self.grown();
        let offered = self.toolbox().offered(&grown);
        let call = |part: &&str| {
            route::by_words(part, &offered).names.into_iter().find_map(|name| {
                let arguments = self.toolbox().get(&name)?.ready(part)?;
                Some(Made { id: None, name, arguments })
            })
        };
        parts.iter().map(call).collect()
    }

    /// The tools a plan may name. What they are stands in the head of the prompt; a large model is told once more of a
    /// few.
    fn described(&self, routed: &Routed, size: ModelSize) -> String {
        let grown = self.grown();
        let offered = self.toolbox().offered(&grown);
        let names = routed.names(&offered);
        let is_meant = |name: &str| !is_always(name) && names.iter().any(|meant| meant == name);
        let meant = offered.iter().filter(|tool| is_meant(tool.name()));
        let told: Vec<String> = match routed.is_open || size == ModelSize::Small {
            true => meant.map(|tool| tool.name().to_owned()).collect(),
            false => meant.map(|tool| format!("{} ({})", tool.name(), tool.description())).collect(),
        };
        if told.is_empty() { "none".to_owned() } else { told.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // covers DEC19, E7
    #[test]
    fn a_small_model_plans_only_what_has_parts_or_a_past() {
        use ModelSize::{Large, Small};
        use PlannerMode::{Always, Auto, Never};
        let signs = |chars, parts, is_past| Signs { chars, parts, is_past, has_means: true };
        for (mode, size, signs, is_worth) in [
            (Auto, Small, signs(40, 0, false), false),
            (Auto, Small, signs(40, 1, false), false),
            (Auto, Small, signs(40, 2, false), true),
            (Auto, Small, signs(40, 0, true), true),
            (Auto, Large, signs(40, 0, false), true),
            (Auto, Large, signs(3, 0, true), false),
            (Always, Small, signs(4, 0, false), true),
            (Always, Small, signs(3, 2, true), false),
            (Never, Large, signs(40, 2, true), false),
            (Always, Large, Signs { has_means: false, ..signs(40, 0, false) }, false),
        ] {
            assert_eq!(is_worth_it(mode, size, signs).is_ok(), is_worth, "{mode:?} {size:?} {signs:?}");
        }
    }
}
