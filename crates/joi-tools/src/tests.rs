//! The shipped tools with the real parts behind them, and the box that holds them.

mod unasked;
mod wish;

use serde_json::json;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use joi_store::Store;
use serde_json::Value;

use super::*;
use crate::testing::{clock, means, shipped};
use joi_base::message::Origin;
use joi_language::Language;
use joi_language::testing::{english, german};

#[test]
fn every_language_has_words_for_tools_that_exist() {
    for code in Language::available() {
        let language = Language::load(&code).unwrap();
        let shipped = shipped_names();
        assert!(language.tools_with_cues().all(|tool| shipped.iter().any(|name| name == tool)), "{code}");
    }
    assert!(english().cues("calculate").any(|cue| cue == "divided"));
    assert!(english().cues("calculate").any(|cue| cue == "wurzel aus"), "of any language");
    assert_eq!(english().zone("münchen"), Some("Europe/Berlin"));
}

/// Returns the names of all tools there are.
fn shipped_names() -> Vec<String> {
    shipped(None).names().into_iter().map(str::to_owned).collect()
}

async fn call(toolbox: &Toolbox, name: &str, arguments: Value) -> Result<Output, ToolError> {
    let tool = toolbox.get(name).expect("the tool");
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let arguments = schema::checked(&tool.schema(), &arguments).expect("good arguments");
    run(
        &**tool,
        Call {
            arguments: &arguments,
            effect: tool.effect(&arguments),
            now: &clock().now(),
            source: Source::Own,
            language: english(),
            conversation: "",
        },
    )
    .await
}

fn sentence(output: Result<Output, ToolError>) -> String {
    output.expect("it works").sentence.expect("a sentence")
}

#[tokio::test]
async fn lists_are_kept_read_out_and_emptied() {
    let store = Store::in_memory().expect("a store");
    let toolbox = shipped(Some(store.clone()));
    let lists = async |arguments| sentence(call(&toolbox, "lists", arguments).await);
    let added =
        lists(json!({ "action": "add", "list": "my Shopping list", "text": "milk, eggs and bread." })).await;
    assert_eq!(added, "Milk, eggs and bread are on the shopping list.");
    assert_eq!(
        lists(json!({ "action": "add", "list": "groceries", "text": "milk" })).await,
        "Milk is on the shopping list."
    );
    assert_eq!(
        lists(json!({ "action": "read", "list": "shopping" })).await,
        "The shopping list has 3 entries: milk, eggs and bread."
    );
    assert_eq!(
        lists(json!({ "action": "remove", "list": "shopping", "text": "EGG" })).await,
        "I took eggs off the shopping list."
    );
    assert_eq!(
        lists(json!({ "action": "add", "list": "note", "text": "the key, and the mat" })).await,
        "I've noted that."
    );
    assert_eq!(store.notes("notes").await.expect("notes"), ["the key, and the mat"]);
    assert_eq!(
        lists(json!({ "action": "clear", "list": "shopping" })).await,
        "The shopping list is empty now."
    );
    assert_eq!(lists(json!({ "action": "read", "list": "shopping" })).await, "The shopping list is empty.");
    assert_eq!(
        lists(json!({ "action": "remove", "list": "shopping", "text": "tea" })).await,
        "No, that isn't on the shopping list."
    );
    assert_eq!(lists(json!({ "action": "begin", "list": "camping" })).await, "The camping list is empty.");
    assert_eq!(lists(json!({ "action": "read", "list": "camping" })).await, "The camping list is empty.");
}

#[tokio::test]
async fn what_is_for_something_goes_to_its_list_and_else_says_so_on_the_shopping_list() {
    let store = Store::in_memory().expect("a store");
    let toolbox = shipped(Some(store.clone()));
    let lists = async |arguments| sentence(call(&toolbox, "lists", arguments).await);
    let names = json!({ "action": "read", "list": "all" });
    assert_eq!(lists(names.clone()).await, "There is nothing on any list.");
    let soap = json!({ "action": "add", "list": "list for the drug store", "text": "soap" });
    assert_eq!(lists(soap.clone()).await, "Soap for the drug store is on the shopping list.");
    assert_eq!(lists(names.clone()).await, "You have one list: shopping.");
    lists(json!({ "action": "add", "list": "drug store", "text": "toothpaste" })).await;
    assert_eq!(lists(soap).await, "Soap is on the drug store list.");
    assert_eq!(store.notes("shopping").await.expect("notes"), ["soap for the drug store"]);
    assert_eq!(store.notes("drug store").await.expect("notes"), ["toothpaste", "soap"]);
    assert_eq!(lists(names).await, "Your lists are shopping and drug store.");
}

