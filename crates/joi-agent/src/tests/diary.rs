//! Diary pages of conversations that have ended: by a model that works, hangs, dies or talks nonsense.

use super::scripted::{Step, answers};
use super::*;
use crate::memory::diary::Pass;
use joi_llm::Role::User;
use joi_store::MemoryKind;

const TOLD: &str = r#"{"diary":"The user said that his sister Ann moved to Graz.","user":["my sister Ann moved to Graz"],"wishes":[]}"#;
const SAID: &str = "my sister Ann moved to Graz last month";

impl Bench {
    async fn pages(&self) -> Vec<(&'static str, String)> {
        let known = self.store.memories(None, 100).await.unwrap();
        known.into_iter().map(|memory| (memory.kind.name(), memory.text.0)).collect()
    }

    async fn pass(&self) -> Pass {
        self.engine.write_diary().await.unwrap()
    }
}

/// After a conversation of one exchange that has ended.
async fn after_a_talk(script: Vec<Vec<Step>>) -> Bench {
    let script = [vec![answers("How nice.")], script].concat();
    let bench = Bench::new(script);
    bench.say(SAID).await;
    bench.later(400);
    bench
}

// One entry each, idempotent; the prompt is shared
#[tokio::test]
async fn a_conversation_is_reported_once_it_is_over_and_only_once() {
    let bench = Bench::new(vec![answers("How nice."), answers(TOLD)]);
    bench.say(SAID).await;
    assert_eq!(bench.pass().await, Pass::Done(0), "it may go on");
    bench.later(400);
    assert_eq!(bench.pass().await, Pass::Done(1));
    let expected = [
        ("user", "my sister Ann moved to Graz".to_owned()),
        ("diary", "The user said that his sister Ann moved to Graz.".to_owned()),
    ];
    assert_eq!(bench.pages().await, expected);
    let asks = bench.model.asks();
    let (reply, page) = (&asks[0], &asks[1]);
    assert_eq!((&page.messages[0], &page.tools), (&reply.messages[0], &reply.tools), "the same trunk");
    assert_eq!((page.messages[1].role, page.messages[1].content.as_str()), (User, SAID));
    assert_eq!(page.messages.last().unwrap().role, User, "the instruction comes last");
    assert_eq!(page.messages.iter().filter(|m| m.role == Role::System).count(), 1);
    assert_eq!(bench.pass().await, Pass::Done(0));
    assert_eq!(bench.model.asks().len(), 2);
    bench.engine.consolidate().await.unwrap();
    assert_eq!(bench.pages().await.len(), 2, "tidying changes nothing");
}

// The next conversation knows of the last
#[tokio::test]
async fn the_next_conversation_begins_with_the_last_one() {
    let bench = after_a_talk(vec![answers(TOLD), answers("Hello again.")]).await;
    bench.pass().await;
    bench.later(86_400);
    bench.say("good to hear you").await;
    let asked = bench.model.requests().pop().unwrap().pop().unwrap().content;
    assert!(asked.contains("[Memory of the last conversation, yesterday:]\nThe user said that"), "{asked}");
    assert!(asked.contains("- my sister Ann moved to Graz"), "{asked}");
}

// fault run: the model dies
#[tokio::test]
async fn a_model_that_fails_loses_nothing_and_is_asked_again() {
    let bench =
        after_a_talk(vec![vec![Step::Lasting], vec![Step::Text("{\"dia"), Step::Passing], answers(TOLD)])
            .await;
    assert_eq!((bench.pass().await, bench.pass().await), (Pass::NoModel, Pass::NoModel));
    assert_eq!(bench.pages().await, []);
    assert_eq!(bench.pass().await, Pass::Done(1));
    assert_eq!(bench.pages().await.len(), 2);
}

// fault run: the model hangs
#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_is_given_up() {
    let bench = after_a_talk(vec![vec![Step::Wait(10_000), Step::Done]]).await;
    assert_eq!(bench.pass().await, Pass::NoModel);
    assert_eq!((bench.pages().await, bench.model.aborted()), (vec![], 1));
}

// fault run: the model returns garbage
#[tokio::test]
async fn a_model_that_talks_nonsense_leaves_the_users_own_words() {
    let bench = after_a_talk(vec![answers("I would rather talk about something else.")]).await;
    assert_eq!(bench.pass().await, Pass::Done(1));
    assert_eq!(bench.pages().await, [("diary", format!("The user said: \"{SAID}\""))]);
}

// fault run: no model for two days
#[tokio::test]
async fn without_a_model_for_two_days_the_user_speaks_for_himself() {
    let bench = after_a_talk(vec![]).await;
    bench.model.state.send_replace(model::ModelState::Starting);
    assert_eq!(bench.pass().await, Pass::NoModel);
    bench.later(3 * 86_400);
    assert_eq!(bench.pass().await, Pass::Done(1));
    assert_eq!(bench.pages().await, [("diary", format!("The user said: \"{SAID}\""))]);
}

// 7.5: the reply is never delayed
#[tokio::test(start_paused = true)]
async fn the_diary_gives_way_to_whoever_talks() {
    let script =
        vec![vec![Step::Wait(100), Step::Text(TOLD), Step::Done], answers("I was thinking."), answers(TOLD)];
    let bench = after_a_talk(script).await;
    let began = tokio::time::Instant::now();
    let (pass, ran) = tokio::join!(bench.pass(), async {
        while bench.model.asks().len() < 2 {
            tokio::task::yield_now().await;
        }
        bench.say("why are you so quiet, my dear").await
    });
    assert_eq!(
        (pass, ran.shown().as_str(), began.elapsed().as_secs()),
        (Pass::GaveWay, "I was thinking.", 0)
    );
    assert_eq!((bench.model.aborted(), bench.pages().await), (1, vec![]));
    bench.later(400);
    assert_eq!(bench.pass().await, Pass::Done(1), "it goes on where it was");
    assert_eq!(bench.pages().await.len(), 2);
}

#[tokio::test]
async fn commands_and_small_talk_make_no_page() {
    let bench = Bench::new(vec![answers("Hello.")]);
    bench.say("what time is it").await;
    bench.say("hello there").await;
    bench.later(400);
    assert_eq!(bench.pass().await, Pass::Done(0));
    assert_eq!((bench.pages().await, bench.model.asks().len()), (vec![], 1));
    assert_eq!(bench.store.beyond_diary(10).await.unwrap(), [], "but it is done with");
    let off = Bench::with(vec![answers("How nice.")], |parts| parts.memory.diary = false);
    off.say(SAID).await;
    off.later(400);
    assert_eq!(off.pass().await, Pass::Done(0));
    assert_eq!(off.store.memories(Some(MemoryKind::Diary), 10).await.unwrap(), []);
}
