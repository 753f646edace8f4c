//! The link, the carrier and the outbox against a double of the daemon on a real socket, and against the real one where
//! it is installed.

mod http;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::carrier::SignalCarrier;
use super::envelope::Received;
use super::gate::{Admission, OwnerMatter, SignalGate};
use super::link::{AskFault, SignalLink, signal_link};
use super::{ReceiveMode, SignalConfig};
use crate::outbound::{
    Audience, CarrierLink, CarrierName, Dispatcher, LetterState, Outbox, Outgoing, OutgoingId, Urgency,
};
use crate::testing::daemon::{Daemon, Scripted};
use crate::testing::{OWNER, config, outbox, wrote};
use joi_base::clock::ManualClock;
use joi_base::pulse::Heart;
use joi_store::Store;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(30);

/// A link that is followed until this is dropped.
struct Followed {
    link: SignalLink,
    received: mpsc::UnboundedReceiver<Value>,
    _stop: DropGuard,
}

fn follow(config: &SignalConfig) -> Followed {
    let (link, follower) = signal_link(config).unwrap();
    let (sender, received) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    tokio::spawn(follower.run(stop.clone(), move |params| drop(sender.send(params))));
    Followed { link, received, _stop: stop.drop_guard() }
}

async fn up(link: &SignalLink) {
    link.ready(LIMIT).await.unwrap();
}

async fn down(link: &SignalLink) {
    let mut state = link.state();
    state.wait_for(|state| *state != CarrierLink::Up).await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_is_absent_at_the_start_is_found_once_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::absent(folder.path());
    let followed = follow(&config(&daemon));
    let mut state = followed.link.state();
    state
        .wait_for(|state| matches!(state, CarrierLink::Down(why) if why.contains("No such file")))
        .await
        .unwrap();
    let fault = followed.link.ask("send", json!({}), LIMIT).await.unwrap_err();
    assert!(matches!(fault, AskFault::NotSent(_)), "{fault}");
    daemon.start();
    up(&followed.link).await;
    assert_eq!(followed.link.version().as_deref(), Some("0.14.6"));
    assert!(followed.link.ask("send", json!({}), LIMIT).await.is_ok());
}

#[tokio::test]
async fn a_daemon_that_dies_over_a_request_leaves_it_unknown_and_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::running(folder.path());
    let followed = follow(&config(&daemon));
    up(&followed.link).await;
    daemon.next("send", Scripted::Death);
    let fault = followed.link.ask("send", json!({}), LIMIT).await.unwrap_err();
    assert!(matches!(fault, AskFault::Lost(_)), "{fault}");
    down(&followed.link).await;
    daemon.die();
    daemon.start();
    up(&followed.link).await;
    assert!(followed.link.ask("send", json!({}), LIMIT).await.is_ok());
}

/// So much time passes at once, while nothing arrives.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_daemon_that_answers_no_heartbeat_is_left_and_connected_to_anew() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let followed = follow(&config(&daemon));
    up(&followed.link).await;
    let minute = Duration::from_secs(61);
    pass(minute).await;
    daemon.asked("version", 2).await;
    assert!(followed.link.ask("listAccounts", json!({}), LIMIT).await.is_ok(), "that one was answered");
    daemon.next("version", Scripted::Silent);
    pass(minute).await;
    daemon.asked("version", 3).await;
    assert_eq!(*followed.link.state().borrow(), CarrierLink::Up, "it may be slow");
    let mut state = followed.link.state();
    pass(minute).await;
    let is_left = |state: &CarrierLink| matches!(state, CarrierLink::Down(why) if why.contains("does not answer any more"));
    state.wait_for(is_left).await.unwrap();
    up(&followed.link).await;
    assert_eq!(daemon.requests("version").len(), 4);
}

#[tokio::test]
async fn a_request_that_is_not_answered_in_time_may_have_arrived() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let followed = follow(&config(&daemon));
    up(&followed.link).await;
    daemon.next("send", Scripted::Silent);
    let link = followed.link.clone();
    let asking = tokio::spawn(async move { link.ask("send", json!({}), LIMIT).await });
    daemon.asked("send", 1).await;
    pass(LIMIT).await;
    let lost = AskFault::Lost("no answer within 30 s".to_owned());
    assert_eq!(asking.await.unwrap(), Err(lost));
    assert!(followed.link.ask("send", json!({}), LIMIT).await.is_ok(), "the connection is sound");
}

#[tokio::test]
async fn an_alert_to_which_the_daemon_says_nothing_is_sent_again_with_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let sending = sending(&daemon).await;
    daemon.next("send", Scripted::Silent);
    let id = sending.post(Audience::Group, Urgency::Critical, "Smoke!").await;
    daemon.asked("send", 1).await;
    sending.until(id, LetterState::Underway).await;
    pass(Duration::from_secs(91)).await;
    sending.until(id, LetterState::Waiting).await;
    sending.later(6).await;
    let sent = daemon.asked("send", 2).await;
    assert_eq!(texts(&sent), ["Smoke!", "(You may have had this already.) Smoke!"]);
}

