//! Turns of agents: nobody has asked, the limits hold, and whoever talks with joi has the model.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_autonomy::agent::news::TurnEnding;
use joi_autonomy::agent::yielding::{YIELD, YieldTool};
use joi_language::Language;
use joi_llm::ModelPurpose;
use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
use serde_json::{Value, json};

use super::*;
use joi_autonomy::agent::turn::{AgentCaller, AgentDesk, AgentTurn, AgentTurnDone};

/// Does something, and counts how often.
struct Deed {
    name: &'static str,
    effect: Effect,
    ran: Mutex<usize>,
}

impl Deed {
    fn new(name: &'static str, effect: Effect) -> Arc<Self> {
        Arc::new(Self { name, effect, ran: Mutex::default() })
    }

    fn ran(&self) -> usize {
        *self.ran.lock().unwrap()
    }
}

impl Tool for Deed {
    fn name(&self) -> &str {
        self.name
    }
    fn description(&self) -> &str {
        "do it"
    }
    fn schema(&self) -> Value {
        schema::object(json!({ "n": { "type": "integer" } }), &[])
    }
    fn effect(&self, _: &Arguments) -> Effect {
        self.effect
    }
    fn in_words(&self, _: &Arguments, _: &Language) -> String {
        "do it".into()
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        *self.ran.lock().unwrap() += 1;
        let output =
            if self.effect == Effect::Fetches { Output::foreign("a page") } else { Output::own("done") };
        async { Ok(output) }.boxed()
    }
}

/// Keeps what is to be asked.
#[derive(Default)]
struct Asked(Mutex<Vec<String>>);

impl AgentDesk for Asked {
    fn ask(&self, tool: &str, _: &Arguments, in_words: String) -> String {
        self.0.lock().unwrap().push(format!("{tool}: {in_words}"));
        "It waits for a yes.".into()
    }
}

fn writes_call(name: &str, arguments: Value) -> Vec<Step> {
    let call = json!({ "name": name, "arguments": arguments });
    vec![Step::Text(format!("```tool_call\n{call}\n```").leak()), Step::Done]
}

fn turn<'a>(tools: &'a [Arc<dyn Tool>], allow: &'a [String]) -> AgentTurn<'a> {
    AgentTurn {
        gives_up: CancellationToken::new(),
        caller: AgentCaller::Nobody,
        instruction: "Look at the garage.",
        tools,
        speaks: &["say"],
        ends: Some(YIELD),
        allow,
        is_tainted: false,
        tokens_left: 50_000,
        actions_left: 10,
    }
}

fn tools(deeds: &[&Arc<Deed>]) -> Vec<Arc<dyn Tool>> {
    let own = deeds.iter().map(|deed| Arc::clone(deed) as Arc<dyn Tool>);
    own.chain([Arc::new(YieldTool) as Arc<dyn Tool>]).collect()
}

async fn ran(bench: &Bench, turn: &AgentTurn<'_>) -> AgentTurnDone {
    bench.engine.agent_turn(turn, &Asked::default()).await
}

#[tokio::test(start_paused = true)]
async fn a_turn_reads_calls_and_yields() {
    let look = Deed::new("look", Effect::Looks);
    let script =
        vec![writes_call("look", json!({})), writes_call(YIELD, json!({"mode": "sleep", "sleep": 60}))];
    let bench = Bench::new(script);
    let done = ran(&bench, &turn(&tools(&[&look]), &[])).await;
    assert_eq!((done.end, look.ran(), done.actions, done.tokens), (TurnEnding::Finished, 1, 0, 14));
    assert_eq!(done.ended_by.map(|by| by["sleep"].clone()), Some(json!(60)));
    let requests = bench.model.requests();
    assert!(requests[0].last().unwrap().content.ends_with("Look at the garage."), "{requests:?}");
    assert!(requests[1].last().unwrap().content.contains("done"), "the result came back");
}

#[tokio::test(start_paused = true)]
async fn a_yield_that_can_not_be_read_is_an_error_and_the_turn_goes_on() {
    let script =
        vec![writes_call(YIELD, json!({"mode": "sleep", "sleep": 0})), scripted::answers("Well then.")];
    let bench = Bench::new(script);
    let done = ran(&bench, &turn(&tools(&[]), &[])).await;
    assert_eq!((done.end, done.ended_by, done.text.as_str()), (TurnEnding::Finished, None, "Well then."));
    assert!(bench.model.requests()[1].last().unwrap().content.contains("whole number of seconds"));
}

