//! Speaking to a connected house, over real connections to the house to try; no model is asked.

use super::*;
use joi_autonomy::watch::Watches;
use joi_home::house::HouseRules;
use joi_home::{Home, HomeConfig, HomeServer, HomeView, Hub, HubPlace, ServerAddress, TokenSource};
use joi_house_demo::{DemoHome, DemoPhase, DemoWants};

mod follow;
mod hass;
mod languages;
mod later;
mod model;
mod near;
mod watched;

/// A bench in whose living room the device stands.
struct Housed {
    bench: Bench,
    demo: DemoHome,
    home: HomeServer,
    stop: CancellationToken,
}

impl Drop for Housed {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Housed {
    async fn new(script: Vec<Vec<Step>>) -> Self {
        Self::with(script, |_| {}).await
    }

    async fn with(script: Vec<Vec<Step>>, change: impl FnOnce(&mut EngineParts<Scripted>)) -> Self {
        Self::in_room("Living", script, change).await
    }

    async fn in_room(
        room: &str,
        script: Vec<Vec<Step>>,
        change: impl FnOnce(&mut EngineParts<Scripted>),
    ) -> Self {
        Self::of(DemoWants::default(), room, script, change).await
    }

    async fn of(
        wants: DemoWants,
        room: &str,
        script: Vec<Vec<Step>>,
        change: impl FnOnce(&mut EngineParts<Scripted>),
    ) -> Self {
        let demo = DemoHome::start(wants).await.unwrap();
        let address = ServerAddress::read(&demo.url()).unwrap();
        let place = HubPlace { hub: Hub::default(), address, token: TokenSource::None };
        let (home, follower) = HomeServer::new(place, HouseRules::default()).unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(follower.run(stop.clone()));
        let config = HomeConfig { room: room.into(), ..HomeConfig::default() };
        let spoken_to = ConnectedHome::new(Arc::new(home.clone()), &config);
        let bench = Bench::with(script, |parts| {
            let store = parts.store.clone();
            let watches = store.map(|store| Watches::new(store, Arc::clone(&parts.clock), None));
            parts.home = Some(spoken_to.watched_by(watches));
            change(parts);
        });
        let housed = Self { bench, demo, home, stop };
        housed.until(|view| view.link.is_up()).await;
        housed
    }

    async fn until(&self, holds: impl FnMut(&HomeView) -> bool) {
        let mut seen = self.home.watch();
        let waited = tokio::time::timeout(Duration::from_secs(60), seen.wait_for(holds)).await;
        waited.expect("it never came").unwrap();
    }

    async fn says(&self, text: &str) -> String {
        self.bench.say(text).await.shown()
    }

    fn state(&self, item: &str) -> String {
        self.home.watch().borrow().house.item(item).unwrap().state.text.clone()
    }

