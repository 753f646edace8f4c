//! `yield`: an agent ends its turn and says how it goes on. Offered in turns by itself alone.
//!
//! In: arguments as the model wrote them. Out: the order, or why there is none; then the agent goes on.
//! Pure: no I/O, no clock.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_language::Language;
use serde_json::{Value, json};

use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};

/// The name of the tool.
pub const YIELD: &str = "yield";
/// Longest sleep, in seconds: a day.
const LONGEST_SLEEP_S: i64 = 86_400;
/// Most names of notifications that end a sleep.
const MOST_NAMES: usize = 16;

/// How an agent goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YieldOrder {
    /// With the next turn.
    Continue,
    /// After a sleep.
    Sleep {
        /// Its length in seconds.
        seconds: i64,
        /// Names of notifications that end it early.
        wakes_for: Vec<String>,
    },
    /// Not at all, until the program starts again.
    Shutdown,
}

/// Reads the arguments of a call.
///
/// # Errors
/// One sentence for the model.
pub fn order(arguments: &Arguments) -> Result<YieldOrder, String> {
    let mode = arguments.get("mode").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    match mode {
        "continue" => Ok(YieldOrder::Continue),
        "shutdown" => Ok(YieldOrder::Shutdown),
        "sleep" => {
            let seconds = arguments.get("sleep").and_then(Value::as_i64).filter(|seconds| *seconds > 0);
            let seconds = seconds.ok_or("mode sleep needs sleep: a whole number of seconds above 0.")?;
            let names = arguments.get("wake_early_if").and_then(Value::as_array);
            let names = names.into_iter().flatten().filter_map(Value::as_str).take(MOST_NAMES);
            let wakes_for = names.map(|name| name.trim().to_owned()).collect();
            Ok(YieldOrder::Sleep { seconds: seconds.min(LONGEST_SLEEP_S), wakes_for })
        }
        other => Err(format!(
            "mode is \"{}\"; allowed: continue, sleep, shutdown.",
            other.chars().take(40).collect::<String>()
        )),
    }
}

/// The tool. The loop reads the order from the arguments; a call does nothing else.
pub struct YieldTool;

impl Tool for YieldTool {
    fn name(&self) -> &str {
        YIELD
    }

    fn description(&self) -> &str {
        "end this turn: go on, sleep for seconds (or until a notification), or stop"
    }

    fn schema(&self) -> Value {
        schema::object(
            json!({
                "mode": { "type": "string", "enum": ["continue", "sleep", "shutdown"] },
                "sleep": { "type": "integer" },
                "wake_early_if": { "type": "array", "items": { "type": "string", "maxLength": 60 } },
                "reason": { "type": "string", "maxLength": 200 },
            }),
            &["mode"],
        )
    }

    fn effect(&self, _: &Arguments) -> Effect {
        Effect::Looks
    }

    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        YIELD.to_owned()
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let done = order(call.arguments).map(|_| Output::own("")).map_err(ToolError::TellModel);
        async { done }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_whole_or_refused_in_words() {
        let read = |arguments: Value| order(arguments.as_object().unwrap());
        let sleep = |seconds, names: &[&str]| {
            let wakes_for = names.iter().map(ToString::to_string).collect();
            Ok(YieldOrder::Sleep { seconds, wakes_for })
        };
        assert_eq!(read(json!({"mode": "continue"})), Ok(YieldOrder::Continue));
        assert_eq!(read(json!({"mode": "shutdown", "reason": "done"})), Ok(YieldOrder::Shutdown));
        assert_eq!(read(json!({"mode": "sleep", "sleep": 1})), sleep(1, &[]));
        let names = json!({"mode": "sleep", "sleep": 90, "wake_early_if": ["opened", " rang "]});
        assert_eq!(read(names), sleep(90, &["opened", "rang"]));
        assert_eq!(read(json!({"mode": "sleep", "sleep": 1_000_000})), sleep(86_400, &[]));
        for seconds in [json!(0), json!(-5), json!(1.5), json!("soon"), Value::Null] {
            let refused = read(json!({"mode": "sleep", "sleep": seconds}));
            assert_eq!(refused, Err("mode sleep needs sleep: a whole number of seconds above 0.".to_owned()));
        }
        let other = read(json!({"mode": "rest"}));
        assert_eq!(other, Err("mode is \"rest\"; allowed: continue, sleep, shutdown.".to_owned()));
        assert!(read(json!({})).is_err());
    }
}
