//! Splits an utterance that holds several requests: "set a timer for ten minutes and read me the news".
//!
//! Input: the utterance and the tools on offer. Output: the requests in the order in which they are answered: first
//! those that need no model, then the rest as one request. A small model that gets both at once does one of them, or
//! invents a third. What could be the rest of a question ("did you close the door and set an alarm for seven") is not
//! split, and a command counts only if the whole asks for it: "my wife said to hurry and set an alarm for seven" is not
//! a request. A matter of harm beside a command is answered before the command runs, whatever stands between them.
//! Pure: no I/O, no clock.

use crate::tool_list::ToolList;
use joi_language::values::{EntryKind, NewEntry, ScheduleOrder};
use joi_language::{Language, MatterUrgency};
use joi_llm::ModelSize;
use joi_tools::Effect;
use joi_understand::compound::{self, Joint};
use joi_understand::intents::{self, Intent, IntentPart, Mood, QuickIntent};
use joi_understand::risk::{self, AnswerRisk};
use joi_understand::{tongue, wish};

/// The parts of a request, in the language it seems to be in.
pub fn parts_of(asked: &str) -> Vec<&str> {
    compound::parts(asked, tongue::of(asked))
}

/// Every way to take a request apart in two.
fn halves_of(asked: &str) -> Vec<([&str; 2], Joint)> {
    compound::halves(asked, tongue::of(asked))
}

/// Returns whether `asked` is taken whole, having more joints than commands that somebody says in one breath.
fn is_whole(asked: &str) -> bool {
    compound::is_endless(asked, tongue::of(asked))
}

/// Requirements of a part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestPart {
    /// No model, and it only informs.
    Tells,
    /// No model, and it does something.
    Acts,
    /// A model.
    Rest,
}

/// The parts that are to be answered, what needs no model first; nothing when they must stay together.
fn in_order([one, other]: [(&str, RequestPart); 2], joint: Joint, first_asks: bool) -> Option<Vec<&str>> {
    match (one.1, other.1) {
        (RequestPart::Rest, RequestPart::Rest) => None,
        (RequestPart::Rest, RequestPart::Acts) if first_asks => None,
        // "I'm making pasta, set a timer": the first half asks for nothing.
        (RequestPart::Rest, _) if joint == Joint::Comma && !first_asks => Some(vec![other.0]),
        (_, RequestPart::Rest) if joint == Joint::Comma => None,
        (RequestPart::Rest, _) => Some(vec![other.0, one.0]),
        _ => Some(vec![one.0, other.0]),
    }
}

/// A quick command that may stand beside another request.
fn quick(part: &str, language: &Language) -> Option<RequestPart> {
    match intents::match_intent(language, part)?.what.row().part {
        IntentPart::Informs => Some(RequestPart::Tells),
        IntentPart::Acts => Some(RequestPart::Acts),
        IntentPart::Whole => None,
    }
}

/// Returns whether `part` is a command that ends a conversation or answers with what was said, which may stand behind a
/// statement: "the kids were loud, say that again".
fn is_last(part: &str, language: &Language) -> bool {
    let quick = intents::match_intent(language, part);
    quick.is_some_and(|quick| matches!(quick.what, Intent::Repeat | Intent::Quiet(_)))
}

/// Returns whether `part` is a reminder of which the text is missing.
fn is_textless(part: &str, language: &Language) -> bool {
    let quick = intents::match_intent(language, part);
    matches!(
        quick.map(|quick| quick.what),
        Some(Intent::Schedule(ScheduleOrder::Set(NewEntry { kind: EntryKind::Reminder, name: None, .. })))
    )
}

fn is_volume(part: &str, language: &Language) -> bool {
    let quick = intents::match_intent(language, part);
    quick.is_some_and(|quick| matches!(quick.what, Intent::Volume(_)))
}

/// Returns whether a part is a quick command that may stand beside another request.
pub fn is_quick(part: &str, language: &Language) -> bool {
    quick(part, language).is_some()
}

