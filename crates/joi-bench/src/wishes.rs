//! `joi-bench wishes`: what becomes of wishes in words that no pattern serves.
//!
//! Each wish is a conversation of its own, in a database in memory. Without `--servers` they are for joi's own tools; with
//! it for tools of other programs, which are started and called. What is right stands in `tests/data/wishes`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use joi::app::{self, Brain};
use joi::cli::context::CliContext;
use joi::cli::{hear, show};
use joi_agent::{Engine, EngineParts, Session};
use joi_base::message::ConversationId;
use joi_base::trace::ToolUse;
use joi_llm::Mind;
use joi_mcp::McpService;
use joi_tools::{Effect, HttpClient, ToolRegistry, ToolsConfig};

use super::acting::{self, Cost};

mod further;

const EXAMPLES: &str = "\
Examples:
  joi-bench wishes                                    joi's own tools
  joi-bench wishes --servers                          tools of the configured servers, all of which may be called
  joi-bench wishes --servers --registered 100         the same among a hundred tools
  joi-bench wishes --free --json                      without forms";

/// The wishes for joi's own tools, and for those of the reference servers.
const OWN: &str = include_str!("../../../tests/data/wishes/own.toml");
const OUTSIDE: &str = include_str!("../../../tests/data/wishes/mcp.toml");
/// Longest start of the servers.
const START: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WishesArgs {
    /// Wishes for tools of the configured servers, instead of joi's own
    #[arg(long)]
    servers: bool,
    /// Number of tools of other programs that are registered, with those of the servers
    #[arg(long, default_value_t = 0, requires = "servers")]
    registered: usize,
    /// Without forms: the model writes as it likes
    #[arg(long)]
    free: bool,
    /// Only the wishes that hold this text
    #[arg(long, default_value = "")]
    only: String,
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wishes {
    /// Quick commands in front of every wish.
    #[serde(default)]
    before: Vec<String>,
    wish: Vec<WishRow>,
}

/// A wish and the calls that serve it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WishRow {
    say: String,
    /// Any of them.
    tools: Vec<String>,
    /// By argument: one of these texts must be in it, in lower case.
    #[serde(default)]
    holds: Map<String, Value>,
}

/// What became of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WishOutcome {
    /// The right call was made.
    Done,
    /// The user was asked about the right call.
    Asked,
    /// The right tool was called or asked about, with other arguments.
    Half,
    /// The user was asked about another call, or another look-up was made.
    Other,
    /// Something else was done that leaves something behind.
    WrongDeed,
    /// No call came of it.
    Nothing,
}

const OUTCOMES: [(WishOutcome, &str); 6] = [
    (WishOutcome::Done, "done"),
    (WishOutcome::Asked, "asked"),
    (WishOutcome::Half, "right tool, other arguments"),
    (WishOutcome::Other, "another call, asked about or only a look-up"),
    (WishOutcome::WrongDeed, "wrong deed"),
    (WishOutcome::Nothing, "no call"),
];

impl WishOutcome {
    fn name(self) -> &'static str {
        OUTCOMES.iter().find(|(outcome, _)| *outcome == self).map_or("", |(_, name)| name)
    }

    /// Judges the calls of a turn; `writes` says of a call whether it leaves something behind.
    fn of(wish: &WishRow, calls: &[ToolUse], writes: impl Fn(&ToolUse) -> bool) -> Self {
        let is_tool = |call: &&ToolUse| wish.tools.contains(&call.name);
        let is_right = |call: &&ToolUse| is_tool(call) && holds(call, &wish.holds);
        let ran = |call: &&ToolUse| matches!(call.outcome.as_str(), "done" | "failed");
        let counts = |call: &&ToolUse| ran(call) || call.outcome == "asked";
        if calls.iter().any(|call| call.outcome == "done" && writes(call) && !is_right(&call)) {
            return Self::WrongDeed;
        }
        let counted: Vec<&ToolUse> = calls.iter().filter(counts).collect();
        match counted.iter().copied().find(|call| is_right(call)) {
            Some(call) if ran(&call) => Self::Done,
            Some(_) => Self::Asked,
            None if counted.iter().any(is_tool) => Self::Half,
            None if counted.is_empty() => Self::Nothing,
            None => Self::Other,
        }
    }
}

