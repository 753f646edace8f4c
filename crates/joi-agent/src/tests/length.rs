//! How long a spoken answer is, where it ends, and how it goes on.

use super::scripted::answers;
use super::*;
use joi_base::message::Channel;

const LONG: &str = "Put the egg into cold water. Let it boil for nine minutes. Cool it under the tap. Then peel it. \
                    Eat it with salt.";
const BEGUN: &str = "Put the egg into cold water. Let it boil for nine minutes. Cool it under the tap. ";
const REST: &str = "Then peel it. Eat it with salt.";

/// What the store holds of a dialogue.
async fn kept(bench: &Bench) -> Vec<String> {
    bench.stored().await.into_iter().map(|(_, text)| text).collect()
}

// Long enough to be heard out, and the model is stopped there
#[tokio::test]
async fn a_spoken_answer_ends_after_three_sentences_and_she_asks_whether_to_go_on() {
    let mut script: Vec<Step> = LONG.split_inclusive(' ').map(Step::Text).collect();
    script.push(Step::Done);
    let bench = Bench::new(vec![script]);
    let ran = bench.say("how do I boil an egg").await;
    assert_eq!(ran.shown(), format!("{BEGUN} ({})", say().go_on));
    assert_eq!((ran.outcome.ended, ran.outcome.conversation), (Ended::Answered, ConversationStatus::Offered));
    assert_eq!((bench.model.aborted(), ran.decided("length")), (1, vec!["stopped"]));
    assert_eq!(kept(&bench).await, ["how do I boil an egg", BEGUN.trim()], "the question is no part of it");
}

#[tokio::test]
async fn an_answer_that_is_over_then_offers_nothing() {
    let bench = Bench::new(vec![answers(BEGUN)]);
    let ran = bench.say("how do I boil an egg").await;
    assert_eq!((ran.shown().trim(), ran.outcome.conversation), (BEGUN.trim(), ConversationStatus::GoesOn));
    assert_eq!(bench.model.aborted(), 0);
}

#[tokio::test]
async fn a_yes_goes_on_with_the_same_beginning_and_a_no_ends_it() {
    for yes in ["yes", "go on", "tell me more"] {
        let bench = Bench::new(vec![answers(LONG), answers(REST)]);
        bench.say("how do I boil an egg").await;
        bench.later(15);
        let ran = bench.say(yes).await;
        assert_eq!((ran.shown().as_str(), ran.decided("go on")), (REST, vec!["yes"]));
        let requests = bench.model.requests();
        assert_eq!(requests[1][0], requests[0][0], "the same head");
        assert_eq!(requests[1][2], Message::new(Role::Assistant, BEGUN.trim()));
        let newest = &requests[1].last().unwrap().content;
        assert!(newest.ends_with(include_str!("../../../../assets/prompts/continue.md").trim()), "{newest}");
        assert_eq!(kept(&bench).await, ["how do I boil an egg", BEGUN.trim(), yes, REST]);
    }
    let bench = Bench::new(vec![answers(LONG)]);
    bench.say("how do I boil an egg").await;
    let ran = bench.say("no thanks").await;
    assert_eq!(
        (ran.shown(), ran.outcome.conversation),
        (say().all_right.clone(), ConversationStatus::IsOver)
    );
    assert_eq!(kept(&bench).await.len(), 2);
}

// Whatever else is said is a question of its own, and so is a yes that comes too late
#[tokio::test]
async fn another_question_or_a_late_yes_does_not_go_on() {
    for (then, seconds) in [("who wrote Faust", 5), ("yes", 120)] {
        let bench = Bench::new(vec![answers(LONG), answers("Goethe did.")]);
        bench.say("how do I boil an egg").await;
        bench.later(seconds);
        let ran = bench.say(then).await;
        assert!(ran.decided("go on").is_empty(), "{then}");
        assert!(bench.model.requests()[1].last().unwrap().content.ends_with(then));
    }
}

#[tokio::test]
async fn an_answer_that_goes_on_must_bring_something_new() {
    let bench =
        Bench::new(vec![answers(LONG), answers("Let it boil for nine minutes. Cool it under the tap.")]);
    bench.say("how do I boil an egg").await;
    let ran = bench.say("yes please").await;
    assert_eq!((ran.shown(), ran.decided("length")), (say().no_more.clone(), vec!["circles"]));
}

// A story has sentences of any number; at length, and where it is read, it may be longer, too
#[tokio::test]
async fn more_is_said_where_more_was_asked_for_and_more_is_written_than_said() {
    let tale = "The egg was round and it lay in the grass of a wide and windy hill. ".to_owned()
        + "A fox came by at noon and looked at it for a very long time. "
        + "He rolled it home and kept it warm in his own bed. "
        + "A duck came out of it and thanked him. "
        + "Then both of them ate a good soup of carrots and told the whole hill about it until the sun went down.";
    let tale: &'static str = tale.leak();
    let bench = Bench::new(vec![answers(LONG), answers(tale), answers(tale), answers(LONG)]);
    assert_eq!(
        bench.say("tell me a story about an egg").await.shown(),
        LONG,
        "five sentences of a few words"
    );
    let ran = bench.say("tell me a story about a duck").await;
    let (said, offer) =
        ran.shown().split_once(" (").map(|(said, offer)| (said.to_owned(), offer.to_owned())).unwrap();
    assert!(tale.starts_with(&said) && said.trim().ends_with("thanked him."), "{said}");
    assert!((said + &offer).split_whitespace().count() <= 60, "the question counts");
    assert_eq!(bench.say("no, tell me a long story about a duck").await.shown(), tale);
    assert_eq!(bench.voice.id().channel, Channel::Voice);
    let ran = bench.say_in(&bench.console, "how do I boil an egg").await;
    assert_eq!((ran.shown().as_str(), ran.outcome.conversation), (LONG, ConversationStatus::GoesOn));
}

// Everywhere, also in what is read
#[tokio::test]
async fn an_answer_in_circles_ends_at_once() {
    let circles = "1. Wash the salad in water.\n2. Cut the salad well.\n3. Wash the salad in water.\n4. Cut the salad well.";
    let once = "1. Wash the salad in water.\n2. Cut the salad well.\n";
    for is_voice in [true, false] {
        let mut script: Vec<Step> = circles.split_inclusive(' ').map(Step::Text).collect();
        script.push(Step::Done);
        let bench = Bench::new(vec![script]);
        let session = if is_voice { &bench.voice } else { &bench.console };
        let ran = bench.say_in(session, "list the steps of a salad").await;
        assert_eq!((ran.shown().as_str(), ran.outcome.ended), (once, Ended::Answered));
        assert_eq!((ran.decided("length"), bench.model.aborted()), (vec!["circles"], 1));
    }
}

#[tokio::test]
async fn the_limit_is_configured() {
    let bench = Bench::with(vec![answers(LONG)], |parts| parts.reply.spoken_sentences = 1);
    let ran = bench.say("how do I boil an egg").await;
    assert!(ran.shown().starts_with("Put the egg into cold water.  ("), "{}", ran.shown());
    let bench = Bench::with(vec![answers(LONG)], |parts| parts.reply.spoken_words = 16);
    let ran = bench.say("how do I boil an egg").await;
    assert!(
        ran.shown().starts_with("Put the egg into cold water. Let it boil for nine minutes.  ("),
        "{}",
        ran.shown()
    );
}
