//! The gate in front of a turn: is a change worth one? A question to a model, and how its answer is read.
//!
//! A gate that fails is open: the turn takes place. Pure: no I/O, no clock.

use std::fmt::Write as _;

use super::hot_state::{FieldChange, shown};

/// What the gate found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrecheckVerdict {
    /// Something that matters.
    Material,
    /// Nothing that matters.
    Nothing,
    /// No answer, or one that can't be read.
    Failed,
}

/// Returns the question about these changes to an agent with this prompt.
pub fn question(prompt: &str, changes: &[FieldChange]) -> String {
    let mut lines = String::new();
    for change in changes {
        let before = change.before.as_ref().map_or_else(|| "nothing".to_owned(), shown);
        let _ = writeln!(lines, "- {}: {before} -> {}", change.name, shown(&change.now));
    }
    include_str!("../../../../assets/prompts/agent.precheck.md")
        .trim()
        .replace("{prompt}", prompt.trim())
        .replace("{changes}", lines.trim_end())
}

/// Reads the answer.
pub fn verdict(answer: Option<&str>) -> PrecheckVerdict {
    let Some(answer) = answer else { return PrecheckVerdict::Failed };
    let mut words = answer.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("yes") => PrecheckVerdict::Material,
        Some("no") => PrecheckVerdict::Nothing,
        _ => PrecheckVerdict::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_question_holds_the_task_and_each_change() {
        let door = FieldChange { name: "door".into(), before: Some(json!("closed")), now: json!("open") };
        let count = FieldChange { name: "count".into(), before: None, now: json!(3) };
        let asked = question("You watch the garage.\n", &[door, count]);
        assert!(asked.contains("You watch the garage."), "{asked}");
        assert!(asked.contains("- door: closed -> open\n- count: nothing -> 3"), "{asked}");
        assert!(!asked.contains('{'), "{asked}");
    }

    #[test]
    fn an_answer_that_can_not_be_read_opens_the_gate() {
        for (answer, expected) in [
            (Some("Yes."), PrecheckVerdict::Material),
            (Some("no"), PrecheckVerdict::Nothing),
            (Some("**NO** because"), PrecheckVerdict::Nothing),
            (Some("Maybe"), PrecheckVerdict::Failed),
            (Some(""), PrecheckVerdict::Failed),
            (None, PrecheckVerdict::Failed),
        ] {
            assert_eq!(verdict(answer), expected, "{answer:?}");
        }
    }
}
