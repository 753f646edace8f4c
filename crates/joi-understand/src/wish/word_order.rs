//! Requests whose verb does not come first, in languages whose verbs come last.
//!
//! In: the words of a clause. Out: the request it is, its words in an order in which a deed finds them. "Die Liste
//! leeren", "verlängerst du den Timer bitte", "die Lampe kannst du ausmachen", "ich hätte das Licht gern aus".
//! Pure: no I/O, no clock.

use super::clause::{Clause, Form};
use joi_language::RequestWords;

/// Most words of what is to be done something to, in front of whom one asks.
const LONGEST_OBJECT: usize = 6;

/// Returns a wish whose words surround what is wished for.
pub(super) fn wish(words: &RequestWords, rest: &[String]) -> Option<Clause> {
    let form = &words.form;
    let head = form.wished.head(rest).filter(|_| !form.anywhere.are_in(rest))?;
    Some(asked(words, rest[head..].to_vec(), false))
}

/// Returns a request by its order of words alone.
pub(super) fn request(
    words: &RequestWords,
    (part, rest): (&[String], &[String]),
    is_question: bool,
) -> Option<Clause> {
    if !words.form.verbs_last {
        return None;
    }
    verb_and_you(words, (part, rest))
        .or_else(|| object_first(words, rest, is_question))
        .or_else(|| infinitive(words, rest).filter(|_| !is_question))
}

/// "Verlängerst du den Timer bitte?"; without a "please" it may be a mere question, and is asked about.
fn verb_and_you(words: &RequestWords, (part, rest): (&[String], &[String])) -> Option<Clause> {
    let form = &words.form;
    let (verb, behind) = rest.split_first()?;
    let you = form.you.at_start(behind)?;
    let stems = form.you_endings.iter().filter_map(|ending| verb.strip_suffix(ending.as_str()));
    let verb = stems.filter_map(|stem| verb_of(words, stem)).next()?;
    let mut request = vec![verb];
    request.extend_from_slice(&behind[you..]);
    Some(asked(words, request, !form.pleases.are_in(part)))
}

/// Returns how the words of some deed write the verb of that stem.
fn verb_of(words: &RequestWords, stem: &str) -> Option<String> {
    let is_it = |verb: &&str| verb.strip_prefix(stem).is_some_and(|end| ["", "e", "n", "en"].contains(&end));
    let all = words.deeds().flat_map(|(_, deed)| deed.verbs.first_words().chain(deed.alone.first_words()));
    all.filter(is_it).min_by_key(|verb| verb.len()).map(str::to_owned)
}

/// "Die Lampe kannst du ausmachen."
fn object_first(words: &RequestWords, rest: &[String], is_question: bool) -> Option<Clause> {
    let form = &words.form;
    let whom =
        |at: usize| form.polite.at_start(&rest[at..]).filter(|count| form.you.are_in(&rest[at..at + count]));
    let (at, count) = (1..rest.len().min(LONGEST_OBJECT)).find_map(|at| Some((at, whom(at)?)))?;
    let object = &rest[..at];
    let is_other =
        [&form.questions, &form.subjects, &form.hypotheses].iter().any(|phrases| phrases.are_in(object));
    if is_other || form.finite.are_in(object) {
        return None;
    }
    let request = [object, &rest[at + count..]].concat();
    Some(asked(words, request, is_question))
}

/// "Die Liste leeren", without anybody who wants, can or has to.
fn infinitive(words: &RequestWords, rest: &[String]) -> Option<Clause> {
    let form = &words.form;
    let (last, before) = rest.split_last()?;
    let is_verb = last.ends_with('n')
        && words.deeds().any(|(_, deed)| deed.verbs.whole(std::slice::from_ref(last)).is_some());
    let has_another =
        [&form.finite, &form.auxiliaries, &form.hypotheses].iter().any(|phrases| phrases.are_in(before));
    let is_subordinate = before.last().is_none_or(|word| *word == form.infix);
    if !is_verb || has_another || is_subordinate || form.subjects.at_start(rest).is_some() {
        return None;
    }
    Some(asked(words, rest.to_vec(), false))
}

fn asked(words: &RequestWords, said: Vec<String>, is_unclear: bool) -> Clause {
    let has_condition = is_unclear || words.form.conditions.are_in(&said);
    Clause { form: Form::Request, words: said, is_polite: true, has_condition, ..Clause::default() }
}
