//! Chooses the wake phrases and their means: from what is configured, what was added, and what the machine can do.
//!
//! Called at start. In: configuration, the user's added phrases, a measurement that is remembered. Out: the
//! second stage of the listener.

use super::ears::{chosen_whisper, quickest_whisper};
use super::learnt::{LearntPhrase, learnt, learnt_by_name};
use super::measured::{measured_once, places, remembered};
use crate::config::Config;
use joi_base::paths::Paths;
use joi_hear::score::{ACCEPT, BUDGET, Phrase, Scorer, ScorerTime, syllables};
use joi_hear::wake::{Confirmer, Onsets, PhraseBook, PhraseThreshold, WakeMode, WakePhrase};
use joi_hear::whisper::{Lender, SttError, Whisper};

/// How wake phrases are detected.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeSetup {
    /// [`WakeMode::Stock`] or [`WakeMode::Scored`].
    pub mode: WakeMode,
    /// Why, for people.
    pub why: String,
    /// All phrases: those of the configuration, then those that were added.
    pub phrases: Vec<WakePhrase>,
    /// Whether speech that a model excludes as a phrase is not scored.
    pub spares: bool,
    /// Templates of phrases from recordings; nothing where phrases are scored, which confuses less.
    pub learnt: Vec<LearntPhrase>,
}

impl WakeSetup {
    /// Returns the phrases that are listened for.
    pub fn heard(&self) -> impl Iterator<Item = &WakePhrase> {
        self.phrases.iter().filter(|phrase| self.hears(phrase))
    }

    /// Returns the phrases that are not, for want of a model and a faster machine.
    pub fn unheard(&self) -> impl Iterator<Item = &WakePhrase> {
        self.phrases.iter().filter(|phrase| !self.hears(phrase))
    }

    /// Returns the phrases as their models listen for them. "hey joi" sounds like the beginning of "hey jarvis" to
    /// the model of that; so where the scorer listens as well, a model wakes joi by itself only with a third of the
    /// doubt that is usual, and the scorer settles what lies between. A cutoff of the owner's own is kept.
    pub(super) fn modelled(&self) -> Vec<WakePhrase> {
        let surer = |phrase: &WakePhrase| match phrase.stock() {
            Some(stock) if self.mode == WakeMode::Scored && phrase.cutoff.is_none() => {
                WakePhrase { cutoff: Some(1.0 - (1.0 - stock.cutoff) / 3.0), ..phrase.clone() }
            }
            _ => phrase.clone(),
        };
        self.phrases.iter().map(surer).collect()
    }

    /// Returns where phrases without a model are looked for.
    pub(super) fn onsets(&self) -> Onsets {
        match (&self.mode, self.spares) {
            (WakeMode::Scored, true) => Onsets::Likely,
            (WakeMode::Scored, false) => Onsets::On,
            _ => Onsets::Off,
        }
    }

    fn hears(&self, phrase: &WakePhrase) -> bool {
        self.mode == WakeMode::Scored || phrase.stock().is_some() || self.is_learnt(phrase)
    }

    /// Returns whether it is known from recordings alone.
    pub fn is_learnt(&self, phrase: &WakePhrase) -> bool {
        let name = phrase.name.to_lowercase();
        self.learnt.iter().any(|learnt| learnt.name == name)
    }
}

/// No phrase would be listened for: what was configured cannot be used. Where a machine turns out to be too slow for its
/// phrases, that is reported, and everything but the voice goes on.
///
/// # Errors
/// It is so.
pub(super) fn hears_something(setup: &WakeSetup, config: &Config) -> anyhow::Result<()> {
    if setup.heard().next().is_some() {
        return Ok(());
    }
    anyhow::ensure!(
        config.hear.wake.mode != WakeMode::Stock,
        "hear.wake.mode is \"stock\", and none of hear.wake.phrases has a model or recordings that can be used; \
         add \"hey jarvis\", or set hear.wake.mode = \"auto\""
    );
    tracing::warn!("no wake phrase is listened for: {}", wake_summary(setup));
    Ok(())
}

/// Measures which speech model and which means of detection this machine is fast enough for, where that is not known yet
/// and is left to it: some seconds, which nobody has to wait for at the first start then.
///
/// # Errors
/// A model is missing.
pub fn measure_hearing(config: &Config, paths: &Paths) -> anyhow::Result<()> {
    chosen_whisper(config, paths)?;
    wake_setup(config, paths)?;
    Ok(())
}

