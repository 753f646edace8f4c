//! An utterance in clauses, and the form of each.
//!
//! In: what was said. Out: clauses in order. What stands in quotation marks is somebody else's and makes no
//! clause. A clause begins where punctuation or a joining word is followed by words that begin one; all else goes on with
//! the one before.
//! Pure: no I/O, no clock.

use super::clause::{Clause, Form};
use super::sentences::{WordRun, led, parts, sentences, verb};
use super::told::{self, Telling};
use super::word_order;
use crate::text::without_quotes;
use joi_language::{FormWords, Phrases, RequestWords};

/// Most words of a time or a place in front of a request.
const LONGEST_ADVERB: usize = 9;

/// Returns the clauses of `text`.
pub(super) fn clauses(words: &RequestWords, text: &str) -> Vec<Clause> {
    read(words, text).0
}

/// Returns the clauses of `text`, and what they leave of what goes on behind it.
pub(super) fn read(words: &RequestWords, text: &str) -> (Vec<Clause>, Telling) {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut telling = Telling::default();
    let mut announces = false;
    let mut asked_back = 0..0;
    for mut sentence in sentences(&without_quotes(text).own) {
        // What a colon announces may stand in the next sentence.
        telling.next_sentence(announces);
        announces = sentence.last().is_some_and(|last| last.announces);
        for run in &mut sentence {
            run.words = apart(words, std::mem::take(&mut run.words));
        }
        let is_question = sentence.last().is_some_and(|last| last.is_question);
        // "…, would you?"
        let is_trailed = sentence.last().is_some_and(|last| words.form.trail.at_end(&last.words).is_some());
        let asks_back = is_question && !is_trailed;
        let first = clauses.len();
        for part in parts(words, &sentence) {
            let mut clause = clause(words, &part.words, is_question);
            // "Set a timer?" says back what somebody wanted, or doubts it.
            let is_bare = clause.form == Form::Request && !words.form.polite.are_in(&part.words);
            clause.is_echo = asks_back && is_bare && !clause.is_polite;
            clause.has_condition |= clause.is_echo;
            if let Some(saying) = told::saying(words, &part, clause.form) {
                clauses[first..].iter_mut().for_each(|before| told::was_said(words, saying, before));
            }
            telling.reads(words, &part, &mut clause);
            clauses.push(clause);
        }
        let (before, follows) = clauses.split_at_mut(first);
        turn_down(&mut before[asked_back.clone()], follows);
        asked_back = if is_question { first..clauses.len() } else { 0..0 };
    }
    (clauses, telling)
}

/// Marks the requests of a sentence that was asked back, where what follows is no request.
fn turn_down(asked_back: &mut [Clause], follows: &[Clause]) {
    if !follows.is_empty() && follows.iter().all(|clause| clause.form != Form::Request) {
        asked_back.iter_mut().for_each(|clause| clause.is_turned_down = clause.is_echo);
    }
}

/// Returns the sentences of `text` that ask something, by the mark behind them, or as they don't begin with who is
/// spoken of: each whole, and without what is put in behind the words of an offer ("shall I, as it says, forget
/// everything").
pub(super) fn questions(words: &RequestWords, text: &str) -> Vec<Vec<String>> {
    let form = &words.form;
    let read = |sentence: Vec<WordRun>| {
        let joined =
            |runs: &[WordRun]| runs.iter().flat_map(|run| run.words.iter().cloned()).collect::<Vec<_>>();
        let whole = joined(&sentence);
        let is_told = form.subjects.at_start(led(form, &whole)).is_some();
        if is_told && !sentence.last().is_some_and(|last| last.is_question) {
            return Vec::new();
        }
        let mut readings = vec![whole];
        if let Some(at) = sentence.iter().rposition(|run| form.offers.at_end(&run.words).is_some()) {
            let offer = &sentence[at].words;
            readings.extend(
                (at + 2..sentence.len()).map(|from| [&offer[..], &joined(&sentence[from..])].concat()),
            );
        }
        readings
    };
    sentences(text).into_iter().flat_map(read).collect()
}

/// Verbs without what is tied to them: "schreib's" as "schreib" and "'s".
fn apart(words: &RequestWords, said: Vec<String>) -> Vec<String> {
    let tied = |word: &str| {
        let clitic = words.form.clitics.iter().find(|clitic| word.ends_with(clitic.as_str()))?;
        let stem = word[..word.len() - clitic.len()].to_owned();
        (verb(words, std::slice::from_ref(&stem)) > 0).then(|| vec![stem, clitic.clone()])
    };
    said.into_iter().flat_map(|word| tied(&word).unwrap_or_else(|| vec![word])).collect()
}

/// Returns the same without what trails behind it.
fn bare<'a>(form: &FormWords, part: &'a [String]) -> &'a [String] {
    let mut rest = led(form, part);
    while let Some(count) = form.trail.at_end(rest).filter(|count| *count < rest.len()) {
        rest = &rest[..rest.len() - count];
    }
    rest
}

