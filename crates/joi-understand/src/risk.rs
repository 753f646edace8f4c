//! Whether a model that knows little may answer an utterance by itself.
//!
//! Any thread, below a millisecond. In: an utterance, and the matter that was answered just before. Out: an
//! [`AnswerRisk`]. Matters are those in which a wrong word does harm: they are known by the words of every language
//! there is, where advice is wanted, or where somebody states that it has happened; what asks for something to be done
//! is none, but for an emergency that is reported behind it, with a sign between or without. Harmless words beside it,
//! such as an appointment, switch off neither what is reported nor what is urgent. A fact is one that a look-up settles
//! and that is beyond common knowledge: who did something, when, how much of it, what changes with time. The words are
//! in `care.toml` of each language.
//! Pure: no I/O, no clock.

use joi_language::{Language, MatterUrgency};
use joi_language::{RuleCounts, SafetyRule, SafetyWords};

#[cfg(test)]
mod tests;

/// The care that an utterance needs when a small model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerRisk {
    /// It may answer.
    Everyday,
    /// The matter of this name: it must not.
    Matter(String),
    /// A fact of the world: it may be wrong.
    Fact,
}

/// Most words that go on with a matter: more state something of their own.
const LONGEST_GOING_ON: usize = 16;

/// Decides; `before` is the matter that was answered just before.
pub fn risk_of(language: &Language, asked: &str, before: Option<&str>) -> AnswerRisk {
    let text = plain(asked);
    let kinds: Vec<AnswerRisk> = language.safety().iter().map(|words| kind(words, &text)).collect();
    // Facts are asked for in the language that is spoken.
    let own = kinds.first().cloned().unwrap_or(AnswerRisk::Everyday);
    let is_urgent = |kind: &&AnswerRisk| matches!(kind, AnswerRisk::Matter(name) if urgency(language, name) == MatterUrgency::Urgent);
    let is_matter = |kind: &&AnswerRisk| matches!(kind, AnswerRisk::Matter(_));
    let matter = kinds.iter().find(is_urgent).or_else(|| kinds.iter().find(is_matter)).cloned();
    match (matter, before) {
        (Some(matter), _) => matter,
        (None, Some(before)) if own == AnswerRisk::Everyday && goes_on(language, &text, before) => {
            AnswerRisk::Matter(before.to_owned())
        }
        (None, _) => own,
    }
}

/// Returns the emergency in an utterance, whatever else is said in it.
pub fn emergency(language: &Language, asked: &str) -> Option<String> {
    match risk_of(language, asked, None) {
        AnswerRisk::Matter(name) if urgency(language, &name) == MatterUrgency::Urgent => Some(name),
        AnswerRisk::Matter(_) | AnswerRisk::Fact | AnswerRisk::Everyday => None,
    }
}

/// Returns an order, and the emergency that is reported behind it without a sign between: "open the window I can't
/// breathe".
pub fn order_before_emergency<'a>(language: &Language, asked: &'a str) -> Option<[&'a str; 2]> {
    let text = plain(asked);
    language.safety().iter().find_map(|words| {
        let behind = &words.behind_orders;
        let is_told = |(_, report): &(usize, &str)| urgent_rule(words, report).is_some();
        let last = || behind.reports(&text).rev().find(is_told);
        let (at, _) = words.orders.is_match(&text).then(last)??;
        // The words are as many in both.
        let first = asked.split_whitespace().nth(text[..at].split_whitespace().count())?;
        let from = (first.as_ptr() as usize).checked_sub(asked.as_ptr() as usize)?;
        Some([behind.without_joint(asked.get(..from)?), asked.get(from..)?])
    })
}

/// Returns whether somebody may be in danger now.
pub fn urgency(language: &Language, matter: &str) -> MatterUrgency {
    let is = |urgency: MatterUrgency| language.safety().iter().any(|words| words.urgency(matter) == urgency);
    [MatterUrgency::Urgent, MatterUrgency::Settled]
        .into_iter()
        .find(|urgency| is(*urgency))
        .unwrap_or(MatterUrgency::Careful)
}

/// Returns whether it asks what only the user can know: what they ate, the colour of their socks.
pub fn is_personal(language: &Language, asked: &str) -> bool {
    let text = plain(asked);
    language.safety().iter().any(|words| words.personal.is_match(&text))
}

