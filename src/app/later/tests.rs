//! Commands that are due, over a real connection to the house to try.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::*;
use joi_home::house::HouseRules;
use joi_home::{HomeServer, Hub, HubPlace, ServerAddress, TokenSource};
use joi_house_demo::{DemoHome, DemoWants};

async fn connected() -> (DemoHome, LaterHand, CancellationToken) {
    let demo = DemoHome::start(DemoWants::default()).await.unwrap();
    let address = ServerAddress::read(&demo.url()).unwrap();
    let place = HubPlace { hub: Hub::default(), address, token: TokenSource::None };
    let (home, follower) = HomeServer::new(place, HouseRules::default()).unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(follower.run(stop.clone()));
    let waited = async { home.watch().wait_for(|view| view.link.is_up()).await.map(|_| ()) };
    tokio::time::timeout(Duration::from_secs(60), waited).await.expect("it never came").unwrap();
    (demo, LaterHand(Arc::new(home)), stop)
}

fn one(item: &str, text: &str) -> LaterCommand {
    LaterCommand { item: item.to_owned(), text: text.to_owned() }
}

#[tokio::test]
async fn what_is_due_is_sent_once_and_read_back() {
    let (demo, hand, _stop) = connected().await;
    let outcome = hand.obey(vec![one("Hall_Light", "ON"), one("Living_Blinds", "60")]).await;
    assert_eq!(outcome, LaterOutcome::Done);
    let mut sent = demo.commands();
    sent.sort();
    let expected = [("Hall_Light", "ON"), ("Living_Blinds", "60")];
    assert_eq!(sent, expected.map(|(item, text)| (item.to_owned(), text.to_owned())));
}

#[tokio::test]
async fn what_needs_a_yes_or_is_gone_is_not_sent_nor_is_what_was_ordered_with_it() {
    let (demo, hand, _stop) = connected().await;
    for shut in [one("Front_Door_Lock", "OFF"), one("No_Such_Thing", "ON"), one("Hall_Light", "SING")] {
        assert_eq!(hand.obey(vec![one("Kitchen_Light", "OFF"), shut]).await, LaterOutcome::Failed);
    }
    assert_eq!(demo.commands(), []);
}
