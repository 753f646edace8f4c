//! The grammar of a language's quick commands, as `commands.toml` describes it.
//!
//! In: the file's text, and names. Out: templates ready to match, number words, polite words. A file that can't be
//! used is an error that says where. What a template may hold is described at the head of
//! `assets/language/en/commands.toml`. Pure: no I/O, no clock.

pub mod disfluency;
pub mod lifted;
pub mod machine;
mod manners;
pub mod numbers;
mod phrases;
mod program;
pub mod slots;
pub(crate) mod template;
mod time_forms;
pub mod words;

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::likeness::{KnownWords, NearRules};
use super::mood::MoodWords;
use super::names::{self, Names};
pub(crate) use manners::Manners;
use numbers::Numbers;
pub(crate) use phrases::ClockForm;
pub use phrases::{Lexicon, Template, TemplateGroup};
use program::Index;
pub(crate) use program::WordNumbers;

/// What a command may be called in a file; `volume` and a number sets it to so many percent.
const COMMANDS: &[&str] = &[
    "time",
    "date",
    "date of",
    "good morning",
    "good afternoon",
    "good evening",
    "stop",
    "repeat",
    "volume up",
    "volume down",
    "volume set",
    "volume raise",
    "volume lower",
    "thanks",
    "coin",
    "die",
    "abilities",
    "nature",
    "hears",
    "home again",
    "never mind",
    "cancel that",
    "undo",
    "goodbye",
    "good night",
    "not now",
    "quiet until tomorrow",
    "going to sleep",
    "quiet over",
    "quiet while",
    "heard it",
    "seen it",
    "timer set",
    "alarm set",
    "reminder set",
    "repeat cannot",
    "time none",
    "time over",
    "wake me",
    "wake at",
    "timer left",
    "left",
    "list",
    "list reminders",
    "cancel all",
    "cancel",
    "cancel but",
    "cancel reminder",
    "skip",
    "cancel alarm",
    "add",
    "take off",
    "move",
    "move one",
    "move reminder",
    "pause all",
    "pause",
    "restart",
    "resume all",
    "resume",
    "snooze",
    "silence",
    "memory that",
    "memory what",
    "memory mine",
    "memory none",
    "memory ever",
    "memory wish",
    "memory whole wish",
    "memory whole fact",
    "memory forget",
    "memory replace",
    "memory forget all",
    "memory about me",
    "home on",
    "home off",
    "home up",
    "home down",
    "home open",
    "home close",
    "home lock",
    "home unlock",
    "home colour",
    "home percent",
    "home degrees",
    "home level",
];
/// What an answer may be called.
const ANSWERS: &[&str] = &[
    "yes",
    "clear yes",
    "no",
    "length",
    "moment",
    "all",
    "what",
    "which",
    "more",
    "moved",
    "later",
    "sooner",
    "skipped",
];

/// The grammar of one language, ready to match.
#[derive(Debug)]
pub struct Grammar {
    /// Words around commands, and spellings.
    pub manners: Manners,
    /// Number words.
    pub numbers: Numbers,
    /// Lexicons by the name of their slot.
    pub lexicons: HashMap<String, Lexicon>,
    pub(crate) clock: Vec<ClockForm>,
    pub(crate) times: time_forms::TimeForms,
    pub(crate) numbers_of: WordNumbers,
    /// All templates of all intents, in the order of the file.
    pub templates: Vec<Template>,
    pub(crate) index: Index,
    /// Words that are in no name.
    pub(crate) barred: Vec<String>,
    /// Words of the speaker and what they are to the listener: "my", "your".
    pub turned: HashMap<String, String>,
    /// Words by which a speaker means himself.
    pub speaker: Vec<String>,
    /// Verbs by which a thing has a place or a property: "the key hangs behind the door" is a fact.
    pub states: Vec<String>,
    /// Words that make a wish of what follows: "always".
    pub ever: Vec<String>,
    /// Words of the speaker, one or two, and the words for them said to the speaker: "my" and "your".
    pub told: HashMap<String, String>,
    /// Words that ask and forbid.
    pub mood: MoodWords,
    /// All words that commands are made of, for those that were heard almost right.
    pub known: KnownWords,
    /// Words for more than one thing.
    pub all: Vec<String>,
    /// How a question is asked once more of something else.
    pub carried: CarriedWords,
}

/// How a question is asked once more of another place, time or thing: "and in Tokyo?".
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CarriedWords {
    /// In front of it.
    pub before: Vec<String>,
    /// What the new part begins with; it takes the place of the part that begins so.
    pub joints: Vec<String>,
    /// Times that need no such word, each in the place of another.
    pub times: Vec<String>,
}