/// The requests of an utterance in the order in which they are answered; nothing when it is to be taken whole.
pub fn requests<'a>(
    asked: &'a str,
    language: &Language,
    tools: &ToolList,
    size: ModelSize,
) -> Option<Vec<&'a str>> {
    // "Four hundred and two plus one" is one sum.
    if is_whole(asked) || tools.ready_calls(&[asked], language).is_some() {
        return None;
    }
    // Calls that stand side by side are announced together already.
    let parts = parts_of(asked);
    if parts.len() == 2
        && parts.iter().all(|part| quick(part, language).is_none())
        && tools.ready_calls(&parts, language).is_some()
    {
        return None;
    }
    halves_of(asked).into_iter().find_map(|(halves, joint)| {
        let parts = halves.map(|half| {
            let part = part(half, language, tools, size);
            let is_told = part == RequestPart::Acts && !wish::is_asked_within(language, asked, half);
            (half, if is_told { RequestPart::Rest } else { part })
        });
        // A time of the first half may belong to the second: "I'm off on Friday, skip the alarm".
        let is_torn = joint == Joint::Comma
            && parts[0].1 == RequestPart::Rest
            && intents::holds_time(language, halves[0]);
        let states = intents::is_statement(language, halves[0]);
        let first_asks = !states && intents::mood(language, halves[0]) == Mood::Question;
        if states && joint == Joint::Comma && is_last(halves[1], language) {
            return Some(vec![halves[1]]);
        }
        // "Buy flowers, remind me on Saturday": what is said before it is what to remind of.
        if parts[0].1 == RequestPart::Rest && is_textless(halves[1], language) {
            return None;
        }
        // "That's too loud, put the volume at forty": the first is the reason for the second.
        if halves.iter().all(|half| is_volume(half, language)) {
            return Some(vec![halves[1]]);
        }
        if is_torn { None } else { in_order(parts, joint, first_asks) }
    })
}

/// Returns the command behind a statement that names its day: "I'm off on Friday, skip the alarm".
pub fn on_day_before(asked: &str, language: &Language) -> Option<QuickIntent> {
    halves_of(asked).into_iter().find_map(|([one, other], joint)| {
        let is_told = joint != Joint::Comma
            || intents::mood(language, one) == Mood::Question
            || !wish::is_asked_within(language, asked, other);
        if is_told { None } else { intents::on_day_before(language, one, other) }
    })
}

/// Returns what an utterance says of a matter of harm, and what it wants done beside that; nothing where it is to be
/// taken whole. What is said beside a command is dropped elsewhere ("I'm making pasta, set a timer").
pub fn beside_matter<'a>(
    asked: &'a str,
    language: &Language,
    tools: &ToolList,
    size: ModelSize,
    is_house: &dyn Fn(&str) -> bool,
) -> Option<Vec<&'a str>> {
    if is_whole(asked) {
        return None;
    }
    let matter = |half: &str| match risk::risk_of(language, half, None) {
        AnswerRisk::Matter(name) => Some(risk::urgency(language, &name)),
        AnswerRisk::Everyday | AnswerRisk::Fact => None,
    };
    let is_command = |half: &str| {
        // Information alone does no harm.
        let is_wanted = match part(half, language, tools, size) {
            RequestPart::Tells => true,
            RequestPart::Acts => wish::is_asked_within(language, asked, half),
            RequestPart::Rest => is_house(half) && wish::is_asked_within(language, asked, half),
        };
        is_wanted && matter(half).is_none()
    };
    let split = |[one, other]: [&'a str; 2], joint: Option<Joint>| {
        // "If it burns, call me": a command may be what the question is about.
        let stands_alone = joint.is_none() || intents::mood(language, one) != Mood::Question;
        if stands_alone && matter(one).is_some() && is_command(other) {
            return Some(vec![one, other]);
        }
        let is_urgent = matter(other) == Some(MatterUrgency::Urgent);
        (is_urgent && is_command(one)).then(|| vec![other, one])
    };
    let sentences = compound::behind_sentences(asked).map(|halves| (halves, None));
    let clauses = halves_of(asked).into_iter().map(|(halves, joint)| (halves, Some(joint)));
    let told_on = risk::order_before_emergency(language, asked).map(|halves| (halves, None));
    sentences.chain(clauses).chain(told_on).find_map(|(halves, joint)| split(halves, joint))
}

