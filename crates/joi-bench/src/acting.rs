//! `joi-bench acting`: what ten typical turns cost, and how often the model calls the right tool.
//!
//! Everything happens in a database in memory; no tool that needs the internet is offered, and no sound is made.
//! The turns are one conversation; each request is one of its own, once with the first reply bound to the likely
//! tools and once without.

use std::process::ExitCode;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use joi::app::{self, Brain};
use joi::cli::context::CliContext;
use joi::cli::{hear, show};
use joi_agent::model::Room;
use joi_agent::{Engine, EngineParts, Protocols, ReplyEvent, Session, TurnInput, read_ahead, reply};
use joi_base::clock::Clock;
use joi_base::message::{ConversationId, Private, TurnId};
use joi_base::trace::{ModelUse, ToolUse};
use joi_llm::Mind;
use joi_store::Store;
use joi_tools::{HttpClient, ToolServices, ToolsConfig, builtin};
use joi_understand::intents;

const EXAMPLES: &str = "\
Examples:
  joi-bench acting                                    the model in use
  joi-bench acting --set llm.backend=local            the embedded one
  joi-bench acting --json | jq .calls_per_turn";

/// The utterances, and the expected outcome of each.
const SAID: &str = include_str!("../assets/acting.toml");

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ActingArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActingSaid {
    turns: Vec<String>,
    /// Quick commands in front of every request.
    before: Vec<String>,
    request: Vec<ActingRequest>,
}

/// A request and the call it should lead to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActingRequest {
    say: String,
    /// The tool; `none` for talk.
    tool: String,
    /// What the arguments must hold, in lower case.
    #[serde(default)]
    holds: Map<String, Value>,
}

/// What one turn took.
#[derive(Debug, Default)]
pub(super) struct Cost {
    said: String,
    pub(super) uses: Vec<ModelUse>,
    pub(super) calls: Vec<ToolUse>,
    pub(super) answer: String,
}

impl Cost {
    fn purposes(&self) -> Vec<&str> {
        self.uses.iter().map(|used| used.purpose.as_str()).collect()
    }

    fn evaluated(&self) -> u64 {
        self.uses.iter().map(ModelUse::evaluated).sum()
    }
}

/// How many requests came to what.
#[derive(Debug, Default, Clone, Copy)]
struct ActingTally {
    /// The right tool with the right arguments, or rightly none.
    right: usize,
    /// The right tool with other arguments.
    half: usize,
    /// A call that there is no tool or no argument for.
    malformed: usize,
    all: usize,
}

impl ActingTally {
    fn add(&mut self, request: &ActingRequest, cost: &Cost) {
        self.all += 1;
        self.malformed += usize::from(cost.calls.iter().any(|call| call.outcome == "refused"));
        let good = cost.calls.iter().filter(|call| call.outcome != "refused" && call.outcome != "repeated");
        let mut named = good.filter(|call| call.name == request.tool).peekable();
        match request.tool.as_str() {
            "none" => self.right += usize::from(cost.calls.is_empty()),
            _ if named.peek().is_none() => {}
            _ if named.any(|call| holds(call, &request.holds)) => self.right += 1,
            _ => self.half += 1,
        }
    }

    fn row(self) -> Value {
        let Self { right, half, malformed, all } = self;
        json!({ "right": right, "right_tool_only": half, "malformed": malformed, "all": all })
    }
}

fn holds(call: &ToolUse, wanted: &Map<String, Value>) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    wanted.iter().all(|(name, value)| {
        call.arguments.get(name).is_some_and(|argument| text(argument).contains(&text(value)))
    })
}

