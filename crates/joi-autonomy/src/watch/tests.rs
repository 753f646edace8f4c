//! Watches under a clock that is set by hand: each boundary, restarts, and the task over a real database and queue.

mod day;
mod decisions;
mod orders;
mod task;

use jiff::{SignedDuration, Timestamp};

use super::*;
use joi_home::house::{House, HouseRules, Item, ItemKind, ItemState, TagVocabulary};
use joi_language::values::{
    LaterCommand, NewWatch, WatchCondition, WatchDeed, WatchLimit, WatchMany, WatchRepeat, WatchTest,
    WatchedItem,
};

/// The beginning of each test: 10:00 in Vienna.
fn at(seconds: i64) -> Timestamp {
    let begin: Timestamp = "2026-03-04T09:00:00Z".parse().unwrap();
    begin + SignedDuration::from_secs(seconds)
}

/// Returns a house with these items: name, type, state.
fn house(states: &[(&str, &str, &str)]) -> House {
    let item = |(name, kind, state): &(&str, &str, &str)| {
        let kind = ItemKind::named(kind);
        let mut item = Item::named(*name, kind);
        item.state = ItemState::read(state, &item.kind);
        item
    };
    House::new(states.iter().map(item).collect(), &TagVocabulary::default(), &HouseRules::default())
}

fn condition(test: WatchTest, items: &[&str]) -> WatchCondition {
    let watched = |item: &&str| WatchedItem { item: (*item).to_owned(), title: item.replace('_', " ") };
    WatchCondition { test, items: items.iter().map(watched).collect(), many: WatchMany::Any, for_s: 0 }
}

fn notice(condition: WatchCondition) -> NewWatch {
    NewWatch { condition, deed: WatchDeed::Tell, repeats: WatchRepeat::Once, until: None }
}

fn always(wanted: NewWatch) -> NewWatch {
    NewWatch { repeats: WatchRepeat::Always, ..wanted }
}

fn lamp_on(wanted: NewWatch) -> NewWatch {
    let commands = vec![LaterCommand { item: "Lamp".into(), text: "ON".into() }];
    NewWatch { deed: WatchDeed::Command { name: "Lamp on".into(), commands }, ..wanted }
}

fn below(value: f64) -> WatchTest {
    WatchTest::Below(WatchLimit { value, unit: "°C".into() })
}

/// A watch that is looked at by hand.
struct Looker {
    watch: Option<Watch>,
    said: Vec<String>,
    sent: usize,
    next: Option<Timestamp>,
}

impl Looker {
    fn begun(wanted: NewWatch, seconds: i64, house: &House) -> Self {
        let sight = Sight { house: Some(house), event: None, now: at(seconds), moved: SignedDuration::ZERO };
        let watch = begun(wanted, ("words".into(), "typing".into()), &sight);
        Self { watch: Some(watch), said: Vec::new(), sent: 0, next: None }
    }

    /// Looks; returns how often it acted.
    fn sees(&mut self, seconds: i64, house: Option<&House>) -> usize {
        self.looks(&Sight { house, event: None, now: at(seconds), moved: SignedDuration::ZERO })
    }

    fn looks(&mut self, sight: &Sight<'_>) -> usize {
        let Some(watch) = &self.watch else { return 0 };
        let looked = look(watch, sight);
        self.takes(looked)
    }

    fn takes(&mut self, looked: Looked) -> usize {
        let english = joi_language::testing::english();
        let now = at(0).to_zoned(jiff::tz::TimeZone::UTC);
        let count = looked.effects.len();
        for effect in looked.effects {
            match effect {
                WatchEffect::Say(sentence) => self.said.push(sentence.sentence(english, &now)),
                WatchEffect::Command(_) => self.sent += 1,
            }
        }
        // It is kept as it is read again.
        let stored = looked.watch.map(|watch| serde_json::to_string(&watch).unwrap());
        self.watch = stored.map(|text| serde_json::from_str(&text).unwrap());
        self.next = looked.next;
        count
    }
}