/// Returns the phrases and the setup. Measuring takes about a second, and is remembered.
///
/// # Errors
/// No model is there to measure with.
pub fn wake_setup(config: &Config, paths: &Paths) -> anyhow::Result<WakeSetup> {
    let phrases = phrases(config, paths);
    let (mode, why) = match config.hear.wake.mode {
        WakeMode::Auto if phrases.iter().all(|phrase| phrase.stock().is_some()) => {
            (WakeMode::Stock, "every phrase has a model".into())
        }
        WakeMode::Auto => {
            let time = scorer_time(config, paths)?;
            let mode = if time.is_fast() { WakeMode::Scored } else { WakeMode::Stock };
            (mode, format!("scoring takes {} ms, at most {} ms is fast", time.millis, BUDGET.as_millis()))
        }
        mode => (mode, "configured".into()),
    };
    let spares = config.hear.wake.mode == WakeMode::Auto && phrases.iter().all(WakePhrase::can_reject);
    let learnt = if mode == WakeMode::Scored { Vec::new() } else { learnt(&phrases, paths) };
    Ok(WakeSetup { mode, why, phrases, spares, learnt })
}

/// Returns the phrase that is shown to users and that the name comes from: the first one that is listened for. Nothing is measured
/// for it: a machine counts as fast until it is known to be slow.
pub fn first_phrase(config: &Config, paths: &Paths) -> Option<String> {
    let phrases = phrases(config, paths);
    let needs_model = match config.hear.wake.mode {
        WakeMode::Stock => true,
        WakeMode::Scored => false,
        WakeMode::Auto => {
            let library = super::library(config, paths).ok();
            let places = library.map(|library| places(paths, &library, MEMORY));
            let time: Option<ScorerTime> = places.and_then(|places| remembered(&places, config));
            time.is_some_and(|time| !time.is_fast())
        }
    };
    let learnt = if needs_model { learnt_by_name(&phrases, paths) } else { Vec::new() };
    let mode = if needs_model { WakeMode::Stock } else { WakeMode::Scored };
    let setup = WakeSetup { mode, why: String::new(), phrases, spares: false, learnt };
    setup.heard().next().map(|phrase| phrase.name.clone())
}

/// Returns all phrases, configured and added. Where those that were added cannot be read, that is logged, and the others
/// are listened for.
pub(super) fn phrases(config: &Config, paths: &Paths) -> Vec<WakePhrase> {
    let book = PhraseBook::read(&PhraseBook::file(&paths.data)).unwrap_or_else(|error| {
        tracing::warn!(%error, "phrases that were added are not listened for");
        PhraseBook::default()
    });
    book.with(&config.hear.wake.phrases)
}

fn scorer_time(config: &Config, paths: &Paths) -> anyhow::Result<ScorerTime> {
    let library = super::library(config, paths)?;
    measured_once(&places(paths, &library, MEMORY), config, "scorer", || {
        let mut whisper = Whisper::load(&quickest_whisper(config, &library)?, &config.hear.stt)?;
        Ok(ScorerTime::measure(&mut whisper)?)
    })
}

/// The file that remembers how long scoring takes.
const MEMORY: &str = "scorer-choice.json";

/// The properties of the phrases that are needed before the model is on its thread.
pub(super) struct Wanting {
    wanted: Vec<PhraseThreshold>,
    onsets: Onsets,
}

impl Wanting {
    /// Spells the phrases. One that cannot be scored is reported, and heard by its model if it has one.
    ///
    /// # Errors
    /// No phrase is left to listen for.
    pub(super) fn new(setup: &WakeSetup, whisper: &mut Whisper) -> anyhow::Result<Self> {
        let onsets = setup.onsets();
        let mut wanted = Vec::new();
        let mut refused = None;
        for phrase in setup.heard() {
            match Phrase::new(whisper, &phrase.name, &phrase.alike) {
                Ok(spelled) => {
                    let spelled = distinguished(spelled, &phrase.alike, whisper);
                    wanted.push(PhraseThreshold { phrase: spelled, margin: phrase.margin.unwrap_or(ACCEPT) });
                }
                Err(_) if phrase.stock().is_some() || setup.is_learnt(phrase) => {}
                Err(error) => {
                    tracing::warn!(%error, "a wake phrase is not listened for");
                    refused = Some(error);
                }
            }
        }
        let has_models = setup.heard().any(|phrase| phrase.stock().is_some() || setup.is_learnt(phrase));
        match refused {
            Some(error) if wanted.is_empty() && !has_models => Err(error.into()),
            _ => Ok(Self { wanted, onsets }),
        }
    }

