//! What she is doing and how she is, for everybody who wants to know.
//!
//! Any thread publishes, under one short lock and without ever waiting; subscribers read from a bounded
//! queue, and one that lags behind is told so. What is shown follows one rule: the owner's switch beats
//! everything, then what she can't do, then what she does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use tokio::sync::{broadcast, mpsc, watch};

use super::gauge::Gauge;
use super::journal::{Journal, LogCounts};
use super::mute::{MuteCommand, MuteOutcome, PersistentMute};
use super::status::{
    BackupStatus, ChatStatus, Counters, DeviceStatus, HomeStatus, MessagesStatus, Models, ServiceRow,
    SoundStatus, StateEvent, Status,
};
use joi_audio::{EchoMeter, MuteSwitch};
use joi_base::clock::Clock;
use joi_base::machine::MachineHealth;
use joi_base::message::{Activity, AlarmRequest, OutsideRequest};
use joi_base::pulse::Pulse;

/// Changes a subscriber has not read yet. One that is further behind loses its subscription.
const CHANGES: usize = 64;

/// What a board is made of.
pub struct StatusBoardParts {
    /// The microphone's switch.
    pub mute: PersistentMute,
    /// The hearts of the stages.
    pub pulse: Pulse,
    /// Warnings and errors.
    pub journal: Journal,
    /// Tells the time of a change.
    pub clock: Arc<dyn Clock>,
}

/// What she is doing and how she is. Clones are the same board.
#[derive(Clone)]
pub struct StatusBoard(Arc<BoardShared>);

struct BoardShared {
    parts: StatusBoardParts,
    born: Instant,
    facts: Mutex<BoardFacts>,
    changes: broadcast::Sender<StateEvent>,
    settled: watch::Sender<bool>,
    /// Microphone and speaker work.
    working: watch::Sender<bool>,
}

/// Whoever takes requests about alarms.
struct AlarmLine {
    requests: mpsc::Sender<AlarmRequest>,
    /// How many ring.
    count: Box<dyn Fn() -> usize + Send + Sync>,
}

struct BoardFacts {
    activity: Activity,
    services: Vec<ServiceRow>,
    microphone: DeviceStatus,
    speaker: DeviceStatus,
    models: Models,
    queues: Vec<Gauge>,
    sound: Option<Box<dyn Fn() -> SoundStatus + Send + Sync>>,
    echo: Option<EchoMeter>,
    counters: Counters,
    requests: Option<mpsc::Sender<OutsideRequest>>,
    chat: Option<Box<dyn Fn() -> ChatStatus + Send + Sync>>,
    home: Option<Box<dyn Fn() -> HomeStatus + Send + Sync>>,
    messages: Option<Box<dyn Fn() -> MessagesStatus + Send + Sync>>,
    backups: Option<Box<dyn Fn() -> BackupStatus + Send + Sync>>,
    machine: Option<Arc<dyn Fn() -> MachineHealth + Send + Sync>>,
    timers: Option<Box<dyn Fn() + Send + Sync>>,
    alarms: Option<AlarmLine>,
    is_ringing: bool,
    shown: StateEvent,
}

impl BoardFacts {
    /// What she does, a ring before her own voice.
    fn does(&self) -> Activity {
        match self.activity {
            Activity::Idle | Activity::Speaking if self.is_ringing => Activity::Timer,
            activity => activity,
        }
    }
}

/// The present state and every change after it.
pub struct Subscription {
    /// What is shown at the moment of subscribing.
    pub now: StateEvent,
    changes: broadcast::Receiver<StateEvent>,
}

/// A subscriber was so slow that changes were lost, or the board is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("you read too slowly; connect again")]
pub struct Lagged;

impl Subscription {
    /// The next change. Cancel-safe.
    pub async fn next(&mut self) -> Result<StateEvent, Lagged> {
        self.changes.recv().await.map_err(|_| Lagged)
    }
}

impl StatusBoard {
    /// A board of somebody who rests and has opened no device yet.
    pub fn new(parts: StatusBoardParts) -> Self {
        let (activity, microphone, speaker) = (Activity::Idle, DeviceStatus::Pending, DeviceStatus::Pending);
        let (state, note) = shown(parts.mute.switch().is_muted(), activity, [&microphone, &speaker], &[]);
        let facts = BoardFacts {
            activity,
            services: Vec::new(),
            microphone,
            speaker,
            models: Models::default(),
            queues: Vec::new(),
            sound: None,
            echo: None,
            counters: Counters::default(),
            requests: None,
            chat: None,
            home: None,
            messages: None,
            backups: None,
            machine: None,
            timers: None,
            alarms: None,
            is_ringing: false,
            shown: StateEvent { state, at: moment(&*parts.clock), note },
        };
        Self(Arc::new(BoardShared {
            parts,
            born: Instant::now(),
            facts: Mutex::new(facts),
            changes: broadcast::channel(CHANGES).0,
            settled: watch::channel(false).0,
            working: watch::channel(false).0,
        }))
    }