#[tokio::test(start_paused = true)]
async fn a_deed_without_a_permission_waits_for_a_yes_and_the_turn_goes_on() {
    let deed = Deed::new("deed", Effect::Changes);
    let script = || vec![writes_call("deed", json!({})), scripted::answers("Fine.")];
    let bench = Bench::new(script());
    let asked = Asked::default();
    let done = bench.engine.agent_turn(&turn(&tools(&[&deed]), &[]), &asked).await;
    assert_eq!((done.end, deed.ran(), done.actions), (TurnEnding::Finished, 0, 0));
    assert_eq!(*asked.0.lock().unwrap(), ["deed: do it"]);
    let bench = Bench::new(script());
    let done = ran(&bench, &turn(&tools(&[&deed]), &["deed".to_owned()])).await;
    assert_eq!((deed.ran(), done.actions), (1, 1), "with a permission it runs");
}

#[tokio::test(start_paused = true)]
async fn words_of_strangers_take_a_permission_away() {
    let (page, deed) = (Deed::new("page", Effect::Fetches), Deed::new("deed", Effect::Changes));
    let script =
        vec![writes_call("page", json!({})), writes_call("deed", json!({})), scripted::answers("Fine.")];
    let bench = Bench::new(script);
    let done = ran(&bench, &turn(&tools(&[&page, &deed]), &["deed".to_owned()])).await;
    assert_eq!((page.ran(), deed.ran(), done.is_foreign), (1, 0, true));
}

