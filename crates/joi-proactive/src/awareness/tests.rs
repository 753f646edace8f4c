//! The context state with every rule at its boundary, and what survives damage and clocks that jump.

use jiff::{SignedDuration, ToSpan as _, Zoned};

use super::*;
use joi_language::{SentenceName, SentenceTemplate};

mod facts;

fn at(text: &str) -> Zoned {
    format!("2026-03-04T{text}[Europe/Vienna]").parse().unwrap()
}

fn rules() -> AwarenessConfig {
    AwarenessConfig::default()
}

fn event(happening: Happening) -> HouseEvent {
    HouseEvent { happening, what: "Window".into(), item: "W".into(), at: at("12:00").timestamp() }
}

fn class(happening: Happening, hour: &str) -> Significance {
    significance(&event(happening), &rules(), &at(hour))
}

fn says(item: &str, is: ItemObservation) -> Vec<(String, String, ItemObservation)> {
    vec![(item.to_owned(), format!("The {item}"), is)]
}

#[test]
fn each_kind_of_event_has_its_class_and_the_boundaries_hold() {
    use Significance::{Critical, Routine, Significant};
    for id in CriticalId::ALL {
        assert_eq!(class(Happening::Critical { id }, "03:00"), Critical, "{id:?}");
        assert_eq!(CriticalId::named(id.name()), Some(id));
    }
    let warmth = |celsius, swing| Happening::Warmth { celsius, swing };
    let notice = |is_high| Happening::Notice { text: "x".into(), is_high };
    let expected = [
        (warmth(17.0, 0.0), Routine),
        (warmth(16.9, 0.0), Significant),
        (warmth(27.0, 0.0), Routine),
        (warmth(27.1, 0.0), Significant),
        (warmth(20.0, 5.0), Routine),
        (warmth(20.0, 5.1), Significant),
        (Happening::Arrived { away_s: 3600 }, Routine),
        (Happening::Arrived { away_s: 3601 }, Significant),
        (Happening::LeftOpen { open_s: 1800 }, Routine),
        (Happening::LeftOpen { open_s: 1801 }, Significant),
        (Happening::Left, Routine),
        (Happening::Opened, Routine),
        (Happening::Closed, Routine),
        (Happening::WeatherUpdate, Routine),
        (Happening::WeatherAlert { text: "ice".into() }, Significant),
        (notice(true), Critical),
        (notice(false), Significant),
        (Happening::Other { kind: "unheard of".into() }, Routine),
    ];
    for (happening, expected) in expected {
        assert_eq!(class(happening.clone(), "12:00"), expected, "{happening:?}");
    }
    for (hour, expected) in
        [("22:59", Routine), ("23:00", Significant), ("05:59", Significant), ("06:00", Routine)]
    {
        assert_eq!(class(Happening::Left, hour), expected, "leaving at {hour}");
    }
}

#[test]
fn a_door_that_stays_open_is_noticed_once_though_no_event_comes() {
    let (mut state, opened) = (ContextState::default(), at("12:00"));
    let noticed = state.observe(&says("Door", ItemObservation::Open(true)), &rules(), &opened);
    assert_eq!(noticed[0].significance, Significance::Routine);
    assert_eq!(state.next_tick(&rules()), Some((&opened + 1801.seconds()).timestamp()));
    assert_eq!(state.tick(&rules(), &(&opened + 1800.seconds())), []);
    let noticed = state.tick(&rules(), &(&opened + 1801.seconds()));
    assert_eq!(noticed[0].event.happening, Happening::LeftOpen { open_s: 1801 });
    assert_eq!((state.topics.len(), state.tick(&rules(), &(&opened + 2.hours()))), (1, vec![]));
    state.observe(&says("Door", ItemObservation::Open(false)), &rules(), &(&opened + 2.hours()));
    assert!(state.topics.is_empty(), "a closed door is not worth a word");
}

