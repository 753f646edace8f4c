//! From a deed and the words of its things to commands that passed [`joi_home::house::House::order`].
//!
//! Pure: no I/O, no clock.

use std::ops::Range;

use super::decision::{HouseDecision, HouseRefusal, NamedThing, PlannedBatch, PlannedCommand};
use super::deed::{self, NotDone};
use super::follow::is_it;
use super::lexicon::{ThingPhrase, mark_of};
use super::phrasing::TakenWords;
use super::reader::{Reader, Wanted};
use super::spoken;
use super::target::{FoundThings, Search, SearchPurpose};
use super::things::{Thing, ThingRole};
use super::watch::frame::longest;
use joi_home::house::{Item, ItemCommand, Refused};
use joi_language::house::{HouseDeed, ThingKind};

/// The treatment of a value beyond the range of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HowFar {
    /// It is: "the lamp to 90 percent".
    AsSaid,
    /// Each goes as far as it can: "all lamps to 90 percent".
    AsFar,
}

impl Reader<'_> {
    /// Returns what comes of a deed; nothing when its words are no thing of the house.
    pub(super) fn carried_out(&self, wanted: &Wanted<'_>, said: &[String]) -> Option<HouseDecision> {
        if wanted.deed == HouseDeed::Scene {
            return self.scene(wanted.taken, said);
        }
        if wanted.taken.things.iter().any(|range| self.is_report_about(range, said)) {
            return None;
        }
        let words: Vec<String> =
            wanted.taken.things.iter().flat_map(|range| said[range.clone()].iter().cloned()).collect();
        let is_switch = matches!(wanted.deed, HouseDeed::On | HouseDeed::Off);
        let lights = self.lights_for_everything(&words).filter(|_| is_switch);
        let is_everything = lights.is_some();
        let (phrases, mut except) = self.phrases(&lights.unwrap_or(words));
        except.extend(
            wanted.except.iter().flat_map(|words| self.joined(words, &self.situation.words.words.and)),
        );
        let has_thing = !wanted.taken.things.iter().all(Range::is_empty);
        let phrases = match wanted.kind {
            // "Off": what was spoken of last.
            None if !has_thing => vec![self.it()?],
            Some(kind) if !has_thing => vec![self.last_of(kind)],
            // "The previous track on the radio" names what plays.
            Some(kind) => {
                let is_named = |phrase: &ThingPhrase| {
                    kind == ThingKind::Player && !phrase.bag.iter().all(|mark| self.is_place(mark))
                };
                let with =
                    |phrase: ThingPhrase| if is_named(&phrase) { phrase } else { phrase.with_kind(kind) };
                phrases.into_iter().map(with).collect()
            }
            None => phrases,
        };
        if phrases.is_empty() || is_without_verb(wanted) && phrases.iter().all(|phrase| self.is_guess(phrase))
        {
            return None;
        }
        // An item of its own has the name, and another the command: "the bathroom temperature to 20".
        let mut fallback = None;
        for phrases in self.meant(wanted.deed, &phrases) {
            match self.done_with(wanted, &phrases, &except, said) {
                Some(refused @ HouseDecision::Refused(_)) => fallback = fallback.or(Some(refused)),
                Some(HouseDecision::Send(batch)) if is_everything => {
                    return Some(HouseDecision::AskFirst(batch));
                }
                Some(decision) => return Some(decision),
                None => {}
            }
        }
        fallback.filter(|refused| !(is_everything && refused.finds_nothing()))
    }

    /// `said` with all lights in place of "everything": nobody wants the freezer off.
    fn lights_for_everything(&self, said: &[String]) -> Option<Vec<String>> {
        let words = self.situation.words;
        let length = |at: usize| longest(&said[at..], &words.words.everything);
        let (at, length) = (0..said.len()).find_map(|at| Some((at, length(at)?)))?;
        let lights = words.kinds.get(&ThingKind::Light)?[1].first()?;
        let all = [words.words.all.first()?.clone(), lights.clone()];
        Some([&said[..at], &all, &said[at + length..]].concat())
    }

    /// Returns whether no word of a thing was said as it is called: "count to ten" is no counter light.
    pub(super) fn is_guess(&self, phrase: &ThingPhrase) -> bool {
        !phrase.has_exact && !is_it(&phrase.said, self.situation.words)
    }

    /// Returns whether the words say something of the thing in front of the deed: "the coffee maker's off".
    fn is_report_about(&self, range: &Range<usize>, said: &[String]) -> bool {
        let told_by = &self.situation.words.words.told_by;
        let is_verb = |word: &String| told_by.iter().any(|end| word.ends_with(end.as_str()));
        let last = said[range.clone()].last().filter(|_| range.end < said.len());
        last.is_some_and(|word| is_verb(word) && !self.lexicon.is_own(word))
    }

    /// Returns what was said, and before it what that means with this deed.
    fn meant(&self, deed: HouseDeed, phrases: &[ThingPhrase]) -> Vec<Vec<ThingPhrase>> {
        let with = |from: Option<ThingKind>, to: ThingKind| -> Vec<ThingPhrase> {
            let changed = |phrase: &ThingPhrase| {
                let mut phrase = phrase.clone();
                if let Some(from) = from {
                    if !phrase.bag.remove(&mark_of(from)) {
                        return phrase;
                    }
                    phrase.kinds.retain(|kind| *kind != from);
                }
                phrase.with_kind(to)
            };
            phrases.iter().map(changed).collect()
        };
        let said = phrases.to_vec();
        let of_heat = || with(Some(ThingKind::Temperature), ThingKind::Heating);
        match deed {
            HouseDeed::Lock | HouseDeed::Unlock => {
                let locks = with(None, ThingKind::Lock);
                if locks == said { vec![said] } else { vec![locks, said] }
            }
            HouseDeed::Degrees | HouseDeed::Level | HouseDeed::Up | HouseDeed::Down
                if phrases.iter().any(|phrase| phrase.kinds.contains(&ThingKind::Temperature)) =>
            {
                vec![of_heat(), said]
            }
            _ => vec![said],
        }
    }

    fn done_with(
        &self,
        wanted: &Wanted<'_>,
        phrases: &[ThingPhrase],
        except: &[ThingPhrase],
        said: &[String],
    ) -> Option<HouseDecision> {
        let search = self.search(SearchPurpose::Command, kinds_of_place(wanted));
        let mut found = match self.found(phrases, &search) {
            FoundThings::Things(found) => found,
            FoundThings::Which(which) => {
                return Some(HouseDecision::Which(which.into_iter().map(|at| self.named(at)).collect()));
            }
            FoundThings::Where(all) => {
                return Some(HouseDecision::Where(all.into_iter().map(|at| self.named(at)).collect()));
            }
            // The volume is joi's own where nothing in the house has one.
            FoundThings::NoSuch
                if wanted.deed != HouseDeed::Degrees
                    && phrases.iter().all(|phrase| phrase.kinds == [ThingKind::Volume]) =>
            {
                return None;
            }
            FoundThings::NoSuch => {
                let said: Vec<&str> = phrases.iter().map(|phrase| phrase.said.as_str()).collect();
                return Some(HouseDecision::Refused(HouseRefusal::NoSuch(said.join(" "))));
            }
            FoundThings::Nothing => return None,
        };
        if let Some(thing) = self.unable(wanted, phrases, &search).filter(|_| except.is_empty()) {
            return Some(HouseDecision::Refused(HouseRefusal::Cannot(thing)));
        }
        if !except.is_empty() {
            let FoundThings::Things(left_out) = self.found(except, &self.search(SearchPurpose::Except, &[]))
            else {
                return None;
            };
            found = self.members(found);
            found.retain(|at| !left_out.contains(at));
        }
        self.done_to(found, wanted, said)
    }

    /// Returns what comes of a deed on `found`.
    pub(super) fn done_to(
        &self,
        mut found: Vec<usize>,
        wanted: &Wanted<'_>,
        said: &[String],
    ) -> Option<HouseDecision> {
        if found.iter().any(|at| self.is_stopped_by_one(&self.things.all[*at], wanted)) {
            found = self.members(found);
        }
        let reach = if found.len() > 1 { HowFar::AsFar } else { HowFar::AsSaid };
        let is_lock = matches!(wanted.deed, HouseDeed::Lock | HouseDeed::Unlock);
        let planned = found.iter().map(|at| {
            let thing = &self.things.all[*at];
            if wanted.deed == HouseDeed::Option {
                return self.option(thing, wanted.taken, said);
            }
            if is_lock && deed::lock(thing).is_none() {
                return self.planned(self.lock_near(thing).unwrap_or(thing), wanted, reach);
            }
            self.planned(thing, wanted, reach)
        });
        together(planned.collect())
    }

    /// Of several that were named the one of which nothing can do that: the others are not done without a word about it.
    fn unable(
        &self,
        wanted: &Wanted<'_>,
        phrases: &[ThingPhrase],
        search: &Search<'_>,
    ) -> Option<NamedThing> {
        let is_by_itself = matches!(wanted.deed, HouseDeed::Option | HouseDeed::Lock | HouseDeed::Unlock);
        if phrases.len() < 2 || is_by_itself {
            return None;
        }
        phrases.iter().find_map(|phrase| {
            let found = self.found(std::slice::from_ref(phrase), search);
            let FoundThings::Things(found) = found else { return None };
            let can_not = |at: &usize| {
                let planned = self.planned(&self.things.all[*at], wanted, HowFar::AsSaid);
                matches!(planned, Err(HouseRefusal::Cannot(_)))
            };
            found.first().filter(|_| found.iter().all(can_not)).map(|at| self.named(*at))
        })
    }

    /// Returns whether a group does not do it because one of its members doesn't.
    fn is_stopped_by_one(&self, thing: &Thing<'_>, wanted: &Wanted<'_>) -> bool {
        let planned = || self.planned(thing, wanted, HowFar::AsSaid);
        thing.role == ThingRole::Group
            && matches!(planned(), Err(HouseRefusal::ReadOnly(_) | HouseRefusal::OutOfRange { .. }))
    }

    /// Returns the members of groups in their place.
    fn members(&self, found: Vec<usize>) -> Vec<usize> {
        let mut all = Vec::new();
        for at in found {
            if self.things.all[at].role != ThingRole::Group {
                all.push(at);
                continue;
            }
            let members = self.situation.house.members(self.things.all[at].name);
            let of_group: Vec<usize> = members
                .iter()
                .filter_map(|item| self.things.all.iter().position(|thing| thing.name == item.name))
                .collect();
            if of_group.is_empty() { all.push(at) } else { all.extend(of_group) }
        }
        all
    }

    fn planned(
        &self,
        thing: &Thing<'_>,
        wanted: &Wanted<'_>,
        reach: HowFar,
    ) -> Result<PlannedCommand, HouseRefusal> {
        let named = NamedThing { name: thing.name.to_owned(), title: self.title(thing) };
        match deed::command(thing, wanted.deed, wanted.taken, self.things) {
            Ok((item, command)) => self.checked(item, command, named, reach),
            Err(NotDone::Cannot) => Err(HouseRefusal::Cannot(named)),
            Err(NotDone::NoValue) => Err(HouseRefusal::NoValue(named)),
        }
    }

    fn checked(
        &self,
        item: &Item,
        command: ItemCommand,
        thing: NamedThing,
        reach: HowFar,
    ) -> Result<PlannedCommand, HouseRefusal> {
        match self.situation.house.order(&item.name, &command) {
            Ok(ordered) => Ok(PlannedCommand { ordered, command, title: thing.title, clamped: None }),
            Err(Refused::OutOfRange { nearest, .. }) if reach == HowFar::AsFar => {
                let planned = self.checked(item, command.clamped_to(item), thing, HowFar::AsSaid)?;
                Ok(PlannedCommand { clamped: Some(nearest), ..planned })
            }
            Err(Refused::NotPermitted { .. } | Refused::Unknown { .. }) => {
                Err(HouseRefusal::NotPermitted(thing))
            }
            Err(Refused::ReadOnly { .. }) => Err(HouseRefusal::ReadOnly(thing)),
            Err(Refused::OutOfRange { nearest, .. }) => {
                let thing = NamedThing { name: item.name.clone(), ..thing };
                Err(HouseRefusal::OutOfRange { thing, nearest })
            }
            Err(
                Refused::WrongType { .. }
                | Refused::WrongUnit { .. }
                | Refused::NoOption { .. }
                | Refused::NotUnderstood { .. },
            ) => Err(HouseRefusal::Cannot(thing)),
        }
    }

    /// Returns what comes of one command that was named as it is.
    pub(super) fn one(&self, item: &Item, command: ItemCommand, thing: NamedThing) -> Option<HouseDecision> {
        together(vec![self.checked(item, command, thing, HowFar::AsSaid)])
    }

    fn option(
        &self,
        thing: &Thing<'_>,
        taken: &TakenWords,
        said: &[String],
    ) -> Result<PlannedCommand, HouseRefusal> {
        let named = NamedThing { name: thing.name.to_owned(), title: self.title(thing) };
        let wanted = taken.option.clone().map(|range| said[range].to_vec()).unwrap_or_default();
        let of_point = |item: &&Item| deed::option(item, |label| self.is_called(label, &wanted)).is_some();
        let Some(item) = thing.points.iter().copied().find(of_point) else {
            return Err(HouseRefusal::Cannot(named));
        };
        let option = deed::option(item, |label| self.is_called(label, &wanted));
        let value = option.map(|option| option.value.clone()).unwrap_or_default();
        self.checked(item, ItemCommand::Text(value), named, HowFar::AsSaid)
    }

    /// Returns a scene by the name of the option, whichever item has it.
    fn scene(&self, taken: &TakenWords, said: &[String]) -> Option<HouseDecision> {
        let wanted = said[taken.option.clone()?].to_vec();
        let mut with = self.things.all.iter().filter(|thing| thing.is_of(ThingKind::Scene)).filter(|thing| {
            thing
                .points
                .iter()
                .any(|item| deed::option(item, |label| self.is_called(label, &wanted)).is_some())
        });
        let thing = with.next().filter(|_| with.next().is_none())?;
        together(vec![self.option(thing, taken, said)])
    }

    fn is_called(&self, label: &str, wanted: &[String]) -> bool {
        spoken::without_skipped(&spoken::words(label), self.situation.words) == wanted
    }
}

