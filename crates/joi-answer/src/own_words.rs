//! A look-up in the user's own words: what a model has added to them is left out.
//!
//! In: a call that changes nothing, and whether somebody spoke of its values. Out: the arguments without those that may be
//! missing and that nobody spoke of.
//! Pure: no I/O, no clock.

use joi_language::values::CallValue;
use joi_tools::{Arguments, Tool, schema};

/// Returns the arguments of a call of `tool` that holds no more than the user's words, as far as it can be made such.
pub fn without_invented(
    tool: &dyn Tool,
    arguments: &Arguments,
    is_mentioned: impl Fn(&[CallValue]) -> bool,
) -> Arguments {
    let invented = |arguments: &Arguments| {
        let values = tool.values(arguments);
        values.iter().filter(|value| !is_mentioned(std::slice::from_ref(value))).count()
    };
    let mut kept = arguments.clone();
    let shape = tool.schema();
    let names: Vec<String> = arguments.keys().cloned().collect();
    for name in names {
        let count = invented(&kept);
        if count == 0 {
            return kept;
        }
        let mut without = kept.clone();
        without.remove(&name);
        if schema::checked(&shape, &without).is_ok() && invented(&without) < count {
            kept = without;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use joi_language::Language;
    use joi_language::values::deed;
    use joi_language::values::{ValueKind, deed::Effect};
    use joi_tools::{Call, Output, ToolError};
    use serde_json::{Value, json};

    use super::*;

    /// Looks for something, perhaps in a place.
    struct Lens;

    impl Tool for Lens {
        fn name(&self) -> &str {
            "lens"
        }
        fn description(&self) -> &str {
            "look"
        }
        fn schema(&self) -> Value {
            let text = json!({ "type": "string", "maxLength": 200 });
            schema::object(json!({ "place": text, "day": text, "kind": text }), &["kind"])
        }
        fn effect(&self, _: &Arguments) -> Effect {
            Effect::Fetches
        }
        fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
            let names = ["place", "kind"].map(|name| (name, ValueKind::Words));
            deed::values_of(arguments, &names)
        }
        fn in_words(&self, _: &Arguments, _: &Language) -> String {
            "look".into()
        }
        fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
            async { Ok(Output::own("seen")) }.boxed()
        }
    }

    fn trimmed(arguments: Value, asked: &str) -> Value {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let is_said = |values: &[CallValue]| values.iter().all(|value| asked.contains(&value.text));
        Value::Object(without_invented(&Lens, &arguments, is_said))
    }

    #[test]
    fn what_a_model_added_to_a_look_up_is_left_out() {
        let arguments = json!({ "place": "London", "day": "today", "kind": "rain" });
        let asked = "will there be rain this evening";
        assert_eq!(trimmed(arguments.clone(), asked), json!({ "day": "today", "kind": "rain" }));
        assert_eq!(trimmed(arguments.clone(), "rain in London"), arguments);
        // What must be there stays, and is judged as it is.
        let arguments = json!({ "kind": "snow" });
        assert_eq!(trimmed(arguments.clone(), asked), arguments);
    }
}
