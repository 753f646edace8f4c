use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent::field::FieldKind;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn state(fields: &[(&str, FieldRule)]) -> HotState {
    HotState::new(&fields.iter().map(|(name, rule)| ((*name).to_owned(), rule.clone())).collect())
}

fn of(kind: FieldKind) -> FieldRule {
    FieldRule { kind, ..FieldRule::default() }
}

fn aging(ttl_s: u32) -> FieldRule {
    FieldRule { ttl_s, ..FieldRule::default() }
}

#[test]
fn a_value_is_stale_once_it_is_older_than_its_ttl() {
    let mut state = state(&[("door", aging(60)), ("name", aging(0))]);
    assert!(state.is_stale("door", at(0)), "never set, and it grows old");
    assert!(!state.is_stale("name", at(0)), "without a ttl nothing is stale");
    assert!(!state.is_stale("window", at(0)), "there is no such field");
    state.read("door", &json!("open"), Source::Own, at(0)).unwrap();
    assert_eq!([59, 60, 61].map(|seconds| state.is_stale("door", at(seconds))), [false, false, true]);
    assert!(!state.is_stale("door", at(-1_000)), "a clock that was put back makes nothing old");
}

#[test]
fn the_model_sees_age_and_what_was_never_loaded() {
    let mut state =
        state(&[("door", aging(60)), ("load", aging(60)), ("name", aging(0)), ("note", aging(0))]);
    state.read("door", &json!("open"), Source::Own, at(0)).unwrap();
    state.read("name", &json!("two\n lines"), Source::Own, at(0)).unwrap();
    let lines = |now| state.rendered(at(now));
    assert_eq!(lines(60), "door: open\nload: (not yet loaded)\nname: two lines\nnote: (not set)\n");
    for (age, mark) in [(61, "1m"), (120, "2m"), (3_599, "59m"), (3_600, "1h"), (86_400, "1d")] {
        assert!(lines(age).starts_with(&format!("door: open (stale: {mark} ago)\n")), "{}", lines(age));
    }
}

#[test]
fn of_too_many_entries_the_oldest_are_dropped() {
    let three = |kind| FieldRule { max_items: 3, ..of(kind) };
    let mut state = state(&[("list", three(FieldKind::Array)), ("table", three(FieldKind::Object))]);
    for number in 0..5 {
        state.read("list", &json!(number), Source::Own, at(0)).unwrap();
        let kept = state.value("list").and_then(Value::as_array).map(Vec::len);
        assert_eq!(kept, Some(3.min(number + 1)));
    }
    assert_eq!(state.value("list"), Some(&json!([2, 3, 4])));
    state.set("list", json!([1, 2, 3, 4]), Source::Own, at(0)).unwrap();
    assert_eq!(state.value("list"), Some(&json!([2, 3, 4])));
    state.set("table", json!({"a": 1, "b": 2, "c": 3, "d": 4}), Source::Own, at(0)).unwrap();
    assert_eq!(state.value("table"), Some(&json!({"b": 2, "c": 3, "d": 4})));
}

#[test]
fn readings_are_taken_as_the_type_means_them() {
    for (kind, reading, value) in [
        (FieldKind::Number, json!("21.5 °C"), Some(json!(21.5))),
        (FieldKind::Number, json!("40%"), Some(json!(40))),
        (FieldKind::Number, json!("-3"), Some(json!(-3))),
        (FieldKind::Number, json!("2026-03-04"), None),
        (FieldKind::Number, json!("warm"), None),
        (FieldKind::Boolean, json!("OPEN"), Some(json!(true))),
        (FieldKind::Boolean, json!("OFF"), Some(json!(false))),
        (FieldKind::Boolean, json!(1), None),
        (FieldKind::String, json!(5), Some(json!("5"))),
        (FieldKind::String, json!({"a": 1}), None),
        (FieldKind::Array, json!("[1, 2]"), Some(json!([1, 2]))),
        (FieldKind::Array, json!("rang"), Some(json!(["rang"]))),
        (FieldKind::Object, json!("{\"a\": 1}"), Some(json!({"a": 1}))),
        (FieldKind::Object, json!([1]), None),
        (FieldKind::String, Value::Null, None),
    ] {
        let mut state = state(&[("it", of(kind))]);
        let read = state.read("it", &reading, Source::Own, at(0));
        assert_eq!(state.value("it"), value.as_ref(), "{kind:?} {reading}: {read:?}");
        assert_eq!(read.is_ok(), value.is_some(), "{kind:?} {reading}");
    }
}

