//! The conversation over a double of the daemon: what the owner writes is answered, and nobody else.

use std::sync::Mutex as StdMutex;

use futures_util::stream::{self, Pending};
use jiff::{SignedDuration, Zoned};
use serde_json::Value;

use super::*;
use crate::clock::ManualClock;
use crate::language::tests::in_english;
use crate::llm::{Ask, ChatEvent, Knowledge, LlmConfig, LlmError, ModelSize, ServedBy};
use crate::outbound::{Carrier, CarrierName, Dispatcher, OutboundConfig, OutboxParts};
use crate::pulse::Heart;
use crate::reply::model::{ModelState, Room, Served};
use crate::reply::{
    ContextConfig, EngineParts, Initiative, MemoryConfig, PersonaConfig, Protocols, ReplyConfig,
};
use crate::signal::carrier::SignalCarrier;
use crate::signal::envelope::Received;
use crate::signal::gate::{Admission, SignalGate};
use crate::signal::link::signal_link;
use crate::signal::tests::daemon::Daemon;
use crate::signal::tests::{OWNER, config, wrote};
use crate::tools::{ToolRegistry, ToolsConfig};

/// A model that thinks for ever: what is asked here needs none.
struct NoThinker;

impl ChatModel for NoThinker {
    type Words = Pending<Result<ChatEvent, LlmError>>;

    fn state(&self) -> ModelState {
        ModelState::Ready(Served {
            model: "thinker".into(),
            size: ModelSize::Small,
            knowledge: Knowledge::Fair,
            has_tools: None,
            by: ServedBy::Local,
        })
    }

    async fn settled(&self) -> ModelState {
        self.state()
    }

    async fn ask(&self, _: Ask) -> Result<Self::Words, LlmError> {
        Ok(stream::pending())
    }
}

/// A conversation over a running double; ends with it.
struct Bench {
    daemon: Daemon,
    store: Store,
    now: Zoned,
    _folder: tempfile::TempDir,
    _stop: tokio_util::sync::DropGuard,
}

fn engine(clock: &Arc<ManualClock>, store: &Store) -> Engine<NoThinker> {
    Engine::new(EngineParts {
        home: None,
        initiative: Initiative::default(),
        reply: ReplyConfig::default(),
        persona: PersonaConfig::default(),
        context: ContextConfig::default(),
        memory: MemoryConfig::default(),
        wake_phrase: None,
        model: Arc::new(NoThinker),
        room: Room::from(&LlmConfig::default()),
        store: Some(store.clone()),
        schedule: None,
        clock: clock.clone(),
        tools: ToolRegistry::default(),
        tool_rules: ToolsConfig::default(),
        protocols: Protocols::default(),
        languages: in_english(),
    })
}

fn start(change: impl FnOnce(SignalConfig) -> SignalConfig) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let config = change(config(&daemon));
    let now: Zoned = "2026-03-04T21:30[UTC]".parse().unwrap();
    let clock = Arc::new(ManualClock::at(now.clone()));
    let store = Store::in_memory().unwrap();
    let outbox = Outbox::new(OutboxParts {
        store: store.clone(),
        clock: clock.clone(),
        languages: in_english(),
        config: OutboundConfig::default(),
        carriers: vec![CarrierName::Signal],
    });
    let (link, follower) = signal_link(&config).unwrap();
    let gate = Arc::new(StdMutex::new(SignalGate::new(&config)));
    let carrier: Arc<dyn Carrier> = Arc::new(SignalCarrier::new(link.clone(), Arc::clone(&gate), &config));
    let (inbox, arrived) = mpsc::channel(INBOX);
    let parts = SignalConversationParts {
        engine: Arc::new(engine(&clock, &store)),
        store: Some(store.clone()),
        clock: clock.clone(),
        outbox: outbox.clone(),
        link,
        config,
    };
    let conversation = SignalConversation::new(parts, arrived);
    let stop = CancellationToken::new();
    let (sending, talking) = (stop.clone(), stop.clone());
    tokio::spawn(Dispatcher::new(outbox, vec![carrier]).run(sending, Heart::unwatched()));
    tokio::spawn(async move { conversation.run(talking).await });
    tokio::spawn(follower.run(stop.clone(), move |params| {
        let received = Received::read(&params).unwrap();
        let admission = gate.lock().unwrap().admit(received, clock.now().timestamp());
        if let Admission::Heard(message) = admission {
            inbox.try_send(message).unwrap();
        }
    }));
    Bench { daemon, store, now, _folder: folder, _stop: stop.drop_guard() }
}