/// Returns all that can be done, and what is left out of it; a refusal only where nothing can be done, or one of them
/// must not.
pub(super) fn together(planned: Vec<Result<PlannedCommand, HouseRefusal>>) -> Option<HouseDecision> {
    let mut commands: Vec<PlannedCommand> = Vec::new();
    let mut refused = Vec::new();
    for plan in planned {
        match plan {
            Ok(command) => commands.push(command),
            Err(refusal) => refused.push(refusal),
        }
    }
    // Of several lamps some can't be dimmed, and what can only be read is left out; but who may not switch one of them is
    // reported.
    let is_told = |refusal: &&HouseRefusal| {
        let is_passed_over =
            matches!(refusal, HouseRefusal::Cannot(_) | HouseRefusal::NoValue(_) | HouseRefusal::ReadOnly(_));
        !is_passed_over
    };
    let told =
        refused.iter().find(is_told).or_else(|| refused.first().filter(|_| commands.is_empty())).cloned();
    if let Some(refusal) = told {
        return Some(HouseDecision::Refused(refusal));
    }
    let read_only = |refusal: HouseRefusal| match refusal {
        HouseRefusal::ReadOnly(thing) => Some(thing),
        _ => None,
    };
    let left_out = refused.into_iter().filter_map(read_only).collect();
    commands.sort_by(|one, other| one.ordered.item.cmp(&other.ordered.item));
    commands.dedup_by(|one, other| one.ordered == other.ordered);
    match commands.iter().any(PlannedCommand::needs_yes) {
        _ if commands.is_empty() => None,
        true => Some(HouseDecision::AskFirst(PlannedBatch { commands, left_out, answer: None })),
        false => Some(HouseDecision::Send(PlannedBatch { commands, left_out, answer: None })),
    }
}

