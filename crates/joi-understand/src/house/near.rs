//! Commands whose thing was not understood, or not wholly: with the names of things in the house that it may be.
//!
//! In: an utterance in a house. Out: at most [`MOST`] utterances that are commands there, the likeliest first, for the
//! sound to decide between. What needs a yes, a question, and what is understood already is never one.
//! Pure: no I/O, no clock.

use super::lexicon::HouseLexicon;
use super::things::Things;
use super::{HouseDecision, HouseRefusal, HouseSituation, NamedThing, decide, spoken};
use crate::intents::{self, Intent, Mood, Reading};
use joi_language::{Language, PhoneticMatcher};

/// Most of them; each costs the recogniser some steps.
const MOST: usize = 6;
/// From this likeness on, 0..1, a name may have been said.
const ALIKE: f64 = 0.7;
/// The bonus of a word that sounds the same.
const SAME_SOUND: f64 = 0.15;

/// Returns what else `text` may be, for a second look at its sound: commands of the house that need no yes. What is
/// understood already, a question, and what negates is none.
pub fn readings(language: &Language, text: &str, situation: &HouseSituation<'_>) -> Vec<Reading> {
    if intents::mood(language, text) != Mood::Request {
        return Vec::new();
    }
    let order = intents::match_intent(language, text).and_then(|quick| match quick.what {
        Intent::Home(order) => Some(order),
        _ => None,
    });
    let thing = order.as_ref().map(|order| order.thing.as_str());
    let near = near(text, thing, situation).into_iter();
    near.filter_map(|(text, likeness)| Reading::of_house(language, text, likeness)).collect()
}

/// Returns the commands that `text` may be, and how much the name is like what was understood. `thing` is what it names
/// by the grammar of the language, whatever is in the house.
fn near(text: &str, thing: Option<&str>, situation: &HouseSituation<'_>) -> Vec<(String, f64)> {
    let candidates = match decide(text, situation) {
        Some(HouseDecision::Refused(HouseRefusal::NoSuch(said))) => unknown(&said, situation),
        Some(HouseDecision::Which(things)) => several(text, &things),
        None => thing.map(|said| unknown(&said.to_lowercase(), situation)).unwrap_or_default(),
        _ => return Vec::new(),
    };
    let lower = text.to_lowercase();
    let commands = candidates.into_iter().filter_map(|(said, name, likeness)| {
        // Lower case letters may be longer or shorter than upper case ones.
        let at = lower.find(&said).filter(|_| lower.len() == text.len())?;
        let reading = format!("{}{name}{}", text.get(..at)?, text.get(at + said.len()..)?);
        let is_command = matches!(decide(&reading, situation), Some(HouseDecision::Send(_)));
        is_command.then_some((reading, likeness))
    });
    commands.take(MOST).collect()
}

/// Names that are like `said`, which nothing is called: those of things, alone and behind their rooms.
fn unknown(said: &str, situation: &HouseSituation<'_>) -> Vec<(String, String, f64)> {
    let mut lexicon = HouseLexicon::new(situation.words, situation.phonetic);
    let things = Things::of(situation.house, &mut lexicon);
    let names = things.all.iter().flat_map(|thing| {
        let room = thing.location.and_then(|name| situation.house.location(name));
        let in_room = room
            .into_iter()
            .flat_map(|room| room.names())
            .flat_map(|room| [format!("{room} {}", thing.label), format!("{room}{}", thing.label)]);
        std::iter::once(thing.label.to_owned()).chain(in_room)
    });
    let mut found: Vec<(String, String, f64)> = names
        .map(|name| {
            let name = name.to_lowercase();
            let likeness = likeness(said, &name, situation.phonetic);
            (said.to_owned(), name, likeness)
        })
        .filter(|(_, _, likeness)| *likeness >= ALIKE)
        .collect();
    found.sort_by(|one, other| other.2.total_cmp(&one.2).then_with(|| one.1.cmp(&other.1)));
    found.dedup_by(|one, other| one.1 == other.1);
    found.truncate(MOST);
    found
}

/// Returns how much two names are alike, by their letters and their sounds.
fn likeness(said: &str, name: &str, phonetic: PhoneticMatcher) -> f64 {
    let letters = strsim::jaro_winkler(said, name);
    if letters + SAME_SOUND < ALIKE {
        return letters;
    }
    let sound = |text: &str| text.split(' ').map(|word| phonetic.sound(word)).collect::<Vec<_>>();
    let (said_sound, name_sound) = (sound(said), sound(name));
    let is_same = said_sound == name_sound && said_sound.iter().all(|sound| !sound.is_empty());
    letters + if is_same { SAME_SOUND } else { 0.0 }
}

/// Returns the whole names of things of which only a part was understood.
fn several(text: &str, things: &[NamedThing]) -> Vec<(String, String, f64)> {
    let said = spoken::words(text);
    let one = |thing: &NamedThing| {
        let name = thing.title.to_lowercase();
        let own = spoken::words(&name);
        let from = said.iter().position(|word| own.contains(word))?;
        let count = said[from..].iter().take_while(|word| own.contains(word)).count();
        let part = said[from..from + count].join(" ");
        let likeness = strsim::jaro_winkler(&part, &name);
        (part != name).then_some((part, name, likeness))
    };
    things.iter().filter_map(one).collect()
}
