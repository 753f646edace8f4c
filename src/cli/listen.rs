//! `joi listen`: transcribe a WAV file, or what is said into the microphone now. What the sound does not support is
//! marked with the reason.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app::{self, ListeningFrom};
use crate::control::Client;
use joi_audio::{AudioSource, Microphone, MuteSwitch, RATE, read_wav};
use joi_base::message::{Transcript, Utterance};
use joi_base::pulse::Pulse;
use joi_hear::transcript_filter::{self, Evidence, FilterInput, TranscriptFilterConfig};
use joi_hear::vad::Vad;
use joi_hear::whisper::{DecodeUrgency, SttJob, Whisper};
use joi_hear::{HearCommand, HearEvent, Pacing};
use joi_hear::{pieces, recorded};
use tokio_util::sync::CancellationToken;

const EXAMPLES: &str = "\
Examples:
  joi listen                          speak after the call; ends when you pause
  joi listen --now                    push to talk: the running joi falls silent and listens
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
        let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(super::exit::not_running)?;
        client.listen()?;
        show::remark(format!("{} she listens", show::coloured(Tone::Good, "●")));
        return Ok(ExitCode::SUCCESS);
    }
    match &args.wav {
        Some(file) => {
            let samples = read_wav(file, RATE)?;
            let (_, model) = app::chosen_whisper(context.config(), &context.paths)?;
            let mut whisper = Whisper::load(&model, &context.config().hear.stt)?;
            let voices = app::library(context.config(), &context.paths)?.path("silero-vad")?;
            let mut vad = Vad::load(&voices, &context.config().hear.vad)?;
            for piece in pieces(&samples) {
                let transcript = whisper.transcribe(piece, &AtomicBool::new(false))?;
                print(&transcript, &recorded(piece, &mut vad), args.json, context)?;
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
    let source: Box<dyn AudioSource> =
        Box::new(Microphone::open(&context.config().audio, &MuteSwitch::default()));
    let (source, from) = ((source, Pacing::Live), ListeningFrom::TheStart);
    let mut ears = app::ears(context.config(), &context.paths, source, from, &Pulse::default())?;
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
    ears.stt.submit(SttJob { utterance: utterance.clone(), urgency: DecodeUrgency::Final });
    let Some(event) = ears.transcripts.recv().await else {
        ears.loading.done().await?;
        anyhow::bail!("the transcription ended early; see `joi doctor`");
    };
    print(&event.result?, &utterance, as_json, context)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what is said next, or nothing when nobody speaks.
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

/// Returns why the words are not believed, in one sentence; the filter is the one of a conversation.
fn doubt(transcript: &Transcript, utterance: &Utterance, rules: &TranscriptFilterConfig) -> Option<String> {
    let evidence = Evidence::of(utterance, transcript);
    let claim = FilterInput {
        text: &transcript.text,
        evidence: &evidence,
        opened_by: &utterance.opened_by,
        prompt: None,
    };
    transcript_filter::check(&claim, rules).err().map(|why| why.to_string())
}

fn print(
    transcript: &Transcript,
    utterance: &Utterance,
    as_json: bool,
    context: &CliContext,
) -> anyhow::Result<()> {
    let doubt = doubt(transcript, utterance, &context.config().hear.trust);
    if as_json {
        show::line(json!({
            "text": transcript.text,
            "believed": doubt.is_none(),
            "doubt": doubt,
            "mean_logprob": transcript.mean_logprob,
            "no_speech": transcript.no_speech,
            "audio_ctx": transcript.audio_ctx,
            "ms": transcript.took.as_secs_f64() * 1e3,
        }))?;
        return Ok(());
    }
    match doubt.filter(|_| !transcript.text.is_empty()) {
        None => show::line(&transcript.text)?,
        Some(why) => show::line(format!("(not believed: {why}) {}", transcript.text))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use std::time::Instant;

    use super::*;
    use joi_base::message::OpenedBy;

    #[test]
    fn words_without_a_voice_are_not_believed_and_clear_ones_are() {
        let transcript = Transcript {
            generation: 0,
            revision: 0,
            text: "Thank you for watching the news tonight.".into(),
            language: None,
            mean_logprob: -0.2,
            no_speech: 0.05,
            audio_ctx: 384,
            ran_away: false,
            took: Duration::ZERO,
        };
        let mut samples = vec![0.001; 3 * RATE as usize];
        samples[8_000..40_000].fill(0.1);
        let utterance = |voiced, voice| Utterance {
            generation: 0,
            revision: 0,
            opened_by: OpenedBy::Request,
            lead: None,
            samples: samples.clone().into(),
            begins_at: 0,
            speech_begins_at: 8_000,
            speech_ends_at: 8_000 + voiced,
            voiced,
            voice,
            captured: Instant::now(),
        };
        let rules = TranscriptFilterConfig::default();
        assert_eq!(doubt(&transcript, &utterance(32_000, 1.0), &rules), None);
        let why = doubt(&transcript, &utterance(0, 0.1), &rules).unwrap();
        assert!(why.contains("too short"), "{why}");
    }
}
