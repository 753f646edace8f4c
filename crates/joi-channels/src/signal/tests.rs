//! The conversation over a double of the daemon: what the owner writes is answered, and nobody else.

mod at_once;

use std::sync::Mutex as StdMutex;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Zoned};
use serde_json::Value;

use super::notes::{HeardNote, NoteFault, NoteListener};
use super::*;
use crate::tests::Thinker;
use joi_agent::model::Room;
use joi_agent::{
    ContextConfig, EngineParts, Initiative, MemoryConfig, PersonaConfig, Protocols, ReplyConfig,
};
use joi_base::clock::ManualClock;
use joi_base::pulse::Heart;
use joi_language::testing::in_english;
use joi_llm::LlmConfig;
use joi_messages::outbound::{Carrier, CarrierName, Dispatcher, MessageStamp};
use joi_messages::signal::carrier::SignalCarrier;
use joi_messages::signal::envelope::Received;
use joi_messages::signal::gate::{Admission, SignalGate};
use joi_messages::signal::link::signal_link;
use joi_messages::testing::daemon::{Daemon, Scripted};
use joi_messages::testing::outbox;
use joi_messages::testing::{OWNER, config, wrote};
use joi_proactive::alert::{Alert, AlertConfig, AlertKind, AlertParts, AlertService, Alerts};
use joi_schedule::announce::{AnnounceConfig, Announcer};
use joi_tools::{ToolRegistry, ToolsConfig};

/// A conversation over a running double; ends with it.
struct Bench {
    daemon: Daemon,
    store: Store,
    outbox: Outbox,
    alerts: Alerts,
    now: Zoned,
    _folder: tempfile::TempDir,
    _stop: tokio_util::sync::DropGuard,
}

/// Hears words in bytes that are some, and knows no other kind.
struct WrittenNotes;

