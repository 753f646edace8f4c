//! Makes the part that hears: wake-word models and scorer, voice activity, listener thread, whisper threads.
//!
//! Called once at start. Every missing or damaged model is an error that names the command to fetch it. The listener
//! needs wake models and voice activity only, so it does not wait for the speech models (`readers.rs`).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc::{Receiver, channel};

use super::learnt::LearntPhrase;
use super::loading::Loading;
use super::measured::{measured_once, places, remembered};
use super::readers::{LoadWhisper, Readers, readers};
use super::tap::MicrophoneTap;
use super::wake::{WakeSetup, Wanting, wake_setup};
use crate::config::Config;
use crate::control::{Gauge, gauge};
use joi_audio::{AudioSource, SourceEvent, Tracks};
use joi_base::paths::Paths;
use joi_base::pulse::{Heart, Pulse};
use joi_channels::voice::first_look::TrialModel;
use joi_hear::Measurement;
use joi_hear::vad::Vad;
use joi_hear::wake::{MicroWake, TemplateWake, WakeDetector, WakePhrase};
use joi_hear::whisper::{ModelChoice, Stt, SttConfig, SttEvent, SttModel, Whisper, measure};
use joi_hear::{self as hear, Delivery, HearCommand, Listener, Pacing};
use joi_models::ModelLibrary;

/// Commands the listener has not obeyed yet. When full, further ones are dropped: it is hanging.
const COMMANDS: usize = 8;
/// Events the conversation has not taken in yet. When full, the listener waits and the ring counts.
const DELIVERIES: usize = 8;

/// The running ears.
pub struct Ears {
    /// Commands to the listener.
    pub commands: SyncSender<HearCommand>,
    /// Deliveries of the listener.
    pub deliveries: Receiver<Delivery>,
    /// Transcribes.
    pub stt: Stt,
    /// Transcripts.
    pub transcripts: Receiver<SttEvent>,
    /// Transcribes speech during playback.
    pub interjections: (Stt, Receiver<SttEvent>),
    /// The number of events that the conversation has not taken in yet.
    pub waiting: Gauge,
    /// Ends on a command, or with a file.
    pub listener: JoinHandle<()>,
    /// Whether the speech models are there.
    pub loading: Loading,
    /// All ways to write the wake phrases.
    pub phrases: Vec<String>,
    /// The wake phrases, and how they are heard.
    pub wake: WakeSetup,
    /// Borrows the microphone.
    pub tap: MicrophoneTap,
    /// Which model reads what may not be over yet: also the quickest, where another one was chosen.
    pub trial: TrialModel,
    /// The chosen model.
    pub model: SttModel,
}

/// The file that remembers which speech model is fast enough.
const MEMORY: &str = "whisper-choice.json";

/// The listener reads its source at least this often: it never waits for long.
const LISTENER_LIMIT: Duration = Duration::from_secs(2);
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

    fn may_rest(&mut self, may_rest: bool) {
        self.source.may_rest(may_rest);
    }

    fn latency(&self) -> Duration {
        self.source.latency()
    }

    fn tracks(&self) -> Option<Tracks<'_>> {
        self.source.tracks()
    }
}

/// When the listener begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListeningFrom {
    /// At once: what is said while the speech models are loaded waits for them.
    TheStart,
    /// Once they are loaded: a recording does not wait. The caller's thread blocks until then.
    ModelsLoaded,
}

/// Starts the listener on `source`, and the threads that load the speech models, whose hearts are in `pulse`.
///
/// # Errors
/// A model is missing or damaged; with [`ListeningFrom::ModelsLoaded`] also when it can't be loaded.
pub fn ears(
    config: &Config,
    paths: &Paths,
    source: (Box<dyn AudioSource>, Pacing),
    from: ListeningFrom,
    pulse: &Pulse,
) -> anyhow::Result<Ears> {
    ears_with(Arc::new(Whisper::load), (config, paths), source, from, pulse)
}

