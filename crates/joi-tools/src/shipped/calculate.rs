//! `calculate`: arithmetic and units, exactly; no model has a part in the result.
//!
//! Computes on Tokio's blocking pool and gives up after a second. In: an expression as people or models
//! write it. Out: its value. It takes arithmetic only: nothing that could define functions or loop.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
use joi_language::Language;
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_understand::requests::sum::{PreparedSum, SumValue, asked_for};

/// The name of the tool.
pub(super) const NAME: &str = "calculate";

/// The tool.
pub(super) struct Calculate;

impl Tool for Calculate {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "exact arithmetic, percentages and units, e.g. 17% of 80 or 5 miles to km"
    }

    fn schema(&self) -> Value {
        schema::object(json!({ "expression": { "type": "string", "maxLength": 120 } }), &["expression"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        if said.has_number() && said.time().is_none() { vec![self.schema()] } else { Vec::new() }
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn ready(&self, asked: &str, language: &Language, _conversation: &str) -> Option<Arguments> {
        let expression = asked_for(asked, language)?;
        Some(Arguments::from_iter([("expression".to_owned(), expression.into())]))
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        let mut values = deed::values_of(arguments, &[("expression", ValueKind::Numbers)]);
        // "A liter" is one, which nobody said.
        for value in &mut values {
            if let Some(rest) = value.text.strip_prefix("1 ").or_else(|| value.text.strip_prefix("1/2 ")) {
                value.text = rest.to_owned();
            }
        }
        values
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let language = call.language;
            let sum =
                PreparedSum::of_model(call.text("expression"), language).map_err(ToolError::TellModel)?;
            let written = &sum.written;
            let (compute, _stops_with_us) = sum.computation();
            let computed = tokio::task::spawn_blocking(compute).await;
            let value = computed.unwrap_or_else(|_| Err("it can't be computed".to_owned()));
            let value = value.map_err(|why| ToolError::TellModel(format!("{written}: {why}")))?;
            let SumValue { exact, rounded, sentence } = sum.in_words(value);
            let digits = if rounded == exact { String::new() } else { format!(" (to be exact: {exact})") };
            Ok(Output::own(format!("{written} = {rounded}{digits}")).saying(sentence))
        }
        .boxed()
    }
}
