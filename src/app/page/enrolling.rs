//! Records a wake phrase in the owner's voice from the page, with the microphone and the speech model of the room.
//!
//! One service. In: [`WakeDeed`]s, one after the other. Out: how far it has come. Each recording is scored at once by the
//! model that listens for phrases; comparing the phrase with other speech and keeping it is the work of `joi wake add`, which
//! is run for it, so that there is one way to enrol. The sound is forgotten with the last step, or after a while.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::adding::PhraseAddition;
use super::sound::PageSound;
use crate::app::daemon::{Service, ServiceContext};
use crate::app::tap::{MicrophoneTap, TapFault};
use crate::app::{distinguished, weakness};
use joi_audio::{Player, tone};
use joi_base::paths::Paths;
use joi_hear::enrol::{RECORDING, TAKES, TONE, Take, left_out, trimmed};
use joi_hear::score::{Phrase, normal};
use joi_hear::wake::PhraseBook;
use joi_hear::whisper::{Lender, Whisper};
use joi_page::{EnrolmentStage, EnrolmentView, PageFault, TakeView, WakeDeed};

/// Deeds that wait. When full, further ones are refused.
const DEEDS: usize = 2;
/// Longest wait for the model, which listens meanwhile.
const MODEL_WITHIN: Duration = Duration::from_secs(20);
/// Recordings that nobody goes on with are forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(15 * 60);
/// Rate of the tone that invites to speak.
const TONE_RATE: u32 = 48_000;

type EnrolmentDeed = (WakeDeed, oneshot::Sender<Result<(), PageFault>>);

/// Gives deeds to the service, and shows what came of them.
#[derive(Clone)]
pub(super) struct Enrolment {
    deeds: mpsc::Sender<EnrolmentDeed>,
    shown: watch::Receiver<Option<EnrolmentView>>,
}

impl Enrolment {
    /// Returns the phrase that is being recorded.
    pub(super) fn shown(&self) -> Option<EnrolmentView> {
        self.shown.borrow().clone()
    }

    /// Does this; returns when it is done.
    pub(super) async fn order(&self, deed: WakeDeed) -> Result<(), PageFault> {
        let (reply, done) = oneshot::channel();
        self.deeds.try_send((deed, reply)).map_err(|_| PageFault::NotYet)?;
        done.await.map_err(|_| PageFault::NotYet)?
    }
}

/// A recording: its score, and its sound.
struct ScoredRecording {
    take: Take,
    sound: Vec<f32>,
}

/// How far it has come.
enum EnrolmentPhase {
    Nothing,
    Recording { phrase: Phrase, takes: Vec<ScoredRecording>, until: Instant },
    Trying { phrase: String, adding: PhraseAddition },
    Done { phrase: String, stage: EnrolmentStage },
}

/// The service.
pub(super) struct Enrolling(Arc<Mutex<EnrollingParts>>);

struct EnrollingParts {
    deeds: mpsc::Receiver<EnrolmentDeed>,
    shown: watch::Sender<Option<EnrolmentView>>,
    phase: EnrolmentPhase,
    tap: MicrophoneTap,
    player: Player,
    scorer: Lender,
    paths: Paths,
}

impl Enrolling {
    /// Returns the service's parts, and what gives it deeds.
    pub(super) fn new(sound: &PageSound, paths: &Paths) -> (Self, Enrolment) {
        let (deeds, ordered) = mpsc::channel(DEEDS);
        let (shown, show) = watch::channel(None);
        let parts = EnrollingParts {
            deeds: ordered,
            shown,
            phase: EnrolmentPhase::Nothing,
            tap: sound.tap.clone(),
            player: sound.player.clone(),
            scorer: sound.readers.quickest.clone(),
            paths: paths.clone(),
        };
        (Self(Arc::new(Mutex::new(parts))), Enrolment { deeds, shown: show })
    }

