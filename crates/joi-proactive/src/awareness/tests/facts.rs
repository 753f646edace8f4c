//! Announcements stay true, and whose words they are made of.

use super::*;

fn facts(state: &ContextState) -> String {
    let fact = state.topics.next().unwrap().fact.clone();
    fact.part(joi_language::testing::english(), &at("12:00"))
}

#[test]
fn a_room_that_gets_colder_while_it_waits_to_be_mentioned_is_announced_as_cold_as_it_is() {
    let (mut state, noon) = (ContextState::default(), at("12:00"));
    let warm = |celsius| says("Living", ItemObservation::Warmth(celsius));
    state.observe(&warm(16.0), &rules(), &noon);
    assert!(facts(&state).contains("16"), "{}", facts(&state));
    state.observe(&warm(11.0), &rules(), &(&noon + 3.hours()));
    assert!(facts(&state).contains("11"), "{}", facts(&state));
    assert_eq!(state.topics.len(), 1);
}

#[test]
fn a_sensor_that_crosses_its_limit_again_and_again_counts_once() {
    let (mut state, noon) = (ContextState::default(), at("12:00"));
    for minute in 0..10 {
        let celsius = if minute % 2 == 0 { 16.9 } else { 17.1 };
        let said = says("Living", ItemObservation::Warmth(celsius));
        state.observe(&said, &rules(), &(&noon + minute.minutes()));
    }
    let six = SignedDuration::from_hours(6);
    assert_eq!(state.interesting(noon.timestamp(), six), 1);
    state.observe(&says("Bath", ItemObservation::Warmth(15.0)), &rules(), &noon);
    assert_eq!(state.interesting(noon.timestamp(), six), 2, "another one");
}

#[test]
fn a_door_that_reports_nothing_any_more_is_not_open_and_not_worth_a_word() {
    let (mut state, noon) = (ContextState::default(), at("12:00"));
    let warm = says("Living", ItemObservation::Warmth(20.0));
    let both = [says("Door", ItemObservation::Open(true)), warm.clone()].concat();
    state.observe(&both, &rules(), &noon);
    let later = &noon + 1801.seconds();
    state.tick(&rules(), &later);
    assert_eq!((state.open_doors().count(), state.topics.len()), (1, 1));
    state.observe(&[], &rules(), &later);
    assert_eq!(state.open_doors().count(), 1, "the house is being loaded");
    state.observe(&warm, &rules(), &later);
    assert_eq!((state.open_doors().count(), state.topics.len()), (0, 0), "it was removed, or is undefined");
    let smoke = says("Smoke", ItemObservation::Danger(CriticalId::SmokeAlarm, true));
    state.observe(&smoke, &rules(), &later);
    state.observe(&warm, &rules(), &later);
    assert_eq!(state.dangers().count(), 1, "a danger is not over because its detector is silent");
}

#[test]
fn a_kind_of_danger_that_is_not_known_is_announced_by_its_name() {
    let read = |text: &str| ReceivedNotice::read(text).map(|n| (n.text, n.priority, n.id));
    let high = NoticePriority::High;
    let gas = r#"{"type":"carbon_monoxide","priority":"high"}"#;
    assert_eq!(read(gas), Some(("carbon monoxide".into(), high, None)));
    let event = ReceivedNotice::read(gas).unwrap().event("", at("03:00").timestamp());
    assert_eq!(significance(&event, &rules(), &at("03:00")), Significance::Critical);
    assert_eq!(
        read(r#"{"id":"radon","text":"Radon in the cellar","priority":"high"}"#).unwrap().0,
        "Radon in the cellar"
    );
    assert_eq!(read(r#"{"id":" _ ","priority":"high"}"#), None, "it says nothing");
}

#[test]
fn keys_that_an_older_version_has_stored_stand_for_the_same_topics() {
    let day = SignedDuration::from_hours(24);
    let rules = TopicRules { most: 3, expires: day, again_after: day };
    let (mut queue, noon) = (TopicQueue::default(), at("12:00"));
    let push = |queue: &mut TopicQueue, key: &str| {
        queue.push(topic(key, Significance::Significant, &noon), rules, noon.timestamp())
    };
    push(&mut queue, "Bin day:");
    push(&mut queue, "Ice:Weather");
    queue.mark_announced(queue.next().unwrap().id, noon.timestamp());
    assert!(!push(&mut queue, "notice:Bin day:"), "it was told today");
    queue.withdraw("warning:Ice:Weather");
    assert!(queue.is_empty(), "the warning is over");
}

#[test]
fn each_of_two_messages_within_half_an_hour_is_answered_or_not_by_itself() {
    const RULES: PatternRules = PatternRules { most: 0.05, after: 1, half_life_days: 30.0 };
    let half = SignedDuration::from_mins(30);
    let after = |turns: &[i64], looks: &[i64]| {
        let (mut state, noon) = (ContextState::default(), at("12:50"));
        let moment = |minute: &i64| (&noon + minute.minutes()).timestamp();
        state.awaiting_answer = vec![moment(&0), moment(&15)];
        for look in looks {
            let turns: Vec<_> = turns.iter().filter(|turn| *turn <= look).map(moment).collect();
            state.note_answers(&turns, half, &(&noon + look.minutes()), &RULES);
        }
        // The first was sent before one o'clock, the second after.
        let habit = |hour: &str| state.patterns.shift(HourOfWeek::of(&at(hour)), moment(&60), &RULES);
        let sign = |shift: f64| {
            if shift > 0.0 {
                '+'
            } else if shift < 0.0 {
                '-'
            } else {
                '0'
            }
        };
        (sign(habit("12:50")), sign(habit("13:05")), state.awaiting_answer.len())
    };
    assert_eq!(after(&[], &[29]), ('0', '0', 2), "not yet");
    assert_eq!(after(&[], &[31]), ('-', '0', 1));
    assert_eq!(after(&[], &[31, 46]), ('-', '-', 0));
    assert_eq!(after(&[10], &[12, 46]), ('+', '-', 0), "a turn before it is no answer");
    assert_eq!(after(&[20], &[25]), ('+', '+', 0));
    assert_eq!(after(&[29, 44], &[45]), ('+', '+', 0), "a later turn takes no answer back");
    assert_eq!(after(&[40], &[42]), ('-', '+', 0));
}
