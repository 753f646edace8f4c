//! Requests to a model server outside of the home: what is left out of them, and what quick commands do all the same.

use super::scripted::{answers, ready};
use super::*;
use crate::memory::diary::Pass;
use crate::outgoing::Withheld;
use crate::{ComposeFault, ProactiveBrief};
use joi_llm::{HomeData, LlmConfig, ask_for};
use joi_store::MemoryKind;

impl Bench {
    pub(super) fn withholds(&self, data: &[HomeData]) {
        *self.model.withheld.lock().unwrap() = data.to_vec();
    }

    /// Everything that the model was sent.
    pub(super) fn sent(&self) -> String {
        let asks = self.model.asks();
        let texts = asks.iter().flat_map(|ask| &ask.messages).map(|message| message.content.as_str());
        texts
            .chain(
                asks.iter().flat_map(|ask| &ask.tools).filter_map(|tool| tool["function"]["name"].as_str()),
            )
            .collect()
    }
}

#[tokio::test]
async fn a_withheld_memory_is_in_no_prompt_and_is_reported_without_the_model() {
    let bench = Bench::shipped(vec![answers("Blue."), answers("Red.")]);
    bench.knows(MemoryKind::User, "2026-11-01", "My sister is called Ann").await;
    bench.withholds(&[HomeData::Memory]);
    assert!(bench.say("what do you know about me").await.shown().contains("Ann"));
    bench.say("why is my sister's hair of that colour, do you think").await;
    bench.say("and what did I tell you about that colour of hers").await;
    let sent = bench.sent();
    assert!(!bench.model.asks().is_empty() && !sent.contains("Ann"), "{sent}");
    let offered = |name: &str| bench.engine.tools(&bench.voice).iter().any(|(tool, _)| tool == name);
    assert_eq!((offered("lists"), offered("memory")), (true, false));
    bench.withholds(&[]);
    bench.model.first(answers("Fair."));
    bench.say("and which one has my sister's house").await;
    assert!(bench.sent().contains("Ann"), "at home it is read");
}

#[tokio::test]
async fn the_diary_is_in_the_users_own_words_where_no_model_may_read_it() {
    let bench = Bench::new(vec![answers("How nice.")]);
    bench.withholds(&[HomeData::Memory]);
    bench.say("my sister Ann moved to Graz last month").await;
    bench.later(400);
    assert_eq!(bench.engine.write_diary().await.unwrap(), Pass::Done(1));
    assert_eq!(bench.model.asks().len(), 1);
    assert!(bench.known().await.iter().any(|(_, text)| text.contains("my sister Ann moved to Graz")));
}

#[tokio::test]
async fn a_proactive_message_is_worded_without_a_model_that_must_not_read_the_house() {
    let bench = Bench::new(vec![]);
    bench.model.state.send_replace(ready(ModelSize::Large));
    for data in [HomeData::House, HomeData::Memory] {
        bench.withholds(&[data]);
        let brief = ProactiveBrief { fact: "The window is open".into(), last: Vec::new(), is_critical: true };
        let composed = bench.engine.compose(&brief, Duration::from_secs(30)).await;
        assert_eq!(composed, Err(ComposeFault::TakeTemplate));
    }
}

#[tokio::test]
async fn nothing_is_read_ahead_by_a_server_outside_of_the_home() {
    let bench = Bench::new(vec![answers("B"); 3]);
    bench.withholds(&[HomeData::House]);
    crate::read_ahead(&bench.engine, &bench.voice).await.unwrap();
    let words = ("why is the sky blue", None);
    crate::read_words(&bench.engine, &bench.voice, words, |_, _| {}).await.unwrap();
    assert_eq!(bench.model.asks().len(), 0);
    bench.withholds(&[]);
    crate::read_ahead(&bench.engine, &bench.voice).await.unwrap();
    assert_eq!(bench.model.asks().len(), 1);
}

#[test]
fn tools_of_withheld_data_are_hidden_and_no_others() {
    let (memory, house) = (Withheld { memory: true, house: false }, Withheld { memory: false, house: true });
    let hides = |withheld: Withheld| {
        ["memory", "homeFind", "homeRead", "homeCommand", "lists"].map(|name| withheld.hides(name))
    };
    assert_eq!(hides(memory), [true, false, false, false, false]);
    assert_eq!(hides(house), [false, true, true, true, false]);
    assert_eq!((hides(Withheld::default()), Withheld::default().is_any()), ([false; 5], false));
}

#[tokio::test]
async fn the_head_of_a_prompt_holds_nothing_that_is_redacted() {
    let outside = LlmConfig { url: "https://api.example.com".into(), ..LlmConfig::default() };
    let bench = Bench::shipped(vec![]);
    for (size, protocol) in
        [ModelSize::Small, ModelSize::Large].into_iter().zip([Protocol::Text, Protocol::Native])
    {
        let head = Message::system(bench.head(size, protocol));
        let ask = Ask { messages: vec![head.clone()], ..Ask::default() };
        assert_eq!(ask_for(&outside, ask).messages, [head]);
    }
}
