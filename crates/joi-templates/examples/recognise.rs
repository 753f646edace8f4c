//! Recognises the sentences of a job by the templates of a language: `scripts/test-template-peers.sh` compares the answers
//! with hassil's. Comes in: a job as JSON on standard input. Goes out: one answer a sentence, as JSON, and how long it took.

use std::collections::HashMap;
use std::io::Read;
use std::time::Instant;

use joi_templates::{IntentMatch, ListValue, MatchContext, SentenceTemplates, SlotLists};
use serde_json::{Value, json};

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The names, areas and floors of a test file.
fn lists(group: &Value) -> SlotLists {
    let names = group["names"].as_array().into_iter().flatten().map(|name| {
        let context = name["context"].as_object().into_iter().flatten();
        context.fold(ListValue::new(name["text"].as_str().unwrap_or_default()), |value, (key, known)| {
            value.context(key, known.clone())
        })
    });
    SlotLists::new()
        .with("name", names)
        .with("area", strings(&group["areas"]).map(ListValue::new))
        .with("floor", strings(&group["floors"]).map(ListValue::new))
}

fn answer(found: Option<&IntentMatch>) -> Value {
    let Some(found) = found else { return Value::Null };
    let slots: HashMap<&str, &Value> =
        found.slots.iter().map(|slot| (slot.name.as_str(), &slot.value)).collect();
    json!({"intent": found.intent, "slots": slots})
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut job = String::new();
    std::io::stdin().read_to_string(&mut job)?;
    let job: Value = serde_json::from_str(&job)?;
    let words: HashMap<String, Vec<String>> = serde_json::from_value(job["numbers"].clone())?;
    let spell = |_: &str, number: f64| words.get(&number.to_string()).cloned().unwrap_or_default();
    let file = std::fs::read_to_string(job["file"].as_str().unwrap_or_default())?;
    let templates = SentenceTemplates::parse_with(&file, &spell)?;
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
    println!("{}", json!({"answers": answers, "microseconds": took}));
    Ok(())
}
