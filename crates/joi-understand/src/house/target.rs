//! Which things are meant: by name, by room and kind, by kind in the room of the device, by a part of a name,
//! by a name that is nearly the same. Two that fit as well are asked about.
//! Pure: no I/O, no clock.

use std::collections::BTreeSet;

use super::lexicon::{ThingPhrase, mark_of};
use super::things::{Thing, ThingRole, Things};
use joi_home::house::House;
use joi_language::house::ThingKind;

/// More than these are not read out in a question.
const MOST_ASKED: usize = 4;
/// How alike two names must be.
const ALIKE: f64 = 0.9;
/// How much more than the next.
const MARGIN: f64 = 0.04;
/// How alike two words of them must be.
const WORD_ALIKE: f64 = 0.75;

/// The result of a search for things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundThings {
    Things(Vec<usize>),
    /// One of these.
    Which(Vec<usize>),
    /// One of these, which are too many to name: in which room?
    Where(Vec<usize>),
    /// Named as a thing of a house is, but there is none.
    NoSuch,
    /// Nothing that is about the house.
    Nothing,
}

/// The purpose of a search: a command needs one thing, a question may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchPurpose {
    Command,
    Question,
    /// The exception of a command.
    Except,
}

/// Where to look, and what for where only a place is named.
pub(super) struct Search<'a> {
    pub(super) house: &'a House,
    pub(super) things: &'a Things<'a>,
    /// Item name of the room of the device.
    pub(super) here: Option<&'a str>,
    pub(super) purpose: SearchPurpose,
    /// Tried in this order.
    pub(super) kinds_of_place: &'a [ThingKind],
}

/// Part of the house.
#[derive(Debug, Clone)]
enum Scope {
    House,
    /// In all of these, each of them one of several places of the name.
    Places(Vec<Vec<String>>),
    /// Things that have these words in a name, in houses without places.
    Named(BTreeSet<String>),
}

