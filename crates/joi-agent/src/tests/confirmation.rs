//! A question of hers and the words that answer it: what was refused is left alone until it is asked for anew.

use super::scripted::answers;
use super::tools::{Fake, Kit, chooses, found, writes};
use super::*;
use joi_language::Language;
use joi_llm::ModelSize::{Large, Small};
use joi_store::MemoryKind;
use joi_tools::{Effect, Output};

const LAMP: &str = "{\"what\":\"on\"}";

#[tokio::test]
async fn a_refusal_in_any_words_does_nothing_and_forbids_the_deed_until_it_is_asked_for_anew() {
    for refusal in
        ["no way, I want it dark", "leave it", "I said no", "not now", "nah, better not", "auf keinen Fall"]
    {
        let kit = Kit::new();
        let script = vec![
            writes("lamp", LAMP),
            // The model tries again by itself, and is asked for it at last.
            writes("lamp", LAMP),
            answers("As you like."),
            writes("lamp", LAMP),
        ];
        let bench = Bench::with_kit(Small, &kit, script);
        assert_eq!(bench.say("the lamp please").await.shown(), "Shall I lamp on?");
        assert_eq!(bench.say(refusal).await.shown(), say().left_alone, "{refusal}");
        let ran = bench.say("the lamp, well").await;
        assert_eq!((ran.called(), kit.lamp.ran()), (vec![("lamp", "refused")], 0), "{refusal}");
        let ran = bench.say("turn the lamp on").await;
        assert_eq!((ran.called(), kit.lamp.ran()), (vec![("lamp", "done")], 1), "{refusal}");
    }
}

// Neither silence, nor "stop", nor the end of the program
#[tokio::test]
async fn what_was_refused_stays_so_in_later_conversations_until_it_is_asked_for() {
    let kit = Kit::new();
    let lamp = || writes("lamp", LAMP);
    let script = vec![lamp(), lamp(), answers("As you like."), lamp(), answers("As you like.")];
    let bench = Bench::with_kit(Small, &kit, script);
    bench.say("the lamp please").await;
    bench.say("no way").await;
    bench.later(3600);
    assert_eq!(bench.say("the lamp, well").await.called(), [("lamp", "refused")], "an hour later");
    bench.say("stop").await;
    assert_eq!(bench.say("the lamp, well").await.called(), [("lamp", "refused")], "after a stop");

    let script = vec![lamp(), answers("As you like."), lamp(), answers("It is on.")];
    let (store, clock) = (bench.store.clone(), Arc::clone(&bench.engine.parts.clock));
    let again = Bench::equipped(Small, kit.toolbox(), script, |parts| {
        parts.store = Some(store);
        parts.clock = clock;
    });
    assert_eq!(again.say("the lamp, well").await.called(), [("lamp", "refused")], "after a restart");
    assert_eq!((again.say("turn the lamp on").await.called(), kit.lamp.ran()), (vec![("lamp", "done")], 1));
}

#[tokio::test]
async fn a_refusal_that_asks_for_something_else_is_the_new_request_and_nothing_of_the_old() {
    let kit = Kit::new();
    let bench = Bench::with_kit(Small, &kit, vec![writes("lamp", LAMP)]);
    bench.say("the lamp please").await;
    let ran = bench.say("no, set a timer for ten minutes").await;
    assert_eq!((ran.shown().as_str(), kit.lamp.ran()), ("Timer, 10 minutes.", 0));
}

#[tokio::test]
async fn talk_changes_nothing_and_is_not_asked_about() {
    for talk in [
        "leave my shopping list alone",
        "shouldn't I clear the shopping list",
        "my wife said clear the shopping list",
    ] {
        let clear = chooses("lists", "{\"action\":\"clear\",\"list\":\"shopping\"}");
        let bench = Bench::shipped(vec![clear, answers("I won't touch it.")]);
        let at = bench.clock.now().timestamp();
        bench.store.add_notes("shopping", vec!["milk".into()], at).await.unwrap();
        let ran = bench.say(talk).await;
        assert!(!ran.shown().contains('?'), "{talk}: {}", ran.shown());
        assert_eq!(bench.store.notes("shopping").await.unwrap(), ["milk"], "{talk}");
    }
}

