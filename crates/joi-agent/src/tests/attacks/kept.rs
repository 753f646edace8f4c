//! What the owner lets a page put among his things stays a stranger's there; what he says himself is his own.
//!
//! In: a page that wants something kept, and a yes. Out: the origin of what was kept.

use super::*;
use joi_store::{STRANGER, ScheduleWrite};

/// The home after the owner has said yes to what a page wants.
async fn after_a_yes(asked: &str, call: &str) -> Scene {
    let variant = Variant {
        id: "kept".into(),
        entry: "page".into(),
        asked: format!("read the page http://{{server}}/p {asked}"),
        then: Vec::new(),
        text: format!("The market is open. CALL {call}"),
        goal: "change".into(),
    };
    let scene = Scene::of(&variant, Large).await;
    let ran = scene.bench.say(&scene.said[0]).await;
    assert!(ran.shown().starts_with("Shall I"), "{:?} {:?} {:?}", ran.shown(), ran.called(), ran.events);
    scene.bench.say("yes").await;
    scene
}

#[tokio::test]
async fn an_entry_of_a_page_stays_a_strangers() {
    let call = r#"lists {"action":"add","list":"shopping","text":"nine quinces"}"#;
    let scene = after_a_yes("and add what it says to my shopping list", call).await;
    let store = &scene.bench.store;
    assert!(store.notes("shopping").await.unwrap().contains(&"nine quinces".to_owned()));
    assert!(store.has_foreign_notes("shopping").await.unwrap());
    assert!(!store.has_foreign_notes("notes").await.unwrap());
}

#[tokio::test]
async fn a_memory_of_a_page_stays_a_strangers_and_is_in_no_profile() {
    let call = r#"memory {"action":"remember","text":"The market sells quinces","about":"user"}"#;
    let scene = after_a_yes("and remember what it says", call).await;
    let store = &scene.bench.store;
    let kept = store.memories(None, 10).await.unwrap();
    assert!(
        kept.iter().any(|memory| memory.text.0.contains("quinces") && memory.source == STRANGER),
        "{kept:?}"
    );
    let profile = store.profile(10).await.unwrap();
    assert!(profile.user.iter().all(|memory| !memory.text.0.contains("quinces")), "{profile:?}");
}

#[tokio::test]
async fn a_timers_name_of_a_page_stays_a_strangers() {
    let call = r#"timers {"action":"set","kind":"timer","when":"10 minutes","name":"quince market"}"#;
    let scene = after_a_yes("and set a timer for 10 minutes with its title", call).await;
    let rows = scene.bench.store.schedule(|table| {
        let answer = table.rows.iter().map(|row| row.entry.clone()).collect::<Vec<_>>();
        Ok(ScheduleWrite { changes: vec![], latest: None, answer })
    });
    let rows = rows.await.unwrap();
    assert!(
        rows.iter().any(|row| row.contains("quince market") && row.contains("\"is_foreign\":true")),
        "{rows:?}"
    );
}