    fn sent(&self) -> Vec<(String, String)> {
        self.demo.commands()
    }
}

fn sent(commands: &[(&str, &str)]) -> Vec<(String, String)> {
    commands.iter().map(|(item, text)| ((*item).to_owned(), (*text).to_owned())).collect()
}

#[tokio::test]
async fn a_command_changes_the_state_and_is_reported() {
    let housed = Housed::new(vec![]).await;
    assert_eq!(housed.says("Turn on the hall light.").await, "Hall light is on.");
    assert_eq!(housed.state("Hall_Light"), "ON");
    assert_eq!(housed.says("Could you switch off the coffee maker, please?").await, "Coffee maker is off.");
    assert_eq!(housed.says("set the living room blinds to 60 percent").await, "Done.");
    assert_eq!(housed.state("Living_Blinds"), "60");
    let all = [("Hall_Light", "ON"), ("Kitchen_Coffee", "OFF"), ("Living_Blinds", "60")];
    assert_eq!(housed.sent(), sent(&all));
    assert_eq!(housed.bench.model.requests().len(), 0);
}

#[tokio::test]
async fn an_emergency_comes_first_whatever_is_wanted_of_the_house_and_what_is_to_stay_stays() {
    let housed = Housed::new(vec![]).await;
    housed.bench.model.state.send_replace(scripted::knows_little());
    housed.bench.model.follows(Box::new(|_| scripted::answers("The model's words.")));
    let mut wrong = Vec::new();
    let mixed = include_str!("../../../../tests/data/care/en.mixed.tsv").lines().skip(1);
    for row in mixed.filter(|row| !row.starts_with(['#']) && !row.starts_with("none\t")) {
        let (matter, asked) = row.split_once('\t').unwrap();
        housed.bench.later(3_600);
        let told = housed.says(asked).await;
        if !told.starts_with(&english().safety()[0].answer(matter, "").unwrap()) {
            wrong.push(format!("{row}: {told}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
    let housed = Housed::new(vec![]).await;
    housed.bench.model.state.send_replace(scripted::knows_little());
    let heart = english().safety()[0].answer("heart", "").unwrap();
    assert_eq!(housed.says("My chest hurts, don't turn off the hall light.").await.trim(), heart);
    assert_eq!(housed.sent(), []);
    let told = housed.says("turn on the hall light my chest hurts").await;
    assert_eq!(told.split_whitespace().collect::<Vec<_>>().join(" "), format!("{heart} Hall light is on."));
}

#[tokio::test]
async fn an_emergency_is_answered_before_what_is_wanted_of_the_house() {
    let housed = Housed::new(vec![]).await;
    housed.bench.model.state.send_replace(scripted::knows_little());
    let told = housed.says("The pan is on fire, turn off the coffee maker.").await;
    let fire = english().safety()[0].answer("fire", "").unwrap();
    assert!(told.starts_with(&fire) && told.ends_with("Coffee maker is off."), "{told}");
    assert_eq!(housed.sent(), sent(&[("Kitchen_Coffee", "OFF")]));
}

#[tokio::test]
async fn here_is_the_room_of_the_device() {
    let housed = Housed::new(vec![]).await;
    housed.says("turn off the light").await;
    let items: Vec<String> = housed.sent().into_iter().map(|(item, _)| item).collect();
    assert!(!items.is_empty() && items.iter().all(|item| item.starts_with("Living_")), "{items:?}");
}

#[tokio::test]
async fn here_is_the_room_in_which_it_was_said() {
    let rooms = [("galley", "kitchen"), ("hall", "Hall"), ("shed", "Shed")];
    let rooms = rooms.map(|(place, room)| (place.to_owned(), room.to_owned()));
    let mut housed = Housed::with(vec![], |parts| {
        parts.home = parts.home.take().map(|home| home.with_rooms(rooms.into()));
    })
    .await;
    for (place, of) in [("galley", "Kitchen_"), ("hall", "Hall_"), ("home", "Living_")] {
        housed.bench.voice = Session::new(ConversationId::voice(place));
        let before = housed.sent().len();
        housed.says("turn off the light").await;
        let items: Vec<String> = housed.sent().into_iter().skip(before).map(|(item, _)| item).collect();
        assert!(!items.is_empty() && items.iter().all(|item| item.starts_with(of)), "{place}: {items:?}");
    }
}

#[tokio::test]
async fn a_question_is_answered_and_acts_on_nothing() {
    let housed = Housed::new(vec![]).await;
    assert_eq!(housed.says("Is the hall light on?").await, "No, it's off.");
    assert_eq!(housed.says("Is the kitchen window open?").await, "Yes, it's open.");
    assert!(housed.says("What's the temperature in the bathroom?").await.contains("22.8"));
    assert_eq!(housed.sent(), []);
    assert_eq!(housed.bench.model.requests().len(), 0);
}

#[tokio::test]
async fn a_lock_is_asked_about_and_opened_by_a_yes_only() {
    for (answer, told) in [("no", &*english().sentences().reply.left_alone), ("yes", "Done.")] {
        let housed = Housed::new(vec![]).await;
        let asked = housed.bench.say("unlock the front door").await;
        assert!(asked.shown().contains("shall I really do it with Front door"), "{}", asked.shown());
        assert!(matches!(asked.outcome.conversation, ConversationStatus::Awaits(_)));
        assert_eq!(housed.sent(), []);
        assert_eq!(housed.says(answer).await, told);
        let expected = if answer == "yes" { sent(&[("Front_Door_Lock", "OFF")]) } else { vec![] };
        assert_eq!(housed.sent(), expected);
    }
}

#[tokio::test]
async fn what_is_risky_needs_a_clear_yes_that_was_surely_heard() {
    let say = &english().sentences().reply;
    // "=" stands in front of words the recogniser was not sure of.
    for (answers, opens) in [
        (&["=yes", "yes"][..], true),
        (&["=yes", "=yes"], false),
        (&["right", "great"], false),
        (&["exactly", "yes, do it"], true),
        (&["fine", "no"], false),
        (&["of course"], true),
        (&["=turn on the hall light", "yes"], false),
    ] {
        let housed = Housed::new(vec![scripted::answers("Pardon?")]).await;
        housed.says("unlock the front door").await;
        for answer in answers {
            match answer.strip_prefix('=') {
                Some(unsure) => housed.bench.mumbles(unsure).await,
                None => housed.bench.say(answer).await,
            };
        }
        let is_opened = housed.sent().contains(&("Front_Door_Lock".to_owned(), "OFF".to_owned()));
        assert_eq!(is_opened, opens, "{answers:?}");
    }
    let housed = Housed::new(vec![]).await;
    housed.says("unlock the front door").await;
    let asked = housed.bench.mumbles("yes").await;
    assert_eq!(asked.shown(), say.is_that_a_yes);
    assert!(matches!(asked.outcome.conversation, ConversationStatus::Awaits(_)));
    assert_eq!(housed.says("okay").await, say.left_alone);
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn another_request_and_a_late_yes_open_nothing() {
    let housed = Housed::new(vec![scripted::answers("Pardon?")]).await;
    housed.says("unlock the front door").await;
    assert_eq!(housed.says("turn on the hall light").await, "Hall light is on.");
    housed.says("unlock the front door").await;
    housed.bench.later(3_600);
    housed.says("yes").await;
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON")]));
}

#[tokio::test]
async fn where_words_of_others_are_in_the_conversation_nothing_risky_is_even_asked() {
    let housed = Housed::new(vec![]).await;
    housed.says("is the hall light on?").await;
    housed.bench.voice.with(|state| state.history.is_tainted = true);
    let ran = housed.bench.say("unlock the front door").await;
    assert_eq!(ran.shown(), "There are words of others in our conversation, so I don't do that now.");
    assert_eq!(ran.outcome.conversation, ConversationStatus::GoesOn);
    assert!(housed.bench.voice.with(|state| state.question.is_none()));
    // Nor does a yes count to what was asked before they came.
    let housed = Housed::new(vec![scripted::answers("To what?")]).await;
    housed.says("unlock the front door").await;
    housed.bench.voice.with(|state| state.history.is_tainted = true);
    housed.says("yes").await;
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn a_house_that_is_not_reached_is_reported_in_one_sentence() {
    let mut housed = Housed::new(vec![]).await;
    housed.demo.stop();
    housed.until(|view| !view.link.is_up()).await;
    let said = |ran: Ran| ran.outcome.text.0;
    let told = said(housed.bench.say("turn on the hall light").await);
    assert_eq!(told, "I can't reach the house at the moment; nothing was done.");
    let told = said(housed.bench.say("is the hall light on?").await);
    assert_eq!(told, "I can't reach the house at the moment.");
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn a_house_whose_power_is_cut_is_not_said_to_start() {
    let mut housed = Housed::new(vec![]).await;
    housed.demo.vanish().await;
    let gone = "I can't reach the house at the moment; nothing was done.";
    let said = |ran: Ran| ran.outcome.text.0;
    assert_eq!(said(housed.bench.say("turn on the hall light").await), gone);
    // Its stream is open still; that it can't be read is what is known.
    housed.until(|view| !view.link.is_up()).await;
    assert_eq!(said(housed.bench.say("turn on the hall light").await), gone);
    let told = said(housed.bench.say("is the hall light on?").await);
    assert_eq!(told, "I can't reach the house at the moment.");
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn a_server_that_restarts_in_mid_command_leaves_it_unknown_and_gets_it_once() {
    let mut housed = Housed::new(vec![]).await;
    housed.demo.phase(DemoPhase::Mute);
    let mut requests = housed.demo.requests();
    let (bench, demo) = (&housed.bench, &mut housed.demo);
    let restarts = async {
        while requests.recv().await.unwrap().method != "POST" {}
        demo.stop();
        demo.start_again(DemoPhase::Running).await.unwrap();
    };
    let (ran, ()) = tokio::join!(bench.say("Turn on the hall light."), restarts);
    assert_eq!(ran.outcome.text.0, "I don't know whether it arrived at Hall light.");
    housed.until(|view| view.link.is_up()).await;
    let posts = std::iter::from_fn(|| requests.try_recv().ok()).filter(|one| one.method == "POST").count();
    assert_eq!((posts, housed.sent()), (0, sent(&[("Hall_Light", "ON")])), "nothing goes out once more");
    assert_eq!(housed.bench.model.requests().len(), 0);
}

#[tokio::test]
async fn what_is_not_about_the_house_goes_its_way() {
    let housed = Housed::new(vec![scripted::answers("Paris.")]).await;
    assert_eq!(housed.says("what is the capital of France?").await, "Paris.");
    assert_eq!(housed.says("Set a pasta timer for nine minutes.").await, "Pasta timer, 9 minutes.");
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn german_is_understood_and_answered_in_german() {
    let housed = Housed::with(vec![], |parts| {
        parts.languages = joi_language::Languages::new(joi_language::Language::load("de").unwrap())
    })
    .await;
    assert_eq!(housed.says("Schalte Hall light ein").await, "Hall light ist an.");
    let both = housed.says("Mach Hall light aus und Kitchen blinds zu").await;
    assert_eq!(both, "Hall light ist aus. Erledigt.");
    assert_eq!(housed.sent()[1..], sent(&[("Hall_Light", "OFF"), ("Kitchen_Blinds", "DOWN")]));
}

#[tokio::test]
async fn what_is_reported_sends_nothing_and_the_settings_bind_every_command() {
    let housed = Housed::new(vec![
        scripted::answers("I see."),
        scripted::answers("I see."),
        scripted::answers("I see."),
    ])
    .await;
    for told in [
        "My wife said to hurry and turn on the hall light",
        "I went home and turn on the hall light",
        "I went home and turn on the hall light and set a timer for ten minutes",
    ] {
        let ran = housed.bench.say(told).await;
        assert_eq!((housed.sent(), housed.bench.scheduled().await), (vec![], 0), "{told}: {}", ran.shown());
    }
    let both = housed.says("Turn on the hall light and set a timer for ten minutes").await;
    assert_eq!((both.as_str(), housed.sent().len()), ("Hall light is on. Timer, 10 minutes.", 1));
    let never = |parts: &mut EngineParts<Scripted>| parts.tool_rules.never = vec!["homeCommand".into()];
    let housed = Housed::with(vec![], never).await;
    assert_eq!(housed.says("Turn on the hall light.").await, say().forbidden_by_settings);
    assert_eq!(housed.says("Is the hall light on?").await, "No, it's off.");
    assert_eq!(housed.sent(), []);
}
