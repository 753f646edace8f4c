//! `joi config`: show what is in force and where it came from, check a file, write a commented one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde_json::json;

use super::context::{self, Wants};
use super::show::{self, Tone};
use crate::app;
use crate::config::{self, MachineFacts, MachineProfile, ValueOrigin};
use joi_base::durable;
use joi_base::machine::{self, MemoryRoom};
use joi_base::paths::Paths;

/// The cache of the installed service, which has measured more than whoever configures it.
const SERVICE_CACHE: &str = "/var/cache/joi";

const EXAMPLES: &str = "\
Examples:
  joi config init                       write a file with every key, its unit and its range, fit for this machine
  joi config init --profile pi4         the same for another machine
  joi config show                       every key with its value and where it came from
  joi config show --json | jq .llm
  joi config check ./joi.toml           all problems of a file at once";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    what: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Every key with its value and where it came from
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a file, without starting anything
    Check {
        /// The file [default: the one in use]
        file: Option<PathBuf>,
    },
    /// Write a commented file with every key, with values that suit this machine; replaces the one of a package
    /// while that is as it came, and no other
    Init {
        /// For this kind of machine [default: what this one is]
        #[arg(long)]
        profile: Option<MachineProfile>,
    },
}

pub(crate) fn run(args: ConfigArgs, wants: Wants) -> anyhow::Result<ExitCode> {
    match args.what {
        ConfigCommand::Show { json } => show_values(&context::open(wants)?, json)?,
        ConfigCommand::Check { file } => check(file.or(wants.config), &wants.set)?,
        ConfigCommand::Init { profile } => init(wants.config, profile)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show_values(context: &context::CliContext, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        show::line(serde_json::to_string_pretty(&json!(context.config()))?)?;
        return Ok(());
    }
    let mut table = show::table(["KEY", "VALUE", "FROM"]);
    let values = toml::Table::try_from(context.config())?;
    for (key, value) in config::leaves(&values) {
        let origin = context.effective.origins.get(&key).copied().unwrap_or(ValueOrigin::Default);
        table.add_row([key, shown(&value), origin.name().to_string()]);
    }
    show::line(table)?;
    show::line(format!("\nfile: {}", context.paths.config.display()))?;
    Ok(())
}

/// Returns a value as one would write it: the configuration holds some numbers in single precision.
fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::Float(number) => format!("{:?}", *number as f32),
        other => other.to_string(),
    }
}

fn check(file: Option<PathBuf>, set: &[String]) -> anyhow::Result<()> {
    let file = match file {
        Some(file) => file,
        None => Paths::discover()?.config,
    };
    anyhow::ensure!(file.exists(), "there is no file {}; write one with `joi config init`", file.display());
    let config = config::load(&file, &context::overrides(set)?)?.config;
    let problems = config.check_files();
    if !problems.is_empty() {
        return Err(config::ConfigError::Problems(problems).into());
    }
    show::line(format!("{} {} is fine", show::coloured(Tone::Good, "✓"), file.display()))?;
    app::leaving(&config.llm).iter().try_for_each(show::line)?;
    Ok(())
}

fn init(file: Option<PathBuf>, profile: Option<MachineProfile>) -> anyhow::Result<()> {
    let paths = Paths::discover()?;
    let file = file.unwrap_or_else(|| paths.config.clone());
    let is_as_it_came = std::fs::read_to_string(&file).is_ok_and(|text| text == config::DEFAULT_FILE);
    anyhow::ensure!(is_as_it_came || !file.exists(), "{} exists already; it stays as it is", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    }
    let (profile, why) = match profile {
        Some(profile) => (profile, "as you said".to_owned()),
        None => MachineProfile::of(&facts(&paths)),
    };
    // Whoever may read the one that came may read this one.
    let permissions = std::fs::metadata(&file).ok().map(|about| about.permissions());
    durable::write(&file, profile.file().as_bytes(), permissions)
        .with_context(|| format!("can't write {}", file.display()))?;
    show::line(format!("wrote {} for a machine such as {} ({why})", file.display(), profile.name()))?;
    Ok(())
}

/// Returns what this machine has, and what was measured on it.
fn facts(paths: &Paths) -> MachineFacts {
    MachineFacts {
        board: machine::board(Path::new("/")),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory: MemoryRoom::now().map_or(u64::MAX, |memory| memory.total),
        transcription: [&paths.cache, Path::new(SERVICE_CACHE)]
            .into_iter()
            .find_map(app::measured_transcription),
    }
}