    /// She does this from here on.
    pub fn does(&self, activity: Activity) {
        self.change(|facts| facts.activity = activity);
    }

    /// The services of the daemon are like this from here on.
    pub fn services(&self, services: Vec<ServiceRow>) {
        self.change(|facts| facts.services = services);
    }

    /// The microphone is this one, or missing.
    pub fn microphone(&self, device: DeviceStatus) {
        self.change(|facts| facts.microphone = device);
        self.0.settled.send_replace(true);
        self.note_devices();
    }

    /// The speaker is this one, or missing.
    pub fn speaker(&self, device: DeviceStatus) {
        self.change(|facts| facts.speaker = device);
        self.note_devices();
    }

    /// These models hear and speak.
    pub fn models(&self, whisper: String, voice: String) {
        self.change(|facts| facts.models = Models { whisper, voice, ..Models::default() });
    }

    /// This tells from here on how the house is connected.
    pub fn home(&self, told: impl Fn() -> HomeStatus + Send + Sync + 'static) {
        self.change(|facts| facts.home = Some(Box::new(told)));
    }

    /// This tells from here on how messages leave the house.
    pub fn messages(&self, told: impl Fn() -> MessagesStatus + Send + Sync + 'static) {
        self.change(|facts| facts.messages = Some(Box::new(told)));
    }

    /// This tells from here on how automatic backups are.
    pub fn backups(&self, told: impl Fn() -> BackupStatus + Send + Sync + 'static) {
        self.change(|facts| facts.backups = Some(Box::new(told)));
    }

    /// This tells from here on how the machine is.
    pub fn machine(&self, told: impl Fn() -> MachineHealth + Send + Sync + 'static) {
        self.change(|facts| facts.machine = Some(Arc::new(told)));
    }

    /// This tells from here on which chat model serves.
    pub fn chat_model(&self, told: impl Fn() -> ChatStatus + Send + Sync + 'static) {
        self.change(|facts| facts.chat = Some(Box::new(told)));
    }

    /// The conversation takes requests here from now on.
    pub fn takes_requests(&self, requests: mpsc::Sender<OutsideRequest>) {
        self.change(|facts| facts.requests = Some(requests));
    }

    /// Hands a request to the conversation; tells whether it was taken. It never waits.
    #[must_use]
    pub fn request(&self, request: OutsideRequest) -> bool {
        self.facts().requests.as_ref().is_some_and(|requests| requests.try_send(request).is_ok())
    }

    /// Whoever is told here looks at the timers again from now on.
    pub fn takes_timers(&self, look_again: impl Fn() + Send + Sync + 'static) {
        self.change(|facts| facts.timers = Some(Box::new(look_again)));
    }

    /// Timers were changed by another program; tells whether somebody looks.
    #[must_use]
    pub fn timers_changed(&self) -> bool {
        let facts = self.facts();
        facts.timers.as_ref().is_some_and(|look_again| {
            look_again();
            true
        })
    }

    /// Whoever is behind it takes requests about alarms from now on; `count` tells how many ring.
    pub fn takes_alarms(
        &self,
        requests: mpsc::Sender<AlarmRequest>,
        count: impl Fn() -> usize + Send + Sync + 'static,
    ) {
        self.change(|facts| facts.alarms = Some(AlarmLine { requests, count: Box::new(count) }));
    }

    /// Hands on a request about alarms; tells whether it was taken. It never waits.
    #[must_use]
    pub fn alarm(&self, request: AlarmRequest) -> bool {
        self.facts().alarms.as_ref().is_some_and(|line| line.requests.try_send(request).is_ok())
    }

    /// Something rings, or nothing does any more.
    pub fn rings(&self, is_ringing: bool) {
        self.change(|facts| facts.is_ringing = is_ringing);
    }

    /// A spoken turn is over, whose answer was heard so many milliseconds after the last word.
    pub fn turn_over(&self, audible_ms: Option<f64>) {
        self.change(|facts| facts.counters.turn_over(audible_ms));
    }

    /// Shows from here on how full these queues are.
    pub fn queues(&self, gauges: Vec<Gauge>) {
        self.change(|facts| facts.queues.extend(gauges));
    }

    /// Shows how much sound was lost since the start, and how late the devices are, from here on.
    pub fn sound(&self, told: impl Fn() -> SoundStatus + Send + Sync + 'static) {
        self.change(|facts| facts.sound = Some(Box::new(told)));
    }

    /// Shows how well her voice is kept out of her ears from here on.
    pub fn echo(&self, meter: EchoMeter) {
        self.change(|facts| facts.echo = Some(meter));
    }

    /// Obeys the owner and shows it. Blocks while the position is stored.
    pub fn turn_mute(&self, order: MuteCommand) -> MuteOutcome {
        let turned = self.0.parts.mute.turn(order);
        self.change(|_| {});
        if let Some(fault) = &turned.fault {
            tracing::warn!(%fault, "the switch's position is not kept");
        }
        turned
    }

