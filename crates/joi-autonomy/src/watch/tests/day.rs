//! A day of twenty watches in a house where something happens all the time, with the program killed wherever it is.

use std::collections::BTreeMap;
use std::time::Duration;

use super::task::{Bench, bench};
use super::*;
use joi_store::Store;

/// Seconds between two looks at the day.
const STEP: i64 = 30;

/// An item, the state in which it begins, the state that is watched for, and what is said of it.
struct Thing {
    name: String,
    kind: &'static str,
    begins: &'static str,
    becomes: &'static str,
    wanted: NewWatch,
    says: String,
    /// When it becomes so, in seconds.
    at: i64,
    is_so: bool,
}

/// A generator of numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn things(random: &mut Dice) -> Vec<Thing> {
    let mut things = Vec::new();
    for number in 0..20 {
        let name = format!("Thing_{number}");
        let title = name.replace('_', " ");
        let open = condition(WatchTest::Open, &[&name]);
        let (kind, begins, becomes, wanted, says) = match number {
            0..10 => ("Contact", "CLOSED", "OPEN", notice(open), format!("{title} is open.")),
            10..14 => {
                let cold = condition(below(5.0), &[&name]);
                ("Number:Temperature", "8 °C", "4.4 °C", notice(cold), format!("{title} is below 5 °C."))
            }
            14..17 => {
                let lasts = notice(WatchCondition { for_s: 600, ..open });
                ("Contact", "CLOSED", "OPEN", lasts, format!("{title} has been open for 10 minutes."))
            }
            _ => {
                let on = always(notice(condition(WatchTest::On, &[&name])));
                ("Switch", "OFF", "ON", on, format!("{title} is on."))
            }
        };
        let at = i64::try_from(random.below(80_000)).unwrap() + 1;
        things.push(Thing { name, kind, begins, becomes, wanted, says, at, is_so: false });
    }
    things
}

fn state_of(things: &[Thing]) -> House {
    let state = |thing: &Thing| if thing.is_so { thing.becomes } else { thing.begins };
    let rows: Vec<(&str, &str, &str)> =
        things.iter().map(|thing| (thing.name.as_str(), thing.kind, state(thing))).collect();
    house(&rows)
}

async fn pass(running: &Bench, seconds: i64) {
    tokio::time::advance(Duration::from_secs(STEP.unsigned_abs())).await;
    running.clock.set(at(seconds).to_zoned(jiff::tz::TimeZone::UTC));
}

#[tokio::test(start_paused = true)]
async fn a_day_of_twenty_watches_loses_and_doubles_none_wherever_the_program_is_killed() {
    for seed in [1, 7, 49] {
        let mut random = Dice(seed);
        let store = Store::in_memory().unwrap();
        let mut things = things(&mut random);
        let mut running = bench(store.clone(), 0).await;
        running.is(state_of(&things)).await;
        for wanted in things.iter().map(|thing| thing.wanted.clone()) {
            running.add(wanted).await;
            if random.below(4) == 0 {
                // It is set, and the program ends before it looks.
                running = bench(store.clone(), 0).await;
            }
        }
        running.is(state_of(&things)).await;
        assert_eq!(running.watches.all().await.unwrap().len(), 20, "seed {seed}");
        let mut kills = 0;
        for seconds in (STEP..86_400).step_by(STEP as usize) {
            pass(&running, seconds).await;
            let happened = things.iter_mut().filter(|thing| !thing.is_so && thing.at <= seconds);
            let is_news = happened.map(|thing| thing.is_so = true).count() > 0;
            let dies = is_news && random.below(2) == 0;
            if dies && random.below(2) == 0 {
                // It happens while nobody watches.
                running = bench(store.clone(), seconds).await;
                kills += 1;
            }
            running.is(state_of(&things)).await;
            if dies {
                running = bench(store.clone(), seconds).await;
                kills += 1;
            }
        }
        assert!(kills > 5, "seed {seed}: {kills}");
        running.is(state_of(&things)).await;
        let mut said: BTreeMap<String, usize> = BTreeMap::new();
        for text in running.says() {
            *said.entry(text).or_default() += 1;
        }
        let wanted: BTreeMap<String, usize> = things.iter().map(|thing| (thing.says.clone(), 1)).collect();
        assert_eq!(said, wanted, "seed {seed}, killed {kills} times");
        assert_eq!(running.watches.all().await.unwrap().len(), 3, "those that act every time go on");
    }
}
