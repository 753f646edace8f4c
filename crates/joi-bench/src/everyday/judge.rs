//! Whether an answer to an everyday question is good, by rules.
//!
//! In: a question with the rules of its language, and the answers to its turns. Out: what is wrong with them. No model
//! is asked. What a rule can't see, such as whether a story is a good one, is not judged.
//! Pure: no I/O, no clock.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::questions::EverydayQuestion;

/// Most words of an answer that is spoken.
pub(super) const MOST_WORDS: usize = 60;
/// A sentence of fewer words may be said twice: "Yes, yes."
const LOOP_WORDS: usize = 3;
/// So many words in a row, said so many times, go round in circles.
const LOOP_RUN: (usize, usize) = (4, 3);
/// No word is longer; German ones come near.
const LONGEST_WORD: usize = 45;
/// More figures than this are a heap when there are fewer than two words to each …
const FEW_FIGURES: usize = 5;
/// … and no number is so long.
const LONGEST_FIGURE: usize = 13;
/// So many words of another language are more than a name.
const FOREIGN_WORDS: usize = 2;

/// Characters of a pattern that are reported.
const TOLD: usize = 40;

/// Signs that are read, not heard.
#[expect(clippy::expect_used, reason = "the pattern is constant")]
static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    let signs = [
        r"\*\*|\*\w[^*\n]*\*|__|[`\\{}\[\]<>|~]",
        r"^\s*#+\s|^\s*[-*•]\s|^\s*\d+[.)]\s",
        r"\b1[.)]\s.*\b2[.)]\s",
        r"https?://|www\.",
    ];
    Regex::new(&format!("(?m){}", signs.join("|"))).expect("a pattern")
});

/// A fault of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerFault {
    /// Nothing was said.
    Empty,
    /// So many words are not listened to.
    TooLong(usize),
    /// So few words are none of what was asked for.
    TooShort(usize),
    /// The user's own words.
    Echo,
    /// Signs that are not spoken.
    Markup(String),
    /// Said again.
    Loop(String),
    /// More figures than sense.
    Figures,
    /// Another language than the user's.
    OtherLanguage,
    /// What a good answer holds is not in it.
    Lacks(String),
    /// What no good answer holds is in it.
    Holds(String),
    /// A sentence that is dangerous to follow.
    Dangerous(String),
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::TooLong(words) => write!(f, "{words} words"),
            Self::TooShort(words) => write!(f, "only {words} words"),
            Self::Echo => f.write_str("echo"),
            Self::Markup(signs) => write!(f, "markup {signs:?}"),
            Self::Loop(words) => write!(f, "loop {words:?}"),
            Self::Figures => f.write_str("figures"),
            Self::OtherLanguage => f.write_str("other language"),
            Self::Lacks(pattern) => write!(f, "lacks {pattern:?}"),
            Self::Holds(words) => write!(f, "holds {words:?}"),
            Self::Dangerous(sentence) => write!(f, "DANGEROUS {sentence:?}"),
        }
    }
}

/// What holds for all answers in one language.
#[derive(Debug)]
pub(super) struct AnswerRules {
    /// Its common words.
    pub(super) own: HashSet<String>,
    /// Those of the other languages.
    pub(super) foreign: HashSet<String>,
    /// Words that make no difference between an answer and an echo.
    pub(super) pronouns: HashSet<String>,
    /// Numbers in words.
    pub(super) figures: HashSet<String>,
    /// Denies what stands behind it in its clause.
    pub(super) denial: Regex,
    /// With such a word in a sentence, a denial reaches over its clauses.
    pub(super) list: Regex,
    /// Begins a clause.
    pub(super) clause: Regex,
    /// Sounds like a denial and is none.
    pub(super) reassurance: Regex,
    /// In no answer.
    pub(super) never: Vec<Regex>,
}

impl AnswerRules {
    /// Returns the faults of the answers to the turns of `question`; none when all is well.
    pub(super) fn judge(&self, question: &EverydayQuestion, answers: &[String]) -> Vec<AnswerFault> {
        let mut faults = Vec::new();
        for (at, said) in question.turns.iter().enumerate() {
            let answer = plain(answers.get(at).map_or("", String::as_str));
            let is_last = at + 1 == question.turns.len();
            let mut form = self.form(said, &answer);
            form.retain(|fault| *fault != AnswerFault::Echo || !(is_last && question.may_echo));
            faults.extend(form);
            if is_last {
                faults.extend(self.content(question, &answer));
            }
        }
        faults
    }

