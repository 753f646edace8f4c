//! The plan of a turn: whether it is worth asking for one, and what came of it.
//!
//! Runs in the task of the turn. Input: the request, the dialogue and the tools that were picked. Output: a [`Plan`].
//! With a small model words alone decide whether a plan is worth a call: several parts that each want a tool, or talk
//! of the past. A planner that fails, is too slow or writes nonsense leaves the turn as it is without one.

use serde_json::{Value, json};

use crate::agent::request::TurnRequest;
use crate::agent::router::{self, ToolChoice};
use crate::config::{PlannerConfig, PlannerMode, PlannerOrder};
use crate::deadline;
use crate::memory::coverage::Coverage;
use crate::model::ChatModel;
use crate::prompt::side_query::{SideQueries, SideQuery};
use crate::session::Session;
use crate::sink::ReceiverClosed;
use joi_answer::parts::parts_of;
use joi_answer::plan::{self, Course, Plan, Recall};
use joi_answer::tool_list::ToolList;
use joi_language::Language;
use joi_llm::ModelSize;
use joi_tools::{ToolsConfig, is_always};
use joi_understand::question;

/// The instruction.
const PROMPT: &str = include_str!("../../../../assets/prompts/planner.md");
/// The same for a small model, which reads it slowly.
const PROMPT_SMALL: &str = include_str!("../../../../assets/prompts/planner.small.md");
/// Most tokens of a plan, and of a small model's.
const TOKENS: u32 = 250;
const TOKENS_SMALL: u32 = 120;
/// A shorter request needs no plan, in characters.
const SHORTEST: usize = 4;

/// Evidence from the words of a request.
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

/// Returns whether a plan is worth a call; why not, if it is not.
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

/// The rules for choosing tools and planning.
#[derive(Clone, Copy)]
pub(crate) struct PlanRules<'a> {
    /// `[reply.planner]`.
    pub(crate) planner: &'a PlannerConfig,
    /// `[tools]`.
    pub(crate) tools: &'a ToolsConfig,
    /// What of the memory may matter for this request.
    pub(crate) memory: Remembers,
}

/// Whether the memory can be asked about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remembers {
    /// Nothing is remembered.
    Nothing,
    /// Something is, and the conversation covers the request, or not.
    Something(Coverage),
}

/// Returns whether a model is asked for a plan of the request.
pub(crate) fn asks_model(request: &TurnRequest<'_>, rules: PlanRules<'_>) -> bool {
    is_worth_it(rules.planner.mode, request.answering.size, signs(request, rules.memory)).is_ok()
}

/// Which tools the request may use, and the plan for it, in the configured order.
pub(crate) async fn direct<M: ChatModel>(
    request: &TurnRequest<'_>,
    rules: PlanRules<'_>,
    session: &Session,
    side: &SideQueries<'_, M>,
) -> Result<(ToolChoice, Plan), ReceiverClosed> {
    match rules.planner.order {
        PlannerOrder::Router => {
            let choice = router::choose_tools(request, rules.tools, session, side).await?;
            let plan = plan(request, rules, &choice, side).await?;
            Ok((choice, plan))
        }
        PlannerOrder::Planner => {
            let plan = plan(request, rules, &ToolChoice::open(), side).await?;
            Ok((router::choose_tools(request, rules.tools, session, side).await?, plan))
        }
    }
}

