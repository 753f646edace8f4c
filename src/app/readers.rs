//! The two threads that turn speech into words: each loads its model itself, while the listener works already.
//!
//! Called once at start. What can be said of the models without loading them is said at once; what comes to light later
//! is in [`Loading`]. A phrase or an utterance that comes meanwhile waits for the models and is not lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver as StdReceiver, Sender as StdSender, channel};
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::mpsc::Receiver;

use super::ears::{chosen_whisper, measured_time, quickest_whisper, trial_beside};
use super::loading::Loading;
use super::wake::{WakeSetup, Wanting, hears_something, wake_setup};
use crate::config::Config;
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_channels::voice::first_look::TrialModel;
use joi_hear::score::Scorer;
use joi_hear::wake::{Confirmer, PhraseThreshold};
use joi_hear::whisper::{Lender, Stt, SttConfig, SttError, SttEvent, SttModel, Whisper};

/// No utterance takes longer to transcribe, but on a machine that was measured to be slow.
const WHISPER_LIMIT: Duration = Duration::from_secs(60);
/// Longest wait for a local speech model to share its weights.
const SHARED_WITHIN: Duration = Duration::from_secs(60);
/// Seconds of the speech that is measured.
const MEASURED_S: f64 = 3.0;
/// A machine that is hot, or busy with other work, may take so many times what was measured.
const SLOWER: u32 = 4;
/// Of the thread of the chosen speech model where the quickest one reads beside it; the language model has 5.
const CHOSEN_NICENESS: i32 = 3;

/// A thread with a model, and what it has read.
pub(super) type SttThread = (Stt, Receiver<SttEvent>);

/// Loads a model; [`Whisper::load`] outside of tests.
pub(super) type LoadWhisper = Arc<dyn Fn(&Path, &SttConfig) -> Result<Whisper, SttError> + Send + Sync>;

/// Lends the speech models of an endpoint.
#[derive(Clone)]
pub struct LentReaders {
    /// The chosen one, which transcribes.
    pub chosen: Lender,
    /// The quickest one, which scores wake phrases.
    pub quickest: Lender,
    /// Whether both are the same model.
    pub are_one: bool,
}

/// Both threads, and what the listener needs of them.
pub(super) struct Readers {
    /// Transcribes speech to joi.
    pub(super) chosen: SttThread,
    /// Transcribes speech during playback, and scores phrases.
    pub(super) quickest: SttThread,
    /// The second stage of the listener.
    pub(super) confirmer: Confirmer,
    /// Which model reads what may not be over yet.
    pub(super) trial: TrialModel,
    /// The chosen model.
    pub(super) model: SttModel,
    /// The wake phrases.
    pub(super) setup: WakeSetup,
}

/// Which models are loaded, and how.
#[derive(Clone)]
struct SpeechModels {
    model: SttModel,
    chosen: PathBuf,
    quickest: PathBuf,
    trial: TrialModel,
    config: SttConfig,
    load: LoadWhisper,
}

/// Starts both threads, whose hearts are in `pulse` and whose models are part of `loading`.
///
/// # Errors
/// A model is missing or damaged; or what was not measured yet can't be.
pub(super) fn readers(
    config: &Config,
    paths: &Paths,
    pulse: &Pulse,
    (load, loading): (LoadWhisper, &mut Loading),
) -> anyhow::Result<Readers> {
    let models = SpeechModels::checked(config, paths, load)?;
    let (setup, trial, model) = (wake_setup(config, paths)?, models.trial, models.model);
    hears_something(&setup, config)?;
    let endpoint = &config.hear.endpoint;
    let longest_s = endpoint.pre_roll + endpoint.max_length;
    // The other model is not larger.
    let limit = transcription_limit(measured_time(model, config, paths), longest_s);
    let (lend, lent) = channel();
    let (spell, spelled) = channel();
    let (report, of) = (loading.one(), models.clone());
    let chosen = move || report.on(of.load_chosen(&lend));
    let chosen = Stt::loading(chosen, pulse.heart("whisper", limit))?;
    let (report, of) = (loading.one(), setup.clone());
    let quickest = move || report.on(models.load_quickest(&lent, &of, &spell));
    let quickest = Stt::loading(quickest, pulse.heart("interjections", limit))?;
    let names = setup.heard().map(|phrase| phrase.name.clone()).collect();
    let scorer = Scorer::new(quickest.0.lender());
    let confirmer = Confirmer::early(names, setup.onsets(), scorer, spelled);
    Ok(Readers { chosen, quickest, confirmer, trial, model, setup })
}