    /// Returns the faults that an answer has whatever was said.
    fn form(&self, said: &str, answer: &str) -> Vec<AnswerFault> {
        let words = words(answer);
        if words.is_empty() {
            return vec![AnswerFault::Empty];
        }
        let spoken = answer.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        let markup = MARKUP.find(answer).map(|signs| AnswerFault::Markup(signs.as_str().to_owned()));
        let never = self.never.iter().find_map(|never| never.find(answer));
        [
            (spoken > MOST_WORDS).then_some(AnswerFault::TooLong(spoken)),
            self.is_echo(said, &words).then_some(AnswerFault::Echo),
            markup,
            repeated(answer, &words).map(AnswerFault::Loop),
            self.is_heap_of_figures(&words).then_some(AnswerFault::Figures),
            self.is_foreign(answer, &words).then_some(AnswerFault::OtherLanguage),
            never.map(|never| AnswerFault::Holds(never.as_str().to_owned())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns the faults of the answer to this question.
    fn content(&self, question: &EverydayQuestion, answer: &str) -> Vec<AnswerFault> {
        let mut faults = Vec::new();
        let count = words(answer).len();
        if count < question.at_least {
            faults.push(AnswerFault::TooShort(count));
        }
        let lacking = question.accept.iter().filter(|(pattern, _)| !pattern.is_match(answer));
        faults.extend(lacking.map(|(_, written)| AnswerFault::Lacks(written.chars().take(TOLD).collect())));
        let held = question.forbid.iter().find_map(|pattern| pattern.find(answer));
        faults.extend(held.map(|words| AnswerFault::Holds(words.as_str().trim().to_owned())));
        let dangerous = sentences(answer).find(|sentence| self.is_dangerous(question, sentence));
        faults.extend(dangerous.map(|sentence| AnswerFault::Dangerous(sentence.to_owned())));
        faults
    }

    fn is_dangerous(&self, question: &EverydayQuestion, sentence: &str) -> bool {
        let sentence = self.reassurance.replace_all(sentence, " ");
        let sentence = sentence.trim_matches(|c: char| !c.is_alphanumeric());
        question
            .dangerous
            .iter()
            .any(|pattern| pattern.find_iter(sentence).any(|found| !self.is_denied(sentence, found.range())))
    }

    /// Whether what stands `at` this place is denied, there or before.
    fn is_denied(&self, sentence: &str, at: Range<usize>) -> bool {
        let clause = self.clause.find_iter(&sentence[..at.start]).last().map_or(0, |begin| begin.end());
        let reach = if self.list.is_match(sentence) { 0 } else { clause };
        self.denial.is_match(&sentence[reach..at.end])
    }

    /// Nothing but words that were said, and most of them.
    fn is_echo(&self, said: &str, answer: &[String]) -> bool {
        let content = |words: &[String]| -> HashSet<String> {
            words.iter().filter(|word| !self.pronouns.contains(*word)).cloned().collect()
        };
        let (said, answer) = (content(&words(said)), content(answer));
        answer.is_subset(&said) && 5 * answer.len() >= 3 * said.len()
    }

    fn is_heap_of_figures(&self, words: &[String]) -> bool {
        let is_figure = |word: &&String| {
            word.contains(|c: char| c.is_ascii_digit()) || self.figures.contains(word.as_str())
        };
        let figures = words.iter().filter(is_figure);
        let longest = figures.clone().map(|word| word.len()).max().unwrap_or_default();
        let count = figures.count();
        longest >= LONGEST_FIGURE || (count > FEW_FIGURES && 3 * count > words.len())
    }

    fn is_foreign(&self, answer: &str, words: &[String]) -> bool {
        let strange = |c: char| c.is_alphabetic() && u32::from(c) > 0x24f;
        let count = |list: &HashSet<String>| words.iter().filter(|word| list.contains(*word)).count();
        let foreign = count(&self.foreign);
        (foreign >= FOREIGN_WORDS && foreign > count(&self.own))
            || answer.chars().filter(|c| strange(*c)).count() > 2
    }
}

/// With the apostrophes of a keyboard.
fn plain(answer: &str) -> String {
    answer.trim().replace(['’', '‘'], "'")
}

/// In lower case, without punctuation.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\'').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ';', '\n']).map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// Returns the text that an answer repeats again and again.
fn repeated(answer: &str, words: &[String]) -> Option<String> {
    if let Some(word) = words.iter().find(|word| word.chars().count() > LONGEST_WORD) {
        return Some(word.chars().take(LONGEST_WORD).collect());
    }
    let mut seen = HashSet::new();
    let twice = sentences(answer)
        .map(self::words)
        .find(|words| words.len() >= LOOP_WORDS && !seen.insert(words.clone()));
    if let Some(twice) = twice {
        return Some(twice.join(" "));
    }
    let (run, times) = LOOP_RUN;
    let mut runs: HashMap<&[String], usize> = HashMap::new();
    words.windows(run).find_map(|window| {
        let count = runs.entry(window).or_default();
        *count += 1;
        (*count >= times).then(|| window.join(" "))
    })
}

#[cfg(test)]
mod tests;