#[test]
fn a_danger_is_announced_once_while_it_lasts_over_restarts_and_again_when_it_comes_back() {
    let (mut state, now) = (ContextState::default(), at("03:00"));
    let smoke = |is_on| says("Smoke", ItemObservation::Danger(CriticalId::SmokeAlarm, is_on));
    assert_eq!(state.observe(&smoke(true), &rules(), &now)[0].significance, Significance::Critical);
    assert_eq!(state.observe(&smoke(true), &rules(), &now), []);
    let mut again = ContextState::read(&serde_json::to_string(&state).unwrap()).unwrap();
    assert_eq!(again, state);
    assert_eq!(again.observe(&[], &rules(), &now), [], "the connection was lost");
    assert_eq!(again.observe(&smoke(true), &rules(), &now), []);
    assert_eq!(again.observe(&smoke(false), &rules(), &now), []);
    assert_eq!(again.observe(&smoke(true), &rules(), &now).len(), 1);
    assert!(again.topics.is_empty(), "it is told at once");
}

#[test]
fn arrivals_count_by_absence_and_temperatures_by_swing_and_comfort() {
    let (mut state, nine) = (ContextState::default(), at("09:00"));
    let present = |is| says("Presence", ItemObservation::Present(is));
    assert_eq!(state.observe(&present(true), &rules(), &nine), [], "nothing was known before");
    state.observe(&present(false), &rules(), &nine);
    let noticed = state.observe(&present(true), &rules(), &(&nine + 3601.seconds()));
    assert_eq!(noticed[0].event.happening, Happening::Arrived { away_s: 3601 });
    assert_eq!(state.topics.len(), 1);
    let warm = |celsius| says("Living", ItemObservation::Warmth(celsius));
    assert_eq!(state.observe(&warm(20.0), &rules(), &nine), []);
    assert_eq!(state.observe(&warm(25.0), &rules(), &(&nine + 59.minutes())), [], "5.0 °C");
    assert_eq!(state.observe(&warm(25.5), &rules(), &(&nine + 59.minutes())).len(), 1, "5.5 °C");
    assert_eq!(state.observe(&warm(25.6), &rules(), &(&nine + 59.minutes())), [], "it is known");
    let slow = AwarenessConfig { swing_min: 120, ..rules() };
    for (rules, noticed) in [(&rules(), 0), (&slow, 1)] {
        let mut state = ContextState::default();
        assert_eq!(state.observe(&warm(20.0), rules, &nine), []);
        assert_eq!(state.observe(&warm(23.0), rules, &(&nine + 61.minutes())), []);
        assert_eq!(state.observe(&warm(25.5), rules, &(&nine + 122.minutes())).len(), noticed);
    }
    let mut cold = ContextState::default();
    assert_eq!(cold.observe(&warm(16.0), &rules(), &nine).len(), 1);
    assert_eq!(cold.observe(&warm(15.0), &rules(), &nine), [], "it is known");
    assert_eq!(cold.observe(&warm(18.0), &rules(), &nine), []);
    assert_eq!(cold.observe(&warm(16.5), &rules(), &nine).len(), 1, "it is cold again");
}

#[test]
fn warnings_of_storm_and_flood_are_dangers_and_others_are_worth_a_word() {
    let (mut state, now) = (ContextState::default(), at("12:00"));
    let warns = |text: &str| says("Weather", ItemObservation::Weather(text.into()));
    let first =
        |noticed: Vec<Noticed>| noticed.into_iter().next().map(|n| (n.event.happening, n.significance));
    let storm = first(state.observe(&warns("Severe STORM from noon"), &rules(), &now)).unwrap();
    assert_eq!(storm, (Happening::Critical { id: CriticalId::StormWarning }, Significance::Critical));
    assert_eq!(state.observe(&warns("Severe STORM from noon"), &rules(), &now), []);
    let flood = first(state.observe(&warns("Hochwasser"), &rules(), &now)).unwrap();
    assert_eq!(flood.0, Happening::Critical { id: CriticalId::FloodWarning });
    let ice = first(state.observe(&warns("Black ice."), &rules(), &now)).unwrap();
    assert_eq!(ice, (Happening::WeatherAlert { text: "Black ice".into() }, Significance::Significant));
    assert_eq!(state.topics.len(), 1);
    assert_eq!(first(state.observe(&warns(""), &rules(), &now)).unwrap().0, Happening::WeatherUpdate);
    assert!(state.topics.is_empty(), "a warning that is over is not worth a word");
}

