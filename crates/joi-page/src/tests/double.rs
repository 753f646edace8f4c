//! A program of which every text is hostile, and its page on a port of its own.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use joi_base::clock::{Clock, ManualClock};
use joi_base::message::{Channel, Private, TurnId};
use joi_base::trace::{Decision, Mark, ModelUse, Stage, ToolUse, TurnRecord};
use joi_language::LanguageLibrary;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Browser;
use crate::rooms::rooms;
use crate::*;

/// What nothing of may become markup.
pub(super) const HOSTILE: &str =
    "\"><script>alert(1)</script><img src=x onerror=alert(2)>' javascript:alert(3) </main>";

pub(crate) struct HostileHost {
    live: broadcast::Sender<LiveEvent>,
    deeds: Mutex<Vec<String>>,
    looks: AtomicUsize,
}

impl HostileHost {
    pub(super) fn goes_on(&self, event: LiveEvent) {
        let _ = self.live.send(event);
    }

    pub(super) fn followers(&self) -> usize {
        self.live.receiver_count()
    }

    pub(super) fn deeds(&self) -> Vec<String> {
        self.deeds.lock().unwrap().clone()
    }

    /// Returns how often this was asked before.
    pub(crate) fn next_look(&self) -> usize {
        self.looks.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn did(&self, deed: impl Into<String>) {
        self.deeds.lock().unwrap().push(deed.into());
    }
}

pub(crate) fn hostile() -> String {
    HOSTILE.to_owned()
}

impl NowHost for HostileHost {
    fn now(&self) -> NowView {
        NowView {
            name: hostile(),
            state: "idle".into(),
            note: Some(hostile()),
            is_muted: false,
            microphone: DeviceView::Works(hostile()),
            speaker: DeviceView::Fault(hostile()),
            volume: Some(50),
            model: hostile(),
            house: Some(hostile()),
            alarms: 1,
        }
    }

    fn live(&self) -> LiveFeed {
        self.live.subscribe()
    }

    fn level_db(&self) -> Option<f32> {
        Some(-30.0)
    }

    fn ask(&self, text: Private<String>) -> Result<(), PageFault> {
        self.did(format!("ask {}", text.0));
        Ok(())
    }

    async fn understand(&self, samples: Vec<f32>) -> Result<Private<String>, PageFault> {
        let loudest = samples.iter().copied().fold(0.0, f32::max);
        if loudest == 0.0 {
            return Err(PageFault::Unclear);
        }
        Ok(Private(format!("{} samples up to {loudest}", samples.len())))
    }

    async fn set_mute(&self, is_muted: bool) -> Result<(), PageFault> {
        self.did(format!("mute {is_muted}"));
        Ok(())
    }

    fn listen(&self) -> Result<(), PageFault> {
        Err(PageFault::Because(hostile()))
    }

    async fn stop(&self) -> Result<(), PageFault> {
        self.did("stop");
        Ok(())
    }

    fn set_volume(&self, percent: u8) -> Result<(), PageFault> {
        self.did(format!("volume {percent}"));
        Ok(())
    }
}

impl WhyHost for HostileHost {
    async fn turns(&self, _: u32) -> Result<Vec<TurnRecord>, PageFault> {
        let mark = |stage, ms| Mark { stage, ms };
        let turn = TurnRecord {
            id: TurnId(7),
            channel: Channel::Voice,
            at: hostile(),
            heard: hostile(),
            reply: hostile(),
            marks: vec![
                mark(Stage::SpeechEnd, 0.0),
                mark(Stage::Endpoint, 300.0),
                mark(Stage::Audible, 700.0),
            ],
            decisions: vec![Decision::new(HOSTILE, HOSTILE, HOSTILE)],
            model_use: vec![ModelUse {
                purpose: hostile(),
                model: hostile(),
                backend: hostile(),
                ..ModelUse::default()
            }],
            tool_use: vec![ToolUse {
                name: hostile(),
                arguments: [(hostile(), hostile().into())].into_iter().collect(),
                outcome: hostile(),
                reason: hostile(),
                ms: 1.0,
            }],
        };
        let ignored =
            TurnRecord { heard: String::new(), reply: String::new(), marks: Vec::new(), ..turn.clone() };
        Ok(vec![turn, ignored])
    }
}

impl GoalsHost for HostileHost {
    async fn goals(&self) -> Result<Option<Vec<GoalView>>, PageFault> {
        let line = GoalLine {
            at: jiff::Timestamp::UNIX_EPOCH,
            is_of_owner: false,
            text: hostile(),
            is_foreign: true,
        };
        Ok(Some(vec![GoalView {
            id: 8,
            name: hostile(),
            is_waiting: true,
            tasks: 2,
            thread: vec![line],
            notes: vec![(hostile(), hostile())],
        }]))
    }

