//! Whether a model that knows little may answer an utterance by itself.
//!
//! PURE, any thread, below a millisecond. In: an utterance, and the matter that was answered just before. Out: a
//! [`Care`]. Matters are those in which a wrong word does harm: they are known by the words of every language there is,
//! where advice is wanted, or where somebody tells that it has happened; what asks for something to be done is none,
//! but for an emergency behind it. Harmless words beside it, such as an appointment, switch off neither what is told nor
//! what is urgent. A fact is one that a look-up settles and that is beyond common knowledge: who did
//! something, when, how much of it, what changes with time. The words are in `care.toml` of each language.

use crate::language::care::{CareRule, CareWords};
use crate::language::{CareUrgency, Language};

#[cfg(test)]
mod tests;

/// What an utterance is to a model that knows little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Care {
    /// It may answer.
    Everyday,
    /// The matter of this name: it must not.
    Matter(String),
    /// A fact of the world: it may be wrong.
    Fact,
}

/// Decides; `before` is the matter that was answered just before.
pub fn care(language: &Language, asked: &str, before: Option<&str>) -> Care {
    let text = plain(asked);
    let mut kinds = language.care().iter().map(|words| kind(words, &text));
    // Facts are asked for in the language that is spoken.
    let own = kinds.next().unwrap_or(Care::Everyday);
    let matter =
        if let Care::Matter(_) = own { None } else { kinds.find(|kind| matches!(kind, Care::Matter(_))) };
    match (matter, before) {
        (Some(matter), _) => matter,
        (None, Some(before)) if own == Care::Everyday && goes_on(language, &text, before) => {
            Care::Matter(before.to_owned())
        }
        (None, _) => own,
    }
}

/// Whether somebody may be in danger now.
pub fn urgency(language: &Language, matter: &str) -> CareUrgency {
    let is_urgent = language.care().iter().any(|words| words.urgency(matter) == CareUrgency::Urgent);
    if is_urgent { CareUrgency::Urgent } else { CareUrgency::Careful }
}

/// Whether it asks what only the user can know: what he ate, the colour of his socks.
pub fn is_personal(language: &Language, asked: &str) -> bool {
    let text = plain(asked);
    language.care().iter().any(|words| words.personal.is_match(&text))
}

/// In lower case, with single spaces and the apostrophes of a keyboard.
fn plain(asked: &str) -> String {
    let text = asked.to_lowercase().replace(['’', '‘', '`'], "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What an utterance that asks for a look-up wants looked up.
pub fn to_look_up<'a>(language: &Language, asked: &'a str) -> Option<&'a str> {
    let found = language.care().iter().find_map(|words| words.look_up.asks.find(asked))?;
    asked.get(found.end()..).map(str::trim).filter(|rest| !rest.is_empty())
}

/// Whether an utterance agrees to the offer of a look-up in words that agree to nothing else.
pub fn wants_look_up(language: &Language, asked: &str) -> bool {
    let text = asked.trim().to_lowercase();
    language.care().iter().any(|words| words.look_up.agrees.is_match(&text))
}

/// In the words of one language.
fn kind(words: &CareWords, whole: &str) -> Care {
    let text = &*words.figures.replace_all(whole, " ");
    if words.orders.is_match(text) {
        return behind_order(words, text);
    }
    let (asks, is_harmless) = (words.advice.is_match(text), words.harmless.is_match(whole));
    let wants_advice = asks && !is_harmless;
    let counts = |rule: &&CareRule| {
        let is_wanted = wants_advice || (asks && words.urgency(&rule.matter) == CareUrgency::Urgent);
        (is_wanted || !rule.needs_question) && rule.fits(text)
    };
    if let Some(rule) = words.rules.iter().find(counts) {
        return Care::Matter(rule.matter.clone());
    }
    let facts = &words.facts;
    let is_fact = wants_advice && facts.ask.is_match(text);
    match is_fact && !facts.common.is_match(text) && !facts.own.is_match(text) {
        true => Care::Fact,
        false => Care::Everyday,
    }
}

/// Of an utterance that begins with an order: an emergency that is told behind it.
fn behind_order(words: &CareWords, text: &str) -> Care {
    let Some((_, rest)) = text.split_once([',', '.', '!', '?', ';']) else { return Care::Everyday };
    let is_told = |rule: &&CareRule| {
        !rule.needs_question && words.urgency(&rule.matter) == CareUrgency::Urgent && rule.fits(rest)
    };
    words.rules.iter().find(is_told).map_or(Care::Everyday, |rule| Care::Matter(rule.matter.clone()))
}

/// Whether an utterance goes on with the matter before it.
fn goes_on(language: &Language, text: &str, before: &str) -> bool {
    let Some(words) = language.care().iter().find(|words| words.goes_on.is_match(text)) else { return false };
    // Whoever has something done meanwhile is done with it.
    let is_over = words.orders.is_match(text) || words.harmless.is_match(text);
    let may = words.advice.is_match(text) || words.urgency(before) == CareUrgency::Urgent;
    may && !is_over
}
