//! Alarms over a real queue, a real outbox and a real database; only the time is made up.

mod hangs;

use std::sync::Arc;

use jiff::Zoned;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::endpoint::{NoticeFate, SentNotice};
use super::*;
use crate::awareness::{CriticalId, Happening, HouseEvent};
use joi_base::clock::ManualClock;
use joi_base::message::Place;
use joi_language::SentenceName;
use joi_language::testing::{english, in_english};
use joi_messages::outbound::CarrierName;
use joi_messages::testing::outbox;
use joi_schedule::announce::{AnnounceConfig, Floor, Next, Presence, Situation};

struct Bench {
    alerts: Alerts,
    announcer: Announcer,
    /// That of the outbox.
    messages: Store,
}

fn night() -> Zoned {
    "2026-03-04T03:00[Europe/Vienna]".parse().unwrap()
}

fn bench(store: Option<Store>, hangs: bool) -> Bench {
    let clock = Arc::new(ManualClock::at(night()));
    let announcer = Announcer::new(&AnnounceConfig::default(), None, clock.clone());
    let messages = Store::in_memory().unwrap();
    if hangs {
        messages.hang();
    }
    let outbox = outbox(messages.clone(), clock, &[CarrierName::Signal]);
    let parts = AlertParts {
        config: AlertConfig::default(),
        announcer: announcer.clone(),
        outbox,
        store,
        languages: in_english(),
    };
    Bench { alerts: Alerts::new(parts), announcer, messages }
}

impl Bench {
    /// Returns what is to be sent.
    async fn posted(&self) -> Vec<Value> {
        let rows = self.messages.outgoing().await.unwrap();
        rows.iter().map(|row| serde_json::from_str(&row.message).unwrap()).collect()
    }
}

fn smoke() -> Alert {
    let happening = Happening::Critical { id: CriticalId::SmokeAlarm };
    let event =
        HouseEvent { happening, what: "Kitchen".into(), item: "Smoke".into(), at: night().timestamp() };
    Alert::of(&event).unwrap()
}

/// Returns what is said next where this is going on.
async fn said(announcer: &Announcer, floor: Floor, presence: Presence) -> Option<(AnnouncementId, String)> {
    let place = Place::named("home");
    match announcer.next(&Situation { place: &place, floor, presence }).await {
        Next::Say(id, announcement) => Some((id, announcement.wording.text(english(), &night()).0)),
        Next::Wait(..) => None,
    }
}

#[tokio::test(start_paused = true)]
async fn at_night_while_joi_answers_and_the_messenger_hangs_an_alarm_is_said_at_once_and_again_until_heard() {
    let bench = bench(Some(Store::in_memory().unwrap()), true);
    let alerts = bench.alerts.clone();
    let raised = tokio::spawn(async move { alerts.raise(smoke()).await });
    let mut changes = bench.announcer.changes();
    let began = tokio::time::Instant::now();
    let _ = changes.changed().await;
    assert!(began.elapsed() < Duration::from_secs(2));
    let user = Floor::User { since: std::time::Instant::now() };
    assert_eq!(said(&bench.announcer, user, Presence::Here).await, None, "not into a sentence that begins");
    let (id, text) = said(&bench.announcer, Floor::Answer, Presence::Muted).await.unwrap();
    assert_eq!(text, "Attention! Smoke alarm: Kitchen.");
    bench.announcer.heard(id, std::time::Instant::now()).await;
    assert_eq!(said(&bench.announcer, Floor::Free, Presence::Here).await, None, "not at once");
    bench.announcer.heard(id, std::time::Instant::now() - Duration::from_secs(11)).await;
    assert!(said(&bench.announcer, Floor::Free, Presence::Away).await.is_some(), "again");
    assert_eq!(bench.alerts.acknowledge(AcknowledgedBy::Socket).await, 1);
    assert_eq!(said(&bench.announcer, Floor::Free, Presence::Here).await, None);
    raised.await.unwrap();
}

#[tokio::test]
async fn stop_at_the_loudspeaker_acknowledges_and_the_database_knows_who() {
    let store = Store::in_memory().unwrap();
    let bench = bench(Some(store.clone()), false);
    bench.alerts.raise(smoke()).await;
    bench.alerts.raise(smoke()).await;
    assert_eq!(bench.alerts.unheard().len(), 1, "one danger is told once");
    bench.announcer.silence(&Place::named("home"));
    bench.alerts.look().await;
    assert_eq!(bench.alerts.unheard().len(), 1, "what answers a timer does not answer an alarm");
    assert!(bench.announcer.silence_alarms());
    bench.alerts.look().await;
    assert_eq!(bench.alerts.unheard(), []);
    let rows = store.alerts(9).await.unwrap();
    let stored: Alert = serde_json::from_str(&rows[0].json).unwrap();
    assert_eq!((rows.len(), stored.by), (1, Some(AcknowledgedBy::Voice)));
}