#[test]
fn unknown_fields_and_other_types_are_refused_and_the_old_value_stays() {
    let mut state = state(&[("count", of(FieldKind::Number)), ("door", of(FieldKind::String))]);
    state.set("count", json!(1), Source::Own, at(0)).unwrap();
    let unknown = state.set("counter", json!(2), Source::Own, at(1)).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no field counter; the fields are: count, door");
    let other = state.set("count", json!("2"), Source::Own, at(1)).unwrap_err();
    assert_eq!(other.to_string(), "the value is string; allowed: number");
    assert_eq!(state.value("count"), Some(&json!(1)));
}

#[test]
fn what_is_due_has_a_tool_and_did_not_opt_out() {
    let tool = FieldRule { refresh_tool: "homeRead".into(), ..aging(60) };
    let off = FieldRule { auto_refresh: Some(false), ..tool.clone() };
    let mut state = state(&[("auto", tool), ("off", off), ("plain", aging(60))]);
    assert_eq!(state.due(at(0)), ["auto"]);
    state.read("auto", &json!("x"), Source::Own, at(0)).unwrap();
    assert_eq!([60, 61].map(|seconds| state.due(at(seconds)).len()), [0, 1]);
}

#[test]
fn changes_are_those_since_the_snapshot() {
    let mut state = state(&[("count", of(FieldKind::Number)), ("door", of(FieldKind::String))]);
    state.read("door", &json!("closed"), Source::Own, at(0)).unwrap();
    let before = state.snapshot();
    assert_eq!(state.read("door", &json!("closed"), Source::Own, at(1)), Ok(FieldWrite::Confirmed));
    assert_eq!(state.changes_since(&before), []);
    assert_eq!(state.read("door", &json!("open"), Source::Own, at(2)), Ok(FieldWrite::Changed));
    state.read("count", &json!(1), Source::Own, at(2)).unwrap();
    let change = |name: &str, before, now| FieldChange { name: name.to_owned(), before, now };
    let expected = [change("count", None, json!(1)), change("door", Some(json!("closed")), json!("open"))];
    assert_eq!(state.changes_since(&before), expected);
}

#[test]
fn words_of_strangers_mark_the_state_until_they_are_replaced() {
    let mut state = state(&[("page", of(FieldKind::String))]);
    state.read("page", &json!("ignore all"), Source::Foreign, at(0)).unwrap();
    assert!(state.is_foreign());
    state.read("page", &json!("ignore all"), Source::Own, at(1)).unwrap();
    assert!(!state.is_foreign());
}

proptest! {
    #[test]
    fn no_list_outgrows_its_limit(most in 1_u32..20, readings in proptest::collection::vec(0_i64..9, 0..60)) {
        let rule = FieldRule { max_items: most, ..of(FieldKind::Array) };
        let mut state = state(&[("list", rule)]);
        for reading in &readings {
            state.read("list", &json!(reading), Source::Own, at(0)).unwrap();
        }
        let kept: Vec<i64> = state.value("list").and_then(Value::as_array).map_or(Vec::new(), |all| all.iter().filter_map(Value::as_i64).collect());
        let newest = readings.len().saturating_sub(most as usize);
        prop_assert_eq!(kept, &readings[newest..]);
    }
}
