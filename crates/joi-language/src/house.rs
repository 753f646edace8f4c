//! Words and sentences about a connected house, in one language: `house.toml`.
//!
//! In: the file's text, and the number words of `commands.toml`. Out: phrasings by deed and by question, words of
//! kinds, rooms and colours, sentences. It refuses a file in which something is missing. Pure: no I/O, no clock.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::fill::{capital, fill};
use super::placeholders;
use super::sentences::{HouseSentences, SummaryWords};

/// The words and sentences.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct HouseWords {
    #[serde(default)]
    pub words: HousePhrases,
    /// By kind: names of one, names of several.
    #[serde(default)]
    pub kinds: BTreeMap<ThingKind, [Vec<String>; 2]>,
    #[serde(default)]
    pub rooms: RoomNames,
    #[serde(default)]
    pub follow: FollowPhrases,
    /// Hue and saturation.
    #[serde(default)]
    pub colours: HashMap<String, [f64; 2]>,
    /// Where there are none, sentence templates alone understand commands.
    #[serde(default)]
    pub deed: Vec<DeedPhrasings>,
    #[serde(default)]
    pub question: Vec<QuestionPhrasings>,
    pub say: HouseSentences,
    pub summary: SummaryWords,
    /// With their values.
    #[serde(skip)]
    pub numbers: HashMap<String, f64>,
}

/// Words that are neither names nor verbs; what each is for is said in the file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct HousePhrases {
    pub skipped: Vec<String>,
    pub frames: Vec<String>,
    pub ends: Vec<String>,
    pub never: Vec<String>,
    pub asks: Vec<String>,
    pub all: Vec<String>,
    /// Whatever there is, which somebody has to be asked about.
    pub everything: Vec<String>,
    pub both: Vec<String>,
    pub and: Vec<String>,
    pub except: Vec<String>,
    pub here: Vec<String>,
    pub everywhere: Vec<String>,
    pub percent: Vec<String>,
    pub degrees: Vec<String>,
    /// Degrees of the other scale.
    pub fahrenheit: Vec<String>,
    /// Words with which only a command begins: behind "and" they begin another one.
    pub verbs: Vec<String>,
    /// What asks for a number of things.
    pub count: Vec<String>,
    pub joints: Vec<String>,
    pub half: Vec<String>,
    pub loose: Vec<String>,
    /// In place of the word for a thing: "the left one".
    pub stands: Vec<String>,
    /// Ends of a word that are a verb and state something of the thing: "the lamp's on".
    pub told_by: Vec<String>,
    /// What begins a remark behind a command that is a sentence of its own: "it's".
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// Words that go on with what was said before.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct FollowPhrases {
    /// Pronouns of what was spoken of last.
    pub it: Vec<String>,
    /// Words that point at it, where nothing else gives them a meaning: "turn those off".
    pub pointing: Vec<String>,
    /// Other words for a whole request, and what stands for them: "not so bright", "darker".
    pub same: Vec<(String, String)>,
    /// Take back what was done last.
    pub undo: Vec<String>,
    /// Times that are no moment of a clock.
    pub later: Vec<String>,
    /// In front of a length: it is for a while.
    pub lasting: Vec<String>,
    /// The same behind it.
    pub lasting_behind: Vec<String>,
    /// Behind one of these a number is a value, and no time.
    pub values: Vec<String>,
    /// Moments whose times are states of items of the house.
    pub sunset: HouseMoment,
    pub sunrise: HouseMoment,
    /// Of another thing the same as of the last one.
    pub likewise: LikewisePhrases,
    /// In an answer to "which one", without meaning.
    pub fillers: Vec<String>,
    /// The first, the second, and so on.
    pub ordinals: Vec<Vec<String>>,
    pub last: Vec<String>,
}

/// How the same is wanted of another thing as of the last one: "the bedroom too".
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LikewisePhrases {
    /// In front of the thing.
    pub before: Vec<String>,
    /// Behind it.
    pub behind: Vec<String>,
    /// The command with {thing}, by the text that a server got for the last one.
    pub again: BTreeMap<String, String>,
}

/// A moment whose time is the state of an item.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HouseMoment {
    /// How it is said.
    pub say: Vec<String>,
    /// Parts of the name of such an item, in small letters.
    pub items: Vec<String>,
}

/// Names of rooms; several of one room stand together.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct RoomNames {
    pub names: Vec<Vec<String>>,
    /// By classes of places: `Kitchen`. A house that is called by another language is understood by them.
    pub classes: BTreeMap<String, Vec<String>>,
}

/// Phrasings of one deed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct DeedPhrasings {
    pub does: HouseDeed,
    /// The kind of thing that is meant where none is named.
    pub kind: Option<ThingKind>,
    /// The number that is meant.
    pub value: Option<f64>,
    pub say: Vec<String>,
}

