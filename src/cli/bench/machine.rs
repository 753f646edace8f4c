//! `joi bench machine`: everything that matters on a small machine, as one table to paste.
//!
//! In: this machine with its configuration and models; sound is played from files, paced like a microphone. Out:
//! Markdown or JSON. Nothing else should run meanwhile.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::ProgressBar;
use tokio_util::sync::CancellationToken;

use super::figures::{MachineFigures, is_command, is_question, median};
use crate::app::{self, Brain};
use crate::cli::context::CliContext;
use crate::cli::{hear, show};
use joi_audio::{Pace, RATE, write_wav};
use joi_base::machine::{self, MachineHealth};
use joi_base::trace::{Stage, TurnRecord};
use joi_hear::score::ScorerTime;
use joi_hear::whisper::{SttModel, Whisper, clip, measure};
use joi_llm::{FileExaminer, served_name};
use joi_speak::LeadSilence;

/// Two questions, each behind the wake phrase: one for the clock, one for the language model.
const CONVERSATION: &[u8] = include_bytes!("../../../assets/demo/conversation.wav");

/// Runs of the voice, of which the middle one counts.
const RUNS: usize = 5;
/// Steps that the bar shows, beside one for each conversation.
const STEPS: u64 = 6;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  joi bench machine
  joi bench machine --seconds 300          the cost of listening over five minutes of silence and five of talk
  joi bench machine --json > figures.json")]
pub(crate) struct BenchMachineArgs {
    /// Seconds of silence and seconds of talk over which the cost of listening is measured
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,
    /// How often the two questions are asked
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BenchMachineArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    // Measured once on a machine, and only while that is idle.
    app::chosen_whisper(context.config(), &context.paths)?;
    let bar = show::progress("bench", STEPS + u64::from(args.repeat));
    let mut measured = MachineFigures {
        version: env!("CARGO_PKG_VERSION"),
        machine: machine_line(),
        mind: String::new(),
        figures: vec![],
        troubles: vec![],
    };
    speech_models(context, &mut measured)?;
    bar.inc(1);
    scorer(context, &mut measured)?;
    bar.inc(1);
    voice(context, &mut measured)?;
    bar.inc(1);
    let scratch = std::env::temp_dir().join(format!("joi-bench-{}", std::process::id()));
    std::fs::create_dir(&scratch).with_context(|| format!("can't make {}", scratch.display()))?;
    let over = context.block_on(conversations(context, args, &scratch, &bar, &mut measured));
    std::fs::remove_dir_all(&scratch)?;
    over?;
    bar.finish_and_clear();
    let health = MachineHealth::read(Path::new("/"), &context.paths.data);
    measured.add("temperature of the processor at the end", health.temperature_c.map(f64::from), "°C");
    measured.troubles = health.troubles().into_iter().map(|trouble| trouble.description()).collect();
    show::line(if args.json { serde_json::to_string_pretty(&measured)? } else { measured.markdown() })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the machine for people.
fn machine_line() -> String {
    let memory = machine::MemoryRoom::now().map(|room| format!(", {} of memory", show::bytes(room.total)));
    let processor = machine::processor();
    let named = match machine::board(Path::new("/")) {
        Some(board) if !processor.starts_with(&board) => format!("{board} ({processor})"),
        _ => processor,
    };
    named + &memory.unwrap_or_default()
}

/// How long each speech model takes for three seconds of speech.
fn speech_models(context: &CliContext, measured: &mut MachineFigures) -> anyhow::Result<()> {
    let (library, config) = (app::library(context.config(), &context.paths)?, &context.config().hear.stt);
    let models = [SttModel::TinyEn, SttModel::Base];
    let fitting = models.into_iter().filter(|model| *model != SttModel::TinyEn || config.is_english());
    let files: Vec<(SttModel, PathBuf)> =
        fitting.filter_map(|model| Some((model, library.path(app::whisper_model(model)).ok()?))).collect();
    for one in measure(&files, config)?.measured {
        let what = format!("3 s of speech transcribed by {}", app::whisper_model(one.model));
        measured.add(what, one.millis as f64, "ms");
    }
    Ok(())
}

/// How long a candidate for a wake phrase takes, by which the usual `hear.wake.mode` is decided.
fn scorer(context: &CliContext, measured: &mut MachineFigures) -> anyhow::Result<()> {
    let (config, library) = (context.config(), app::library(context.config(), &context.paths)?);
    let mut whisper = Whisper::load(&app::quickest_whisper(config, &library)?, &config.hear.stt)?;
    measured.add_scorer(&ScorerTime::measure(&mut whisper)?);
    Ok(())
}

/// How soon the voice begins a sentence, and how fast it is.
fn voice(context: &CliContext, measured: &mut MachineFigures) -> anyhow::Result<()> {
    let language = context.language()?;
    let (mut voice, choice) = app::load_voice(context.config(), &context.paths, &language)?;
    let sentence = &language.sentences().reply.no_timers;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        let (mut first, mut samples) = (None, 0);
        voice.voice.begin(sentence, LeadSilence::Cut)?;
        while let Some(chunk) = voice.voice.next_chunk(&|| false)? {
            first.get_or_insert_with(|| begun.elapsed());
            samples += chunk.samples.len();
        }
        let sounds = samples as f64 / f64::from(voice.rate());
        runs.push((first.unwrap_or_default(), begun.elapsed().as_secs_f64() / sounds));
    }
    runs.sort_by_key(|(first, _)| *first);
    let (first, factor) = runs[RUNS / 2];
    measured.add(format!("first sound of a sentence by the voice {}", choice.name), millis(first), "ms");
    measured.add("time of the voice for a second of speech", factor, "s");
    Ok(())
}

