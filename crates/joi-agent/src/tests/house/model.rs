//! The house through the model: its tools, what may be done by them, and what the prompt says of the house.

use super::super::tools::chooses;
use super::*;
use joi_tools::{HttpClient, ToolServices, builtin};

/// Gives the model the tools of the house, beside the others.
fn with_tools(parts: &mut EngineParts<Scripted>) {
    let means = ToolServices {
        store: parts.store.clone(),
        schedule: parts.schedule.clone(),
        reads_when: intents::when,
        clock: Arc::clone(&parts.clock),
        home: parts.home.as_ref().map(ConnectedHome::server),
        http: HttpClient::public().ok(),
    };
    parts.tools = builtin(&ToolsConfig::default(), &means).into();
}

/// No quick command, and a request all the same.
const ODD_REQUEST: &str =
    "Would you be so kind as to switch on the hall light for the guests who come tonight?";

#[tokio::test]
async fn what_no_quick_command_says_is_commanded_by_the_model_and_reported_from_the_state() {
    let call = chooses("homeCommand", r#"{"item":"hall light","command":"on"}"#);
    let housed = Housed::with(vec![call], with_tools).await;
    let ran = housed.bench.say(ODD_REQUEST).await;
    assert_eq!(ran.called(), [("homeCommand", "done")], "{}", ran.shown());
    assert_eq!(ran.shown(), "Hall light is on.");
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON")]));
}

#[tokio::test]
async fn what_the_model_has_done_is_it_and_is_taken_back() {
    let call = || chooses("homeCommand", r#"{"item":"hall light","command":"on"}"#);
    let housed = Housed::with(vec![call()], with_tools).await;
    housed.says(ODD_REQUEST).await;
    assert_eq!(housed.says("Is it on?").await, "Yes, it's on.");
    assert_eq!(housed.says("Turn it off.").await, "Hall light is off.");
    let housed = Housed::with(vec![call()], with_tools).await;
    housed.says(ODD_REQUEST).await;
    assert_eq!(housed.says("Turn it back.").await, "Hall light is off.");
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON"), ("Hall_Light", "OFF")]));
}

#[tokio::test]
async fn another_thing_than_was_said_is_asked_about_and_a_statement_does_nothing() {
    let other = || chooses("homeCommand", r#"{"item":"kitchen light","command":"on"}"#);
    let housed = Housed::with(vec![other()], with_tools).await;
    let ran = housed.bench.say(ODD_REQUEST).await;
    assert!(ran.shown().contains("Shall I set Kitchen light to on?"), "{}", ran.shown());
    assert_eq!(housed.sent(), []);
    let script = vec![other(), scripted::answers("Pardon?"), scripted::answers("Pardon?")];
    let housed = Housed::with(script, with_tools).await;
    let ran = housed.bench.say("The kitchen light was on the whole night, I guess.").await;
    assert!(!ran.called().contains(&("homeCommand", "done")), "{}", ran.shown());
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn a_lock_needs_a_yes_also_from_the_model_and_none_counts_after_words_of_others() {
    let call = || chooses("homeCommand", r#"{"item":"front door lock","command":"off"}"#);
    let asked = "Would you be so kind as to unlock the front door lock for the guests who come tonight?";
    let more = || (0..3).map(|_| scripted::answers("Pardon?"));
    let housed = Housed::with([call()].into_iter().chain(more()).collect(), with_tools).await;
    let ran = housed.bench.say(asked).await;
    assert!(ran.shown().contains("Shall I"), "{} {:?}", ran.shown(), ran.events);
    assert_eq!(housed.sent(), []);
    housed.says("yes").await;
    assert_eq!(housed.sent(), sent(&[("Front_Door_Lock", "OFF")]));
    let housed = Housed::with([call()].into_iter().chain(more()).collect(), with_tools).await;
    housed.bench.say("is the hall light on?").await;
    housed.bench.voice.with(|state| state.history.is_tainted = true);
    let ran = housed.bench.say(asked).await;
    assert!(!ran.shown().contains("Shall I"), "{}", ran.shown());
    assert_eq!(housed.sent(), []);
}

/// Returns the messages of each call of the model for two questions, in a house whose window has the state `window`.
async fn asked(window: &str) -> Vec<Vec<Message>> {
    let none = || vec![Step::Text("{\"name\":\"none\"}"), Step::Done];
    let answer = || scripted::answers("They are quite old.");
    let housed = Housed::with(vec![none(), answer(), none(), answer()], with_tools).await;
    housed.demo.set("Kitchen_Window", window);
    housed.until(|view| view.house.item("Kitchen_Window").unwrap().state.text == window).await;
    housed.says("Why do the lights flicker so often, do you think?").await;
    housed.says("And why do the lights hum so often, do you think?").await;
    housed.bench.model.requests()
}

#[tokio::test]
async fn a_state_that_changes_costs_no_part_of_the_prompt_before_the_newest_message() {
    let (open, closed) = (asked("OPEN").await, asked("CLOSED").await);
    assert_eq!(open.len(), closed.len());
    assert!(open.len() >= 2, "the model was asked");
    let newest = |messages: &Vec<Message>| messages.iter().rposition(|m| m.content.contains("[Context:"));
    for (open, closed) in open.iter().zip(&closed) {
        let at = newest(open).expect("the context stands in a message of the user's");
        assert_eq!(newest(closed), Some(at));
        assert_eq!(open[..at], closed[..at], "all before the newest message is the same");
        assert!(open[at].content.contains("open: Kitchen window"), "{}", open[at].content);
        assert!(!closed[at].content.contains("Kitchen window"), "{}", closed[at].content);
        let context = open[at].content.find("[Context:").unwrap();
        assert!(open[at].content.find("[House:").unwrap() > context, "behind the clock");
    }
}

#[tokio::test]
async fn a_command_that_was_refused_is_not_done_by_the_model() {
    let call = chooses("homeCommand", r#"{"item":"hall light","command":"on"}"#);
    let script = vec![call, scripted::answers("Pardon?"), scripted::answers("Pardon?")];
    let housed = Housed::with(script, |parts| {
        with_tools(parts);
        parts.tool_rules.always_ask = vec!["homeCommand".into()];
    })
    .await;
    assert!(housed.says("Turn on the hall light.").await.contains("Shall I really do it"));
    assert_eq!(housed.says("no").await, say().left_alone);
    let ran = housed.bench.say("the hall light for the guests who come tonight, on the whole").await;
    assert!(
        !ran.shown().contains("Shall I") && !ran.called().contains(&("homeCommand", "done")),
        "{}",
        ran.shown()
    );
    assert_eq!(housed.sent(), []);
    housed.says("Turn on the hall light.").await;
    housed.says("yes").await;
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON")]));
}

#[tokio::test]
async fn a_withheld_house_obeys_quick_commands_and_is_in_no_prompt() {
    let none = || vec![Step::Text("{\"name\":\"none\"}"), Step::Done];
    let script = vec![none(), scripted::answers("They are old."), none(), scripted::answers("Old.")];
    let housed = Housed::with(script, with_tools).await;
    housed.bench.withholds(&[joi_llm::HomeData::House]);
    housed.demo.set("Kitchen_Window", "OPEN");
    housed.until(|view| view.house.item("Kitchen_Window").unwrap().state.text == "OPEN").await;
    assert_eq!(housed.says("Turn on the hall light.").await, "Hall light is on.");
    housed.says("Why do the lights flicker so often, do you think?").await;
    let sent = housed.bench.sent();
    for hidden in ["[House:", "Kitchen window", "Hall light is on", "homeFind", "homeRead", "homeCommand"] {
        assert!(sent.contains("flicker") && !sent.contains(hidden), "{hidden}: {sent}");
    }
}
