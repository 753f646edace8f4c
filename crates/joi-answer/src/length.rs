//! Where an answer ends: after so many sentences where it is spoken, and before a sentence that says again what was said.
//!
//! In: an answer clause by clause. Out: what of it is said, and at its end why it ended. The first sentence goes
//! out as it comes, so that speaking begins early; each further one when it is whole, so that an answer always ends at
//! the end of a sentence.
//! Pure: no I/O, no clock.

use std::sync::Arc;

use crate::news::{self, WantedLength};
use joi_language::EndingWords;
use joi_language::Language;
use joi_language::{SentenceEnding, ending_of};

/// The longest answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LengthLimit {
    /// Most sentences.
    pub sentences: u32,
    /// Most words.
    pub words: u32,
    /// The rest is offered.
    pub may_go_on: bool,
}

/// A recipe has so many times the words of another answer.
const RECIPE: u32 = 3;

impl LengthLimit {
    /// Of a spoken answer to `asked`: short, with the question whether to go on behind it, unless a long one is wanted.
    /// Stories, recitals and recipes have sentences of any number.
    pub fn spoken(language: &Language, asked: &str, sentences: u32, words: u32) -> Option<Self> {
        let limit = match news::wanted_length(language, asked) {
            WantedLength::Long => return None,
            WantedLength::Tale => Self { sentences: u32::MAX, words, may_go_on: true },
            WantedLength::Short if news::wants_a_recipe(language, asked) => {
                Self { sentences: u32::MAX, words: words.saturating_mul(RECIPE), may_go_on: true }
            }
            WantedLength::Short => Self { sentences, words, may_go_on: true },
        };
        Some(limit.with_room_for(&language.sentences().reply.go_on))
    }

    /// What it leaves when `text` is said, too.
    pub fn with_room_for(self, text: &str) -> Self {
        Self { words: self.words.saturating_sub(word_count(text)).max(1), ..self }
    }

    /// Of an answer with a doubt behind it, which asks something else.
    pub fn with_doubt(self, doubt: &str) -> Self {
        Self { may_go_on: false, ..self.with_room_for(doubt) }
    }
}

/// Why an answer ends before the model is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerStop {
    /// It is long enough, and there is more of it.
    Long,
    /// It says again what it has said.
    Circles,
}

/// The sentences of one answer.
pub struct AnswerLength<'a> {
    language: &'a Language,
    endings: Arc<EndingWords>,
    limit: Option<LengthLimit>,
    /// The sentences that were said, those of the answer it goes on with included.
    said: Vec<String>,
    /// Said of the sentence that has begun, and not said of it.
    begun: String,
    waiting: String,
    sentences: u32,
    words: u32,
    stop: Option<AnswerStop>,
}

