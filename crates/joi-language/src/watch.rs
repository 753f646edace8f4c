//! Words with which the house is watched, in one language: `watch.toml`.
//!
//! In: the file's text. Out: frames of a request ("let me know when …"), phrasings of conditions ("{thing} opens"), of
//! questions about watches and of their end. It refuses a file in which something is missing. Pure: no I/O, no clock.

use serde::Deserialize;

use super::house::ThingKind;

/// The words.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct WatchWords {
    pub frame: WatchFrames,
    pub who: WatchSubjects,
    pub condition: Vec<ConditionPhrasings>,
    pub orders: WatchOrders,
}

/// What stands around a condition; what each is for is said in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct WatchFrames {
    pub fillers: Vec<String>,
    pub before: Vec<String>,
    pub behind: Vec<String>,
    pub then: Vec<String>,
    pub tell: Vec<String>,
    /// With these in front of a state it is asked about now.
    #[serde(default)]
    pub asks: Vec<String>,
    pub when: Vec<String>,
    pub whenever: Vec<String>,
    /// Beside words that notify: every time.
    pub always: Vec<String>,
    pub until: Vec<String>,
    /// In front of a length: no longer than that from now on.
    pub within: Vec<String>,
    pub today: Vec<String>,
    /// In front of a length: the condition lasts as long.
    pub lasting: Vec<String>,
    #[serde(default)]
    pub lasting_behind: Vec<String>,
    /// Words that no condition holds.
    pub never: Vec<String>,
    /// Ends of a word that are a word of their own: "the machine's done".
    #[serde(default)]
    pub is_short: Vec<String>,
    /// That word.
    #[serde(default)]
    pub is_full: String,
    /// The sign in front of a number below zero, as a word.
    pub minus: String,
}

/// Subjects that are no names.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct WatchSubjects {
    pub somebody: Vec<String>,
    pub everybody: Vec<String>,
    pub nobody: Vec<String>,
    /// The speaker.
    pub me: Vec<String>,
    /// One of several things, whichever.
    pub any: Vec<String>,
}

/// Phrasings of one condition.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ConditionPhrasings {
    pub becomes: Becomes,
    /// Something that happens; else it is a state, which may be asked about as well.
    #[serde(default)]
    pub event: bool,
    /// It may be said of anything: where nothing in the house is called so, it is not about the house.
    #[serde(default)]
    pub weak: bool,
    /// The kind of thing that is meant where none is named.
    pub kind: Option<ThingKind>,
    /// The number that is meant.
    pub value: Option<f64>,
    /// The number is below zero.
    #[serde(default)]
    pub negative: bool,
    /// The unit that was said, as servers write it.
    pub unit: Option<String>,
    /// Names of the thing that is meant where none is named.
    #[serde(default)]
    pub implied: Vec<String>,
    pub say: Vec<String>,
}

/// What a condition says of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the variants are the values of the file: docs/user/languages.md")]
pub enum Becomes {
    On,
    Off,
    Open,
    Closed,
    Locked,
    Unlocked,
    /// A machine has finished.
    Done,
    Rings,
    Home,
    Away,
    Below,
    Above,
    Sunset,
    Sunrise,
}

/// Phrasings of what is asked and ordered about watches.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct WatchOrders {
    pub list: Vec<String>,
    pub stop: Vec<String>,
    /// In front of a condition: it is not watched for any more.
    pub stop_telling: Vec<String>,
    pub stop_all: Vec<String>,
}

impl WatchWords {
    /// Reads the file.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.to_string())
    }
}
