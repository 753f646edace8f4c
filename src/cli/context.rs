//! What every command starts from: directories, configuration, log.
//!
//! Opened once on the main thread before a command runs. It opens no device, model or database.

use std::future::Future;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use super::{log, show};
use crate::app::language_library;
use crate::config::{self, Config, Effective, Override};
use crate::control::Journal;
use joi_base::clock::SystemClock;
use joi_base::paths::Paths;
use joi_language::{Language, LanguageError, LanguageLibrary, Languages};

/// The global flags.
#[derive(Debug, Default, clap::Args)]
pub struct Wants {
    /// Configuration file [default: the user's configuration directory, joi/config.toml]
    #[arg(long, global = true, value_name = "FILE", env = "JOI_CONFIG")]
    pub config: Option<PathBuf>,
    /// Override one configuration key for this run, for example --set hear.endpoint.patience=quick
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What to log to stderr: error, warn, info, debug, or a filter by category (voice, memory, profile, planning, model) or module: warn,voice=debug
    #[arg(long, global = true, value_name = "FILTER", env = "JOI_LOG")]
    pub log: Option<String>,
}

/// The effect of a fault in the configuration or in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faults {
    /// It ends the command.
    Refused,
    /// The faulty part is left out.
    LeftOut,
}

/// Directories and effective configuration.
#[derive(Debug)]
pub struct CliContext {
    /// The directories and files on this machine.
    pub paths: Paths,
    /// The values with their origins.
    pub effective: Effective,
    /// Why a part of the configuration was left out, in one line; nothing where all of it is usable.
    pub broken: Option<String>,
    /// What the command does with faults.
    pub faults: Faults,
    /// The newest warnings and errors.
    pub journal: Journal,
}

impl CliContext {
    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.effective.config
    }

    /// Returns the languages that are spoken; the default one where those can't be used and the command must work with any
    /// configuration.
    pub fn languages(&self) -> Result<Languages, LanguageError> {
        let library = language_library(self.config(), &self.paths);
        let spoken = library.spoken(&self.config().language);
        match (spoken, self.faults) {
            (Err(error), Faults::LeftOut) => {
                show::remark(format!("the default language is used: {error}"));
                LanguageLibrary::built_in().spoken(&Config::default().language)
            }
            (spoken, _) => spoken,
        }
    }

    /// Returns the language that is spoken; of several the first.
    pub fn language(&self) -> Result<Arc<Language>, LanguageError> {
        Ok(self.languages()?.get())
    }

    /// Runs `work` on a Tokio runtime of its own and shuts the runtime down without waiting for
    /// threads that hang.
    ///
    /// # Errors
    /// Those of `work`, and when no runtime can be started.
    pub fn block_on<T>(&self, work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .context("can't start the async runtime")?;
        let result = runtime.block_on(work);
        runtime.shutdown_background();
        result
    }
}

/// Finds directories, starts the log, loads the configuration. Once in a process.
///
/// # Errors
/// No home directory, an unusable configuration, a filter for the log that can't be read.
pub fn open(wants: Wants) -> anyhow::Result<CliContext> {
    let mut paths = Paths::discover()?;
    if let Some(file) = &wants.config {
        if !file.exists() {
            return Err(config::ConfigError::Missing { path: file.clone() }.into());
        }
        paths.config.clone_from(file);
    }
    let effective = config::load(&paths.config, &overrides(&wants.set)?)?;
    let usual = log::default_filter(effective.config.log.voice_debug, log::is_journal());
    let journal = start_log(wants.log.as_deref().unwrap_or(&usual))?;
    warn_of_variables();
    Ok(CliContext { paths, effective, broken: None, faults: Faults::Refused, journal })
}

/// Does the same for a command that must work with any configuration: what is broken in it is left out, and shown in one
/// line on stderr.
///
/// # Errors
/// No home directory.
pub(super) fn open_anyway(wants: Wants) -> anyhow::Result<CliContext> {
    let mut paths = Paths::discover()?;
    let missing = wants.config.as_ref().filter(|file| !file.exists());
    let mut broken = missing.map(|path| config::ConfigError::Missing { path: path.clone() }.to_string());
    if let Some(file) = wants.config {
        paths.config = file;
    }
    let overrides = overrides(&wants.set).unwrap_or_else(|error| {
        broken.get_or_insert(error.to_string());
        Override::from_environment(std::env::vars())
    });
    let (effective, error) = config::load_usable(&paths.config, &overrides);
    let broken = broken.or(error.map(|error| error.to_string()));
    let usual = log::default_filter(effective.config.log.voice_debug, log::is_journal());
    let journal = match start_log(wants.log.as_deref().unwrap_or(&usual)) {
        Ok(journal) => journal,
        Err(_) => start_log(&usual)?,
    };
    let broken = broken.map(|why| one_line(&why));
    if let Some(why) = &broken {
        show::remark(format!("the configuration is broken, its usable part is used: {why}"));
    }
    warn_of_variables();
    Ok(CliContext { paths, effective, broken, faults: Faults::LeftOut, journal })
}

/// Logs environment variables that look like those of joi and are none.
fn warn_of_variables() {
    for warning in config::unknown_variables(std::env::vars_os().map(|(name, _)| name)) {
        tracing::warn!("{warning}");
    }
}

/// Returns the lines of an error as one.
fn one_line(why: &str) -> String {
    let lines: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ").replace(":;", ":")
}

/// Environment first, flags over it.
pub(crate) fn overrides(flags: &[String]) -> Result<Vec<Override>, config::ConfigError> {
    let mut all = Override::from_environment(std::env::vars());
    for flag in flags {
        all.push(Override::from_flag(flag).map_err(|p| config::ConfigError::Problems(vec![p]))?);
    }
    Ok(all)
}

fn start_log(filter: &str) -> anyhow::Result<Journal> {
    let filter = EnvFilter::try_new(log::written_out(filter))
        .context("--log takes error, warn, info, debug, or a filter such as warn,voice=debug")?;
    let colour = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colour);
    let log = log.event_format(log::LogFormat { is_journal: log::is_journal() }).with_filter(filter);
    let journal = Journal::new(Arc::new(SystemClock));
    // Filtered, so that nothing below a warning is even made.
    let kept = journal.clone().with_filter(LevelFilter::WARN);
    let started = tracing_subscriber::registry().with(log).with(kept).try_init();
    started.map_err(|e| anyhow::anyhow!("can't start the log: {e}"))?;
    Ok(journal)
}