impl<'a> AnswerLength<'a> {
    /// An answer that goes on with `earlier`, which is mostly empty; without a limit it only must not go in circles.
    pub fn new(language: &'a Language, limit: Option<LengthLimit>, earlier: &str) -> Self {
        let endings = language.endings();
        let (mut said, mut rest) = (Vec::new(), earlier);
        while let Some(end) = sentence_end(rest, &endings) {
            said.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        said.extend(Some(rest.to_owned()).filter(|rest| has_words(rest)));
        let (begun, waiting) = (String::new(), String::new());
        Self { language, endings, limit, said, begun, waiting, sentences: 0, words: 0, stop: None }
    }

    /// Why it has ended.
    pub fn stop(&self) -> Option<AnswerStop> {
        self.stop
    }

    /// Takes the next clauses; gives what is said now.
    pub fn push(&mut self, clauses: &str) -> String {
        self.waiting.push_str(clauses);
        let mut out = String::new();
        while let Some(end) = self.next_end() {
            let rest = self.waiting.split_off(end);
            let sentence = std::mem::replace(&mut self.waiting, rest);
            out += &self.judged(sentence);
        }
        if self.stop.is_none() && self.said.is_empty() {
            out += &self.early();
        }
        out
    }

    /// Ends the answer and returns the rest to be spoken.
    pub fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.waiting);
        if self.stop.is_some() || !has_words(&rest) { String::new() } else { self.judged(rest) }
    }

    /// Returns where the sentence ends that waits, or goes on with what was said of it.
    fn next_end(&self) -> Option<usize> {
        if self.stop.is_some() {
            return None;
        }
        let whole = format!("{}{}", self.begun, self.waiting);
        sentence_end(&whole, &self.endings).and_then(|end| end.checked_sub(self.begun.len()))
    }

    /// Returns what is said of the end of a sentence.
    fn judged(&mut self, rest: String) -> String {
        let has_begun = has_words(&self.begun);
        let sentence = std::mem::take(&mut self.begun) + &rest;
        let words = self.words + word_count(&sentence);
        self.stop = match self.limit {
            Some(limit) if self.sentences >= limit.sentences => Some(AnswerStop::Long),
            Some(limit) if words > limit.words && (self.sentences > 0 || has_begun) => Some(AnswerStop::Long),
            _ if news::says_again(self.language, &self.said, &sentence) => Some(AnswerStop::Circles),
            _ => None,
        };
        if self.stop.is_some() {
            return String::new();
        }
        self.words = words;
        self.sentences += 1;
        self.said.push(sentence);
        rest
    }

    /// Returns what is said of the first sentence before it is whole. One that never ends is cut at a clause.
    fn early(&mut self) -> String {
        let clauses = std::mem::take(&mut self.waiting);
        let is_too_long =
            self.limit.is_some_and(|limit| word_count(&self.begun) + word_count(&clauses) > limit.words);
        if is_too_long && has_words(&self.begun) {
            self.stop = Some(AnswerStop::Long);
            return String::new();
        }
        self.begun.push_str(&clauses);
        clauses
    }
}

