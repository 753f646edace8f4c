//! `joi-bench trunk`: what it is worth that a question beside the answer shares the answer's prompt.
//!
//! One conversation, held three times: without a plan, with a plan that is asked for on the answer's own prompt, and
//! with a plan that is asked for with a prompt of its own, which takes the place of the answer's in the memory of a
//! server that keeps one. Prompts are those of real turns. Only reading is measured, one token a call: what writing a
//! plan takes is the same either way.

use std::process::ExitCode;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::{self, MeasuredCall};
use joi::app::Brain;
use joi::cli::context::CliContext;
use joi::cli::{hear, show};
use joi_agent as reply;
use joi_base::message::{ConversationId, Origin, Private};
use joi_llm::{Ask, Length};
use joi_store::{DialogueRole, DialogueRow, WordedBy};

const EXAMPLES: &str = "\
Examples:
  joi-bench trunk                                     the model in use
  joi-bench trunk --set llm.backend=local             the embedded one
  joi-bench trunk --json | jq .first_token_ratio";

/// The utterances.
const SAID: &str = include_str!("../assets/trunk.toml");

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TrunkArgs {
    /// How often the conversation is held in each way
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrunkSaid {
    exchange: Vec<StoryExchange>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoryExchange {
    say: String,
    answer: String,
}

/// How a plan is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanWay {
    Without,
    Shared,
    Apart,
}

impl PlanWay {
    const ALL: [Self; 3] = [Self::Without, Self::Shared, Self::Apart];

    fn name(self) -> &'static str {
        match self {
            Self::Without => "no plan",
            Self::Shared => "a plan on the shared prompt",
            Self::Apart => "a plan with a prompt of its own",
        }
    }
}

/// What one follow-up turn took: the plan's call, if there was one, and the answer's.
#[derive(Debug, Clone, Copy)]
struct FollowUpTurn {
    plan: Option<MeasuredCall>,
    answer: MeasuredCall,
}

impl FollowUpTurn {
    fn calls(&self) -> impl Iterator<Item = &MeasuredCall> {
        self.plan.iter().chain([&self.answer])
    }

    fn sum(&self, of: impl Fn(&MeasuredCall) -> Duration) -> Duration {
        self.calls().map(of).sum()
    }
}

/// All follow-up turns of one way.
#[derive(Debug)]
struct FollowUpCase {
    way: PlanWay,
    turns: Vec<FollowUpTurn>,
}

impl FollowUpCase {
    fn median_ms(&self, of: impl Fn(&FollowUpTurn) -> Duration) -> f64 {
        model::median(self.turns.iter().map(|turn| of(turn).as_secs_f64() * 1e3))
    }

    /// From the request to the answer's first token.
    fn first_token_ms(&self) -> f64 {
        self.median_ms(|turn| turn.sum(|call| call.first_token))
    }

    /// Prompt tokens of a turn, known or not.
    fn tokens(&self) -> f64 {
        let all: u64 = self.turns.iter().flat_map(FollowUpTurn::calls).map(|call| call.prompt_tokens).sum();
        all as f64 / self.turns.len().max(1) as f64
    }

    /// Those of them that had to be read; nothing where the server does not report it.
    fn read(&self) -> Option<f64> {
        let calls = self.turns.iter().flat_map(FollowUpTurn::calls);
        let known = calls.map(|call| call.known_tokens).sum::<Option<u64>>()?;
        Some(self.tokens() - known as f64 / self.turns.len().max(1) as f64)
    }

    fn row(&self) -> Value {
        json!({
            "plan": self.way.name(),
            "first_token_ms": self.first_token_ms(),
            "of_it_answer_ms": self.median_ms(|turn| turn.answer.first_token),
            "prompt_ms": self.median_ms(|turn| turn.sum(|call| call.prompt_took)),
            "prompt_tokens": self.tokens(),
            "read_tokens": self.read(),
        })
    }
}

pub(crate) fn run(args: &TrunkArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let said: TrunkSaid = toml::from_str(SAID)?;
    let (cases, serving) = context.block_on(async {
        let brain = Brain::start(context.config(), &context.paths).await?;
        hear::ready(&brain).await;
        let serving = brain.serving();
        let steps = args.rounds as usize * PlanWay::ALL.len() * said.exchange.len();
        let bar = indicatif::ProgressBar::new(steps as u64);
        let mut cases = PlanWay::ALL.map(|way| FollowUpCase { way, turns: Vec::new() });
        for _ in 0..args.rounds {
            for case in &mut cases {
                case.turns.extend(held(&brain, &said.exchange, case.way, &bar).await?);
            }
        }
        bar.finish_and_clear();
        brain.shutdown().await;
        Ok((cases, serving))
    })?;
    report(args, &cases, &serving)?;
    Ok(ExitCode::SUCCESS)
}

