//! Arguments as models write them.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn schema() -> Value {
    object(
        json!({
            "action": { "type": "string", "enum": ["add", "read"] },
            "text": { "type": "string", "maxLength": 20 },
            "count": { "type": "integer", "minimum": 1, "maximum": 9 },
            "share": { "type": "number" },
            "loud": { "type": "boolean" },
        }),
        &["action"],
    )
}

fn check(arguments: Value) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    checked(&schema(), &arguments).map(Value::Object)
}

#[test]
fn what_means_the_same_is_taken_as_meant() {
    let written = json!({ "action": "ADD", "text": 7, "count": "3", "share": "12.5 %", "loud": "True" });
    let meant = json!({ "action": "add", "text": "7", "count": 3, "share": 12.5, "loud": true });
    assert_eq!(check(written), Ok(meant));
    assert_eq!(
        check(json!({ "action": "read", "text": "none", "count": null })),
        Ok(json!({ "action": "read" }))
    );
}

#[test]
fn errors_show_the_model_how_to_do_better() {
    let wrong = [
        json!({}),
        json!({ "action": "drop" }),
        json!({ "action": "add", "count": 2.5, "item": "x" }),
        json!({ "action": "add", "text": "a text that is far too long", "loud": "maybe", "count": 12 }),
    ];
    let told: Vec<String> = wrong.map(|w| check(w).unwrap_err()).into();
    insta::assert_snapshot!(told.join("\n"), @r#"
    action is missing: one of "add", "read".
    action: "drop" is not one of "add", "read".
    count: 2.5 is not a whole number from 1 to 9. There is no argument item; the arguments are: action, text, count, share, loud.
    text: the text has 27 characters, at most 20 are allowed. count: 12 is not a whole number from 1 to 9. loud: "maybe" is not true or false.
    "#);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        "\\PC{0,30}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

proptest! {
    #[test]
    fn what_is_accepted_fits_and_is_accepted_again(
        fields in prop::collection::vec(("(action|text|count|share|loud|x)", any_value()), 0..6)
    ) {
        let arguments: Arguments = fields.into_iter().collect();
        if let Ok(once) = checked(&schema(), &arguments) {
            prop_assert_eq!(checked(&schema(), &once), Ok(once));
        }
    }
}
