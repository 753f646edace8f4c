//! Whether words ask for a deed, or only about it.
//!
//! PURE. In: what was said. Out: its [`Mood`], as far as its form tells. The words that tell it are in the files
//! of the languages; what one of them takes for a question is one. A polite "could you …?" is a request.

use serde::Deserialize;

use super::Tongue;
use crate::tools::gate::Mood;

/// How many words at the beginning tell.
const HEAD: usize = 4;

/// What a language asks, asks for and forbids with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoodWords {
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
}

/// What the form of the words says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Asks,
    Requests,
    Neither,
}

impl MoodWords {
    fn form(&self, words: &[String]) -> Form {
        let has = |list: &[String], word: &str| list.iter().any(|known| known == word);
        let head = &words[..words.len().min(HEAD + 1)].join(" ");
        let is_negated =
            self.negations.iter().any(|phrase| format!(" {head} ").contains(&format!(" {phrase} ")));
        if is_negated {
            return Form::Asks;
        }
        let first = words.iter().find(|word| !has(&self.fillers, word)).map_or("", String::as_str);
        let names_whom = || words.iter().take(HEAD).any(|word| has(&self.whom, word));
        if has(&self.polite, first) {
            Form::Requests
        } else if has(&self.asking, first) {
            if names_whom() { Form::Requests } else { Form::Asks }
        } else if has(&self.questions, first) {
            Form::Asks
        } else {
            Form::Neither
        }
    }

    /// Whether a word turns the sense round, or asks.
    pub(super) fn turns(&self, word: &str) -> bool {
        let ends = |phrase: &String| phrase.rsplit(' ').next() == Some(word);
        self.negations.iter().any(ends) || self.questions.iter().any(|known| known == word)
    }
}

/// What the user's words are, as far as their form tells.
pub fn mood(asked: &str) -> Mood {
    let lower = asked.to_lowercase().replace('’', "'");
    let clean = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_owned();
    let words: Vec<String> = lower.split_whitespace().map(clean).filter(|word| !word.is_empty()).collect();
    let forms: Vec<Form> =
        Tongue::ALL.into_iter().filter_map(|tongue| Some(tongue.language()?.mood.form(&words))).collect();
    if forms.is_empty() || forms.contains(&Form::Asks) {
        return Mood::Question;
    }
    let ends_as_question = asked.trim_end().ends_with('?');
    match forms.contains(&Form::Requests) {
        false if ends_as_question => Mood::Question,
        _ => Mood::Request,
    }
}