impl NoteListener for WrittenNotes {
    fn listen(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<HeardNote, NoteFault>> {
        let heard = String::from_utf8(bytes).map_err(|_| NoteFault::UnknownKind);
        let language = joi_language::testing::english().to_code();
        async move { heard.map(|text| HeardNote { text: Private(text), language }) }.boxed()
    }
}

fn engine(clock: &Arc<ManualClock>, store: &Store, alerts: &Alerts) -> Engine<Thinker> {
    Engine::new(EngineParts {
        agents: None,
        home: None,
        initiative: Initiative { alerts: Some(AlertService::Here(alerts.clone())), ..Initiative::default() },
        reply: ReplyConfig::default(),
        persona: PersonaConfig::default(),
        context: ContextConfig::default(),
        memory: MemoryConfig::default(),
        wake_phrase: None,
        model: Arc::new(Thinker),
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
    start_after(&[], change)
}

/// One that begins when these have arrived already.
fn start_after(before: &[OwnerMessage], change: impl FnOnce(SignalConfig) -> SignalConfig) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let config = change(config(&daemon));
    let now: Zoned = "2026-03-04T21:30[UTC]".parse().unwrap();
    let clock = Arc::new(ManualClock::at(now.clone()));
    let store = Store::in_memory().unwrap();
    let outbox = outbox(store.clone(), clock.clone(), &[CarrierName::Signal]);
    let alerts = Alerts::new(AlertParts {
        config: AlertConfig::default(),
        announcer: Announcer::new(&AnnounceConfig::default(), None, clock.clone()),
        outbox: outbox.clone(),
        store: Some(store.clone()),
        languages: in_english(),
    });
    let (link, follower) = signal_link(&config).unwrap();
    let gate = Arc::new(StdMutex::new(SignalGate::new(&config)));
    let carrier: Arc<dyn Carrier> = Arc::new(SignalCarrier::new(link.clone(), Arc::clone(&gate), &config));
    let (inbox, arrived) = inbox();
    before.iter().for_each(|message| inbox.put(message.clone()));
    let parts = SignalConversationParts {
        engine: Arc::new(engine(&clock, &store, &alerts)),
        store: Some(store.clone()),
        clock: clock.clone(),
        outbox: outbox.clone(),
        link,
        notes: Arc::new(WrittenNotes),
        config,
    };
    let conversation = SignalConversation::new(parts, arrived);
    let stop = CancellationToken::new();
    let (sending, talking) = (stop.clone(), stop.clone());
    tokio::spawn(Dispatcher::new(outbox.clone(), vec![carrier]).run(sending, Heart::unwatched()));
    tokio::spawn(async move { conversation.run(talking).await });
    tokio::spawn(follower.run(stop.clone(), move |params| {
        let received = Received::read(&params).unwrap();
        let admission = gate.lock().unwrap().admit(received, clock.now().timestamp());
        if let Admission::Heard(message) = admission {
            inbox.put(message);
        }
    }));
    Bench { daemon, store, outbox, alerts, now, _folder: folder, _stop: stop.drop_guard() }
}

impl Bench {
    /// Somebody writes now, this many ms later.
    fn writes(&self, source: &str, after: i64, text: &str) {
        let stamp = self.now.timestamp().as_millisecond() + after;
        self.daemon.receive(&wrote(source, stamp, text));
    }

    /// The daemon calls the next message so.
    fn names_next(&self, stamp: i64) {
        let result = json!({ "timestamp": stamp, "results": [{ "type": "SUCCESS" }] });
        self.daemon.next("send", Scripted::Result(result));
    }

    /// Something is known of the owner, and the message of that name asks him whether it is to be forgotten.
    async fn is_asked_whether_to_forget(&self, stamp: i64) {
        let remember = joi_store::NewMemory {
            kind: joi_store::MemoryKind::User,
            at: self.now.timestamp(),
            text: Private("likes tea".into()),
            source: "said".into(),
        };
        self.store.remember(vec![remember]).await.unwrap();
        self.names_next(stamp);
        self.writes(OWNER, 1, "forget everything you know about me");
        self.answers(1).await;
    }

    /// Waits until the message of that name is known to be sent, then somebody puts a thumb up to it.
    async fn approves(&self, source: &str, after: i64, stamp: i64) {
        let sent = || self.outbox.sent_as(CarrierName::Signal, MessageStamp(stamp));
        while sent().await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        let mut params = wrote(source, self.now.timestamp().as_millisecond() + after, "");
        params["envelope"]["dataMessage"]["message"] = Value::Null;
        params["envelope"]["dataMessage"]["reaction"] = json!({ "emoji": "👍", "targetAuthorUuid": "us", "targetSentTimestamp": stamp, "isRemove": false });
        self.daemon.receive(&params);
    }

    /// The owner says this in a voice message.
    fn says(&self, after: i64, file: Value) {
        let mut params = wrote(OWNER, self.now.timestamp().as_millisecond() + after, "");
        params["envelope"]["dataMessage"]["attachments"] = json!([file]);
        self.daemon.receive(&params);
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
    assert!(records.iter().all(|record| record.channel == joi_base::message::Channel::Signal));
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
async fn whoever_writes_more_than_can_wait_learns_that_some_was_left_out() {
    let message = |stamp| OwnerMessage {
        thread: SignalThread::Owner,
        written_at: Timestamp::UNIX_EPOCH,
        stamp,
        is_fleeting: false,
        matter: OwnerMatter::NoWords,
    };
    let many: Vec<OwnerMessage> = (0..=inbox::INBOX as i64).map(message).collect();
    let bench = start_after(&many, |config| config);
    let answers = bench.answers(inbox::INBOX + 1).await;
    let told = answers.iter().filter(|answer| answer.contains("left some out")).count();
    assert_eq!(told, 1, "{answers:?}");
}

#[tokio::test]
async fn what_is_too_long_or_has_no_words_learns_so() {
    let bench = start(|config| config);
    bench.writes(OWNER, 1, &"word ".repeat(500));
    let mut picture = wrote(OWNER, bench.now.timestamp().as_millisecond() + 2, "");
    picture["envelope"]["dataMessage"]["attachments"] =
        json!([{ "id": "a.jpg", "contentType": "image/jpeg" }]);
    bench.daemon.receive(&picture);
    let answers = bench.answers(2).await;
    assert!(answers[0].contains("too long") && answers[1].contains("read text and listen"), "{answers:?}");
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

#[tokio::test]
async fn a_voice_message_of_the_owner_is_heard_and_answered_in_writing_as_his_speech() {
    let bench = start(|config| config);
    bench.daemon.next("getAttachment", Scripted::Result(json!({ "data": "d2hhdCB0aW1lIGlzIGl0Pw==" })));
    bench.says(1, json!({ "id": "x.m4a", "contentType": "audio/aac", "size": 9 }));
    let answers = bench.answers(1).await;
    assert!(answers[0].contains("9:30 PM"), "{answers:?}");
    assert_eq!(bench.daemon.requests("getAttachment"), [json!({ "id": "x.m4a", "recipient": OWNER })]);
    let rows = bench.store.dialogue_since(Timestamp::UNIX_EPOCH, 9).await.unwrap();
    assert_eq!(rows[0].origin, joi_base::message::Origin::Speech);
}

#[tokio::test]
async fn a_voice_message_that_can_not_be_heard_gets_one_sentence_and_a_strangers_none() {
    let bench = start(|config| config);
    let note = |size: u64| json!({ "id": "x.ogg", "contentType": "audio/ogg", "size": size });
    let mut stranger = wrote("0000", bench.now.timestamp().as_millisecond(), "");
    stranger["envelope"]["dataMessage"]["attachments"] = json!([note(9)]);
    bench.daemon.receive(&stranger);
    bench.daemon.next("getAttachment", Scripted::Result(json!("/w==")));
    bench.says(1, note(9));
    bench.answers(1).await;
    bench.says(2, note(notes::LARGEST + 1));
    bench.answers(2).await;
    bench.says(3, note(9));
    let answers = bench.answers(3).await;
    let expected = ["this kind of voice message", "at most 2 minutes", "right now"];
    let fits = answers.iter().zip(expected).all(|(answer, expected)| answer.contains(expected));
    assert!(fits && answers.len() == 3, "{answers:?}");
    assert_eq!(bench.daemon.requests("getAttachment").len(), 2, "a large one is not even fetched");
}

#[tokio::test]
async fn a_thumb_up_of_the_owner_to_an_alarm_silences_this_one_alone() {
    let bench = start(|config| config);
    let high = |text: &str, at| Alert::new(AlertKind::High { text: text.into() }, at);
    let at = bench.now.timestamp();
    let later = at.checked_add(jiff::SignedDuration::from_secs(1)).unwrap();
    bench.names_next(77);
    bench.alerts.raise(high("The cellar is wet", at)).await;
    bench.alerts.raise(high("The door is open", later)).await;
    bench.approves("0000", 1, 77).await;
    bench.approves(OWNER, 2, 77).await;
    let answers = bench.answers(3).await;
    assert_eq!(answers[2], "Good. I'm silent about it now.");
    let left: Vec<Alert> = bench.alerts.unheard();
    assert_eq!(left, [high("The door is open", later)]);
    let rows = bench.store.alerts(9).await.unwrap();
    assert!(rows.iter().any(|row| row.json.contains("\"by\":\"message\"")), "{rows:?}");
    bench.approves(OWNER, 3, 77).await;
    bench.writes(OWNER, 4, "I've seen it");
    bench.answers(4).await;
    assert_eq!(bench.alerts.unheard(), [], "words are about all of them");
}

#[tokio::test]
async fn a_thumb_up_says_yes_to_the_last_question_and_to_nothing_else() {
    let bench = start(|config| config);
    bench.is_asked_whether_to_forget(77).await;
    bench.names_next(78);
    bench.writes(OWNER, 2, "what time is it?");
    bench.answers(2).await;
    bench.approves(OWNER, 3, 77).await;
    bench.approves(OWNER, 4, 78).await;
    bench.names_next(79);
    bench.writes(OWNER, 5, "forget everything you know about me");
    bench.answers(3).await;
    assert_eq!(bench.store.memories(None, 9).await.unwrap().len(), 1, "the first question was over");
    bench.approves("0000", 6, 79).await;
    bench.approves(OWNER, 7, 79).await;
    let answers = bench.answers(4).await;
    assert_eq!(bench.store.memories(None, 9).await.unwrap().len(), 0, "{answers:?}");
}

#[test]
fn what_a_thumb_up_says_is_a_yes_in_every_language() {
    for language in [joi_language::testing::english(), joi_language::testing::german()] {
        let yes = &language.sentences().messages.thumb_up;
        assert!(joi_understand::intents::is_clear_yes(language, yes), "{yes}");
    }
}
