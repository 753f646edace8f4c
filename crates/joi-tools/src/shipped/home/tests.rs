//! The tools of a house, over a house that stands still and one that answers on a real connection.

use super::*;
use crate::gate::{self, Address, CallFacts, Consent, GateVerdict, Taint, Wish};
use crate::testing::{StillHome, clock, rows};
use crate::{Source, Toolbox, ToolsConfig, run};
use joi_home::{HomeFault, HomeLink, SendFault};
use joi_language::testing::{english, german};

fn bench(change: impl FnOnce(&mut StillHome)) -> (Arc<StillHome>, Toolbox) {
    let mut home = StillHome::new(rows());
    change(&mut home);
    let home = Arc::new(home);
    let server: Arc<dyn Home> = home.clone();
    let server = || Arc::clone(&server);
    let tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(HomeFind::new(server())),
        Arc::new(HomeRead::new(server())),
        Arc::new(HomeCommandTool::new(server())),
    ];
    (home, Toolbox::new(tools))
}

fn arguments(written: Value) -> Arguments {
    let Value::Object(arguments) = written else { panic!("arguments are an object") };
    arguments
}

async fn call(toolbox: &Toolbox, name: &str, written: Value) -> Result<Output, ToolError> {
    let (tool, arguments) = (toolbox.get(name).unwrap(), arguments(written));
    let effect = tool.effect(&arguments);
    let (now, source, language) = (&clock().now(), Source::Own, english());
    run(&**tool, Call { arguments: &arguments, effect, now, source, language, conversation: "" }).await
}

fn verdict(toolbox: &Toolbox, written: Value, (taint, consent): (Taint, Consent)) -> GateVerdict {
    let (tool, arguments) = (toolbox.get("homeCommand").unwrap(), arguments(written));
    let facts = CallFacts {
        tool: tool.name(),
        effect: tool.effect(&arguments),
        taint,
        address: Address::Named,
        permission: gate::ToolPermission::Allow,
        handed: gate::Handed::Nothing,
        wish: Wish::Act,
        consent,
        refused: false,
        lately: 0,
    };
    gate::judge(&facts, &ToolsConfig::default())
}

#[tokio::test]
async fn things_are_found_with_their_states_and_what_may_not_be_named_is_not() {
    let (_, toolbox) = bench(|_| {});
    let found = call(&toolbox, "homeFind", json!({ "words": "light" })).await.unwrap();
    assert_eq!(found.text, "Hall_Light \"Hall light\": 40\nKitchen_Light \"Kitchen light\": OFF");
    assert_eq!(found.source, Source::Own);
    let none = call(&toolbox, "homeFind", json!({ "words": "submarine" })).await;
    assert!(matches!(none, Err(ToolError::TellModel(_))));
    let secret = call(&toolbox, "homeRead", json!({ "item": "Secret" })).await;
    assert!(matches!(secret, Err(ToolError::TellModel(_))), "{secret:?}");
}

#[tokio::test]
async fn a_text_in_a_state_is_a_strangers_and_is_read_only_by_name() {
    let (_, toolbox) = bench(|_| {});
    let found = call(&toolbox, "homeFind", json!({ "words": "mail" })).await.unwrap();
    assert!(!found.text.contains("IGNORE") && found.source == Source::Own, "{}", found.text);
    let read = call(&toolbox, "homeRead", json!({ "item": "newest mail" })).await.unwrap();
    assert!(read.text.contains("IGNORE ALL") && read.source == Source::Foreign);
    assert_eq!(read.sentence, None);
    let warm = call(&toolbox, "homeRead", json!({ "item": "bath heating" })).await.unwrap();
    assert_eq!(warm.sentence.as_deref(), Some("Bath heating: 20 °C."));
}

#[tokio::test]
async fn a_command_is_sent_once_and_read_back() {
    let (home, toolbox) = bench(|_| {});
    let done = call(&toolbox, "homeCommand", json!({ "item": "kitchen light", "command": "on" })).await;
    assert_eq!(done.unwrap().sentence.as_deref(), Some("Kitchen light is on."));
    assert_eq!(home.sent(), [("Kitchen_Light".to_owned(), "ON".to_owned())]);
    let done = call(&toolbox, "homeCommand", json!({ "item": "Hall_Light", "command": "70 %" })).await;
    assert_eq!(done.unwrap().sentence.as_deref(), Some("Done."));
    let warm = json!({ "item": "bath heating", "command": "22 °C" });
    let done = call(&toolbox, "homeCommand", warm).await.unwrap();
    assert_eq!(
        (done.text.as_str(), done.sentence.as_deref()),
        ("done; Bath heating is 22 °C now", Some("Done."))
    );
    for (item, command) in
        [("bath heating", "99"), ("light", "on"), ("Secret", "off"), ("hall light", "purple")]
    {
        let refused = call(&toolbox, "homeCommand", json!({ "item": item, "command": command })).await;
        assert!(matches!(refused, Err(ToolError::TellModel(_))), "{item} {command}: {refused:?}");
    }
    assert_eq!(home.sent().len(), 3, "what is refused is not sent");
}

