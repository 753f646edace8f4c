//! `joi models`: list, fetch and verify what she hears, speaks and thinks with.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use crate::models::{Check, FetchOptions, FetchOutcome, InstallState, ModelLibrary, on_stderr};

const EXAMPLES: &str = "\
Examples:
  joi models list
  joi models fetch                      everything that is needed and missing
  joi models fetch whisper-base
  joi models verify                     read every file and compare its checksum";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    what: ModelsCommand,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// All models: licence, size, whether they are here
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch models, by default all that are needed
    Fetch {
        /// Which ones
        names: Vec<String>,
    },
    /// Compare checksums, by default of everything that is here
    Verify {
        /// Which ones
        names: Vec<String>,
    },
}

pub(crate) fn run(args: ModelsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let library = app::library(context.config(), &context.paths)?;
    match args.what {
        ModelsCommand::List { json } => list(&library, json),
        ModelsCommand::Fetch { names } => fetch(&library, &names, context),
        ModelsCommand::Verify { names } => verify(&library, &names),
    }
}

fn list(library: &ModelLibrary, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut rows = Vec::new();
    let mut table = show::table(["NAME", "STATE", "SIZE", "LICENCE", "WHAT"]);
    for model in &library.manifest().models {
        let state = library.state(&model.name)?;
        let size = size_here(model);
        rows.push(json!({
            "name": model.name, "state": word(&state), "bytes": size, "licence": model.licence,
            "about": model.about, "default": model.default,
        }));
        table.add_row([
            model.name.clone(),
            show::coloured(mood(&state, model.default), word(&state)),
            show::bytes(size),
            model.licence.clone(),
            model.about.clone(),
        ]);
    }
    if as_json {
        show::line(serde_json::to_string_pretty(&rows)?)?;
    } else {
        show::line(table)?;
        show::line(format!("\nin {}", library.root().display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Bytes of the files that this processor uses.
fn size_here(model: &crate::models::ManifestModel) -> u64 {
    let here = |arch: &Option<String>| arch.as_deref().is_none_or(|arch| arch == std::env::consts::ARCH);
    model.files.iter().filter(|file| here(&file.arch)).map(|file| file.size).sum()
}

fn word(state: &InstallState) -> &'static str {
    match state {
        InstallState::Present => "present",
        InstallState::Missing => "missing",
        InstallState::Damaged { .. } => "damaged",
    }
}

fn mood(state: &InstallState, is_needed: bool) -> Tone {
    match state {
        InstallState::Present => Tone::Good,
        InstallState::Missing if !is_needed => Tone::Quiet,
        InstallState::Missing => Tone::Fair,
        InstallState::Damaged { .. } => Tone::Bad,
    }
}

fn fetch(library: &ModelLibrary, names: &[String], context: &CliContext) -> anyhow::Result<ExitCode> {
    let (names, check): (Vec<&str>, _) = if names.is_empty() {
        (library.defaults(), Check::Size)
    } else {
        (names.iter().map(String::as_str).collect(), Check::Checksum)
    };
    let options = FetchOptions { sources: context.config().models.sources, check };
    let fetched = context.block_on(async {
        let progress = on_stderr();
        tokio::select! {
            fetched = library.fetch(&names, options, &*progress) => Ok(fetched?),
            _ = tokio::signal::ctrl_c() => {
                anyhow::bail!("stopped; `joi models fetch` goes on where it was")
            }
        }
    })?;
    for (name, how) in names.iter().zip(fetched) {
        if how == FetchOutcome::Now {
            show::line(format!("{} {name}", show::coloured(Tone::Good, "✓")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(library: &ModelLibrary, names: &[String]) -> anyhow::Result<ExitCode> {
    let all: Vec<&str> = if names.is_empty() {
        let here = |name: &&str| !matches!(library.state(name), Ok(InstallState::Missing));
        library.manifest().models.iter().map(|model| model.name.as_str()).filter(here).collect()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let mut failed = false;
    for name in all {
        let (mood, told) = match library.verify(name)? {
            InstallState::Present => (Tone::Good, "✓".to_string()),
            InstallState::Missing => (Tone::Bad, format!("✗ missing; run `joi models fetch {name}`")),
            InstallState::Damaged { why } => (Tone::Bad, format!("✗ {why}; run `joi models fetch {name}`")),
        };
        failed |= mood == Tone::Bad;
        show::line(format!("{} {name}", show::coloured(mood, told)))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