// A value that nobody said is asked about, whatever the model
#[tokio::test]
async fn a_call_with_a_value_that_nobody_said_is_asked_about() {
    for size in [Small, Large] {
        let kit = Kit::new();
        let bench = Bench::with_kit(size, &kit, vec![writes("lamp", "{\"what\":\"kitchen and cellar on\"}")]);
        bench.engine.parts.protocols.learn("scripted", None).await;
        let ran = bench.say("turn the kitchen lamp on").await;
        assert_eq!((ran.called(), kit.lamp.ran()), (vec![("lamp", "asked")], 0), "{size:?}");
    }
}

// "How do I make pancakes?" is not answered with a sum
#[tokio::test]
async fn a_small_model_does_not_compute_what_nobody_spoke_of() {
    let script = vec![
        chooses("calculate", "{\"expression\":\"17 * 23\"}"),
        // The same again, of which nobody speaks any more.
        chooses("calculate", "{\"expression\":\"17 * 23\"}"),
        answers("Flour, milk and eggs."),
    ];
    let bench = Bench::shipped(script);
    assert_eq!(bench.say("how would you work out 17 times 23").await.shown(), "That's 391.");
    let ran = bench.say("how do I make pancakes of the sum of things").await;
    assert_eq!(
        (ran.shown().as_str(), ran.called()),
        ("Flour, milk and eggs.", vec![("calculate", "refused")])
    );
}

// A small model would only claim or muddle it, and takes as long as for an answer
#[tokio::test]
async fn an_order_of_which_the_model_makes_another_call_is_said_not_to_be_done_at_once() {
    let call = || chooses("calculate", "{\"expression\":\"18 * 24\"}");
    let bench = Bench::shipped(vec![call()]);
    let ran = bench.say("clear my shopping list by the sum of things in there").await;
    assert_eq!((ran.shown(), ran.called()), (say().not_done.clone(), vec![("calculate", "refused")]));
    assert_eq!((ran.outcome.ended, bench.model.requests().len()), (Ended::Apologised, 1));
}

// One turn is one: what is passed over can't be answered in words then, and nothing but that is said
#[tokio::test]
async fn a_model_with_one_turn_that_calls_what_nobody_asked_for_is_said_to_have_done_nothing() {
    for (code, words, asked) in [
        ("en", english(), "how do I make pancakes of the sum of things"),
        ("de", german(), "wie macht man aus der Summe der Dinge Pfannkuchen"),
    ] {
        for (script, called) in [
            (writes("calculate", "{\"expression\":\"18 * 24\"}"), vec![("calculate", "refused")]),
            // The example of its prompt.
            (writes("calculate", "{\"expression\":\"17 * 23\"}"), vec![]),
        ] {
            let bench = Bench::shipped(vec![script]).rebuilt(|parts| {
                parts.tool_rules.max_turns = 1;
                parts.tool_rules.router = Router::All;
            });
            bench.engine.parts.languages.replace(Language::load(code).unwrap());
            let ran = bench.say(asked).await;
            let said = &words.sentences().reply.not_understood;
            assert_eq!((&ran.shown(), ran.called()), (said, called), "{asked}");
            assert_eq!((ran.acts(), bench.model.requests().len()), (vec![], 1), "{asked}");
        }
    }
}

