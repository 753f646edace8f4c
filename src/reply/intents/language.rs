//! One language's quick commands, as its file in `assets/intents` describes them.
//!
//! PURE, read once. In: the file's text. Out: templates ready to match, number words, polite words. A file
//! that can't be read is an error that says where; a test reads all of them. What a template may hold is
//! described at the head of `assets/intents/en.toml`.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::home::HomeWords;
use super::machine::{Index, Program, Vocabulary};
use super::mood::MoodWords;
use super::near::{NearRules, Words};
use super::numbers::Numbers;
use super::template;

/// A language, ready to match.
pub(super) struct Language {
    pub(super) manners: Manners,
    pub(super) numbers: Numbers,
    pub(super) lexicons: HashMap<String, Lexicon>,
    pub(super) clock: Vec<ClockForm>,
    pub(super) vocabulary: Vocabulary,
    /// All templates of all intents, in the order of the file.
    pub(super) templates: Vec<Template>,
    pub(super) index: Index,
    /// Words that are in no name.
    pub(super) barred: Vec<String>,
    /// Words of the speaker and what they are to the listener: "my", "your".
    pub(super) turned: HashMap<String, String>,
    /// Words by which a speaker means himself.
    pub(super) speaker: Vec<String>,
    /// Words that make a wish of what follows: "always".
    pub(super) ever: Vec<String>,
    /// Words of the speaker, one or two, and what they are when he is told of himself.
    pub(super) told: HashMap<String, String>,
    pub(super) mood: MoodWords,
    /// All words that commands are made of, for those that were heard almost right.
    pub(super) words: Words,
    /// What is said about a home.
    pub(super) home: HomeWords,
}

/// One way to say something.
pub(super) struct Template {
    /// What is said.
    pub(super) intent: String,
    pub(super) group: Group,
    /// As it stands in the file.
    pub(super) text: String,
    pub(super) program: Program,
}

/// What a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// A command, at any time.
    Command,
    /// An answer, when something was asked.
    Answer,
}

/// Phrases with a value each.
pub(super) struct Lexicon {
    /// Words and value, longer ones first.
    pub(super) phrases: Vec<(Vec<String>, String)>,
}

/// One way to say a time of day.
pub(super) struct ClockForm {
    pub(super) program: Program,
    /// Minutes to add to what was said.
    pub(super) shift: i16,
    /// The minutes that were said are to be taken off.
    pub(super) is_before: bool,
    /// A time that needs no number, in minutes since midnight.
    pub(super) at: Option<u16>,
}

/// What surrounds a command, and how words are spelled.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manners {
    #[serde(deserialize_with = "phrases")]
    pub(super) names: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(super) before: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(super) before_longer: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(super) behind: Vec<Vec<String>>,
    #[serde(deserialize_with = "phrases")]
    pub(super) degrees: Vec<Vec<String>>,
    forms: HashMap<String, String>,
    endings: BTreeMap<String, String>,
    pairs: HashMap<String, String>,
    behind_digits: Vec<String>,
}

impl Manners {
    /// A contraction as it is written out.
    pub(super) fn written_out(&self, word: &str) -> Option<&str> {
        self.forms.get(word).map(String::as_str)
    }

    /// The stem of a contraction and its ending written out.
    pub(super) fn ending<'a>(&'a self, word: &'a str) -> Option<(&'a str, &'a str)> {
        self.endings
            .iter()
            .find_map(|(ending, full)| Some((word.strip_suffix(ending.as_str())?, full.as_str())))
    }

    /// Whether a word may stand in front of a command, so that it is no part of one.
    pub(super) fn is_lead(&self, word: &str) -> bool {
        let lists = self.names.iter().chain(&self.before).chain(&self.before_longer);
        lists.into_iter().any(|lead| lead.len() == 1 && lead[0] == word)
    }

    /// Two words that are one.
    pub(super) fn joined(&self, pair: &str) -> Option<&str> {
        self.pairs.get(pair).map(String::as_str)
    }

    /// Whether these letters behind digits are a word of their own: "7am", "10min".
    pub(super) fn splits_off(&self, letters: &str) -> bool {
        self.behind_digits.iter().any(|known| known == letters)
    }
}

fn phrases<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Vec<String>>, D::Error> {
    let lines = Vec::<String>::deserialize(from)?;
    Ok(lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}

/// The file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    manners: Manners,
    mood: MoodWords,
    near: NearRules,
    home: HomeWords,
    numbers: super::numbers::NumberWords,
    lexicon: HashMap<String, BTreeMap<String, String>>,
    clock: Vec<ClockRow>,
    rules: HashMap<String, String>,
    names: NameRow,
    intent: Vec<IntentRow>,
    answer: Vec<IntentRow>,
    /// For the ears, which read it themselves.
    #[serde(rename = "interjections")]
    _interjections: serde::de::IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockRow {
    say: String,
    #[serde(default)]
    shift: i16,
    #[serde(default)]
    before: bool,
    #[serde(default)]
    at: Option<u16>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameRow {
    barred: Vec<String>,
    turned: HashMap<String, String>,
    speaker: Vec<String>,
    ever: Vec<String>,
    told: HashMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IntentRow {
    name: String,
    say: Vec<String>,
}

impl Language {
    /// Reads a language's file.
    ///
    /// # Errors
    /// Where it can't be understood.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut vocabulary = Vocabulary::default();
        let mut compile = |text: &str| template::compile(text, &file.rules, &mut vocabulary);
        let mut clock = Vec::new();
        for row in &file.clock {
            let program = compile(&row.say)?;
            clock.push(ClockForm { program, shift: row.shift, is_before: row.before, at: row.at });
        }
        let mut templates = Vec::new();
        let commands = file.intent.iter().map(|row| (row, Group::Command));
        for (row, group) in commands.chain(file.answer.iter().map(|row| (row, Group::Answer))) {
            for text in &row.say {
                let program = compile(text).map_err(|error| format!("\"{text}\": {error}"))?;
                templates.push(Template { intent: row.name.clone(), group, text: text.clone(), program });
            }
        }
        let index = Index::of(templates.iter().map(|template| &template.program));
        let lexicons: HashMap<_, _> =
            file.lexicon.into_iter().map(|(name, rows)| (name, Lexicon::of(rows))).collect();
        let numbers = Numbers::of(file.numbers)?;
        let words = Words::of(file.near, &vocabulary, &numbers, &lexicons);
        Ok(Self {
            manners: file.manners,
            numbers,
            lexicons,
            clock,
            vocabulary,
            templates,
            index,
            barred: file.names.barred,
            turned: file.names.turned,
            speaker: file.names.speaker,
            ever: file.names.ever,
            told: file.names.told,
            mood: file.mood,
            words,
            home: file.home,
        })
    }
}

impl Lexicon {
    fn of(rows: BTreeMap<String, String>) -> Self {
        let words = |phrase: String| phrase.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut phrases: Vec<_> = rows.into_iter().map(|(phrase, value)| (words(phrase), value)).collect();
        phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        Self { phrases }
    }
}
