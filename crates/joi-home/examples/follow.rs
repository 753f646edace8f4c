//! Follows a house and prints the changes of its items.
//!
//! `cargo run -p joi-home --example follow` follows the house to try, in which a lamp is switched on. With an address and
//! the kind of server, and a token in a file where one is needed, it follows your own until Ctrl-C:
//! `cargo run -p joi-home --example follow http://homeassistant.local:8123 home-assistant token.txt`.

use std::collections::HashMap;
use std::error::Error;

use joi_home::house::{HouseRules, ItemCommand};
use joi_home::{FOLLOWS_WITHIN, Home as _, HomeServer, Hub, HubPlace, ServerAddress, TokenSource, command};
use joi_house_demo::{DemoHome, DemoWants};
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    match args.next() {
        Some(url) => {
            let hub = match args.next() {
                Some(word) => Hub::named(&word).ok_or("the kind is openhab or home-assistant")?,
                None => Hub::default(),
            };
            let address = hub.address(&url)?;
            let token = args.next().map_or(TokenSource::None, |file| TokenSource::find(&file, None, None));
            follow(HubPlace { hub, address, token }, None, usize::MAX).await
        }
        None => {
            let demo = DemoHome::start(DemoWants::default()).await?;
            let address = ServerAddress::read(&demo.url())?;
            let place = HubPlace { hub: Hub::default(), address, token: TokenSource::None };
            follow(place, Some("Hall_Light"), 1).await
        }
    }
}

/// Follows the house at `place`, switches `lamp` on, and prints `most` changes.
async fn follow(place: HubPlace, lamp: Option<&str>, most: usize) -> Result<(), Box<dyn Error>> {
    let (home, follower) = HomeServer::new(place, HouseRules::default())?;
    let stop = CancellationToken::new();
    let following = tokio::spawn(follower.run(stop.clone()));
    let mut views = home.watch();
    let house = views.wait_for(|view| view.link.is_up()).await?.house.clone();
    println!("{} at {}: {} items", home.hub().name, home.address(), house.items().len());

    if let Some(order) = lamp.and_then(|lamp| house.order(lamp, &ItemCommand::On).ok()) {
        println!("{order:?}: {:?}", command(&home, &order, FOLLOWS_WITHIN).await);
    }
    let mut known: HashMap<_, _> =
        house.items().map(|item| (item.name.clone(), item.state.clone())).collect();
    let mut changes = 0;
    while changes < most {
        for item in views.borrow_and_update().house.items() {
            let before = known.insert(item.name.clone(), item.state.clone());
            if before.as_ref() != Some(&item.state) {
                println!("{} is {}", item.name, item.state.text);
                changes += 1;
            }
        }
        if changes < most {
            views.changed().await?;
        }
    }
    stop.cancel();
    Ok(following.await?)
}