/// Returns whether the words begin with the thing: nothing but its name makes a command of them.
fn is_without_verb(wanted: &Wanted<'_>) -> bool {
    wanted.taken.things.iter().any(|range| range.start == 0 && !range.is_empty())
}

/// Returns what is meant by a room alone.
fn kinds_of_place(wanted: &Wanted<'_>) -> &'static [ThingKind] {
    match wanted.deed {
        HouseDeed::On | HouseDeed::Off | HouseDeed::Percent | HouseDeed::Colour => &[ThingKind::Light],
        HouseDeed::Up | HouseDeed::Down | HouseDeed::WarmWhite | HouseDeed::ColdWhite => &[ThingKind::Light],
        HouseDeed::Open | HouseDeed::Close | HouseDeed::Opened => &[ThingKind::Door, ThingKind::Blind],
        HouseDeed::Lock | HouseDeed::Unlock => &[ThingKind::Lock],
        HouseDeed::Degrees | HouseDeed::Warmer | HouseDeed::Colder => &[ThingKind::Heating],
        HouseDeed::Level if wanted.taken.is_percent => &[ThingKind::Light, ThingKind::Blind],
        HouseDeed::Level => &[ThingKind::Heating, ThingKind::Light],
        HouseDeed::Stop | HouseDeed::Play | HouseDeed::Next | HouseDeed::Previous => &[ThingKind::Player],
        HouseDeed::Option | HouseDeed::Scene => &[],
    }
}
