//! The purpose of each clause of an utterance: a deed, an answer, or nothing.
//!
//! Pure: no I/O, no clock.

use super::answer;
use super::clause::{Clause, Form};
use super::clauses::clauses;
use joi_language::{RequestWords, words_of};

/// Most words of a yes that says nothing else.
const LONGEST_YES: usize = 4;

/// A clause of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedClause {
    /// The purpose of the clause.
    pub wants: AskedFor,
    /// The words, without those that only lead to it.
    pub words: Vec<String>,
}

/// The purpose of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedFor {
    /// Something done, or its form does not show.
    Deed,
    /// An answer.
    Answer,
    /// Nothing: it states, imagines or forbids something.
    Nothing,
}

/// Returns what the clauses of `asked` want; a yes wants what was offered.
pub fn asked_for(words: &RequestWords, asked: &str) -> Vec<AskedClause> {
    let is_yes = words_of(asked).len() <= LONGEST_YES && answer::consents(words, asked);
    let yes = is_yes.then(|| AskedClause { wants: AskedFor::Deed, words: Vec::new() });
    // "Remember that I don't eat nuts."
    let is_whole =
        |clause: &Clause| words.deeds().any(|(_, deed)| deed.alone.at_start(&clause.words).is_some());
    let said = clauses(words, asked).into_iter().filter(|clause| !clause.words.is_empty()).map(|clause| {
        let wants = match clause.form {
            Form::Stay | Form::Statement if is_whole(&clause) => AskedFor::Deed,
            Form::Request | Form::Open => AskedFor::Deed,
            Form::Question => AskedFor::Answer,
            Form::Stay | Form::Hypothesis | Form::Reported | Form::Statement => AskedFor::Nothing,
        };
        AskedClause { wants, words: clause.words }
    });
    said.chain(yes).collect()
}
