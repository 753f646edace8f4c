//! Several conversations beside each other: what one holds, the other does not know.

use super::scripted::answers;
use super::tools::{Fake, Kit, writes};
use super::*;
use joi_llm::ModelSize::Small;
use joi_tools::{Effect, Output};

#[tokio::test]
async fn each_conversation_has_its_own_open_question_and_its_own_yes() {
    let kit = Kit::new();
    let script = vec![
        writes("lamp", "{\"what\":\"on\"}"),
        writes("lamp", "{\"what\":\"off\"}"),
        answers("The lamp is off now."),
    ];
    let bench = Bench::with_kit(Small, &kit, script);
    assert_eq!(bench.say("the lamp please").await.shown(), "Shall I lamp on?");
    assert_eq!(bench.say_in(&bench.console, "the lamp again").await.shown(), "Shall I lamp off?");
    assert_eq!(bench.say("no").await.shown(), say().left_alone);
    assert_eq!(kit.lamp.ran(), 0, "a no where it was not asked is none");
    bench.say_in(&bench.console, "yes").await;
    assert_eq!(kit.lamp.ran(), 1, "the question of the other conversation was still open");
}

#[tokio::test]
async fn each_conversation_is_asked_back_for_itself_and_repeats_itself() {
    let bench = Bench::new(vec![]);
    assert_eq!(bench.say("set a timer").await.shown(), "For how long?");
    assert_eq!(bench.say_in(&bench.console, "set a timer").await.shown(), "For how long?");
    assert_eq!(bench.say("ten minutes").await.shown(), "Timer, 10 minutes.");
    assert_eq!(bench.say_in(&bench.console, "five minutes").await.shown(), "Timer, 5 minutes.");
    assert_eq!(bench.say("repeat that").await.shown(), "Timer, 10 minutes.");
    assert_eq!(bench.say_in(&bench.console, "repeat that").await.shown(), "Timer, 5 minutes.");
}

#[tokio::test]
async fn a_stop_ends_one_conversation_and_leaves_the_tool_history_of_the_other() {
    let kit = Kit::new();
    let script =
        vec![writes("look", "{\"what\":\"key\"}"), answers("Under the mat."), answers("Still there.")];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("where did I put it").await;
    bench.say_in(&bench.console, "stop").await;
    bench.say("and is it still there").await;
    let seen = bench.model.requests().pop().unwrap();
    assert!(seen.iter().any(|message| message.content.contains("the key is under the mat")), "{seen:?}");
}

#[tokio::test]
async fn strangers_words_of_one_conversation_taint_another_only_where_its_prompt_shows_them() {
    for (minutes, ran) in [(1, 0), (6, 1)] {
        let kit = Kit::new();
        let script = vec![
            writes("page", "{}"),
            answers("It says something odd."),
            writes("lamp", "{\"what\":\"on\"}"),
            answers("It is on."),
        ];
        let bench = Bench::with_kit(Small, &kit, script);
        bench.say_in(&bench.console, "read the page").await;
        bench.later(minutes * 60);
        bench.say("turn on the lamp").await;
        // Within five minutes what was answered from the page is a part of the dialogue everywhere.
        assert_eq!(kit.lamp.ran(), ran, "{minutes} minutes later");
    }
}

#[tokio::test]
async fn what_was_erased_in_one_conversation_is_gone_from_the_others() {
    let bench = Bench::new(vec![answers("The quince is in the shed.")]);
    bench.say_in(&bench.console, "where is the quince").await;
    bench.say("forget everything").await;
    bench.say("yes").await;
    let again = bench.say_in(&bench.console, "repeat that").await.shown();
    assert!(!again.contains("quince"), "{again}");
}

#[tokio::test]
async fn a_conversation_keeps_the_tools_it_began_with_and_the_next_one_takes_the_new_ones() {
    let kit = Kit::new();
    let bench = Bench::with_kit(Small, &kit, vec![answers("One."), answers("Two."), answers("Three.")]);
    bench.say("what can you see").await;
    let before = bench.model.requests().pop().unwrap()[0].content.clone();
    let blinds = Fake::new("blinds", Effect::Changes, Ok(Output::own("closed")));
    bench.engine.parts.tools.replace(Toolbox::new(vec![kit.look.clone(), blinds]));
    bench.say("and what else").await;
    assert_eq!(bench.model.requests().pop().unwrap()[0].content, before, "byte for byte");
    bench.later(400);
    bench.say("what can you see now").await;
    let after = bench.model.requests().pop().unwrap()[0].content.clone();
    assert!(after.contains("blinds") && !before.contains("blinds"), "{after}");
}

#[tokio::test]
async fn a_home_order_is_left_to_the_model_only_where_the_conversation_has_a_tool_for_it() {
    let kit = Kit::new();
    let script = vec![answers("One."), writes("blinds", "{\"what\":\"close\"}"), answers("They are closed.")];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("what can you see").await;
    let blinds = Fake::new("blinds", Effect::Changes, Ok(Output::own("closed")));
    bench.engine.parts.tools.replace(Toolbox::new(vec![kit.look.clone(), blinds.clone()]));
    bench.say("close the blinds").await;
    assert_eq!(bench.model.requests().len(), 1, "the model could not have called it");
    bench.later(400);
    bench.say("close the blinds").await;
    assert_eq!(blinds.ran(), 1, "the next conversation has the tool");
}

