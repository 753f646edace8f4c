//! The same words to a house behind Home Assistant, over real connections to its double; no model is asked.

use super::later::waiting_in;
use super::*;
use joi_home::HomeToken;
use joi_house_demo::{DemoHass, HASS_TOKEN, HassWants};

/// A bench whose house is behind Home Assistant.
struct HousedAtHass {
    bench: Bench,
    demo: DemoHass,
    stop: CancellationToken,
}

impl Drop for HousedAtHass {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl HousedAtHass {
    async fn new() -> Self {
        let demo = DemoHass::start(HassWants::default()).await.unwrap();
        let address = ServerAddress::read(&demo.url()).unwrap();
        let token = TokenSource::Given(HomeToken::read(HASS_TOKEN).unwrap());
        let place = HubPlace { hub: Hub::named("home-assistant").unwrap(), address, token };
        let (home, follower) = HomeServer::new(place, HouseRules::default()).unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(follower.run(stop.clone()));
        let spoken_to = ConnectedHome::new(Arc::new(home.clone()), &HomeConfig::default());
        let bench = Bench::with(vec![], |parts| parts.home = Some(spoken_to));
        let mut seen = home.watch();
        let waited = tokio::time::timeout(Duration::from_secs(60), seen.wait_for(|view| view.link.is_up()));
        waited.await.expect("it never came up").unwrap();
        Self { bench, demo, stop }
    }

    async fn says(&self, text: &str) -> String {
        self.bench.say(text).await.shown()
    }

    fn called(&self) -> Vec<String> {
        assert_eq!(self.bench.model.requests().len(), 0);
        self.demo.calls().into_iter().map(|call| call.service).collect()
    }
}

#[tokio::test]
async fn a_command_is_done_read_back_and_taken_back() {
    let housed = HousedAtHass::new().await;
    assert_eq!(housed.says("Turn on the hall light.").await, "Hall light is on.");
    assert_eq!(housed.says("Is it on?").await, "Yes, it's on.");
    assert_eq!(housed.says("Undo that.").await, "Hall light is off.");
    assert_eq!(housed.called(), ["light.turn_on", "light.turn_off"]);
}

#[tokio::test]
async fn a_command_for_later_is_stored_and_one_for_a_while_has_its_way_back() {
    let housed = HousedAtHass::new().await;
    let told = housed.says("turn on the hall light in ten minutes").await;
    assert_eq!(told, "In 10 minutes: Hall light on.");
    assert_eq!((waiting_in(&housed.bench).await, housed.called()), (vec!["light.hall=ON".into()], vec![]));
    let told = housed.says("turn on the bathroom light for an hour").await;
    assert_eq!(told, "Bathroom light is on. In 1 hour: Bathroom light off.");
    assert_eq!(waiting_in(&housed.bench).await, ["light.hall=ON", "light.bathroom=OFF"]);
    assert_eq!(housed.called(), ["light.turn_on"]);
}

#[tokio::test]
async fn a_lock_is_asked_about_and_opened_by_a_yes_only() {
    for (answer, called) in [("no", &[][..]), ("yes", &["lock.unlock"])] {
        let housed = HousedAtHass::new().await;
        let asked = housed.bench.say("unlock the front door").await;
        assert!(asked.shown().contains("shall I really do it with Front door"), "{}", asked.shown());
        assert!(matches!(asked.outcome.conversation, ConversationStatus::Awaits(_)));
        assert_eq!(housed.called(), [""; 0]);
        housed.says(answer).await;
        assert_eq!(housed.called(), called, "{answer}");
    }
}
