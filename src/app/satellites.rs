//! Makes the service that serves ears, voice and conversation to rooms beyond this machine, and shows it on the status board.
//!
//! In: configuration, brain, the speech models of the local conversation. Out: a service, off until an address is configured.
//! It has models of its own, which share their weights with the local ones, on threads that let everybody else go first: a
//! request from another room does not hold up what is said here.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use super::ears::{listener_for, whisper_model};
use super::mouth::{VoicePlace, config_at, load_voice};
use super::readers::{LentReaders, sibling, step_back};
use super::wake::{WakeSetup, Wanting, wake_setup};
use crate::config::Config;
use crate::control::{SatellitesStatus, StatusBoard};
use joi_base::message::Private;
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_hear::Listener;
use joi_hear::score::Scorer;
use joi_hear::vad::Vad;
use joi_hear::wake::{Confirmer, PhraseThreshold, WakePhrase};
use joi_hear::whisper::{Lender, Stt, Whisper};
use joi_language::{Language, LanguageCode};
use joi_mcp::serve::{AskedAnswer, OutsideQuestion};
use joi_satellites::{
    AnswerFuture, EarModels, HearingOffer, SatelliteEars, SatelliteVoice, TEXT_LIMIT, VoiceOffer,
    WordAnswerer, WyomingAnnouncement, WyomingFigures, WyomingMeter, WyomingOffer, WyomingParts,
    WyomingTimes, serve_wyoming,
};
use joi_speak::LanguageVoice;

/// Priority of the threads: that of the language model. Whatever hears and speaks here goes first.
const NICENESS: i32 = 5;
/// Longest transcription and longest score of a stream; on a slow machine beside other work.
const WHISPER_LIMIT: Duration = Duration::from_secs(180);
/// Its end waits for the model, which looks for an abort between two steps.
const END_WITHIN: Duration = Duration::from_secs(15);
/// The conversation with satellites.
const ASKER: &str = "satellites";

/// What the service is made of, at each of its starts.
#[derive(Clone)]
struct SatelliteSetup {
    config: Config,
    paths: Paths,
    languages: Vec<Arc<Language>>,
    readers: LentReaders,
    /// The name of the chosen speech model.
    model: &'static str,
    pulse: Pulse,
}

/// The threads behind the server, with what they offer.
struct SatelliteEngines {
    offer: WyomingOffer,
    ears: SatelliteEars,
    voice: SatelliteVoice,
    /// Ended when they are dropped, which waits for them.
    models: Vec<Stt>,
}

/// Returns the service; nothing where no address is configured.
pub(super) fn wyoming(
    (config, paths): (&Config, &Paths),
    (brain, board): (&Brain, &StatusBoard),
    (readers, model): (LentReaders, joi_hear::whisper::SttModel),
    questions: mpsc::Sender<OutsideQuestion>,
) -> Option<Service> {
    let address = config.satellites.wyoming.address()?;
    let setup = SatelliteSetup {
        config: config.clone(),
        paths: paths.clone(),
        languages: brain.languages.all(),
        readers,
        model: whisper_model(model),
        pulse: board.pulse().clone(),
    };
    let meter = WyomingMeter::default();
    let name = announced_name(&config.satellites.wyoming.name);
    let (shown, at) = (meter.clone(), format!("{address}"));
    board.served_rooms(move || status(&at, shown.figures()));
    let run = move |context: ServiceContext| {
        let (setup, meter, name, questions) = (setup.clone(), meter.clone(), name.clone(), questions.clone());
        async move {
            let wyoming = setup.config.satellites.wyoming.clone();
            let listener = TcpListener::bind(address).await.with_context(|| {
                format!("cannot listen on {address} (satellites.wyoming.listen); choose another port")
            })?;
            let made = tokio::task::spawn_blocking(move || setup.engines());
            let SatelliteEngines { offer, ears, voice, models } =
                made.await.context("loading was given up")??;
            let converses = wyoming.conversation;
            let parts = WyomingParts {
                offer: WyomingOffer { converses, ..offer },
                ears: Some(ears),
                voice: Some(voice),
                answerer: converses.then(|| answerer(questions)),
                connections: (wyoming.connections as usize, wyoming.connections_of_a_peer as usize),
                times: WyomingTimes::default(),
                meter,
            };
            let announced = wyoming.announce.then(|| WyomingAnnouncement::new(&name, &host(), address));
            serve_wyoming(listener, parts, context.stop).await;
            // Both wait for threads.
            tokio::task::spawn_blocking(move || drop((announced, models))).await?;
            Ok(())
        }
    };
    let service = Service::new("satellites", "rooms beyond this machine are not served", run);
    Some(service.end_within(END_WITHIN))
}

