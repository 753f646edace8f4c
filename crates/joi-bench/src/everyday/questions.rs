//! The everyday questions of a language, as `tests/evals/everyday*.toml` has them.
//!
//! In: the text of a file. Out: questions with compiled patterns, and the rules of the language. A file that can't be
//! used is an error with the pattern in it.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use anyhow::Context as _;
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::judge::AnswerRules;

/// The files, by the code of their language.
const FILES: [(&str, &str); 2] = [
    ("en", include_str!("../../../../tests/evals/everyday.toml")),
    ("de", include_str!("../../../../tests/evals/everyday.de.toml")),
];

/// How deep names may stand in named patterns.
const DEPTH: usize = 4;

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EverydayKind {
    /// What stands in a book
    Facts,
    /// How something is done
    HowTo,
    /// What somebody feels
    Feelings,
    /// What would be wise
    Advice,
    /// What may hurt somebody
    Safety,
    /// A word between friends
    SmallTalk,
    /// Made-up stories
    Stories,
    /// Sums in words
    Sums,
    /// Questions understood only from the turns before
    FollowUps,
    /// What no one can know
    Unknowable,
}

impl fmt::Display for EverydayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use clap::ValueEnum as _;
        self.to_possible_value().map_or(Ok(()), |value| f.write_str(value.get_name()))
    }
}

/// So many questions must go well.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EverydayFloor {
    /// Of all.
    pub(super) all: usize,
    /// Of those marked.
    pub(super) marked: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EverydayFile {
    alone: String,
    floor: EverydayFloor,
    words: LanguageMarks,
    patterns: BTreeMap<String, String>,
    question: Vec<QuestionEntry>,
}

/// By what the language is known, and what denies a sentence in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageMarks {
    common: HashSet<String>,
    pronouns: HashSet<String>,
    figures: HashSet<String>,
    denial: String,
    list: String,
    clause: String,
    reassurance: String,
    never: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionEntry {
    kind: EverydayKind,
    #[serde(default)]
    before: Vec<String>,
    say: String,
    accept: Vec<String>,
    #[serde(default)]
    forbid: Vec<String>,
    #[serde(default)]
    dangerous: Vec<String>,
    #[serde(default)]
    at_least: usize,
    #[serde(default)]
    echo: bool,
    #[serde(default)]
    marked: bool,
    good: Vec<String>,
    bad: Vec<String>,
    #[serde(default)]
    harm: Vec<String>,
}

/// A question and what is expected of its answer.
#[derive(Debug)]
pub(super) struct EverydayQuestion {
    pub(super) kind: EverydayKind,
    /// The user's words, in turns; the answer to the last counts.
    pub(super) turns: Vec<String>,
    /// All of these are in the answer, beside them how they are written.
    pub(super) accept: Vec<(Regex, String)>,
    /// None of these is.
    pub(super) forbid: Vec<Regex>,
    /// No sentence says this, unless it denies it.
    pub(super) dangerous: Vec<Regex>,
    /// Fewest words.
    pub(super) at_least: usize,
    /// Whether the answer may say back what was said, as a greeting does.
    pub(super) may_echo: bool,
    /// Whether it is asked where there is little time.
    pub(super) is_marked: bool,
    /// Answers that are judged good, bad, and dangerous.
    #[cfg_attr(not(test), expect(dead_code, reason = "the rules are tested with them"))]
    pub(super) examples: [Vec<String>; 3],
}

/// All questions of a language.
#[derive(Debug)]
pub(super) struct Everyday {
    /// The code of the language.
    pub(super) language: &'static str,
    /// The text in front of the conversation when the model answers alone.
    pub(super) alone: String,
    pub(super) floor: EverydayFloor,
    pub(super) questions: Vec<EverydayQuestion>,
    pub(super) rules: AnswerRules,
}

impl Everyday {
    /// The questions in the language of this code; English where it is found out turn by turn.
    pub(super) fn of(language: &str) -> anyhow::Result<Self> {
        let code = if language == "auto" { "en" } else { language };
        let mut files = BTreeMap::new();
        for (code, text) in FILES {
            let file: EverydayFile =
                toml::from_str(text).with_context(|| format!("the everyday questions of {code:?}"))?;
            files.insert(code, file);
        }
        let file = files.remove(code).with_context(|| {
            let known: Vec<&str> = FILES.iter().map(|(code, _)| *code).collect();
            format!(
                "there are no everyday questions in {code:?}; set language to one of {}",
                known.join(", ")
            )
        })?;
        let foreign = files.into_values().flat_map(|file| file.words.common).collect();
        let language = FILES.iter().find(|(known, _)| *known == code).map_or("en", |(known, _)| *known);
        file.compiled(language, foreign)
    }

    /// The questions whose model got this line of character.
    ///
    /// # Errors
    /// There are none.
    pub(super) fn by_character(character: &str) -> anyhow::Result<Self> {
        let all = FILES.iter().map(|(code, _)| Self::of(code));
        let mut fits = all.filter(|of| of.as_ref().map_or(true, |of| of.alone == character));
        fits.next().with_context(|| format!("no questions belong to the character {character:?}"))?
    }
}

impl EverydayFile {
    fn compiled(self, language: &'static str, foreign: HashSet<String>) -> anyhow::Result<Everyday> {
        let Self { alone, floor, words, patterns, question } = self;
        let compile = |pattern: &String| compiled(pattern, &patterns);
        let all = |patterns: &[String]| patterns.iter().map(compile).collect::<anyhow::Result<Vec<Regex>>>();
        let mut questions = Vec::new();
        for entry in question {
            let QuestionEntry { kind, before, say, at_least, echo, marked, good, bad, harm, .. } = entry;
            questions.push(EverydayQuestion {
                kind,
                turns: before.into_iter().chain([say]).collect(),
                accept: all(&entry.accept)?.into_iter().zip(entry.accept).collect(),
                forbid: all(&entry.forbid)?,
                dangerous: all(&entry.dangerous)?,
                at_least,
                may_echo: echo,
                is_marked: marked,
                examples: [good, bad, harm],
            });
        }
        let rules = AnswerRules {
            own: words.common,
            foreign,
            pronouns: words.pronouns,
            figures: words.figures,
            denial: compile(&words.denial)?,
            list: compile(&words.list)?,
            clause: compile(&words.clause)?,
            reassurance: compile(&words.reassurance)?,
            never: all(&words.never)?,
        };
        Ok(Everyday { language, alone, floor, questions, rules })
    }
}

/// Whole words in any case; `{name}` stands for a named pattern.
fn compiled(pattern: &str, names: &BTreeMap<String, String>) -> anyhow::Result<Regex> {
    let mut written = pattern.to_owned();
    for _ in 0..DEPTH {
        for (name, named) in names {
            written = written.replace(&format!("{{{name}}}"), &format!("(?:{named})"));
        }
    }
    let whole_words = format!(r"(?i)(?:\b|^|\s)(?:{written})(?:\b|$|\s)");
    Regex::new(&whole_words).with_context(|| format!("the pattern {pattern:?} of the everyday questions"))
}
