//! `joi listen`: transcribe a WAV file, or what is said into the microphone now.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use crate::audio::{Microphone, MuteSwitch, RATE, read_wav};
use crate::control::Client;
use crate::hear::whisper::{SttJob, Urgency, Whisper};
use crate::hear::{HearCommand, HearEvent, Pacing};
use crate::message::{Transcript, Utterance};
use crate::pulse::Pulse;
use tokio_util::sync::CancellationToken;

/// Whisper's window; longer files are transcribed piece by piece.
const PIECE: usize = 28 * RATE as usize;

const EXAMPLES: &str = "\
Examples:
  joi listen                          speak after the call; ends when you pause
  joi listen --now                    push to talk: she who runs already falls silent and listens
  pkill -USR2 -x joi                  the same, without the program joi at hand
  joi listen --wav interview.wav
  joi listen --wav interview.wav --json | jq .text";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ListenArgs {
    /// Have the running joi fall silent and listen to you, as after the wake phrase
    #[arg(long, conflicts_with_all = ["wav", "json"])]
    now: bool,
    /// Transcribe this file: any rate and number of channels
    #[arg(long, value_name = "FILE")]
    wav: Option<PathBuf>,
    /// As JSON, one object per utterance
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: ListenArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    if args.now {
        let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(super::not_running)?;
        client.listen()?;
        show::remark(format!("{} she listens", show::coloured(Tone::Good, "●")));
        return Ok(ExitCode::SUCCESS);
    }
    match &args.wav {
        Some(file) => {
            let samples = read_wav(file, RATE)?;
            let (_, model) = app::chosen_whisper(context.config(), &context.paths)?;
            let mut whisper = Whisper::load(&model, &context.config().hear.stt)?;
            for piece in samples.chunks(PIECE) {
                print(&whisper.transcribe(piece, &AtomicBool::new(false))?, args.json)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        None => context.block_on(microphone(context, args.json)),
    }
}

async fn microphone(context: &CliContext, as_json: bool) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !super::mute::is_muted(context),
        "the microphone is switched off; `joi unmute` switches it on"
    );
    let source = Box::new(Microphone::open(&context.config().audio, &MuteSwitch::default()));
    let mut ears = app::ears(context.config(), &context.paths, source, Pacing::Live, &Pulse::default())?;
    let stop = CancellationToken::new();
    app::end_on_signal(stop.clone());
    ears.commands.try_send(HearCommand::Listen)?;
    let utterance = tokio::select! {
        utterance = next_utterance(&mut ears) => utterance,
        () = stop.cancelled() => None,
    };
    let Some(utterance) = utterance else {
        show::remark("nothing was said");
        return Ok(ExitCode::FAILURE);
    };
    ears.stt.submit(SttJob { utterance, urgency: Urgency::Final });
    let Some(event) = ears.transcripts.recv().await else {
        anyhow::bail!("the transcription ended early; see `joi doctor`");
    };
    print(&event.result?, as_json)?;
    Ok(ExitCode::SUCCESS)
}

/// What is said next, or nothing when nobody speaks.
async fn next_utterance(ears: &mut app::Ears) -> Option<Utterance> {
    while let Some(delivery) = ears.deliveries.recv().await {
        match delivery.event {
            HearEvent::Hearing { device } => {
                show::remark(format!("{} speak now ({device})", show::coloured(Tone::Good, "●")));
            }
            HearEvent::MicrophoneLost { fault } => show::remark(show::coloured(Tone::Bad, fault)),
            HearEvent::Ended { utterance, .. } => return Some(utterance),
            HearEvent::NothingSaid | HearEvent::SourceEnded => return None,
            HearEvent::Wake { .. }
            | HearEvent::Started { .. }
            | HearEvent::Paused { .. }
            | HearEvent::Continued { .. }
            | HearEvent::Interrupting { .. }
            | HearEvent::Interjected { .. }
            | HearEvent::Resumed { .. }
            | HearEvent::Muted
            | HearEvent::Unmuted => {}
        }
    }
    None
}

fn print(transcript: &Transcript, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        show::line(json!({
            "text": transcript.text,
            "mean_logprob": transcript.mean_logprob,
            "no_speech": transcript.no_speech,
            "audio_ctx": transcript.audio_ctx,
            "ms": transcript.took.as_secs_f64() * 1e3,
        }))?;
    } else {
        show::line(&transcript.text)?;
    }
    Ok(())
}
