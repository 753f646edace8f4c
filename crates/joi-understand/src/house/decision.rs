//! The decision about an utterance: commands, a question back, a refusal, or an answer.
//!
//! Pure: no I/O, no clock.

use joi_home::house::{Caution, ItemCommand, ItemState, Ordered};
use joi_language::HouseSentences;
use joi_language::house::HouseAsked;

/// The decision about an utterance.
#[derive(Debug, Clone, PartialEq)]
pub enum HouseDecision {
    /// Send these at once.
    Send(PlannedBatch),
    /// Ask first, and send these after a yes.
    AskFirst(PlannedBatch),
    /// Ask which of these is meant.
    Which(Vec<NamedThing>),
    /// Ask in which room it is.
    Where(Vec<NamedThing>),
    /// Nothing is done, for this reason.
    Refused(HouseRefusal),
    /// The answer to a question.
    Told(HouseAnswer),
}

impl HouseDecision {
    /// Returns whether a thing was looked for in vain.
    pub(super) fn finds_nothing(&self) -> bool {
        matches!(self, Self::Refused(HouseRefusal::NoSuch(_)))
    }
}

/// A checked command.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCommand {
    /// The command as it goes to the server.
    pub ordered: Ordered,
    /// The command as it was understood.
    pub command: ItemCommand,
    /// The name of the thing, as the user calls it.
    pub title: String,
    /// The value in use, where a value out of range was said of several things.
    pub clamped: Option<f64>,
}

/// Commands that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlannedBatch {
    /// The commands, in the order in which they are sent.
    pub commands: Vec<PlannedCommand>,
    /// Things that were meant as well, and can only be read.
    pub left_out: Vec<NamedThing>,
    /// The answer once all of them are confirmed, where the sentence that was recognised has one of its own.
    pub answer: Option<String>,
}

/// A thing by the server's name and by the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedThing {
    pub(crate) name: String,
    pub(crate) title: String,
}

/// The reason why nothing is done.
#[derive(Debug, Clone, PartialEq)]
pub enum HouseRefusal {
    /// The house has no such thing; the words of the user.
    NoSuch(String),
    /// The same, as a sentence of the templates that were asked.
    Missing(String),
    /// The owner does not permit it.
    NotPermitted(NamedThing),
    /// The thing can only be read.
    ReadOnly(NamedThing),
    /// The thing has no item that takes such a command.
    Cannot(NamedThing),
    /// The current value is unknown, so that it cannot be raised or lowered.
    NoValue(NamedThing),
    /// The time is not a single moment.
    Later,
    /// The command needs a yes, and nobody can give one at a later time.
    NobodyThere,
    /// No item of the house names that moment, or it has passed.
    NoMoment,
    /// The last command cannot be undone.
    NotBack,
    /// The value is out of range.
    OutOfRange {
        /// The thing.
        thing: NamedThing,
        /// The allowed value that is nearest.
        nearest: f64,
    },
}

/// The answer to a question about the house.
#[derive(Debug, Clone, PartialEq)]
pub enum HouseAnswer {
    /// A yes or no about one thing, or about several that agree.
    Is {
        /// The question.
        asked: HouseAsked,
        /// The answer.
        yes: bool,
        /// The things it holds for.
        things: Vec<NamedThing>,
    },
    /// Things whose state is unknown.
    Unknown(Vec<NamedThing>),
    /// A yes about some of several things.
    Some {
        /// The question.
        asked: HouseAsked,
        /// Things with a yes.
        those: Vec<NamedThing>,
        /// Things with a no.
        others: Vec<NamedThing>,
        /// Things whose state is unknown.
        unknown: Vec<NamedThing>,
    },
    /// The things that a question asks for.
    List {
        /// The question.
        asked: HouseAsked,
        /// Their number is asked for.
        counted: bool,
        /// The things.
        those: Vec<NamedThing>,
        /// Things whose state is unknown.
        unknown: Vec<NamedThing>,
    },
    /// The value of a thing.
    Value {
        /// The thing.
        thing: NamedThing,
        /// Its state.
        state: ItemState,
        /// The state in the words of its options or its format.
        shown: String,
    },
}

impl PlannedCommand {
    /// Returns whether the user must say yes first.
    pub(crate) fn needs_yes(&self) -> bool {
        self.ordered.caution != Caution::None
    }
}

/// Returns the state of the things that are not as was asked.
pub(super) fn otherwise(asked: HouseAsked, say: &HouseSentences) -> &str {
    match asked {
        HouseAsked::Off | HouseAsked::WhichOff => &say.is_on,
        HouseAsked::On | HouseAsked::WhichOn => &say.is_off,
        HouseAsked::Closed | HouseAsked::WhichClosed => &say.is_open,
        HouseAsked::Open | HouseAsked::WhichOpen | HouseAsked::AnyOpen => &say.is_closed,
        HouseAsked::Locked | HouseAsked::WhichLocked => &say.is_unlocked,
        HouseAsked::Unlocked | HouseAsked::WhichUnlocked | HouseAsked::Value | HouseAsked::Target => {
            &say.is_locked
        }
        HouseAsked::AtHome | HouseAsked::WhoHome => &say.is_off,
    }
}
