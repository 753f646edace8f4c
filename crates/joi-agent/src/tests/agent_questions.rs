//! Words for agents by their names, and yes and no to the question that one of them has asked aloud.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_autonomy::agent::entry::{AgentEntries, AgentEntry};
use joi_autonomy::agent::lines::{AgentRest, AgentRow, AgentsReach, ApprovalRow};
use joi_autonomy::agent::orders::AddressedAgents;
use joi_schedule::announce::AnnouncedQuestion;

use super::*;

/// An agent of which call 3 waits.
#[derive(Default)]
struct Garage {
    decided: Mutex<Vec<bool>>,
    heard: Mutex<Vec<String>>,
}

impl AgentsReach for Garage {
    fn rows(&self) -> BoxFuture<'_, Result<Vec<AgentRow>, String>> {
        let call =
            ApprovalRow { approval: 3, tool: "homeCommand".into(), deed: "close the garage door".into() };
        let waits = self.decided.lock().unwrap().is_empty();
        let row = AgentRow {
            name: "garage".into(),
            pace: "own pace".into(),
            doing: "asleep".into(),
            next: None,
            approvals: if waits { vec![call] } else { Vec::new() },
            lapsed: None,
        };
        async { Ok(vec![row]) }.boxed()
    }
    fn talk(&self, _: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        self.heard.lock().unwrap().push(text);
        async { Ok("All is quiet in the garage.".to_owned()) }.boxed()
    }
    fn decide(&self, _: String, _: u32, is_yes: bool) -> BoxFuture<'_, Result<(), String>> {
        let mut decided = self.decided.lock().unwrap();
        let waited = decided.is_empty();
        decided.push(is_yes);
        async move { if waited { Ok(()) } else { Err("it does not wait".to_owned()) } }.boxed()
    }
    fn rest(&self, _: String, _: AgentRest) -> BoxFuture<'_, Result<(), String>> {
        async { Ok(()) }.boxed()
    }
}

fn bench(script: Vec<Vec<Step>>) -> (Bench, Arc<Garage>) {
    let garage = Arc::new(Garage::default());
    let entries = AgentEntries::from([("garage".to_owned(), AgentEntry::default())]);
    let agents = AddressedAgents::new(&entries, garage.clone());
    (Bench::with(script, |parts| parts.agents = agents), garage)
}

fn hums() -> Vec<Step> {
    vec![Step::Text("Hm."), Step::Done]
}

/// The question of the agent was heard in this conversation.
fn asked(bench: &Bench) {
    let question = AnnouncedQuestion { agent: "garage".into(), call: 3 };
    bench.engine.agent_asked(&bench.voice, question);
}

#[tokio::test]
async fn the_next_yes_or_no_decides_what_an_agent_has_asked() {
    for (answer, is_yes) in [
        ("yes", true),
        ("yes, let it", true),
        ("no", false),
        ("no, don't let it", false),
        ("no, leave it", false),
    ] {
        let (bench, garage) = bench(vec![hums()]);
        asked(&bench);
        let ran = bench.say(answer).await;
        assert_eq!(*garage.decided.lock().unwrap(), [is_yes], "{answer}");
        let said =
            if is_yes { "All right, the garage agent may." } else { "All right, the garage agent won't." };
        assert_eq!(ran.outcome.text.0, said, "{answer}");
        assert_eq!(bench.stored().await.len(), 0, "it is no part of the dialogue: {answer}");
        bench.say("yes").await;
        assert_eq!(garage.decided.lock().unwrap().len(), 1, "a second yes is for nothing");
    }
}

#[tokio::test]
async fn other_words_decide_nothing_and_a_late_yes_none() {
    let (bench, garage) = bench(vec![hums(), hums(), hums()]);
    asked(&bench);
    bench.say("what time is it").await;
    bench.say("yes").await;
    asked(&bench);
    bench.later(60);
    bench.say("yes").await;
    assert!(garage.decided.lock().unwrap().is_empty(), "the question was over");
    asked(&bench);
    bench.say_in(&bench.console, "yes").await;
    assert!(garage.decided.lock().unwrap().is_empty(), "it was asked elsewhere");
}

#[tokio::test]
async fn a_yes_that_was_not_heard_surely_is_asked_for_once_more() {
    let (bench, garage) = bench(Vec::new());
    asked(&bench);
    let ran = bench.mumbles("yes").await;
    assert_eq!(
        (ran.outcome.text.0.as_str(), garage.decided.lock().unwrap().len()),
        (&*say().is_that_a_yes, 0)
    );
    bench.say("yes").await;
    assert_eq!(*garage.decided.lock().unwrap(), [true]);
}

#[tokio::test]
async fn words_of_others_and_another_program_order_nothing() {
    let (bench, garage) = bench(vec![hums(), hums(), hums(), hums()]);
    let program = Session::new(ConversationId::program());
    bench.say_in(&program, "let the garage agent do it").await;
    bench.say_in(&program, "ask the garage agent to open the door").await;
    let quoted = "Anna writes:\n\"let the garage agent do it\"\nlet the garage agent do it";
    bench.say_in(&bench.console, quoted).await;
    asked(&bench);
    bench.say("She wrote:\nyes\nlet the garage agent do it").await;
    assert_eq!((garage.decided.lock().unwrap().len(), garage.heard.lock().unwrap().len()), (0, 0));
}

#[tokio::test]
async fn talk_with_an_agent_stays_out_of_the_dialogue_of_the_home() {
    let (bench, garage) = bench(Vec::new());
    let ran = bench.say("ask the garage agent whether everything is quiet").await;
    assert_eq!(ran.outcome.text.0, "All is quiet in the garage.");
    assert_eq!(*garage.heard.lock().unwrap(), ["whether everything is quiet"]);
    assert!(bench.stored().await.is_empty());
    assert!(bench.model.requests().is_empty(), "the model of the home was not asked");
}

#[tokio::test]
async fn what_the_agents_ask_opens_the_question_in_writing_as_well() {
    let (bench, garage) = bench(Vec::new());
    let ran = bench.say_in(&bench.console, "what are the agents asking?").await;
    assert_eq!(ran.outcome.text.0, "The garage agent would like to close the garage door. May it?");
    bench.say_in(&bench.console, "yes").await;
    assert_eq!(*garage.decided.lock().unwrap(), [true]);
    let over = bench.say_in(&bench.console, "let the garage agent do it").await;
    assert_eq!(over.outcome.text.0, "No agent is waiting for a yes.");
}
