//! The status board: the state that is shown, the health of services, stages and devices, and figures.
//!
//! Any thread publishes, under one short lock and without ever waiting. Subscribers read changes of the state from a
//! bounded queue; one that lags behind loses its subscription. The board also passes requests from outside on.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use tokio::sync::{broadcast, mpsc, watch};

use super::gauge::Gauge;
use super::journal::{Journal, LogCounts};
use super::moment::moment;
use super::mute::{MuteCommand, MuteOutcome, PersistentMute};
use super::shown::{ShownFacts, shown};
use super::status::{
    BackupStatus, ChatStatus, Counters, DeviceStatus, HomeStatus, MessagesStatus, Models, ServiceRow,
    SoundStatus, StateEvent, Status, ToolServerRow,
};
use super::subscription::Subscription;
use joi_audio::{EchoMeter, MuteSwitch};
use joi_autonomy::agent::lines::Agents;
use joi_base::clock::Clock;
use joi_base::machine::MachineHealth;
use joi_base::message::{Activity, AlarmRequest, OutsideRequest};
use joi_base::pulse::Pulse;
use joi_mcp::serve::ToolDesk;
use joi_page::LiveEvent;

mod facts;
mod page;
mod rooms;

use facts::{AlarmLine, BoardFacts};
pub use page::PageDoor;

/// Changes a subscriber has not read yet. One that is further behind loses its subscription.
const CHANGES: usize = 64;
/// The same of what goes on, an event for each few words of an answer.
const LIVE: usize = 256;

/// The parts of a board.
pub struct StatusBoardParts {
    /// The microphone's switch.
    pub mute: PersistentMute,
    /// The hearts of the stages.
    pub pulse: Pulse,
    /// Warnings and errors.
    pub journal: Journal,
    /// The clock for the time of a change.
    pub clock: Arc<dyn Clock>,
}

/// State and health of the running program. Clones are the same board.
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
    /// Carries out calls of other programs, once it is there.
    desk: OnceLock<ToolDesk>,
    /// The agents, where some are configured.
    agents: OnceLock<Agents>,
    /// What goes on, with its words.
    live: broadcast::Sender<LiveEvent>,
    /// The page, where it is served.
    page: OnceLock<PageDoor>,
}