/// The plan for the request.
async fn plan<M: ChatModel>(
    request: &TurnRequest<'_>,
    rules: PlanRules<'_>,
    choice: &ToolChoice,
    side: &SideQueries<'_, M>,
) -> Result<Plan, ReceiverClosed> {
    let (size, asked, sink) = (request.answering.size, request.turn.asked, side.sink);
    if rules.planner.mode == PlannerMode::Never {
        return Ok(Plan::default());
    }
    let signs = signs(request, rules.memory);
    if let Err(why) = is_worth_it(rules.planner.mode, size, signs) {
        sink.decided("planner", "no plan", why).await?;
        return Ok(Plan::default());
    }
    let (instruction, shape, tokens) = instruction(asked, size, &request.tools, choice);
    let query = SideQuery {
        purpose: "planner",
        instruction: &instruction,
        format: Some(shape),
        tokens,
        limit: deadline::PLANNER,
        model: &rules.planner.model,
    };
    let Some(written) = side.ask(query).await else {
        sink.decided("planner", "failed", "there was no plan in time").await?;
        return Ok(Plan::default());
    };
    let steps = plan::steps(&written);
    let count = steps.len();
    let mut plan = match (size, rules.planner.mode) {
        (ModelSize::Small, PlannerMode::Auto) => {
            wanted_by_words(asked, steps, &request.tools, &request.turn.language)
        }
        _ => Plan::new(steps, &request.tools.toolbox),
    };
    if size == ModelSize::Small && signs.is_past && plan.recall == Recall::Skip {
        // What the words say plainly is not overruled by a small model.
        plan.recall = Recall::AsUsual;
    }
    let (verdict, memory) = described(&plan, count);
    tracing::debug!(verdict, count, memory, "planned");
    sink.decided("planner", verdict, format!("{count} steps, {memory}")).await?;
    Ok(plan)
}

/// A plan of that many steps in words, for the record.
fn described(plan: &Plan, count: usize) -> (&'static str, &'static str) {
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
    (verdict, memory)
}

/// Returns what a small model planned, as far as the words of the request want it too. It likes to name all tools there
/// are.
fn wanted_by_words(asked: &str, steps: Vec<String>, tools: &ToolList, language: &Language) -> Plan {
    let mut names = tools.by_words(asked, language);
    names.extend(parts_of(asked).into_iter().flat_map(|part| tools.by_words(part, language)));
    Plan::of_wanted(steps, &names, &tools.toolbox)
}

/// Returns the planning instruction for a model, the shape of a plan, and its most tokens.
pub(crate) fn instruction(
    asked: &str,
    size: ModelSize,
    tools: &ToolList,
    choice: &ToolChoice,
) -> (String, Value, u32) {
    let (prompt, tokens) = match size {
        ModelSize::Small => (PROMPT_SMALL, TOKENS_SMALL),
        ModelSize::Large => (PROMPT, TOKENS),
    };
    let instruction = prompt.replace("{tools}", &tool_lines(tools, choice, size)).replace("{asked}", asked);
    let shape = json!({
        "type": "object",
        "properties": { "steps": {
            "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": 5,
        } },
        "required": ["steps"],
    });
    (instruction, shape, tokens)
}

fn signs(request: &TurnRequest<'_>, memory: Remembers) -> Signs {
    let asked = request.turn.asked;
    let is_open = memory == Remembers::Something(Coverage::Uncovered);
    Signs {
        chars: asked.trim().chars().count(),
        parts: match parts_of(asked) {
            parts if request.tools.ready_calls(&parts, &request.turn.language).is_some() => 0,
            parts => request.tools.wanting(&parts, &request.turn.language),
        },
        is_past: is_open && question::is_past(asked, &request.turn.now),
        has_means: memory != Remembers::Nothing || !request.tools.toolbox.is_empty(),
    }
}

/// The tools a plan may name. What they are stands in the head of the prompt; a large model gets a few of them once
/// more.
fn tool_lines(tools: &ToolList, choice: &ToolChoice, size: ModelSize) -> String {
    let offered = tools.offered();
    let names = choice.names(&offered);
    let is_meant = |name: &str| !is_always(name) && names.iter().any(|meant| meant == name);
    let meant = offered.iter().filter(|tool| is_meant(tool.name()));
    let told: Vec<String> = match choice.is_open || size == ModelSize::Small {
        true => meant.map(|tool| tool.name().to_owned()).collect(),
        false => meant.map(|tool| format!("{} ({})", tool.name(), tool.description())).collect(),
    };
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
