//! What the page shows of the running program, and what it does there.
//!
//! Any task. In: the status board, the brain, the sound. Out: views of them for `joi-page`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::enrolling::Enrolment;
use super::hearing::PageHearing;
use super::settings::{text_of, values};
use super::sound::PageSound;
use super::typing::TypedText;
use crate::app::Brain;
use crate::app::awareness::Awareness;
use crate::app::goals::handle::GoalsHandle;
use crate::config::Config;
use crate::control::{DeviceStatus, MuteCommand, StatusBoard};
use joi_agent::Engine;
use joi_audio::Volume;
use joi_autonomy::watch::Watches;
use joi_base::clock::Clock;
use joi_base::message::{AlarmRequest, OutsideRequest, Private};
use joi_base::paths::Paths;
use joi_base::trace::TurnRecord;
use joi_language::Languages;
use joi_llm::{FileExaminer, Mind};
use joi_page::{DeviceView, LiveFeed, NowHost, NowView, PageFault, WhyHost};
use joi_schedule::announce::Announcer;
use joi_schedule::{Schedule, ScheduleOrder};
use joi_store::Store;

/// The running program, as the page sees it.
pub(super) struct RunningHost {
    pub(super) board: StatusBoard,
    pub(super) config: Config,
    pub(super) paths: Paths,
    /// The values of the configuration file when the program was started.
    pub(super) file_at_start: BTreeMap<String, toml::Value>,
    /// Held while the configuration file is written.
    pub(super) writing: tokio::sync::Mutex<()>,
    pub(super) engine: Arc<Engine<Mind>>,
    pub(super) schedule: Option<Schedule>,
    pub(super) watches: Option<Watches>,
    pub(super) announcer: Announcer,
    pub(super) awareness: Awareness,
    /// Remembers the heads of model files.
    pub(super) examiner: FileExaminer,
    pub(super) languages: Languages,
    pub(super) clock: Arc<dyn Clock>,
    store: Option<Store>,
    pub(super) goals: GoalsHandle,
    pub(super) sound: PageSound,
    pub(super) enrolment: Enrolment,
    hearing: PageHearing,
    texts: mpsc::Sender<TypedText>,
    /// Ends the answers to what was typed.
    typed: Mutex<CancellationToken>,
}

impl RunningHost {
    pub(super) fn new(
        (config, paths): (&Config, &Paths),
        brain: &Brain,
        board: &StatusBoard,
        (sound, enrolment): (PageSound, Enrolment),
        texts: mpsc::Sender<TypedText>,
    ) -> Self {
        Self {
            board: board.clone(),
            config: config.clone(),
            paths: paths.clone(),
            // It was read a moment ago.
            file_at_start: values(&text_of(&paths.config).unwrap_or_default()),
            writing: tokio::sync::Mutex::default(),
            engine: Arc::clone(&brain.engine),
            schedule: brain.schedule.clone(),
            watches: brain.watches.clone(),
            announcer: brain.announcer.clone(),
            awareness: brain.awareness.clone(),
            examiner: FileExaminer::default(),
            languages: brain.languages.clone(),
            clock: Arc::clone(&brain.clock),
            store: brain.store.clone(),
            goals: brain.goals.clone(),
            hearing: PageHearing::new(config, paths, sound.readers.chosen.clone()),
            sound,
            enrolment,
            texts,
            typed: Mutex::default(),
        }
    }

    pub(super) fn store(&self) -> Result<&Store, PageFault> {
        self.store.as_ref().ok_or_else(|| PageFault::of("there is no database; `joi doctor` shows why"))
    }
}

pub(super) fn device(device: &DeviceStatus) -> DeviceView {
    match device {
        DeviceStatus::Pending => DeviceView::Pending,
        DeviceStatus::Device(name) => DeviceView::Works(name.clone()),
        DeviceStatus::Fault(why) => DeviceView::Fault(why.clone()),
    }
}

impl NowHost for RunningHost {
    fn now(&self) -> NowView {
        let status = self.board.status();
        let has_speaker = matches!(status.speaker, DeviceStatus::Device(_));
        NowView {
            name: self.engine.name().to_owned(),
            state: status.shown.state.name().to_owned(),
            note: status.shown.note.clone(),
            is_muted: status.muted,
            microphone: device(&status.microphone),
            speaker: device(&status.speaker),
            volume: has_speaker.then(|| self.sound.player.volume().as_percent()),
            model: status.models.chat,
            house: status.home.map(|home| home.told),
            alarms: status.alarms,
        }
    }

    fn live(&self) -> LiveFeed {
        self.board.live()
    }

    fn level_db(&self) -> Option<f32> {
        let meter = self.sound.meter.as_ref().filter(|_| !self.board.mute().is_muted());
        meter.map(joi_audio::LevelMeter::level_db)
    }

    fn ask(&self, text: Private<String>) -> Result<(), PageFault> {
        let cancel = self.typed.lock().unwrap_or_else(PoisonError::into_inner).child_token();
        self.texts.try_send(TypedText { text, cancel }).map_err(|_| PageFault::NotYet)
    }

    async fn understand(&self, samples: Vec<f32>) -> Result<Private<String>, PageFault> {
        self.hearing.words(samples).await
    }

    async fn set_mute(&self, is_muted: bool) -> Result<(), PageFault> {
        let board = self.board.clone();
        let order = if is_muted { MuteCommand::Mute } else { MuteCommand::Unmute };
        let turned =
            tokio::task::spawn_blocking(move || board.turn_mute(order)).await.map_err(PageFault::of)?;
        turned.fault.map_or(Ok(()), |fault| Err(PageFault::of(fault)))
    }

    fn listen(&self) -> Result<(), PageFault> {
        if self.board.mute().is_muted() {
            return Err(PageFault::Muted);
        }
        let is_open = matches!(self.now().microphone, DeviceView::Works(_));
        let is_taken = is_open && self.board.request(OutsideRequest::Listen);
        if is_taken { Ok(()) } else { Err(PageFault::NotYet) }
    }

    async fn stop(&self) -> Result<(), PageFault> {
        let typed = std::mem::take(&mut *self.typed.lock().unwrap_or_else(PoisonError::into_inner));
        typed.cancel();
        let is_taken = self.board.request(OutsideRequest::Stop);
        if self.board.status().alarms > 0 {
            let (told, _) = tokio::sync::oneshot::channel();
            // They are silent at once; how many there were is on the page.
            let _ = self.board.alarm(AlarmRequest::Acknowledge(told));
        }
        if let Some(schedule) = &self.schedule {
            schedule.obey(ScheduleOrder::Silence).await.map_err(PageFault::of)?;
        }
        if is_taken { Ok(()) } else { Err(PageFault::NotYet) }
    }

    fn set_volume(&self, percent: u8) -> Result<(), PageFault> {
        self.sound.player.set_volume(Volume::percent(percent));
        Ok(())
    }
}

impl WhyHost for RunningHost {
    async fn turns(&self, most: u32) -> Result<Vec<TurnRecord>, PageFault> {
        self.store()?.turns(most).await.map_err(PageFault::of)
    }
}
