//! The request of an utterance without what stands around it: greetings, manners, and why it is wanted.
//!
//! In: an utterance. Out: the words of its only request, in lower case. Pure: no I/O, no clock.

use super::clause::{Clause, Form};
use super::clauses::clauses;
use super::unasked::objection;
use joi_language::Language;

/// Returns the only request in `asked`, where it depends on nothing and nothing speaks against it: "turn off the light" of
/// "Good morning! Be a dear and turn off the light, because the baby is asleep."
pub fn bare_request(language: &Language, asked: &str) -> Option<String> {
    let words = language.requests().first()?;
    let clauses = clauses(words, asked);
    let is_request = |clause: &&Clause| clause.form == Form::Request;
    let mut requests = clauses.iter().filter(is_request);
    let (request, None) = (requests.next()?, requests.next()) else { return None };
    let is_beside =
        |clause: &Clause| matches!(clause.form, Form::Request | Form::Statement) || is_small(clause);
    if request.has_condition || !clauses.iter().all(is_beside) || objection(language, asked).is_some() {
        return None;
    }
    let said = &request.words;
    let reasons = &words.unasked.reasons;
    let end = (1..said.len()).find(|at| reasons.at_start(&said[*at..]).is_some()).unwrap_or(said.len());
    Some(said[..end].join(" "))
}

/// Returns whether nothing is left of a clause without what leads to it.
fn is_small(clause: &Clause) -> bool {
    clause.words.len() <= 1
}