/// The same with speech models from `load`.
pub(super) fn ears_with(
    load: LoadWhisper,
    (config, paths): (&Config, &Paths),
    (source, pacing): (Box<dyn AudioSource>, Pacing),
    from: ListeningFrom,
    pulse: &Pulse,
) -> anyhow::Result<Ears> {
    let mut loading = Loading::default();
    let Readers { chosen, quickest, confirmer, trial, model, setup } =
        readers(config, paths, pulse, (load, &mut loading))?;
    let mut hearing = config.clone();
    if trial != TrialModel::Chosen {
        hearing.hear.endpoint = hearing.hear.endpoint.with_short_pause();
    }
    let library = super::library(config, paths)?;
    let listener =
        listener_for((&setup.modelled(), &setup.learnt), &hearing, &library)?.confirmed_by(confirmer);
    if from == ListeningFrom::ModelsLoaded {
        std::mem::take(&mut loading).wait()?;
    }
    let (commands, inbox) = sync_channel(COMMANDS);
    let (outbox, deliveries) = channel(DELIVERIES);
    let waiting = gauge("heard", &outbox);
    let tap = MicrophoneTap::default();
    let source = tap.on(source);
    let source = Box::new(Watched { source, heart: pulse.heart("listener", LISTENER_LIMIT) });
    let listener = hear::spawn(source, listener, inbox, outbox, pacing)
        .context("the system gave no thread for the listener")?;
    let ((stt, transcripts), interjections) = (chosen, quickest);
    let phrases = setup.heard().flat_map(WakePhrase::written).collect();
    Ok(Ears {
        commands,
        deliveries,
        stt,
        transcripts,
        interjections,
        waiting,
        listener,
        loading,
        phrases,
        wake: setup,
        tap,
        trial,
        model,
    })
}

/// Returns the listener with its second stage, and the thread that works for both: it keeps the quickest model warm
/// for wake phrases and for speech during playback.
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
    let setup = wake_setup(config, paths)?;
    let wanting = Wanting::new(&setup, &mut quickest)?;
    let worker = Stt::spawn(quickest, heart)?;
    let confirmer = wanting.confirmer(worker.0.lender());
    Ok((listener_for((&setup.modelled(), &setup.learnt), config, &library)?.confirmed_by(confirmer), worker))
}

/// Returns what looks for stock phrases, voices and the end of speech; it has no thread of its own, and nobody to ask
/// when it is in doubt.
pub fn listener(config: &Config, paths: &Paths) -> anyhow::Result<Listener> {
    let library = super::library(config, paths)?;
    listener_for((&super::wake::phrases(config, paths), &[]), config, &library)
}

/// Phrases with models, and those that are known from recordings.
pub(super) type ListenedPhrases<'a> = (&'a [WakePhrase], &'a [LearntPhrase]);

/// Returns a listener for these phrases that has nobody to ask when it is in doubt.
///
/// # Errors
/// A model is missing or damaged.
pub(super) fn listener_for(
    phrases: ListenedPhrases<'_>,
    config: &Config,
    library: &ModelLibrary,
) -> anyhow::Result<Listener> {
    let vad = Vad::load(&library.path("silero-vad")?, &config.hear.vad)?;
    Ok(Listener::new(&config.hear, detectors(phrases, config, library)?, vad))
}

fn detectors(
    (phrases, learnt): ListenedPhrases<'_>,
    config: &Config,
    library: &ModelLibrary,
) -> anyhow::Result<Vec<Box<dyn WakeDetector>>> {
    let wake = &config.hear.wake;
    let mut detectors: Vec<Box<dyn WakeDetector>> = Vec::new();
    for LearntPhrase { name, templates } in learnt {
        detectors.push(Box::new(TemplateWake::new(name, templates, wake)?));
    }
    for phrase in phrases {
        let Some(stock) = phrase.stock() else { continue };
        let file = library.file(stock.model, stock.file)?;
        detectors.push(Box::new(MicroWake::load(&file, phrase, wake)?));
    }
    Ok(detectors)
}

/// Returns the model's name in the manifest.
pub fn whisper_model(model: SttModel) -> &'static str {
    match model {
        SttModel::Auto | SttModel::TinyEn => "whisper-tiny.en",
        SttModel::Base => "whisper-base",
    }
}

/// Returns which whisper model to use and where it is: the configured one, else the one that was measured to
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

/// Returns the model for speech during playback: a stop word is the same to all of them, and soon enough only
/// to the smallest.
pub fn quickest_whisper(config: &Config, library: &ModelLibrary) -> anyhow::Result<PathBuf> {
    let model = if config.hear.stt.is_english() { SttModel::TinyEn } else { SttModel::Base };
    Ok(library.path(whisper_model(model))?)
}

