//! What is said to a connected house: commands, questions about its state, and what comes of them.
//!
//! PURE, any thread. In: an utterance, a snapshot of the house, the words of the language, the room of the device. Out:
//! a [`HouseDecision`]: commands that passed [`House::order`], a question back, a refusal, or an answer; nothing when the
//! utterance is not about the house. A question never acts, and neither does what is negated or told.

mod ask;
mod deed;
pub mod follow;
mod forbidden;
pub mod later;
mod lexicon;
mod measured;
pub(crate) mod names;
pub mod near;
mod order;
mod phrasing;
pub mod say;
mod spoken;
mod target;
#[cfg(test)]
mod tests;
mod things;
pub mod unreached;

use follow::FollowUp;
use forbidden::is_forbidden;
use joi_home::house::{Caution, House, ItemCommand, ItemState, Ordered};
use joi_language::Ear;
use joi_language::house::{HouseAsked, HouseDeed, HouseWords, ThingKind};
use lexicon::{HouseLexicon, ThingPhrase};
pub use measured::HouseUnderstanding;
use phrasing::{Phrasing, TakenWords};
use target::{FoundThings, Search, SearchPurpose};
use things::Things;

/// What an utterance is understood with.
#[derive(Clone, Copy)]
pub struct HouseSituation<'a> {
    pub house: &'a House,
    pub words: &'a HouseWords,
    pub phrasings: &'a HousePhrasings,
    /// By which words sound alike in the language.
    pub ear: Ear,
    /// Item name of the room of the device.
    pub room: Option<&'a str>,
    /// What was said before.
    pub follow: FollowUp<'a>,
}

/// The phrasings of a language, ready to match.
#[derive(Debug)]
pub struct HousePhrasings {
    deeds: Vec<(HouseDeed, Option<ThingKind>, Option<f64>, Phrasing)>,
    questions: Vec<(HouseAsked, Option<ThingKind>, Phrasing)>,
}

/// What comes of an utterance.
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
    /// It is not done.
    Refused(HouseRefusal),
    /// It was a question.
    Told(HouseAnswer),
}

/// A checked command.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCommand {
    pub ordered: Ordered,
    pub command: ItemCommand,
    /// What the thing is called.
    pub title: String,
    /// As far as it goes, where more was said of several things.
    pub clamped: Option<f64>,
}

/// Commands that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlannedBatch {
    pub commands: Vec<PlannedCommand>,
    /// What would have belonged to them, and can only be read.
    pub left_out: Vec<NamedThing>,
}

/// A thing by the server's name, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedThing {
    pub(crate) name: String,
    pub(crate) title: String,
}

/// Why nothing is done.
#[derive(Debug, Clone, PartialEq)]
pub enum HouseRefusal {
    /// There is no such thing; as it was said.
    NoSuch(String),
    NotPermitted(NamedThing),
    ReadOnly(NamedThing),
    /// It has nothing that could do that.
    Cannot(NamedThing),
    /// Its value is not known, so that there is no more or less.
    NoValue(NamedThing),
    /// It was to be done at a time that is no moment, or again and again.
    Later,
    /// It was to be done later, and has to be asked back then.
    NobodyThere,
    /// Nothing in the house tells that moment, or it has passed.
    NoMoment,
    /// What was done last can't be taken back.
    NotBack,
    OutOfRange {
        thing: NamedThing,
        nearest: f64,
    },
}

/// What is answered to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum HouseAnswer {
    /// Of one thing, or of several that are all alike.
    Is { asked: HouseAsked, yes: bool, things: Vec<NamedThing> },
    /// No value.
    Unknown(Vec<NamedThing>),
    /// Of several, only some.
    Some { those: Vec<NamedThing>, others: Vec<NamedThing>, unknown: Vec<NamedThing> },
    /// Which ones.
    List { those: Vec<NamedThing>, unknown: Vec<NamedThing> },
    /// A value.
    Value {
        thing: NamedThing,
        state: ItemState,
        /// As its options or its format show it.
        shown: String,
    },
}

impl HousePhrasings {
    /// Compiles the phrasings of a language.
    pub fn of(words: &HouseWords) -> Self {
        let skipped = &words.words.skipped;
        let deeds = words.deed.iter().flat_map(|deed| {
            deed.say.iter().map(|say| (deed.does, deed.kind, deed.value, Phrasing::read(say, skipped)))
        });
        let questions = words.question.iter().flat_map(|question| {
            question.say.iter().map(|say| (question.asks, question.kind, Phrasing::read(say, skipped)))
        });
        Self { deeds: deeds.collect(), questions: questions.collect() }
    }
}

