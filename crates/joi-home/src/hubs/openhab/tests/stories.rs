//! The client and the house to try over real connections. Waits end when something has happened; the limits are there to
//! fail.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::super::HUB;
use crate::address::ServerAddress;
use crate::backend::{
    CommandOutcome, FOLLOWS_WITHIN, Home, HomeLink, HomeView, SendFault, ServerEvent, command,
};
use crate::fault::HomeFault;
use crate::follow::Follower;
use crate::house::{HouseRules, ItemCommand, StateValue};
use crate::server::{HomeServer, HubPlace};
use crate::token::{HomeToken, TokenSource};
use joi_house_demo::DemoStart;
use joi_house_demo::{DemoHome, DemoPhase, DemoWants};

struct Story {
    demo: DemoHome,
    home: HomeServer,
    stop: CancellationToken,
}

impl Drop for Story {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn server(url: &str, token: TokenSource) -> (HomeServer, Follower) {
    let address = ServerAddress::read(url).unwrap();
    HomeServer::new(HubPlace { hub: HUB, address, token }, HouseRules::default()).unwrap()
}

impl Story {
    async fn begin(wants: DemoWants, token: TokenSource) -> Self {
        let demo = DemoHome::start(wants).await.unwrap();
        let (home, follower) = server(&demo.url(), token);
        let stop = CancellationToken::new();
        tokio::spawn(follower.run(stop.clone()));
        Self { demo, home, stop }
    }