#[tokio::test]
async fn an_alarm_that_nobody_heard_is_announced_again_after_a_restart_under_the_same_key() {
    let store = Store::in_memory().unwrap();
    let before = bench(Some(store.clone()), false);
    before.alerts.raise(smoke()).await;
    before.alerts.raise(Alert::new(AlertKind::Test, night().timestamp())).await;
    let after = bench(Some(store.clone()), false);
    after.alerts.restore().await.unwrap();
    after.alerts.raise(smoke()).await;
    assert_eq!(after.alerts.unheard(), [smoke()], "and a test is not, nor anything twice");
    assert_eq!(before.posted().await[0]["key"], after.posted().await[0]["key"]);
    after.alerts.acknowledge(AcknowledgedBy::Voice).await;
    let last = bench(Some(store), false);
    last.alerts.restore().await.unwrap();
    assert_eq!(last.alerts.unheard(), []);
}

#[tokio::test]
async fn a_disk_that_can_not_be_written_keeps_no_alarm_from_being_said() {
    let store = Store::in_memory().unwrap();
    store.make_read_only().await;
    let bench = bench(Some(store), false);
    bench.alerts.raise(smoke()).await;
    assert!(said(&bench.announcer, Floor::Free, Presence::Here).await.is_some());
    assert_eq!(bench.posted().await[0]["text"], "Attention! Smoke alarm: Kitchen.");
}

#[tokio::test]
async fn a_second_danger_waits_for_the_end_of_the_first_and_a_test_says_that_it_is_one() {
    let bench = bench(None, false);
    bench.alerts.raise(smoke()).await;
    bench.alerts.raise(Alert::new(AlertKind::Test, night().timestamp())).await;
    let (_, first) = said(&bench.announcer, Floor::Free, Presence::Here).await.unwrap();
    assert!(first.contains("Smoke"));
    assert_eq!(said(&bench.announcer, Floor::Answer, Presence::Here).await, None, "it is being told");
    assert!(bench.alerts.unheard()[1].sentence().sentence(english(), &night()).contains("only a test"));
}

#[tokio::test]
async fn every_danger_has_its_text_in_every_language_and_a_lost_house_waits_for_the_morning() {
    for id in CriticalId::ALL {
        for language in [english(), joi_language::testing::german()] {
            let alert = Alert { kind: AlertKind::Danger { id }, ..smoke() };
            let text = alert.sentence().sentence(language, &night());
            assert!(text.contains("Kitchen") && text.len() > 20, "{text}");
        }
    }
    let bench = bench(None, false);
    bench.alerts.raise(Alert::new(AlertKind::HouseLost { lost_s: 601 }, night().timestamp())).await;
    assert_eq!(said(&bench.announcer, Floor::Free, Presence::Here).await, None, "it is night");
    assert!(bench.posted().await[0]["text"].as_str().unwrap().contains("10 minutes"));
    assert_eq!(bench.alerts.unheard(), [], "nobody need acknowledge it");
}

#[tokio::test]
async fn a_house_that_is_back_is_announced_where_its_loss_was_and_the_loss_is_silenced() {
    let store = Store::in_memory().unwrap();
    let before = bench(Some(store.clone()), false);
    before.alerts.house_is_lost(Duration::from_secs(601)).await;
    let bench = bench(Some(store), false);
    assert!(bench.alerts.has_announced_house_lost().await, "also before a restart");
    bench.alerts.house_is_back().await;
    assert!(!bench.alerts.has_announced_house_lost().await);
    assert_eq!(bench.posted().await[0]["text"], "I'm connected to the house again.");
    assert_eq!(bench.announcer.waiting(), [], "nobody has heard that it was gone");

    bench.alerts.house_is_lost(Duration::from_secs(601)).await;
    // As after a restart, when it waits in the queue and nobody knows its number.
    *bench.alerts.lost() = None;
    bench.alerts.house_is_back().await;
    assert_eq!(bench.announcer.waiting(), []);

    bench.alerts.house_is_lost(Duration::from_secs(601)).await;
    let id = bench.announcer.waiting()[0].id;
    bench.announcer.heard(id, std::time::Instant::now()).await;
    bench.alerts.house_is_back().await;
    let said = bench.announcer.waiting();
    assert!(said.len() == 1 && said[0].announcement.wording.is(SentenceName::HouseBack), "{said:?}");
}