#[tokio::test]
async fn an_entry_is_taken_off_by_whole_words_and_asked_for_where_several_are_meant() {
    let store = Store::in_memory().expect("a store");
    let toolbox = shipped(Some(store.clone()));
    let entries =
        ["hamburger buns", "ham and cheese", "oat milk", "soy milk", "eggs", "egg noodles", "milk jug"];
    let all = entries.map(str::to_owned).to_vec();
    let at = jiff::Timestamp::UNIX_EPOCH;
    for (text, gone, expected) in [
        ("burger", 0, Ok("No, that isn't on the shopping list.".to_owned())),
        ("ham", 1, Ok("I took ham and cheese off the shopping list.".to_owned())),
        ("egg", 1, Ok("I took eggs off the shopping list.".to_owned())),
        ("Oat Milk", 1, Ok("I took oat milk off the shopping list.".to_owned())),
        ("eggs and soy milk", 2, Ok("I took eggs and soy milk off the shopping list.".to_owned())),
        ("milk", 0, Err(ToolError::EndTurn("Which one do you mean: oat milk, soy milk or milk jug?".into()))),
    ] {
        store.clear_notes("shopping").await.expect("a list");
        store.add_notes("shopping", all.clone(), at).await.expect("a list");
        let arguments = json!({ "action": "remove", "list": "shopping", "text": text });
        let done = call(&toolbox, "lists", arguments).await;
        let left = store.notes("shopping").await.expect("a list").len();
        assert_eq!(left, all.len() - gone, "{text}");
        assert_eq!(done.map(|output| output.sentence.expect("a sentence")), expected, "{text}");
    }
    store
        .add_notes_of("shopping", vec!["milk of a stranger".into()], at, Origin::Stranger)
        .await
        .expect("a list");
    let arguments = json!({ "action": "remove", "list": "shopping", "text": "milk" });
    assert!(matches!(call(&toolbox, "lists", arguments).await, Err(ToolError::TellModel(_))));
}

#[tokio::test]
async fn without_a_database_nothing_is_said_to_be_noted() {
    let noted = call(&shipped(None), "lists", json!({ "action": "add", "list": "notes", "text": "x" })).await;
    assert_eq!(
        noted,
        Err(ToolError::EndTurn("I can't get at my notes just now, so nothing was changed.".into()))
    );
}

#[tokio::test]
async fn the_volume_and_the_end_are_deeds_of_the_channel() {
    let toolbox = shipped(None);
    let deed = async |name, arguments| call(&toolbox, name, arguments).await.map(|output| output.deed);
    assert_eq!(deed("setVolume", json!({ "change": "up" })).await, Ok(Some(Deed::Louder)));
    assert_eq!(
        deed("setVolume", json!({ "change": "set", "percent": "40%" })).await,
        Ok(Some(Deed::Volume(40)))
    );
    assert!(matches!(deed("setVolume", json!({ "change": "set" })).await, Err(ToolError::TellModel(_))));
    assert_eq!(deed("stop", json!({})).await, Ok(Some(Deed::StopTalking)));
}

/// A tool that never comes back.
struct Hangs;