impl Bench {
    /// Somebody writes now, this many ms later.
    fn writes(&self, source: &str, after: i64, text: &str) {
        let stamp = self.now.timestamp().as_millisecond() + after;
        self.daemon.receive(&wrote(source, stamp, text));
    }

    async fn answers(&self, count: usize) -> Vec<String> {
        let sent: Vec<Value> = self.daemon.asked("send", count).await;
        sent.iter().map(|params| params["message"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn the_owner_is_answered_in_order_and_in_his_thread_and_a_stranger_not_at_all() {
    let bench = start(|config| config);
    bench.writes("0000", 1, "what time is it?");
    bench.writes(OWNER, 2, "what time is it?");
    bench.writes(OWNER, 2, "what time is it?");
    bench.writes(OWNER, 3, "repeat that");
    let answers = bench.answers(2).await;
    assert!(answers[0].contains("9:30 PM") && answers[1] == answers[0], "{answers:?}");
    let sent = bench.daemon.requests("send");
    assert!(sent.iter().all(|params| params["recipient"] == json!([OWNER])), "{sent:?}");
    assert!(
        bench.daemon.requests("sendReceipt").is_empty() && bench.daemon.requests("sendTyping").is_empty()
    );
    let records = bench.store.turns(10).await.unwrap();
    assert!(records.iter().all(|record| record.channel == crate::message::Channel::Signal));
    assert!(!records.is_empty());
}

#[tokio::test]
async fn what_comes_late_is_not_done_but_answered_once() {
    let bench = start(|config| config);
    let early = bench.now.timestamp() - SignedDuration::from_hours(2);
    for n in 0..2 {
        let stamp = early.as_millisecond() + n;
        let mut params = wrote(OWNER, stamp, "what time is it?");
        params["envelope"]["serverDeliveredTimestamp"] = json!(stamp + 7_200_000);
        bench.daemon.receive(&params);
    }
    bench.writes(OWNER, 9, "what time is it?");
    let answers = bench.answers(2).await;
    assert!(answers[0].starts_with("Your message from today at 7:30 PM reached me late"), "{answers:?}");
    assert!(answers[1].contains("9:30 PM"), "{answers:?}");
}

#[tokio::test]
async fn what_is_too_long_or_has_no_words_is_told_so() {
    let bench = start(|config| config);
    bench.writes(OWNER, 1, &"word ".repeat(500));
    let mut picture = wrote(OWNER, bench.now.timestamp().as_millisecond() + 2, "");
    picture["envelope"]["dataMessage"]["attachments"] =
        json!([{ "id": "a.jpg", "contentType": "image/jpeg" }]);
    bench.daemon.receive(&picture);
    let answers = bench.answers(2).await;
    assert!(answers[0].contains("too long") && answers[1].contains("only read text"), "{answers:?}");
}

#[tokio::test]
async fn receipts_and_signs_of_typing_are_sent_where_they_are_wanted_and_the_group_is_answered_in_the_group()
{
    let bench =
        start(|config| SignalConfig { read_receipts: true, typing: true, answer_in_group: true, ..config });
    let mut params = wrote(OWNER, bench.now.timestamp().as_millisecond(), "what time is it?");
    params["envelope"]["dataMessage"]["groupInfo"] = json!({ "groupId": "g=", "type": "DELIVER" });
    bench.daemon.receive(&params);
    bench.answers(1).await;
    assert_eq!(bench.daemon.requests("send")[0]["groupId"], "g=");
    assert_eq!(bench.daemon.requests("sendReceipt")[0]["type"], "read");
    assert_eq!(bench.daemon.requests("sendTyping")[0]["groupId"], "g=");
}

#[test]
fn the_thread_names_the_conversation() {
    assert_eq!(ConversationId::signal(OWNER).to_string(), format!("signal/{OWNER}"));
}
