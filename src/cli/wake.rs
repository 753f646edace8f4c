//! `joi wake`: lists, adds, removes and tries the wake phrases.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use joi_hear::score::ACCEPT;
use joi_hear::wake::{Enrolled, PhraseBook, WakeMode, WakePhrase};

pub mod noise;
pub mod rig;
pub mod voices;

mod add;
mod input;
mod learn;
mod record;
mod test;

pub use add::{other, pronounced, sentences};
pub use input::{wavs, written};

pub(super) const EXAMPLES: &str = "\
Examples:
  joi wake list                       which phrases wake joi, and by which means
  joi wake add \"hey luna\"             any phrase, without recordings; takes about a minute
  joi wake add \"hey joi\" --record     a phrase in your own voice: fewer misses, fewer false alarms
  joi wake add \"hey joi\" --record --engine rustpotter   the same for a machine that is too slow to score it
  joi wake test                       say it, and see how it is judged; Ctrl-C ends
  joi wake test --wav kitchen.wav     the same over a recording
  joi wake remove \"hey luna\"";

#[derive(Debug, clap::Subcommand)]
pub(crate) enum WakeCommand {
    /// Which phrases wake joi, and by which means
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Add a phrase: checked, and compared with other speech here and now
    Add(add::WakeAddArgs),
    /// Remove a phrase that was added
    Remove {
        /// The phrase
        phrase: String,
        /// Only what is known of this voice; the phrase stays
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
    },
    /// What both stages make of what is said, live or in WAV files
    Test(test::WakeTestArgs),
}

pub(crate) fn run(what: WakeCommand, context: &CliContext) -> anyhow::Result<ExitCode> {
    match what {
        WakeCommand::List { json } => list(context, json),
        WakeCommand::Add(args) => add::run(&args, context),
        WakeCommand::Remove { phrase, user } => remove(context, &phrase, user.as_deref()),
        WakeCommand::Test(args) => test::run(&args, context),
    }
}

fn list(context: &CliContext, as_json: bool) -> anyhow::Result<ExitCode> {
    let means = app::wake_setup(context.config(), &context.paths)?;
    let book = PhraseBook::read(&PhraseBook::file(&context.paths.data))?;
    let is_added = |phrase: &WakePhrase| !context.config().hear.wake.phrases.iter().any(|p| same(p, phrase));
    let voices =
        |phrase: &WakePhrase| book.get(&phrase.name.to_lowercase()).map_or(&[][..], |kept| &kept.voices);
    let how = |phrase: &WakePhrase| match (phrase.stock(), means.mode) {
        (Some(_), WakeMode::Scored) => "model and scorer",
        (Some(_), _) => "model",
        (None, WakeMode::Scored) => "scorer",
        (None, _) if means.is_learnt(phrase) => "recordings",
        (None, _) => "not listened for",
    };
    if as_json {
        let phrases: Vec<_> = means
            .phrases
            .iter()
            .map(|phrase| {
                json!({
                    "phrase": phrase.name,
                    "heard_by": how(phrase),
                    "margin": phrase.margin.unwrap_or(ACCEPT),
                    "also_written": phrase.written().split_first().map_or(&[][..], |(_, rest)| rest),
                    "added": is_added(phrase),
                    "voices": voices(phrase).iter().map(voice_json).collect::<Vec<_>>(),
                })
            })
            .collect();
        let mode = if means.mode == WakeMode::Scored { "scored" } else { "stock" };
        let told = json!({ "mode": mode, "why": means.why, "phrases": phrases });
        show::line(serde_json::to_string_pretty(&told)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["PHRASE", "HEARD BY", "MARGIN", "VOICES", "FROM"]);
    for phrase in &means.phrases {
        let from = match book.get(&phrase.name.to_lowercase()) {
            Some(kept) => format!("joi wake add, tried on {} stretches of other sound", kept.negatives),
            None => "configuration".into(),
        };
        let margin = format!("{:.1}", phrase.margin.unwrap_or(ACCEPT));
        let of = voices(phrase).iter().map(|v| format!("{} {:.1}", v.user, v.margin)).collect::<Vec<_>>();
        let of = if of.is_empty() { "any".into() } else { of.join(", ") };
        table.add_row([phrase.name.clone(), how(phrase).into(), margin, of, from]);
    }
    show::line(table)?;
    show::line(format!("\n{}", app::wake_summary(&means)))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a voice for programs: that there are recordings, not what is kept of them.
fn voice_json(voice: &Enrolled) -> Value {
    let Enrolled { user, margin, takes, templates } = voice;
    json!({ "user": user, "margin": margin, "takes": takes, "recordings": templates.is_some() })
}

fn same(a: &WakePhrase, b: &WakePhrase) -> bool {
    a.name.to_lowercase() == b.name.to_lowercase()
}

fn remove(context: &CliContext, phrase: &str, user: Option<&str>) -> anyhow::Result<ExitCode> {
    let name = written(phrase)?;
    let file = PhraseBook::file(&context.paths.data);
    let mut book = PhraseBook::read(&file)?;
    if let Some(user) = user {
        anyhow::ensure!(
            book.remove_voice(&name, user),
            "\"{user}\" has not recorded \"{name}\"; `joi wake list` shows who has"
        );
        book.write(&file)?;
        show::line(format!("{user}'s voice is forgotten; this holds from the next start"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let was_in = book.remove(&name);
    let is_configured = context.config().hear.wake.phrases.iter().any(|p| p.name.to_lowercase() == name);
    if was_in {
        book.write(&file)?;
    }
    match (was_in, is_configured) {
        (_, true) => {
            show::remark(format!(
                "{} \"{name}\" is one of hear.wake.phrases; take it out in {}",
                show::coloured(Tone::Fair, "!"),
                context.paths.config.display()
            ));
            Ok(if was_in { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        (true, false) => {
            show::line(format!("\"{name}\" is removed; this holds from the next start"))?;
            Ok(ExitCode::SUCCESS)
        }
        (false, false) => {
            anyhow::bail!("\"{name}\" is no phrase of hers; `joi wake list` shows them")
        }
    }
}
