//! The clauses of an answer, each with what makes it a claim or none.
//!
//! In: a piece of a reply. Out: clauses in lower case, contractions written out, without quotations. Things that
//! are only counted up ("milk and eggs") stay together.
//! Pure: no I/O, no clock.

use joi_language::TruthWords;
use joi_language::{RequestWords, words_of};
use joi_understand::text::{Unquoted, without_quotes};

/// Most words of one of several things.
const LONGEST_THING: usize = 4;

/// A clause of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SaidClause {
    pub(super) text: String,
    /// Things that are counted up behind it.
    pub(super) behind: String,
    /// It asks.
    pub(super) is_question: bool,
    /// The sentence ends in a question.
    pub(super) asks: bool,
    /// It is so only if something else is so, or is done first.
    pub(super) depends: bool,
    /// It goes on with the clause before it.
    pub(super) goes_on: bool,
    /// All of a sentence that has no verb: "Timer, ten minutes."
    pub(super) is_fragment: bool,
}

/// The joint in front of a piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClauseJoint {
    /// The beginning, or a sign.
    Sign,
    /// A word that joins things and clauses, and the same behind a sign.
    And,
    SignAnd,
    /// A word that joins clauses.
    Word,
}

/// Returns the clauses of `said`.
pub(super) fn clauses(words: &TruthWords, requests: &RequestWords, said: &str) -> Vec<SaidClause> {
    let said = said.to_lowercase().replace(['’', '`'], "'");
    let Unquoted { own, open } = without_quotes(&said);
    // A sentence that is nothing but a quotation is joi's own.
    let mut text = match own.contains(char::is_alphanumeric) {
        true => own + " " + &open,
        false => said.replace(['"', '“', '”', '„', '«', '»', '‘', '\''], " "),
    };
    for (from, to) in &words.rewrites {
        if text.contains(from.as_str()) {
            text = text.replace(from.as_str(), to);
        }
    }
    sentences(&text).into_iter().flat_map(|sentence| of_sentence(words, requests, sentence)).collect()
}

/// Sentences with the sign at their end.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if c == '\n' || (matches!(c, '.' | '!' | '?' | '…') && is_last) {
            sentences.push(&text[from..at + c.len_utf8()]);
            from = at + c.len_utf8();
        }
    }
    sentences.push(&text[from..]);
    sentences
}

fn of_sentence(words: &TruthWords, requests: &RequestWords, sentence: &str) -> Vec<SaidClause> {
    let asks = sentence.trim_end().ends_with('?');
    let mut depends = false;
    let mut clauses: Vec<SaidClause> = Vec::new();
    let pieces = together(words, pieces(words, sentence));
    let last = pieces.len().saturating_sub(1);
    for (at, (joint, text)) in pieces.into_iter().enumerate() {
        let of_condition = words.exempt.conditions.is_match(&text) || words.exempt.asks_user.is_match(&text);
        let said = words_of(&text);
        if joint == ClauseJoint::SignAnd
            && is_thing(words, &text)
            && let Some(before) = clauses.last_mut()
        {
            before.behind += &format!(" {text}");
            continue;
        }
        // "Do you want that it is cleared?" "To be sure: wine on the list?"
        let goes_on_asking = words.exempt.subordinates.is_match(&text)
            && clauses.last().is_some_and(|before| before.is_question);
        let is_asked =
            begins_question(requests, &said) || goes_on_asking || (at == last && !is_verbal(words, &said));
        clauses.push(SaidClause {
            asks,
            is_question: asks && is_asked,
            depends: depends || of_condition,
            goes_on: matches!(joint, ClauseJoint::And | ClauseJoint::SignAnd) && !clauses.is_empty(),
            text,
            ..SaidClause::default()
        });
        depends = (depends && matches!(joint, ClauseJoint::And | ClauseJoint::SignAnd)) || of_condition;
    }
    if !asks
        && !clauses.is_empty()
        && clauses.iter().all(|clause| !clause.depends && is_thing(words, &clause.text))
    {
        let texts: Vec<&str> = clauses.iter().map(|clause| clause.text.as_str()).collect();
        let text = texts.join(", ");
        clauses.push(SaidClause { text, is_fragment: true, ..SaidClause::default() });
    }
    clauses
}