impl SatelliteSetup {
    /// Loads everything. Blocks for seconds.
    fn engines(self) -> anyhow::Result<SatelliteEngines> {
        let wake = wake_setup(&self.config, &self.paths)?;
        let (chosen, quickest) = self.whispers()?;
        let (spell, spelled) = channel();
        let of = wake.clone();
        quickest.as_ref().unwrap_or(&chosen).lender().lend(move |whisper| {
            // Fails only when nobody waits any more.
            let _ = spell.send(Wanting::new(&of, whisper).map(Wanting::spelled));
        });
        let heard = || wake.heard().map(|phrase| phrase.name.clone()).collect();
        let (wanted, phrases): (_, Vec<String>) =
            match spelled.recv().context("the speech model has ended")? {
                Ok(wanted) => (wanted, heard()),
                Err(error) => {
                    tracing::warn!("satellites get no wake phrases: {error:#}");
                    Default::default()
                }
            };
        let lender = quickest.as_ref().unwrap_or(&chosen).lender();
        let ears = self.ears(chosen.lender(), WakeParts { wake, wanted, lender })?;
        let (voices, voice) = self.voices()?;
        let codes = self.languages.iter().map(|language| language.code().to_owned()).collect();
        let hearing = HearingOffer { model: self.model.to_owned(), languages: self.config.hear.stt.heard() };
        let offer =
            WyomingOffer { hearing: Some(hearing), voices, phrases, languages: codes, converses: false };
        Ok(SatelliteEngines {
            offer,
            ears,
            voice,
            models: [Some(chosen), quickest].into_iter().flatten().collect(),
        })
    }

    /// Returns the thread that transcribes, and the one that scores wake phrases where that is another model.
    fn whispers(&self) -> anyhow::Result<(Stt, Option<Stt>)> {
        let chosen = self.whisper("satellite whisper", &self.readers.chosen)?;
        let quickest = match self.readers.are_one {
            true => None,
            false => Some(self.whisper("satellite scorer", &self.readers.quickest)?),
        };
        Ok((chosen, quickest))
    }

    /// Returns a thread with a sibling of the model that `local` lends.
    fn whisper(&self, stage: &'static str, local: &Lender) -> anyhow::Result<Stt> {
        let sibling = sibling(local)?;
        let load = move || -> Option<Whisper> {
            step_back(NICENESS);
            Some(sibling)
        };
        Ok(Stt::loading(load, self.pulse.heart(stage, WHISPER_LIMIT))?.0)
    }

    fn ears(&self, lender: Lender, wake: WakeParts) -> anyhow::Result<SatelliteEars> {
        let library = super::library(&self.config, &self.paths)?;
        let (model, vad) = (std::fs::read(library.path("silero-vad")?)?, self.config.hear.vad.clone());
        let (config, paths) = (self.config.clone(), self.paths.clone());
        let models = EarModels {
            vad: Box::new(move || Vad::new(&model, &vad).map_err(|error| error.to_string())),
            listener: Box::new(move |names| {
                wake.listener(names, (&config, &paths)).map_err(|error| format!("{error:#}"))
            }),
            lender,
            trust: self.config.hear.trust.clone(),
        };
        let load = move || {
            step_back(NICENESS);
            models
        };
        Ok(SatelliteEars::spawn(load, self.pulse.heart("satellite ears", WHISPER_LIMIT))?)
    }

