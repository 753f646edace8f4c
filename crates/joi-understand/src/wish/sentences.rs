//! An utterance as sentences of stretches of words, and a sentence as parts that may be clauses.
//!
//! In: what was said. Out: words between punctuation; then parts, each of which begins where words begin a clause.
//! Pure: no I/O, no clock.

use joi_language::{DeedWords, FormWords, Phrases, RequestWords, words_of};

/// A stretch of words between punctuation.
pub(super) struct WordRun {
    pub(super) words: Vec<String>,
    /// A question mark stands behind it.
    pub(super) is_question: bool,
    /// A colon stands behind it.
    pub(super) announces: bool,
}

/// A part of a sentence.
pub(super) struct ClausePart {
    pub(super) words: Vec<String>,
    /// A colon stands behind it.
    pub(super) announces: bool,
    /// "And" or its like joins it to the one before.
    pub(super) is_joined: bool,
}

/// Sentences as stretches of words.
pub(super) fn sentences(text: &str) -> Vec<Vec<WordRun>> {
    let mut sentences = vec![Vec::new()];
    let mut begun = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_last = chars.peek().is_none_or(|next| next.is_whitespace());
        let ends = matches!(c, '.' | '!' | '?' | ';' | '…' | '\n') && (is_last || c == '\n');
        let divides =
            matches!(c, ',' | ':' | '–' | '—') && is_last || c == '-' && is_last && begun.ends_with(' ');
        begun.push(c);
        if ends || divides {
            push(&mut sentences, &std::mem::take(&mut begun), ends);
        }
    }
    push(&mut sentences, &begun, true);
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn push(sentences: &mut Vec<Vec<WordRun>>, text: &str, ends: bool) {
    let words = words_of(text);
    let last = text.trim_end().chars().next_back();
    let (is_question, announces) = (last == Some('?'), last == Some(':'));
    if let Some(sentence) = sentences.last_mut() {
        if words.is_empty() {
            if let Some(before) = sentence.last_mut() {
                before.is_question |= is_question;
            }
        } else {
            sentence.push(WordRun { words, is_question, announces });
        }
    }
    if ends && sentences.last().is_some_and(|sentence| !sentence.is_empty()) {
        sentences.push(Vec::new());
    }
}

/// Returns the stretches of a sentence, taken apart at joining words and put together where nothing new begins.
pub(super) fn parts(words: &RequestWords, sentence: &[WordRun]) -> Vec<ClausePart> {
    let mut parts: Vec<ClausePart> = Vec::new();
    let joins = |said: &[String]| words.told.coordinates.at_start(said).is_some();
    for stretch in sentence {
        let mut cuts = Vec::new();
        let (mut from, mut is_joined) = (0, joins(&stretch.words));
        for at in 1..stretch.words.len() {
            if let Some(count) = words.form.joints.at_start(&stretch.words[at..])
                && at > from
                && words.form.joined.at_end(&stretch.words[..at + count]).is_none()
                && begins(words, &stretch.words[at + count..])
            {
                cuts.push((from, at, is_joined));
                (from, is_joined) = (at + count, joins(&stretch.words[at..]));
            }
        }
        cuts.push((from, stretch.words.len(), is_joined));
        for (index, (from, to, is_joined)) in cuts.into_iter().enumerate() {
            let part = &stretch.words[from..to];
            match parts.last_mut() {
                Some(before)
                    if index == 0
                        && !begins(words, part)
                        && !states(words, part)
                        && !gives_reason(words, before) =>
                {
                    before.words.extend(part.iter().cloned());
                }
                _ => parts.push(ClausePart { words: part.to_vec(), announces: false, is_joined }),
            }
        }
        if let Some(last) = parts.last_mut() {
            last.announces |= stretch.announces;
        }
    }
    parts
}

/// Returns whether a clause begins with these words.
pub(super) fn begins(words: &RequestWords, part: &[String]) -> bool {
    let rest = led(&words.form, part);
    let form = &words.form;
    let marks = [
        &form.polite,
        &form.wishes,
        &form.questions,
        &form.hypotheses,
        &form.negations,
        &form.subjects,
        &form.refusals,
        &words.told.past,
        &words.told.reports,
    ];
    marks.iter().any(|phrases| phrases.at_start(rest).is_some()) || verb(words, rest) > 0
}

/// Fewest words of a statement: what, and what it does.
const SHORTEST_STATEMENT: usize = 3;
/// Fewest letters of a verb that only its ending shows.
const SHORTEST_VERB: usize = 5;

/// Returns whether a stretch behind punctuation says something of its own, and nothing that may change a request in
/// front of it: "die Sonne blendet", "Jo did it".
pub(super) fn states(words: &RequestWords, part: &[String]) -> bool {
    let form = &words.form;
    let is = |phrases: &Phrases, word: &String| phrases.at_start(std::slice::from_ref(word)).is_some();
    let turns = [
        &form.reported,
        &form.anywhere,
        &form.conditions,
        &form.negations,
        &form.hypotheses,
        &form.corrections,
        &form.excluded,
        &form.subordinates,
        &words.unasked.ironies,
        &words.unasked.forbids,
        &words.unasked.quotes,
        &words.unasked.plays,
    ];
    let Some((first, rest)) = part.split_first() else { return false };
    let ends_in_verb = || {
        is(&form.function_words, first)
            && rest.last().is_some_and(|last| {
                let is_verb = |ending: &String| last.ends_with(ending.as_str());
                last.chars().count() >= SHORTEST_VERB && form.verb_endings.iter().any(is_verb)
            })
    };
    let has_verb = || rest.iter().any(|word| is(&form.finite, word));
    part.len() >= SHORTEST_STATEMENT
        && !is(&form.finite, first)
        && !turns.iter().any(|phrases| phrases.are_in(part))
        && (has_verb() || ends_in_verb())
}

/// Returns whether a part says why before what is asked for: "since Grandma's here, hall light on". "It is easy, …" does
/// not: it begins with no joint.
fn gives_reason(words: &RequestWords, part: &ClausePart) -> bool {
    let begins = |phrases: &Phrases| phrases.at_start(&part.words).is_some();
    begins(&words.unasked.reasons) && begins(&words.form.joints) && !part.announces
}

/// `part` without what only leads to it.
pub(super) fn led<'a>(form: &FormWords, part: &'a [String]) -> &'a [String] {
    let mut rest = part;
    while let Some(count) = form.lead.at_start(rest) {
        rest = &rest[count..];
    }
    rest
}

/// Returns how many words of a deed's verb stand at the head.
pub(super) fn verb(words: &RequestWords, part: &[String]) -> usize {
    let exact = |deed: &DeedWords| deed.verbs.at_start(part).max(deed.alone.at_start(part));
    words.deeds().filter_map(|(_, deed)| exact(deed)).max().unwrap_or(0)
}