impl Tool for Hangs {
    fn name(&self) -> &str {
        "hangs"
    }
    fn description(&self) -> &str {
        ""
    }
    fn schema(&self) -> Value {
        schema::object(json!({}), &[])
    }
    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        String::new()
    }
    fn time_limit(&self) -> Duration {
        Duration::from_secs(3_600)
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_given_up_after_ninety_seconds() {
    let began = tokio::time::Instant::now();
    let toolbox = Toolbox::new(vec![Arc::new(Hangs)]);
    let hung = call(&toolbox, "hangs", json!({})).await;
    assert_eq!(hung, Err(crate::FailureCause::Slow.with("hangs gave no answer within 90 s")));
    assert_eq!(began.elapsed().as_secs(), 90);
    let tool = toolbox.get("hangs").expect("it is there");
    assert_eq!(
        tool.effect(&Arguments::new()),
        Effect::Changes,
        "what does not say is taken to change the world"
    );
}

#[test]
fn the_shipped_tools_can_be_called_by_every_protocol() {
    let toolbox = shipped(None);
    for tool in toolbox.all() {
        assert!(schema::is_name(tool.name()), "{}", tool.name());
        assert!(tool.description().chars().count() <= 80, "{}: {}", tool.name(), tool.description().len());
        assert_eq!(tool.schema()["type"], "object", "{}", tool.name());
        assert_eq!(tool.schema()["additionalProperties"], false, "{}", tool.name());
    }
    let lines: Vec<String> = toolbox.all().iter().map(|tool| schema::line(&**tool)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn every_tool_asks_for_a_yes_in_the_language_that_is_spoken() {
    let hidden = vec![Arc::new(Hangs) as Arc<dyn Tool>];
    let toolbox = builtin(&ToolsConfig::default(), &means(None)).with_hidden(hidden);
    let arguments = json!({ "place": "Rom", "query": "Eulen", "url": "http://a.example", "city": "Rom" });
    let Value::Object(arguments) = arguments else { unreachable!() };
    for tool in toolbox.all().iter().filter(|tool| tool.name() != "hangs") {
        assert_ne!(
            tool.in_words(&arguments, english()),
            tool.in_words(&arguments, german()),
            "{}",
            tool.name()
        );
    }
    let asked = |name: &str| toolbox.get(name).unwrap().in_words(&arguments, german());
    assert_eq!(asked("weather"), "das Wetter nachsehen: Rom");
    assert_eq!(asked("webSearch"), "im Internet nach „Eulen“ suchen");
    assert_eq!(asked("readPage"), "die Seite http://a.example lesen");
    assert_eq!(asked("stop"), "unser Gespräch beenden");
    assert_eq!(asked("toolSearch"), "nach einem anderen Werkzeug suchen");
    assert_eq!(toolbox.get("weather").unwrap().in_words(&Arguments::new(), german()), "das Wetter nachsehen");
}

#[test]
fn two_tools_of_one_name_are_one_and_what_is_never_wanted_is_not_there() {
    let double = Toolbox::new(vec![Arc::new(Hangs), Arc::new(Hangs)]);
    assert_eq!(double.names(), ["hangs"]);
    let made = shipped_names();
    assert!(
        made.iter().all(|name| SHIPPED.contains(&name.as_str())),
        "the configuration knows their names: {made:?}"
    );
    let none = ToolsConfig { enabled: false, ..ToolsConfig::default() };
    assert!(builtin(&none, &means(None)).is_empty());
    let never = ToolsConfig { never: vec!["stop".into()], ..ToolsConfig::default() };
    assert!(builtin(&never, &means(None)).get("stop").is_none());
}

#[test]
fn words_pick_the_likely_tools_and_small_talk_picks_none() {
    let toolbox = shipped(None);
    let picked = |asked: &str| route::by_words(asked, &toolbox.offered(&[]), english()).names;
    assert_eq!(picked("What's 17 times 23?"), ["calculate"]);
    assert_eq!(picked("convert 5 miles to km"), ["calculate"]);
    assert_eq!(picked("put milk on my shopping list, please"), ["lists"]);
    assert_eq!(picked("what time is it in Tokyo"), ["time"]);
    assert_eq!(picked("make it a bit louder"), ["setVolume"]);
    assert_eq!(picked("will it rain tomorrow"), ["weather"]);
    assert_eq!(picked("look up who built the tower"), ["webSearch"]);
    assert_eq!(
        picked("read me the page example.org".replace("example.org", "https www").as_str()),
        ["readPage"]
    );
    assert_eq!(picked("setz Milch auf die Einkaufsliste"), ["lists"]);
    assert_eq!(picked("wie warm ist es draußen"), ["weather"]);
    for talk in
        ["hello there", "thank you so much", "tell me a story about a whale", "who are you", "listen to me"]
    {
        assert_eq!(picked(talk), [""; 0], "{talk}");
    }
}
