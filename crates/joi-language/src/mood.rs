//! The words that ask, ask for and forbid in a language.
//!
//! In: the words of a sentence. Out: what its form says. Pure: no I/O, no clock.

use serde::Deserialize;

/// The number of words at the beginning by which the mood is known.
const HEAD: usize = 4;

/// What a language asks, asks for and forbids with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoodWords {
    /// First words of a question.
    questions: Vec<String>,
    /// In front of them.
    fillers: Vec<String>,
    /// First words of a request.
    polite: Vec<String>,
    /// The same, if [`MoodWords::whom`] follows.
    asking: Vec<String>,
    whom: Vec<String>,
    /// Phrases that turn a request round.
    negations: Vec<String>,
    /// First words of a statement, also of one that says what is not so.
    #[serde(default)]
    subjects: Vec<String>,
}

/// What the form of the words says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceForm {
    /// A question, or the opposite of a request.
    Asks,
    /// A request.
    Requests,
    /// Not known by its form.
    Neither,
}

impl MoodWords {
    /// Whether `words`, which are in lower case, begin as a statement.
    pub fn states(&self, words: &[String]) -> bool {
        let mut begin = words.iter().filter(|word| !self.fillers.contains(word));
        // "It's" begins as "it" does.
        let first = begin.next().and_then(|word| word.split('\'').next());
        first.is_some_and(|first| self.subjects.iter().any(|subject| subject == first))
    }

    /// The form of `words`, which are in lower case.
    pub fn form(&self, words: &[String]) -> SentenceForm {
        let has = |list: &[String], word: &str| list.iter().any(|known| known == word);
        let head = &words[..words.len().min(HEAD + 1)].join(" ");
        let is_negated =
            self.negations.iter().any(|phrase| format!(" {head} ").contains(&format!(" {phrase} ")));
        if is_negated {
            return SentenceForm::Asks;
        }
        let first = words.iter().find(|word| !has(&self.fillers, word)).map_or("", String::as_str);
        let names_whom = || words.iter().take(HEAD).any(|word| has(&self.whom, word));
        if has(&self.polite, first) {
            SentenceForm::Requests
        } else if has(&self.asking, first) {
            if names_whom() { SentenceForm::Requests } else { SentenceForm::Asks }
        } else if has(&self.questions, first) {
            SentenceForm::Asks
        } else {
            SentenceForm::Neither
        }
    }

    /// Whether a word turns the sense round, or asks.
    pub fn turns(&self, word: &str) -> bool {
        self.negates(word) || self.questions.iter().any(|known| known == word)
    }

    /// Whether a word turns the sense round.
    pub fn negates(&self, word: &str) -> bool {
        self.negations.iter().any(|phrase| phrase.rsplit(' ').next() == Some(word))
    }
}
