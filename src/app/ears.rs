//! Makes the part that hears: wake-word models and scorer, voice activity, listener thread, whisper thread.
//!
//! Called once at start. Every missing or damaged model is an error that names the command to fetch it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc::{Receiver, channel};

use super::wake::{Wanting, wake_means};
use crate::audio::{AudioSource, SourceEvent, Tracks};
use crate::channels::voice::first_look::TrialModel;
use crate::config::Config;
use crate::control::{Gauge, gauge};
use crate::hear::vad::Vad;
use crate::hear::wake::{MicroWake, WakeDetector, WakePhrase};
use crate::hear::whisper::{ModelChoice, Stt, SttConfig, SttEvent, SttModel, Whisper, measure};
use crate::hear::{self, Delivery, HearCommand, Listener, Pacing};
use crate::models::ModelLibrary;
use crate::paths::Paths;
use crate::pulse::{Heart, Pulse};

/// Commands the listener has not obeyed yet. When full, further ones are dropped: it is hanging.
const COMMANDS: usize = 8;
/// Events the conversation has not taken in yet. When full, the listener waits and the ring counts.
const DELIVERIES: usize = 8;

/// The running ears.
pub struct Ears {
    /// Tells the listener what to do.
    pub commands: SyncSender<HearCommand>,
    /// What was heard.
    pub deliveries: Receiver<Delivery>,
    /// Transcribes.
    pub stt: Stt,
    /// Transcripts.
    pub transcripts: Receiver<SttEvent>,
    /// Transcribes what is said while she speaks.
    pub interjections: (Stt, Receiver<SttEvent>),
    /// Tells how many events the conversation has not taken in yet.
    pub waiting: Gauge,
    /// Ends when told to, or with a file.
    pub listener: JoinHandle<()>,
}

/// The listener reads its source at least this often: it never waits for long.
const LISTENER_LIMIT: Duration = Duration::from_secs(2);
/// No utterance takes longer to transcribe.
const WHISPER_LIMIT: Duration = Duration::from_secs(60);

/// Of the thread of the chosen speech model where the quickest one reads beside it; the language model has 5.
const CHOSEN_NICENESS: i32 = 3;

/// A source that shows in a heart that somebody reads it.
struct Watched {
    source: Box<dyn AudioSource>,
    heart: Heart,
}

impl AudioSource for Watched {
    fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
        self.heart.beat();
        self.source.read(into)
    }

    fn latency(&self) -> Duration {
        self.source.latency()
    }

    fn tracks(&self) -> Option<Tracks<'_>> {
        self.source.tracks()
    }
}

/// Starts the listener on `source` and the whisper worker, whose hearts are in `pulse`.
pub fn ears(
    config: &Config,
    paths: &Paths,
    source: Box<dyn AudioSource>,
    pacing: Pacing,
    pulse: &Pulse,
) -> anyhow::Result<Ears> {
    let (_, chosen) = chosen_whisper(config, paths)?;
    let whisper = Whisper::load(&chosen, &config.hear.stt)?;
    let trial = trial_beside(&chosen, config, paths)?;
    let quickest = match trial {
        TrialModel::Chosen => whisper.sibling()?,
        TrialModel::QuickestFirst | TrialModel::Both => quickest(config, paths)?,
    };
    let (stt, transcripts) = Stt::spawn(whisper, pulse.heart("whisper", WHISPER_LIMIT))?;
    if trial == TrialModel::Both {
        stt.lender().lend(|_: &mut Whisper| step_back());
    }
    let mut hearing = config.clone();
    if trial != TrialModel::Chosen {
        hearing.hear.endpoint = hearing.hear.endpoint.with_short_pause();
    }
    let (listener, interjections) =
        listener_with(quickest, &hearing, paths, pulse.heart("interjections", WHISPER_LIMIT))?;
    let (commands, inbox) = sync_channel(COMMANDS);
    let (outbox, deliveries) = channel(DELIVERIES);
    let waiting = gauge("heard", &outbox);
    let source = Box::new(Watched { source, heart: pulse.heart("listener", LISTENER_LIMIT) });
    let listener = hear::spawn(source, listener, inbox, outbox, pacing)
        .context("the system gave no thread for the listener")?;
    Ok(Ears { commands, deliveries, stt, transcripts, interjections, waiting, listener })
}