    /// The microphone's switch.
    pub fn mute(&self) -> &MuteSwitch {
        self.0.parts.mute.switch()
    }

    /// How many warnings and errors were logged.
    pub fn logged(&self) -> LogCounts {
        self.0.parts.journal.counts()
    }

    /// The hearts of the stages.
    pub fn pulse(&self) -> &Pulse {
        &self.0.parts.pulse
    }

    /// The present state and every change after it: none is lost and none told twice.
    pub fn subscribe(&self) -> Subscription {
        let facts = self.facts();
        Subscription { now: facts.shown.clone(), changes: self.0.changes.subscribe() }
    }

    /// Waits until she listens, or knows that there is no microphone. Cancel-safe.
    pub async fn settled(&self) {
        // The board holds the sender, so this does not fail.
        let _ = self.0.settled.subscribe().wait_for(|settled| *settled).await;
    }

    /// Waits until both microphone and speaker work. Cancel-safe.
    pub async fn devices_work(&self) {
        // The board holds the sender, so this does not fail.
        let _ = self.0.working.subscribe().wait_for(|working| *working).await;
    }

    fn note_devices(&self) {
        let facts = self.facts();
        let works = |device: &DeviceStatus| matches!(device, DeviceStatus::Device(_));
        self.0.working.send_replace(works(&facts.microphone) && works(&facts.speaker));
    }

    /// How she is.
    pub fn status(&self) -> Status {
        let parts = &self.0.parts;
        let stages = parts.pulse.vitals();
        // It reads files: not under the lock.
        let machine = self.facts().machine.clone();
        let machine = machine.map(|told| told());
        let facts = self.facts();
        let sound = facts.sound.as_ref().map(|told| told());
        let not_started = || ChatStatus { told: "not started".to_owned(), answering: None };
        let ChatStatus { told: chat, answering } =
            facts.chat.as_ref().map_or_else(not_started, |told| told());
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            uptime_s: self.0.born.elapsed().as_secs_f64(),
            shown: facts.shown.clone(),
            muted: parts.mute.switch().is_muted(),
            services: facts.services.clone(),
            stages: stages.iter().map(Into::into).collect(),
            microphone: facts.microphone.clone(),
            speaker: facts.speaker.clone(),
            delays: sound.map(|sound| sound.delays),
            echo: facts.echo.as_ref().map(EchoMeter::report),
            models: Models { chat, answering, ..facts.models.clone() },
            home: facts.home.as_ref().map(|told| told()),
            messages: facts.messages.as_ref().map(|told| told()),
            backups: facts.backups.as_ref().map(|told| told()),
            machine,
            alarms: facts.alarms.as_ref().map_or(0, |line| (line.count)()),
            queues: facts.queues.iter().filter_map(|gauge| gauge()).collect(),
            errors: parts.journal.entries(),
            counters: Counters { sound_lost_s: sound.map(|sound| sound.lost_s), ..facts.counters },
            losses: Vec::new(),
        }
    }

    fn facts(&self) -> MutexGuard<'_, BoardFacts> {
        self.0.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the facts and tells the subscribers when that shows.
    fn change(&self, how: impl FnOnce(&mut BoardFacts)) {
        let mut facts = self.facts();
        how(&mut facts);
        let is_muted = self.0.parts.mute.switch().is_muted();
        let devices = [&facts.microphone, &facts.speaker];
        let (state, note) = shown(is_muted, facts.does(), devices, &facts.services);
        if (state, &note) != (facts.shown.state, &facts.shown.note) {
            facts.shown = StateEvent { state, at: moment(&*self.0.parts.clock), note };
            // Under the lock, so that everybody sees the same order. Nobody may have subscribed.
            let _ = self.0.changes.send(facts.shown.clone());
        }
    }
}

/// What a light shows, and why: a device that is missing is an error, a service that is missing is told
/// beside what she does.
fn shown(
    is_muted: bool,
    activity: Activity,
    devices: [&DeviceStatus; 2],
    services: &[ServiceRow],
) -> (Activity, Option<String>) {
    let degraded = services.iter().filter_map(|service| service.degraded.as_deref());
    let faults = devices.into_iter().filter_map(DeviceStatus::fault);
    let (state, told): (_, Vec<_>) = if is_muted {
        (Activity::Muted, degraded.collect())
    } else if devices.into_iter().any(|device| device.fault().is_some()) {
        (Activity::Error, faults.chain(degraded).collect())
    } else {
        (activity, degraded.collect())
    };
    (state, (!told.is_empty()).then(|| told.join("; ")))
}

/// The present moment: RFC 3339, UTC, to the millisecond.
pub(super) fn moment(clock: &dyn Clock) -> String {
    let now = clock.now().timestamp();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now).to_string()
}