    async fn open_goal(&self, name: &str) -> Result<(), PageFault> {
        self.did(format!("open goal {name}"));
        Ok(())
    }

    async fn say_to_goal(&self, id: i64, text: &str) -> Result<(), PageFault> {
        self.did(format!("say to goal {id}: {text}"));
        Ok(())
    }

    async fn change_goal(&self, id: i64, deed: GoalDeed) -> Result<(), PageFault> {
        self.did(format!("{deed:?} goal {id}"));
        Ok(())
    }
}

impl DayHost for HostileHost {
    async fn day(&self) -> Result<DayView, PageFault> {
        let agent = AgentView {
            name: hostile(),
            pace: hostile(),
            doing: hostile(),
            next: Some(hostile()),
            approvals: vec![(4, hostile())],
        };
        Ok(DayView {
            agents: vec![agent],
            watches: vec![(6, hostile())],
            topics: vec![TopicView { text: hostile(), at: jiff::Timestamp::UNIX_EPOCH, is_foreign: true }],
            waiting: vec![WaitingView { text: hostile(), origin: hostile() }],
            quiet: vec![hostile()],
            quiet_until: Some(jiff::Timestamp::UNIX_EPOCH),
        })
    }

    async fn impulses(&self, _: u32) -> Result<Vec<ImpulseView>, PageFault> {
        Ok(vec![ImpulseView {
            at: jiff::Timestamp::UNIX_EPOCH,
            factors: [0.1; 8],
            total: 0.8,
            needed: 0.5,
            speaks: true,
            decided: hostile(),
            about: hostile(),
        }])
    }

    async fn decide(&self, agent: &str, number: u32, is_yes: bool) -> Result<(), PageFault> {
        self.did(format!("decide {agent} {number} {is_yes}"));
        Ok(())
    }

    async fn remove_watch(&self, id: i64) -> Result<(), PageFault> {
        self.did(format!("remove watch {id}"));
        Ok(())
    }
}

impl MemoryHost for HostileHost {
    async fn memories(&self, kind: &str) -> Result<Vec<MemoryView>, PageFault> {
        let view = |id, kind| MemoryView {
            id,
            kind,
            at: jiff::Timestamp::UNIX_EPOCH,
            source: hostile(),
            text: hostile(),
            is_foreign: true,
        };
        Ok(if kind == "diary" { Vec::new() } else { vec![view(Some(3), "user"), view(None, "said")] })
    }

    async fn search(&self, words: &str) -> Result<Vec<MemoryView>, PageFault> {
        self.memories(words).await
    }

    async fn remember(&self, kind: &str, text: &str) -> Result<(), PageFault> {
        self.did(format!("remember {kind} {text}"));
        Ok(())
    }

    async fn correct(&self, id: i64, text: &str) -> Result<(), PageFault> {
        self.did(format!("correct {id} {text}"));
        Ok(())
    }

    async fn forget(&self, id: i64) -> Result<(), PageFault> {
        self.did(format!("forget {id}"));
        if id == 3 { Ok(()) } else { Err(PageFault::Gone) }
    }

