//! Which words are for an agent, and what is answered to them.

use std::sync::Mutex as StdMutex;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_language::Language;
use joi_language::testing::english;

use super::*;

/// Agents that answer at once.
#[derive(Default)]
struct Answering {
    rows: Vec<AgentRow>,
    decided: StdMutex<Vec<(String, u32, bool)>>,
}

impl AgentsReach for Answering {
    fn rows(&self) -> BoxFuture<'_, Result<Vec<AgentRow>, String>> {
        async { Ok(self.rows.clone()) }.boxed()
    }
    fn talk(&self, agent: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        async move { Ok(format!("{agent} heard: {text}")) }.boxed()
    }
    fn decide(&self, agent: String, id: u32, is_yes: bool) -> BoxFuture<'_, Result<(), String>> {
        let waits = self.rows.iter().any(|row| row.approvals.iter().any(|call| call.approval == id));
        self.decided.lock().unwrap().push((agent, id, is_yes));
        async move { if waits { Ok(()) } else { Err("it does not wait".to_owned()) } }.boxed()
    }
    fn rest(&self, _: String, _: AgentRest) -> BoxFuture<'_, Result<(), String>> {
        async { Ok(()) }.boxed()
    }
}

fn entries() -> AgentEntries {
    let kitchen =
        AgentEntry { called: vec!["Küche".into(), "Küchenhelfer".into()], ..AgentEntry::default() };
    [("garage", AgentEntry::default()), ("washing_room", AgentEntry::default()), ("kitchen", kitchen)]
        .map(|(name, entry)| (name.to_owned(), entry))
        .into()
}

fn agents(rows: Vec<AgentRow>) -> (AddressedAgents, Arc<Answering>) {
    let reach = Arc::new(Answering { rows, ..Answering::default() });
    (AddressedAgents::new(&entries(), reach.clone()).unwrap(), reach)
}

fn asks(calls: &[(u32, &str)]) -> AgentRow {
    let row = |(id, deed): &(u32, &str)| ApprovalRow {
        approval: *id,
        tool: "homeCommand".into(),
        deed: (*deed).to_owned(),
    };
    AgentRow {
        name: "garage".into(),
        pace: "own pace".into(),
        doing: "asleep".into(),
        next: Some("2026-03-04T12:30:00Z".into()),
        approvals: calls.iter().map(row).collect(),
        lapsed: None,
    }
}

fn now() -> Zoned {
    "2026-03-04T12:00[UTC]".parse().unwrap()
}

fn words_for(agent: &str, words: &str) -> Option<AgentOrder> {
    Some(AgentOrder::Tell(agent.into(), words.into()))
}

fn garage() -> String {
    "garage".into()
}

#[test]
fn english_words_for_an_agent_are_understood() {
    let (agents, _) = agents(Vec::new());
    let understood = |text: &str| agents.understood(text, english());
    for (text, order) in [
        (
            "Ask the garage agent whether everything is quiet.",
            words_for("garage", "whether everything is quiet"),
        ),
        ("ask the garage whether everything is quiet?", words_for("garage", "whether everything is quiet")),
        (
            "tell the washing room that Anna comes at five",
            words_for("washing_room", "that Anna comes at five"),
        ),
        ("could you please ask the washing-room agent, is it dry", words_for("washing_room", "is it dry")),
        ("Garage agent, is everything quiet?", words_for("garage", "is everything quiet")),
        ("tell the garage to stop", Some(AgentOrder::Rest(garage(), AgentRest::Pause))),
        ("Pause the garage agent, please.", Some(AgentOrder::Rest(garage(), AgentRest::Pause))),
        ("stop the garage agent for now", Some(AgentOrder::Rest(garage(), AgentRest::Pause))),
        ("tell the garage agent to go on", Some(AgentOrder::Rest(garage(), AgentRest::Resume))),
        ("Let the garage agent do it.", Some(AgentOrder::Decide(garage(), true))),
        ("yes, let the garage do it", Some(AgentOrder::Decide(garage(), true))),
        ("No, don’t let the garage agent do it!", Some(AgentOrder::Decide(garage(), false))),
        ("tell the garage no", Some(AgentOrder::Decide(garage(), false))),
        ("What are the agents asking?", Some(AgentOrder::ShowCalls(None))),
        ("what does the garage want", Some(AgentOrder::ShowCalls(Some(garage())))),
        ("what are the agents doing right now?", Some(AgentOrder::Show(None))),
        ("what's the garage agent doing", Some(AgentOrder::Show(Some(garage())))),
    ] {
        assert_eq!(understood(text), order, "{text}");
    }
}