/// Holds the conversation; what each turn but the first took.
async fn held(
    brain: &Brain,
    said: &[StoryExchange],
    way: PlanWay,
    bar: &indicatif::ProgressBar,
) -> anyhow::Result<Vec<FollowUpTurn>> {
    let mut rows: Vec<DialogueRow> = Vec::new();
    let mut turns = Vec::new();
    for exchange in said {
        let prompts = reply::measured_prompts(&brain.engine, &rows, &exchange.say);
        let plan = match way {
            PlanWay::Without => None,
            PlanWay::Shared => Some(prompts.shared),
            PlanWay::Apart => Some(prompts.apart),
        };
        let read = async |ask: Ask| model::ask(&brain.mind, Ask { length: Length::OneToken, ..ask }).await;
        let plan = match plan {
            Some(plan) => Some(read(plan).await?),
            None => None,
        };
        let turn = FollowUpTurn { plan, answer: read(prompts.answer).await? };
        // Whatever was asked before is still known in part when a conversation begins.
        if !rows.is_empty() {
            turns.push(turn);
        }
        let at = brain.clock.now().timestamp();
        rows.push(row(rows.len(), DialogueRole::User, &exchange.say, at));
        rows.push(row(rows.len(), DialogueRole::Assistant, &exchange.answer, at));
        bar.inc(1);
    }
    Ok(turns)
}

fn row(before: usize, role: DialogueRole, text: &str, at: Timestamp) -> DialogueRow {
    let id = i64::try_from(before).unwrap_or(i64::MAX);
    let (conversation, origin) = (ConversationId::console(), Origin::Ours);
    let wording = WordedBy::Model;
    DialogueRow { id, conversation, role, at, text: Private(text.to_owned()), origin, wording }
}

fn report(args: &TrunkArgs, cases: &[FollowUpCase; 3], serving: &str) -> anyhow::Result<()> {
    let [_, shared, apart] = cases;
    let ratio = apart.first_token_ms() / shared.first_token_ms();
    if args.json {
        let rows: Vec<Value> = cases.iter().map(FollowUpCase::row).collect();
        let report = json!({
            "model": serving,
            "follow_up_turns": shared.turns.len(),
            "ways": rows,
            "first_token_ratio": ratio,
            "read_ratio": apart.read().zip(shared.read()).map(|(apart, shared)| apart / shared),
        });
        return Ok(show::line(serde_json::to_string_pretty(&report)?)?);
    }
    let mut table = show::table([
        "FOLLOW-UP TURN",
        "FIRST TOKEN",
        "OF IT THE ANSWER",
        "PROMPT TIME",
        "PROMPT TOKENS",
        "OF THEM READ",
    ]);
    for case in cases {
        let ms = |ms: f64| format!("{ms:.0} ms");
        table.add_row([
            case.way.name().to_owned(),
            ms(case.first_token_ms()),
            ms(case.median_ms(|turn| turn.answer.first_token)),
            ms(case.median_ms(|turn| turn.sum(|call| call.prompt_took))),
            format!("{:.0}", case.tokens()),
            case.read().map_or_else(|| "not told".to_owned(), |read| format!("{read:.0}")),
        ]);
    }
    show::line(table)?;
    let told = format!("with a prompt of its own the first token takes {ratio:.1} times as long");
    Ok(show::line(format!("\n{told}\nmedian of {} turns; {serving}", shared.turns.len()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(ms: u64, known_tokens: Option<u64>) -> MeasuredCall {
        let time = Duration::from_millis(ms);
        MeasuredCall { first_token: time, prompt_tokens: 500, known_tokens, prompt_took: time }
    }

    #[test]
    fn a_turn_is_as_slow_as_its_calls_together_and_what_is_not_reported_is_not_made_up() {
        let said: TrunkSaid = toml::from_str(SAID).unwrap();
        assert!(said.exchange.len() > 5);
        let turn = |plan, answer| FollowUpTurn {
            plan: Some(call(plan, Some(400))),
            answer: call(answer, Some(450)),
        };
        let case =
            FollowUpCase { way: PlanWay::Shared, turns: vec![turn(100, 50), turn(120, 60), turn(900, 70)] };
        assert_eq!((case.first_token_ms(), case.tokens(), case.read()), (180.0, 1_000.0, Some(150.0)));
        let alone = FollowUpTurn { plan: None, answer: call(50, None) };
        let case = FollowUpCase { way: PlanWay::Without, turns: vec![alone] };
        assert_eq!((case.first_token_ms(), case.tokens(), case.read()), (50.0, 500.0, None));
    }
}
