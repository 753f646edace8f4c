//! Questions and orders about watches: which there are, and the end of some.
//!
//! Pure: no I/O, no clock.

use super::super::spoken;
use super::super::target::{FoundThings, SearchPurpose};
use super::frame::{core, longest};
use super::phrasings::WatchPhrasings;
use super::situation::{WatchSituation, Watcher};
use super::wish::{ConditionRead, WatchWish};
use joi_language::house::ThingKind;
use joi_language::values::{WatchChoice, WatchOrder};

/// What a room alone stands for, where something of it is not watched any more.
const OF_PLACE: &[ThingKind] = &[
    ThingKind::Door,
    ThingKind::Window,
    ThingKind::Blind,
    ThingKind::Lock,
    ThingKind::Temperature,
    ThingKind::Light,
];

/// Returns whether `said` has the form of such an order, whatever the house holds.
pub(super) fn may_be(said: &[String], situation: &WatchSituation<'_>) -> bool {
    let (orders, frame) = (&situation.words.orders, &situation.words.frame);
    let house = situation.house.words;
    [said.to_vec(), core(said, frame)].iter().any(|said| {
        let plain = spoken::without_skipped(said, house);
        let WatchPhrasings { list, stop, stop_all, .. } = situation.phrasings;
        let mut all = list.iter().chain(stop).chain(stop_all);
        longest(said, &orders.stop_telling).is_some() || all.any(|one| !one.ways(&plain, house).is_empty())
    })
}

fn ordered(order: WatchOrder) -> WatchWish {
    WatchWish::Order(order, Vec::new())
}

impl Watcher<'_> {
    /// Returns a question about watches, or the end of some.
    pub(super) fn ordered(&self, said: &[String]) -> Option<WatchWish> {
        // "You need not …" begins like a request.
        let core = core(said, &self.situation.words.frame);
        self.ordered_by(said).or_else(|| self.ordered_by(&core))
    }

    fn ordered_by(&self, core: &[String]) -> Option<WatchWish> {
        let (words, phrasings) = (self.situation.words, self.situation.phrasings);
        if let Some(length) = longest(core, &words.orders.stop_telling) {
            return self.unwatched(&core[length..]);
        }
        let house = self.situation.house.words;
        let plain = spoken::without_skipped(core, house);
        let fits = |phrasings: &[super::super::phrasing::Phrasing]| {
            phrasings.iter().any(|phrasing| !phrasing.ways(&plain, house).is_empty())
        };
        if fits(&phrasings.list) {
            return Some(ordered(WatchOrder::List));
        }
        if fits(&phrasings.stop_all) {
            return Some(ordered(WatchOrder::Remove(WatchChoice::All)));
        }
        phrasings.stop.iter().find_map(|phrasing| {
            phrasing.ways(&plain, house).iter().find_map(|taken| {
                let words: Vec<String> =
                    taken.things.iter().flat_map(|range| plain[range.clone()].iter().cloned()).collect();
                self.of(&words)
            })
        })
    }

    /// Returns the end of the watches of what a condition is about.
    fn unwatched(&self, said: &[String]) -> Option<WatchWish> {
        let frame = &self.situation.words.frame;
        let length = longest(said, &frame.when).max(longest(said, &frame.whenever))?;
        let said = &said[length..];
        match self.condition(said)? {
            ConditionRead::So(condition, _) => {
                let items = condition.items.iter().map(|item| item.item.clone()).collect();
                let said =
                    condition.items.iter().map(|item| item.title.clone()).collect::<Vec<_>>().join(", ");
                Some(ordered(WatchOrder::Remove(WatchChoice::Of { items, said })))
            }
            ConditionRead::Wish(wish) => Some(wish),
        }
    }

    /// Returns the end of the watches of the things that `words` name, and of whoever they name.
    fn of(&self, words: &[String]) -> Option<WatchWish> {
        let (phrases, except) = self.reader.phrases(words);
        if !except.is_empty() || phrases.is_empty() {
            return None;
        }
        let found = self.reader.found(&phrases, &self.reader.search(SearchPurpose::Question, OF_PLACE));
        let things = match found {
            FoundThings::Things(found) | FoundThings::Which(found) | FoundThings::Where(found) => found,
            FoundThings::NoSuch => Vec::new(),
            FoundThings::Nothing => return None,
        };
        let things = things.iter().map(|at| &self.reader.things.all[*at]);
        let items = things.flat_map(|thing| thing.points.iter().map(|item| item.name.clone())).collect();
        let said = words.join(" ");
        Some(ordered(WatchOrder::Remove(WatchChoice::Of { items, said })))
    }
}