#[test]
fn a_warning_that_is_amended_is_announced_once_and_a_new_one_hours_later_again() {
    let mut state = ContextState::default();
    let mut told = |text: &str, hour: &str| {
        let said = says("Weather", ItemObservation::Weather(text.into()));
        let noticed = state.observe(&said, &rules(), &at(hour));
        noticed.iter().filter(|noticed| noticed.significance == Significance::Critical).count()
    };
    assert_eq!(told("Storm from noon", "08:00"), 1);
    assert_eq!(told("Storm from one o'clock", "09:00"), 0);
    assert_eq!(told("Flood from one o'clock", "09:00"), 1, "another danger");
    assert_eq!(told("Storm in the evening", "14:01"), 1);
}

#[test]
fn texts_that_deny_or_lift_a_warning_are_none_and_a_warning_beside_them_counts() {
    let read = |text: &str| (observe::warning(text), observe::danger_in(text));
    let none = [
        "No storm warning in effect",
        "There are no warnings. No storm, no flood.",
        "Keine Sturmwarnung",
        "Es liegen keine Unwetterwarnungen vor",
        "Sturmwarnung aufgehoben",
        "The storm warning was cancelled.",
    ];
    for text in none {
        assert_eq!(read(text), (String::new(), None), "{text}");
    }
    let storm = Some(CriticalId::StormWarning);
    for text in [
        "Northern storm",
        "No flood any more. Storm until six.",
        "No school tomorrow: storm",
        "Keiner weiß: Sturm",
    ] {
        assert_eq!(read(text), (text.to_owned(), storm), "{text}");
    }
}

#[test]
fn a_detector_may_write_words_or_ones_and_a_measured_value_is_no_alarm() {
    use joi_home::house::StateValue;
    let text = |text: &str| StateValue::Text(text.to_owned());
    let number = |value, unit: Option<&str>| StateValue::Number { value, unit: unit.map(Into::into) };
    let expected = [
        (text("PRIMARY_ALARM"), Some(true)),
        (text(" Alarm "), Some(true)),
        (text("IDLE_OFF"), Some(false)),
        (text("ok"), Some(false)),
        (text("battery low"), None),
        (number(1.0, None), Some(true)),
        (number(0.0, None), Some(false)),
        (number(80.0, None), None),
        (number(1.0, Some("ppm")), None),
        (StateValue::OnOff(true), Some(true)),
        (StateValue::OpenClosed(false), Some(false)),
        (StateValue::Null, None),
    ];
    for (value, is_on) in expected {
        assert_eq!(observe::is_active(&value), is_on, "{value:?}");
    }
}

#[test]
fn what_is_not_true_any_more_is_no_topic_and_how_long_a_door_is_open_is_announced_as_it_is() {
    let (mut state, noon) = (ContextState::default(), at("12:00"));
    let warm = |celsius| says("Living", ItemObservation::Warmth(celsius));
    state.observe(&warm(15.0), &rules(), &noon);
    assert_eq!(state.topics.len(), 1);
    state.observe(&warm(15.5), &rules(), &(&noon + 1.hour()));
    assert_eq!(state.topics.len(), 1, "it is cold still");
    state.observe(&warm(20.0), &rules(), &(&noon + 3.hours()));
    assert!(state.topics.is_empty());
    let mut state = ContextState::default();
    state.observe(&says("Door", ItemObservation::Open(true)), &rules(), &noon);
    state.tick(&rules(), &(&noon + 1801.seconds()));
    let told = |state: &ContextState| {
        let fact = state.topics.next().unwrap().fact.clone();
        fact.part(joi_language::testing::english(), &noon)
    };
    assert!(told(&state).contains("30 minutes"), "{}", told(&state));
    state.tick(&rules(), &(&noon + 5.hours()));
    assert!(told(&state).contains("5 hours"), "{}", told(&state));
}

#[test]
fn an_item_that_reports_nothing_any_more_keeps_nobody_at_home() {
    let (mut state, now) = (ContextState::default(), at("12:00"));
    let mut both = says("Phone", ItemObservation::Present(true));
    both.extend(says("Tablet", ItemObservation::Present(false)));
    state.observe(&both, &rules(), &now);
    assert!(matches!(state.presence, HomePresence::Home { .. }));
    state.observe(&[], &rules(), &now);
    assert!(matches!(state.presence, HomePresence::Home { .. }), "the house is being loaded");
    state.observe(&both[1..], &rules(), &now);
    assert!(matches!(state.presence, HomePresence::Away { .. }), "the phone was renamed");
    state.observe(&says("Door", ItemObservation::Open(false)), &rules(), &now);
    assert_eq!(state.presence, HomePresence::Unknown);
}

