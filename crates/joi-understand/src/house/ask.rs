//! Questions about the state of the house, answered from the snapshot; no value is said to be unknown.
//!
//! Pure: no I/O, no clock.

use super::decision::{HouseAnswer, HouseDecision, HouseRefusal, NamedThing};
use super::deed;
use super::lexicon::ThingPhrase;
use super::phrasing::{TakenWords, starts};
use super::reader::Reader;
use super::target::{FoundThings, SearchPurpose};
use super::things::Thing;
use joi_home::house::{Item, ItemKind, StateValue};
use joi_language::house::{HouseAsked, ThingKind};

impl Reader<'_> {
    /// Returns the answer to a question; nothing when its words are no thing of the house.
    pub(super) fn answer(
        &self,
        asked: HouseAsked,
        kind: Option<ThingKind>,
        taken: &TakenWords,
        said: &[String],
    ) -> Option<HouseDecision> {
        let words: Vec<String> =
            taken.things.iter().flat_map(|range| said[range.clone()].iter().cloned()).collect();
        let (phrases, except) = self.phrases(&words);
        if !except.is_empty() {
            return None;
        }
        let phrases: Vec<ThingPhrase> = match kind {
            Some(kind) if words.is_empty() => vec![ThingPhrase::default().with_kind(kind)],
            Some(kind) => phrases.into_iter().map(|phrase| phrase.with_kind(kind)).collect(),
            None => phrases,
        };
        let is_list = matches!(
            asked,
            HouseAsked::WhichOn
                | HouseAsked::WhichOff
                | HouseAsked::WhichOpen
                | HouseAsked::WhichClosed
                | HouseAsked::WhichLocked
                | HouseAsked::WhichUnlocked
                | HouseAsked::AnyOpen
                | HouseAsked::WhoHome
        );
        let is_locked = is_lock(asked);
        let with_lock =
            |phrase: ThingPhrase| if is_locked { phrase.with_kind(ThingKind::Lock) } else { phrase };
        let wide = |phrase: ThingPhrase| ThingPhrase { is_all: phrase.is_all || is_list, ..phrase };
        let locks: Vec<ThingPhrase> = phrases.iter().cloned().map(with_lock).map(wide).collect();
        let search = self.search(SearchPurpose::Question, kinds_of_place(asked));
        let mut found = self.found(&locks, &search);
        if is_locked && !matches!(found, FoundThings::Things(_)) {
            found = self.found(&phrases, &search);
        }
        let found = match found {
            // "Is the fan in?" asks for nobody.
            FoundThings::Things(found) if matches!(asked, HouseAsked::AtHome | HouseAsked::WhoHome) => {
                let is_person = |at: &usize| self.things.all[*at].is_of(ThingKind::Person);
                let found: Vec<usize> = found.into_iter().filter(is_person).collect();
                if found.is_empty() {
                    return None;
                }
                found
            }
            FoundThings::Things(found) => self.chosen_of(&found).unwrap_or(found),
            FoundThings::NoSuch if matches!(asked, HouseAsked::AtHome | HouseAsked::WhoHome) => return None,
            FoundThings::NoSuch => {
                let said: Vec<&str> = phrases.iter().map(|phrase| phrase.said.as_str()).collect();
                return Some(HouseDecision::Refused(HouseRefusal::NoSuch(said.join(" "))));
            }
            FoundThings::Which(_) | FoundThings::Where(_) | FoundThings::Nothing => return None,
        };
        match asked {
            HouseAsked::Value | HouseAsked::Target => self.value(asked, kind, &found),
            _ => {
                let counts = &self.situation.words.words.count;
                let is_counted = |at: usize| counts.iter().any(|count| starts(&said[at..], count).is_some());
                let counted = (0..said.len()).any(is_counted);
                self.state(asked, &found, is_list, counted)
            }
        }
    }

    /// Returns the only lock where a door is.
    pub(super) fn lock_near<'t>(&'t self, door: &Thing<'_>) -> Option<&'t Thing<'t>> {
        // A lamp beside a door is locked by nothing.
        let is_lockable =
            matches!(door.kind, None | Some(ThingKind::Door | ThingKind::Window | ThingKind::Lock));
        if !is_lockable {
            return None;
        }
        let mut locks = self.things.all.iter().filter(|thing| {
            deed::lock(thing).is_some() && thing.location == door.location && door.location.is_some()
        });
        locks.next().filter(|_| locks.next().is_none())
    }

    pub(super) fn state(
        &self,
        asked: HouseAsked,
        found: &[usize],
        is_list: bool,
        counted: bool,
    ) -> Option<HouseDecision> {
        let (mut those, mut others, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for at in found {
            let thing = &self.things.all[*at];
            let near =
                if is_lock(asked) && deed::lock(thing).is_none() { self.lock_near(thing) } else { None };
            let thing = near.unwrap_or(thing);
            let Some(item) = state_of(thing, asked) else { continue };
            let named = NamedThing { name: item.name.clone(), title: self.title(thing) };
            match holds(item, asked) {
                Some(true) => those.push(named),
                Some(false) => others.push(named),
                None => unknown.push(named),
            }
        }
        for listed in [&mut those, &mut others, &mut unknown] {
            listed.sort_by(|one, other| one.name.cmp(&other.name));
        }
        let answer = match (is_list, those.is_empty(), others.is_empty(), unknown.is_empty()) {
            (_, true, true, true) => return None,
            (true, ..) => HouseAnswer::List { asked, counted, those, unknown },
            (false, true, true, false) => HouseAnswer::Unknown(unknown),
            (false, false, true, true) => HouseAnswer::Is { asked, yes: true, things: those },
            (false, true, false, true) => HouseAnswer::Is { asked, yes: false, things: others },
            _ => HouseAnswer::Some { asked, those, others, unknown },
        };
        Some(HouseDecision::Told(answer))
    }

    pub(super) fn value(
        &self,
        asked: HouseAsked,
        kind: Option<ThingKind>,
        found: &[usize],
    ) -> Option<HouseDecision> {
        let [at] = found else {
            let named = found.iter().map(|at| self.named(*at)).collect();
            return Some(match found.len() {
                2..=4 => HouseDecision::Which(named),
                _ => HouseDecision::Where(named),
            });
        };
        let thing = &self.things.all[*at];
        let item = match (asked, kind) {
            (HouseAsked::Target, _) => deed::setpoint(thing).or_else(|| main(thing))?,
            _ => main(thing)?,
        };
        let named = NamedThing { name: item.name.clone(), title: self.title(thing) };
        let is_option = item.options.iter().any(|option| option.value == item.state.text);
        let is_told = is_option
            || matches!(
                item.state.value,
                StateValue::Number { .. }
                    | StateValue::Percent(_)
                    | StateValue::OnOff(_)
                    | StateValue::OpenClosed(_)
                    | StateValue::Colour { .. }
            );
        if !item.state.has_value() {
            return Some(HouseDecision::Told(HouseAnswer::Unknown(vec![named])));
        }
        // A moment or a title is reported by the model, which knows how.
        is_told.then(|| {
            let shown = if is_option { item.shown_state() } else { String::new() };
            HouseDecision::Told(HouseAnswer::Value { thing: named, state: item.state.clone(), shown })
        })
    }
}