fn holds(call: &ToolUse, wanted: &Map<String, Value>) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).to_lowercase();
    let has = |argument: &str, texts: &Value| {
        let texts = texts.as_array().map_or(&[][..], Vec::as_slice);
        texts.iter().filter_map(Value::as_str).any(|text| argument.contains(text))
    };
    wanted.iter().all(|(name, texts)| call.arguments.get(name).is_some_and(|value| has(&text(value), texts)))
}

pub(crate) fn run(args: &WishesArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let wishes: Wishes = toml::from_str(if args.servers { OUTSIDE } else { OWN })?;
    let said: Vec<&WishRow> = wishes.wish.iter().filter(|wish| wish.say.contains(&args.only)).collect();
    let (rows, serving) = context.block_on(async {
        let brain = Brain::start(context.config(), &context.paths).await?;
        hear::ready(&brain).await;
        let serving = brain.serving();
        let stop = CancellationToken::new();
        let servers = servers(context);
        let tending = tokio::spawn(servers.clone().run(stop.clone()));
        if args.servers {
            servers.settled(START).await;
        }
        let bar = indicatif::ProgressBar::new(said.len() as u64);
        let mut rows = Vec::new();
        for wish in said {
            let engine = engine(args, context, &brain, servers.registry()).await?;
            let conversation = Session::new(ConversationId::console());
            for line in &wishes.before {
                acting::ask(&engine.0, &conversation, line).await;
            }
            let cost = acting::ask(&engine.0, &conversation, &wish.say).await;
            let outcome = WishOutcome::of(wish, &cost.calls, |call| writes(&engine.1, call));
            bar.suspend(
                || tracing::info!(say = wish.say, outcome = outcome.name(), calls = ?cost.calls, "a wish"),
            );
            rows.push((wish, outcome, cost));
            bar.inc(1);
        }
        bar.finish_and_clear();
        stop.cancel();
        tending.await?;
        brain.shutdown().await;
        Ok((rows, serving))
    })?;
    report(args, &rows, &serving)?;
    Ok(ExitCode::SUCCESS)
}

/// The configured servers.
fn servers(context: &CliContext) -> McpService {
    let (config, paths) = (context.config(), &context.paths);
    let kept = (app::mcp::mcp_secrets(paths), app::mcp::mcp_approvals(paths));
    let registry = ToolRegistry::default();
    McpService::new(app::mcp::mcp_servers(config, paths), kept, registry, config.mcp.tools_per_turn)
}

/// An engine as configured with the tools of the servers, and what its tools are.
async fn engine(
    args: &WishesArgs,
    context: &CliContext,
    brain: &Brain,
    outside: &ToolRegistry,
) -> anyhow::Result<(Engine<Mind>, ToolRegistry)> {
    let rules = ToolsConfig { constrain: !args.free, ..context.config().tools.clone() };
    let http = HttpClient::public().ok();
    let parts: EngineParts<Mind> =
        acting::parts(context, brain, Arc::clone(&brain.clock), rules, http).await?;
    let tools = parts.tools.clone();
    if args.servers {
        tools.set_most_offered(context.config().mcp.tools_per_turn as usize);
        let outside = outside.snapshot().toolbox.all().to_vec();
        let outside: Vec<_> = outside.into_iter().filter(|tool| tool.hands_out()).collect();
        let missing = args.registered.saturating_sub(outside.len());
        tools.add("servers", outside);
        tools.add("further", further::tools(missing)?);
    }
    Ok((Engine::new(parts), tools))
}

fn writes(tools: &ToolRegistry, call: &ToolUse) -> bool {
    let snapshot = tools.snapshot();
    let effect = snapshot.toolbox.get(&call.name).map(|tool| tool.effect(&call.arguments));
    matches!(effect, Some(Effect::Remembers | Effect::Changes | Effect::Risks))
}

