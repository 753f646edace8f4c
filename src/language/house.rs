//! What is said to a connected house, and what is answered, in one language: `house.toml`.
//!
//! PURE, read once. In: the file's text, and the number words of `commands.toml`. Out: phrasings by deed and by
//! question, words of kinds, rooms and colours, sentences. It refuses a file in which something is missing.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

/// The words and sentences.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HouseWords {
    pub(crate) words: HousePhrases,
    /// By kind: names of one, names of several.
    pub(crate) kinds: BTreeMap<ThingKind, [Vec<String>; 2]>,
    pub(crate) rooms: RoomNames,
    pub(crate) follow: FollowPhrases,
    /// Hue and saturation.
    pub(crate) colours: HashMap<String, [f64; 2]>,
    pub(crate) deed: Vec<DeedPhrasings>,
    pub(crate) question: Vec<QuestionPhrasings>,
    pub(crate) say: HouseSentences,
    pub(crate) summary: SummaryWords,
    /// With their values.
    #[serde(skip)]
    pub(crate) numbers: HashMap<String, f64>,
}

/// Words that are neither names nor verbs; what each is for is said in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HousePhrases {
    pub(crate) skipped: Vec<String>,
    pub(crate) frames: Vec<String>,
    pub(crate) ends: Vec<String>,
    pub(crate) never: Vec<String>,
    pub(crate) asks: Vec<String>,
    pub(crate) all: Vec<String>,
    /// Whatever there is, which somebody has to be asked about.
    #[serde(default)]
    pub(crate) everything: Vec<String>,
    pub(crate) both: Vec<String>,
    pub(crate) and: Vec<String>,
    pub(crate) except: Vec<String>,
    pub(crate) here: Vec<String>,
    pub(crate) everywhere: Vec<String>,
    pub(crate) percent: Vec<String>,
    pub(crate) degrees: Vec<String>,
    pub(crate) joints: Vec<String>,
    pub(crate) half: Vec<String>,
    pub(crate) loose: Vec<String>,
    /// In place of the word for a thing: "the left one".
    #[serde(default)]
    pub(crate) stands: Vec<String>,
    /// Ends of a word that are a verb and tell something of the thing before a deed: "the lamp's on".
    #[serde(default)]
    pub(crate) told_by: Vec<String>,
}

/// Words that go on with what was said before.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FollowPhrases {
    /// Pronouns of what was spoken of last.
    pub(crate) it: Vec<String>,
    /// Take back what was done last.
    pub(crate) undo: Vec<String>,
    /// Times that are no moment of a clock.
    pub(crate) later: Vec<String>,
    /// In front of a length: it is for a while.
    pub(crate) lasting: Vec<String>,
    /// The same behind it.
    pub(crate) lasting_behind: Vec<String>,
    /// Behind one of these a number is a value, and no time.
    #[serde(default)]
    pub(crate) values: Vec<String>,
    /// Moments that items of the house tell.
    pub(crate) sunset: HouseMoment,
    pub(crate) sunrise: HouseMoment,
    /// In an answer to "which one", without meaning.
    pub(crate) fillers: Vec<String>,
    /// The first, the second, and so on.
    pub(crate) ordinals: Vec<Vec<String>>,
    pub(crate) last: Vec<String>,
}

/// A moment that an item tells.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HouseMoment {
    /// How it is said.
    pub(crate) say: Vec<String>,
    /// What is in the name of such an item, small letters.
    pub(crate) items: Vec<String>,
}

/// Names of rooms; several of one room stand together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoomNames {
    pub(crate) names: Vec<Vec<String>>,
}

/// Phrasings of one deed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeedPhrasings {
    pub(crate) does: HouseDeed,
    /// What is meant where no thing is named.
    pub(crate) kind: Option<ThingKind>,
    /// The number that is meant.
    pub(crate) value: Option<f64>,
    pub(crate) say: Vec<String>,
}

