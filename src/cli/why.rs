//! `joi why`: the last turn, with what was heard, every decision and its reason, and where time went.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use joi_base::message::Channel;
use joi_base::trace::{ModelUse, TurnRecord};
use joi_page::chart::waterfall;
use joi_store::Store;

const EXAMPLES: &str = "\
Examples:
  joi why               the last turn
  joi why --last 5      the last five, newest last
  joi why --impulse     why joi spoke unasked, or did not: the last decisions with every factor
  joi why --json | jq .marks
  joi why --svg > turn.svg          where its time went, as a picture";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WhyArgs {
    /// How many turns
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    last: u32,
    /// Decisions to speak up unasked, in place of turns; the last 20 unless --last says otherwise
    #[arg(long)]
    impulse: bool,
    /// As JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Where the time of the newest of them went, as a picture (SVG) without a word that was said
    #[arg(long, conflicts_with = "json")]
    svg: bool,
}

pub(crate) fn run(args: WhyArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    if args.impulse {
        let last = if args.last == 1 { 20 } else { args.last };
        return super::impulse::why(last, args.json, context);
    }
    let file = context.paths.database();
    anyhow::ensure!(file.exists(), "there was no turn yet; start with `joi run` or `joi ask`");
    let mut turns = context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let turns = store.turns(args.last).await?;
        store.close().await?;
        Ok(turns)
    })?;
    anyhow::ensure!(!turns.is_empty(), "there was no turn yet; start with `joi run` or `joi ask`");
    turns.sort_by_key(|turn| turn.id);
    if args.svg {
        let newest = turns.iter().rev().find_map(waterfall::file);
        show::line(
            newest
                .context("none of these turns has times; `joi why --last 20 --svg` looks further back")?
                .trim_end(),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    for turn in &turns {
        if args.json {
            show::line(json!(turn))?;
        } else {
            show_turn(turn)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One turn, for people.
pub(crate) fn show_turn(turn: &TurnRecord) -> std::io::Result<()> {
    let quiet = |text: &str| show::coloured(Tone::Quiet, text);
    show::line(format!("turn {} by {}, {}", turn.id, turn.channel.name(), turn.at))?;
    if turn.was_dismissed() {
        show::line(quiet("  something that was not answered; its words are not kept"))?;
    } else {
        show::line(format!("  {} {}", quiet("heard:"), turn.heard))?;
        show::line(format!("  {} {}", quiet("reply:"), turn.reply.replace('\n', "\n         ")))?;
    }
    let mut decisions = show::table(["  WHO", "DECIDED", "BECAUSE"]);
    for decision in &turn.decisions {
        decisions.add_row([&format!("  {}", decision.stage), &decision.verdict, &decision.reason]);
    }
    if !turn.decisions.is_empty() {
        show::line(format!("\n{decisions}"))?;
    }
    let mut calls = show::table(["  TOOL", "ARGUMENTS", "CAME TO", "TOOK"]);
    for call in &turn.tool_use {
        let outcome = if call.reason.is_empty() {
            call.outcome.clone()
        } else {
            format!("{}: {}", call.outcome, call.reason)
        };
        let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
        calls.add_row([format!("  {}", call.name), arguments, outcome, format!("{:.0} ms", call.ms)]);
    }
    if !turn.tool_use.is_empty() {
        show::line(format!("\n{calls}"))?;
    }
    let origin = match turn.channel {
        Channel::Voice => "AFTER SPEECH ENDED",
        Channel::Console | Channel::Signal | Channel::Page | Channel::Agent | Channel::Program => {
            "AFTER IT WAS ENTERED"
        }
    };
    let mut moments = show::table(["  STAGE", origin, "STEP"]);
    let mut before = None;
    for mark in &turn.marks {
        let step = before.map_or(String::new(), |earlier: f64| format!("+{:.0} ms", mark.ms - earlier));
        moments.add_row([format!("  {}", mark.stage.name()), format!("{:.0} ms", mark.ms), step]);
        before = Some(mark.ms);
    }
    if !turn.marks.is_empty() {
        show::line(format!("\n{moments}"))?;
    }
    if turn.model_use.is_empty() { Ok(()) } else { show::line(format!("\n{}", costs(&turn.model_use))) }
}

/// Returns what the model was asked for in a turn, and what it cost.
fn costs(uses: &[ModelUse]) -> String {
    let mut table = show::table([
        "  MODEL CALL",
        "MODEL",
        "PROMPT TOKENS READ",
        "KNOWN ALREADY",
        "TOOK",
        "REPLY TOKENS",
        "TOOK",
    ]);
    let whole = ModelUse {
        purpose: format!("{} in all", uses.len()),
        prompt_tokens: uses.iter().map(|used| used.prompt_tokens).sum(),
        cached_tokens: uses.iter().map(|used| used.cached_tokens).sum(),
        prompt_ms: uses.iter().map(|used| used.prompt_ms).sum(),
        reply_tokens: uses.iter().map(|used| used.reply_tokens).sum(),
        reply_ms: uses.iter().map(|used| used.reply_ms).sum(),
        ..ModelUse::default()
    };
    let all = Some(&whole).filter(|_| uses.len() > 1);
    for used in uses.iter().chain(all) {
        let model =
            if used.model.is_empty() { String::new() } else { format!("{} ({})", used.model, used.backend) };
        let (read, known) = match used.cached_tokens {
            Some(known) => (used.evaluated().to_string(), known.to_string()),
            None => (format!("at most {}", used.evaluated()), "not told".to_owned()),
        };
        table.add_row([
            format!("  {}", used.purpose),
            model,
            read,
            known,
            format!("{:.0} ms", used.prompt_ms),
            used.reply_tokens.to_string(),
            format!("{:.0} ms", used.reply_ms),
        ]);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Calls, tokens that were read and that were known, by purpose and together
    #[test]
    fn what_each_call_cost_is_shown_and_added_up() {
        let used = |purpose: &str, prompt_tokens, cached_tokens| ModelUse {
            purpose: purpose.into(),
            model: "qwen".into(),
            backend: "local".into(),
            prompt_tokens,
            cached_tokens: Some(cached_tokens),
            prompt_ms: 200.0,
            reply_tokens: 9,
            reply_ms: 450.0,
        };
        insta::assert_snapshot!(costs(&[used("planner", 900, 700), used("answer", 950, 800)]));
        assert_eq!(costs(&[used("answer", 1, 0)]).lines().count(), 2, "one needs no sum");
        // Ollama counts the whole prompt, known or not.
        let untold = ModelUse { cached_tokens: None, ..used("answer", 950, 0) };
        let told = costs(&[used("planner", 900, 700), untold]);
        let rows: Vec<&str> = told.lines().skip(2).collect();
        assert!(rows.iter().all(|row| row.contains("not told")), "{told}");
        assert!(rows[0].contains("at most 950") && rows[1].contains("at most 1850"), "{told}");
    }
}