fn report(args: &WishesArgs, rows: &[(&WishRow, WishOutcome, Cost)], serving: &str) -> anyhow::Result<()> {
    let count = |outcome: WishOutcome| rows.iter().filter(|(_, of, _)| *of == outcome).count();
    let by_pattern = rows.iter().filter(|(.., cost)| cost.uses.is_empty()).count();
    let right = count(WishOutcome::Done) + count(WishOutcome::Asked);
    if args.json {
        let each: Vec<Value> = rows
            .iter()
            .map(|(wish, outcome, cost)| {
                let calls: Vec<Value> = cost
                    .calls
                    .iter()
                    .map(|call| json!([call.name, call.arguments, call.outcome, call.reason]))
                    .collect();
                let uses: Vec<&str> = cost.uses.iter().map(|used| used.purpose.as_str()).collect();
                json!({
                    "say": wish.say, "outcome": outcome.name(), "calls": calls, "model": uses, "answer": cost.answer,
                })
            })
            .collect();
        let counts: Map<String, Value> =
            OUTCOMES.iter().map(|(outcome, name)| ((*name).to_owned(), count(*outcome).into())).collect();
        let report = json!({
            "model": serving, "wishes": each, "counts": counts, "right": right, "all": rows.len(),
            "without_model": by_pattern,
        });
        return Ok(show::line(serde_json::to_string_pretty(&report)?)?);
    }
    let mut table = show::table(["WISH", "OUTCOME", "CALLS"]);
    for (wish, outcome, cost) in
        rows.iter().filter(|(_, outcome, _)| !matches!(outcome, WishOutcome::Done | WishOutcome::Asked))
    {
        let calls: Vec<String> = cost
            .calls
            .iter()
            .map(|call| format!("{} {}", call.name, Value::Object(call.arguments.clone())))
            .collect();
        table.add_row([wish.say.as_str(), outcome.name(), &calls.join("; ")]);
    }
    show::line(table)?;
    let mut table = show::table(["OUTCOME", "WISHES"]);
    for (outcome, name) in OUTCOMES {
        table.add_row([name.to_owned(), count(outcome).to_string()]);
    }
    show::line(table)?;
    let all = rows.len().max(1);
    let share = 100 * right / all;
    show::line(format!(
        "\n{right} of {all} done or asked ({share} %); {by_pattern} without the model; {serving}"
    ))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_can_be_read_and_their_outcomes_are_distinguished() {
        for text in [OWN, OUTSIDE] {
            let wishes: Wishes = toml::from_str(text).unwrap();
            assert_eq!(wishes.wish.len(), 60);
        }
        assert_eq!(further::tools(1_000).unwrap().len(), 64);
        let wish: WishRow =
            toml::from_str("say = \"x\"\ntools = [\"lists\"]\nholds = { text = [\"milk\", \"cream\"] }")
                .unwrap();
        let call = |name: &str, text: &str, outcome: &str| ToolUse {
            name: name.into(),
            arguments: json!({ "text": text }).as_object().cloned().unwrap(),
            outcome: outcome.into(),
            ..ToolUse::default()
        };
        let of = |calls: &[ToolUse]| WishOutcome::of(&wish, calls, |call| call.name == "lists");
        assert_eq!(of(&[call("lists", "Oat milk", "done")]), WishOutcome::Done);
        assert_eq!(of(&[call("lists", "cream", "asked")]), WishOutcome::Asked);
        assert_eq!(of(&[call("lists", "eggs", "asked")]), WishOutcome::Half);
        assert_eq!(of(&[call("lists", "eggs", "done")]), WishOutcome::WrongDeed);
        assert_eq!(of(&[call("weather", "", "done")]), WishOutcome::Other);
        assert_eq!(of(&[call("lists", "milk", "refused")]), WishOutcome::Nothing);
    }
}
