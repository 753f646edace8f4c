//! Messages to whoever is not at home, and to the group: until when they are worth sending, and what a restart leaves.

use serde_json::{Value, json};

use super::*;

const URGENT: Thought = Thought::Says("{\"say\": \"The Window is still open.\", \"urgent\": true}");

async fn posted(bench: &Bench) -> Vec<Value> {
    let rows = bench.letters.outgoing().await.unwrap();
    rows.iter().map(|row| serde_json::from_str(&row.message).unwrap()).collect()
}

/// Returns a topic, at this time of a Wednesday, with a messenger.
async fn topic_at(time: &str, thought: Thought) -> Bench {
    let now = format!("2026-03-04T{time}[Europe/Vienna]").parse().unwrap();
    let bench = bench_of(thought, Store::in_memory().unwrap(), now, &[CarrierName::Signal]).await;
    bench.happens("Window");
    bench
}

#[tokio::test]
async fn no_message_of_hers_is_sent_once_quiet_hours_have_begun() {
    for (time, is_late) in [("15:00", false), ("22:30", true)] {
        let mut bench = topic_at(time, URGENT).await;
        bench.speaker.parts.config.allow_llm_escalation = true;
        bench.announcer.set_away(true);
        while bench.speaker.waiting.is_none() {
            bench.minutes(1, Floor::Free).await;
        }
        let now = bench.clock.now();
        assert!(now.hour() < 23, "or this proves nothing");
        let half_an_hour = now.checked_add(30.minutes()).unwrap().timestamp();
        let night = start().checked_add(23.hours()).unwrap().timestamp();
        let until = if is_late { night } else { half_an_hour };
        let letters = posted(&bench).await;
        assert_eq!(letters.len(), 2, "to the group, and to the owner: {letters:?}");
        for letter in letters {
            assert_eq!(letter["expires"].as_str().map(|at| at.parse().unwrap()), Some(until), "{letter}");
        }
    }
}

#[tokio::test]
async fn what_a_model_calls_urgent_goes_to_the_group_only_where_that_is_allowed() {
    for (thought, is_allowed, sent) in [
        (URGENT, true, 1),
        (URGENT, false, 0),
        (Thought::Says("{\"say\": \"The Window is still open.\", \"urgent\": false}"), true, 0),
    ] {
        let mut bench = topic_at("17:00", thought).await;
        bench.speaker.parts.config.allow_llm_escalation = is_allowed;
        while bench.heard.is_empty() {
            bench.minutes(1, Floor::Free).await;
        }
        assert_eq!(bench.heard[0].1, "The Window is still open.", "at home it is said all the same");
        let letters = posted(&bench).await;
        assert_eq!(letters.len(), sent, "{thought:?}, allowed: {is_allowed}");
        for letter in letters {
            assert_eq!((&letter["urgency"], &letter["audience"]), (&json!("escalated"), &json!("group")));
            assert_eq!(letter["text"], "The Window is still open.");
        }
    }
}

#[tokio::test]
async fn a_message_that_waits_over_a_restart_is_not_reported_once_more() {
    for is_sent in [false, true] {
        let (mut bench, id) = letter_on_its_way(15).await;
        let parts = bench.speaker.parts.clone();
        let (store, clock) = (parts.store.clone(), Arc::clone(&parts.clock));
        let awareness = Awareness::recalled(&AwarenessConfig::default(), store, clock).await;
        assert_eq!(awareness.state().topics.len(), 1, "what it is about outlives the program");
        bench.awareness = awareness.clone();
        bench.speaker = ImpulseSpeaker::new(ImpulseParts { awareness, ..parts }, fastrand::Rng::with_seed(5));
        // Somebody is at home by now.
        bench.announcer.set_away(false);
        if is_sent {
            bench.speaker.parts.outbox.settle(id, LetterState::Sent).await;
        }
        bench.minutes(20, Floor::Free).await;
        assert_eq!(bench.heard, [], "sent: {is_sent}");
        if !is_sent {
            bench.speaker.parts.outbox.settle(id, LetterState::Sent).await;
            bench.minutes(1, Floor::Free).await;
        }
        let state = bench.awareness.state().clone();
        assert_eq!((state.topics.len(), state.messages.len(), posted(&bench).await.len()), (0, 1, 1));
        assert!(state.messages[0].text.contains("open for 40 minutes"), "{:?}", state.messages);
        let rows = bench.store.impulses(500).await.unwrap();
        assert_eq!(rows.iter().filter(|row| row.json.contains("\"posted\"")).count(), 1, "{rows:?}");
    }
}

#[tokio::test]
async fn while_the_house_is_not_connected_nobody_is_taken_for_absent() {
    let mut bench = topic_at("17:00", Thought::Absent).await;
    // As it was when the connection was lost.
    bench.awareness.state().presence = HomePresence::Away { since: bench.clock.now().timestamp() };
    while bench.heard.is_empty() {
        bench.minutes(1, Floor::Free).await;
    }
    assert_eq!(posted(&bench).await, [] as [Value; 0], "it is said at home");
}