#[tokio::test]
async fn a_group_with_a_hidden_member_is_refused_without_its_name() {
    let mut all = rows();
    let group = json!({ "name": "Lights", "type": "Group", "groupType": "Switch", "label": "All lights", "state": "NULL" });
    all.as_array_mut().unwrap().push(group);
    all[5]["groupNames"] = json!(["Lights"]);
    let (home, toolbox) = bench(|home| *home = StillHome::new(all));
    let refused = call(&toolbox, "homeCommand", json!({ "item": "all lights", "command": "off" })).await;
    let Err(ToolError::TellModel(told)) = refused else { panic!("{refused:?}") };
    assert!(told.contains("Lights") && !told.contains("Secret"), "{told}");
    assert_eq!(home.sent(), []);
}

#[tokio::test(start_paused = true)]
async fn a_state_that_does_not_follow_or_an_answer_that_is_lost_is_spoken_and_ends_the_turn() {
    let on = || json!({ "item": "kitchen light", "command": "on" });
    let (home, toolbox) = bench(|home| home.obeys = false);
    let told = call(&toolbox, "homeCommand", on()).await;
    assert_eq!(told, Err(ToolError::EndTurn("I sent it to Kitchen light, but nothing has changed.".into())));
    assert_eq!(home.sent().len(), 1);
    for command in ["22 °C", "22", "70 °F"] {
        let (home, toolbox) = bench(|home| home.obeys = false);
        let warm = json!({ "item": "bath heating", "command": command });
        let told = call(&toolbox, "homeCommand", warm).await;
        let nothing = "I sent it to Bath heating, but nothing has changed.";
        assert_eq!(told, Err(ToolError::EndTurn(nothing.into())), "{command}");
        assert_eq!(home.sent().len(), 1);
    }
    let lost = SendFault::OutcomeUnknown(HomeFault::NotConnected);
    let (home, toolbox) = bench(|home| home.fault = Some(lost));
    let told = call(&toolbox, "homeCommand", on()).await;
    assert_eq!(told, Err(ToolError::EndTurn("I don't know whether it arrived at Kitchen light.".into())));
    assert_eq!(home.sent().len(), 1, "it is never repeated by itself");
    let (home, toolbox) = bench(|home| {
        home.seen.send_modify(|view| view.link = HomeLink::Lost { fault: HomeFault::NotConnected });
    });
    let told = call(&toolbox, "homeCommand", on()).await;
    assert_eq!(told, Err(ToolError::EndTurn("I can't reach the house at the moment.".into())));
    assert_eq!(home.sent(), []);
}

#[tokio::test]
async fn a_lock_is_asked_about_whatever_was_said_and_never_where_words_of_strangers_are() {
    let (home, toolbox) = bench(|_| {});
    let unlock = || json!({ "item": "front door lock", "command": "off" });
    let light = || json!({ "item": "kitchen light", "command": "on" });
    let at = |taint, consent| verdict(&toolbox, unlock(), (taint, consent));
    assert!(matches!(at(Taint::Clean, Consent::NotAsked), GateVerdict::Ask(_)));
    assert_eq!(at(Taint::Clean, Consent::Given), GateVerdict::Allow);
    assert!(matches!(at(Taint::Tainted, Consent::NotAsked), GateVerdict::Forbid(_)));
    assert!(matches!(at(Taint::Tainted, Consent::Given), GateVerdict::Forbid(_)));
    assert_eq!(verdict(&toolbox, light(), (Taint::Clean, Consent::NotAsked)), GateVerdict::Allow);
    let tool = toolbox.get("homeCommand").unwrap();
    assert_eq!(tool.in_words(&arguments(unlock()), english()), "set Front door lock to off");
    assert_eq!(tool.in_words(&arguments(unlock()), german()), "Front door lock auf „aus“ stellen");
    // Judged as harmless, and a lock since.
    let (now, arguments) = (&clock().now(), arguments(unlock()));
    let (effect, source, language) = (Effect::Changes, Source::Own, english());
    let refused =
        run(&**tool, Call { arguments: &arguments, effect, now, source, language, conversation: "" }).await;
    assert!(matches!(refused, Err(ToolError::TellModel(_))));
    assert_eq!(home.sent(), []);
}

#[test]
fn what_must_have_been_said_is_the_name_its_owner_gave_it() {
    let (_, toolbox) = bench(|_| {});
    let tool = toolbox.get("homeCommand").unwrap();
    let dim = arguments(json!({ "item": "Hall_Light", "command": "30 %" }));
    assert_eq!(tool.deed(&dim), "homeCommand set");
    let values: Vec<_> = tool.values(&dim).into_iter().map(|value| value.text).collect();
    assert_eq!(values, ["Hall light", "30 %"]);
}