    /// Returns the service.
    pub(super) fn service(self) -> Service {
        let parts = self.0;
        let run = move |context: ServiceContext| {
            let parts = Arc::clone(&parts);
            async move {
                let mut parts = parts.lock().await;
                // Nobody needs the result of a deed that is cut off at the end.
                tokio::select! {
                    () = context.stop.cancelled() => {}
                    () = parts.run() => context.stop.cancelled().await,
                }
                parts.phase = EnrolmentPhase::Nothing;
                Ok(())
            }
        };
        Service::new("page enrolment", "wake phrases are not recorded from the page", run)
    }
}

impl EnrollingParts {
    /// Does what is asked for until nobody can ask any more.
    async fn run(&mut self) {
        loop {
            // Both arms are cancel-safe.
            let next = tokio::select! {
                deed = self.deeds.recv() => deed,
                () = on(&mut self.phase) => {
                    self.show();
                    continue;
                }
            };
            let Some((deed, reply)) = next else { return };
            let done = self.obey(deed).await;
            self.show();
            // Fails only when nobody waits any more.
            let _ = reply.send(done);
        }
    }

    async fn obey(&mut self, deed: WakeDeed) -> Result<(), PageFault> {
        match deed {
            WakeDeed::Begin(phrase) => self.begin(&phrase).await,
            WakeDeed::Record => self.record().await,
            WakeDeed::Discard(at) => match &mut self.phase {
                EnrolmentPhase::Recording { takes, .. } if at < takes.len() => {
                    takes.remove(at);
                    Ok(())
                }
                _ => Err(PageFault::Gone),
            },
            WakeDeed::Keep => self.keep().await,
            WakeDeed::GiveUp => {
                self.phase = EnrolmentPhase::Nothing;
                Ok(())
            }
            WakeDeed::Remove(name) => {
                let file = PhraseBook::file(&self.paths.data);
                let removed = tokio::task::spawn_blocking(move || {
                    let mut book = PhraseBook::read(&file).map_err(PageFault::of)?;
                    let is_there = book.remove(&name.to_lowercase());
                    book.write(&file).map_err(PageFault::of)?;
                    if is_there { Ok(()) } else { Err(PageFault::Gone) }
                });
                removed.await.map_err(PageFault::of)?
            }
        }
    }

    async fn begin(&mut self, written: &str) -> Result<(), PageFault> {
        if matches!(self.phase, EnrolmentPhase::Recording { .. } | EnrolmentPhase::Trying { .. }) {
            return Err(PageFault::Recording);
        }
        let name = normal(written).unwrap_or_else(|| written.to_owned());
        let file = PhraseBook::file(&self.paths.data);
        let known =
            tokio::task::spawn_blocking(move || PhraseBook::read(&file)).await.map_err(PageFault::of)?;
        let known = known.map_err(PageFault::of)?;
        let alike = known.get(&name).map_or_else(Vec::new, |kept| kept.alike.clone());
        let spelled = move |whisper: &mut Whisper| {
            let phrase = Phrase::new(whisper, &name, &alike).map_err(PageFault::of)?;
            Ok(distinguished(phrase, &alike, whisper))
        };
        let phrase = self.lent(spelled).await?;
        self.phase =
            EnrolmentPhase::Recording { phrase, takes: Vec::new(), until: Instant::now() + FORGOTTEN_AFTER };
        Ok(())
    }

    async fn record(&mut self) -> Result<(), PageFault> {
        let EnrolmentPhase::Recording { phrase, takes, .. } = &self.phase else {
            return Err(PageFault::Gone);
        };
        if takes.len() >= *TAKES.end() {
            return Err(PageFault::Enough);
        }
        let (phrase, name) = (phrase.clone(), format!("recording {}", takes.len() + 1));
        // Without a speaker the words on the page must do.
        self.player.play_now(0, TONE_RATE, tone::acknowledge(TONE_RATE)).ok();
        let sound = self.tap.record(TONE + RECORDING).await.map_err(fault)?.split_off(TONE);
        let cut = trimmed(&sound).map_err(PageFault::of)?.to_vec();
        let judged =
            move |whisper: &mut Whisper| Take::judged(whisper, &phrase, name, &cut).map_err(PageFault::of);
        let take = self.lent(judged).await?;
        if let EnrolmentPhase::Recording { takes, until, .. } = &mut self.phase {
            takes.push(ScoredRecording { take, sound });
            *until = Instant::now() + FORGOTTEN_AFTER;
        }
        Ok(())
    }

