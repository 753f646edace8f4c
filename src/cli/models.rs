//! `joi models`: list, fetch, verify and measure the models for hearing, speech and chat.

mod list;
mod measure;

use std::process::ExitCode;

use clap::Subcommand;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::app;
use joi_models::{Check, FetchOptions, FetchOutcome, InstallState, ModelLibrary, on_stderr};

const EXAMPLES: &str = "\
Examples:
  joi models                            all of them: size, memory, speed here, and which one answers
  joi models fetch                      everything that is needed and missing
  joi models fetch --keep-trying        the same, waiting for a network that is away
  joi models fetch chat-qwen3-1.7b      a better mind, for machines with at least 4 GB
  joi models verify                     read every file and compare its checksum
  joi models measure                    how fast the chat models write on this machine
  joi models --json | jq '.[] | select(.answers).name'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    what: Option<ModelsCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// All models: size, memory, speed here, whether they are there, which one answers
    List(ListArgs),
    /// Fetch models, by default all that are needed
    Fetch {
        /// Which ones
        names: Vec<String>,
        /// While the network fails, try again every 30 s for what joi can't start without; the rest is tried once
        #[arg(long)]
        keep_trying: bool,
    },
    /// Compare checksums, by default of everything that is here
    Verify {
        /// Which ones
        names: Vec<String>,
    },
    /// Measure how fast chat models write, by default all that are here
    Measure {
        /// Which ones
        names: Vec<String>,
    },
}

pub(crate) fn run(args: ModelsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let library = app::library(context.config(), &context.paths)?;
    match args.what {
        None => list::run(&library, args.list.json, context),
        Some(ModelsCommand::List(list)) => list::run(&library, list.json, context),
        Some(ModelsCommand::Fetch { names, keep_trying }) => fetch(&library, &names, keep_trying, context),
        Some(ModelsCommand::Verify { names }) => verify(&library, &names),
        Some(ModelsCommand::Measure { names }) => measure::run(&names, context),
    }
}

fn fetch(
    library: &ModelLibrary,
    names: &[String],
    keep_trying: bool,
    context: &CliContext,
) -> anyhow::Result<ExitCode> {
    let sources = context.config().models.sources;
    if !names.is_empty() {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let options = FetchOptions { sources, check: Check::Checksum, keep_trying };
        fetch_these(library, &names, options, context)?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = FetchOptions { sources, check: Check::Size, keep_trying };
    let needed = app::needed_models(context.config(), library);
    let needed_chat: Vec<&str> = needed
        .iter()
        .copied()
        .filter(|name| library.manifest().chat.iter().any(|chat| chat == name))
        .collect();
    let (dispensable, needed): (Vec<&str>, Vec<&str>) =
        needed.into_iter().partition(|name| library.stand_in(name).is_some());
    let (first, others): (Vec<&str>, Vec<&str>) =
        needed.into_iter().partition(|name| app::is_needed_to_start(context.config(), name));
    fetch_these(library, &first, options, context)?;
    // Joi can start without these.
    let options = FetchOptions { keep_trying: false, ..options };
    fetch_these(library, &others, options, context)?;
    for name in dispensable {
        if let Err(error) = fetch_these(library, &[name], options, context) {
            show::remark(format!("{error:#}; {}", library.stand_in(name).unwrap_or_default()));
        }
    }
    // Who sets joi up in another language learns here what its talk needs.
    let spoken = context.languages()?;
    let all = spoken.all();
    let codes = || all.iter().map(|language| language.code());
    let chat = needed_chat.into_iter().find_map(|name| joi_llm::little_use(name, codes()));
    if let Some(joi_llm::LittleUse { told, remedy }) = chat {
        show::remark(format!("{told}; {remedy}"));
    }
    // Measured while the user waits anyway: the first start listens at once then.
    if let Err(error) = app::measure_hearing(context.config(), &context.paths) {
        show::remark(format!("how fast speech is recognised here is measured at the first start: {error:#}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Fetches all of them, or fails.
fn fetch_these(
    library: &ModelLibrary,
    names: &[&str],
    options: FetchOptions,
    context: &CliContext,
) -> anyhow::Result<()> {
    let fetched = context.block_on(async {
        let progress = on_stderr();
        tokio::select! {
            fetched = library.fetch(names, options, &*progress) => Ok(fetched?),
            _ = tokio::signal::ctrl_c() => {
                anyhow::bail!("stopped; `joi models fetch` goes on where it was")
            }
        }
    })?;
    let mut chat = Vec::new();
    for (name, how) in names.iter().zip(fetched) {
        if how == FetchOutcome::Now {
            show::line(format!("{} {name}", show::coloured(Tone::Good, "✓")))?;
            let is_optional = library.manifest().model(name).is_some_and(|model| !model.default);
            if is_optional && library.manifest().chat.iter().any(|chat| chat == name) {
                chat.push((*name).to_owned());
            }
        }
    }
    if !chat.is_empty() {
        // Who waits for it anyway learns what it is worth here. It is there, whatever comes of that.
        measure::run(&chat, context)?;
    }
    Ok(())
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
