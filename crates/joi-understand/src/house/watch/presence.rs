//! Who is at home: names in the house that state it, "somebody", "nobody", "I".
//!
//! Pure: no I/O, no clock.

use super::super::decision::NamedThing;
use super::super::spoken;
use super::refusal::WatchRefusal;
use super::situation::Watcher;
use super::wish::{ConditionRead, WatchWish};
use joi_home::house::{Item, Permission};
use joi_language::values::{WatchCondition, WatchMany, WatchTest, WatchedItem};
use joi_language::watch::{Becomes, ConditionPhrasings};

impl Watcher<'_> {
    /// Returns the condition that `said` comes home or leaves; nothing where it is nobody.
    pub(super) fn present(
        &self,
        entry: &ConditionPhrasings,
        said: &[String],
        for_s: u32,
    ) -> Option<ConditionRead> {
        let who = &self.situation.words.who;
        let house = self.situation.house.house;
        let items: Vec<&Item> = self.situation.presence.iter().filter_map(|name| house.item(name)).collect();
        let items: Vec<&Item> =
            items.into_iter().filter(|item| item.permission >= Permission::ReadOnly).collect();
        let test = if entry.becomes == Becomes::Home { WatchTest::Home } else { WatchTest::Away };
        let so = |test: WatchTest, items: &[&Item], many: WatchMany| {
            let items = items.iter().map(|item| watched(item)).collect();
            Some(ConditionRead::So(WatchCondition { test, items, many, for_s }, entry.event))
        };
        let chosen = self.situation.house.follow.chosen;
        let text = said.join(" ");
        let is = |list: &[String]| list.contains(&text);
        if is(&who.nobody) && test == WatchTest::Away {
            return None;
        }
        if [&who.somebody, &who.everybody, &who.nobody, &who.me].into_iter().any(|list| is(list)) {
            let none = || ConditionRead::Wish(WatchWish::Refused(WatchRefusal::NoPresence(text.clone())));
            return match items.as_slice() {
                [] if entry.weak => None,
                [] => Some(none()),
                items if is(&who.somebody) => so(test, items, WatchMany::Any),
                items if is(&who.everybody) => so(test, items, WatchMany::All),
                items if is(&who.nobody) => so(WatchTest::Away, items, WatchMany::All),
                [one] => so(test, &[*one], WatchMany::Any),
                several => match several.iter().find(|item| chosen.contains(&item.name)) {
                    Some(picked) => so(test, &[*picked], WatchMany::Any),
                    None => Some(ConditionRead::Wish(WatchWish::Which(named(several)))),
                },
            };
        }
        let phrase = self.reader.lexicon.said(said);
        if phrase.bag.is_empty() || !phrase.kinds.is_empty() {
            return None;
        }
        let is_called = |item: &&Item| {
            let mut names = item.names().map(|name| self.reader.lexicon.name(&owners(name)).bag);
            names.any(|bag| phrase.bag.is_subset(&bag))
        };
        let mut called: Vec<&Item> = items.iter().copied().filter(is_called).collect();
        if called.len() > 1 && called.iter().any(|item| chosen.contains(&item.name)) {
            called.retain(|item| chosen.contains(&item.name));
        }
        match called.as_slice() {
            [] if entry.weak || phrase.is_of_house => None,
            [] => Some(ConditionRead::Wish(WatchWish::Refused(WatchRefusal::NoPresence(text)))),
            [one] => so(test, &[*one], WatchMany::Any),
            several => Some(ConditionRead::Wish(WatchWish::Which(named(several)))),
        }
    }
}

/// Returns the words of a name, and whose thing it is: "Ben" of "Ben's phone" and of "Bens Handy".
fn owners(name: &str) -> Vec<String> {
    let words = spoken::words(name);
    let stems = words.iter().filter_map(|word| {
        let stem = word.strip_suffix("'s").or_else(|| word.strip_suffix('s'))?;
        (stem.chars().count() > 1).then(|| stem.to_owned())
    });
    let stems: Vec<String> = stems.collect();
    words.into_iter().chain(stems).collect()
}

fn watched(item: &Item) -> WatchedItem {
    WatchedItem { item: item.name.clone(), title: item.title().to_owned() }
}

fn named(items: &[&Item]) -> Vec<NamedThing> {
    items.iter().map(|item| NamedThing { name: item.name.clone(), title: item.title().to_owned() }).collect()
}