    /// Returns the phrases as they are spelled.
    pub(super) fn spelled(self) -> Vec<PhraseThreshold> {
        self.wanted
    }

    pub(super) fn confirmer(self, lender: Lender) -> Confirmer {
        Confirmer::new(self.wanted, self.onsets, Scorer::new(lender))
    }
}

/// Returns the phrase with what sounds like it; alone when the model fails at that, which it will report again.
pub fn distinguished(phrase: Phrase, alike: &[String], whisper: &mut Whisper) -> Phrase {
    let with: Result<Phrase, SttError> = phrase.clone().with_rivals(whisper, alike);
    with.unwrap_or_else(|error| {
        tracing::warn!(%error, phrase = phrase.written(), "a phrase is not told from what sounds like it");
        phrase
    })
}

/// Returns the wake phrases and their means in a sentence or two.
pub fn wake_summary(setup: &WakeSetup) -> String {
    let quoted = |phrases: Vec<&WakePhrase>| {
        phrases.iter().map(|phrase| format!("\"{}\"", phrase.name)).collect::<Vec<_>>().join(", ")
    };
    let how = match setup.mode {
        WakeMode::Scored => "any written phrase is heard",
        WakeMode::Stock | WakeMode::Auto if setup.learnt.is_empty() => "only phrases with a model are heard",
        WakeMode::Stock | WakeMode::Auto => "only phrases with a model, or recorded, are heard",
    };
    let unheard = quoted(setup.unheard().collect());
    let but = if unheard.is_empty() { String::new() } else { format!(", not {unheard}") };
    format!("{}{but}; {how} ({})", quoted(setup.heard().collect()), setup.why)
}

/// Returns what speaks against a phrase, though it can be used.
pub fn weakness(phrase: &str) -> Option<String> {
    let count = syllables(phrase);
    (count < 3).then(|| {
        format!(
            "\"{phrase}\" has {count} syllables; with three or more, fewer other words would be taken for it"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_scorer_a_model_must_be_surer_unless_its_owner_says_otherwise() {
        let own = WakePhrase { cutoff: Some(0.8), ..WakePhrase::new("alexa") };
        let phrases =
            vec![WakePhrase::new("hey joi"), WakePhrase::new("hey jarvis"), WakePhrase::new("alexa"), own];
        let cutoffs = |mode| {
            let setup = WakeSetup {
                mode,
                why: String::new(),
                phrases: phrases.clone(),
                spares: false,
                learnt: vec![],
            };
            let thousandths = |cutoff: f32| (cutoff * 1000.0).round();
            setup.modelled().iter().map(|phrase| phrase.cutoff.map(thousandths)).collect::<Vec<_>>()
        };
        assert_eq!(cutoffs(WakeMode::Scored), [None, Some(990.0), Some(967.0), Some(800.0)]);
        assert_eq!(cutoffs(WakeMode::Stock), [None, None, None, Some(800.0)]);
    }

    #[test]
    fn only_stock_phrases_are_separated_from_other_speech_by_a_model() {
        let told = |phrase: WakePhrase| phrase.can_reject();
        assert!(told(WakePhrase::new("hey joi")) && told(WakePhrase::new("Hey Jarvis")));
        assert!(!told(WakePhrase::new("hey computer")), "it was not measured");
        assert!(
            !told(WakePhrase { margin: Some(-3.5), ..WakePhrase::new("hey joi") }),
            "a voice was enrolled"
        );
        assert!(!told(WakePhrase { alike: vec!["hi joy".into()], ..WakePhrase::new("hey joi") }));
        let onsets = |mode, spares| {
            WakeSetup { mode, why: String::new(), phrases: vec![], spares, learnt: vec![] }.onsets()
        };
        assert_eq!(onsets(WakeMode::Scored, true), Onsets::Likely);
        assert_eq!(
            (onsets(WakeMode::Scored, false), onsets(WakeMode::Stock, true)),
            (Onsets::On, Onsets::Off)
        );
    }

    #[test]
    fn phrases_that_can_not_be_read_cost_none_of_the_configured_ones() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Paths::discover().unwrap();
        paths.data = folder.path().to_owned();
        let file = PhraseBook::file(&paths.data);
        for damaged in [&b""[..], b"{half", b"\xff\xfe", br#"{"phrases":[{"name":7}]}"#] {
            std::fs::write(&file, damaged).unwrap();
            let config = Config::default();
            assert_eq!(phrases(&config, &paths), config.hear.wake.phrases);
            assert_eq!(std::fs::read(&file).unwrap(), damaged, "it is kept");
        }
    }
}