/// Returns what `part` is.
fn clause(words: &RequestWords, part: &[String], is_question: bool) -> Clause {
    let form = &words.form;
    let rest = bare(form, part);
    let of = |form: Form| Clause { form, words: rest.to_vec(), ..Clause::default() };
    let length = |phrases: &Phrases| phrases.at_start(rest).unwrap_or(0);
    let keeping = length(&form.keeping);
    let verb = verb(words, rest).max(keeping);
    let polite = length(&form.polite);
    let wishes = length(&form.wishes);
    if let Some(request) = word_order::wish(words, rest) {
        return request;
    }
    // "Oh sure, open all the shutters", "no need to": what leads to others states here that it is not meant.
    let with_lead = |phrases: &Phrases| {
        phrases.at_start(part).filter(|count| *count > 1).unwrap_or(0).max(length(phrases))
    };
    let marks = [
        (with_lead(&form.negations), Form::Stay),
        (with_lead(&form.hypotheses), Form::Hypothesis),
        (length(&form.questions), Form::Question),
    ];
    let (mark, marked) = marks.into_iter().rev().max_by_key(|(count, _)| *count).unwrap_or((0, Form::Open));
    let strongest = mark.max(verb).max(polite).max(wishes);
    // "Stop" is both: with something to stop it is a request.
    let is_verb = marked == Form::Stay && verb == mark && names_object(words, rest);
    if strongest > 0 && mark == strongest && !is_verb && !(keeping >= mark && keeping > 0) {
        return of(marked);
    }
    // A fact to remember, and a reason, may have a no of its own.
    let told = form.subordinates.position(rest).filter(|_| verb > 0).unwrap_or(rest.len());
    if keeping == 0 && form.anywhere.are_in(&rest[..told]) {
        return of(Form::Stay);
    }
    if strongest > 0 && polite == strongest {
        return asked_politely(words, rest, polite);
    }
    if strongest > 0 && wishes == strongest {
        let words = led(form, &rest[wishes..]).to_vec();
        let has_condition = form.conditions.are_in(&words);
        return Clause { form: Form::Request, words, is_polite: true, has_condition, ..Clause::default() };
    }
    if form.gerunds.at_start(rest).is_some() && form.finite.are_in(rest) {
        return of(if is_question { Form::Question } else { Form::Statement });
    }
    if verb > 0 {
        let has_condition = form.conditions.are_in(rest);
        return Clause { has_condition, ..of(Form::Request) };
    }
    if let Some(request) = behind_adverb(words, rest, is_question) {
        return request;
    }
    if form.reported.are_in(rest) {
        return of(Form::Reported);
    }
    if let Some(request) = word_order::request(words, (part, rest), is_question) {
        return request;
    }
    if form.finite.are_in(rest) || form.subjects.at_start(rest).is_some() {
        return of(if is_question { Form::Question } else { Form::Statement });
    }
    let is_elliptic = words.deeds().any(|(_, deed)| deed.elliptic.whole(rest).is_some());
    match (is_elliptic, is_question) {
        (true, false) => of(Form::Request),
        (_, true) => of(Form::Question),
        (false, false) => of(Form::Open),
    }
}

/// Returns a clause that begins with `polite` words of asking.
fn asked_politely(words: &RequestWords, part: &[String], polite: usize) -> Clause {
    let form = &words.form;
    let inner = clause(words, &part[polite..], false);
    let has_condition = inner.has_condition || form.abilities.at_start(part).is_some();
    match inner.form {
        Form::Statement | Form::Open => {
            let has_condition = has_condition || form.conditions.are_in(&inner.words);
            Clause { form: Form::Request, is_polite: true, has_condition, ..inner }
        }
        _ => Clause { is_polite: true, has_condition, ..inner },
    }
}

/// Returns the request behind a time or a place: "in twenty minutes remind me".
fn behind_adverb(words: &RequestWords, part: &[String], is_question: bool) -> Option<Clause> {
    words.form.adverbs.at_start(part)?;
    let at = (1..part.len().min(LONGEST_ADVERB))
        .find(|at| verb(words, &part[*at..]) > 0 || words.form.polite.at_start(&part[*at..]).is_some())?;
    if words.form.reported.are_in(&part[..at]) || words.form.finite.are_in(&part[..at]) {
        return None;
    }
    let mut inner = clause(words, &part[at..], is_question);
    let is_request = inner.form == Form::Request
        && (verb(words, &part[at..]) > 1 || inner.is_polite || names_object(words, &part[at..]));
    // What stands in front is a part of it: "after the film, turn on the light".
    inner.words.extend_from_slice(&part[..at]);
    is_request.then_some(inner)
}

/// Returns whether the verb at the head of `part` has something to be done to.
fn names_object(words: &RequestWords, part: &[String]) -> bool {
    words.deeds().any(|(_, deed)| {
        deed.alone.at_start(part).is_some()
            || deed.verbs.at_start(part).is_some() && words.names(&deed.objects, part)
    })
}