/// The thread that calls this lets those go first that hear, read first and speak.
fn step_back() {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), CHOSEN_NICENESS) {
        tracing::debug!(%error, "the priority of the speech model can't be set");
    }
}

/// The listener with its second stage, and the thread that works for both: it keeps the quickest model warm for
/// wake phrases and for what is said while she speaks.
pub fn wakeful_listener(
    config: &Config,
    paths: &Paths,
    heart: Heart,
) -> anyhow::Result<(Listener, (Stt, Receiver<SttEvent>))> {
    listener_with(quickest(config, paths)?, config, paths, heart)
}

fn quickest(config: &Config, paths: &Paths) -> anyhow::Result<Whisper> {
    let file = quickest_whisper(config, &super::library(config, paths)?)?;
    Ok(Whisper::load(&file, &config.hear.stt)?)
}

fn listener_with(
    mut quickest: Whisper,
    config: &Config,
    paths: &Paths,
    heart: Heart,
) -> anyhow::Result<(Listener, (Stt, Receiver<SttEvent>))> {
    let library = super::library(config, paths)?;
    let means = wake_means(config, paths)?;
    let wanting = Wanting::new(&means, &mut quickest)?;
    let worker = Stt::spawn(quickest, heart)?;
    let confirmer = wanting.confirmer(worker.0.lender());
    Ok((listener_for(&means.modelled(), config, &library)?.confirmed_by(confirmer), worker))
}

/// What looks for stock phrases, voices and the end of speech; it has no thread of its own, and nobody to ask when
/// it is in doubt.
pub fn listener(config: &Config, paths: &Paths) -> anyhow::Result<Listener> {
    let library = super::library(config, paths)?;
    listener_for(&super::wake::phrases(config, paths), config, &library)
}

fn listener_for(phrases: &[WakePhrase], config: &Config, library: &ModelLibrary) -> anyhow::Result<Listener> {
    let vad = Vad::load(&library.path("silero-vad")?, &config.hear.vad)?;
    Ok(Listener::new(&config.hear, detectors(phrases, config, library)?, vad))
}

fn detectors(
    phrases: &[WakePhrase],
    config: &Config,
    library: &ModelLibrary,
) -> anyhow::Result<Vec<Box<dyn WakeDetector>>> {
    let wake = &config.hear.wake;
    let mut detectors: Vec<Box<dyn WakeDetector>> = Vec::new();
    for phrase in phrases {
        let Some(stock) = phrase.stock() else { continue };
        let file = library.file(stock.model, stock.file)?;
        detectors.push(Box::new(MicroWake::load(&file, phrase, wake)?));
    }
    Ok(detectors)
}

/// The model's name in the manifest.
pub fn whisper_model(model: SttModel) -> &'static str {
    match model {
        SttModel::Auto | SttModel::TinyEn => "whisper-tiny.en",
        SttModel::Base => "whisper-base",
    }
}

/// Which whisper model to use and where it is: the configured one, else the one that was measured to
/// be fast enough on this machine. The measurement takes some seconds and is remembered.
pub fn chosen_whisper(config: &Config, paths: &Paths) -> anyhow::Result<(SttModel, PathBuf)> {
    let library = super::library(config, paths)?;
    let model = match config.hear.stt.model {
        // The smaller one knows English only.
        SttModel::Auto if !config.hear.stt.is_english() => SttModel::Base,
        SttModel::Auto => measured(config, paths, &library)?.model,
        model => model,
    };
    Ok((model, library.path(whisper_model(model))?))
}

