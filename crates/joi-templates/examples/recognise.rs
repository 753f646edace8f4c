//! Recognises the sentences of a job by the templates of a language: `scripts/test-template-peers.sh` compares the answers
//! with hassil's. Comes in: a job as JSON on standard input. Goes out: as JSON, one answer a sentence, how long each took,
//! and how much memory the templates take.

use std::collections::HashMap;
use std::io::Read;
use std::time::Instant;

use joi_templates::{IntentMatch, ListValue, MatchContext, SentenceTemplates, SlotLists};
use serde_json::{Value, json};

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The names of things, areas or floors.
fn values(group: &Value, list: &str) -> Vec<ListValue> {
    let value = |name: &Value| {
        let text = ListValue::new(name["text"].as_str().unwrap_or_default()).value(name["value"].clone());
        let context = name["context"].as_object().into_iter().flatten();
        context.fold(text, |value, (key, known)| value.context(key, known.clone()))
    };
    group[list].as_array().into_iter().flatten().map(value).collect()
}

fn lists(group: &Value) -> SlotLists {
    SlotLists::new()
        .with("name", values(group, "names"))
        .with("area", values(group, "areas"))
        .with("floor", values(group, "floors"))
}

fn answer(found: Option<&IntentMatch>) -> Value {
    let Some(found) = found else { return Value::Null };
    let slots: HashMap<&str, &Value> =
        found.slots.iter().map(|slot| (slot.name.as_str(), &slot.value)).collect();
    json!({"intent": found.intent, "slots": slots})
}

/// Memory of this process in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut job = String::new();
    std::io::stdin().read_to_string(&mut job)?;
    let job: Value = serde_json::from_str(&job)?;
    let words: HashMap<String, Vec<String>> = serde_json::from_value(job["numbers"].clone())?;
    let spell = |_: &str, number: f64| words.get(&number.to_string()).cloned().unwrap_or_default();
    let file = std::fs::read_to_string(job["file"].as_str().unwrap_or_default())?;
    let before = resident();
    let templates = SentenceTemplates::parse_with(&file, &spell)?;
    let kib = resident().saturating_sub(before);
    let mut answers = Vec::new();
    let mut took = Vec::new();
    for group in job["groups"].as_array().into_iter().flatten() {
        let lists = lists(group);
        let context = MatchContext::new().with("area", group["context_area"].clone());
        for sentence in strings(&group["sentences"]) {
            let begin = Instant::now();
            let found = templates.recognise(sentence, &lists, &context);
            took.push(begin.elapsed().as_micros() as u64);
            answers.push(answer(found.unwrap_or_default().first()));
        }
    }
    println!("{}", json!({"answers": answers, "microseconds": took, "kib": kib}));
    Ok(())
}