/// Phrasings of one question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionPhrasings {
    pub(crate) asks: HouseAsked,
    /// What is asked about.
    pub(crate) kind: Option<ThingKind>,
    pub(crate) say: Vec<String>,
}

/// How the house is told to the model, in few words.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummaryWords {
    /// Around all of it: {parts}.
    pub(crate) frame: String,
    /// Of {things} in each.
    pub(crate) alarm: String,
    pub(crate) present: String,
    pub(crate) nobody: String,
    pub(crate) somebody: String,
    pub(crate) open: String,
    pub(crate) unusual: String,
    pub(crate) weather: String,
    pub(crate) mentioned: String,
    /// A thing and its value.
    pub(crate) value: String,
    /// So many more.
    pub(crate) more: String,
}

/// Kinds of things that have words of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ThingKind {
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
    Temperature,
    Humidity,
    Volume,
    /// Known as a thing of a house, nothing else.
    Appliance,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HouseDeed {
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

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HouseAsked {
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
    /// Which are open, said of several without a name.
    AnyOpen,
    Value,
    /// What it is to become.
    Target,
}

/// What is said of the house.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HouseSentences {
    pub(crate) yes_on: String,
    pub(crate) yes_off: String,
    pub(crate) yes_open: String,
    pub(crate) yes_closed: String,
    pub(crate) yes_locked: String,
    pub(crate) yes_unlocked: String,
    pub(crate) no_on: String,
    pub(crate) no_off: String,
    pub(crate) no_open: String,
    pub(crate) no_closed: String,
    pub(crate) no_locked: String,
    pub(crate) no_unlocked: String,
    pub(crate) all_of_them: String,
    pub(crate) none_of_them: String,
    pub(crate) only_some: String,
    pub(crate) list: String,
    pub(crate) none: String,
    pub(crate) not_known_of: String,
    pub(crate) unknown: String,
    pub(crate) value: String,
    pub(crate) is_on: String,
    pub(crate) is_off: String,
    pub(crate) is_open: String,
    pub(crate) is_closed: String,
    pub(crate) percent: String,
    pub(crate) degrees: String,
    pub(crate) degrees_fahrenheit: String,
    pub(crate) and: String,
    pub(crate) or: String,
    pub(crate) in_room: String,
    pub(crate) decimal: String,
    pub(crate) which: String,
    pub(crate) which_room: String,
    pub(crate) no_such: String,
    pub(crate) not_permitted: String,
    pub(crate) read_only: String,
    pub(crate) cannot: String,
    pub(crate) out_of_range: String,
    pub(crate) sure_entrance: String,
    pub(crate) sure_valve: String,
    pub(crate) sure_alarm: String,
    pub(crate) sure_configured: String,
    pub(crate) and_more: String,
    pub(crate) done: String,
    pub(crate) done_on: String,
    pub(crate) done_off: String,
    pub(crate) underway: String,
    pub(crate) sent: String,
    /// Behind what is known of others.
    pub(crate) sent_too: String,
    pub(crate) not_confirmed: String,
    pub(crate) partly: String,
    pub(crate) outcome_unknown: String,
    pub(crate) not_sent: String,
    pub(crate) not_reached: String,
    /// Why, where it is known.
    pub(crate) starting: String,
    pub(crate) no_token: String,
    pub(crate) no_rights: String,
    pub(crate) wrong_address: String,
    pub(crate) too_old: String,
    /// Of several things, behind what was done.
    pub(crate) left_out: String,
    pub(crate) clamped: String,
    pub(crate) not_accepted: String,
    pub(crate) foreign_words: String,
    pub(crate) not_back: String,
    pub(crate) not_later: String,
    pub(crate) nobody_there: String,
    pub(crate) no_moment: String,
    pub(crate) later: String,
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
    /// Reads the file, and the number words of the language's commands.
    pub(crate) fn read(text: &str, commands: &str) -> Result<Self, String> {
        let mut words: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let file: CommandsFile = toml::from_str(commands).map_err(|error| error.to_string())?;
        words.numbers = file.numbers.values();
        Ok(words)
    }
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