/// Phrasings of one question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct QuestionPhrasings {
    pub asks: HouseAsked,
    /// The kind of thing in question.
    pub kind: Option<ThingKind>,
    pub say: Vec<String>,
}

/// Kinds of things that have words of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the variants are the values of the file: docs/user/languages.md")]
pub enum ThingKind {
    Light,
    /// A light that stands or hangs; a light as well.
    Lamp,
    Blind,
    Heating,
    Door,
    Window,
    Lock,
    Valve,
    Alarm,
    Fan,
    Screen,
    Player,
    Scene,
    Vacuum,
    Temperature,
    Humidity,
    Volume,
    /// Somebody of the house, as far as it knows whether they are at home.
    Person,
    /// Known as a thing of a house, nothing else.
    Appliance,
}

/// A deed on a thing of the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the variants are the values of the file: docs/user/languages.md")]
pub enum HouseDeed {
    On,
    Off,
    Up,
    Down,
    /// A light of a warmer white, or a room.
    Warmer,
    Colder,
    WarmWhite,
    ColdWhite,
    Open,
    Close,
    Lock,
    Unlock,
    Stop,
    Play,
    Next,
    Previous,
    Percent,
    /// So many percent open.
    Opened,
    Degrees,
    /// Percent or degrees, by the thing.
    Level,
    Colour,
    /// One of the options of a thing.
    Option,
    /// An option of whatever has it.
    Scene,
}

/// A question about a thing of the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the variants are the values of the file: docs/user/languages.md")]
pub enum HouseAsked {
    On,
    Off,
    Open,
    Closed,
    Locked,
    Unlocked,
    WhichOn,
    WhichOff,
    WhichOpen,
    WhichClosed,
    WhichLocked,
    WhichUnlocked,
    /// Which are open, said of several without a name.
    AnyOpen,
    /// Whether somebody is at home.
    AtHome,
    /// Who is at home.
    WhoHome,
    Value,
    /// What it is to become.
    Target,
}

#[derive(Deserialize)]
struct CommandsFile {
    numbers: NumberNames,
}

#[derive(Deserialize)]
struct NumberNames {
    small: Vec<String>,
    tens: Vec<String>,
    hundred: String,
    #[serde(default)]
    ones_first: String,
    #[serde(default)]
    one_glued: String,
    #[serde(default)]
    also: HashMap<String, u32>,
}

impl HouseWords {
    /// Returns the sentence that a thing is on or off now: "Kitchen lights are on."
    pub fn switched(&self, thing: &str, is_on: bool) -> String {
        let [one, several] = if is_on { &self.say.done_on } else { &self.say.done_off };
        let sentence = if self.is_several(thing) { several } else { one };
        capital(&fill(sentence, &[("thing", thing)]))
    }

    /// Returns whether a name is that of several things: it ends in the word for several of a kind.
    fn is_several(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let ends_in = |number: usize| {
            self.kinds.values().flat_map(|kind| &kind[number]).any(|word| name.ends_with(word.as_str()))
        };
        ends_in(1) && !ends_in(0)
    }

    /// Reads the file, and the number words of the language's commands.
    pub fn read(text: &str, commands: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        placeholders::check(
            table.iter().filter(|(section, _)| ["say", "summary"].contains(&section.as_str())),
        )?;
        let mut words: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        words.numbers = number_words(commands)?;
        Ok(words)
    }
}

/// Returns the numbers up to a hundred in words, by the commands of a language.
pub(super) fn number_words(commands: &str) -> Result<HashMap<String, f64>, String> {
    let file: CommandsFile = toml::from_str(commands).map_err(|error| error.to_string())?;
    Ok(file.numbers.values())
}

impl NumberNames {
    fn values(&self) -> HashMap<String, f64> {
        let mut values: HashMap<String, f64> = HashMap::from([(self.hundred.clone(), 100.0)]);
        values.extend(
            self.also.iter().map(|(word, thousandths)| (word.clone(), f64::from(*thousandths) / 1000.0)),
        );
        let mut value = 0.0;
        for word in &self.small {
            values.insert(word.clone(), value);
            value += 1.0;
        }
        let mut ten = 20.0;
        for word in &self.tens {
            values.insert(word.clone(), ten);
            let mut one = 1.0;
            for small in self.small.iter().skip(1).take(9) {
                if self.ones_first.is_empty() {
                    values.insert(format!("{word} {small}"), ten + one);
                    values.insert(format!("{word}-{small}"), ten + one);
                } else {
                    let small = if one == 1.0 { &self.one_glued } else { small };
                    values.insert(format!("{small}{}{word}", self.ones_first), ten + one);
                }
                one += 1.0;
            }
            ten += 10.0;
        }
        values
    }
}