#[tokio::test]
async fn alerts_over_http_are_taken_from_this_machine_only_and_from_no_web_page() {
    let listener = endpoint::open("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, mut notices) = tokio::sync::mpsc::channel(1);
    let stop = CancellationToken::new();
    let served = tokio::spawn(endpoint::serve(listener, None, sender, stop.clone()));
    let send = |body: String, origin: Option<&str>| {
        let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
        let request = format!(
            "POST /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{origin}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        async move {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut status = [0; 12];
            stream.read_exact(&mut status).await.unwrap();
            std::str::from_utf8(&status[9..]).unwrap().parse::<u16>().unwrap()
        }
    };
    assert_eq!(send("Bin day".into(), Some("http://evil.example")).await, 403);
    assert_eq!(send("{\"priority\":\"high\"}".into(), None).await, 400);
    assert_eq!(send("x".repeat(5000), None).await, 413);
    let first = tokio::spawn(send(r#"{"text":"Cellar","priority":"high"}"#.into(), None));
    while notices.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(send("Bin day".into(), None).await, 503, "one waits already");
    let SentNotice { notice, taken } = notices.recv().await.unwrap();
    assert_eq!((notice.text.as_str(), first.is_finished()), ("Cellar", false), "not before it is stored");
    taken.send(NoticeFate::Stored).unwrap();
    assert_eq!(first.await.unwrap(), 202);
    let lost = tokio::spawn(send("Bin day".into(), None));
    drop(notices.recv().await.unwrap());
    assert_eq!(lost.await.unwrap(), 503, "whoever ends has not taken it");
    assert!(endpoint::open("0.0.0.0:0".parse().unwrap()).await.is_err());
    stop.cancel();
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_notice_that_is_not_stored_is_answered_with_when_to_send_it_again() {
    let listener = endpoint::open("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, mut notices) = tokio::sync::mpsc::channel(1);
    let stop = CancellationToken::new();
    let served = tokio::spawn(endpoint::serve(listener, None, sender, stop.clone()));
    let answered = tokio::spawn(async move {
        let request = "POST /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 7\r\n\r\nBin day";
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.to_lowercase()
    });
    notices.recv().await.unwrap().taken.send(NoticeFate::NotStored).unwrap();
    let answer = answered.await.unwrap();
    assert!(answer.starts_with("http/1.1 503 ") && answer.contains("\r\nretry-after: 10\r\n"), "{answer}");
    assert!(
        answer.ends_with("\r\n\r\nit is not stored yet; send it again, it is not told twice\n"),
        "{answer}"
    );
    stop.cancel();
    served.await.unwrap().unwrap();
}

fn high(text: &str) -> Alert {
    Alert::new(AlertKind::High { text: text.to_owned() }, night().timestamp())
}

#[tokio::test]
async fn more_alarms_than_can_wait_keep_still_until_there_is_room_and_none_is_lost() {
    let bench = bench(None, false);
    let names: Vec<String> = ('a'..='z').chain('A'..='I').map(|name| format!("Cellar {name}")).collect();
    for name in &names {
        bench.alerts.raise(high(name)).await;
    }
    let waiting = bench.announcer.waiting();
    assert!(waiting.len() < names.len(), "the queue is full, or this proves nothing");
    let changes = bench.announcer.changes();
    bench.alerts.look().await;
    assert!(!changes.has_changed().unwrap(), "a look at a full queue drives nothing out");
    assert_eq!(bench.alerts.unheard().len(), names.len());
    bench.announcer.withdraw(waiting[7].id).await;
    bench.alerts.look().await;
    let said = |bench: &Bench| bench.announcer.waiting().iter().map(|w| w.id).max();
    assert!(said(&bench) > waiting.iter().map(|w| w.id).max(), "one that had to leave is announced again");
    assert_eq!(bench.alerts.unheard().len(), names.len());
}

#[tokio::test]
async fn notices_of_one_moment_are_all_sent() {
    let bench = bench(Some(Store::in_memory().unwrap()), false);
    let texts = ["Detector one", "Detector two", "Detector three"];
    for text in texts {
        bench.alerts.raise(high(text)).await;
    }
    let sent: Vec<String> = bench.posted().await.iter().map(|row| row["text"].to_string()).collect();
    assert!(texts.iter().all(|text| sent.iter().any(|sent| sent.contains(text))), "{sent:?}");
    let keys: std::collections::BTreeSet<String> =
        bench.alerts.unheard().iter().map(super::Alert::key).collect();
    assert_eq!(keys.len(), texts.len());
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_in_the_place_of_a_stored_alarm_cost_only_that_alarm(
        text in joi_base::testing::damaged_text(&serde_json::to_string(&smoke()).unwrap()),
        json in joi_base::testing::damaged_json(&serde_json::json!(Alert::new(
            AlertKind::HouseLost { lost_s: 601 },
            night().timestamp(),
        ))),
    ) {
        let read = [serde_json::from_str::<Alert>(&text), serde_json::from_value(json)];
        for alert in read.into_iter().flatten() {
            let told = alert.sentence().sentence(english(), &night());
            proptest::prop_assert!(!told.is_empty() && !alert.key().is_empty());
            let again: Alert = serde_json::from_str(&serde_json::to_string(&alert).unwrap()).unwrap();
            proptest::prop_assert!(alert.is_same(&again));
        }
    }
}