#[test]
fn german_words_for_an_agent_are_understood() {
    let (agents, _) = agents(Vec::new());
    let german = Language::load("de").unwrap();
    let understood = |text: &str| agents.understood(text, &german);
    for (text, order) in [
        ("Frag die Garage, ob alles ruhig ist.", words_for("garage", "ob alles ruhig ist")),
        ("frag bitte mal den Garagen-Agenten, ob alles ruhig ist", words_for("garage", "ob alles ruhig ist")),
        ("kannst du die Küche fragen, was es gibt", words_for("kitchen", "was es gibt")),
        ("sag dem Küchenhelfer, dass Anna um fünf kommt", words_for("kitchen", "dass Anna um fünf kommt")),
        ("Garagenagent, ist alles ruhig?", words_for("garage", "ist alles ruhig")),
        ("pausiere den Garagenagenten", Some(AgentOrder::Rest(garage(), AgentRest::Pause))),
        ("sag der Garage, sie soll aufhören", Some(AgentOrder::Rest(garage(), AgentRest::Pause))),
        ("lass den Agenten Garage weitermachen", Some(AgentOrder::Rest(garage(), AgentRest::Resume))),
        ("Ja, lass die Garage das machen.", Some(AgentOrder::Decide(garage(), true))),
        ("lass den Garagenagenten das nicht machen", Some(AgentOrder::Decide(garage(), false))),
        ("sag der Garage nein", Some(AgentOrder::Decide(garage(), false))),
        ("Was wollen die Agenten?", Some(AgentOrder::ShowCalls(None))),
        ("was machen die Agenten gerade", Some(AgentOrder::Show(None))),
        ("was macht der Garagenagent?", Some(AgentOrder::Show(Some(garage())))),
    ] {
        assert_eq!(understood(text), order, "{text}");
    }
}

#[test]
fn an_agent_that_is_called_like_a_thing_steals_no_order_of_the_house() {
    let (agents, _) = agents(Vec::new());
    let german = Language::load("de").unwrap();
    for text in [
        "open the garage",
        "stop the garage",
        "close the garage door",
        "is the garage open?",
        "turn off the kitchen",
        "turn on the light in the garage",
        "what's in the garage",
        "tell me when the garage opens",
        "let me know if the garage opens",
        "stop watching the garage",
        "tell me about the garage",
        "set the kitchen to 20 degrees",
        "don't let the garage get cold",
        "pause the kitchen",
    ] {
        assert_eq!(agents.understood(text, english()), None, "{text}");
    }
    for text in [
        "mach die Garage auf",
        "stopp die Garage",
        "öffne die Garage",
        "ist die Garage offen?",
        "sag mir Bescheid, wenn die Garage aufgeht",
        "was ist in der Garage los",
        "schalte die Küche aus",
        "lass die Garage offen",
        "mach das Licht in der Küche an",
    ] {
        assert_eq!(agents.understood(text, &german), None, "{text}");
    }
}

#[test]
fn behind_a_question_a_pronoun_is_enough() {
    let (agents, _) = agents(Vec::new());
    let german = Language::load("de").unwrap();
    for (text, answer) in [
        ("let it do it", Some(true)),
        ("yes, it may", Some(true)),
        ("no, don't let it", Some(false)),
        ("it may not", Some(false)),
        ("turn on the light", None),
    ] {
        assert_eq!(agents.answers(text, english()), answer, "{text}");
    }
    for (text, answer) in [
        ("ja, er darf", Some(true)),
        ("lass ihn machen", Some(true)),
        ("nein, lass das", Some(false)),
        ("er darf das nicht", Some(false)),
        ("mach das Licht an", None),
    ] {
        assert_eq!(agents.answers(text, &german), answer, "{text}");
    }
}

#[tokio::test]
async fn a_yes_by_name_decides_the_one_call_that_waits_and_of_two_none() {
    let (one, reach) = agents(vec![asks(&[(3, "close the garage door")])]);
    let said = async |agents: &AddressedAgents, order| agents.obey(order, english(), &now()).await;
    let asked = said(&one, AgentOrder::ShowCalls(None)).await;
    assert_eq!(asked.text, "The garage agent would like to close the garage door. May it?");
    assert_eq!(asked.question, Some(AnnouncedQuestion { agent: garage(), call: 3 }));
    let yes = said(&one, AgentOrder::Decide(garage(), true)).await;
    assert_eq!(yes.text, "All right, the garage agent may.");
    assert_eq!(*reach.decided.lock().unwrap(), [(garage(), 3, true)]);
    let (two, reach) = agents(vec![asks(&[(3, "close the garage door"), (4, "turn on the light")])]);
    let unclear = said(&two, AgentOrder::Decide(garage(), true)).await;
    assert!(
        unclear.text.ends_with("turn on the light. May it?") && unclear.question.is_none(),
        "{unclear:?}"
    );
    assert!(reach.decided.lock().unwrap().is_empty(), "which one was meant is not known");
    let (none, _) = agents(vec![asks(&[])]);
    let nothing = said(&none, AgentOrder::Decide(garage(), false)).await;
    assert_eq!(nothing.text, "No agent is waiting for a yes.");
}

#[tokio::test]
async fn a_late_yes_is_answered_as_denied() {
    let lapsed = asks(&[(7, "close the garage door")]).approvals.pop();
    let (late, _) = agents(vec![AgentRow { lapsed, ..asks(&[]) }]);
    let yes = late.obey(AgentOrder::Decide(garage(), true), english(), &now()).await;
    let over =
        "That is over. Nobody answered in time, so the garage agent was told no: close the garage door.";
    assert_eq!(yes.text, over);
}

#[tokio::test]
async fn what_agents_do_is_answered() {
    let paused = AgentRow { doing: "paused".into(), name: "washing_room".into(), ..asks(&[]) };
    let (all, _) = agents(vec![asks(&[]), paused]);
    let told = all.obey(AgentOrder::Show(None), english(), &now()).await.text;
    assert_eq!(
        told,
        "The garage agent is asleep until 12:30 PM. The washing room agent rests until you tell it to go on."
    );
    let one = all.obey(AgentOrder::Show(Some("washing_room".into())), english(), &now()).await.text;
    assert_eq!(one, "The washing room agent rests until you tell it to go on.");
}