/// Returns where the first sentence of `text` ends, its white space included; a line is one, too, but not the number of
/// an item or what introduces a list.
fn sentence_end(text: &str, endings: &EndingWords) -> Option<usize> {
    let mut at = 0;
    while let Some(space) = text[at..].find(char::is_whitespace) {
        let head = &text[..at + space];
        let gap = text[head.len()..].len() - text[head.len()..].trim_start().len();
        at = head.len() + gap;
        let is_line = text[head.len()..at].contains('\n') && !head.ends_with(':');
        let next = text[at..].chars().next();
        let ends = match ending_of(head, endings) {
            SentenceEnding::Sentence => true,
            SentenceEnding::BeforeCapital => {
                next.is_some_and(|next| !next.is_lowercase() && !next.is_ascii_digit())
            }
            SentenceEnding::None => false,
        };
        // "1." at the beginning of a line is the number of an item.
        let line = head.rsplit('\n').next().unwrap_or(head);
        if (ends || is_line) && has_words(line) {
            return Some(at);
        }
    }
    None
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// So many words are said.
pub(crate) fn word_count(text: &str) -> u32 {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    u32::try_from(words.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use joi_language::testing::english;

    const LIMIT: LengthLimit = LengthLimit { sentences: 3, words: 60, may_go_on: true };

    /// Returns what is said of a text that comes in pieces of so many characters, and why it ended.
    fn said(
        limit: Option<LengthLimit>,
        earlier: &str,
        text: &str,
        size: usize,
    ) -> (String, Option<AnswerStop>) {
        let mut length = AnswerLength::new(english(), limit, earlier);
        let letters: Vec<char> = text.chars().collect();
        let mut said = String::new();
        for piece in letters.chunks(size) {
            said += &length.push(&piece.iter().collect::<String>());
            if length.stop().is_some() {
                return (said, length.stop());
            }
        }
        said += &length.finish();
        (said, length.stop())
    }

    #[test]
    fn an_answer_ends_after_three_sentences_when_more_is_there() {
        let three = "Put it into cold water. Let it boil for nine minutes. Then cool it. ";
        for size in [1, 7, 400] {
            assert_eq!(said(Some(LIMIT), "", three, size), (three.to_owned(), None), "all of it");
            let four = format!("{three}Peel it at once.");
            assert_eq!(said(Some(LIMIT), "", &four, size), (three.to_owned(), Some(AnswerStop::Long)));
            assert_eq!(said(None, "", &four, size), (four, None), "what is read may be longer");
        }
    }

    #[test]
    fn a_recipe_reaches_its_main_part() {
        let recipe = "Here is a recipe for pancakes. You need flour, milk and two eggs. You also need a pinch of salt. \
                      Whisk them into a thin batter. Let it rest for half an hour. Heat some butter in a pan. Fry thin \
                      pancakes in it until both sides are golden.";
        let of = |asked: &str| LengthLimit::spoken(english(), asked, 3, 60);
        for size in [1, 9, 400] {
            let asked = "give me a recipe for pancakes";
            assert_eq!(said(of(asked), "", recipe, size), (recipe.to_owned(), None));
            let (_, stop) = said(of("what are pancakes"), "", recipe, size);
            assert_eq!(stop, Some(AnswerStop::Long));
        }
        let endless = "Stir the batter once more and then some more. ".repeat(2)
            + &"Go on with word after word. ".repeat(60);
        assert!(said(of("a recipe please"), "", &endless, 400).1.is_some(), "it has an end all the same");
        assert_eq!(of("the whole recipe, please"), None);
    }

    #[test]
    fn no_sentence_begins_that_would_pass_the_most_words() {
        let long = |word: &str| format!("{} end. ", format!("{word} ").repeat(24).trim_end());
        let text = format!("{}{}{}", long("ab"), long("cd"), long("ef"));
        for size in [3, 400] {
            let (said, stop) = said(Some(LIMIT), "", &text, size);
            assert_eq!((said, stop), (format!("{}{}", long("ab"), long("cd")), Some(AnswerStop::Long)));
        }
        let clauses = "one two three four five six seven eight nine ten, ".repeat(8);
        let (said, stop) = said(Some(LIMIT), "", &clauses, 50);
        assert!(
            word_count(&said) <= 60 && said.ends_with(", "),
            "a sentence without end is cut at a clause: {said}"
        );
        assert_eq!(stop, Some(AnswerStop::Long));
    }

    #[test]
    fn numbers_titles_and_introductions_are_no_sentences() {
        let text = "Here is how:\n1. Ask Dr. Watson about 3.5 pounds.\n2. Wait, e.g. for an hour.\n3. Eat.\n4. Rest.";
        let three =
            "Here is how:\n1. Ask Dr. Watson about 3.5 pounds.\n2. Wait, e.g. for an hour.\n3. Eat.\n";
        for size in [1, 9, 400] {
            assert_eq!(said(Some(LIMIT), "", text, size), (three.to_owned(), Some(AnswerStop::Long)));
        }
    }

    #[test]
    fn a_sentence_that_was_said_ends_the_answer_with_and_without_a_limit() {
        let once = "I hope that you feel better soon. You can always talk to me. ";
        for (limit, size) in [(Some(LIMIT), 1), (None, 1), (None, 400)] {
            let text = format!("{once}I hope you are feeling better soon. And so on.");
            assert_eq!(said(limit, "", &text, size), (once.to_owned(), Some(AnswerStop::Circles)));
        }
        let earlier = "Put it into cold water. Let it boil for nine minutes.";
        let (said, stop) = said(None, earlier, "Put it into the cold water. Cool it.", 5);
        assert_eq!((said.as_str(), stop), ("", Some(AnswerStop::Circles)), "what it goes on with counts");
    }

    proptest! {
        // Without a limit and without circles nothing is lost, however it comes in
        #[test]
        fn nothing_is_lost(text in "([a-z]{1,6}[.,!?]? ?\n?){0,30}", size in 1usize..20) {
            let (said, stop) = said(None, "", &text, size);
            prop_assert!(text.starts_with(&said));
            prop_assert!(stop.is_some() || !has_words(&text[said.len()..]), "{:?} of {:?}", said, text);
        }
    }
}