#[tokio::test]
async fn what_was_said_is_answered_before_what_was_typed_earlier() {
    let bench = Bench::new(vec![answers("Spoken."), answers("Typed.")]);
    let arbiter = &bench.engine.arbiter;
    let busy = arbiter.permit(ModelPriority::Background).await;
    let until_both_wait = async {
        while arbiter.waiting() < 2 {
            tokio::task::yield_now().await;
        }
        drop(busy);
    };
    let (typed, spoken, ()) = tokio::join!(
        bench.say_in(&bench.console, "who was Goethe"),
        bench.say("why is the sky blue"),
        until_both_wait,
    );
    assert_eq!([spoken.shown(), typed.shown()], ["Spoken.", "Typed."]);
}

#[tokio::test]
async fn an_old_answer_from_a_page_is_in_no_later_conversation_and_makes_it_careful_no_more() {
    let kit = Kit::new();
    let lamp = || writes("lamp", "{\"what\":\"on\"}");
    let script = vec![
        writes("page", "{}"),
        answers("It says something odd."),
        answers("I'm fine."),
        lamp(),
        answers("It is on."),
    ];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("read the page").await;
    bench.later(20 * 3_600);
    bench.say("how are you today").await;
    let seen = bench.model.requests().pop().unwrap();
    assert!(seen.iter().all(|message| !message.content.contains("odd")), "{seen:?}");
    bench.say("turn on the lamp").await;
    assert_eq!(kit.lamp.ran(), 1, "what was answered meanwhile is our own");
}

// An answer that was given with a stranger's words in sight is a stranger's, and so is the one after it
#[tokio::test]
async fn strangers_words_taint_what_is_reported_again_of_them() {
    let kit = Kit::new();
    let script = vec![
        writes("page", "{}"),
        answers("It says the door code is odd."),
        answers("The code is odd, as I said."),
        answers("Odd, yes."),
        answers("Hello."),
    ];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("read the page").await;
    for again in ["what did the page say about codes", "and what was it again"] {
        bench.later(200);
        bench.say_in(&bench.console, again).await;
    }
    bench.later(400);
    bench.say("good evening to you and to all the others").await;
    let rows = bench.store.dialogue_since(jiff::Timestamp::MIN, 99).await.unwrap();
    let answers = rows.iter().filter(|row| row.role == joi_store::DialogueRole::Assistant);
    let origins: Vec<Origin> = answers.map(|row| row.origin).collect();
    assert_eq!(origins, [Origin::Stranger, Origin::Stranger, Origin::Stranger, Origin::Ours]);
    let seen = bench.model.requests().pop().unwrap();
    assert!(seen.iter().all(|message| !message.content.to_lowercase().contains("odd")), "{seen:?}");
}

#[tokio::test]
async fn a_conversation_ends_by_its_own_silence_whoever_else_talks() {
    let kit = Kit::new();
    let script =
        vec![writes("look", "{\"what\":\"key\"}"), answers("There."), answers("Typed."), answers("Anew.")];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("where did I put it").await;
    bench.later(200);
    bench.say_in(&bench.console, "who was Goethe").await;
    bench.later(200);
    bench.say("and how are you").await;
    let seen = bench.model.requests().pop().unwrap();
    assert!(seen.iter().all(|message| !message.content.contains("under the mat")), "{seen:?}");
}

#[tokio::test]
async fn what_is_forgotten_takes_the_open_questions_of_other_conversations_along() {
    let kit = Kit::new();
    let script = vec![writes("lamp", "{\"what\":\"on\"}"), answers("Yes?")];
    let bench = Bench::with_kit(Small, &kit, script);
    assert_eq!(bench.say_in(&bench.console, "the lamp please").await.shown(), "Shall I lamp on?");
    bench.say("forget everything").await;
    bench.say("yes").await;
    bench.say_in(&bench.console, "yes").await;
    assert_eq!(kit.lamp.ran(), 0);
}

#[tokio::test]
async fn an_agents_own_session_and_the_users_talk_know_nothing_of_each_other() {
    let script = ["It is a heron.", "It may rain.", "Its name is grey heron.", "Of which?"].map(answers);
    let bench = Bench::new(script.to_vec());
    let agent = Session::new(ConversationId::agent("birds-1"));
    let seen = || {
        let seen = bench.model.requests().pop().unwrap();
        seen.iter().map(|message| message.content.clone()).collect::<Vec<_>>().join("\n")
    };
    bench.say_in(&agent, "which bird stands at the pond").await;
    bench.say("what do you think of the weather").await;
    assert!(!seen().contains("heron") && !seen().contains("pond"), "{}", seen());
    bench.say_in(&agent, "and how is that bird called").await;
    assert!(seen().contains("It is a heron.") && !seen().contains("weather"), "{}", seen());
    let other = Session::new(ConversationId::agent("birds-2"));
    assert!(!bench.say_in(&other, "which one").await.shown().is_empty());
    assert!(!seen().contains("heron"), "{}", seen());
}

#[tokio::test]
async fn an_agent_asks_for_nothing_in_the_owners_name_and_agrees_to_nothing() {
    let kit = Kit::new();
    let script =
        vec![writes("lamp", "{\"what\":\"on\"}"), answers("I left it."), answers("Nothing was done.")];
    let bench = Bench::with_kit(Small, &kit, script);
    let agent = Session::new(ConversationId::agent("lamps"));
    assert_eq!(
        bench.say_in(&agent, "set a timer for ten minutes").await.shown(),
        say().forbidden_by_settings
    );
    bench.say_in(&agent, "turn the lamp on").await;
    bench.say_in(&agent, "yes").await;
    assert_eq!(kit.lamp.ran(), 0, "neither at its word nor at its yes");
}
