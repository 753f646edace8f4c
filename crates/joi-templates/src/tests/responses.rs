//! Responses.

use super::*;
use crate::{EntityState, ResponseError, ResponseState};

fn response(text: &str, state: &ResponseState) -> Result<String, ResponseError> {
    let templates = templates(json!({
        "intents": one(&["{name} [in {area}]"]),
        "responses": {"intents": {"Test": {"default": text}}, "errors": {"no_area": "No {{ area }}"}}
    }));
    let found = matches(&templates, "Reading lamp in kitchen");
    templates.respond(&found[0], state)
}

fn lamp() -> EntityState {
    let attributes = json!({"brightness": 5});
    EntityState {
        entity_id: "light.reading".into(),
        domain: "light".into(),
        name: "Reading lamp".into(),
        state: "on".into(),
        state_with_unit: "on".into(),
        attributes: attributes.as_object().expect("an object").clone(),
    }
}

#[test]
fn a_response_sees_slots_state_and_query() {
    let state = ResponseState { state: Some(lamp()), matched: vec![lamp()], ..ResponseState::default() };
    let text = "{{ slots.name | lower }} is {{ state.state }}, {{ query.matched | length }} of {{ query.total_results }}";
    assert_eq!(response(text, &state).expect("text"), "reading lamp is on, 1 of 1");
    let text = "{% set b = state_attr(state.entity_id, 'brightness') %}\n {% if b is none: %} dark {% else: %} {{ b }} {% endif %}";
    assert_eq!(response(text, &state).expect("text"), "5");
    assert_eq!(response("{{ state_attr('x', 'y') is none }}", &state).expect("text"), "True");
}

#[test]
fn python_formats_numbers() {
    let slots = json!({"time": {"hour": 7, "minute": 5}});
    let slots = slots.as_object().expect("an object").clone();
    let state = ResponseState { slots, ..ResponseState::default() };
    let text = "{{ slots.time.hour }}:{{ '{0:02d}'.format(slots.time.minute) }} {{ '{} {}'.format(1, 'a') }}";
    assert_eq!(response(text, &state).expect("text"), "7:05 1 a");
    let text = "{{ 'x' | int(-1) }} {{ '20.7' | int }} {{ 'x' | float(default=none) is none }} {{ (20.0).is_integer() }}";
    assert_eq!(response(text, &state).expect("text"), "-1 20 True True");
    let text = "{{ {'year': 2026, 'month': 11, 'day': 29}.weekday() }} {{ {'year': 2024, 'month': 2, 'day': 29}.weekday() }}";
    assert_eq!(response(text, &state).expect("text"), "6 3", "a Sunday and a Thursday");
    assert!(matches!(response("{{ '{0:x}'.format(1) }}", &state), Err(ResponseError::Render { .. })));
}

#[test]
fn an_unknown_response_is_reported() {
    let templates = templates(json!({"intents": one(&["{name}"])}));
    let found = matches(&templates, "lamp");
    let error = templates.respond(&found[0], &ResponseState::default()).expect_err("no response");
    assert_eq!(error.to_string(), "no response \"default\" for Test");
}

#[test]
fn an_error_is_a_sentence() {
    let templates = templates(json!({"responses": {"errors": {"no_area": "No {{ area }}"}}}));
    let values = json!({"area": "attic"});
    let said = templates.respond_error("no_area", values.as_object().expect("an object"));
    assert_eq!(said.expect("a sentence"), "No attic");
}
