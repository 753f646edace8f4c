//! `joi-bench first-look`: what is lost when the quickest model decides commands and questions that it is sure of.
//!
//! They are said by several voices of flite, and transcribed by the quickest model and by the chosen one. A command counts
//! as wrong when it is understood as another one than its words are; a question when its words are not those that were
//! said.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicBool;

use joi::app;
use joi::cli::context::CliContext;
use joi::cli::show;
use joi_audio::{RATE, read_wav};
use joi_base::message::Transcript;
use joi_channels::voice::first_look::is_decisive;
use joi_hear::whisper::Whisper;
use joi_language::Language;
use joi_models::ModelLibrary;
use joi_understand::intents::match_intent;
use serde_json::json;

use super::latency::commands;

const EXAMPLES: &str = "\
Examples:
  joi-bench first-look
  joi-bench first-look --voices slt,kal16 --json | jq '.[] | select(.quickest.wrong)'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FirstLookArgs {
    /// Voices of flite
    #[arg(long, value_delimiter = ',', default_value = "slt,rms,awb")]
    voices: Vec<String>,
    /// A file of commands and questions, one a line, beside those of `joi-bench latency`; what follows a tab is left out
    #[arg(long, value_name = "FILE")]
    file: Option<std::path::PathBuf>,
    /// As JSON, each transcript
    #[arg(long)]
    json: bool,
}

/// What a model made of a command or a question.
struct Reading {
    transcript: Transcript,
    /// It is understood as another command than the one that was said, or as other words.
    is_wrong: bool,
    /// It is understood as what was said.
    is_right: bool,
    is_decisive: bool,
}

impl Reading {
    fn of(transcript: Transcript, said: &str, language: &Language) -> Self {
        let meant = |text: &str| match_intent(language, text).map(|quick| format!("{:?}", quick.what));
        let is_decisive = is_decisive(language, &transcript.text, &transcript);
        let (heard, command) = (meant(&transcript.text), meant(said));
        let (is_right, is_wrong) = match command {
            Some(_) => (heard == command, heard.is_some() && heard != command),
            None => (words(&transcript.text) == words(said), words(&transcript.text) != words(said)),
        };
        Self { is_wrong, is_right, is_decisive, transcript }
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "text": self.transcript.text,
            "mean_logprob": self.transcript.mean_logprob,
            "ms": self.transcript.took.as_secs_f64() * 1e3,
            "right": self.is_right,
            "wrong": self.is_wrong,
            "decisive": self.is_decisive,
        })
    }
}

pub(crate) fn run(args: &FirstLookArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let (_, file) = app::chosen_whisper(context.config(), &context.paths)?;
    let library = ModelLibrary::open(context.paths.models.clone())?;
    let mut chosen = Whisper::load(&file, &context.config().hear.stt)?;
    let quickest = app::quickest_whisper(context.config(), &library)?;
    let mut quickest = Whisper::load(&quickest, &context.config().hear.stt)?;
    let languages = context.languages()?;
    let language = languages.get();
    let mut lines = commands()?;
    if let Some(file) = &args.file {
        let text = std::fs::read_to_string(file)?;
        let more = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').next());
        lines.extend(more.flatten().map(str::to_owned));
    }
    let (quiet, mut rows) = (AtomicBool::new(false), Vec::new());
    let bar = indicatif::ProgressBar::new((lines.len() * args.voices.len()) as u64);
    for (line, voice) in lines.iter().flat_map(|line| args.voices.iter().map(move |voice| (line, voice))) {
        let sound = spoken(voice, line)?;
        let by = |whisper: &mut Whisper| -> anyhow::Result<Reading> {
            Ok(Reading::of(whisper.transcribe(&sound, &quiet)?, line, &language))
        };
        rows.push((line, voice, by(&mut quickest)?, by(&mut chosen)?));
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        let told: Vec<_> = rows
            .iter()
            .map(|(line, voice, quickest, chosen)| {
                json!({ "said": line, "voice": voice, "quickest": quickest.json(), "chosen": chosen.json() })
            })
            .collect();
        show::line(serde_json::to_string_pretty(&told)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let of = |is_command: bool, is: &dyn Fn(&Reading, &Reading) -> bool| {
        let of_kind = |line: &str| match_intent(&language, line).is_some() == is_command;
        rows.iter().filter(|row| of_kind(row.0) && is(&row.2, &row.3)).count()
    };
    let mut table = show::table(["", "COMMANDS", "QUESTIONS"]);
    let count = |is: &dyn Fn(&Reading, &Reading) -> bool| [of(true, is), of(false, is)];
    for (name, numbers) in [
        ("said", count(&|_, _| true)),
        ("understood by the chosen model", count(&|_, chosen| chosen.is_right)),
        ("understood as something else by the chosen model", count(&|_, chosen| chosen.is_wrong)),
        ("decided by the quickest model", count(&|quickest, _| quickest.is_decisive)),
        ("decided wrongly by it", count(&|quickest, _| quickest.is_decisive && quickest.is_wrong)),
        (
            "decided wrongly by it where the chosen one is right",
            count(&|quickest, chosen| quickest.is_decisive && quickest.is_wrong && chosen.is_right),
        ),
        (
            "decided rightly by it where the chosen one is not",
            count(&|quickest, chosen| quickest.is_decisive && quickest.is_right && !chosen.is_right),
        ),
    ] {
        table.add_row([name.to_owned(), numbers[0].to_string(), numbers[1].to_string()]);
    }
    show::line(table)?;
    Ok(ExitCode::SUCCESS)
}

/// The words of `text`, however they are written.
fn words(text: &str) -> Vec<String> {
    let spelt = text.to_lowercase().replace(['\'', '’'], "");
    spelt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// `text` by a voice of flite.
pub(super) fn spoken(voice: &str, text: &str) -> anyhow::Result<Vec<f32>> {
    let file = std::env::temp_dir().join(format!("joi-first-look-{}.wav", std::process::id()));
    let said = say(voice, text, &file).and_then(|()| Ok(read_wav(&file, RATE)?));
    let _ = std::fs::remove_file(&file);
    said
}

fn say(voice: &str, text: &str, file: &Path) -> anyhow::Result<()> {
    let status = Command::new("flite").args(["-voice", voice, "-t", text, "-o"]).arg(file).status();
    anyhow::ensure!(status.is_ok_and(|s| s.success()), "flite could not say it; apt-get install flite");
    Ok(())
}
