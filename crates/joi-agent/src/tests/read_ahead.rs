//! What the model does with words that may be the question: it reads them, and begins to answer what is talk.

use super::scripted::{answers, knows_little};
use super::*;
use joi_language::Language;
use joi_llm::Length::OneToken;

/// Has the model work ahead on `text`; what it wrote of an answer.
async fn ahead(bench: &Bench, text: &str) -> String {
    let mut told = String::new();
    let tell = |words: &str, _: &Arc<Language>| told.push_str(words);
    read_words(&bench.engine, &bench.voice, (text, None), tell).await.unwrap();
    told
}

/// Whether nothing of what was begun is left.
fn is_dropped(bench: &Bench) -> bool {
    !bench.voice.has_early_answer()
}

#[tokio::test]
async fn words_that_may_be_the_question_are_read_as_the_question_is() {
    let bench = Bench::new(vec![vec![Step::Text("Hm"), Step::Cut], answers("Paris."), answers("Rome.")]);
    assert_eq!(ahead(&bench, "what is the capital of France").await, "", "nothing is answered with tools");
    bench.say("what is the capital of France").await;
    let requests = bench.model.requests();
    let read = |at: usize| requests[at].iter().map(|m| m.content.clone()).collect::<Vec<_>>().join("\n");
    assert!(read(0).ends_with("what is the capital of France"), "{}", read(0));
    assert!(read(1).starts_with(&read(0)), "what was read is what it is asked: {requests:?}");
    assert_eq!(bench.model.lengths()[0], OneToken);
    ahead(&bench, "my password is hunter22").await;
    assert_eq!(bench.model.requests().len(), 2, "what is private is not sent in vain");
    bench.say("and of Italy").await;
    let told = bench.store.dialogue_since(jiff::Timestamp::MIN, 100).await.unwrap();
    assert_eq!(told.len(), 4, "what was only read is no part of the dialogue");
}

#[tokio::test]
async fn an_answer_to_talk_is_begun_in_advance_and_taken_over_by_the_same_words_only() {
    const WHY: &str = "why is the sky blue";
    let bench =
        Bench::shipped(vec![answers("Air scatters blue light most."), answers("Because of the air.")]);
    assert_eq!(ahead(&bench, WHY).await, "Air scatters blue light most.");
    let nothing = bench.store.dialogue_since(jiff::Timestamp::MIN, 100).await.unwrap();
    assert!(nothing.is_empty(), "it is neither told nor kept");
    let ran = bench.say(WHY).await;
    assert_eq!(ran.outcome.text.0, "Air scatters blue light most.");
    assert_eq!(bench.model.requests().len(), 1, "nothing is asked twice");
    assert!(ran.events.iter().any(|e| matches!(e, ReplyEvent::Decided(d) if d.verdict == "begun")));
    // Who asks while it is only just being begun waits for it.
    let bench =
        Bench::shipped(vec![answers("Air scatters blue light most."), answers("Because of the air.")]);
    let asked_meanwhile = async {
        while bench.model.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        bench.say(WHY).await
    };
    let (_, ran) = tokio::join!(ahead(&bench, WHY), asked_meanwhile);
    assert_eq!(ran.outcome.text.0, "Air scatters blue light most.");
    assert_eq!(bench.model.requests().len(), 1);
    // Other words are asked anew, and what was begun is dropped.
    let bench = Bench::shipped(vec![answers("Air scatters blue light most."), answers("It is far away.")]);
    ahead(&bench, WHY).await;
    let ran = bench.say("why is the sky so high").await;
    assert_eq!(ran.outcome.text.0, "It is far away.");
    assert_eq!(bench.model.requests().len(), 2);
    assert!(is_dropped(&bench));
}

#[tokio::test]
async fn a_turn_without_the_model_ends_what_was_begun_for_other_words() {
    let bench = Bench::shipped(vec![answers("Air scatters blue light most.")]);
    ahead(&bench, "why is the sky blue").await;
    bench.say("what time is it").await;
    assert!(is_dropped(&bench));
    assert_eq!(bench.model.requests().len(), 1);
}

#[tokio::test]
async fn nothing_is_begun_for_what_the_model_is_not_asked() {
    let bench = Bench::shipped(vec![]);
    bench.model.follows(Box::new(|_| vec![Step::Text("Hm"), Step::Cut]));
    bench.model.state.send_replace(knows_little());
    for asked in ["can I mix bleach and vinegar", "what is my sister's name", "add milk to the shopping list"]
    {
        assert_eq!(ahead(&bench, asked).await, "", "{asked}");
    }
    assert!(bench.model.lengths().iter().all(|length| *length == OneToken));
}
