//! What speaks against taking a request for the user's own, whatever it is about.
//!
//! In: an utterance. Out: a [`Wish`] where it is for somebody else, quoted, ironic, turned down in the same breath, part
//! of a game, forbidden without a "not", or what the speaker does without help. What a request keeps or writes down is
//! free text, in which any of these words may stand.
//! Pure: no I/O, no clock.

use super::clause::{Clause, Form};
use super::clauses::read;
use super::deeds::names_verb;
use super::reasons::{CONDITION, ELSE, NOTHING, REFUSED, UNCLEAR};
use super::sentences::{WordRun, led, sentences, verb};
use super::told::takes_all;
use crate::text::without_quotes;
use joi_language::values::Wish;
use joi_language::{DeedWords, Language, Phrases, RequestWords, UnaskedWords, words_of};

/// Most words of a name in front of what somebody is asked.
const LONGEST_NAME: usize = 3;

/// Returns what speaks against doing anything that `text` asks for.
pub fn objection(language: &Language, text: &str) -> Option<Wish> {
    let mut languages = language.requests().iter();
    let own = languages.next().and_then(|words| {
        // Without a call nobody knows which of the two is meant.
        let is_put_right = || put_right_at_end(words, text).map(|_| Wish::Talk(UNCLEAR));
        objected(words, text).or_else(is_put_right)
    });
    // In another language names can't be distinguished from other words.
    own.or_else(|| {
        languages.find_map(|words| objected(words, text).filter(|wish| matches!(wish, Wish::Talk(_))))
    })
}

pub(super) fn objected(words: &RequestWords, text: &str) -> Option<Wish> {
    let own = without_quotes(text).own;
    let (clauses, _) = read(words, text);
    let unasked = &words.unasked;
    let runs: Vec<Vec<WordRun>> = sentences(&own);
    let frame = without_content(words, &clauses, words_of(&own));
    let talk = |phrases: &Phrases, why| phrases.are_in(&frame).then_some(Wish::Talk(why));
    is_for_another(words, &runs)
        .or_else(|| talk(&unasked.forbids, REFUSED))
        .or_else(|| talk(&unasked.plays, NOTHING))
        .or_else(|| talk(&unasked.quotes, NOTHING))
        .or_else(|| talk(&unasked.ironies, REFUSED))
        .or_else(|| ends_ironically(unasked, &runs).then_some(Wish::Talk(REFUSED)))
        .or_else(|| clauses.iter().any(|clause| clause.is_turned_down).then_some(Wish::Talk(REFUSED)))
        .or_else(|| is_own_deed(words, &runs).then_some(Wish::Ask(UNCLEAR)))
        .or_else(|| waits(words, &runs).then_some(Wish::Ask(CONDITION)))
}

/// Returns whether a request is tied to a later moment that no clock shows: "when the washing is done, …".
fn waits(words: &RequestWords, sentences: &[Vec<WordRun>]) -> bool {
    let begins = |run: &WordRun| words.unasked.later.at_start(led(&words.form, &run.words)).is_some();
    // "Es wäre schön, wenn du …" only asks politely.
    let asks_politely = |runs: &[WordRun]| {
        let all: Vec<String> = runs.iter().flat_map(|run| run.words.iter().cloned()).collect();
        let first = runs.first().map_or(0, |run| run.words.len());
        words.form.polite.at_start(&all).is_some_and(|count| count > first)
    };
    sentences.iter().any(|runs| runs.len() > 1 && !asks_politely(runs) && runs.iter().any(begins))
}

/// Returns what is meant instead, where that is said last: "the radio off, uh, the TV I mean".
pub(super) fn put_right_at_end(words: &RequestWords, text: &str) -> Option<String> {
    let runs: Vec<WordRun> = sentences(text).into_iter().flatten().collect();
    let last = runs.last()?;
    let count = words.unasked.corrected.at_end(&last.words)?;
    let rest = &last.words[..last.words.len() - count];
    match rest.is_empty() {
        false => Some(rest.join(" ")).filter(|_| runs.len() > 1),
        true => Some(runs.get(runs.len().checked_sub(2)?)?.words.join(" ")).filter(|_| runs.len() > 2),
    }
}

/// Returns `said` without what a request in it keeps or writes down.
fn without_content(words: &RequestWords, clauses: &[Clause], mut said: Vec<String>) -> Vec<String> {
    let free = clauses.iter().find(|clause| clause.form == Form::Request && takes_all(words, clause));
    if let Some(free) = free.filter(|free| !free.words.is_empty()) {
        let from = said.windows(free.words.len()).position(|window| window == free.words);
        said.truncate(from.unwrap_or(said.len()));
    }
    said
}

/// Returns whether the last stretch of words is nothing but irony.
fn ends_ironically(unasked: &UnaskedWords, sentences: &[Vec<WordRun>]) -> bool {
    let last = sentences.last().and_then(|runs| runs.last());
    last.is_some_and(|run| unasked.ironies.at_start(&run.words) == Some(run.words.len()))
}

