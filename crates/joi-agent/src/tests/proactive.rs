//! Proactive messages: what the model is given, and that a small one is not asked.

use std::time::Duration;

use super::scripted::{answers, ready};
use super::*;
use crate::{ComposeFault, HouseKnown, Initiative, ProactiveBrief};
use joi_llm::ModelSize;

const PAGE: &str = r#"{"diary":"The user said that his sister Ann moved to Graz.","user":[],"wishes":[]}"#;
const WORDS: &str = r#"{"say":"The Kitchen window is still open.","urgent":false}"#;
const LIMIT: Duration = Duration::from_secs(30);

fn brief() -> ProactiveBrief {
    ProactiveBrief {
        fact: "Kitchen window has been open for 40 minutes".into(),
        last: vec!["The bath is cold.".into(), "Somebody is home.".into()],
        is_critical: false,
    }
}

/// One that talked about Graz, and knows the weather.
async fn bench(script: Vec<Vec<scripted::Step>>) -> Bench {
    let script = [vec![answers("How nice."), answers(PAGE)], script].concat();
    let bench = Bench::with(script, |parts| {
        let known = HouseKnown { weather: Some("7 °C, an overcast sky".into()), ..HouseKnown::default() };
        parts.initiative =
            Initiative { known: Some(Arc::new(move |_, _| known.clone())), ..Initiative::default() };
    });
    bench.say("my sister Ann moved to Graz last month").await;
    bench.later(400);
    bench.engine.write_diary().await.unwrap();
    bench
}

#[tokio::test]
async fn a_large_model_gets_the_fact_the_house_the_last_conversation_and_what_it_said_lately() {
    let bench = bench(vec![answers(WORDS)]).await;
    bench.model.state.send_replace(ready(ModelSize::Large));
    let before = bench.model.asks().len();
    let words = bench.engine.compose(&brief(), LIMIT).await.unwrap();
    assert_eq!((words.text.as_str(), words.is_urgent), ("The Kitchen window is still open.", false));
    let asks = bench.model.asks();
    assert_eq!(asks.len(), before + 1);
    let told = &asks[before].messages.last().unwrap().content;
    for part in [
        "you say one thing to the user: Kitchen window has been open for 40 minutes",
        "7 °C, an overcast sky",
        "The last conversation was about: The user said that his sister Ann moved to Graz.",
        "not to be repeated: The bath is cold. / Somebody is home.",
        "Be light",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains('{') && !told.contains('}'), "every placeholder is filled: {told}");
}

#[tokio::test]
async fn where_nothing_is_known_the_model_learns_so() {
    let bench = Bench::new(vec![answers(WORDS)]);
    bench.model.state.send_replace(ready(ModelSize::Large));
    let brief = ProactiveBrief { last: Vec::new(), is_critical: true, ..brief() };
    bench.engine.compose(&brief, LIMIT).await.unwrap();
    let asked = bench.model.requests().pop().unwrap().pop().unwrap().content;
    for part in ["house right now: nothing", "was about: nothing", "be repeated: nothing", "Be urgent"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
}

#[tokio::test]
async fn a_small_model_and_an_absent_one_are_not_asked() {
    let bench = bench(Vec::new()).await;
    let before = bench.model.asks().len();
    for state in [ready(ModelSize::Small), model::ModelState::Starting] {
        bench.model.state.send_replace(state);
        assert_eq!(bench.engine.compose(&brief(), LIMIT).await, Err(ComposeFault::TakeTemplate));
    }
    assert_eq!(bench.model.asks().len(), before);
}
