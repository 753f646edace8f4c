//! The client and its double over real connections; the same stories as openHAB's.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::address::ServerAddress;
use crate::backend::{
    CommandOutcome, FOLLOWS_WITHIN, Home, HomeLink, HomeView, SendFault, ServerEvent, command,
};
use crate::fault::HomeFault;
use crate::follow::Follower;
use crate::house::{Caution, CautionCause, HouseRules, ItemCommand, ItemKind, Refused, StateValue};
use crate::hubs::hass::HUB;
use crate::server::{HomeServer, HubPlace};
use crate::token::{HomeToken, TokenSource};
use joi_house_demo::{DemoHass, HASS_TOKEN, HassPhase, HassWants};

struct Story {
    demo: DemoHass,
    home: HomeServer,
    stop: CancellationToken,
}

impl Drop for Story {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn token(text: &str) -> TokenSource {
    TokenSource::Given(HomeToken::read(text).unwrap())
}

fn server(url: &str, token: TokenSource) -> (HomeServer, Follower) {
    let address = ServerAddress::read(url).unwrap();
    HomeServer::new(HubPlace { hub: HUB, address, token }, HouseRules::default()).unwrap()
}

impl Story {
    async fn begin(wants: HassWants, token: TokenSource) -> Self {
        let demo = DemoHass::start(wants).await.unwrap();
        let (home, follower) = server(&demo.url(), token);
        let stop = CancellationToken::new();
        tokio::spawn(follower.run(stop.clone()));
        Self { demo, home, stop }
    }

    async fn up() -> Self {
        let story = Self::begin(HassWants::default(), token(HASS_TOKEN)).await;
        story.until("up", |view| view.link.is_up()).await;
        story
    }

    async fn until(&self, what: &str, holds: impl FnMut(&HomeView) -> bool) -> HomeView {
        let mut seen = self.home.watch();
        match timeout(Duration::from_secs(60), seen.wait_for(holds)).await {
            Ok(view) => view.unwrap().clone(),
            Err(_) => panic!("never {what}: {:?}", self.home.watch().borrow().link),
        }
    }

    async fn command(&self, item: &str, order: ItemCommand) -> CommandOutcome {
        let house = self.home.watch().borrow().house.clone();
        command(&self.home, &house.order(item, &order).unwrap(), FOLLOWS_WITHIN).await
    }

