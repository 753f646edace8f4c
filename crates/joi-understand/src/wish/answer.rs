//! The answer to a question of joi: a yes, or a no and what is wanted instead.
//!
//! In: what was said. Out: whether it says yes or no.
//! Pure: no I/O, no clock.

use super::Refusal;
use super::clause::{Clause, Form};
use super::clauses::clauses;
use joi_language::{FormWords, RequestWords, words_of};

/// Returns whether `text` begins with a yes, or ends with one ("Eighteen is perfect, yes") and has nothing in it that
/// takes it back. A word with which one only shows that one has heard ("right") is a yes when nothing is reported
/// behind it.
pub(super) fn consents(words: &RequestWords, text: &str) -> bool {
    let form = &words.form;
    let said = words_of(text);
    let mut skipped = 0;
    loop {
        let rest = &said[skipped..];
        if let Some(count) = form.consents.at_start(rest) {
            let only_hears = form.acknowledgements.at_start(rest) == Some(count);
            return !only_hears || only_agrees(words, behind(text, skipped + count));
        }
        match form.lead.at_start(rest) {
            Some(count) => skipped += count,
            None => break,
        }
    }
    let yes = text.rsplit([',', '.', '!']).map(words_of).find(|part| !part.is_empty()).unwrap_or_default();
    yes.len() < said.len() && form.consents.at_start(&yes) == Some(yes.len()) && !takes_back(form, &said)
}

fn takes_back(form: &FormWords, said: &[String]) -> bool {
    let marks = [&form.refusals, &form.negations, &form.reported, &form.hypotheses];
    marks.iter().any(|phrases| phrases.are_in(said))
}

/// Returns whether all of `text` agrees, or asks for something.
fn only_agrees(words: &RequestWords, text: &str) -> bool {
    let form = &words.form;
    let agrees = |said: &[String]| {
        let mut rest = said;
        while let Some(count) = form.consents.at_start(rest).max(form.lead.at_start(rest)) {
            rest = &rest[count..];
        }
        let points = |word: &String| {
            let small = [&form.references, &form.function_words];
            small.iter().any(|phrases| phrases.at_start(std::slice::from_ref(word)).is_some())
        };
        // "That sounds good", "exactly that one".
        let ends_so = form.consents.at_end(rest).is_some() && !takes_back(form, said);
        ends_so || rest.iter().all(points) && !form.finite.are_in(rest)
    };
    let is_fine = |clause: &Clause| clause.form == Form::Request || agrees(&clause.words);
    agrees(&words_of(text)) || clauses(words, text).iter().all(is_fine)
}

/// Returns whether `text` begins with a no, and the request behind it.
pub(super) fn refusal<'a>(words: &RequestWords, text: &'a str) -> Option<Refusal<'a>> {
    let all = words_of(text);
    let mut skipped = 0;
    let count = loop {
        let rest = &all[skipped..];
        if let Some(count) =
            words.form.refusals.at_start(rest).or_else(|| words.form.negations.at_start(rest))
        {
            break count;
        }
        skipped += words.form.lead.at_start(rest)?;
    };
    if clauses(words, text).iter().all(|clause| clause.form != Form::Request) {
        return Some(Refusal::Plain);
    }
    // "Don't cancel it, set it to eight": what is not to be done must not be left without its "don't".
    let is_of_what_follows = words.form.negations.at_start(&all[skipped..]).is_some();
    let (said, rest) = text.split_at(text.len() - behind(text, skipped + count).len());
    let stands_alone = said.trim_end().ends_with([',', '.', '!', ';', ':']);
    Some(Refusal::Instead(if is_of_what_follows && !stands_alone { text } else { rest }))
}

/// `text` behind its first `count` words.
fn behind(text: &str, count: usize) -> &str {
    let mut seen = 0;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric() || matches!(c, '\'' | '’');
        if is_word && !inside {
            if seen == count {
                return &text[at..];
            }
            seen += 1;
        }
        inside = is_word;
    }
    text
}