    async fn mentions(&self, _: &str) -> Result<MentionsView, PageFault> {
        Ok(MentionsView { messages: 1, turns: 2, memories: 3 })
    }

    async fn forget_about(&self, topic: &str) -> Result<MentionsView, PageFault> {
        self.did(format!("forget about {topic}"));
        self.mentions(topic).await
    }

    async fn lists(&self) -> Result<Vec<ListView>, PageFault> {
        Ok(vec![ListView { name: hostile(), entries: vec![hostile()], is_foreign: true }])
    }

    async fn add_to_list(&self, list: &str, text: &str) -> Result<(), PageFault> {
        self.did(format!("note {list} {text}"));
        Ok(())
    }

    async fn remove_from_list(&self, list: &str, text: &str) -> Result<(), PageFault> {
        self.did(format!("unnote {list} {text}"));
        Ok(())
    }

    async fn timers(&self) -> Result<Vec<TimerView>, PageFault> {
        let view = |state| TimerView {
            id: 5,
            kind: "alarm",
            name: hostile(),
            due: hostile(),
            left: hostile(),
            state,
            can_pause: true,
        };
        Ok([TimerState::Waiting, TimerState::Paused, TimerState::Ringing, TimerState::Missed]
            .map(view)
            .into())
    }

    async fn set_timer(&self, when: &str, name: &str, remind: &str) -> Result<String, PageFault> {
        self.did(format!("set {when} {name} {remind}"));
        Ok(hostile())
    }

    async fn change_timer(&self, id: i64, deed: TimerDeed) -> Result<String, PageFault> {
        self.did(format!("{deed:?} {id}"));
        Ok(hostile())
    }
}

/// Returns the addresses of all rooms.
pub(super) fn paths() -> Vec<&'static str> {
    rooms::<HostileHost>().iter().map(|room| room.sign.path).collect()
}

/// The page of a hostile program.
pub(super) struct Served {
    pub(super) host: Arc<HostileHost>,
    pub(super) access: PageAccess,
    pub(super) address: SocketAddr,
    clock: Arc<ManualClock>,
    stop: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

fn noon() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-03-01T12:00:00+01:00[Europe/Vienna]".parse().unwrap()))
}

impl Served {
    pub(super) async fn new() -> Self {
        let clock = noon();
        let access = PageAccess::new(None, Arc::clone(&clock) as Arc<dyn Clock>);
        Self::serve(access, clock).await
    }

    pub(super) async fn with(access: PageAccess) -> Self {
        Self::serve(access, noon()).await
    }

    async fn serve(access: PageAccess, clock: Arc<ManualClock>) -> Self {
        let host = Arc::new(HostileHost {
            live: broadcast::channel(1024).0,
            deeds: Mutex::default(),
            looks: AtomicUsize::new(0),
        });
        let library = LanguageLibrary::built_in();
        let language =
            |code: &str| PageLanguage { code: code.to_owned(), words: Arc::new(library.page(code).unwrap()) };
        let stop = CancellationToken::new();
        let parts = PageParts {
            host: Arc::clone(&host),
            access: access.clone(),
            language: language("en"),
            others: vec![language("de")],
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            stop: stop.clone(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task =
            tokio::spawn(joi_serve::serve(listener, routes(parts), rules(&[], None, &access), stop.clone()));
        Self { host, access, address, clock, stop, task }
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as Arc<dyn Clock>
    }

    pub(super) fn pass(&self, seconds: i64) {
        self.clock.set(self.clock.now() + jiff::SignedDuration::from_secs(seconds));
    }

    pub(super) fn browser(&self) -> Browser {
        Browser::new(self.address)
    }

    pub(super) fn signed_in(&self) -> Browser {
        let mut browser = self.browser();
        let code = self.access.open_link().unwrap().0;
        let entered = browser.post("/enter", &[("code", &code)]);
        browser.keep_cookie(&entered);
        browser
    }

    pub(super) async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}
