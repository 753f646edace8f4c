//! Conditions: which item of which thing has to become what.
//!
//! In: the words of a condition. Out: the condition, or what has to be asked or refused. Things are found and their
//! states read as by questions about the house.
//! Pure: no I/O, no clock.

use jiff::Timestamp;

use super::super::decision::HouseRefusal;
use super::super::lexicon::ThingPhrase;
use super::super::phrasing::TakenWords;
use super::super::spoken;
use super::super::target::{FoundThings, SearchPurpose};
use super::super::things::Thing;
use super::super::{ask, deed, later};
use super::frame::{longest, without};
use super::refusal::WatchRefusal;
use super::situation::Watcher;
use super::times::without_lasting;
use super::wish::{ConditionRead, WatchWish};
use joi_home::house::{Item, ItemKind, StateValue};
use joi_language::house::HouseAsked;
use joi_language::values::{WatchCondition, WatchLimit, WatchMany, WatchTest, WatchedItem};
use joi_language::watch::{Becomes, ConditionPhrasings};

/// Why a thing can't be watched so.
enum NotWatched {
    Cannot,
    OnlyPower,
}

impl Watcher<'_> {
    /// Returns the item that states the moment of a test, and the moment.
    pub(super) fn moment(&self, test: &WatchTest) -> Option<(&Item, Timestamp)> {
        let follow = &self.situation.house.words.follow;
        let event = if *test == WatchTest::Sunset { &follow.sunset } else { &follow.sunrise };
        later::moment_item(&event.items, self.situation.house.house)
    }

    /// Returns the condition that `said` is; nothing when it is none.
    pub(super) fn condition(&self, said: &[String]) -> Option<ConditionRead> {
        let (words, mut fallback) = (self.situation.words, None);
        for (rest, for_s) in without_lasting(said, &words.frame, self.situation.when) {
            let figures = (self.situation.in_figures)(&rest.join(" "));
            let figures: Vec<String> = figures.split_whitespace().map(str::to_owned).collect();
            let long = self.written_out(&rest);
            let figures = (figures != rest).then_some(figures);
            for rest in std::iter::once(&rest).chain(&long).chain(&figures) {
                match self.lasting(rest, for_s) {
                    Some(ConditionRead::Wish(wish @ WatchWish::Refused(_))) => {
                        fallback = fallback.or(Some(ConditionRead::Wish(wish)));
                    }
                    Some(read) => return Some(read),
                    None => {}
                }
            }
        }
        fallback
    }

    /// Returns `said` with "is" for its short form, where there is one.
    fn written_out(&self, said: &[String]) -> Option<Vec<String>> {
        let frame = &self.situation.words.frame;
        let apart = |word: &String| {
            let stem = frame.is_short.iter().find_map(|end| word.strip_suffix(end.as_str()));
            match stem.filter(|stem| !stem.is_empty()) {
                Some(stem) => vec![stem.to_owned(), frame.is_full.clone()],
                None => vec![word.clone()],
            }
        };
        let long: Vec<String> = said.iter().flat_map(apart).collect();
        (long.len() > said.len()).then_some(long)
    }

    fn lasting(&self, said: &[String], for_s: u32) -> Option<ConditionRead> {
        let words = self.situation.words;
        let subjects: Vec<String> = words.who.nobody.clone();
        let plain = without(said, &subjects);
        if plain.iter().any(|word| words.frame.never.contains(word)) {
            return None;
        }
        let is_any = (0..said.len()).any(|at| longest(&said[at..], &words.who.any).is_some());
        let said = without(said, &words.who.any);
        let said = spoken::without_skipped(&said, self.situation.house.words);
        let mut fallback = None;
        for (at, phrasing) in &self.situation.phrasings.conditions {
            let entry = &words.condition[*at];
            for taken in phrasing.ways(&said, self.situation.house.words) {
                match self.of_entry(entry, &taken, &said, (for_s, is_any)) {
                    Some(ConditionRead::Wish(wish @ WatchWish::Refused(_))) => {
                        fallback = fallback.or(Some(ConditionRead::Wish(wish)));
                    }
                    Some(read) => return Some(read),
                    None => {}
                }
            }
        }
        fallback
    }

    fn of_entry(
        &self,
        entry: &ConditionPhrasings,
        taken: &TakenWords,
        said: &[String],
        (for_s, is_any): (u32, bool),
    ) -> Option<ConditionRead> {
        let words: Vec<String> =
            taken.things.iter().flat_map(|range| said[range.clone()].iter().cloned()).collect();
        match entry.becomes {
            Becomes::Home | Becomes::Away => self.present(entry, &words, for_s),
            Becomes::Sunset | Becomes::Sunrise if for_s > 0 => None,
            Becomes::Sunset => Some(self.sun(WatchTest::Sunset)),
            Becomes::Sunrise => Some(self.sun(WatchTest::Sunrise)),
            Becomes::Rings | Becomes::Done if for_s > 0 => None,
            _ => {
                let found = match self.things_of(entry, &words, is_any)? {
                    Ok(found) => found,
                    Err(wish) => return Some(ConditionRead::Wish(wish)),
                };
                Some(self.of_things(entry, taken, &found, for_s))
            }
        }
    }

    fn sun(&self, test: WatchTest) -> ConditionRead {
        match self.moment(&test) {
            Some((item, _)) => {
                let items = vec![WatchedItem { item: item.name.clone(), title: item.title().to_owned() }];
                ConditionRead::So(WatchCondition { test, items, many: WatchMany::Any, for_s: 0 }, true)
            }
            None => refused(WatchRefusal::House(HouseRefusal::NoMoment)),
        }
    }

    /// Returns the things that `words` name, and of how many it must be true.
    fn things_of(
        &self,
        entry: &ConditionPhrasings,
        words: &[String],
        is_any: bool,
    ) -> Option<Result<(Vec<usize>, WatchMany), WatchWish>> {
        if words.is_empty() && !entry.implied.is_empty() {
            return Some(self.implied(entry));
        }
        let (phrases, except) = self.reader.phrases(words);
        let phrases: Vec<ThingPhrase> = match entry.kind {
            Some(kind) if words.is_empty() => vec![ThingPhrase::default().with_kind(kind)],
            Some(kind) => phrases.into_iter().map(|phrase| phrase.with_kind(kind)).collect(),
            None => phrases,
        };
        let is_guess = |phrase: &ThingPhrase| self.reader.is_guess(phrase) && !words.is_empty();
        if !except.is_empty() || phrases.is_empty() || phrases.iter().any(is_guess) {
            return None;
        }
        let is_all = phrases.iter().any(|phrase| phrase.is_all);
        let is_several = is_all || phrases.len() > 1 || phrases.iter().any(|phrase| phrase.is_plural);
        let many = match (is_any, is_all, entry.becomes) {
            (true, ..) => WatchMany::Any,
            (_, true, _) => WatchMany::All,
            (_, _, Becomes::Closed | Becomes::Off | Becomes::Locked | Becomes::Done) if is_several => {
                WatchMany::All
            }
            _ => WatchMany::Any,
        };
        let purpose = if is_any || is_several { SearchPurpose::Question } else { SearchPurpose::Command };
        let wide = |phrase: ThingPhrase| ThingPhrase { is_all: phrase.is_all || is_any, ..phrase };
        let phrases: Vec<ThingPhrase> = phrases.into_iter().map(wide).collect();
        let asked = asked(entry.becomes);
        let kinds = asked.map_or(&[][..], ask::kinds_of_place);
        let search = self.reader.search(purpose, kinds);
        let is_lock = matches!(entry.becomes, Becomes::Locked | Becomes::Unlocked);
        let locks: Vec<ThingPhrase> = phrases
            .iter()
            .cloned()
            .map(|phrase| phrase.with_kind(joi_language::house::ThingKind::Lock))
            .collect();
        let found = match is_lock.then(|| self.reader.found(&locks, &search)) {
            Some(found @ FoundThings::Things(_)) => found,
            _ => self.reader.found(&phrases, &search),
        };
        let named = |found: Vec<usize>| found.iter().map(|at| self.reader.named(*at)).collect();
        match found {
            FoundThings::Things(found) => Some(Ok((self.reader.chosen_of(&found).unwrap_or(found), many))),
            FoundThings::Which(found) => Some(Err(WatchWish::Which(named(found)))),
            FoundThings::Where(found) => Some(Err(WatchWish::Where(named(found)))),
            FoundThings::NoSuch => {
                let said: Vec<&str> = phrases.iter().map(|phrase| phrase.said.as_str()).collect();
                let said = if words.is_empty() { String::new() } else { said.join(" ") };
                Some(Err(WatchWish::Refused(WatchRefusal::House(HouseRefusal::NoSuch(said)))))
            }
            FoundThings::Nothing => None,
        }
    }

    fn implied(&self, entry: &ConditionPhrasings) -> Result<(Vec<usize>, WatchMany), WatchWish> {
        let search = self.reader.search(SearchPurpose::Command, &[]);
        let found = entry.implied.iter().find_map(|name| {
            match self.reader.found(&[self.reader.lexicon.said(&spoken::words(name))], &search) {
                FoundThings::Things(found) => Some(found),
                _ => None,
            }
        });
        let none = || {
            let said = entry.implied.first().cloned().unwrap_or_default();
            WatchWish::Refused(WatchRefusal::House(HouseRefusal::NoSuch(said)))
        };
        found.map(|found| (found, WatchMany::Any)).ok_or_else(none)
    }

    fn of_things(
        &self,
        entry: &ConditionPhrasings,
        taken: &TakenWords,
        (found, many): &(Vec<usize>, WatchMany),
        for_s: u32,
    ) -> ConditionRead {
        let mut items: Vec<(WatchedItem, &Item)> = Vec::new();
        let mut refusal = None;
        for at in found {
            let thing = &self.reader.things.all[*at];
            match self.item_of(entry.becomes, thing) {
                Ok((thing, item)) => {
                    let title = self.reader.title(thing);
                    items.push((WatchedItem { item: item.name.clone(), title }, item));
                }
                Err(why) => {
                    let title = self.reader.title(thing);
                    let why = match why {
                        NotWatched::Cannot => WatchRefusal::Cannot(title),
                        NotWatched::OnlyPower => WatchRefusal::OnlyPower(title),
                    };
                    refusal = refusal.or(Some(why));
                }
            }
        }
        let Some((_, first)) = items.first() else {
            return refused(refusal.unwrap_or(WatchRefusal::Cannot(String::new())));
        };
        let Some(test) = test(entry, taken, first) else {
            return refused(WatchRefusal::Cannot(items[0].0.title.clone()));
        };
        if items.len() > 1
            && matches!(test, WatchTest::Below(_) | WatchTest::Above(_))
            && *many == WatchMany::Any
        {
            // Of two rooms nobody knows which is meant; all of them were named.
            let is_same = |(_, item): &(WatchedItem, &Item)| unit_of(item) == unit_of(first);
            items.retain(is_same);
        }
        items.dedup_by(|one, other| one.0.item == other.0.item);
        let items = items.into_iter().map(|(item, _)| item).collect();
        ConditionRead::So(WatchCondition { test, items, many: *many, for_s }, entry.event)
    }

    /// Returns the item whose state decides, and the thing that it belongs to.
    fn item_of<'t>(
        &'t self,
        becomes: Becomes,
        thing: &'t Thing<'t>,
    ) -> Result<(&'t Thing<'t>, &'t Item), NotWatched> {
        let is_kind = |item: &&Item, kinds: &[ItemKind]| kinds.contains(item.kind.acts_as());
        let own = |item: Option<&'t Item>| item.map(|item| (thing, item)).ok_or(NotWatched::Cannot);
        if let Some(asked) = asked(becomes) {
            let near =
                matches!(asked, HouseAsked::Locked | HouseAsked::Unlocked) && deed::lock(thing).is_none();
            let thing = if near { self.reader.lock_near(thing).unwrap_or(thing) } else { thing };
            return ask::state_of(thing, asked).map(|item| (thing, item)).ok_or(NotWatched::Cannot);
        }
        match becomes {
            Becomes::Done => {
                let text = thing.points.iter().copied().find(|item| is_kind(item, &[ItemKind::Text]));
                let running = deed::switch(thing).or_else(|| deed::player(thing)).or(text);
                let has_power =
                    thing.points.iter().any(|item| unit_of(item).is_some_and(|unit| unit.ends_with('W')));
                match running {
                    None if has_power => Err(NotWatched::OnlyPower),
                    running => own(running),
                }
            }
            Becomes::Rings => {
                let kinds = [ItemKind::Switch, ItemKind::Contact, ItemKind::DateTime, ItemKind::Text];
                own(kinds.iter().find_map(|kind| {
                    thing.points.iter().copied().find(|item| is_kind(item, std::slice::from_ref(kind)))
                }))
            }
            _ => {
                let is_number = |item: &Item| {
                    matches!(
                        item.kind.acts_as(),
                        ItemKind::Number { .. } | ItemKind::Dimmer | ItemKind::Rollershutter
                    )
                };
                let main = ask::main(thing).filter(|item| is_number(item));
                own(main.or_else(|| thing.points.iter().copied().find(|item| is_number(item))))
            }
        }
    }
}