pub(crate) fn run(args: &ActingArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let said: ActingSaid = toml::from_str(SAID)?;
    let (costs, tallies, serving) = context.block_on(async {
        let brain = Brain::start(context.config(), &context.paths).await?;
        hear::ready(&brain).await;
        let serving = brain.serving();
        let bar = indicatif::ProgressBar::new((said.turns.len() + 2 * said.request.len()) as u64);
        let talk = offline(context, &brain, true).await?;
        let conversation = Session::new(ConversationId::console());
        read_ahead(&talk, &conversation).await?;
        let mut costs = Vec::new();
        for line in &said.turns {
            costs.push(ask(&talk, &conversation, line).await);
            bar.inc(1);
        }
        let mut tallies = [ActingTally::default(); 2];
        for (tally, is_bound) in tallies.iter_mut().zip([true, false]) {
            for request in &said.request {
                let alone = offline(context, &brain, is_bound).await?;
                let conversation = Session::new(ConversationId::console());
                // Something to take off, and to cancel.
                for line in &said.before {
                    ask(&alone, &conversation, line).await;
                }
                let cost = ask(&alone, &conversation, &request.say).await;
                tracing::info!(say = request.say, is_bound, calls = ?cost.calls, "a request of the bench");
                tally.add(request, &cost);
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        brain.shutdown().await;
        Ok((costs, tallies, serving))
    })?;
    report(args, &costs, tallies, &serving)?;
    Ok(ExitCode::SUCCESS)
}

/// An engine as configured, but offline, that remembers nothing but a list.
async fn offline(context: &CliContext, brain: &Brain, is_bound: bool) -> anyhow::Result<Engine<Mind>> {
    let rules = ToolsConfig { online: false, constrain: is_bound, ..context.config().tools.clone() };
    engine(context, brain, Arc::clone(&brain.clock), rules, None).await
}

/// An engine as configured that remembers nothing but a list.
pub(super) async fn engine(
    context: &CliContext,
    brain: &Brain,
    clock: Arc<dyn Clock>,
    tool_rules: ToolsConfig,
    http: Option<HttpClient>,
) -> anyhow::Result<Engine<Mind>> {
    Ok(Engine::new(parts(context, brain, clock, tool_rules, http).await?))
}

/// The parts of such an engine.
pub(super) async fn parts(
    context: &CliContext,
    brain: &Brain,
    clock: Arc<dyn Clock>,
    tool_rules: ToolsConfig,
    http: Option<HttpClient>,
) -> anyhow::Result<EngineParts<Mind>> {
    let config = context.config();
    let store = Store::in_memory()?;
    store.add_notes("shopping", vec!["eggs".into(), "salt".into()], clock.now().timestamp()).await?;
    let languages = brain.languages.clone();
    let schedule = app::timers::schedule(config, languages.clone(), store.clone(), Arc::clone(&clock), None);
    let means = ToolServices {
        store: Some(store.clone()),
        schedule: Some(schedule.clone()),
        reads_when: intents::when,
        clock: Arc::clone(&clock),
        home: None,
        http,
    };
    Ok(EngineParts {
        agents: None,
        home: None,
        initiative: joi_agent::Initiative::default(),
        reply: config.reply.clone(),
        persona: config.persona.clone(),
        context: config.context.clone(),
        memory: config.memory,
        wake_phrase: app::first_phrase(config, &context.paths),
        model: Arc::clone(&brain.mind),
        room: Room::from(&config.llm),
        store: Some(store),
        schedule: Some(schedule),
        clock,
        tools: builtin(&tool_rules, &means).into(),
        tool_rules,
        protocols: Protocols::default(),
        languages,
    })
}

pub(super) async fn ask(engine: &Engine<Mind>, conversation: &Session, said: &str) -> Cost {
    let (events, mut received) = mpsc::channel(64);
    let input = TurnInput { id: TurnId(1), text: Private(said.to_owned()), language: None, is_unsure: false };
    let mut cost = Cost { said: said.to_owned(), ..Cost::default() };
    let counting = async {
        while let Some(event) = received.recv().await {
            match event {
                ReplyEvent::Used(used) => cost.uses.push(used),
                ReplyEvent::Called(call) => cost.calls.push(call),
                _ => {}
            }
        }
    };
    let cancel = CancellationToken::new();
    let (outcome, ()) = tokio::join!(reply(engine, conversation, input, events, cancel), counting);
    cost.answer = outcome.text.0;
    cost
}

fn report(args: &ActingArgs, costs: &[Cost], tallies: [ActingTally; 2], serving: &str) -> anyhow::Result<()> {
    let turns = costs.len().max(1) as f64;
    let calls = costs.iter().map(|cost| cost.uses.len()).sum::<usize>() as f64 / turns;
    let tokens = costs.iter().map(Cost::evaluated).sum::<u64>() as f64 / turns;
    let [bound, free] = tallies;
    if args.json {
        let rows: Vec<Value> = costs
            .iter()
            .map(|cost| {
                let (calls, tokens) = (cost.uses.len(), cost.evaluated());
                json!({ "said": cost.said, "calls": calls, "for": cost.purposes(), "tokens": tokens })
            })
            .collect();
        let report = json!({
            "model": serving, "turns": rows, "calls_per_turn": calls, "tokens_per_turn": tokens,
            "bound": bound.row(), "free": free.row(),
        });
        return Ok(show::line(serde_json::to_string_pretty(&report)?)?);
    }
    let mut table = show::table(["TURN", "MODEL CALLS", "PROMPT TOKENS EVALUATED", "TOOLS"]);
    for cost in costs {
        let tools: Vec<&str> = cost.calls.iter().map(|call| call.name.as_str()).collect();
        let counts = [cost.purposes().join(", "), cost.evaluated().to_string()];
        table.add_row([cost.said.clone(), counts[0].clone(), counts[1].clone(), tools.join(", ")]);
    }
    show::line(table)?;
    show::line(format!("\na turn: {calls:.1} model calls, {tokens:.0} prompt tokens evaluated\n"))?;
    let mut table =
        show::table(["FIRST REPLY", "RIGHT", "RIGHT TOOL, WRONG ARGUMENTS", "MALFORMED", "REQUESTS"]);
    for (name, tally) in [("bound to the likely tools", bound), ("free", free)] {
        let counts = [tally.right, tally.half, tally.malformed, tally.all].map(|count| count.to_string());
        table.add_row([&[name.to_owned()], &counts[..]].concat());
    }
    show::line(table)?;
    Ok(show::line(format!("\n{serving}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_can_be_read_and_calls_are_distinguished() {
        let said: ActingSaid = toml::from_str(SAID).unwrap();
        assert_eq!(said.turns.len(), 10);
        assert!(said.request.len() >= 20);
        let request: ActingRequest =
            toml::from_str("say = \"x\"\ntool = \"lists\"\nholds = { text = \"milk\" }").unwrap();
        let call = |name: &str, text: &str, outcome: &str| ToolUse {
            name: name.into(),
            arguments: json!({ "text": text }).as_object().cloned().unwrap(),
            outcome: outcome.into(),
            ..ToolUse::default()
        };
        let mut tally = ActingTally::default();
        for calls in [
            vec![call("lists", "Oat Milk", "done")],
            vec![call("lists", "eggs", "done")],
            vec![call("list", "milk", "refused"), call("lists", "milk", "asked")],
            vec![],
            vec![call("time", "", "done")],
        ] {
            tally.add(&request, &Cost { calls, ..Cost::default() });
        }
        assert_eq!((tally.right, tally.half, tally.malformed, tally.all), (2, 1, 1, 5));
    }
}