// Of a list of results one address is followed for a request, and no other
#[tokio::test]
async fn of_a_list_of_results_one_address_is_followed() {
    let mut kit = Kit::new();
    let pages = found(&["https://news.example/a", "https://news.example/b"]);
    let output = Output { pages, ..Output::foreign("two results") };
    kit.page = Fake::new("page", Effect::Fetches, Ok(output));
    let follow = |address: &str| writes("page", &format!("{{\"what\":\"{address}\"}}"));
    let script =
        vec![writes("page", "{}"), follow("https://news.example/a"), follow("https://news.example/b")];
    let bench = Bench::with_kit(Small, &kit, script);
    let ran = bench.say("what is the news").await;
    assert_eq!((ran.shown().as_str(), kit.page.ran()), ("Shall I page https://news.example/b?", 2));
}

// A stranger's wish in the model's own words is not put to the user; a question about what he asked for is
#[tokio::test]
async fn with_strangers_words_in_the_turn_a_model_offers_only_what_was_asked_for() {
    let forgets = "The page is about owls. Shall I forget everything? Just say yes.";
    for (size, asked, answer, shown) in [
        (Small, "what does the page say", forgets, "The page is about owls."),
        (Large, "what does the page say", forgets, "The page is about owls."),
        (Large, "what does the page say", "Soll ich alle Timer löschen?", &say().not_done),
        (
            Large,
            "read the page and add what it says to my shopping list",
            "It names quinces. Shall I add quinces to the list?",
            "It names quinces. Shall I add quinces to the list?",
        ),
    ] {
        let mut kit = Kit::new();
        kit.page = Fake::new("page", Effect::Fetches, Ok(Output::foreign("Owls hunt at night.")));
        let bench = Bench::with_kit(size, &kit, vec![writes("page", "{}"), answers(answer)]);
        bench.engine.parts.protocols.learn("scripted", None).await;
        let ran = bench.say(asked).await;
        assert_eq!(ran.shown().trim_end(), shown, "{asked}");
        assert_eq!(ran.decided("check").is_empty(), shown == answer, "it is on record");
    }
    let bench = Bench::with_kit(Large, &Kit::new(), vec![answers(forgets)]);
    assert_eq!(bench.say("what do you think").await.shown(), forgets, "there is no stranger in the turn");
}

// A request to leave something as it is gets an answer
#[tokio::test]
async fn a_wish_that_something_stay_is_acknowledged() {
    let bench = Bench::shipped(vec![chooses("lists", "{\"action\":\"read\",\"list\":\"shopping\"}")]);
    let ran = bench.say("leave my shopping list alone").await;
    assert_eq!((ran.shown(), ran.called()), (say().left_alone.clone(), vec![]));
    // In other words the model is asked, and what it wants to change stays.
    let bench = Bench::shipped(vec![chooses("lists", "{\"action\":\"clear\",\"list\":\"shopping\"}")]);
    assert_eq!(bench.say("you must not clear my shopping list").await.shown(), say().left_alone);
}

#[tokio::test]
async fn a_dont_in_front_of_another_request_is_not_lost() {
    let kit = Kit::new();
    let bench = Bench::with_kit(
        Small,
        &kit,
        vec![writes("lamp", LAMP), answers("As you like."), answers("So be it.")],
    );
    bench.say("the lamp please").await;
    bench.say("don't turn the lamp on, and set a timer for ten minutes").await;
    assert_eq!(kit.lamp.ran(), 0);
}

// Erased entries cannot be restored
#[tokio::test]
async fn a_doubtful_yes_erases_nothing() {
    let doubts = say().is_that_a_yes.as_str();
    for (answers, shown, left) in [
        (["okay", "yes"], [doubts, "I have forgotten everything you ever told me."], 0),
        (["okay", "okay"], [doubts, &*say().left_alone], 1),
        (["okay", "no"], [doubts, &*say().left_alone], 1),
    ] {
        let bench = Bench::new(vec![]);
        bench.knows(MemoryKind::User, "2026-11-01", "I like chess").await;
        bench.say("forget everything you know about me").await;
        for (answer, shown) in answers.into_iter().zip(shown) {
            assert_eq!(bench.say(answer).await.shown(), shown, "{answers:?}");
        }
        assert_eq!(bench.known().await.len(), left, "{answers:?}");
    }
}
