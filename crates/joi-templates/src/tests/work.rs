//! The work for hostile sentences and templates is bounded.

use super::*;
use crate::{LONGEST_SENTENCE, RecogniseError};

#[test]
fn a_long_sentence_is_refused() {
    let templates = templates(json!({"intents": one(&["a"])}));
    let recognise = |sentence: &str| templates.recognise(sentence, &house(), &MatchContext::new());
    assert_eq!(recognise(&"a".repeat(LONGEST_SENTENCE)), Ok(Vec::new()));
    assert_eq!(
        recognise(&"a".repeat(LONGEST_SENTENCE + 1)),
        Err(RecogniseError::TooLong(LONGEST_SENTENCE + 1))
    );
    assert!(matches!(recognise(&"a ".repeat(1_000_000)), Err(RecogniseError::TooLong(_))));
}

#[test]
fn ambiguous_templates_take_no_exponential_time() {
    let template =
        format!("{} {{w}} {} {{w:v}} {} x", "[a] [a a]".repeat(20), "[a|b]".repeat(20), "[a] ".repeat(20));
    let templates = templates(json!({
        "intents": one(&[&template]),
        "lists": {"w": {"wildcard": true}}
    }));
    let sentence = format!("{}x", "a ".repeat(120));
    let found = matches(&templates, &sentence);
    assert!(!found.is_empty(), "it matches in many ways, of which a few are returned");
    assert!(found.len() <= 12);
    assert!(matches(&templates, &"a ".repeat(120)).is_empty());
}

#[test]
fn rules_that_double_end_with_an_error() {
    let mut rules = serde_json::Map::new();
    rules.insert("r0".into(), json!("[{w} ]"));
    for level in 1..22 {
        rules.insert(format!("r{level}"), json!(format!("<r{0}> <r{0}>", level - 1)));
    }
    let templates = templates(json!({
        "intents": one(&["<r21> end"]),
        "lists": {"w": {"wildcard": true}},
        "expansion_rules": rules
    }));
    let sentence = format!("{}end", "a ".repeat(100));
    let found = templates.recognise(&sentence, &house(), &MatchContext::new());
    assert!(matches!(found, Err(RecogniseError::TooMuchWork(_))), "{found:?}");
}
