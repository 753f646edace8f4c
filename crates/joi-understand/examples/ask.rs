//! Prints what an utterance asks for: the text without secrets, its parts, and the request in each part.
//!
//! `cargo run -p joi-understand --example ask -- "set a timer for nine minutes and what is 17 times 23"`
//!
//! No model, no network, no database takes part.

use std::error::Error;

use joi_language::Language;
use joi_understand::requests::{list, sum};
use joi_understand::risk::{AnswerRisk, risk_of};
use joi_understand::{compound, intents};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let said = if words.is_empty() { "set a timer for nine minutes".to_owned() } else { words.join(" ") };
    let language = Language::load("en")?;

    let safe = joi_redact::redact_in(&said, &language);
    println!("heard:  {}", safe.as_str());
    for label in safe.labels() {
        println!("secret: {label:?}");
    }
    if intents::match_intent(&language, safe.as_str()).is_some() {
        println!("{}", request(&language, safe.as_str()));
        return Ok(());
    }
    for part in compound::parts(safe.as_str(), Some(language.code())) {
        println!("{}", request(&language, part));
    }
    Ok(())
}

/// Returns one line about the request in `part`.
fn request(language: &Language, part: &str) -> String {
    let plain = part.trim().trim_end_matches(['.', '!', '?']);
    if let Some(quick) = intents::match_intent(language, part) {
        return format!("quick:  {:?}, because {}", quick.what, quick.reason);
    }
    if let Some(call) = list::arguments(plain, language) {
        return format!("list:   {call:?}");
    }
    if let Some(expression) = sum::asked_for(plain, language) {
        return format!("sum:    {expression}");
    }
    match risk_of(language, part, None) {
        AnswerRisk::Everyday => format!("model:  {part}"),
        AnswerRisk::Fact => format!("fact:   {part}"),
        AnswerRisk::Matter(name) => format!("matter: {name}: {part}"),
    }
}
