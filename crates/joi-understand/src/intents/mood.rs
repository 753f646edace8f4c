//! Whether words ask for a deed, or only about it.
//!
//! In: what was said. Out: its [`Mood`], as far as its form shows. The words that state it are in the files
//! of the languages; what any language that there is takes for a question is one. A polite "could you …?" is a request.
//! Pure: no I/O, no clock.

use joi_language::Language;
use joi_language::SentenceForm;

/// The form of an utterance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// They may ask for a deed.
    Request,
    /// They ask about something, or say that it is not to be done.
    Question,
}

/// Returns whether `asked` begins as a statement, which asks for nothing: "I'm tired", "that's not it".
pub fn is_statement(language: &Language, asked: &str) -> bool {
    language.grammar().mood.states(&words_of(asked)) && !asked.trim_end().ends_with('?')
}

fn words_of(asked: &str) -> Vec<String> {
    let lower = asked.to_lowercase().replace('’', "'");
    let clean = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_owned();
    lower.split_whitespace().map(clean).filter(|word| !word.is_empty()).collect()
}

/// Returns what the user's words are, as far as their form shows.
pub fn mood(language: &Language, asked: &str) -> Mood {
    let words = words_of(asked);
    let forms: Vec<SentenceForm> = language.moods().map(|mood| mood.form(&words)).collect();
    if forms.contains(&SentenceForm::Asks) {
        return Mood::Question;
    }
    let ends_as_question = asked.trim_end().ends_with('?');
    match forms.contains(&SentenceForm::Requests) {
        false if ends_as_question => Mood::Question,
        _ => Mood::Request,
    }
}
