//! `joi doctor`: checks every part of joi, and prints what works, what does not and its remedy.
//!
//! Main thread. Every check is a row with a verdict, shown as soon as it is known; a check that can hang has a time limit of
//! its own.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use self::report::{DoctorReport, ReportForm};
use super::context::CliContext;
use super::show::Tone;
use crate::app::checks::{self, PATIENCE, Row};
use crate::app::{self, Brain};
use crate::control::Client;
use joi_language::Language;
use joi_llm::{BetterModel, Embedded, LlmConfig, LlmError, ModelPurpose, ReadyServer, ServedBy, Serving};
use joi_llm::{LittleUse, little_use};

mod echo;
mod home;
mod messages;
mod report;
mod rooms;
mod satellites;
mod sound;
mod stored;
mod tools;

const EXAMPLES: &str = "\
Examples:
  joi doctor                    checks everything; speak while the level meter runs
  joi doctor --quick            leaves out microphone and speaker
  joi doctor --acknowledge      you know what a damaged database has cost: it is not shown any more
  joi doctor --json | jq '.[] | select(.verdict != \"good\")'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Leave out microphone and speaker
    #[arg(long)]
    quick: bool,
    /// Don't show again what a damaged database has cost; the damaged files stay where they are
    #[arg(long, conflicts_with_all = ["quick", "json"])]
    acknowledge: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: DoctorArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    if args.acknowledge {
        return stored::acknowledge(context);
    }
    let form = if args.json { ReportForm::Json } else { ReportForm::Lines };
    let mut report = DoctorReport::new(form);
    report.rows(vec![configuration(context)])?;
    report.part("models", || checks::models(context.config(), &context.paths))?;
    report.part("speech to text", || Ok(vec![checks::speech_model(context.config(), &context.paths)]))?;
    report.part("wake phrases", || Ok(vec![checks::wake_phrases(context.config(), &context.paths)]))?;
    report.part("voice", || voices(context))?;
    report.part("model server", || context.block_on(model_server(context)))?;
    if !args.quick {
        // It draws a level of its own.
        report.rows(sound::checks(context, args.json))?;
    }
    report.part("house", || Ok(vec![home::check(context)?]))?;
    report.part("messages", || messages::checks(context))?;
    report.part("tools", || tools::checks(context))?;
    report.part("satellites", || satellites::checks(context))?;
    report.part("rooms", || rooms::checks(context))?;
    report.part("stored data", || Ok(checks::stored(&context.paths)))?;
    report.part("machine", || Ok(checks::machine(&context.paths)))?;
    Ok(if report.end()? { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn configuration(context: &CliContext) -> Row {
    let file = &context.paths.config;
    let set = context.effective.origins.len();
    let told = if file.exists() {
        format!("{}, {set} keys set", file.display())
    } else {
        format!("built-in values, {set} keys set; `joi config init` writes a file")
    };
    match &context.broken {
        None => Row::good("configuration", told),
        Some(why) => Row::bad("configuration", why.clone(), "correct it; `joi run` does not start with it"),
    }
}

/// Returns a row for the voice of each language.
fn voices(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    Ok(context.languages()?.all().iter().map(|language| voice(context, language)).collect())
}

fn voice(context: &CliContext, language: &Language) -> Row {
    let started = Instant::now();
    match app::load_voice(context.config(), &context.paths, language) {
        Ok((voice, choice)) => {
            let (rate, took) = (voice.rate(), started.elapsed().as_secs_f64());
            let languages = voice.voice.languages().join(", ");
            let told = format!("{} ({languages}), {rate} Hz, loaded in {took:.1} s", choice.name);
            match &choice.lack {
                None => Row::good("voice", told),
                Some(lack) => Row::fair(
                    "voice",
                    format!("{told}: understood at once, and plainly worse than the voice of a model"),
                    lack.clone(),
                ),
            }
        }
        Err(error) => Row::bad("voice", format!("{error:#}"), "joi models fetch"),
    }
}

async fn model_server(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    let brain = Brain::start_lingering(context.config(), &context.paths).await?;
    let settled = tokio::time::timeout(PATIENCE, brain.mind.ready()).await;
    let is_service = Client::connect(&context.paths.runtime).ok().flatten().is_some();
    let lingers = context.config().llm.lingers().filter(|_| !is_service);
    let told = brain.serving() + &stays(&brain.mind.serving().borrow(), lingers);
    let row = match (settled, &*brain.mind.serving().borrow()) {
        (_, Serving::Ready(ready)) => match &ready.note {
            None => Row::good("model server", told),
            Some(note) => Row::fair("model server", told, note.clone()),
        },
        (Err(_), _) => Row::fair("model server", told, "it is still starting; ask again in a minute"),
        (Ok(_), _) => Row::bad("model server", told, context.config().llm.backend.remedy()),
    };
    let mut rows = vec![row];
    rows.extend(privacy(&context.config().llm));
    rows.extend(privacy_of_uses(&context.config().llm));
    rows.extend(better_model(&brain.mind.serving().borrow()));
    rows.extend(languages_of_model(context, &brain.mind.serving().borrow())?);
    if context.config().memory.enabled {
        rows.push(memory_search(&brain, &context.config().llm.embed_model).await);
    }
    brain.shutdown().await;
    Ok(rows)
}

/// Returns a row where the model server is outside of the home; the owner has allowed that.
fn privacy(llm: &LlmConfig) -> Option<Row> {
    Some(left(llm.leaving()?, "llm.backend = \"local\" keeps all words at home".to_owned()))
}

/// Returns a row for each use with a server of its own outside of the home.
fn privacy_of_uses(llm: &LlmConfig) -> impl Iterator<Item = Row> {
    ModelPurpose::BESIDE.into_iter().filter_map(|purpose| {
        let name = purpose.name();
        let told = format!("{name}: {}", llm.server_of(purpose)?.leaving()?);
        Some(left(told, format!("llm.uses.{name}.backend = \"same\" has the server that answers do it")))
    })
}

fn left(told: String, remedy: String) -> Row {
    Row { what: "privacy", mood: Tone::Quiet, told, remedy }
}

/// Returns how long the embedded server stays in memory, where it is not that of a running service.
fn stays(serving: &Serving, lingers: Option<Duration>) -> String {
    match (serving, lingers) {
        (Serving::Ready(ready), Some(stays)) if ready.by == ServedBy::Local => {
            format!(", loaded until {} s after the last command", stays.as_secs())
        }
        _ => String::new(),
    }
}

/// Returns why the best embedded model does not answer: not a fault where the machine is too small.
fn better_model(serving: &Serving) -> Option<Row> {
    let Serving::Ready(ReadyServer { why_not_better: Some(better), .. }) = serving else { return None };
    let BetterModel { why, remedy, is_fault } = better.clone();
    let mood = if is_fault { Tone::Fair } else { Tone::Quiet };
    Some(Row { what: "better model", mood, told: why, remedy })
}

/// Returns a row where the model is of little use in a language that is spoken.
fn languages_of_model(context: &CliContext, serving: &Serving) -> anyhow::Result<Option<Row>> {
    let Serving::Ready(ready) = serving else { return Ok(None) };
    let spoken = context.languages()?;
    let found = little_use(&ready.model, spoken.all().iter().map(|language| language.code()));
    Ok(found.map(|LittleUse { told, remedy }| Row::fair("model's languages", told, remedy)))
}

/// Returns whether memory search works by meaning or by words alone; the latter is a fault only where a model is
/// configured for it.
async fn memory_search(brain: &Brain, wanted: &str) -> Row {
    let made = tokio::time::timeout(PATIENCE, brain.mind.embed(&["memory".to_owned()])).await;
    let (why, remedy) = match made {
        Ok(Ok(Embedded { model, vectors })) => {
            let length = vectors.first().map_or(0, Vec::len);
            return Row::good(
                "memory search",
                format!("by words and meaning: {model}, {length} numbers a text"),
            );
        }
        Ok(Err(LlmError::NoVectors { why, remedy })) => (why, remedy),
        Ok(Err(error)) => (error.to_string(), "see the server's log".to_owned()),
        Err(_) => ("the model for it is too slow".to_owned(), "choose a smaller llm.embed_model".to_owned()),
    };
    let told = format!("by words alone: {why}");
    match wanted.trim() {
        "" | "auto" => Row::good("memory search", told),
        _ => Row::fair("memory search", told, remedy),
    }
}