/// Returns whether `answer` is the name that `asked` asks for: "I'm Max".
pub fn introduces(language: &Language, asked: &str, answer: &str) -> bool {
    let asked = plain(asked);
    let answer = answer.replace(['’', '‘', '`'], "'");
    let all = language.safety().iter().filter_map(|words| words.introduced.as_ref());
    all.clone().any(|words| words.asks.is_match(&asked))
        && all.clone().any(|words| words.tells.is_match(&answer))
}

/// In lower case, with single spaces and the apostrophes of a keyboard.
fn plain(asked: &str) -> String {
    let text = asked.to_lowercase().replace(['’', '‘', '`'], "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns what an utterance that asks for a look-up wants looked up.
pub fn to_look_up<'a>(language: &Language, asked: &'a str) -> Option<&'a str> {
    let found = language.safety().iter().find_map(|words| words.look_up.asks.find(asked))?;
    asked.get(found.end()..).map(str::trim).filter(|rest| !rest.is_empty())
}

/// Returns whether an utterance agrees to the offer of a look-up in words that agree to nothing else.
pub fn wants_look_up(language: &Language, asked: &str) -> bool {
    let text = asked.trim().to_lowercase();
    language.safety().iter().any(|words| words.look_up.agrees.is_match(&text))
}

/// In the words of one language.
fn kind(words: &SafetyWords, whole: &str) -> AnswerRisk {
    let text = &*words.figures.replace_all(whole, " ");
    if words.orders.is_match(text) {
        return behind_order(words, text);
    }
    let (asks, is_harmless) = (words.advice.is_match(text), words.harmless.is_match(whole));
    let wants_advice = asks && !is_harmless;
    let counts = |rule: &&SafetyRule| {
        let is_wanted = wants_advice || (asks && words.urgency(&rule.matter) != MatterUrgency::Careful);
        (is_wanted || rule.counts != RuleCounts::Asked) && rule.fits(text)
    };
    if let Some(rule) = words.rules.iter().find(counts) {
        return AnswerRisk::Matter(rule.matter.clone());
    }
    let facts = &words.facts;
    let question = facts.lead.find(text).and_then(|lead| text.get(lead.end()..)).unwrap_or(text);
    let is_fact = wants_advice && facts.ask.is_match(question);
    match is_fact && !facts.common.is_match(question) && !facts.own.is_match(question) {
        true => AnswerRisk::Fact,
        false => AnswerRisk::Everyday,
    }
}

/// Of an utterance that begins with an order: what is none to be carried out, and an emergency that is reported behind
/// it.
fn behind_order(words: &SafetyWords, text: &str) -> AnswerRisk {
    let behind = &words.behind_orders;
    let always = words.rules.iter().find(|rule| rule.counts == RuleCounts::Always && rule.fits(text));
    let behind_sign = || behind.behind_sign(text).and_then(|rest| urgent_rule(words, &rest));
    let without_sign = || behind.reports(text).find_map(|(_, report)| urgent_rule(words, report));
    let rule = always.or_else(behind_sign).or_else(without_sign);
    rule.map_or(AnswerRisk::Everyday, |rule| AnswerRisk::Matter(rule.matter.clone()))
}

/// Returns the emergency that `text` reports.
fn urgent_rule<'a>(words: &'a SafetyWords, text: &str) -> Option<&'a SafetyRule> {
    let is_urgent = |rule: &SafetyRule| words.urgency(&rule.matter) == MatterUrgency::Urgent;
    words.rules.iter().find(|rule| rule.counts != RuleCounts::Asked && is_urgent(rule) && rule.fits(text))
}

/// Returns whether an utterance goes on with the matter before it.
fn goes_on(language: &Language, text: &str, before: &str) -> bool {
    if text.split_whitespace().count() > LONGEST_GOING_ON {
        return false;
    }
    let Some(words) = language.safety().iter().find(|words| words.goes_on.is_match(text)) else {
        return false;
    };
    // Whoever has something done meanwhile is done with it.
    let is_over = words.orders.is_match(text) || words.harmless.is_match(text);
    let may = words.advice.is_match(text) || words.urgency(before) != MatterUrgency::Careful;
    may && !is_over
}
