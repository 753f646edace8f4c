//! `joi ask`: one question, the answer on stdout, and aloud with `--speak`.

use std::process::ExitCode;

use anyhow::Context;
use serde_json::json;

use super::context::CliContext;
use super::show;
use super::slash::{self, Slash};
use super::typed::Typist;
use crate::app::{self, Brain};
use joi_agent::Ended;
use joi_audio::Player;
use joi_base::message::TurnId;
use joi_base::pulse::Pulse;
use joi_channels::console::Printer;
use joi_speak::{LineRole, Segmenter, SpeakEvent, SpokenLine};
use joi_understand::tongue;

const EXAMPLES: &str = "\
Examples:
  joi ask \"why is the sky blue?\"
  joi ask --speak \"what time is it?\"
  joi ask /timers                                 also /why, /tools, /model, /help
  joi ask --json \"what day is it?\" | jq .reply
  joi ask --json \"what is 17 times 23?\" | jq .tool_use";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AskArgs {
    /// The question
    #[arg(required = true)]
    question: Vec<String>,
    /// Also speak the answer
    #[arg(long)]
    speak: bool,
    /// Print the whole turn as JSON: reply, decisions, tool calls, model calls, milliseconds per stage
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: AskArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    context.block_on(async {
        let brain = Brain::start_with_tools(context.config(), &context.paths).await?;
        for remark in &brain.remarks {
            show::remark(remark);
        }
        brain.tools_settled().await;
        let mut typist = Typist::new(&brain).await;
        let question = args.question.join(" ");
        match slash::run(&question, (&brain, typist.session()), None).await? {
            Slash::NotOne => {}
            done => {
                brain.shutdown().await;
                return Ok(if done == Slash::Done { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
        }
        let answered = if args.json {
            let mut silent = Printer::new(std::io::sink(), anstream::stderr());
            let answered = typist.ask_through(&question, &mut silent).await;
            show::line(serde_json::to_string_pretty(&json!(answered.record))?)?;
            answered
        } else {
            typist.ask(&question).await
        };
        if args.speak && !answered.record.reply.is_empty() {
            speak(context, &answered.record.reply).await?;
        }
        brain.shutdown().await;
        Ok(match answered.ended {
            Ended::Answered | Ended::Quick => ExitCode::SUCCESS,
            Ended::Apologised | Ended::Cancelled => ExitCode::FAILURE,
        })
    })
}

/// Speaks `text` through the configured speaker, to its end.
pub(crate) async fn speak(context: &CliContext, text: &str) -> anyhow::Result<()> {
    let (player, events) = Player::open(&context.config().audio);
    say_through(context, text, player, events).await
}

/// Speaks `text` through `player`, to its end.
pub(crate) async fn say_through(
    context: &CliContext,
    text: &str,
    player: Player,
    events: tokio::sync::mpsc::Receiver<joi_audio::PlayEvent>,
) -> anyhow::Result<()> {
    let languages = context.languages()?;
    let of_text =
        tongue::among(text, |code| languages.of(code).is_some()).and_then(|code| languages.of(code));
    let language = of_text.unwrap_or_else(|| languages.get());
    let sound = (player, events);
    let (mouth, mut reports, remarks) =
        app::mouth(context.config(), &context.paths, sound, &languages, &Pulse::default()).await?;
    remarks.iter().for_each(show::remark);
    let turn = TurnId(0);
    let mut segmenter = Segmenter::new(&language);
    let mut lines = segmenter.push(text);
    lines.extend(segmenter.finish());
    let speaking = mouth.clone();
    let feeding = tokio::spawn(async move {
        for (index, text) in (0u32..).zip(lines) {
            let (part, language) = (LineRole::Answer, language.to_code());
            speaking.say(SpokenLine { turn, index, text, part, language }).await?;
        }
        speaking.finish(turn).await
    });
    let mut failed = None;
    while let Some(event) = reports.recv().await {
        match event {
            SpeakEvent::Done { .. } => break,
            SpeakEvent::Failed { error, .. } | SpeakEvent::Voiceless(error) => failed = Some(error),
            SpeakEvent::Mute(fault) => {
                failed = Some(fault.to_string());
                break;
            }
            SpeakEvent::Started { .. }
            | SpeakEvent::Saying { .. }
            | SpeakEvent::Heard { .. }
            | SpeakEvent::Audible { .. } => {}
        }
    }
    if let Some(error) = failed {
        mouth.close().await;
        anyhow::bail!(error);
    }
    feeding.await.context("speaking was given up")??;
    mouth.close().await;
    Ok(())
}
