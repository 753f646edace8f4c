//! Detects a call that is only the example by which a small model learns how a call is written.
//!
//! A small model that does not know what to do writes the example down: then the answer to "my sister plays the cello"
//! is 391. Input: a call and the words said. Output: true if the call is nothing but the example.
//! Pure: no I/O, no clock.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::json::object;
use crate::protocol::WrittenCall;
use joi_tools::Arguments;

#[derive(Debug, Deserialize)]
struct Example {
    name: String,
    arguments: Arguments,
}

/// The call in the small model's prompt; nothing when there is none in it.
static EXAMPLE: LazyLock<Option<Example>> =
    LazyLock::new(|| object(include_str!("../../../assets/prompts/tools.small.md")));

/// Returns whether `made` is the example, and its numbers are in nothing that was `said`.
pub fn is_it<'a>(made: &WrittenCall, mut said: impl Iterator<Item = &'a str>) -> bool {
    let Some(example) = &*EXAMPLE else { return false };
    let bare = |arguments: &Arguments| {
        let text = arguments.values().map(ToString::to_string).collect::<String>();
        text.replace(char::is_whitespace, "")
    };
    let written = bare(&example.arguments);
    let numbers =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).map(str::to_owned).collect::<Vec<_>>();
    let is_said = |text: &str| {
        let there = numbers(text);
        numbers(&written).iter().filter(|number| !number.is_empty()).all(|number| there.contains(number))
    };
    made.name == example.name && bare(&made.arguments) == written && !said.any(is_said)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_example_is_a_call_only_where_somebody_asked_for_it() {
        for (expression, said, is_example) in [
            ("17 * 23", "my sister plays the cello", true),
            ("17*23", "I was born on the 17th of May 1923", true),
            ("17 * 23", "how much is 17 times 23", false),
            ("5 * 9", "my sister plays the cello", false),
        ] {
            let arguments = json!({ "expression": expression }).as_object().cloned().unwrap();
            let made = WrittenCall { id: None, name: "calculate".into(), arguments };
            assert_eq!(is_it(&made, [said].into_iter()), is_example, "{expression}: {said}");
        }
    }
}
