//! `joi bench`: how fast whole spoken turns are on this machine, over WAV files, and what the machine can do.
//!
//! Measurements for work on the program itself are in the program `joi-bench`.

mod figures;
mod machine;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::context::CliContext;
use super::{hear, latency, show};
use crate::app::{self, Brain};
use joi_audio::Pace;

pub(super) const EXAMPLES: &str = "\
Examples:
  joi bench turns questions/*.wav
  joi bench turns --repeat 5 --json question.wav
  joi bench turns --realtime question.wav         paced like a microphone: true latencies, takes as long as the files
  joi bench machine                               everything that matters on a small machine, as one table to paste";

#[derive(Debug, clap::Subcommand)]
pub(crate) enum BenchCommand {
    /// Latency of whole turns over given WAV files
    Turns(BenchTurnsArgs),
    /// What this machine can do: hearing, voice, language model, turns, memory; some five minutes
    Machine(machine::BenchMachineArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchTurnsArgs {
    /// Recordings that begin with the wake phrase
    #[arg(required = true)]
    wavs: Vec<PathBuf>,
    /// How often each file is played
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Pace the files like a microphone
    #[arg(long)]
    realtime: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: BenchCommand, context: &CliContext) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Turns(args) => turns(&args, context),
        BenchCommand::Machine(args) => machine::run(&args, context),
    }
}

fn turns(args: &BenchTurnsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let pace = if args.realtime { Pace::RealTime } else { Pace::Fast };
    let (turns, serving) = context.block_on(async {
        let brain = Brain::start(context.config(), &context.paths).await?;
        hear::ready(&brain).await;
        let serving = brain.serving();
        let bar = indicatif::ProgressBar::new(args.wavs.len() as u64 * u64::from(args.repeat));
        let scratch = std::env::temp_dir().join(format!("joi-bench-{}.wav", std::process::id()));
        let (mut turns, stop) = (Vec::new(), CancellationToken::new());
        app::end_on_signal(stop.clone());
        for wav in (0..args.repeat).flat_map(|_| &args.wavs) {
            if stop.is_cancelled() {
                break;
            }
            turns.extend(hear::talk(context, &brain, (wav, &scratch, pace), true).await?.turns);
            bar.inc(1);
        }
        bar.finish_and_clear();
        std::fs::remove_file(&scratch)?;
        brain.shutdown().await;
        Ok((turns, serving))
    })?;
    anyhow::ensure!(!turns.is_empty(), "the wake phrase was not heard in any of the files");
    if args.json {
        let report = json!({ "model": serving, "turns": turns, "ms": latency::distribution_json(&turns) });
        show::line(serde_json::to_string_pretty(&report)?)?;
    } else {
        show::line(latency::distribution(&turns))?;
        show::line(format!("\n{} turns; {serving}", turns.len()))?;
    }
    Ok(ExitCode::SUCCESS)
}