#[tokio::test(start_paused = true)]
async fn the_action_that_would_pass_the_limit_is_not_made_and_ends_the_turn() {
    for (left, ran_times, end) in [(2, 2, TurnEnding::OutOfActions), (3, 3, TurnEnding::Finished)] {
        let say = Deed::new("say", Effect::Looks);
        let mut script: Vec<_> = (0..3).map(|n| writes_call("say", json!({"n": n}))).collect();
        script.push(scripted::answers("That was all."));
        let bench = Bench::new(script);
        let own = tools(&[&say]);
        let done = ran(&bench, &AgentTurn { actions_left: left, ..turn(&own, &[]) }).await;
        assert_eq!((say.ran(), done.actions, done.end), (ran_times, left, end));
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_loops_is_refused_and_ends() {
    let look = Deed::new("look", Effect::Looks);
    let bench = Bench::new(Vec::new());
    let counter = Mutex::new(0);
    bench.model.follows(Box::new(move |_| {
        let mut n = counter.lock().unwrap();
        *n += 1;
        writes_call("look", json!({"n": *n}))
    }));
    let done = ran(&bench, &turn(&tools(&[&look]), &[])).await;
    assert_eq!((look.ran(), bench.model.requests().len()), (5, 20));
    assert_eq!(done.end, TurnEnding::Finished);
    let bench = Bench::new(Vec::new());
    bench.model.follows(Box::new(|_| writes_call("look", json!({"n": 1}))));
    ran(&bench, &turn(&tools(&[&look]), &[])).await;
    assert_eq!(look.ran(), 6, "the same call is made once");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_costs_more_than_is_left_is_not_asked() {
    let bench = Bench::new(vec![scripted::answers("Fine.")]);
    let own = tools(&[]);
    let done = ran(&bench, &AgentTurn { tokens_left: 100, ..turn(&own, &[]) }).await;
    assert_eq!((done.end, done.tokens, bench.model.requests().len()), (TurnEnding::OutOfTokens, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn whoever_talks_takes_the_model_from_an_agent_at_once() {
    let bench = Bench::new(vec![vec![Step::Wait(600), Step::Done]]);
    let own = tools(&[]);
    let turn = turn(&own, &[]);
    let began = tokio::time::Instant::now();
    let talking = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(bench.engine.arbiter.begin_turn());
    };
    let (done, ()) = tokio::join!(ran(&bench, &turn), talking);
    assert_eq!((done.end, began.elapsed().as_secs(), bench.model.aborted()), (TurnEnding::Interrupted, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn an_agent_waits_while_somebody_talks_and_one_who_is_talked_with_does_not() {
    let bench = Bench::new(vec![scripted::answers("Closed."), scripted::answers("Quiet.")]);
    let running = bench.engine.arbiter.begin_turn();
    let own = tools(&[]);
    let alone = turn(&own, &[]);
    let mut waits = Box::pin(ran(&bench, &alone));
    assert!(waits.as_mut().now_or_never().is_none());
    let asked = AgentTurn { caller: AgentCaller::User, ends: None, ..turn(&own, &[]) };
    assert_eq!(ran(&bench, &asked).await.text, "Closed.");
    drop(running);
    assert_eq!(waits.await.text, "Quiet.");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_a_failed_turn() {
    for step in [Step::Lasting, Step::Passing] {
        let bench = Bench::new(vec![vec![step]]);
        assert_eq!(ran(&bench, &turn(&tools(&[]), &[])).await.end, TurnEnding::Failed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_beside_is_answered_or_given_up() {
    let bench = Bench::new(vec![scripted::answers("yes"), vec![Step::Wait(600), Step::Done]]);
    let ask =
        || bench.engine.ask_beside((ModelPurpose::Chat, ""), "Does it matter?", 4, Duration::from_secs(5));
    assert_eq!(ask().await, (Some("yes".to_owned()), (0, 7)));
    assert_eq!(ask().await, (None, (0, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_must_not_read_the_house_is_asked_nothing_by_an_agent() {
    let bench = Bench::new(Vec::new());
    bench.model.withheld.lock().unwrap().push(joi_llm::HomeData::House);
    assert_eq!(ran(&bench, &turn(&tools(&[]), &[])).await.end, TurnEnding::Failed);
    let asked =
        bench.engine.ask_beside((ModelPurpose::Chat, ""), "Does it matter?", 4, Duration::from_secs(5)).await;
    assert_eq!((asked, bench.model.requests().len()), ((None, (0, 0)), 0));
}

/// A desk of goals.
#[derive(Default)]
struct OfGoals(Asked);

impl AgentDesk for OfGoals {
    fn ask(&self, tool: &str, arguments: &Arguments, in_words: String) -> String {
        self.0.ask(tool, arguments, in_words)
    }

    fn purpose(&self) -> &'static str {
        "goals"
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_serves_goals_alone_is_shown_what_is_allowed_for_them_and_no_more() {
    let (reads, looks) = (Deed::new("homeRead", Effect::Looks), Deed::new("look", Effect::Looks));
    let own = tools(&[&reads, &looks]);
    for (withheld, ran) in [(vec![joi_llm::HomeData::House], 0), (vec![joi_llm::HomeData::Memory], 1)] {
        let bench = Bench::new(Vec::new());
        // The one that answers is at home, or must read nothing: neither matters.
        bench.model.withheld.lock().unwrap().extend([joi_llm::HomeData::House, joi_llm::HomeData::Memory]);
        let script = vec![
            writes_call("homeRead", json!({})),
            writes_call("look", json!({})),
            scripted::answers("Well."),
        ];
        let model = scripted::Scripted::new(script);
        *model.withheld.lock().unwrap() = withheld;
        assert!(bench.model.of_goals.set(Box::new(model)).is_ok());
        let before = *reads.ran.lock().unwrap();
        let done = bench.engine.agent_turn(&turn(&own, &[]), &OfGoals::default()).await;
        assert_eq!((done.end, done.text.as_str()), (TurnEnding::Finished, "Well."));
        assert_eq!(reads.ran() - before, ran);
        let model = bench.model.of_goals.get().unwrap();
        let shown = model.asks()[0].messages[0].content.contains("homeRead");
        assert_eq!((shown, bench.model.requests().len()), (ran == 1, 0));
        assert!(model.requests()[1].iter().any(|message| message.content.contains("homeRead")));
    }
    assert_eq!(looks.ran(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_elsewhere_that_serves_goals_alone_goes_on_while_somebody_talks() {
    let bench = Bench::new(Vec::new());
    let model = scripted::Scripted::new(vec![vec![Step::Wait(5), Step::Text("Well."), Step::Done]]);
    *model.withheld.lock().unwrap() = vec![joi_llm::HomeData::House];
    assert!(bench.model.of_goals.set(Box::new(model)).is_ok());
    let own = tools(&[]);
    let (turn, desk) = (turn(&own, &[]), OfGoals::default());
    let working = bench.engine.agent_turn(&turn, &desk);
    let talking = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let running = bench.engine.arbiter.begin_turn();
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop(running);
    };
    let (done, ()) = tokio::join!(working, talking);
    assert_eq!((done.end, done.text.as_str()), (TurnEnding::Finished, "Well."));
}
