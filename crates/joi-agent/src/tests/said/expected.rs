//! Reads what is right after a sentence: alternatives, each of effects that all have to come, some after a yes.
//!
//! Pure: no I/O, no clock.

use super::sentences::{all_quoted, quoted, tokens};

/// One of the values that are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    /// What comes at once.
    pub(super) effects: Vec<ExpectedEffect>,
    /// What a question is to be asked about: it comes after a yes.
    pub(super) after_yes: Option<Vec<ExpectedEffect>>,
}

/// One effect, or one thing that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExpectedEffect {
    /// `set`, `cancel`, `pause`, `resume`, `move`, `add`, `skip`, `snooze`: a change of the schedule, in words.
    Schedule(Vec<String>),
    /// `left` and `list` of the schedule: it is named.
    Scheduled(Vec<String>),
    /// Commands to the house, by item, and when.
    Sent(Vec<String>, Option<String>),
    /// `list add`, `list remove` and the like: verb, texts, the name of the list.
    List {
        verb: String,
        texts: Vec<String>,
        list: String,
    },
    /// A new memory of these words.
    Remember(Vec<String>),
    /// No memory holds this; nothing for none at all.
    Forget(Option<String>),
    /// `volume 30`, `volume +20`, `volume up`.
    Volume(String),
    /// `quiet`, `quiet end`, `quiet 3600 s`, `quiet until 12:00`.
    Quiet(String),
    /// One of these is said.
    Say(Vec<String>),
    /// Whether it affirms or denies.
    Answer {
        is_yes: bool,
    },
    /// The state of the item is said.
    Value(String),
    /// It says that the state is not known.
    Unknown,
    /// These items are named, and of the others at most those of unknown state.
    Named {
        those: Vec<String>,
        unknown: Vec<String>,
    },
    /// It says that it can't; with a number that has to be named.
    Refuse(Option<String>),
    /// A question, and items that it has to name.
    Ask(Vec<String>),
    Repeat,
    Stop,
    Goodbye,
    Care,
    Model,
}

/// Returns the values of an expectation, the best first.
pub(super) fn alternatives(expected: &str) -> Vec<Alternative> {
    expected.split(" | ").map(alternative).collect()
}

fn alternative(text: &str) -> Alternative {
    let (mut effects, mut after_yes) = (Vec::new(), None);
    for part in text.split(" & ") {
        match (part.strip_prefix("yes? "), &mut after_yes) {
            (Some(behind), _) => after_yes = Some(vec![effect(behind)]),
            (None, Some(after)) => after.push(effect(part)),
            (None, None) => effects.push(effect(part)),
        }
    }
    Alternative { effects, after_yes }
}

fn effect(text: &str) -> ExpectedEffect {
    let words = tokens(text);
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let is_list = || words.iter().any(|word| word.starts_with('@')) || second == "all";
    match words[0].as_str() {
        // A text whose time is asked for.
        "set" if words.last().is_some_and(|last| last == "?") => ExpectedEffect::Ask(Vec::new()),
        "set" | "cancel" | "pause" | "resume" | "move" | "add" | "skip" | "snooze" => {
            ExpectedEffect::Schedule(words)
        }
        "list" if is_list() => {
            let list = words.iter().find_map(|word| word.strip_prefix('@')).unwrap_or_default();
            let list = list.trim_start_matches('"').to_owned();
            ExpectedEffect::List { verb: second.to_owned(), texts: all_quoted(&words), list }
        }
        "left" | "list" => ExpectedEffect::Scheduled(words),
        "remember" => ExpectedEffect::Remember(all_quoted(&words)),
        "forget" => ExpectedEffect::Forget(quoted(second).map(str::to_owned)),
        "volume" => ExpectedEffect::Volume(second.to_owned()),
        "quiet" => ExpectedEffect::Quiet(words[1..].join(" ")),
        "say" => said(second, &words),
        "refuse" => ExpectedEffect::Refuse(words.get(2).filter(|_| second == "range").map(ToOwned::to_owned)),
        "which" => ExpectedEffect::Ask(words[1..].to_vec()),
        "ask" | "where" => ExpectedEffect::Ask(Vec::new()),
        "repeat" => ExpectedEffect::Repeat,
        "stop" => ExpectedEffect::Stop,
        "goodbye" => ExpectedEffect::Goodbye,
        "care" => ExpectedEffect::Care,
        "model" => ExpectedEffect::Model,
        first if first.contains('=') => {
            let (commands, when): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.contains('='));
            ExpectedEffect::Sent(commands, (!when.is_empty()).then(|| when.join(" ")))
        }
        _ => panic!("{text}"),
    }
}

fn said(second: &str, words: &[String]) -> ExpectedEffect {
    let rest = || words[2..].to_vec();
    match second {
        "yes" | "no" => ExpectedEffect::Answer { is_yes: second == "yes" },
        "value" => ExpectedEffect::Value(words[2].clone()),
        "unknown" => ExpectedEffect::Unknown,
        "list" => {
            let rest = rest();
            let (those, unknown) =
                rest.split_at(rest.iter().position(|word| word == "?").unwrap_or(rest.len()));
            ExpectedEffect::Named {
                those: those.to_vec(),
                unknown: unknown.iter().skip(1).cloned().collect(),
            }
        }
        _ => ExpectedEffect::Say(all_quoted(words)),
    }
}

#[test]
fn alternatives_effects_and_what_needs_a_yes_are_separated() {
    let all = alternatives("Living_TV=OFF & yes? Front_Lock=ON | ask | list add \"oat milk\" @shopping");
    let sent = |text: &str| ExpectedEffect::Sent(vec![text.to_owned()], None);
    assert_eq!(
        all[0],
        Alternative { effects: vec![sent("Living_TV=OFF")], after_yes: Some(vec![sent("Front_Lock=ON")]) }
    );
    assert_eq!(all[1].effects, [ExpectedEffect::Ask(vec![])]);
    let (verb, list) = ("add".to_owned(), "shopping".to_owned());
    assert_eq!(all[2].effects, [ExpectedEffect::List { verb, texts: vec!["oat milk".to_owned()], list }]);
    let later = alternatives("Hall_Light=OFF in 1800 s");
    assert_eq!(
        later[0].effects,
        [ExpectedEffect::Sent(vec!["Hall_Light=OFF".into()], Some("in 1800 s".into()))]
    );
}