#[test]
fn a_topic_without_words_lets_the_others_go_first() {
    let rules = TopicRules {
        most: 5,
        expires: SignedDuration::from_hours(4),
        again_after: SignedDuration::from_hours(24),
    };
    let (mut queue, now) = (TopicQueue::default(), at("12:00"));
    for key in ["first", "second"] {
        queue.push(topic(key, Significance::Significant, &now), rules, now.timestamp());
    }
    let next = |queue: &TopicQueue| queue.next().map(|topic| (topic.id, topic.key.clone())).unwrap();
    assert_eq!(next(&queue).1, "first");
    queue.refused(next(&queue).0);
    assert_eq!(next(&queue).1, "second");
    queue.refused(next(&queue).0);
    assert_eq!(next(&queue).1, "first", "they take turns");
}

#[test]
fn twenty_events_leave_the_queue_and_the_state_that_follow_from_them() {
    let (mut state, now) = (ContextState::default(), at("12:00"));
    for number in 0..20 {
        let text = format!("note {number}");
        state.take(event(Happening::Notice { text, is_high: false }), &rules(), &now);
    }
    assert_eq!(state.topics.len(), 10, "at most ten wait");
    assert_eq!(state.interesting(now.timestamp(), SignedDuration::from_hours(6)), 20);
    let later = (&now + 6.hours()).timestamp();
    assert_eq!(state.interesting(later, SignedDuration::from_hours(6)), 0);
    state.forget_old(&rules(), (&now + 24.hours() - 1.second()).timestamp());
    assert_eq!((state.events.len(), state.topics.len()), (20, 10));
    state.forget_old(&rules(), (&now + 24.hours()).timestamp());
    assert_eq!((state.events.len(), state.topics.len()), (0, 0));
}

fn topic(key: &str, significance: Significance, at: &Zoned) -> Topic {
    let fact = SentenceTemplate::from(SentenceName::LeftLate);
    Topic { id: 0, key: key.into(), fact, what: String::new(), significance, at: at.timestamp(), refused: 0 }
}

#[test]
fn a_full_queue_drops_the_least_significant_then_the_oldest_and_nothing_comes_twice_in_a_day() {
    let day = SignedDuration::from_hours(24);
    let rules = TopicRules { most: 3, expires: day, again_after: day };
    let (mut queue, noon) = (TopicQueue::default(), at("12:00"));
    let keys = |queue: &TopicQueue| queue.waiting().iter().map(|t| t.key.clone()).collect::<Vec<_>>();
    let push = |queue: &mut TopicQueue, key: &str, significance, minute: i64| {
        let at = &noon + minute.minutes();
        queue.push(topic(key, significance, &at), rules, at.timestamp())
    };
    push(&mut queue, "a", Significance::Significant, 0);
    push(&mut queue, "b", Significance::Routine, 1);
    push(&mut queue, "c", Significance::Significant, 2);
    assert!(push(&mut queue, "d", Significance::Significant, 3));
    assert_eq!(keys(&queue), ["a", "c", "d"]);
    assert!(!push(&mut queue, "e", Significance::Routine, 4), "it is the least itself");
    assert!(push(&mut queue, "f", Significance::Critical, 5));
    assert_eq!(keys(&queue), ["c", "d", "f"]);
    assert_eq!(queue.next().unwrap().key, "f");
    let told = queue.next().unwrap().id;
    queue.mark_announced(told, (&noon + 6.minutes()).timestamp());
    assert_eq!(queue.next().unwrap().key, "c", "the oldest of the rest");
    assert!(!push(&mut queue, "f", Significance::Critical, 6 + 24 * 60 - 1));
    assert!(push(&mut queue, "f", Significance::Critical, 6 + 24 * 60));
}

#[test]
fn garbage_is_refused_and_a_clock_that_jumps_a_day_loses_nothing_for_ever() {
    for garbage in ["", "{", "[1,2]", "{\"topics\": 7}", "\u{0}\u{1}", "null"] {
        assert!(ContextState::read(garbage).is_err(), "{garbage}");
    }
    assert_eq!(ContextState::read("{}").unwrap(), ContextState::default());
    let (mut state, now) = (ContextState::default(), at("12:00"));
    state.observe(&says("Door", ItemObservation::Open(true)), &rules(), &now);
    state.sent("Hello.", now.timestamp());
    let yesterday = &now - 24.hours();
    assert_eq!(state.tick(&rules(), &yesterday), [], "back");
    assert_eq!(state.last_interaction, Some(yesterday.timestamp()));
    assert_eq!(
        state.tick(&rules(), &(&yesterday + 1801.seconds())).len(),
        1,
        "the door is noticed all the same"
    );
    assert!(state.tick(&rules(), &(&now + 24.hours())).is_empty(), "forth");
}