/// Returns whether another assistant is called, or somebody by a name.
fn is_for_another(words: &RequestWords, sentences: &[Vec<WordRun>]) -> Option<Wish> {
    let form = &words.form;
    let calls_other = |run: &WordRun| {
        [&run.words[..], led(form, &run.words)]
            .iter()
            .any(|said| words.unasked.others.at_start(said).is_some())
    };
    if sentences.iter().filter_map(|runs| runs.first()).any(calls_other) {
        return Some(Wish::Talk(ELSE));
    }
    let asks = |said: &[String]| {
        let rest = led(form, said);
        form.polite.at_start(rest).is_some() || verb(words, rest) > 0
    };
    let names = |runs: &Vec<WordRun>| {
        let before_comma = runs
            .windows(2)
            .any(|pair| is_name(words, &pair[0].words) && !pair[0].announces && asks(&pair[1].words));
        let in_run = runs.first().is_some_and(|run| {
            let rest = led(form, &run.words);
            let begins = [&form.polite, &form.wishes, &form.questions, &form.hypotheses];
            let is_begun = begins.iter().any(|phrases| phrases.at_start(rest).is_some());
            !is_begun
                && (1..rest.len().min(LONGEST_NAME + 1))
                    .find(|at| form.polite.at_start(&rest[*at..]).is_some())
                    .is_some_and(|at| is_name(words, &rest[..at]))
        });
        before_comma || in_run
    };
    sentences.iter().any(names).then_some(Wish::Ask(ELSE))
}

/// Returns whether `said` may be whom somebody speaks to: a few words none of which is known here.
fn is_name(words: &RequestWords, said: &[String]) -> bool {
    let form = &words.form;
    let whole = said;
    let said = led(form, said);
    let known = [
        &form.lead,
        &form.trail,
        &form.adverbs,
        &form.finite,
        &form.questions,
        &form.polite,
        &form.wishes,
        &form.hypotheses,
        &form.negations,
        &form.consents,
        &form.units,
        &form.places,
        &words.unasked.manners,
        &words.talk.greetings,
        &words.told.retractions,
    ];
    let is_known = |at: usize| known.iter().any(|phrases| phrases.at_start(&said[at..]).is_some());
    let is_thing = |word: &String| {
        let one = std::slice::from_ref(word);
        words.deeds().any(|(_, deed)| words.names(&deed.objects, one))
    };
    let joins = |word: &String| form.joints.at_start(std::slice::from_ref(word)).is_some();
    let has_figure = |word: &String| word.chars().any(|c| c.is_ascii_digit());
    // "Popcorn's ready" is a clause.
    let has_verb = |word: &String| word.contains('\'');
    let is_answer = || {
        [&form.consents, &form.refusals, &words.talk.greetings]
            .iter()
            .any(|phrases| phrases.at_start(whole) == Some(whole.len()))
    };
    let is_small = |word: &String| form.function_words.at_start(std::slice::from_ref(word)).is_some();
    // "And onions, put those on the list" goes on with something.
    let goes_on = whole.iter().take(whole.len() - said.len()).any(&joins);
    !said.is_empty()
        && !goes_on
        && said.len() <= LONGEST_NAME
        && (0..said.len()).all(|at| joins(&said[at]) && at > 0 || !is_known(at))
        && !is_answer()
        && !said.iter().any(|word| is_thing(word) || has_figure(word) || has_verb(word))
        && !said.iter().any(|word| is_small(word) && !joins(word))
}

/// Returns whether the speaker does something without help: "let me turn on the light".
fn is_own_deed(words: &RequestWords, sentences: &[Vec<WordRun>]) -> bool {
    let is_it = |run: &WordRun| {
        let rest = led(&words.form, &run.words);
        // "Let me know", "I need to be woken at six".
        let is_for_joi = words.deeds().any(|(_, deed)| deed.alone.at_start(rest).is_some());
        let behind = words.unasked.own.at_start(rest).map(|count| led(&words.form, &rest[count..]).to_vec());
        behind.filter(|_| !is_for_joi).is_some_and(|said| {
            let is_alone = |deed: &DeedWords| match words.form.verbs_last {
                true => deed.alone.anywhere(&said).is_some(),
                false => deed.alone.at_start(&said).is_some(),
            };
            let is_passive = words.deeds().any(|(_, deed)| is_alone(deed));
            let is_polite = words.form.verbs_last;
            let clause = Clause { form: Form::Request, words: said, is_polite, ..Clause::default() };
            let is_function =
                |verb: &String| words.form.function_words.at_start(std::slice::from_ref(verb)).is_some();
            let is_small = !words.form.verbs_last && clause.words.first().is_none_or(is_function);
            !is_passive && !is_small && names_verb(words, &clause)
        })
    };
    sentences.iter().flatten().any(is_it)
}
