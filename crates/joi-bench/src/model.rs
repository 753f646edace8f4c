//! `joi-bench model`: how soon the language model's first word comes: with a prompt it has never seen,
//! with another question on a head it knows, and with a conversation that goes on.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;

use joi::app::Brain;
use joi::cli::context::CliContext;
use joi::cli::{hear, show};
use joi_agent::model::ChatModel;
use joi_llm::{Ask, ChatEvent, ChatStats, Length, Message, Mind};

const EXAMPLES: &str = "\
Examples:
  joi-bench model                                     the model in use
  joi-bench model --set llm.backend=local             the embedded one
  joi-bench model --rounds 5 --json --set llm.url=http://nas:11434";

/// A head as long as a persona: about 300 tokens.
const HEAD: &str =
    concat!(include_str!("../../../assets/prompts/joi.md"), include_str!("../../../assets/prompts/voice.md"));
const QUESTIONS: [&str; 3] =
    ["Why is the sky blue?", "How many legs does a spider have?", "What is the capital of Austria?"];

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ModelArgs {
    /// How often each case is measured; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What one call took.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeasuredCall {
    /// From the question to the first token.
    pub(super) first_token: Duration,
    /// Tokens of the prompt, known or not.
    pub(super) prompt_tokens: u64,
    /// Those that were known; nothing where the server does not report it.
    pub(super) known_tokens: Option<u64>,
    /// What the server says it spent on the prompt.
    pub(super) prompt_took: Duration,
}

/// One way to ask, with its calls.
struct ModelCase {
    name: &'static str,
    calls: Vec<MeasuredCall>,
}

impl ModelCase {
    fn new(name: &'static str) -> Self {
        Self { name, calls: Vec::new() }
    }

    fn median_ms(&self) -> f64 {
        median(self.calls.iter().map(|call| call.first_token.as_secs_f64() * 1e3))
    }
}

/// The middle one; 0 of none.
pub(super) fn median(of: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = of.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

pub(crate) fn run(args: &ModelArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (cases, serving) = context.block_on(async {
        let brain = Brain::start(context.config(), &context.paths).await?;
        hear::ready(&brain).await;
        let serving = brain.serving();
        let bar = indicatif::ProgressBar::new(u64::from(args.rounds));
        let cases = measure(&brain.mind, args.rounds, &bar).await?;
        bar.finish_and_clear();
        brain.shutdown().await;
        Ok((cases, serving))
    })?;
    let cold = cases.first().map_or(0.0, ModelCase::median_ms);
    if args.json {
        let rows: Vec<_> = cases
            .iter()
            .map(|case| {
                json!({
                    "case": case.name,
                    "prompt_tokens": case.calls.last().map(|call| call.prompt_tokens),
                    "first_token_ms": case.median_ms(),
                    "of_cold": case.median_ms() / cold,
                })
            })
            .collect();
        show::line(serde_json::to_string_pretty(&json!({ "model": serving, "cases": rows }))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["PROMPT", "TOKENS", "FIRST TOKEN", "OF COLD"]);
    for case in &cases {
        let tokens = case.calls.last().map_or(0, |call| call.prompt_tokens);
        let ms = case.median_ms();
        table.add_row([
            case.name.to_owned(),
            tokens.to_string(),
            format!("{ms:.0} ms"),
            format!("{:.0} %", 100.0 * ms / cold),
        ]);
    }
    show::line(table)?;
    show::line(format!("\nmedian of {} rounds; {serving}", args.rounds))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(mind: &Mind, rounds: u32, bar: &indicatif::ProgressBar) -> anyhow::Result<[ModelCase; 3]> {
    let mut cold = ModelCase::new("never seen");
    let mut warm = ModelCase::new("another question on a known head");
    let mut follow = ModelCase::new("the conversation goes on");
    for _ in 0..rounds {
        // A head nobody has seen: no prefix of it can be known.
        let head = format!("Your house has the number {}.\n{HEAD}", fastrand::u64(..));
        let mut messages = vec![Message::system(&head), Message::user(QUESTIONS[0])];
        cold.calls.push(ask(mind, one_token(messages.clone())).await?);
        let other = vec![Message::system(&head), Message::user(QUESTIONS[1])];
        warm.calls.push(ask(mind, one_token(other)).await?);
        messages.pop();
        messages.extend([
            Message::user(QUESTIONS[1]),
            Message::assistant("A spider has eight legs."),
            Message::user(QUESTIONS[2]),
        ]);
        follow.calls.push(ask(mind, one_token(messages)).await?);
        bar.inc(1);
    }
    Ok([cold, warm, follow])
}

fn one_token(messages: Vec<Message>) -> Ask {
    Ask { messages, length: Length::OneToken, ..Ask::default() }
}

/// Asks, and waits for the end.
pub(super) async fn ask(mind: &Mind, ask: Ask) -> anyhow::Result<MeasuredCall> {
    let asked = Instant::now();
    let mut words = mind.ask(ask).await?;
    let mut first = None;
    let mut stats = ChatStats::default();
    while let Some(event) = words.next().await {
        match event? {
            ChatEvent::Done(told) => stats = told,
            ChatEvent::Text(_) | ChatEvent::Thinking(_) | ChatEvent::ToolCall(_) => {
                first.get_or_insert_with(|| asked.elapsed());
            }
        }
    }
    Ok(MeasuredCall {
        first_token: first.unwrap_or_else(|| asked.elapsed()),
        prompt_tokens: stats.prompt_eval_count,
        known_tokens: stats.prompt_cached_count,
        prompt_took: stats.prompt_eval_duration,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_not_moved_by_one_slow_call() {
        let call = |ms| MeasuredCall {
            first_token: Duration::from_millis(ms),
            prompt_tokens: 1,
            known_tokens: None,
            prompt_took: Duration::ZERO,
        };
        let case = ModelCase { calls: vec![call(9_000), call(100), call(300)], ..ModelCase::new("x") };
        assert_eq!(case.median_ms(), 300.0);
    }
}