#[tokio::test]
async fn answers_come_in_any_order_between_messages_and_lines_of_garbage() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let mut followed = follow(&config(&daemon));
    up(&followed.link).await;
    daemon.next("first", Scripted::Behind);
    let message =
        json!({ "jsonrpc": "2.0", "method": "receive", "params": wrote(OWNER, 1, "שלום 🙂 \u{fffc}") });
    let garbage = ["", "hello", "{\"id\":99,\"result\":1}", "[1,2", "\u{fffd}"].map(str::to_owned);
    let huge = format!("{{\"x\":\"{}\"}}", "y".repeat(9 << 20));
    let mut lines: Vec<String> = garbage.into();
    lines.extend([huge, message.to_string()]);
    daemon.next("second", Scripted::After(lines));
    let (first, second) = tokio::join!(followed.link.ask("first", json!({ "a": 1 }), LIMIT), async {
        daemon.asked("first", 1).await;
        followed.link.ask("second", json!({}), LIMIT).await
    },);
    assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
    assert_eq!(followed.received.recv().await.unwrap(), message["params"]);
}

#[tokio::test]
async fn an_attachment_of_a_megabyte_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let followed = follow(&config(&daemon));
    up(&followed.link).await;
    let data = "A".repeat(1 << 20);
    daemon.next("getAttachment", Scripted::Result(json!({ "data": data })));
    let got = followed.link.ask("getAttachment", json!({}), LIMIT).await.unwrap();
    assert_eq!(got["data"].as_str().unwrap().len(), 1 << 20);
}

#[tokio::test]
async fn a_subscription_is_made_only_where_the_daemon_waits_for_one_and_the_account_is_reported_where_there_is_one()
 {
    for (receive, expected) in [(ReceiveMode::OnConnection, 0), (ReceiveMode::Manual, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let daemon = Daemon::running(folder.path());
        let followed = follow(&SignalConfig { receive, account: "+491701".into(), ..config(&daemon) });
        up(&followed.link).await;
        followed.link.ask("send", json!({ "message": "x" }), LIMIT).await.unwrap();
        assert_eq!(daemon.requests("send"), [json!({ "message": "x", "account": "+491701" })]);
        let subscribed = daemon.requests("subscribeReceive");
        assert_eq!(subscribed, vec![json!({ "account": "+491701" }); expected]);
    }
}

#[tokio::test]
async fn what_waited_at_the_daemon_arrives_in_a_burst_and_each_message_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let now = 1_763_719_300_000;
    for (source, stamp, text) in [
        (OWNER, now, "one"),
        (OWNER, now, "one"),
        ("0000", now + 1, "open the door"),
        (OWNER, now + 2, "two"),
    ] {
        daemon.receive(&wrote(source, stamp, text));
    }
    let mut followed = follow(&config(&daemon));
    let mut gate = SignalGate::new(&config(&daemon));
    let mut heard = Vec::new();
    for _ in 0..4 {
        let params = followed.received.recv().await.unwrap();
        let received = Received::read(&params).unwrap();
        let admission = gate.admit(received, Timestamp::from_millisecond(now).unwrap());
        if let Admission::Heard(message) = admission
            && let OwnerMatter::Words(words) = message.matter
        {
            heard.push(words.0);
        }
    }
    assert_eq!(heard, ["one", "two"]);
    assert_eq!(gate.counts().strangers, 1);
}

/// An outbox that sends through the double.
struct Sending {
    outbox: Outbox,
    clock: Arc<ManualClock>,
    gate: Arc<Mutex<SignalGate>>,
    _followed: Followed,
    _stop: DropGuard,
}

async fn sending(daemon: &Daemon) -> Sending {
    let clock = Arc::new(ManualClock::at(Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC)));
    let outbox = outbox(Store::in_memory().unwrap(), clock.clone(), &[CarrierName::Signal]);
    let followed = follow(&config(daemon));
    let gate = Arc::new(Mutex::new(SignalGate::new(&config(daemon))));
    let carrier = SignalCarrier::new(followed.link.clone(), Arc::clone(&gate), &config(daemon));
    let stop = CancellationToken::new();
    let dispatcher = Dispatcher::new(outbox.clone(), vec![Arc::new(carrier)]);
    tokio::spawn(dispatcher.run(stop.clone(), Heart::unwatched()));
    Sending { outbox, clock, gate, _followed: followed, _stop: stop.drop_guard() }
}

impl Sending {
    async fn post(&self, audience: Audience, urgency: Urgency, text: &str) -> OutgoingId {
        let text = text.to_owned();
        self.outbox.post(Outgoing { audience, text, urgency, key: None, expires: None }).await.unwrap()
    }

    /// The wall clock goes on, and the outbox notices.
    async fn later(&self, seconds: i64) {
        let now = self.clock_now() + SignedDuration::from_secs(seconds);
        self.clock.set(now.to_zoned(TimeZone::UTC));
        // Without a message of its own nobody would look before half a minute is over.
        let expired = Some(Timestamp::UNIX_EPOCH);
        let nudge = Outgoing {
            audience: Audience::Owner,
            text: "x".into(),
            urgency: Urgency::Proactive,
            key: None,
            expires: expired,
        };
        self.outbox.post(nudge).await.unwrap();
    }