/// The file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrammarFile {
    manners: Manners,
    mood: MoodWords,
    near: NearRules,
    home: HomeRow,
    numbers: numbers::NumberWords,
    lexicon: HashMap<String, BTreeMap<String, String>>,
    clock: Vec<ClockRow>,
    rules: HashMap<String, String>,
    names: NameRow,
    intent: Vec<CommandRow>,
    answer: Vec<CommandRow>,
    /// Commands whose times may stand anywhere.
    #[serde(default)]
    frame: Vec<CommandRow>,
    #[serde(default)]
    times: time_forms::TimeRows,
    #[serde(default)]
    carried: CarriedWords,
    /// For the ears, which read it themselves.
    #[serde(rename = "interjections")]
    _interjections: serde::de::IgnoredAny,
    #[serde(rename = "figures", default)]
    _figures: serde::de::IgnoredAny,
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
    #[serde(default)]
    states: Vec<String>,
    ever: Vec<String>,
    told: HashMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HomeRow {
    all: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandRow {
    name: String,
    say: Vec<String>,
}

impl Grammar {
    /// Returns whether `text` may be a name: one to three words that mean nothing else and turn nothing round.
    pub fn is_name(&self, text: &str) -> bool {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let may_be = |word: &String| {
            self.may_be_in_name(word) && !self.speaker.contains(word) && !self.mood.turns(word)
        };
        (1..=slots::LONGEST_NAME).contains(&words.len()) && words.iter().all(may_be)
    }

    pub(crate) fn may_be_in_name(&self, word: &str) -> bool {
        let is_barred = self.barred.iter().any(|barred| barred == word);
        !is_barred && !self.manners.is_lead(word) && !self.numbers.knows(word)
    }

    /// Returns whether a word for a timer is in `text`.
    pub fn speaks_of_timer(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let lexicons = ["kind", "kinds"].into_iter().filter_map(|name| self.lexicons.get(name));
        let mut timers = lexicons.flat_map(|lexicon| &lexicon.phrases).filter(|(_, kind)| kind == "timer");
        timers.any(|(phrase, _)| lower.contains(&phrase.join(" ")))
    }

    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used: the key, the value, and what would do.
    pub(crate) fn read(text: &str, names: &Names) -> Result<Self, String> {
        let mut file: GrammarFile = toml::from_str(text).map_err(|error| error.to_string())?;
        known_names(&file)?;
        for (slot, rows) in names.rows() {
            file.lexicon.entry(slot.to_owned()).or_default().extend(rows);
        }
        let mut words = WordNumbers::default();
        let mut compile = |key: &str, text: &str| {
            template::compile(text, &file.rules, &mut words)
                .map_err(|error| format!("{key} is \"{text}\": {error}"))
        };
        let mut clock = Vec::new();
        for row in &file.clock {
            let program = compile("clock", &row.say)?;
            clock.push(ClockForm { program, shift: row.shift, is_before: row.before, at: row.at });
        }
        let mut templates = Vec::new();
        let groups = [
            (&file.intent, TemplateGroup::Command),
            (&file.answer, TemplateGroup::Answer),
            (&file.frame, TemplateGroup::Frame),
        ];
        for (row, group) in groups.iter().flat_map(|(rows, group)| rows.iter().map(move |row| (row, *group)))
        {
            for text in &row.say {
                let program = compile(&format!("\"{}\"", row.name), text)?;
                templates.push(Template { intent: row.name.clone(), group, text: text.clone(), program });
            }
        }
        let times = file.times.compiled(&mut compile)?;
        let index = Index::of(templates.iter().map(|template| &template.program));
        let lexicons: HashMap<_, _> =
            file.lexicon.into_iter().map(|(name, rows)| (name, Lexicon::of(rows))).collect();
        let numbers = Numbers::of(file.numbers)?;
        let known = KnownWords::of(file.near, &words, &numbers, &lexicons);
        Ok(Self {
            manners: file.manners,
            numbers,
            lexicons,
            clock,
            times,
            numbers_of: words,
            templates,
            index,
            barred: file.names.barred,
            turned: file.names.turned,
            speaker: file.names.speaker,
            states: file.names.states,
            ever: file.names.ever,
            told: file.names.told,
            mood: file.mood,
            known,
            all: file.home.all,
            carried: file.carried,
        })
    }
}

/// Whether commands, answers and the values of the lexicon are called what the program knows them by.
fn known_names(file: &GrammarFile) -> Result<(), String> {
    let is_percent = |name: &str| {
        name.strip_prefix("volume ").is_some_and(|percent| percent.parse::<u8>().is_ok_and(|n| n <= 100))
    };
    // So many days from today.
    let is_day = |name: &str| {
        name.strip_prefix("date ").is_some_and(|days| days.parse::<i64>().is_ok_and(|n| n.abs() <= 7))
    };
    for (key, rows, known) in [
        ("intent", &file.intent, COMMANDS),
        ("frame", &file.frame, COMMANDS),
        ("answer", &file.answer, ANSWERS),
    ] {
        let is_known =
            |name: &str| known.contains(&name) || (key == "intent" && (is_percent(name) || is_day(name)));
        if let Some(row) = rows.iter().find(|row| !is_known(&row.name)) {
            return Err(format!("{key}.name is \"{}\"; allowed: {}", row.name, known.join(", ")));
        }
    }
    for (slot, rows) in &file.lexicon {
        for (phrase, value) in rows {
            names::usable(slot, value).map_err(|allowed| {
                format!("lexicon.{slot}.\"{phrase}\" is \"{value}\"; allowed: {allowed}")
            })?;
        }
    }
    Ok(())
}