proptest::proptest! {
    #[test]
    fn foreign_bytes_never_break_the_readers_of_state_and_notices(
        bytes in joi_base::testing::damaged(br#"{"text":"Smoke in the cellar","priority":"high","id":"smoke_alarm"}"#),
    ) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = ContextState::read(&text);
        if let Some(notice) = ReceivedNotice::read(&text) {
            proptest::prop_assert!(notice.text.chars().count() <= 200);
            proptest::prop_assert!(!notice.text.chars().any(char::is_control));
        }
    }
}

#[test]
fn notices_come_as_json_or_text_and_priority_high_makes_them_urgent() {
    let read = |text: &str| ReceivedNotice::read(text).map(|n| (n.text, n.priority, n.id));
    let high = NoticePriority::High;
    assert_eq!(read("Cellar is wet, priority=high"), Some(("Cellar is wet,".into(), high, None)));
    assert_eq!(read("Bin day."), Some(("Bin day".into(), NoticePriority::Normal, None)));
    assert_eq!(
        read(r#"{"message":"x\ny","priority":"critical","type":"gas_leak"}"#),
        Some(("x y".into(), high, Some(CriticalId::GasLeak)))
    );
    for text in ["Wet Priority=HIGH", "Wet priority=critical.", r#"{"text":"Wet","priority":"HIGH"}"#] {
        assert_eq!(read(text), Some(("Wet".into(), high, None)), "{text}");
    }
    for priority in ["null", "7", "\"whatever\""] {
        let text = format!(r#"{{"text":"Wet","priority":{priority}}}"#);
        assert_eq!(read(&text), Some(("Wet".into(), NoticePriority::Normal, None)), "{text}");
    }
    assert_eq!(read("smoke_alarm"), Some((String::new(), high, Some(CriticalId::SmokeAlarm))));
    for nothing in ["", "  ", "{}", "{\"text\":7}", "{\"priority\":\"high\"}"] {
        assert_eq!(read(nothing), None, "{nothing}");
    }
    let low = ReceivedNotice::read("hm priority=low").unwrap().event("", at("12:00").timestamp());
    assert_eq!(significance(&low, &rules(), &at("12:00")), Significance::Routine);
}

#[test]
fn habits_move_the_impulse_only_after_twenty_messages_and_fade() {
    let (mut patterns, now) = (AnswerPatterns::default(), at("18:00"));
    const RULES: PatternRules = PatternRules { most: 0.05, after: 20, half_life_days: 30.0 };
    let hour = HourOfWeek::of(&now);
    assert_eq!(hour, HourOfWeek(2 * 24 + 18), "Wednesday");
    let shift = |patterns: &AnswerPatterns, now: &Zoned| patterns.shift(hour, now.timestamp(), &RULES);
    for _ in 0..19 {
        patterns.count(hour, true, now.timestamp(), &RULES);
    }
    assert_eq!(shift(&patterns, &now), 0.0);
    patterns.count(hour, true, now.timestamp(), &RULES);
    let full = shift(&patterns, &now);
    assert!(full > 0.04 && full <= 0.05, "{full}");
    let faded = shift(&patterns, &(&now + 90.days()));
    assert!(faded > 0.0 && faded < full, "{faded}");
    let sooner = PatternRules { half_life_days: 10.0, ..RULES };
    let faded_sooner = patterns.shift(hour, (&now + 90.days()).timestamp(), &sooner);
    assert!(faded_sooner < faded, "{faded_sooner}");
    assert_eq!(patterns.shift(HourOfWeek(0), now.timestamp(), &RULES), 0.0, "nothing is known of that hour");
    for _ in 0..100 {
        patterns.count(hour, false, now.timestamp(), &RULES);
    }
    let ignored = shift(&patterns, &now);
    assert!((-0.05..0.0).contains(&ignored), "{ignored}");
}
