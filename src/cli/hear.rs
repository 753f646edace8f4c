//! `joi hear`: a whole spoken conversation over files, through every stage a real one passes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::context::CliContext;
use super::latency;
use super::show::{self, Tone};
use crate::app::{self, Brain, Conversing, Sound};
use joi_audio::Pace;
use joi_base::machine;
use joi_base::trace::TurnRecord;
use joi_channels::voice::News;

const EXAMPLES: &str = "\
Examples:
  joi hear --wav question.wav --out answer.wav
  joi hear --wav talk.wav --out answers.wav --realtime     paced like a microphone, with true latencies
  joi hear --wav talk.wav --out answers.wav --json | jq .reply";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HearArgs {
    /// What the microphone hears: any rate and number of channels
    #[arg(long, value_name = "FILE")]
    wav: PathBuf,
    /// Where the answers go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Pace the files like a microphone and a speaker; by default the microphone waits for the answers
    #[arg(long)]
    realtime: bool,
    /// One JSON object per turn instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: HearArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let pace = if args.realtime { Pace::RealTime } else { Pace::Fast };
    let turns = context.block_on(async {
        let brain = Brain::start_with_tools(context.config(), &context.paths).await?;
        for remark in &brain.remarks {
            show::remark(remark);
        }
        ready(&brain).await;
        let turns = talk(context, &brain, (&args.wav, &args.out, pace), args.json).await?.turns;
        brain.shutdown().await;
        Ok(turns)
    })?;
    if args.json {
        for turn in &turns {
            show::line(json!(turn))?;
        }
    } else if !turns.is_empty() {
        show::line(format!("\n{}", latency::table(&turns)))?;
    }
    if turns.is_empty() {
        show::remark(format!(
            "{} the wake phrase was not heard in {}",
            show::coloured(Tone::Fair, "!"),
            args.wav.display()
        ));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for servers of tools and for the model, so that the first turn is not measured against a cold start.
pub async fn ready(brain: &Brain) {
    brain.tools_settled().await;
    if let Err(error) = brain.mind.ready().await {
        show::remark(format!("{} {error}", show::coloured(Tone::Fair, "no language model:")));
    }
}

/// So long behind loading nothing of it is at work any more.
const AT_REST: Duration = Duration::from_secs(10);

/// A conversation over files.
pub(crate) struct PlayedTalk {
    pub(crate) turns: Vec<TurnRecord>,
    /// Time to load the ears and the voice.
    pub(crate) loaded_in: Duration,
    /// Processor time of this process from then on, on all cores together.
    pub(crate) cpu: Duration,
    /// Bytes of memory that it held when a turn was over, at the most.
    pub(crate) resident: Option<u64>,
    /// Bytes of memory that it held ten seconds behind loading; nothing where it was over before.
    pub(crate) resident_at_rest: Option<u64>,
}

/// Plays a file to joi and writes the answers.
pub(crate) async fn talk(
    context: &CliContext,
    brain: &Brain,
    (input, output, pace): (&Path, &Path, Pace),
    is_quiet: bool,
) -> anyhow::Result<PlayedTalk> {
    let sound = Sound::Files { input: input.to_owned(), output: output.to_owned(), pace };
    let begun = Instant::now();
    let conversing = app::converse(context.config(), &context.paths, brain, sound).await?;
    let (loaded_in, before) = (begun.elapsed(), machine::own_cpu_time());
    let Conversing { conversation, mut news, stop, player, .. } = conversing;
    app::end_on_signal(stop.clone());
    let listening = async {
        let (mut turns, mut resident) = (Vec::new(), None);
        while let Some(news) = news.recv().await {
            match news {
                News::Turn(turn) => {
                    if !is_quiet {
                        show::line(format!("{} {}", show::coloured(Tone::Quiet, "you:"), turn.heard))?;
                        show::line(format!("{} {}", show::coloured(Tone::Good, "joi:"), turn.reply))?;
                    }
                    turns.push(*turn);
                    resident = resident.max(machine::resident(std::process::id()));
                }
                News::Remark(remark) | News::Deaf(remark) | News::Speechless(remark) => show::remark(remark),
                News::Rests(why) => tracing::info!(why, "resting"),
                News::Dismissed(record) => tracing::info!(decisions = ?record.decisions, "not answered"),
                News::Woke(_)
                | News::Asked
                | News::Begins
                | News::Rings(_)
                | News::Told(_)
                | News::Understood(_)
                | News::Words(_)
                | News::Hears(_)
                | News::Speaks(_)
                | News::Activity(_) => {}
            }
        }
        anyhow::Ok((turns, resident))
    };
    let (resident_at_rest, heard) = tokio::join!(at_rest_during(conversation.run(stop)), listening);
    let file = output.to_owned();
    tokio::task::spawn_blocking(move || player.finish())
        .await?
        .with_context(|| format!("can't finish {}", file.display()))?;
    let (cpu, (turns, resident)) = (machine::own_cpu_time().saturating_sub(before), heard?);
    Ok(PlayedTalk { turns, loaded_in, cpu, resident, resident_at_rest })
}

/// Returns what this process holds once [`AT_REST`] has passed; ends with `talk`.
async fn at_rest_during(talk: impl Future<Output = ()>) -> Option<u64> {
    let mut talk = std::pin::pin!(talk);
    // The sleep is cancel-safe, `talk` is pinned.
    tokio::select! {
        () = &mut talk => return None,
        () = tokio::time::sleep(AT_REST) => {}
    }
    let resident = machine::resident(std::process::id());
    talk.await;
    resident
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn memory_at_rest_is_that_of_ten_seconds_later_and_nothing_of_a_shorter_talk() {
        let talk = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        assert_eq!(at_rest_during(talk(9)).await, None);
        let begun = tokio::time::Instant::now();
        assert!(at_rest_during(talk(60)).await.is_some_and(|bytes| bytes > 100_000));
        assert_eq!(begun.elapsed().as_secs(), 60, "the talk goes on to its end");
    }
}
