//! What does not wait behind a turn that takes long, and what is taken back or disappears.

use super::*;

/// A conversation in the middle of a turn that never ends.
fn busy() -> Bench {
    let bench = start(|config| config);
    bench.writes(OWNER, 1, "why is the sky blue?");
    bench
}

impl Bench {
    /// The name of what was written so many ms after now.
    fn stamp(&self, after: i64) -> i64 {
        self.now.timestamp().as_millisecond() + after
    }

    /// The owner sends this, so many ms later.
    fn sends(&self, after: i64, data: &[(&str, Value)]) {
        let mut params = wrote(OWNER, self.stamp(after), "");
        for (key, value) in data {
            params["envelope"]["dataMessage"][*key] = value.clone();
        }
        self.daemon.receive(&params);
    }

    fn deletes(&self, after: i64, stamp: i64) {
        self.sends(after, &[("message", Value::Null), ("remoteDelete", json!({ "timestamp": stamp }))]);
    }

    async fn until_silent(&self) {
        while !self.alerts.unheard().is_empty() {
            tokio::task::yield_now().await;
        }
    }
}

fn alarm(text: &str, at: Timestamp) -> Alert {
    Alert::new(AlertKind::High { text: text.into() }, at)
}

#[tokio::test]
async fn that_an_alarm_was_seen_does_not_wait_behind_a_slow_turn() {
    let bench = busy();
    let at = bench.now.timestamp();
    let after = |seconds| at + SignedDuration::from_secs(seconds);
    bench.names_next(77);
    bench.alerts.raise(alarm("The cellar is wet", at)).await;
    bench.writes(OWNER, 2, "what time is it?");
    bench.approves(OWNER, 3, 77).await;
    bench.until_silent().await;
    bench.alerts.raise(alarm("The door is open", after(1))).await;
    bench.writes(OWNER, 4, "I've seen it");
    bench.until_silent().await;
    bench.alerts.raise(alarm("The freezer is warm", after(2))).await;
    bench.writes(OWNER, 5, "stop");
    bench.until_silent().await;
    let answers = bench.answers(5).await;
    let acknowledged = answers.iter().filter(|answer| *answer == "Good. I'm silent about it now.").count();
    assert_eq!((answers.len(), acknowledged), (5, 2), "the question still waits: {answers:?}");
}

#[tokio::test]
async fn in_the_group_for_alerts_the_owner_says_that_he_has_seen_one_and_is_answered_nothing_else() {
    let bench = start(|config| SignalConfig { group: "g=".into(), ..config });
    let at = bench.now.timestamp();
    bench.alerts.raise(alarm("The cellar is wet", at)).await;
    let in_group = |after, text: &str| {
        bench.sends(after, &[("message", json!(text)), ("groupInfo", json!({ "groupId": "g=" }))]);
    };
    in_group(1, "what time is it?");
    in_group(2, "I've seen it");
    bench.until_silent().await;
    in_group(3, "I've seen it");
    bench.writes(OWNER, 4, "what time is it?");
    let answers = bench.answers(3).await;
    let about_time = answers.iter().filter(|answer| answer.contains("9:30 PM")).count();
    assert!(answers.contains(&"Good. I'm silent about it now.".to_owned()), "{answers:?}");
    assert_eq!(
        (answers.len(), about_time),
        (3, 1),
        "the alarm, that it is silent, and an answer: {answers:?}"
    );
}

#[tokio::test]
async fn a_message_that_is_deleted_is_not_answered_whether_it_waits_or_is_being_answered() {
    let bench = busy();
    bench.writes(OWNER, 2, "what time is it?");
    bench.writes(OWNER, 3, "what day is it today?");
    bench.deletes(4, bench.stamp(2));
    bench.deletes(5, bench.stamp(1));
    let answers = bench.answers(1).await;
    assert!(answers[0].contains("Wednesday"), "{answers:?}");
    bench.writes(OWNER, 6, "what time is it?");
    let answers = bench.answers(2).await;
    assert!(answers[1].contains("9:30 PM"), "{answers:?}");
}

#[tokio::test]
async fn a_question_is_asked_no_more_when_the_message_it_was_about_is_deleted() {
    let bench = start(|config| config);
    bench.is_asked_whether_to_forget(77).await;
    bench.deletes(2, bench.stamp(1));
    bench.approves(OWNER, 3, 77).await;
    bench.writes(OWNER, 4, "what time is it?");
    bench.answers(2).await;
    assert_eq!(bench.store.memories(None, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn nothing_is_stored_of_a_message_that_disappears() {
    let bench = start(|config| config);
    let words = |text: &str, seconds: u32| [("message", json!(text)), ("expiresInSeconds", json!(seconds))];
    bench.sends(1, &words("what time is it?", 3600));
    let answers = bench.answers(1).await;
    assert!(answers[0].contains("9:30 PM"), "{answers:?}");
    bench.sends(2, &words("repeat that", 3600));
    let answers = bench.answers(2).await;
    assert_eq!(answers[0], answers[1]);
    bench.sends(3, &words("what day is it today?", 0));
    bench.answers(3).await;
    // An earlier question is over once this is answered.
    bench.sends(4, &words("what time is it?", 3600));
    bench.answers(4).await;
    let rows = bench.store.dialogue_since(Timestamp::UNIX_EPOCH, 9).await.unwrap();
    let stored: Vec<&str> = rows.iter().map(|row| row.text.0.as_str()).collect();
    assert!(!stored.is_empty() && stored.iter().all(|text| !text.contains("time")), "{stored:?}");
    let records = bench.store.turns(9).await.unwrap();
    assert_eq!(records.len(), 1, "{records:?}");
}