/// The model for what is said while she speaks: a stop word is the same to all of them, and soon enough only
/// to the smallest.
pub fn quickest_whisper(config: &Config, library: &ModelLibrary) -> anyhow::Result<PathBuf> {
    let model = if config.hear.stt.is_english() { SttModel::TinyEn } else { SttModel::Base };
    Ok(library.path(whisper_model(model))?)
}

/// Which model reads what may not be over yet: also the quickest, where another one was chosen.
pub(super) fn trial_model(config: &Config, paths: &Paths) -> anyhow::Result<TrialModel> {
    trial_beside(&chosen_whisper(config, paths)?.1, config, paths)
}

fn trial_beside(chosen: &Path, config: &Config, paths: &Paths) -> anyhow::Result<TrialModel> {
    if chosen == quickest_whisper(config, &super::library(config, paths)?)? {
        return Ok(TrialModel::Chosen);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = usize::try_from(config.hear.stt.threads_to_use()).unwrap_or(1);
    Ok(TrialModel::of_two(threads, cores))
}

/// What was measured on this machine, for people; nothing when the model is configured.
pub fn measured_whisper(config: &Config, paths: &Paths) -> Option<String> {
    if config.hear.stt.model != SttModel::Auto || !config.hear.stt.is_english() {
        return None;
    }
    let choice = ModelChoice::remembered(&memory(paths), &config.hear.stt)?;
    let each = choice.measured.iter().map(|m| format!("{} {} ms", whisper_model(m.model), m.millis));
    Some(format!("measured on 3 s of speech: {}", each.collect::<Vec<_>>().join(", ")))
}

/// How long the quickest model took for three seconds of speech, where that was measured on this machine.
pub fn measured_transcription(paths: &Paths) -> Option<Duration> {
    let choice = ModelChoice::remembered(&memory(paths), &SttConfig::default())?;
    choice.measured.iter().map(|measured| Duration::from_millis(measured.millis)).min()
}

fn memory(paths: &Paths) -> PathBuf {
    paths.cache.join("whisper-choice.json")
}

fn measured(config: &Config, paths: &Paths, library: &ModelLibrary) -> anyhow::Result<ModelChoice> {
    let memory = memory(paths);
    if let Some(choice) = ModelChoice::remembered(&memory, &config.hear.stt) {
        return Ok(choice);
    }
    let files = [SttModel::TinyEn, SttModel::Base]
        .into_iter()
        .filter_map(|model| Some((model, library.path(whisper_model(model)).ok()?)))
        .collect::<Vec<_>>();
    if files.is_empty() {
        library.path(whisper_model(SttModel::TinyEn))?;
    }
    tracing::info!("measuring which speech model is fast enough here");
    let is_busy = is_busy();
    let choice = measure(&files, &config.hear.stt)?;
    if is_busy {
        tracing::info!("the machine is busy, so the measurement is repeated next time");
    } else if let Err(error) = choice.remember(&memory) {
        tracing::warn!(%error, "the measurement could not be remembered and is repeated next time");
    }
    Ok(choice)
}

/// Whether others compute here so much that a measurement would be too slow.
pub(super) fn is_busy() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    is_above_half(&load, cores)
}

/// Whether the load of the last minute, the first number of `load`, takes more than half of the cores.
fn is_above_half(load: &str, cores: usize) -> bool {
    let last_minute: Option<f64> = load.split_whitespace().next().and_then(|number| number.parse().ok());
    last_minute.is_some_and(|load| load > cores as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::is_above_half;

    #[test]
    fn a_machine_is_busy_when_more_than_half_of_it_is() {
        assert!(is_above_half("1.20 0.90 0.10 1/123 456", 2));
        assert!(!is_above_half("1.20 0.90 0.10 1/123 456", 4));
        assert!(!is_above_half("", 4), "nothing is known");
    }
}