    /// Returns the voices that are offered, and their thread, on which they are loaded.
    fn voices(&self) -> anyhow::Result<(Vec<VoiceOffer>, SatelliteVoice)> {
        let (offer, offered) = channel();
        let setup = self.clone();
        let load = move || {
            // The threads of the speech engine are started here, and are as nice.
            step_back(NICENESS);
            let (offers, voices) = setup.loaded_voices();
            // Fails only when nobody waits any more.
            let _ = offer.send(offers);
            voices
        };
        let voice = SatelliteVoice::spawn(load, self.pulse.heart("satellite voice", TEXT_LIMIT))?;
        Ok((offered.recv().context("loading a voice was given up")?, voice))
    }

    /// Loads a voice for each language; nobody speaks one whose voice can't be loaded.
    fn loaded_voices(&self) -> (Vec<VoiceOffer>, Vec<LanguageVoice>) {
        let (mut offers, mut voices) = (Vec::new(), Vec::new());
        for language in &self.languages {
            let place = if voices.is_empty() { VoicePlace::First } else { VoicePlace::Further };
            match load_voice(&config_at(place, &self.config), &self.paths, language) {
                Ok((voice, choice)) => {
                    offers.push(VoiceOffer::new(choice.name, Arc::clone(language)));
                    voices.push(voice);
                }
                Err(error) => {
                    let code: LanguageCode = language.to_code();
                    tracing::warn!(%code, "no voice of a language for satellites: {error:#}");
                }
            }
        }
        (offers, voices)
    }
}

/// What a listener for wake phrases is made of.
struct WakeParts {
    wake: WakeSetup,
    /// As the scorer's model spells them.
    wanted: Vec<PhraseThreshold>,
    /// Lends the scorer's model.
    lender: Lender,
}

impl WakeParts {
    /// Returns what listens for the phrases of these names.
    fn listener(&self, names: &[String], (config, paths): (&Config, &Paths)) -> anyhow::Result<Listener> {
        let is_wanted = |name: &str| names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        let modelled: Vec<WakePhrase> =
            self.wake.modelled().into_iter().filter(|phrase| is_wanted(&phrase.name)).collect();
        let learnt: Vec<_> =
            self.wake.learnt.iter().filter(|phrase| is_wanted(&phrase.name)).cloned().collect();
        let wanted: Vec<_> =
            self.wanted.iter().filter(|wanted| is_wanted(wanted.phrase.written())).cloned().collect();
        let library = super::library(config, paths)?;
        let listener = listener_for((&modelled, &learnt), config, &library)?;
        let scorer = Scorer::new(self.lender.clone());
        Ok(listener.confirmed_by(Confirmer::new(wanted, self.wake.onsets(), scorer)))
    }
}

/// Returns what answers words: as those of another program, in a conversation of their own.
fn answerer(questions: mpsc::Sender<OutsideQuestion>) -> WordAnswerer {
    Arc::new(move |text: Private<String>| -> AnswerFuture {
        let questions = questions.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let cancel = CancellationToken::new();
            // Nobody waits any more when this is dropped.
            let _cancelled = cancel.clone().drop_guard();
            let question = OutsideQuestion { asker: ASKER, text, cancel, answer };
            if questions.try_send(question).is_err() {
                return Err("Other questions are being answered; ask again in a moment.".to_owned());
            }
            match answered.await {
                Ok(AskedAnswer { text, is_refused: false }) => Ok(text),
                Ok(AskedAnswer { text, is_refused: true }) => Err(text),
                Err(_) => Err("Joi is ending; ask again when it runs.".to_owned()),
            }
        })
    })
}

/// Returns the name of this machine, as far as it may stand in a name of mDNS.
pub(super) fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let first = name.split('.').next().unwrap_or_default();
    let plain: String = first.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(50).collect();
    if plain.is_empty() { "localhost".to_owned() } else { plain }
}

/// Returns the name under which the service is announced.
fn announced_name(configured: &str) -> String {
    match configured.trim() {
        "" => format!("joi-{}", host()),
        name => name.to_owned(),
    }
}

fn status(at: &str, figures: WyomingFigures) -> SatellitesStatus {
    let WyomingFigures { connections, requests, refused } = figures;
    SatellitesStatus { address: at.to_owned(), connections, requests, refused }
}