/// Whether `text` is put as a command or a question of a house, whatever is in the house.
pub fn may_be_about(text: &str, words: &HouseWords, phrasings: &HousePhrasings) -> bool {
    let said = spoken::without_skipped(&spoken::request(text, words), words);
    let fits = |phrasing: &Phrasing| !phrasing.ways(&said, words).is_empty();
    !said.is_empty()
        && (phrasings.deeds.iter().any(|(.., phrasing)| fits(phrasing))
            || phrasings.questions.iter().any(|(.., phrasing)| fits(phrasing)))
}

/// What comes of `text`; nothing when it is not about the house, and then others are asked.
pub fn decide(text: &str, situation: &HouseSituation<'_>) -> Option<HouseDecision> {
    let words = situation.words;
    let all = spoken::request(text, words);
    let said = spoken::without_skipped(&all, words);
    if said.is_empty() || is_forbidden(&all, situation) {
        return None;
    }
    let asks = |word: &String| words.words.asks.contains(word);
    let is_question = all.first().is_some_and(asks);
    // Before the house is read: most of what is said fits no phrasing.
    let questions: Vec<_> = situation
        .phrasings
        .questions
        .iter()
        .flat_map(|(asked, kind, phrasing)| {
            phrasing.ways(&said, words).into_iter().map(move |taken| (*asked, *kind, taken))
        })
        .collect();
    let except = if is_question { None } else { exception(&said, words) };
    let deeds = if is_question { Vec::new() } else { deeds(&said, situation) };
    let deeds = deeds.into_iter().map(|found| (found, None));
    let with_except = except.iter().flat_map(|(core, except)| {
        self::deeds(core, situation).into_iter().map(move |found| (found, Some((core, except))))
    });
    let deeds: Vec<_> = deeds.chain(with_except).collect();
    if questions.is_empty() && deeds.is_empty() {
        return None;
    }
    let mut lexicon = HouseLexicon::new(words, situation.ear);
    let things = Things::of(situation.house, &mut lexicon);
    let reader = Reader { situation, lexicon: &lexicon, things: &things };
    for (asked, kind, taken) in &questions {
        if let Some(answer) = reader.answer(*asked, *kind, taken, &said) {
            return Some(answer);
        }
    }
    let mut fallback = None;
    for ((deed, kind, taken), except) in &deeds {
        let said: &[String] = except.map_or(&said, |(core, _)| core);
        let wanted =
            Wanted { deed: *deed, kind: *kind, taken, except: except.map(|(_, words)| words.as_slice()) };
        match reader.carried_out(&wanted, said) {
            Some(HouseDecision::Refused(HouseRefusal::NoSuch(_) | HouseRefusal::Cannot(_)))
                if fallback.is_some() => {}
            Some(refused @ HouseDecision::Refused(HouseRefusal::NoSuch(_) | HouseRefusal::Cannot(_))) => {
                fallback = Some(refused);
            }
            Some(decision) => return Some(decision),
            None => {}
        }
    }
    fallback
}

type DeedFound = (HouseDeed, Option<ThingKind>, TakenWords);

fn deeds(said: &[String], situation: &HouseSituation<'_>) -> Vec<DeedFound> {
    let all = situation.phrasings.deeds.iter().flat_map(|(deed, kind, value, phrasing)| {
        phrasing.ways(said, situation.words).into_iter().map(move |mut taken| {
            taken.number = taken.number.or(*value);
            (*deed, *kind, taken)
        })
    });
    all.collect()
}

/// Words before an exception, and the exception, where it stands behind the command.
fn exception(said: &[String], words: &HouseWords) -> Option<(Vec<String>, Vec<String>)> {
    (1..said.len()).find_map(|at| {
        let length =
            words.words.except.iter().filter_map(|except| phrasing::starts(&said[at..], except)).max()?;
        Some((said[..at].to_vec(), said[at + length..].to_vec()))
    })
}

/// A deed and what it is to be done with.
struct Wanted<'a> {
    deed: HouseDeed,
    kind: Option<ThingKind>,
    taken: &'a TakenWords,
    except: Option<&'a [String]>,
}

