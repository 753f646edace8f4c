//! Conversations in which joi has a profile: who picks it, what it changes, and how long it lasts.

use serde_json::json;

use super::directed::picks;
use super::scripted::{answers, writes};
use super::tools::{calls, chooses};
use super::*;
use joi_llm::ModelSize::Large;
use joi_llm::Role;

fn picks_profile(name: &str) -> Vec<Step> {
    writes(&json!({ "profile": name }))
}

impl Bench {
    fn with_profiles(script: Vec<Vec<Step>>) -> Self {
        Self::shipped(script).rebuilt(|parts| parts.persona.mode = PersonaMode::Profiles)
    }

    /// The same with other parts.
    pub(super) fn rebuilt(self, change: impl FnOnce(&mut EngineParts<Scripted>)) -> Self {
        let Self { engine, model, clock, store, .. } = self;
        let mut parts = engine.parts;
        change(&mut parts);
        Self::of(Engine::new(parts), model, clock, store)
    }

    fn systems(&self) -> Vec<String> {
        self.model.requests().into_iter().map(|mut request| request.remove(0).content).collect()
    }
}

// Picked once, with words and tools of its own, until the conversation is over
#[tokio::test]
async fn a_profile_is_picked_at_the_beginning_and_lasts_as_long_as_the_conversation() {
    let script = vec![
        picks_profile("developer"),
        answers("A loop."),
        answers("Another."),
        picks_profile("business"),
        answers("Revenue."),
    ];
    // With tools in every prompt, so that it is seen which of them a profile has.
    let bench = Bench::with_profiles(script).rebuilt(|parts| parts.tool_rules.router = Router::All);
    let ran = bench.say("explain a loop to me").await;
    assert_eq!((ran.purposes(), ran.decided("profile")), (vec!["profile", "answer"], vec!["developer"]));
    let ran = bench.say("and another thing").await;
    assert_eq!((ran.purposes(), ran.decided("profile")), (vec!["answer"], vec![]));
    let names: Vec<String> = bench.engine.tools(&bench.voice).into_iter().map(|(name, _)| name).collect();
    assert!(!names.contains(&"weather".to_owned()) && names.contains(&"stop".to_owned()), "{names:?}");
    bench.later(301);
    assert_eq!(bench.say("how do we earn more").await.decided("profile"), ["business"]);
    let systems = bench.systems();
    let prompt = |name: &str| {
        &crate::prompt::profiles::all().iter().find(|profile| profile.name == name).unwrap().prompt
    };
    assert!(systems[0].contains(prompt("life")), "what is read ahead is the profile of last resort");
    assert!(systems[1].contains(prompt("developer")) && !systems[1].contains(prompt("life")));
    assert!(!systems[1].contains("weather") && systems[4].contains("weather"));
    assert_eq!(systems[1], systems[2]);
    assert!(systems[4].contains(prompt("business")));
    for request in bench.model.requests() {
        assert_eq!(request.iter().filter(|message| message.role == Role::System).count(), 1);
    }
}

// Nonsense, a failure and silence all lead to the profile of last resort
#[tokio::test(start_paused = true)]
async fn a_choice_that_is_none_is_the_profile_of_last_resort() {
    for broken in
        [picks_profile("pirate"), answers("Aye!"), vec![Step::Lasting], vec![Step::Wait(60), Step::Done]]
    {
        let bench = Bench::with_profiles(vec![broken, answers("Fine.")]);
        let began = tokio::time::Instant::now();
        let ran = bench.say("how are you").await;
        assert_eq!((ran.decided("profile"), ran.shown().as_str()), (vec!["life"], "Fine."));
        assert!(began.elapsed() <= deadline::PROFILE);
    }
}

// A tool that the profile lacks is neither offered, picked, planned nor run
#[tokio::test]
async fn tools_are_limited_to_those_of_the_profile() {
    let script = vec![
        picks_profile("developer"),
        picks(&["weather", "time"]),
        writes(&json!({ "steps": ["weather place='Rome'", "time", "reply"] })),
        calls("1", "weather", "{\"place\":\"Rome\"}"),
        answers("I can't tell."),
    ];
    let mut bench = Bench::with_profiles(script);
    bench.engine.parts.tool_rules.router = Router::Llm;
    bench.engine.parts.reply.planner.mode = PlannerMode::Always;
    bench.model.state.send_replace(scripted::ready(Large));
    let ran = bench.say("how is it in Rome").await;
    assert_eq!(ran.choice(), ("llm+plan".into(), "time stop".into()));
    assert_eq!(ran.called(), [("weather", "refused")]);
}

// The default asks nothing
#[tokio::test]
async fn she_is_herself_unless_it_is_said_otherwise() {
    let bench = Bench::shipped(vec![chooses("time", "{\"city\":\"Tokyo\"}")]);
    assert_eq!(bench.say("what is the time in Tokyo then").await.decided("profile"), [""; 0]);
    let prompts = crate::prompt::profiles::all().iter().map(|profile| &profile.prompt);
    assert!(prompts.into_iter().all(|prompt| !bench.systems()[0].contains(prompt)));
}