fn refused(refusal: WatchRefusal) -> ConditionRead {
    ConditionRead::Wish(WatchWish::Refused(refusal))
}

/// Returns the question about the same state.
fn asked(becomes: Becomes) -> Option<HouseAsked> {
    Some(match becomes {
        Becomes::On => HouseAsked::On,
        Becomes::Off => HouseAsked::Off,
        Becomes::Open => HouseAsked::Open,
        Becomes::Closed => HouseAsked::Closed,
        Becomes::Locked => HouseAsked::Locked,
        Becomes::Unlocked => HouseAsked::Unlocked,
        _ => return None,
    })
}

/// Returns the unit that an item's numbers have.
fn unit_of(item: &Item) -> Option<&str> {
    match &item.state.value {
        StateValue::Number { unit: Some(unit), .. } => Some(unit),
        StateValue::Percent(_) => Some("%"),
        _ => item.unit.as_deref(),
    }
}

/// Returns the test of `item`; nothing where it does not count in what was said.
fn test(entry: &ConditionPhrasings, taken: &TakenWords, item: &Item) -> Option<WatchTest> {
    Some(match entry.becomes {
        Becomes::On => WatchTest::On,
        Becomes::Off => WatchTest::Off,
        Becomes::Open => WatchTest::Open,
        Becomes::Closed => WatchTest::Closed,
        Becomes::Locked => WatchTest::Locked,
        Becomes::Unlocked => WatchTest::Unlocked,
        Becomes::Done => WatchTest::Done,
        Becomes::Rings => WatchTest::Rings,
        Becomes::Home => WatchTest::Home,
        Becomes::Away => WatchTest::Away,
        Becomes::Sunset => WatchTest::Sunset,
        Becomes::Sunrise => WatchTest::Sunrise,
        Becomes::Below => WatchTest::Below(limit(entry, taken, item)?),
        Becomes::Above => WatchTest::Above(limit(entry, taken, item)?),
    })
}

fn limit(entry: &ConditionPhrasings, taken: &TakenWords, item: &Item) -> Option<WatchLimit> {
    let said = taken.number.or(entry.value)?;
    let said = if entry.negative { -said } else { said };
    let unit = unit_of(item).unwrap_or_default();
    let counts_fahrenheit = unit.ends_with('F');
    let value = match (entry.unit.as_deref(), unit) {
        (Some(said), own) if said == own => taken_number(taken, entry)?,
        (Some("W"), "kW") => taken_number(taken, entry)? / 1000.0,
        (Some("kW"), "W") => taken_number(taken, entry)? * 1000.0,
        (Some(_), _) => return None,
        (None, unit) if taken.is_percent && unit != "%" => return None,
        (None, _) if taken.is_fahrenheit && !counts_fahrenheit => (said - 32.0) / 1.8,
        (None, _) => said,
    };
    Some(WatchLimit { value, unit: unit.to_owned() })
}

fn taken_number(taken: &TakenWords, entry: &ConditionPhrasings) -> Option<f64> {
    taken.number.or(entry.value)
}