    /// Waits until a message has come to that.
    async fn until(&self, id: OutgoingId, state: LetterState) {
        while self.outbox.state(id).await.unwrap() != Some(state) {
            tokio::task::yield_now().await;
        }
    }

    fn clock_now(&self) -> Timestamp {
        use joi_base::clock::Clock as _;
        self.clock.now().timestamp()
    }
}

fn texts(sent: &[Value]) -> Vec<&str> {
    sent.iter().map(|params| params["message"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_alert_over_which_the_daemon_dies_is_sent_again_with_a_mark_and_none_behind_it_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::running(folder.path());
    let sending = sending(&daemon).await;
    daemon.next("send", Scripted::Death);
    sending.post(Audience::Group, Urgency::Critical, "Smoke!").await;
    daemon.asked("send", 1).await;
    sending.post(Audience::Group, Urgency::Critical, "Water!").await;
    daemon.die();
    daemon.start();
    let sent = daemon.asked("send", 2).await;
    assert_eq!(texts(&sent), ["Smoke!", "Water!"]);
    assert!(sent.iter().all(|params| params["groupId"] == "g="));
    sending.later(6).await;
    let sent = daemon.asked("send", 3).await;
    assert_eq!(texts(&sent)[2], "(You may have had this already.) Smoke!");
}

#[tokio::test]
async fn limits_and_changed_safety_numbers_of_the_server_keep_no_alert_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let sending = sending(&daemon).await;
    let failed = |kind: &str| json!({ "response": { "timestamp": 1, "results": [{ "type": kind, "retryAfterSeconds": 30 }] } });
    let limit = json!({ "code": -5, "message": "Failed to send message due to rate limiting", "data": failed("RATE_LIMIT_FAILURE") });
    let identity = json!({ "code": -4, "message": "Failed to send message due to untrusted identities", "data": failed("IDENTITY_FAILURE") });
    daemon.next("send", Scripted::Error(limit));
    daemon.next("send", Scripted::Error(identity));
    let id = sending.post(Audience::Group, Urgency::Critical, "Smoke!").await;
    daemon.asked("send", 1).await;
    sending.until(id, LetterState::Waiting).await;
    sending.later(31).await;
    // Refused by the group, so that the owner gets it at once.
    let sent = daemon.asked("send", 3).await;
    assert_eq!(texts(&sent), ["Smoke!"; 3]);
    assert_eq!((&sent[1]["groupId"], &sent[2]["recipient"]), (&json!("g="), &json!([OWNER])));
    sending.later(1).await;
    sending.until(id, LetterState::Sent).await;
    let mut gate = sending.gate.lock().unwrap();
    let ours = Received::read(&wrote(OWNER, 1_763_719_200_004, "x")).unwrap();
    let admission = gate.admit(ours, Timestamp::UNIX_EPOCH);
    assert_eq!(
        admission,
        Admission::Ignored("our own message"),
        "the fourth request, the first is for the version"
    );
}

#[tokio::test]
async fn the_daemon_is_asked_whether_it_serves_the_configured_account() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Daemon::running(folder.path());
    let with = |account: &str| SignalConfig { account: account.to_owned(), ..config(&daemon) };
    for (account, told) in [("+491701", None), ("", None), ("+491709", Some("serves +491701, but"))] {
        let followed = follow(&with(account));
        up(&followed.link).await;
        let checked = followed.link.check_account().await.err().map(|fault| fault.to_string());
        assert_eq!(checked.is_some(), told.is_some(), "{account}");
        assert!(checked.zip(told).is_none_or(|(checked, told)| checked.contains(told)));
    }
    let followed = follow(&with("+491709"));
    up(&followed.link).await;
    let refused = json!({ "code": -32601, "message": "Method not implemented", "data": null });
    daemon.next("listAccounts", Scripted::Error(refused));
    assert_eq!(followed.link.check_account().await, Ok(()), "a daemon for one account uses that one");
}

/// Where the real daemon is installed, its answers have the shapes that the double has.
#[tokio::test]
async fn the_real_daemon_answers_as_its_double_does() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let started = tokio::process::Command::new("signal-cli")
        .arg("--config")
        .arg(folder.path())
        .args(["daemon", "--receive-mode=on-connection"])
        .arg(format!("--socket={}", socket.display()))
        .kill_on_drop(true)
        .spawn();
    let Ok(_daemon) = started else {
        println!("skipped: signal-cli is not installed");
        return;
    };
    let followed =
        follow(&SignalConfig { daemon: format!("unix:{}", socket.display()), ..SignalConfig::default() });
    followed.link.ready(Duration::from_secs(120)).await.unwrap();
    assert!(followed.link.version().unwrap().starts_with("0."));
    assert_eq!(followed.link.ask("listAccounts", json!({}), LIMIT).await, Ok(json!([])));
    let Err(AskFault::Refused(error)) = followed.link.ask("noSuchMethod", json!({}), LIMIT).await else {
        panic!("an unknown method is refused");
    };
    assert_eq!(error.code, -32601);
}
