//! A topic in lists, timers, messages, alarms, documents and the context state.

use super::*;
use crate::{OutgoingChange, ScheduleChange, ScheduleWrite};

/// Everything beside dialogue and memory that may hold these words.
async fn held_elsewhere(store: &Store, who: &str) {
    let call = format!("call {who}");
    store.add_notes("todo", vec![call.clone(), "buy bread".into()], at(1)).await.unwrap();
    store.add_notes(&format!("{who}s list"), vec!["jam".into()], at(1)).await.unwrap();
    store.put_document(&format!("{who}.txt"), vec!["The door sticks.".into()], at(1)).await.unwrap();
    store
        .put_document("house.txt", vec![format!("The key is with {who}."), "Bread.".into()], at(1))
        .await
        .unwrap();
    let entry = |id: i64, name: &str| {
        let json =
            serde_json::json!({ "id": id, "kind": "reminder", "name": name, "state": { "is": "waiting" } });
        ScheduleChange::Put(id, json.to_string())
    };
    let changes = vec![entry(1, &call), entry(2, "buy bread")];
    store.schedule(|_| Ok(ScheduleWrite { changes, latest: None, answer: () })).await.unwrap();
    let letter = |text: &str, urgency: &str| {
        let json = serde_json::json!({ "urgency": urgency, "state": "waiting", "text": text });
        OutgoingChange::Add(json.to_string(), at(1))
    };
    let letters = vec![letter(&call, "direct"), letter("waiting bread", "direct")];
    store.change_outgoing(|_| Ok(letters)).await.unwrap();
    let high = serde_json::json!({ "kind": { "is": "high", "text": call }, "what": "", "item": "" });
    store.add_alert(at(1), high.to_string()).await.unwrap();
    store.add_impulse(at(1), serde_json::json!({ "why": format!("names {who}") }).to_string()).await.unwrap();
    let messages =
        serde_json::json!({ "messages": [{ "text": call }, { "text": "bread" }], "weather": "rain" });
    store.set_context_state(messages.to_string()).await.unwrap();
}

#[tokio::test]
async fn what_is_about_a_topic_goes_from_lists_reminders_messages_alarms_and_documents_too() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).unwrap();
    held_elsewhere(&store, "Philomena").await;
    store.run(|db| Ok(db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?)).await.unwrap();
    assert!(is_in_file(&path, "philomena"));
    for programs_own in ["reminder", "waiting urgency", "messages", "kind"] {
        assert_eq!(store.known_about(programs_own).await.unwrap().timers, 0, "{programs_own}");
    }
    let gone = TopicMentions { memories: 2, notes: 2, timers: 1, other: 4, ..TopicMentions::default() };
    assert_eq!(store.known_about("Philomena").await.unwrap(), gone);
    assert_eq!(gone.things(), 5);
    assert_eq!(store.forget_about("Philomena").await.unwrap(), gone);
    assert!(!is_in_file(&path, "philomen"));
    assert_eq!(store.notes("todo").await.unwrap(), ["buy bread"]);
    assert_eq!(texts(&store.memories(None, 10).await.unwrap()), ["Bread."]);
    assert_eq!(store.outgoing().await.unwrap().len(), 1);
    let left = r#"{"messages":[{"text":"bread"}],"weather":"rain"}"#;
    assert_eq!(store.context_state().await.unwrap().as_deref(), Some(left));
    assert!(store.known_about("Philomena").await.unwrap().is_nothing());
}

#[tokio::test]
async fn names_that_begin_alike_are_kept_apart_and_a_danger_that_nobody_acknowledged_stays() {
    let store = Store::in_memory().unwrap();
    held_elsewhere(&store, "Hansen").await;
    assert!(store.forget_about("Hans").await.unwrap().is_nothing());
    held_elsewhere(&store, "Tom").await;
    assert_eq!(store.forget_about("Tom").await.unwrap().notes, 2, "also \"Toms list\"");
    let danger = |acknowledged: Option<&str>| {
        let what = serde_json::json!({
            "kind": { "is": "danger", "id": "smoke_alarm" }, "what": "Attic", "acknowledged": acknowledged,
        });
        what.to_string()
    };
    store.add_alert(at(1), danger(None)).await.unwrap();
    store.add_alert(at(2), danger(Some("1970-01-03T00:00:00Z"))).await.unwrap();
    let told = r#"{"urgency":"critical","text":"Smoke: Attic."}"#.to_owned();
    store.change_outgoing(|_| Ok(vec![OutgoingChange::Add(told, at(1))])).await.unwrap();
    assert_eq!(store.forget_about("attic").await.unwrap().other, 1);
    assert_eq!(store.alerts(1).await.unwrap()[0].json, danger(None));
}