/// Measures silence, talk that is not for joi, and questions, by the whole program over files.
async fn conversations(
    context: &CliContext,
    args: &BenchMachineArgs,
    scratch: &Path,
    bar: &ProgressBar,
    measured: &mut MachineFigures,
) -> anyhow::Result<()> {
    let brain = Brain::start(context.config(), &context.paths).await?;
    hear::ready(&brain).await;
    bar.inc(1);
    let spoken = clip()?;
    let length = args.seconds as usize * RATE as usize;
    let (answers, heard) = (scratch.join("answers.wav"), scratch.join("heard.wav"));
    let stop = CancellationToken::new();
    app::end_on_signal(stop.clone());
    let play = async || {
        let talk = hear::talk(context, &brain, (&heard, &answers, Pace::RealTime), true).await?;
        anyhow::ensure!(!stop.is_cancelled(), "stopped; nothing was measured");
        Ok(talk)
    };
    // Loading is measured once, in the first file, which is silence.
    let mut first = None;
    for (room, sound) in
        [("silence", soft_noise(length)), ("talk", spoken.into_iter().cycle().take(length).collect())]
    {
        write_wav(&heard, RATE, &sound)?;
        let talk = play().await?;
        first.get_or_insert((talk.loaded_in, talk.resident_at_rest));
        let an_hour = talk.cpu.as_secs_f64() * 3600.0 / f64::from(args.seconds);
        measured.add(format!("an hour of listening to {room}"), an_hour, "s of one core");
        bar.inc(1);
    }
    std::fs::write(&heard, CONVERSATION)?;
    let (mut turns, mut resident): (Vec<TurnRecord>, _) = (Vec::new(), None);
    for _ in 0..args.repeat {
        let talk = play().await?;
        (turns, resident) = ([turns, talk.turns].concat(), resident.max(talk.resident));
        bar.inc(1);
    }
    measured.add("ears and voice loaded", first.map(|(loaded_in, _)| millis(loaded_in)), "ms");
    let mut add = |what: &str, first: Option<f64>| {
        measured.add(format!("{what}: from the last word to the first sound"), first, "ms");
    };
    add("a command", median(&turns, Stage::Audible, is_command));
    add("a question for the language model", median(&turns, Stage::Audible, is_question));
    measured.mind = brain.serving();
    measured.add("the language model writes", speed(context, &measured.mind)?, "tokens/s");
    measured.add("memory of this program", resident.map(megabytes), "MB");
    let at_rest = first.and_then(|(_, at_rest)| at_rest);
    measured.add("memory at rest, 10 s behind loading", at_rest.map(megabytes), "MB");
    let server = machine::children(std::process::id()).into_iter().find(|(_, name)| name == "joi-model");
    let held = server.and_then(|(pid, _)| machine::resident(pid));
    measured.add("memory of its model server", held.map(megabytes), "MB");
    brain.shutdown().await;
    Ok(())
}

/// Returns how fast the model writes that `serving` names, as it was measured when it was loaded here.
fn speed(context: &CliContext, serving: &str) -> anyhow::Result<Option<f64>> {
    let models = app::local_models(context.config(), &context.paths)?;
    let candidates = FileExaminer::default().examine(&models, &context.config().llm);
    let answers = candidates.iter().find(|one| serving.starts_with(&format!("{} ", served_name(&one.gguf))));
    Ok(answers.and_then(|one| one.tokens_per_s).map(f64::from))
}

/// Returns what a microphone hears in a quiet room, at −74 dBFS.
fn soft_noise(samples: usize) -> Vec<f32> {
    let mut noise = fastrand::Rng::with_seed(1);
    (0..samples).map(|_| (noise.f32() - 0.5) * 7e-4).collect()
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