    fn text(&self, item: &str) -> String {
        self.home.watch().borrow().house.item(item).unwrap().state.text.clone()
    }
}

fn has_state<'a>(item: &'a str, text: &'a str) -> impl Fn(&HomeView) -> bool + 'a {
    move |view| view.house.item(item).is_some_and(|item| item.state.text == text)
}

#[tokio::test]
async fn areas_devices_and_entities_are_rooms_things_and_points() {
    let story = Story::up().await;
    let house = story.home.watch().borrow().house.clone();
    let item = |name: &str| house.item(name).unwrap_or_else(|| panic!("{name}"));
    let around: Vec<_> = house.locations_of(item("light.kitchen")).map(|place| place.title()).collect();
    assert_eq!(around, ["Kitchen", "Ground floor"]);
    let kitchen = house.location("area.kitchen").unwrap();
    assert!(kitchen.class_names.contains(&"Küche".to_owned()), "{:?}", kitchen.class_names);
    assert_eq!(house.location("area.living_room").unwrap().synonyms, ["lounge"]);
    assert_eq!(item("light.floor_lamp").synonyms, ["reading lamp"]);
    // What a device measures is a point of the only thing it is.
    assert_eq!(item("sensor.coffee_power").equipment.as_deref(), Some("switch.coffee"));
    assert_eq!(item("sensor.coffee_power").location.as_deref(), Some("area.kitchen"));
    // A relay switches things in two rooms.
    assert_eq!(item("switch.relay_1").location.as_deref(), Some("area.garden"));
    assert_eq!(house.equipment_named("switch.relay_2").unwrap().parent.as_deref(), Some("device.d_relay"));
    assert_eq!(item("sensor.outside_humidity").equipment.as_deref(), Some("device.d_climate_sensor"));
    let setpoint = item("climate.living_room.temperature");
    assert_eq!(
        (setpoint.range.min, setpoint.range.max, setpoint.unit.as_deref()),
        (Some(5.0), Some(30.0), Some("°C"))
    );
    assert_eq!(setpoint.equipment.as_deref(), Some("climate.living_room"));
    assert_eq!(
        item("sensor.outside_temperature").kind,
        ItemKind::Number { dimension: Some("Temperature".into()) }
    );
    assert!(item("sensor.outside_temperature").is_read_only);
    let scene: Vec<_> = item("scene").command_options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!((scene, item("scene").state.text.as_str()), (vec!["Bright", "Movie"], "scene.movie"));
}

#[tokio::test]
async fn what_is_not_exposed_does_not_exist_and_what_lets_in_is_asked_first() {
    let story = Story::up().await;
    let house = story.home.watch().borrow().house.clone();
    for hidden in ["light.secret", "camera.door", "sun.sun"] {
        assert!(house.item(hidden).is_none(), "{hidden}");
        assert!(matches!(house.order(hidden, &ItemCommand::On), Err(Refused::Unknown { .. })));
        assert!(story.home.state(hidden).await.is_err());
    }
    for (name, cause) in [
        ("lock.front_door", CautionCause::Entrance),
        ("cover.garage", CautionCause::Entrance),
        ("valve.water", CautionCause::Valve),
        ("alarm_control_panel.house", CautionCause::Alarm),
        ("alarm_control_panel.house.mode", CautionCause::Alarm),
    ] {
        assert_eq!(house.item(name).unwrap().caution, Caution::AskFirst(cause), "{name}");
    }
    for name in ["light.kitchen", "cover.kitchen", "climate.bathroom.temperature", "media_player.music"] {
        assert_eq!(house.item(name).unwrap().caution, Caution::None, "{name}");
    }
    // Hidden and shown later.
    let mut events = story.home.events();
    story.demo.expose("light.kitchen", false);
    story.until("hidden", |view| view.house.item("light.kitchen").is_none()).await;
    story.demo.set("light.kitchen", "off", &json!({}));
    story.demo.set("light.hall", "on", &json!({}));
    loop {
        match timeout(Duration::from_secs(5), events.recv()).await.unwrap().unwrap() {
            ServerEvent::State { item, .. } if item == "light.hall" => break,
            ServerEvent::State { item, .. } => panic!("{item}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_command_is_done_when_its_state_follows() {
    let story = Story::up().await;
    for (item, order, text) in [
        ("light.hall", ItemCommand::On, "ON"),
        ("light.kitchen_counter", ItemCommand::Percent(30.0), "30"),
        ("light.floor_lamp", ItemCommand::Colour(240.0, 100.0, 50.0), "240,100,50"),
        ("light.floor_lamp.color_temp", ItemCommand::Percent(100.0), "100"),
        ("climate.living_room.temperature", ItemCommand::Number(22.5), "22.5 °C"),
        ("climate.living_room.hvac_mode", ItemCommand::Text("auto".into()), "auto"),
        ("climate.living_room.power", ItemCommand::Off, "OFF"),
        ("cover.living_room", ItemCommand::Percent(30.0), "30"),
        ("cover.kitchen", ItemCommand::Down, "100"),
        ("lock.front_door", ItemCommand::Off, "OFF"),
        ("media_player.music", ItemCommand::Play, "PLAY"),
        ("media_player.music.volume", ItemCommand::Percent(45.0), "45"),
        ("media_player.television.power", ItemCommand::On, "ON"),
        ("alarm_control_panel.house", ItemCommand::On, "ON"),
        ("fan.bathroom", ItemCommand::Percent(50.0), "50"),
        ("valve.water", ItemCommand::Off, "OFF"),
        ("scene", ItemCommand::Text("scene.bright".into()), "scene.bright"),
        ("script", ItemCommand::Text("script.goodnight".into()), "script.goodnight"),
        ("input_select.mode", ItemCommand::Text("Guests".into()), "Guests"),
        ("switch.coffee", ItemCommand::On, "ON"),
    ] {
        match story.command(item, order.clone()).await {
            CommandOutcome::Done(state) => assert_eq!(state.text, text, "{item} {order:?}"),
            other => panic!("{item} {order:?}: {other:?}"),
        }
    }
    assert_eq!(story.command("media_player.music", ItemCommand::Next).await, CommandOutcome::Sent);
    assert_eq!(story.demo.calls().len(), 21);
    let house = story.home.watch().borrow().house.clone();
    assert!(matches!(
        house.order("sensor.outside_temperature", &ItemCommand::Number(1.0)),
        Err(Refused::ReadOnly { .. })
    ));
    assert!(matches!(
        house.order("climate.living_room.temperature", &ItemCommand::Number(90.0)),
        Err(Refused::OutOfRange { .. })
    ));
}

#[tokio::test]
async fn a_device_that_does_not_obey_is_reported() {
    let wants = HassWants { follows: Duration::from_secs(3600), ..HassWants::default() };
    let story = Story::begin(wants, token(HASS_TOKEN)).await;
    story.until("up", |view| view.link.is_up()).await;
    let house = story.home.watch().borrow().house.clone();
    let ordered = house.order("light.hall", &ItemCommand::On).unwrap();
    let outcome = command(&story.home, &ordered, Duration::from_millis(50)).await;
    assert!(matches!(outcome, CommandOutcome::NotConfirmed(ref state) if state.text == "OFF"), "{outcome:?}");
    assert_eq!(story.demo.calls().len(), 1);
}

#[tokio::test]
async fn a_lost_answer_is_reported_and_the_command_goes_out_once() {
    let mut story = Story::up().await;
    story.demo.phase(HassPhase::Mute);
    let mut calls = story.demo.services();
    let house = story.home.watch().borrow().house.clone();
    let ordered = house.order("light.hall", &ItemCommand::On).unwrap();
    let home = story.home.clone();
    let sending = tokio::spawn(async move { home.send(&ordered).await });
    calls.recv().await.unwrap();
    story.demo.phase(HassPhase::Running);
    story.demo.cut().await.unwrap();
    let sent = sending.await.unwrap();
    assert!(matches!(sent, Err(SendFault::OutcomeUnknown(_))), "{sent:?}");
    story.until("on", |view| view.link.is_up() && has_state("light.hall", "ON")(view)).await;
    assert_eq!(story.demo.calls().len(), 1);
}

#[tokio::test]
async fn a_restart_keeps_the_rooms_hides_the_states_and_is_over_soon() {
    let mut story = Story::up().await;
    let before = story.home.watch().borrow().house.clone();
    story.demo.stop();
    let view = story.until("lost", |view| matches!(view.link, HomeLink::Lost { .. })).await;
    assert!(view.house.items().all(|item| item.state.value == StateValue::Unknown));
    assert_eq!(view.house.items().len(), before.items().len());
    let refused = story.command("light.hall", ItemCommand::On).await;
    assert!(matches!(refused, CommandOutcome::Failed(SendFault::NotSent(_))), "{refused:?}");

    story.demo.start_again(HassPhase::Starting).await.unwrap();
    let is_starting = |view: &HomeView| {
        matches!(&view.link, HomeLink::Starting | HomeLink::Lost { fault: HomeFault::Starting { .. } })
    };
    story.until("starting", is_starting).await;
    story.demo.phase(HassPhase::Running);
    // How long that takes is a matter of the waits (see `link/tests.rs`).
    let view = story.until("up", |view| view.link.is_up()).await;
    assert_eq!(view.house.revision().layout, before.revision().layout);
    assert!(matches!(story.command("light.hall", ItemCommand::On).await, CommandOutcome::Done(_)));
}

#[tokio::test]
async fn garbage_and_ten_thousand_events_leave_the_house_true() {
    let story = Story::up().await;
    for garbage in
        ["{", "", "null", "[]", "{\"type\":\"event\",\"id\":1,\"event\":{\"event_type\":\"state_changed\"}}"]
    {
        story.demo.send_raw(garbage);
    }
    for level in 0..10_000_u32 {
        story.demo.set("light.living_room", "on", &json!({"brightness": level % 255}));
        if level % 500 == 0 {
            tokio::task::yield_now().await;
        }
    }
    story.demo.set("light.hall", "on", &Value::Null);
    let view = story.until("on", has_state("light.hall", "ON")).await;
    assert!(view.link.is_up());
}

#[tokio::test]
async fn an_entity_that_is_renamed_is_read() {
    let story = Story::up().await;
    story.demo.set("light.hall", "off", &json!({"friendly_name": "Chandelier"}));
    let renamed =
        |view: &HomeView| view.house.item("light.hall").unwrap().label.as_deref() == Some("Chandelier");
    story.until("renamed", renamed).await;
    assert_eq!(story.text("light.hall"), "OFF");
}

#[tokio::test]
async fn a_wrong_a_missing_and_a_revoked_token_and_a_user_without_rights_differ() {
    let lost = |fault: HomeFault| move |view: &HomeView| view.link == HomeLink::Lost { fault: fault.clone() };
    let story = Story::begin(HassWants::default(), token("wrong")).await;
    story.until("wrong", lost(HomeFault::WrongToken)).await;
    let story = Story::begin(HassWants::default(), TokenSource::None).await;
    story.until("missing", lost(HomeFault::TokenMissing)).await;
    let wants = HassWants { is_admin: false, ..HassWants::default() };
    let story = Story::begin(wants, token(HASS_TOKEN)).await;
    story.until("forbidden", lost(HomeFault::Forbidden)).await;

    let story = Story::up().await;
    story.demo.token("another");
    let refused = story.command("light.hall", ItemCommand::On).await;
    assert_eq!(refused, CommandOutcome::Failed(SendFault::NotSent(HomeFault::WrongToken)));
    story.until("revoked", lost(HomeFault::WrongToken)).await;
    assert_eq!(story.demo.calls(), []);
}

#[tokio::test]
async fn another_server_an_old_one_and_none_differ() {
    let check = async |url: &str| server(url, token(HASS_TOKEN)).0.check().await;
    let demo = DemoHass::start(HassWants::default()).await.unwrap();
    let found = check(&demo.url()).await.unwrap();
    assert_eq!((found.version.as_str(), found.has_semantics, found.locations), ("2026.11.1", true, 9));
    assert!(server(&demo.url(), TokenSource::None).0.answers().await);
    demo.phase(HassPhase::BadGateway);
    assert_eq!(check(&demo.url()).await, Err(HomeFault::Proxy { status: 502 }));
    let old =
        DemoHass::start(HassWants { version: "2022.6.0".into(), ..HassWants::default() }).await.unwrap();
    assert!(matches!(check(&old.url()).await, Err(HomeFault::TooOld { .. })));
    let openhab = joi_house_demo::DemoHome::start(joi_house_demo::DemoWants::default()).await.unwrap();
    assert!(!server(&openhab.url(), TokenSource::None).0.answers().await);
    assert!(matches!(check(&openhab.url()).await, Err(HomeFault::NotAServer { .. })));
    let url = demo.url();
    drop(demo);
    assert!(matches!(check(&url).await, Err(HomeFault::Unreachable { .. })));
}

#[tokio::test]
async fn a_connection_that_dies_silently_is_noticed_and_opened_again() {
    let story = Story::up().await;
    story.demo.silent(true);
    tokio::time::pause();
    let is_lost = |view: &HomeView| matches!(view.link, HomeLink::Lost { .. });
    story.until("lost", is_lost).await;
    tokio::time::resume();
    story.demo.silent(false);
    story.until("up", |view| view.link.is_up()).await;
}
