//! Records: dangers beside the decisions, and whether an impulse was answered.

use super::*;
use joi_base::message::{Channel, TurnId};
use joi_base::trace::TurnRecord;
use joi_proactive::awareness::CriticalId;

#[tokio::test]
async fn a_danger_at_night_is_on_record_once_with_what_it_adds_to_the_score() {
    for boost in [0.5, 0.2] {
        let mut bench = bench(Store::in_memory().unwrap(), start().checked_add(3.hours()).unwrap()).await;
        bench.speaker.parts.config.score.critical = boost;
        bench.happens("Window");
        bench.minutes(1, Floor::Free).await;
        let now = bench.clock.now();
        let happening = Happening::Critical { id: CriticalId::SmokeAlarm };
        let smoke = HouseEvent::new(happening, "Smoke", now.timestamp());
        bench.awareness.state().take(smoke, &AwarenessConfig::default(), &now);
        bench.minutes(60, Floor::Free).await;
        let rows = bench.store.impulses(500).await.unwrap();
        let records: Vec<ImpulseRecord> =
            rows.iter().map(|row| serde_json::from_str(&row.json).unwrap()).collect();
        let of_danger = |record: &&ImpulseRecord| record.about.as_deref() == Some("smoke_alarm");
        let [danger] = records.iter().filter(of_danger).collect::<Vec<_>>()[..] else {
            panic!("{records:?}")
        };
        assert_eq!((danger.at, danger.score.boost), (now.timestamp(), boost));
        assert_eq!(danger.outcome, Some(ImpulseOutcome::ToldAtOnce));
        assert!(
            records.len() > 1 && records.iter().all(|record| of_danger(&record) || record.score.boost == 0.0)
        );
        assert_eq!((bench.heard.len(), bench.awareness.state().topics.len()), (0, 1), "a record, no words");
    }
}

fn turn(at: Timestamp, heard: &str) -> TurnRecord {
    TurnRecord {
        id: TurnId(1),
        channel: Channel::Voice,
        at: at.to_string(),
        heard: heard.into(),
        reply: String::new(),
        marks: Vec::new(),
        decisions: Vec::new(),
        model_use: Vec::new(),
        tool_use: Vec::new(),
    }
}

#[tokio::test]
async fn a_turn_within_half_an_hour_answers_an_impulse_and_words_for_somebody_else_do_not() {
    for (minute, heard, is_answer) in [(29, "thanks", true), (29, "", false), (31, "thanks", false)] {
        let evening = start().checked_add(17.hours()).unwrap();
        let mut bench = bench(Store::in_memory().unwrap(), evening).await;
        bench.speaker.parts.config.score.pattern_after = 1;
        bench.happens("Window");
        while bench.heard.is_empty() {
            bench.minutes(1, Floor::Free).await;
        }
        bench.minutes(1, Floor::Free).await;
        let [sent] = bench.awareness.state().awaiting_answer[..] else { panic!("one message") };
        let said = sent.checked_add(SignedDuration::from_mins(minute)).unwrap();
        bench.store.save_turn(&turn(said, heard)).await.unwrap();
        bench.minutes(60, Floor::Free).await;
        let state = bench.awareness.state().clone();
        let hour = HourOfWeek::of(&sent.to_zoned(start().time_zone().clone()));
        let habit = state.patterns.shift(hour, sent, &bench.speaker.parts.config.score.patterns());
        assert_eq!((habit > 0.0, habit < 0.0), (is_answer, !is_answer), "{minute} min: \"{heard}\"");
        assert_eq!((state.awaiting_answer.len(), state.in_hand.is_some()), (0, !is_answer));
        let last = if heard.is_empty() { sent } else { said };
        assert_eq!(state.last_interaction, Some(last), "{minute} min: \"{heard}\"");
    }
}