fn part(part: &str, language: &Language, tools: &ToolList, size: ModelSize) -> RequestPart {
    if let Some(quick) = quick(part, language) {
        return quick;
    }
    // A large model calls tools better than words do.
    if size == ModelSize::Large {
        return RequestPart::Rest;
    }
    let call = tools.ready_calls(&[part], language).and_then(|mut calls| calls.pop_front());
    let effect = call.and_then(|call| Some(tools.toolbox.get(&call.name)?.effect(&call.arguments)));
    match effect {
        Some(Effect::Looks) => RequestPart::Tells,
        Some(_) => RequestPart::Acts,
        None => RequestPart::Rest,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use joi_base::clock::ManualClock;
    use joi_language::testing::english;
    use joi_tools::{ToolServices, ToolsConfig, builtin};

    #[test]
    fn what_needs_no_model_comes_first_and_a_question_is_not_taken_apart() {
        use RequestPart::{Acts, Rest, Tells};
        let joined = |joint, one, other, asks| in_order([("a", one), ("b", other)], joint, asks);
        let order = |one, other, asks| joined(Joint::Conjunction, one, other, asks);
        assert_eq!(order(Acts, Rest, false), Some(vec!["a", "b"]));
        assert_eq!(order(Rest, Acts, false), Some(vec!["b", "a"]));
        assert_eq!(order(Rest, Tells, true), Some(vec!["b", "a"]));
        assert_eq!(order(Acts, Tells, true), Some(vec!["a", "b"]));
        assert_eq!(order(Rest, Acts, true), None, "it may be what the question is about");
        assert_eq!(order(Rest, Rest, false), None);
        let comma = |one, other, asks| joined(Joint::Comma, one, other, asks);
        assert_eq!(comma(Rest, Acts, false), Some(vec!["b"]));
        assert_eq!(comma(Rest, Acts, true), None, "if it rains, …");
        assert_eq!(comma(Rest, Tells, true), Some(vec!["b", "a"]));
        assert_eq!(comma(Acts, Rest, false), None, "it may be taken back");
        assert_eq!(comma(Acts, Tells, false), Some(vec!["a", "b"]));
    }

    fn tools() -> ToolList {
        let means = ToolServices {
            store: None,
            schedule: None,
            reads_when: intents::when,
            clock: Arc::new(ManualClock::at("2026-11-22T14:05:30+01:00[Europe/Vienna]".parse().unwrap())),
            home: None,
            http: None,
        };
        ToolList {
            toolbox: builtin(&ToolsConfig::default(), &means),
            grown: Vec::new(),
            conversation: String::new(),
        }
    }

    #[test]
    fn two_requests_are_taken_apart_in_eight_languages() {
        let tools = tools();
        for (sum, joint, rest) in [
            ("1234 * 5678", "and", "tell me a joke about the cat"),
            ("1234 * 5678", "AND", "tell me a joke about the cat"),
            ("1234 * 5678", "und", "erzähl mir einen Witz über die Katze"),
            ("1234 * 5678", "y", "cuéntame un chiste sobre los gatos"),
            ("1234 * 5678", "et", "raconte-moi une blague sur les chats"),
            ("1234 * 5678", "e", "conta uma piada sobre os gatos"),
            ("1234 * 5678", "e", "raccontami una barzelletta sui gatti"),
            ("1234 * 5678", "ed", "elenca i fiumi della Toscana"),
            ("1234 * 5678", "en", "vertel een grap over de kat"),
            ("1234 * 5678", "ve", "bana bir fıkra anlat"),
        ] {
            let asked = format!("{sum} {joint} {rest}");
            let apart = requests(&asked, english(), &tools, ModelSize::Small);
            assert_eq!(apart, Some(vec![sum, rest]), "{asked}");
            let turned = format!("{rest} {joint} {sum}");
            let apart = requests(&turned, english(), &tools, ModelSize::Small);
            assert_eq!(apart, Some(vec![sum, rest]), "what needs no model comes first: {turned}");
        }
        let whole = "1234 * 5678 e raccontami";
        assert_eq!(requests("sing me a song in e flat minor", english(), &tools, ModelSize::Small), None);
        assert_eq!(
            requests(whole, english(), &tools, ModelSize::Large),
            None,
            "a large model takes it whole"
        );
    }
}