fn is_lock(asked: HouseAsked) -> bool {
    matches!(
        asked,
        HouseAsked::Locked | HouseAsked::Unlocked | HouseAsked::WhichLocked | HouseAsked::WhichUnlocked
    )
}

/// Returns the item that states the most of a thing: a measurement before a setpoint.
pub(super) fn main<'a>(thing: &Thing<'a>) -> Option<&'a Item> {
    let rank = |item: &&Item| {
        let class = item.semantics.as_ref().map(|semantics| &semantics.class);
        match class {
            Some(class) if class.is("Measurement") => 0,
            Some(class) if class.is("Setpoint") => 2,
            _ => 1,
        }
    };
    thing.points.iter().copied().min_by_key(rank)
}

pub(super) fn state_of<'a>(thing: &Thing<'a>, asked: HouseAsked) -> Option<&'a Item> {
    match asked {
        asked if is_lock(asked) => deed::lock(thing),
        HouseAsked::On | HouseAsked::Off | HouseAsked::WhichOn | HouseAsked::WhichOff => {
            deed::switch(thing).or_else(|| deed::player(thing))
        }
        HouseAsked::AtHome | HouseAsked::WhoHome => thing.points.first().copied(),
        _ => {
            let contact = thing.points.iter().copied().find(|item| *item.kind.acts_as() == ItemKind::Contact);
            contact.or_else(|| deed::shutter(thing))
        }
    }
}

/// Returns whether it is so; nothing without a value.
pub fn holds(item: &Item, asked: HouseAsked) -> Option<bool> {
    let is_on = || match &item.state.value {
        StateValue::Playing(what) => Some(what == "PLAY"),
        _ => item.state.is_on(),
    };
    let is_open = || match item.state.value {
        StateValue::OpenClosed(open) => Some(open),
        StateValue::Percent(closed) => Some(closed < 100.0),
        _ => None,
    };
    match asked {
        HouseAsked::AtHome | HouseAsked::WhoHome => is_on().or_else(is_open),
        HouseAsked::On | HouseAsked::WhichOn | HouseAsked::Locked | HouseAsked::WhichLocked => is_on(),
        HouseAsked::Off | HouseAsked::WhichOff | HouseAsked::Unlocked | HouseAsked::WhichUnlocked => {
            is_on().map(|on| !on)
        }
        HouseAsked::Open | HouseAsked::WhichOpen | HouseAsked::AnyOpen => is_open(),
        HouseAsked::Closed | HouseAsked::WhichClosed => is_open().map(|open| !open),
        HouseAsked::Value | HouseAsked::Target => None,
    }
}

/// Returns what is meant by a room alone.
pub(super) fn kinds_of_place(asked: HouseAsked) -> &'static [ThingKind] {
    match asked {
        HouseAsked::On | HouseAsked::Off | HouseAsked::WhichOn | HouseAsked::WhichOff => &[ThingKind::Light],
        asked if is_lock(asked) => &[ThingKind::Lock],
        HouseAsked::Value => &[],
        HouseAsked::AtHome | HouseAsked::WhoHome => &[ThingKind::Person],
        HouseAsked::Target => &[ThingKind::Heating],
        _ => &[ThingKind::Door, ThingKind::Window, ThingKind::Blind],
    }
}