/// Returns which model reads what may not be over yet, where `chosen` was chosen.
pub(super) fn trial_beside(chosen: &Path, config: &Config, paths: &Paths) -> anyhow::Result<TrialModel> {
    if chosen == quickest_whisper(config, &super::library(config, paths)?)? {
        return Ok(TrialModel::Chosen);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = usize::try_from(config.hear.stt.threads_to_use()).unwrap_or(1);
    Ok(TrialModel::of_two(threads, cores))
}

/// Returns the speech models that were measured on this machine, each with its milliseconds for three seconds of speech.
pub(super) fn measured_speech(config: &Config, paths: &Paths) -> Option<Vec<(&'static str, u64)>> {
    let library = super::library(config, paths).ok()?;
    let choice: ModelChoice = remembered(&places(paths, &library, MEMORY), config)?;
    Some(choice.measured.iter().map(|m| (whisper_model(m.model), m.millis)).collect())
}

/// Returns what was measured on this machine, for people; nothing when the model is configured.
pub fn measured_whisper(config: &Config, paths: &Paths) -> Option<String> {
    if config.hear.stt.model != SttModel::Auto || !config.hear.stt.is_english() {
        return None;
    }
    let measured = measured_speech(config, paths)?;
    let each = measured.iter().map(|(name, millis)| format!("{name} {millis} ms"));
    Some(format!("measured on 3 s of speech: {}", each.collect::<Vec<_>>().join(", ")))
}

/// Returns how long `model` took for three seconds of speech, where that was measured on this machine with these
/// settings.
pub(super) fn measured_time(model: SttModel, config: &Config, paths: &Paths) -> Option<Duration> {
    let library = super::library(config, paths).ok()?;
    let choice: ModelChoice = remembered(&places(paths, &library, MEMORY), config)?;
    let measured = choice.measured.iter().find(|measured| measured.model == model)?;
    Some(Duration::from_millis(measured.millis))
}

/// Returns how long the quickest model took for three seconds of speech, where the program whose cache is given has
/// measured that on this machine.
pub fn measured_transcription(cache: &Path) -> Option<Duration> {
    let choice = Measurement::<ModelChoice>::remembered(&cache.join(MEMORY), &SttConfig::default())?.of;
    choice.measured.iter().map(|measured| Duration::from_millis(measured.millis)).min()
}

fn measured(config: &Config, paths: &Paths, library: &ModelLibrary) -> anyhow::Result<ModelChoice> {
    let places = places(paths, library, MEMORY);
    measured_once(&places, config, "speech models", || {
        let files = [SttModel::TinyEn, SttModel::Base]
            .into_iter()
            .filter_map(|model| Some((model, library.path(whisper_model(model)).ok()?)))
            .collect::<Vec<_>>();
        if files.is_empty() {
            library.path(whisper_model(SttModel::TinyEn))?;
        }
        Ok(measure(&files, &config.hear.stt)?)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver as StdReceiver, Sender as StdSender, channel as std_channel};

    use super::*;

    /// A silent room, which records that it is read.
    struct SilentRoom(StdSender<()>);

    impl AudioSource for SilentRoom {
        fn read(&mut self, into: &mut Vec<f32>) -> SourceEvent {
            // Nobody may be interested any more.
            let _ = self.0.send(());
            std::thread::yield_now();
            into.extend([0.0; 320]);
            SourceEvent::Samples(320)
        }
    }

    /// Starts ears whose model is loaded by `load` when the room was listened to, or at once; what happened, in order.
    fn order_of_events(from: ListeningFrom) -> Vec<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Paths::discover().unwrap();
        (paths.data, paths.cache) = (folder.path().join("data"), folder.path().join("cache"));
        let mut config = Config::default();
        config.hear.stt.model = SttModel::TinyEn;
        let (listens, listened) = std_channel();
        let events = Arc::new(Mutex::new(Vec::new()));
        let (seen, room): (_, StdReceiver<()>) = (Arc::clone(&events), listened);
        let room = Mutex::new(room);
        let load = move |path: &Path, config: &SttConfig| {
            if from == ListeningFrom::TheStart {
                // Ears that wait for the model never listen.
                let is_listened = room.lock().unwrap().recv_timeout(Duration::from_secs(60));
                seen.lock().unwrap().push(if is_listened.is_ok() { "listens" } else { "waits" });
            }
            let whisper = Whisper::load(path, config);
            seen.lock().unwrap().push("loaded");
            whisper
        };
        let source = (Box::new(SilentRoom(listens)) as Box<dyn AudioSource>, Pacing::Live);
        let made = ears_with(Arc::new(load), (&config, &paths), source, from, &Pulse::default()).unwrap();
        events.lock().unwrap().push("made");
        made.loading.wait().unwrap();
        drop(made.commands);
        events.lock().unwrap().clone()
    }

    #[test]
    fn a_microphone_is_read_before_the_speech_models_are_loaded_and_a_recording_after_them() {
        let mut events = order_of_events(ListeningFrom::TheStart);
        events.retain(|event| *event != "made");
        assert_eq!(events, ["listens", "loaded"]);
        assert_eq!(order_of_events(ListeningFrom::ModelsLoaded), ["loaded", "made"]);
    }
}