impl Search<'_> {
    /// Returns the things `phrase` means.
    pub(super) fn find(&self, phrase: &ThingPhrase) -> FoundThings {
        if phrase.bag.is_empty() {
            return FoundThings::Nothing;
        }
        let wants_kind = phrase.is_plural || phrase.is_all;
        let named = self.named(&phrase.bag);
        let (scope, rest) = self.places(&phrase.bag);
        let kind = ThingPhrase::only_kind(&rest, &phrase.kinds);
        if let (false, [one]) = (wants_kind && kind.is_some(), &named[..]) {
            return FoundThings::Things(vec![*one]);
        }
        let group = named.iter().find(|at| self.things.all[**at].role == ThingRole::Group);
        if let (Some(group), true, SearchPurpose::Command) = (group, wants_kind, self.purpose) {
            return FoundThings::Things(vec![*group]);
        }
        let is_placed = !matches!(scope, Scope::House);
        if rest.is_empty() {
            return self.of_place(&scope);
        }
        let here = self.here.map(|here| Scope::Places(vec![vec![here.to_owned()]]));
        let scopes: Vec<(Scope, bool)> = match (is_placed, phrase.is_here, phrase.is_all, here) {
            (true, ..) => vec![(scope, true)],
            (false, true, _, Some(here)) => vec![(here, true)],
            (false, false, false, Some(here)) => vec![(here, true), (Scope::House, false)],
            _ => vec![(Scope::House, false)],
        };
        for (scope, is_near) in scopes {
            let found = self.within((&scope, is_near), &rest, kind, phrase);
            if found != FoundThings::Nothing {
                return found;
            }
        }
        match self.alike(phrase).or_else(|| self.without_kind(phrase, &rest)) {
            Some(found) => found,
            None if phrase.is_of_house && !phrase.is_strange => FoundThings::NoSuch,
            None => FoundThings::Nothing,
        }
    }

    /// Returns the only place that `phrase` is, without anything else.
    pub(super) fn place(&self, phrase: &ThingPhrase) -> Option<String> {
        match self.places(&phrase.bag) {
            (Scope::Places(all), rest) if rest.is_empty() => match all.as_slice() {
                [names] => names.first().filter(|_| names.len() == 1).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns those of `candidates` that `phrase` fits: a part of a name, a kind, a place.
    pub(super) fn fitting(&self, phrase: &ThingPhrase, candidates: &[usize]) -> Vec<usize> {
        let (scope, rest) = self.places(&phrase.bag);
        let kind = ThingPhrase::only_kind(&rest, &phrase.kinds);
        let is_called = |at: usize| {
            let thing = &self.things.all[at];
            let has = |words: &BTreeSet<String>| thing.bags.iter().any(|bag| words.is_subset(bag));
            let is_in = self.is_in(thing, &scope);
            has(&phrase.bag)
                || is_in && (has(&rest) || rest.is_empty() || kind.is_some_and(|k| thing.is_of(k)))
        };
        candidates.iter().copied().filter(|at| is_called(*at)).collect()
    }

    fn within(
        &self,
        (scope, is_near): (&Scope, bool),
        rest: &BTreeSet<String>,
        kind: Option<ThingKind>,
        phrase: &ThingPhrase,
    ) -> FoundThings {
        let wants_all = phrase.is_all || phrase.is_plural;
        let exact: Vec<usize> = self.indices(scope, |thing| {
            thing.bags.iter().any(|bag| {
                bag == rest
                    || (*bag == phrase.bag)
                    || bag.difference(&phrase.bag).next().is_none() && rest.is_subset(bag)
            })
        });
        let exact = self.best_role(exact);
        // Two that are both called "hall light" are no kind of things.
        let of_one_name = exact.iter().filter(|at| self.things.all[**at].bags.contains(&phrase.bag)).copied();
        let of_one_name: Vec<usize> = of_one_name.collect();
        if !wants_all && phrase.bag != *rest && of_one_name.len() > 1 {
            return self.narrowed(of_one_name, false);
        }
        let goes_together =
            matches!(kind, Some(ThingKind::Light | ThingKind::Blind | ThingKind::Heating)) && is_near;
        let wants_kind = wants_all && kind.is_some() || goes_together && exact.len() > 1;
        if !(exact.is_empty() || wants_kind) {
            let is_both = phrase.is_both && exact.len() == 2;
            return self.narrowed(exact, wants_all && is_near || phrase.is_all || is_both);
        }
        if let Some(kind) = kind {
            let is_all_lights =
                kind == ThingKind::Lamp && (phrase.is_all || self.purpose == SearchPurpose::Question);
            let kind = if is_all_lights { ThingKind::Light } else { kind };
            let mut of_kind = self.indices(scope, |thing| thing.is_of(kind));
            // In the room of the device a lamp is none but a lamp, as long as there are others in the house.
            let is_here_only = !phrase.is_here && *rest == phrase.bag && !matches!(scope, Scope::House);
            if of_kind.is_empty() && kind == ThingKind::Lamp && !is_here_only {
                of_kind = self.indices(scope, |thing| thing.is_of(ThingKind::Light));
            }
            let takes_all = phrase.is_all || is_near && wants_all || goes_together;
            if !of_kind.is_empty() {
                return self.narrowed(of_kind, takes_all);
            }
        }
        let partly = self.indices(scope, |thing| thing.bags.iter().any(|bag| rest.is_subset(bag)));
        let partly = self.best_role(partly);
        let is_named = rest.iter().any(|mark| !mark.starts_with('@'));
        if partly.is_empty() || !is_named {
            return FoundThings::Nothing;
        }
        self.narrowed(partly, wants_all)
    }

    /// Returns the things that a place alone stands for: those that take a command there.
    fn of_place(&self, scope: &Scope) -> FoundThings {
        if self.purpose == SearchPurpose::Except {
            return FoundThings::Things(self.indices(scope, |_| true));
        }
        let of_kind = |kind: &ThingKind| {
            Some(self.indices(scope, |thing| thing.is_of(*kind))).filter(|t| !t.is_empty())
        };
        match self.kinds_of_place.iter().find_map(of_kind) {
            Some(found) => FoundThings::Things(found),
            None if self.kinds_of_place.is_empty() => FoundThings::Nothing,
            None => FoundThings::NoSuch,
        }
    }

    pub(super) fn narrowed(&self, found: Vec<usize>, takes_all: bool) -> FoundThings {
        match found.len() {
            0 => FoundThings::Nothing,
            1 => FoundThings::Things(found),
            _ if takes_all || self.purpose != SearchPurpose::Command => FoundThings::Things(found),
            n if n <= MOST_ASKED => FoundThings::Which(found),
            _ => FoundThings::Where(found),
        }
    }

    fn named(&self, bag: &BTreeSet<String>) -> Vec<usize> {
        self.best_role(self.indices(&Scope::House, |thing| thing.bags.contains(bag)))
    }

    /// Points and groups count only where nothing else fits.
    fn best_role(&self, found: Vec<usize>) -> Vec<usize> {
        let best = found.iter().map(|at| self.things.all[*at].role).min();
        found.into_iter().filter(|at| Some(self.things.all[*at].role) == best).collect()
    }

    fn indices(&self, scope: &Scope, is_meant: impl Fn(&Thing<'_>) -> bool) -> Vec<usize> {
        let all = self.things.all.iter().enumerate();
        all.filter(|(_, thing)| self.is_in(thing, scope) && is_meant(thing)).map(|(at, _)| at).collect()
    }

    /// Returns whether `thing` is in the place of this item name.
    pub(super) fn is_in_place(&self, thing: &Thing<'_>, place: &str) -> bool {
        self.is_in(thing, &Scope::Places(vec![vec![place.to_owned()]]))
    }

    fn is_in(&self, thing: &Thing<'_>, scope: &Scope) -> bool {
        match scope {
            Scope::House => true,
            Scope::Named(marks) => thing.bags.iter().any(|bag| marks.is_subset(bag)),
            Scope::Places(all) => all.iter().all(|names| {
                let mut at = thing.location;
                let mut steps = 0;
                while let (Some(location), true) = (at, steps < self.things.places.len()) {
                    if names.iter().any(|name| name == location) {
                        return true;
                    }
                    at = self.house.location(location).and_then(|location| location.parent.as_deref());
                    steps += 1;
                }
                false
            }),
        }
    }

    /// Returns the places in a bag, the longest names first, and what else is in it.
    fn places(&self, bag: &BTreeSet<String>) -> (Scope, BTreeSet<String>) {
        let mut rest = bag.clone();
        if self.things.places.is_empty() {
            let rooms: BTreeSet<String> = rest.iter().filter(|mark| mark.starts_with('@')).cloned().collect();
            rest.retain(|mark| !rooms.contains(mark));
            let scope = if rooms.is_empty() { Scope::House } else { Scope::Named(rooms) };
            return (scope, rest);
        }
        let mut found: Vec<Vec<String>> = Vec::new();
        loop {
            let own = self.longest(&rest, |place| &place.bags);
            let longest = own.or_else(|| self.longest(&rest, |place| &place.class_bags));
            let Some((marks, names)) = longest else { break };
            rest.retain(|mark| !marks.contains(mark));
            found.push(names);
        }
        (if found.is_empty() { Scope::House } else { Scope::Places(found) }, rest)
    }

    fn longest<'p>(
        &'p self,
        rest: &BTreeSet<String>,
        bags: impl Fn(&'p super::things::HousePlace<'p>) -> &'p Vec<BTreeSet<String>>,
    ) -> Option<(BTreeSet<String>, Vec<String>)> {
        let all = || {
            self.things.places.iter().flat_map(|place| bags(place).iter().map(move |bag| (place.item, bag)))
        };
        let (_, longest) = all().filter(|(_, bag)| bag.is_subset(rest)).max_by_key(|(_, bag)| bag.len())?;
        let names = all().filter(|(_, bag)| *bag == longest).filter_map(|(item, _)| item.map(str::to_owned));
        Some((longest.clone(), names.collect()))
    }

    /// Returns the only thing that is called so but for the word for a light: "the Christmas tree lights".
    fn without_kind(&self, phrase: &ThingPhrase, rest: &BTreeSet<String>) -> Option<FoundThings> {
        let is_light = |kind: &&ThingKind| matches!(kind, ThingKind::Light | ThingKind::Lamp);
        let kind = phrase
            .kinds
            .first()
            .filter(|kind| !phrase.is_strange && phrase.kinds.len() == 1 && is_light(kind))?;
        let mut name = rest.clone();
        let is_more = name.remove(&mark_of(*kind)) && !name.is_empty();
        match self.named(&name).as_slice() {
            [one] if is_more => Some(FoundThings::Things(vec![*one])),
            _ => None,
        }
    }

    /// Returns the thing whose name is nearly the same, word by word, with the same rooms and kinds in it; two that are
    /// as near are asked about. A word that is none of the name's says something of the thing: "the aquarium is", "the
    /// pump was".
    fn alike(&self, phrase: &ThingPhrase) -> Option<FoundThings> {
        let (marks, words) = split(&phrase.bag);
        let joined = words.join(" ");
        if joined.chars().count() < 4 {
            return None;
        }
        let mut scored: Vec<(f64, usize)> = Vec::new();
        for (at, thing) in self.things.all.iter().enumerate() {
            let of_name = |bag: &BTreeSet<String>| {
                let (own_marks, own_words) = split(bag);
                let is_alike = own_marks == marks && pairs(&words, &own_words);
                is_alike.then(|| strsim::jaro_winkler(&own_words.join(" "), &joined))
            };
            let best = thing.bags.iter().filter_map(of_name).fold(0.0_f64, f64::max);
            if best >= ALIKE {
                scored.push((best, at));
            }
        }
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        let best = scored.first()?.0;
        let near = scored.iter().filter(|(score, _)| best - score < MARGIN).map(|(_, at)| *at).collect();
        Some(self.narrowed(near, false))
    }
}

fn split(bag: &BTreeSet<String>) -> (Vec<&str>, Vec<&str>) {
    let all = bag.iter().map(String::as_str);
    all.partition(|mark| mark.starts_with('#') || mark.starts_with('@'))
}

/// Returns whether every word that was said is like a word of the name of its own, and no word of the name is left.
fn pairs(said: &[&str], name: &[&str]) -> bool {
    let Some((first, rest)) = said.split_first() else { return name.is_empty() };
    (0..name.len()).any(|at| {
        let mut left = name.to_vec();
        let other = left.remove(at);
        strsim::jaro_winkler(first, other) >= WORD_ALIKE && pairs(rest, &left)
    })
}