impl SpeechModels {
    fn checked(config: &Config, paths: &Paths, load: LoadWhisper) -> anyhow::Result<Self> {
        let (model, chosen) = chosen_whisper(config, paths)?;
        let trial = trial_beside(&chosen, config, paths)?;
        let quickest = quickest_whisper(config, &super::library(config, paths)?)?;
        let stt = config.hear.stt.clone();
        Whisper::check(&chosen, &stt)?;
        Whisper::check(&quickest, &stt)?;
        Ok(Self { model, chosen, quickest, trial, config: stt, load })
    }

    /// Loads the chosen model. Where both threads use one model, the other one gets its share through `lend`.
    fn load_chosen(&self, lend: &StdSender<Whisper>) -> anyhow::Result<Whisper> {
        if self.trial == TrialModel::Both {
            step_back(CHOSEN_NICENESS);
        }
        let whisper = (self.load)(&self.chosen, &self.config)?;
        if self.trial == TrialModel::Chosen {
            // Fails only when the other thread is gone.
            let _ = lend.send(whisper.sibling()?);
        }
        Ok(whisper)
    }

    fn load_quickest(
        &self,
        lent: &StdReceiver<Whisper>,
        setup: &WakeSetup,
        spell: &StdSender<Vec<PhraseThreshold>>,
    ) -> anyhow::Result<Whisper> {
        let mut whisper = match self.trial {
            TrialModel::Chosen => lent.recv().context("the speech model was not loaded")?,
            TrialModel::QuickestFirst | TrialModel::Both => (self.load)(&self.quickest, &self.config)?,
        };
        // Fails only when the listener has ended.
        let _ = spell.send(Wanting::new(setup, &mut whisper)?.spelled());
        Ok(whisper)
    }
}

/// Returns when a transcription counts as stuck: `measured` is what three seconds of speech took, `longest_s` the longest utterance.
fn transcription_limit(measured: Option<Duration>, longest_s: f64) -> Duration {
    let expected = measured.unwrap_or_default().mul_f64(longest_s / MEASURED_S);
    expected.saturating_mul(SLOWER).max(WHISPER_LIMIT)
}

/// Returns a sibling of the model that `local` lends, which shares its weights. Blocks until the model is free.
///
/// # Errors
/// The model is busy with other loans, was not free in time, or has ended.
pub(super) fn sibling(local: &Lender) -> anyhow::Result<Whisper> {
    let (share, shared) = channel();
    let is_lent = local.lend(move |whisper| {
        // Fails only when nobody waits any more.
        let _ = share.send(whisper.sibling());
    });
    anyhow::ensure!(is_lent, "the speech model is busy or has ended");
    Ok(shared.recv_timeout(SHARED_WITHIN).context("the speech model was not shared in time")??)
}

/// The thread that calls this, and those it starts, let others go first; the more the nicer, up to 19.
pub(super) fn step_back(niceness: i32) {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), niceness) {
        tracing::debug!(%error, "the priority of a thread can't be set");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_may_take_longer_for_the_longest_utterance_and_none_hangs_before_a_minute() {
        let limit = |millis, longest_s| {
            transcription_limit(Some(Duration::from_millis(millis)), longest_s).as_secs_f64().round()
        };
        assert_eq!(transcription_limit(None, 15.5), WHISPER_LIMIT, "nothing was measured");
        assert_eq!(limit(800, 15.5), 60.0);
        assert_eq!(limit(2_900, 15.5), 60.0);
        assert_eq!(limit(4_500, 15.5), 93.0);
        assert_eq!(limit(4_500, 28.5), 171.0);
    }
}
