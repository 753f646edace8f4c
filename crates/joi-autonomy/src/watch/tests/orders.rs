//! Orders about watches, over a real database, and their sentences in both languages.

use std::sync::Arc;

use super::*;
use joi_base::clock::{Clock, ManualClock};
use joi_base::message::Origin;
use joi_language::testing::{english, german};
use joi_language::values::{WatchChoice, WatchId, WatchOrder};
use joi_store::Store;

fn watches(store: &Store) -> Watches {
    let clock = Arc::new(ManualClock::at(at(0).to_zoned(jiff::tz::TimeZone::UTC)));
    Watches::new(store.clone(), clock as Arc<dyn Clock>, None)
}

fn words() -> OrderOrigin {
    OrderOrigin { said: "tell me when the door opens".into(), origin: Origin::Speech }
}

async fn answers(watches: &Watches, order: WatchOrder, house: &House) -> [String; 2] {
    let done = watches.obey(order, words(), Some(house.clone())).await.unwrap();
    [english(), german()].map(|language| said::reported(&done.report, language, &done.at))
}

#[tokio::test]
async fn a_watch_is_kept_with_its_origin_listed_and_ended_by_thing_number_or_all() {
    let store = Store::in_memory().unwrap();
    let watches = watches(&store);
    let house = house(&[("Door", "Contact", "CLOSED"), ("Air", "Number:Temperature", "3 °C")]);
    let opens = notice(condition(WatchTest::Open, &["Door"]));
    let cold = NewWatch { until: Some(at(3600 * 20)), ..always(notice(condition(below(5.0), &["Air"]))) };
    let added = answers(&watches, WatchOrder::Add(opens.clone()), &house).await;
    assert_eq!(added, ["I'll tell you when Door is open.", "Ich sage dir Bescheid, wenn Door offen ist."]);
    let added = answers(&watches, WatchOrder::Add(cold.clone()), &house).await;
    let expected = "I'll tell you every time Air is below 5 °C. It is so now; I'll wait for the next time. \
                    Until tomorrow at 5 AM.";
    assert_eq!(added[0], expected);
    assert_eq!(answers(&watches, WatchOrder::Add(opens), &house).await[0], "I'm watching for that already.");
    let all = watches.all().await.unwrap();
    assert_eq!(all.iter().map(|watch| watch.id).collect::<Vec<_>>(), [WatchId(1), WatchId(2)]);
    assert_eq!((all[0].origin(), all[0].said.as_str()), (Origin::Speech, "tell me when the door opens"));
    let listed = answers(&watches, WatchOrder::List, &house).await;
    assert_eq!(
        listed[1],
        "Darauf achte ich: wenn Door offen ist und jedes Mal, wenn Air unter 5 °C ist, bis morgen um 5 Uhr."
    );
    let of = |items: &[&str]| {
        let items = items.iter().map(|item| (*item).to_owned()).collect();
        WatchOrder::Remove(WatchChoice::Of { items, said: "the gate".into() })
    };
    assert_eq!(answers(&watches, of(&["Gate"]), &house).await[0], "I'm not watching the gate.");
    assert_eq!(answers(&watches, of(&["Door"]), &house).await[0], "Not any more: when Door is open.");
    let number = WatchOrder::Remove(WatchChoice::Number(WatchId(2)));
    assert!(answers(&watches, number, &house).await[0].starts_with("Not any more: every time Air"));
    assert_eq!(
        answers(&watches, WatchOrder::Remove(WatchChoice::All), &house).await[0],
        "I'm not watching anything."
    );
    let again = notice(condition(WatchTest::Closed, &["Door"]));
    answers(&watches, WatchOrder::Add(again), &house).await;
    assert_eq!(watches.all().await.unwrap()[0].id, WatchId(3), "no number is used twice");
}

#[tokio::test]
async fn no_more_are_kept_than_the_limit() {
    let store = Store::in_memory().unwrap();
    let watches = watches(&store);
    let house = house(&[("Air", "Number:Temperature", "30 °C")]);
    for degrees in 0..MOST_WATCHES {
        let wanted = notice(condition(below(degrees as f64), &["Air"]));
        let done = watches.obey(WatchOrder::Add(wanted), words(), Some(house.clone())).await.unwrap();
        assert!(done.report.is_done());
    }
    let wanted = notice(condition(below(-1.0), &["Air"]));
    let done = watches.obey(WatchOrder::Add(wanted), words(), Some(house)).await.unwrap();
    assert_eq!(done.report, WatchReport::TooMany(MOST_WATCHES));
}

#[tokio::test]
async fn a_watch_until_the_end_of_a_day_ends_at_the_midnight_of_that_day() {
    let store = Store::in_memory().unwrap();
    let house = house(&[("Door", "Contact", "CLOSED")]);
    let until = Some(at(3600 * 15));
    let opens = NewWatch { until, ..notice(condition(WatchTest::Open, &["Door"])) };
    let added = answers(&watches(&store), WatchOrder::Add(opens), &house).await;
    assert_eq!(
        added,
        [
            "I'll tell you when Door is open. Until today at midnight.",
            "Ich sage dir Bescheid, wenn Door offen ist. Bis heute um Mitternacht."
        ]
    );
}