    /// Has the phrase compared with other speech and kept.
    async fn keep(&mut self) -> Result<(), PageFault> {
        let EnrolmentPhase::Recording { phrase, takes, .. } = &self.phase else {
            return Err(PageFault::Gone);
        };
        let sounds: Vec<Vec<f32>> = takes.iter().map(|recorded| recorded.sound.clone()).collect();
        let (phrase, paths) = (phrase.written().to_owned(), self.paths.clone());
        let adding = PhraseAddition::begin(phrase.clone(), sounds, &paths).await.map_err(PageFault::of)?;
        self.phase = EnrolmentPhase::Trying { phrase, adding };
        Ok(())
    }

    /// Does work with the model that listens for phrases.
    async fn lent<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Whisper) -> Result<T, PageFault> + Send + 'static,
    ) -> Result<T, PageFault> {
        let (reply, answer) = oneshot::channel();
        let is_taken = self.scorer.lend(move |whisper| {
            // Fails only when nobody waits any more.
            let _ = reply.send(work(whisper));
        });
        if !is_taken {
            return Err(PageFault::NotYet);
        }
        timeout(MODEL_WITHIN, answer).await.map_err(|_| PageFault::NotYet)?.map_err(|_| PageFault::NotYet)?
    }

    fn show(&self) {
        self.shown.send_replace(view(&self.phase));
    }
}

/// Waits until something happens by itself, which is done; nothing else does so without a deed.
async fn on(phase: &mut EnrolmentPhase) {
    match phase {
        EnrolmentPhase::Nothing | EnrolmentPhase::Done { .. } => std::future::pending().await,
        EnrolmentPhase::Recording { until, .. } => {
            sleep_until(*until).await;
            *phase = EnrolmentPhase::Nothing;
        }
        EnrolmentPhase::Trying { phrase, adding } => {
            let stage = match adding.end().await {
                Ok(score) => EnrolmentStage::Added(score),
                Err(why) => EnrolmentStage::Failed(why),
            };
            *phase = EnrolmentPhase::Done { phrase: std::mem::take(phrase), stage };
        }
    }
}

fn fault(fault: TapFault) -> PageFault {
    match fault {
        TapFault::Muted => PageFault::Muted,
        TapFault::Busy => PageFault::NotYet,
        TapFault::Gone(_) | TapFault::Silent => PageFault::of(fault),
    }
}

fn view(phase: &EnrolmentPhase) -> Option<EnrolmentView> {
    let (phrase, stage) = match phase {
        EnrolmentPhase::Nothing => return None,
        EnrolmentPhase::Recording { phrase, takes, .. } => (phrase.written().to_owned(), recorded(takes)),
        EnrolmentPhase::Trying { phrase, .. } => (phrase.clone(), EnrolmentStage::Trying),
        EnrolmentPhase::Done { phrase, stage } => (phrase.clone(), stage.clone()),
    };
    let weakness = weakness(&phrase);
    Some(EnrolmentView { phrase, weakness, stage })
}

fn recorded(takes: &[ScoredRecording]) -> EnrolmentStage {
    let all: Vec<Take> = takes.iter().map(|recorded| recorded.take.clone()).collect();
    let judged = all.iter().zip(left_out(&all)).map(|(take, one)| TakeView {
        score: take.margin,
        heard: take.text.clone(),
        refused: one.refused,
    });
    EnrolmentStage::Recording { takes: judged.collect(), asked: joi_hear::enrol::LEAST_MARGIN }
}