/// Returns the pieces of a sentence between signs and joining words.
fn pieces(words: &TruthWords, sentence: &str) -> Vec<(ClauseJoint, String)> {
    let mut pieces = Vec::new();
    let mut add = |joint: ClauseJoint, text: &str| {
        let text = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        if !text.is_empty() {
            pieces.push((joint, text.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    };
    let (mut from, mut joint) = (0, ClauseJoint::Sign);
    for found in words.joints.captures_iter(sentence) {
        let Some(whole) = found.get(0) else { continue };
        add(joint, &sentence[from..whole.start()]);
        let is_and = |name: &str| found.name(name).map(|word| words.and.contains(word.as_str()));
        joint = match (is_and("joint"), is_and("behind")) {
            (Some(true), _) => ClauseJoint::And,
            (_, Some(true)) => ClauseJoint::SignAnd,
            (Some(false), _) | (_, Some(false)) => ClauseJoint::Word,
            (None, None) => ClauseJoint::Sign,
        };
        from = whole.end();
    }
    add(joint, &sentence[from..]);
    pieces
}

/// Things that are counted up, put to the clause they belong to: "milk and eggs | are on the list", "I added milk |
/// eggs | and tea".
fn together(words: &TruthWords, pieces: Vec<(ClauseJoint, String)>) -> Vec<(ClauseJoint, String)> {
    let mut whole: Vec<(ClauseJoint, String)> = Vec::new();
    let mut waiting: Vec<(ClauseJoint, String)> = Vec::new();
    for (joint, text) in pieces {
        let is_thing = is_thing(words, &text);
        let joins = matches!(joint, ClauseJoint::And | ClauseJoint::SignAnd);
        match (is_thing, joins) {
            // The last of several things behind a clause.
            (true, true) if (joint == ClauseJoint::And || !waiting.is_empty()) && !whole.is_empty() => {
                let last = whole.len() - 1;
                for (_, thing) in waiting.drain(..).chain([(joint, text)]) {
                    whole[last].1 += &format!(", {thing}");
                }
            }
            (true, _) => waiting.push((joint, text)),
            (false, true) if !waiting.is_empty() => {
                let first = waiting[0].0;
                let things: Vec<String> = waiting.drain(..).map(|(_, text)| text).collect();
                whole.push((first, format!("{}, {text}", things.join(", "))));
            }
            (false, _) => {
                whole.append(&mut waiting);
                whole.push((joint, text));
            }
        }
    }
    whole.append(&mut waiting);
    whole
}

/// Returns whether it may be one of several things: short, and without a verb.
fn is_thing(words: &TruthWords, text: &str) -> bool {
    let said = words_of(text);
    said.len() <= LONGEST_THING && !is_verbal(words, &said) && !words.exempt.negations.is_match(text)
}

/// Returns whether a verb is in it.
pub(super) fn is_verbal(words: &TruthWords, said: &[String]) -> bool {
    // "Do" is a verb, and "to-do" is none.
    let auxiliary = |word: &String| {
        words.parts.auxiliaries.find(word).is_some_and(|found| found.as_str().len() == word.len())
    };
    let is_verb = |word: &String| words.done.has(word) || words.doing.has(word) || auxiliary(word);
    said.iter().any(is_verb)
}

fn begins_question(requests: &RequestWords, said: &[String]) -> bool {
    let form = &requests.form;
    let mut rest = said;
    loop {
        if [&form.questions, &form.polite, &form.offers, &form.wishes]
            .iter()
            .any(|phrases| phrases.at_start(rest).is_some())
        {
            return true;
        }
        match form.lead.at_start(rest) {
            Some(count) => rest = &rest[count..],
            None => return false,
        }
    }
}