    async fn up() -> Self {
        let story = Self::begin(DemoWants::default(), TokenSource::None).await;
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

#[tokio::test]
async fn a_command_is_done_when_its_state_follows() {
    let story = Story::up().await;
    for (item, order, text) in [
        ("Hall_Light", ItemCommand::On, "ON"),
        ("Hall_Light", ItemCommand::On, "ON"),
        ("Kitchen_Counter", ItemCommand::On, "100"),
        ("Living_Ceiling", ItemCommand::Percent(30.0), "30"),
        ("Living_Setpoint", ItemCommand::Number(22.5), "22.5 °C"),
        ("Living_Lamp_Color", ItemCommand::Colour(240.0, 100.0, 50.0), "240,100,50"),
        ("Living_Mode", ItemCommand::Text("manual".into()), "manual"),
        ("Living_Blinds", ItemCommand::Down, "100"),
        ("Living_Music", ItemCommand::Play, "PLAY"),
        ("Lights", ItemCommand::Off, "OFF"),
    ] {
        match story.command(item, order.clone()).await {
            CommandOutcome::Done(state) => assert_eq!(state.text, text, "{item} {order:?}"),
            other => panic!("{item} {order:?}: {other:?}"),
        }
    }
    assert_eq!(story.command("Living_Blinds", ItemCommand::Stop).await, CommandOutcome::Sent);
    assert_eq!(story.demo.commands().len(), 11);
    assert_eq!(story.text("Bedroom_Lamp"), "0");
}

#[tokio::test]
async fn a_device_that_does_not_obey_is_reported() {
    let wants = DemoWants { follows: Duration::from_secs(3600), ..DemoWants::default() };
    let story = Story::begin(wants, TokenSource::None).await;
    story.until("up", |view| view.link.is_up()).await;
    let house = story.home.watch().borrow().house.clone();
    let ordered = house.order("Hall_Light", &ItemCommand::On).unwrap();
    let outcome = command(&story.home, &ordered, Duration::from_millis(50)).await;
    assert!(matches!(outcome, CommandOutcome::NotConfirmed(ref state) if state.text == "OFF"), "{outcome:?}");
    assert_eq!(story.demo.commands().len(), 1);
}

#[tokio::test]
async fn states_that_change_outside_are_seen_and_groups_follow() {
    let story = Story::up().await;
    story.demo.set("Kitchen_Window", "CLOSED");
    let view = story.until("closed", |view| view.house.item("Windows").unwrap().state.text == "CLOSED").await;
    assert_eq!(view.house.item("Kitchen_Window").unwrap().state.value, StateValue::OpenClosed(false));
    story.demo.set("Living_Temperature", "23.4 °C");
    // The average comes in kelvin.
    story.until("21.58 °C", |view| view.house.item("Temperatures").unwrap().state.text == "21.58 °C").await;
    story.demo.set("Outside_Temperature", "UNDEF");
    story
        .until("UNDEF", |view| {
            view.house.item("Outside_Temperature").unwrap().state.value == StateValue::Undefined
        })
        .await;
}

#[tokio::test]
async fn a_lost_answer_is_reported_and_the_command_goes_out_once() {
    let mut story = Story::up().await;
    story.demo.phase(DemoPhase::Mute);
    let mut requests = story.demo.requests();
    let house = story.home.watch().borrow().house.clone();
    let ordered = house.order("Hall_Light", &ItemCommand::On).unwrap();
    let home = story.home.clone();
    let sending = tokio::spawn(async move { home.send(&ordered).await });
    while requests.recv().await.unwrap().method != "POST" {}
    story.demo.phase(DemoPhase::Running);
    story.demo.cut().await.unwrap();
    let sent = sending.await.unwrap();
    assert!(matches!(sent, Err(SendFault::OutcomeUnknown(_))), "{sent:?}");
    story.until("down", |view| !view.link.is_up()).await;
    story.until("up", |view| view.link.is_up()).await;
    assert_eq!(story.demo.commands(), [("Hall_Light".to_owned(), "ON".to_owned())]);
    assert_eq!(story.text("Hall_Light"), "ON");
}

#[tokio::test]
async fn a_restart_keeps_the_rooms_hides_the_states_and_is_over_soon() {
    let mut story = Story::up().await;
    let before = story.home.watch().borrow().house.revision();
    story.demo.stop();
    let view = story.until("lost", |view| matches!(view.link, HomeLink::Lost { .. })).await;
    assert!(view.house.items().all(|item| item.state.value == StateValue::Unknown));
    assert_eq!((view.house.items().len(), view.house.revision().layout), (61, before.layout));
    let refused = story.command("Hall_Light", ItemCommand::On).await;
    assert!(matches!(refused, CommandOutcome::Failed(SendFault::NotSent(_))), "{refused:?}");

    story.demo.start_again(DemoPhase::WebServerPage).await.unwrap();
    let mut requests = story.demo.requests();
    for phase in [DemoPhase::NoService, DemoPhase::Empty, DemoPhase::Broken, DemoPhase::NoItems] {
        requests.recv().await.unwrap();
        story.demo.phase(phase);
    }
    requests.recv().await.unwrap();
    story.demo.phase(DemoPhase::Running);
    let mut requests = story.demo.requests();
    let view = story.until("up", |view| view.link.is_up()).await;
    // That it takes five seconds at most is a matter of the waits (see `link/tests.rs`): here none is added to them.
    let asked: Vec<String> = std::iter::from_fn(|| requests.try_recv().ok()).map(|one| one.path).collect();
    let reads = asked.iter().filter(|path| path.contains("&metadata=")).count();
    assert!(reads <= 3, "two good answers, and one that was on its way: {asked:?}");
    assert_eq!(view.house.items().len(), 61);
    assert_eq!(view.house.item("Hall_Light").unwrap().state.value, StateValue::Null);
    assert!(matches!(story.command("Hall_Light", ItemCommand::On).await, CommandOutcome::Done(_)));
}

#[tokio::test]
async fn a_server_that_starts_as_recorded_is_believed_once_and_knows_its_states_when_devices_have_reported() {
    let wants = DemoWants { start: DemoStart::Stepwise, ..DemoWants::default() };
    let story = Story::begin(wants, TokenSource::None).await;
    let mut seen = story.home.watch();
    let (mut times_up, mut was_up, mut was_starting) = (0, false, false);
    loop {
        let view = seen.borrow_and_update().clone();
        times_up += u32::from(view.link.is_up() && !was_up);
        was_up = view.link.is_up();
        was_starting |= view.link == HomeLink::Starting;
        let state = view.house.item("Kitchen_Light").map(|item| item.state.clone());
        if was_up && state.is_some_and(|state| state.text == "ON") {
            break;
        }
        timeout(Duration::from_secs(60), seen.changed()).await.expect("the start is through").unwrap();
    }
    assert_eq!((times_up, was_starting), (1, true), "it flaps, and is not believed meanwhile");
}

#[tokio::test]
async fn garbage_and_ten_thousand_events_leave_the_house_true() {
    let story = Story::up().await;
    for garbage in ["data: {\n\n", "event: message\ndata: \u{0}\n\n", ": x\n\n", "nonsense\n", "\n\n\n"] {
        story.demo.send_raw(garbage);
    }
    for level in 0..10_000 {
        story.demo.set("Living_Ceiling", &(level % 100).to_string());
        if level % 500 == 0 {
            tokio::task::yield_now().await;
        }
    }
    story.demo.set("Hall_Light", "ON");
    let view = story.until("on", |view| view.house.item("Hall_Light").unwrap().state.text == "ON").await;
    assert_eq!(view.house.item("Living_Ceiling").unwrap().state.text, "99");
    assert!(view.link.is_up());
}

#[tokio::test]
async fn an_item_that_is_renamed_or_new_is_read() {
    let story = Story::up().await;
    story.demo.put_item(json!({"type": "Switch", "name": "New", "label": "Fountain", "state": "OFF", "tags": [], "groupNames": ["Garden"]}));
    let view = story.until("new", |view| view.house.item("New").is_some()).await;
    assert_eq!(view.house.item("New").unwrap().location.as_deref(), Some("Garden"));
    story.demo.put_item(json!({"type": "Switch", "name": "New", "label": "Waterfall", "state": "OFF", "tags": [], "groupNames": []}));
    story
        .until("renamed", |view| view.house.item("New").unwrap().label.as_deref() == Some("Waterfall"))
        .await;
}

#[tokio::test]
async fn a_wrong_a_missing_and_a_revoked_token_differ() {
    let closed = || DemoWants { token: Some("oh.joi.right".into()), is_open: false, ..DemoWants::default() };
    let given = |text: &str| TokenSource::Given(HomeToken::read(text).unwrap());
    let lost = |fault: HomeFault| move |view: &HomeView| view.link == HomeLink::Lost { fault: fault.clone() };

    let story = Story::begin(closed(), given("oh.joi.wrong")).await;
    story.until("wrong", lost(HomeFault::WrongToken)).await;
    let story = Story::begin(closed(), TokenSource::None).await;
    story.until("missing", lost(HomeFault::TokenMissing)).await;

    let story = Story::begin(closed(), given("oh.joi.right")).await;
    story.until("up", |view| view.link.is_up()).await;
    story.demo.token(Some("oh.joi.other"));
    let refused = story.command("Hall_Light", ItemCommand::On).await;
    assert_eq!(refused, CommandOutcome::Failed(SendFault::NotSent(HomeFault::WrongToken)));
    story.until("revoked", lost(HomeFault::WrongToken)).await;
}

#[tokio::test]
async fn pictures_are_never_asked_for() {
    let demo = DemoHome::start(DemoWants::default()).await.unwrap();
    let mut requests = demo.requests();
    let (home, _follower) = server(&demo.url(), TokenSource::None);
    let check = home.check().await.unwrap();
    assert_eq!((check.items, check.has_semantics, check.version.as_str()), (61, true, "5.2.1"));
    let mut paths = Vec::new();
    while let Ok(request) = requests.try_recv() {
        paths.push(request.path);
    }
    let with_states: Vec<_> = paths.iter().filter(|path| path.contains("fields=name,state")).collect();
    assert!(with_states.len() > 5, "{paths:?}");
    assert!(
        with_states.iter().all(|path| path.contains("type=") && !path.contains("type=Image")),
        "{paths:?}"
    );
}

#[tokio::test]
async fn a_house_of_more_than_500_items_is_read_by_as_many_requests_as_a_small_one() {
    let furniture: Vec<Value> =
        serde_json::from_str(include_str!("../../../../../../assets/home/demo.json")).unwrap();
    let renamed = |at: usize| {
        furniture.iter().cloned().map(move |mut row| {
            row["name"] = json!(format!("{}_{at}", row["name"].as_str().unwrap()));
            row
        })
    };
    let mut counts = Vec::new();
    for items in [furniture.clone(), (0..9).flat_map(renamed).collect()] {
        let count = items.len();
        let demo = DemoHome::start(DemoWants { items, ..DemoWants::default() }).await.unwrap();
        let mut requests = demo.requests();
        let (home, _follower) = server(&demo.url(), TokenSource::None);
        assert_eq!(home.check().await.unwrap().items, count);
        counts.push(std::iter::from_fn(|| requests.try_recv().ok()).count());
    }
    assert!(counts[0] == counts[1] && counts[0] < 30, "{counts:?}");
}

#[tokio::test]
async fn events_can_be_followed() {
    let story = Story::up().await;
    let mut events = story.home.events();
    story.command("Hall_Light", ItemCommand::On).await;
    let mut seen = Vec::new();
    while seen.len() < 2 {
        match timeout(Duration::from_secs(5), events.recv()).await.unwrap().unwrap() {
            ServerEvent::Alive => {}
            event => seen.push(event),
        }
    }
    let item = || "Hall_Light".to_owned();
    assert_eq!(seen[0], ServerEvent::Commanded { item: item(), text: "ON".into() });
    assert_eq!(seen[1], ServerEvent::State { item: item(), text: "ON".into() });
}

#[tokio::test]
async fn another_server_and_no_server_differ() {
    let demo = DemoHome::start(DemoWants::default()).await.unwrap();
    let check = async |text: &str| server(text, TokenSource::None).0.check().await.unwrap_err();
    let answers = async |text: &str| server(text, TokenSource::None).0.answers().await;
    assert!(answers(&demo.url()).await);
    let closed = DemoHome::start(DemoWants { is_open: false, ..DemoWants::default() }).await.unwrap();
    assert!(answers(&closed.url()).await);
    let hass = joi_house_demo::DemoHass::start(joi_house_demo::HassWants::default()).await.unwrap();
    assert!(!answers(&hass.url()).await);
    demo.phase(DemoPhase::BadGateway);
    assert_eq!(check(&demo.url()).await, HomeFault::Proxy { status: 502 });
    let url = demo.url();
    drop(demo);
    // The port is free once the task has let it go.
    assert!(matches!(check(&url).await, HomeFault::Unreachable { .. }));
    let old = DemoHome::start(DemoWants { version: "3.4.0".into(), ..DemoWants::default() }).await.unwrap();
    assert_eq!(
        check(&old.url()).await,
        HomeFault::TooOld { hub: "openHAB", version: "3.4.0".into(), oldest: "4.0" }
    );
}

#[tokio::test]
async fn a_stream_that_dies_silently_is_noticed_and_opened_again() {
    let story = Story::up().await;
    story.demo.silent(true);
    tokio::time::pause();
    let begun = Instant::now();
    let is_lost = |view: &HomeView| matches!(view.link, HomeLink::Lost { .. });
    let view = story.until("lost", is_lost).await;
    assert!(view.house.items().all(|item| item.state.value == StateValue::Unknown));
    assert!(begun.elapsed() <= Duration::from_secs(26), "{:?}", begun.elapsed());
    tokio::time::resume();
    story.demo.silent(false);
    story.demo.set("Hall_Light", "ON");
    story.until("up", |view| view.link.is_up()).await;
    assert_eq!(story.text("Hall_Light"), "ON");
}

#[tokio::test]
async fn a_server_whose_clock_is_wrong_is_followed_all_the_same() {
    let story = Story::up().await;
    for (state, before, at) in [("ON", "OFF", "1970-01-01T00:00:07Z"), ("OFF", "ON", "2106-02-07T06:28:15Z")]
    {
        let payload = json!({"type": "OnOff", "value": state, "oldType": "OnOff", "oldValue": before,
            "lastStateUpdate": at, "lastStateChange": at});
        let event = json!({"topic": "openhab/items/Hall_Light/statechanged", "payload": payload.to_string(),
            "type": "ItemStateChangedEvent"});
        story.demo.send_raw(&format!("event: message\ndata: {event}\n\n"));
        story.until(state, |view| view.house.item("Hall_Light").unwrap().state.text == state).await;
    }
}
