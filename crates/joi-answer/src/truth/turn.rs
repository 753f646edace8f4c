//! What a turn is about: whether something was to be done, one of the user's things was asked about, or it is talk.
//!
//! In: what the user said. Out: a [`TurnTopic`].
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use joi_language::TruthWords;
use joi_language::{RequestWords, words_of};
use joi_understand::wish::{AskedClause, AskedFor, asked_for};

use super::clauses;

/// Most words of an answer to a question of joi.
const LONGEST_ANSWER: usize = 6;

/// The aim of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnAim {
    /// Something done.
    Deed,
    /// To know how it is with one of their own things.
    Own,
    /// Knowledge, a story, advice.
    Words,
    /// The user states something, and asks for nothing.
    Nothing,
}

/// The topic of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TurnTopic<'a> {
    pub(super) aim: TurnAim,
    /// The words of what was to be done.
    pub(super) wanted: Vec<String>,
    /// The same of each request.
    pub(super) parts: Vec<Vec<String>>,
    /// All the user's words.
    pub(super) asked: Vec<String>,
    pub(super) families: BTreeSet<&'a str>,
    /// Beside what is to be done nothing was asked for.
    pub(super) is_only_deed: bool,
    /// A story was asked for.
    pub(super) is_fiction: bool,
    /// It was asked how something is done.
    pub(super) is_howto: bool,
}

impl<'a> TurnTopic<'a> {
    pub(super) fn of(words: &'a TruthWords, requests: &RequestWords, asked: &str) -> Self {
        let clauses = asked_for(requests, asked);
        let lower = asked.to_lowercase();
        let is_deed = |clause: &&AskedClause| {
            (clause.wants == AskedFor::Deed && is_order(words, requests, clause)
                || orders(words, requests, clause))
                && !wants_words(words, requests, clause)
        };
        let wanted: Vec<&AskedClause> = clauses.iter().filter(is_deed).collect();
        let is_only_deed = !wanted.is_empty()
            && clauses.iter().all(|clause| clause.wants == AskedFor::Nothing || is_deed(&clause));
        let has_answer = clauses.iter().any(|clause| clause.wants != AskedFor::Nothing);
        let aim = match wanted.is_empty() {
            false => TurnAim::Deed,
            true if clauses.iter().any(|clause| is_own(words, clause)) => TurnAim::Own,
            true if has_answer => TurnAim::Words,
            true => TurnAim::Nothing,
        };
        Self {
            aim,
            wanted: wanted.iter().flat_map(|clause| clause.words.clone()).collect(),
            parts: wanted.iter().map(|clause| clause.words.clone()).collect(),
            asked: words_of(asked),
            is_only_deed,
            families: families(words, &lower),
            is_fiction: words.turn.fiction.is_match(&lower),
            is_howto: clauses.iter().any(|clause| words.turn.howto.is_match(&clause.words.join(" "))),
        }
    }
}

/// Returns the families that `text` speaks of.
pub(super) fn families<'w>(words: &'w TruthWords, text: &str) -> BTreeSet<&'w str> {
    words
        .families
        .iter()
        .filter(|family| family.says.is_match(text))
        .map(|family| family.name.as_str())
        .collect()
}

/// Returns whether a request wants words: its verb is one of speech, or what it is about is made of words.
fn wants_words(words: &TruthWords, requests: &RequestWords, clause: &AskedClause) -> bool {
    if requests.deeds().any(|(_, deed)| deed.alone.at_start(&clause.words).is_some()) {
        return false;
    }
    let tells = &words.turn.tells;
    let tells = tells.at_start(&clause.words).is_some()
        || requests.form.verbs_last && tells.at_end(&clause.words).is_some();
    // "Text Lea" is no text.
    let verb = usize::from(clause.words.first().is_some_and(|word| words.base.has(word)));
    let text = clause.words[verb..].join(" ");
    tells || (words.turn.words.is_match(&text) && families(words, &text).is_empty())
}

/// Returns whether a request has the verb or the object of a deed, or is so short that it answers a question.
fn is_order(words: &TruthWords, requests: &RequestWords, clause: &AskedClause) -> bool {
    clause.words.len() <= LONGEST_ANSWER
        || !families(words, &clause.words.join(" ")).is_empty()
        || clause.words.first().is_some_and(|word| words.base.begins(word))
        || requests.form.verbs_last && clause.words.last().is_some_and(|word| words.base.has(word))
        || requests.form.units.are_in(&clause.words)
        || requests.deeds().any(|(_, deed)| {
            [&deed.verbs, &deed.alone].iter().any(|say| say.at_start(&clause.words).is_some())
        })
}

/// Returns whether a clause begins with the verb of a deed as one orders it ("send Mark a message that I'm late"), ends
/// with it ("alle Timer löschen"), or says without a verb what is to come of one of the user's things.
fn orders(words: &TruthWords, requests: &RequestWords, clause: &AskedClause) -> bool {
    let begins = || clause.words.first().is_some_and(|word| words.base.begins(word));
    let names = |word: &String| words.exempt.others.contains(word) || words.exempt.speakers.contains(word);
    let names_nobody = || !clause.words.iter().any(names);
    let is_infinitive = || {
        requests.form.verbs_last
            && clause.words.last().is_some_and(|word| words.base.has(word))
            && names_nobody()
            && !requests.form.finite.are_in(&clause.words)
    };
    // "All lights off."
    let is_short = || {
        let text = clause.words.join(" ");
        !clauses::is_verbal(words, &clause.words)
            && names_nobody()
            && words.turn.outcomes.is_match(&text)
            && !families(words, &text).is_empty()
    };
    clause.wants == AskedFor::Nothing && (begins() || is_infinitive() || is_short())
}

/// Returns whether a clause asks about one of the user's own things.
fn is_own(words: &TruthWords, clause: &AskedClause) -> bool {
    let text = clause.words.join(" ");
    let names_deed = || clause.words.iter().any(|word| words.done.has(word) || words.base.has(word));
    if clause.wants == AskedFor::Nothing || words.turn.howto.is_match(&text) {
        return false;
    }
    // "Have you added the eggs?"
    if families(words, &text).is_empty() {
        return words.turn.asks_her.is_match(&text) && names_deed();
    }
    let is_his = clause.words.iter().any(|word| words.turn.own.contains(word));
    let is_kept =
        || words.families.iter().any(|family| !family.tools.is_empty() && family.says.is_match(&text));
    is_his || words.turn.yes_no.is_match(&text) || (words.turn.measures.is_match(&text) && is_kept())
}