impl StatusBoard {
    /// Creates a board at the start of the program: no device was opened yet.
    pub fn new(parts: StatusBoardParts) -> Self {
        let (activity, microphone, speaker) = (Activity::Idle, DeviceStatus::Pending, DeviceStatus::Pending);
        let situation = ShownFacts { is_muted: parts.mute.switch().is_muted(), is_ready: false, activity };
        let (state, note) = shown(situation, [&microphone, &speaker], &[]);
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
            tool_servers: Vec::new(),
            satellites: None,
            rooms: None,
            messages: None,
            backups: None,
            machine: None,
            timers: None,
            servers: None,
            alarms: None,
            is_ringing: false,
            is_started: false,
            shown: StateEvent { state, at: moment(&*parts.clock), note },
        };
        Self(Arc::new(BoardShared {
            parts,
            born: Instant::now(),
            facts: Mutex::new(facts),
            changes: broadcast::channel(CHANGES).0,
            settled: watch::channel(false).0,
            working: watch::channel(false).0,
            desk: OnceLock::new(),
            agents: OnceLock::new(),
            live: broadcast::channel(LIVE).0,
            page: OnceLock::new(),
        }))
    }

    /// Sets the activity.
    pub fn does(&self, activity: Activity) {
        self.change(|facts| facts.activity = activity);
    }

    /// Records that every service was started: joi is ready as soon as the microphone is open, missing or switched off.
    pub fn started(&self) {
        self.change(|facts| facts.is_started = true);
    }

    /// Sets the states of the daemon's services.
    pub fn services(&self, services: Vec<ServiceRow>) {
        self.change(|facts| facts.services = services);
    }

    /// Sets the state of the microphone.
    pub fn microphone(&self, device: DeviceStatus) {
        self.change(|facts| facts.microphone = device);
        self.0.settled.send_replace(true);
        self.note_devices();
    }

    /// Sets the state of the speaker.
    pub fn speaker(&self, device: DeviceStatus) {
        self.change(|facts| facts.speaker = device);
        self.note_devices();
    }

    /// Sets the names of the models for recognition and speech.
    pub fn models(&self, whisper: String, voice: String) {
        self.change(|facts| facts.models = Models { whisper, voice, ..Models::default() });
    }

    /// Sets the function that returns how the house is connected.
    pub fn home(&self, read: impl Fn() -> HomeStatus + Send + Sync + 'static) {
        self.change(|facts| facts.home = Some(Box::new(read)));
    }

    /// Adds a function that returns the state of servers of tools of one kind.
    pub fn tool_servers(&self, read: impl Fn() -> Vec<ToolServerRow> + Send + Sync + 'static) {
        self.change(|facts| facts.tool_servers.push(Box::new(read)));
    }

    /// Sets the function that returns the state of messages.
    pub fn messages(&self, read: impl Fn() -> MessagesStatus + Send + Sync + 'static) {
        self.change(|facts| facts.messages = Some(Box::new(read)));
    }

    /// Sets the function that returns the state of automatic backups.
    pub fn backups(&self, read: impl Fn() -> BackupStatus + Send + Sync + 'static) {
        self.change(|facts| facts.backups = Some(Box::new(read)));
    }

    /// Sets the function that returns the health of the machine; it may read files.
    pub fn machine(&self, read: impl Fn() -> MachineHealth + Send + Sync + 'static) {
        self.change(|facts| facts.machine = Some(Arc::new(read)));
    }

    /// Sets the function that returns which chat model serves.
    pub fn chat_model(&self, read: impl Fn() -> ChatStatus + Send + Sync + 'static) {
        self.change(|facts| facts.chat = Some(Box::new(read)));
    }

    /// Sets the queue of the conversation's requests.
    pub fn takes_requests(&self, requests: mpsc::Sender<OutsideRequest>) {
        self.change(|facts| facts.requests = Some(requests));
    }

    /// Passes a request to the conversation, without waiting. Returns whether it was taken.
    #[must_use]
    pub fn request(&self, request: OutsideRequest) -> bool {
        self.facts().requests.as_ref().is_some_and(|requests| requests.try_send(request).is_ok())
    }

    /// Sets the function that reads the timers again.
    pub fn takes_timers(&self, look_again: impl Fn() + Send + Sync + 'static) {
        self.change(|facts| facts.timers = Some(Box::new(look_again)));
    }

    /// Has the timers read again, since another program changed them. Returns whether they are.
    #[must_use]
    pub fn timers_changed(&self) -> bool {
        let facts = self.facts();
        facts.timers.as_ref().is_some_and(|look_again| {
            look_again();
            true
        })
    }

    /// Sets the function that reads the servers of tools again.
    pub fn takes_servers(&self, read_again: impl Fn() + Send + Sync + 'static) {
        self.change(|facts| facts.servers = Some(Box::new(read_again)));
    }

    /// Has the servers of tools read again. Returns whether that was possible. Blocks while files are read.
    #[must_use]
    pub fn servers_changed(&self) -> bool {
        self.facts().servers.as_ref().map(|read_again| read_again()).is_some()
    }

    /// Sets what carries out calls of other programs, once.
    pub fn serves(&self, desk: ToolDesk) {
        // There is one start.
        let _ = self.0.desk.set(desk);
    }

    /// Returns what carries out calls of other programs; nothing where none are served.
    pub fn desk(&self) -> Option<&ToolDesk> {
        self.0.desk.get()
    }

    /// Shows the agents.
    pub fn has_agents(&self, agents: Agents) {
        // They are made once.
        let _ = self.0.agents.set(agents);
    }

    /// Returns the agents; nothing where none is configured.
    pub fn agents(&self) -> Option<&Agents> {
        self.0.agents.get()
    }

    /// Sets the queue of requests about alarms; `count` returns how many ring.
    pub fn takes_alarms(
        &self,
        requests: mpsc::Sender<AlarmRequest>,
        count: impl Fn() -> usize + Send + Sync + 'static,
    ) {
        self.change(|facts| facts.alarms = Some(AlarmLine { requests, count: Box::new(count) }));
    }

    /// Passes on a request about alarms, without waiting. Returns whether it was taken.
    #[must_use]
    pub fn alarm(&self, request: AlarmRequest) -> bool {
        self.facts().alarms.as_ref().is_some_and(|line| line.requests.try_send(request).is_ok())
    }

    /// Sets whether something rings.
    pub fn rings(&self, is_ringing: bool) {
        self.change(|facts| facts.is_ringing = is_ringing);
    }

    /// Counts a spoken turn; `audible_ms` is the time from the last word to the first audible sample, in milliseconds.
    pub fn turn_over(&self, audible_ms: Option<f64>) {
        self.change(|facts| facts.counters.turn_over(audible_ms));
    }

    /// Adds queues whose lengths are shown.
    pub fn queues(&self, gauges: Vec<Gauge>) {
        self.change(|facts| facts.queues.extend(gauges));
    }

    /// Sets the function that returns the lost sound since the start and the delays of the devices.
    pub fn sound(&self, read: impl Fn() -> SoundStatus + Send + Sync + 'static) {
        self.change(|facts| facts.sound = Some(Box::new(read)));
    }

    /// Sets the meter of echo cancellation.
    pub fn echo(&self, meter: EchoMeter) {
        self.change(|facts| facts.echo = Some(meter));
    }

    /// Turns the microphone's switch and shows it. Blocks while the position is stored.
    pub fn turn_mute(&self, order: MuteCommand) -> MuteOutcome {
        let turned = self.0.parts.mute.turn(order);
        self.change(|_| {});
        if let Some(fault) = &turned.fault {
            tracing::warn!(%fault, "the switch's position is not kept");
        }
        turned
    }

    /// Returns the microphone's switch.
    pub fn mute(&self) -> &MuteSwitch {
        self.0.parts.mute.switch()
    }

    /// Returns how many warnings and errors were logged.
    pub fn logged(&self) -> LogCounts {
        self.0.parts.journal.counts()
    }

    /// Returns the hearts of the stages.
    pub fn pulse(&self) -> &Pulse {
        &self.0.parts.pulse
    }

    /// Subscribes to the present state and every change after it: none is lost or repeated.
    pub fn subscribe(&self) -> Subscription {
        let facts = self.facts();
        Subscription::new(facts.shown.clone(), self.0.changes.subscribe())
    }

    /// Waits until the microphone is open, or known to be missing. Cancel-safe.
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

    /// Returns the full status. Reads files for the health of the machine.
    pub fn status(&self) -> Status {
        let parts = &self.0.parts;
        let stages = parts.pulse.vitals();
        // It reads files: not under the lock.
        let machine = self.facts().machine.clone();
        let machine = machine.map(|read| read());
        let facts = self.facts();
        let muted = parts.mute.switch().is_muted();
        let sound = facts.sound.as_ref().map(|read| read());
        let not_started = || ChatStatus { told: "not started".to_owned(), answering: None, uses: Vec::new() };
        let ChatStatus { told: chat, answering, uses } =
            facts.chat.as_ref().map_or_else(not_started, |read| read());
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            uptime_s: self.0.born.elapsed().as_secs_f64(),
            shown: facts.shown.clone(),
            ready: facts.is_ready(muted),
            muted,
            services: facts.services.clone(),
            stages: stages.iter().map(Into::into).collect(),
            microphone: facts.microphone.clone(),
            speaker: facts.speaker.clone(),
            delays: sound.map(|sound| sound.delays),
            echo: facts.echo.as_ref().map(EchoMeter::report),
            models: Models { chat, answering, uses, ..facts.models.clone() },
            home: facts.home.as_ref().map(|read| read()),
            tool_servers: facts.tool_servers.iter().flat_map(|read| read()).collect(),
            satellites: facts.satellites.as_ref().map(|read| read()),
            rooms: facts.rooms.as_ref().map(|read| read()).unwrap_or_default(),
            messages: facts.messages.as_ref().map(|read| read()),
            backups: facts.backups.as_ref().map(|read| read()),
            machine,
            alarms: facts.alarms.as_ref().map_or(0, |line| (line.count)()),
            queues: facts.queues.iter().filter_map(|gauge| gauge()).collect(),
            errors: parts.journal.entries(),
            counters: Counters { sound_lost_s: sound.map(|sound| sound.lost_s), ..facts.counters },
            agent_events: self.agents().map(Agents::counts).unwrap_or_default(),
            losses: Vec::new(),
        }
    }

    fn facts(&self) -> MutexGuard<'_, BoardFacts> {
        self.0.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the facts, and notifies the subscribers when the shown state changes.
    fn change(&self, how: impl FnOnce(&mut BoardFacts)) {
        let mut facts = self.facts();
        how(&mut facts);
        let is_muted = self.0.parts.mute.switch().is_muted();
        let devices = [&facts.microphone, &facts.speaker];
        let is_ready = facts.is_ready(is_muted);
        let situation = ShownFacts { is_muted, is_ready, activity: facts.does() };
        let (state, note) = shown(situation, devices, &facts.services);
        if (state, &note) != (facts.shown.state, &facts.shown.note) {
            facts.shown = StateEvent { state, at: moment(&*self.0.parts.clock), note };
            // Under the lock, so that everybody sees the same order. Nobody may have subscribed.
            let _ = self.0.changes.send(facts.shown.clone());
            self.goes_on(|| {
                Some(LiveEvent::State { state: state.name().to_owned(), note: facts.shown.note.clone() })
            });
        }
    }
}