/// Reads the words of one utterance in one house.
struct Reader<'a> {
    situation: &'a HouseSituation<'a>,
    lexicon: &'a HouseLexicon,
    things: &'a Things<'a>,
}

impl<'a> Reader<'a> {
    fn search(&self, purpose: SearchPurpose, kinds_of_place: &'a [ThingKind]) -> Search<'a> {
        let HouseSituation { house, room, follow, .. } = *self.situation;
        Search { house, things: self.things, here: follow.place.or(room), purpose, kinds_of_place }
    }

    /// The phrases of things in `said`, and those that are left out.
    fn phrases(&self, said: &[String]) -> (Vec<ThingPhrase>, Vec<ThingPhrase>) {
        let words = &self.situation.words.words;
        let (said, except) = match exception(said, self.situation.words) {
            Some((said, except)) => (said, except),
            None => (said.to_vec(), Vec::new()),
        };
        let mut phrases = self.joined(&said, &words.and);
        // "Lights in the kitchen and the hall": what is said of one is meant of all.
        if let Some(kind) = phrases.iter().find_map(|phrase| phrase.kinds.last().copied()) {
            let is_plural = phrases.iter().any(|phrase| phrase.is_plural);
            for phrase in &mut phrases {
                if phrase.kinds.is_empty() && phrase.bag.iter().all(|mark| self.is_place(mark)) {
                    *phrase = std::mem::take(phrase).with_kind(kind);
                    phrase.is_plural |= is_plural;
                }
            }
        }
        (phrases, self.joined(&except, &words.and))
    }

    fn is_place(&self, mark: &str) -> bool {
        mark.starts_with('@')
            || self.things.places.iter().flat_map(|place| &place.bags).any(|bag| bag.contains(mark))
    }

    /// The phrases between `joints`. "The left lamp on and the right one" are none: a part that ends with a word for
    /// a place or a deed is a command of its own.
    fn joined(&self, said: &[String], joints: &[String]) -> Vec<ThingPhrase> {
        let loose = &self.situation.words.words.loose;
        let is_own = |pair: &[String]| loose.contains(&pair[0]) && joints.contains(&pair[1]);
        if said.windows(2).any(is_own) {
            return Vec::new();
        }
        let mut phrases = vec![Vec::new()];
        for word in said {
            if joints.contains(word) {
                phrases.push(Vec::new());
            } else if let Some(last) = phrases.last_mut() {
                last.push(word.clone());
            }
        }
        phrases.iter().filter(|words| !words.is_empty()).map(|words| self.lexicon.said(words)).collect()
    }

    /// The things of all phrases together.
    fn found(&self, phrases: &[ThingPhrase], search: &Search<'_>) -> FoundThings {
        let mut all: Vec<usize> = Vec::new();
        for phrase in phrases {
            let found = match self.spoken_of(phrase) {
                Some(things) => FoundThings::Things(things),
                None => search.find(phrase),
            };
            let things = match &found {
                FoundThings::Things(things) => Some(things.clone()),
                FoundThings::Which(things) | FoundThings::Where(things) => self.chosen_of(things),
                FoundThings::NoSuch | FoundThings::Nothing => None,
            };
            let Some(things) = things else { return found };
            let new: Vec<usize> = things.into_iter().filter(|at| !all.contains(at)).collect();
            all.extend(new);
        }
        if all.is_empty() { FoundThings::Nothing } else { FoundThings::Things(all) }
    }

    /// What a thing is called, with its room where others are called the same.
    fn named(&self, at: usize) -> NamedThing {
        let thing = &self.things.all[at];
        NamedThing { name: thing.name.to_owned(), title: self.title(thing) }
    }

    fn title(&self, thing: &things::Thing<'_>) -> String {
        let is_common = self.things.all.iter().filter(|other| other.label == thing.label).count() > 1;
        let room = thing.location.and_then(|name| self.situation.house.location(name));
        match room.filter(|_| is_common) {
            Some(room) => say::in_room(thing.label, room.title(), self.situation.words),
            None => thing.label.to_owned(),
        }
    }
}

impl PlannedCommand {
    /// Whether a yes is needed.
    pub(crate) fn needs_yes(&self) -> bool {
        self.ordered.caution != Caution::None
    }
}
