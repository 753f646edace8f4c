//! Talk and tools: which prompt a turn of a small model gets, what of it is evaluated again, and what stands in it of
//! turns without a model.

use super::scripted::answers;
use super::tools::chooses;
use super::*;
use crate::model::{ModelState, Served};
use joi_llm::ModelSize::{Large, Small};
use joi_llm::{Knowledge, OLLAMA, ServedBy};

/// A server that keeps the newest prompts in memory, as many as it has places.
struct Memory {
    places: usize,
    kept: Vec<String>,
}

impl Memory {
    fn of(places: usize) -> Self {
        Self { places, kept: Vec::new() }
    }

    /// Evaluates a prompt: how many characters of it were not known, of how many.
    fn evaluates(&mut self, messages: &[Message]) -> (usize, usize) {
        let prompt: String =
            messages.iter().map(|message| format!("<{:?}>{}", message.role, message.content)).collect();
        let common = |kept: &String| kept.bytes().zip(prompt.bytes()).take_while(|(a, b)| a == b).count();
        let best = (0..self.kept.len()).max_by_key(|at| common(&self.kept[*at]));
        let known = best.map_or(0, |at| common(&self.kept[at]));
        // The one that shares the head is gone on with; else the oldest gives way.
        match best.filter(|_| known > 100) {
            Some(at) => drop(self.kept.remove(at)),
            None if self.kept.len() == self.places => drop(self.kept.remove(0)),
            None => {}
        }
        let all = prompt.len();
        self.kept.push(prompt);
        (all - known, all)
    }
}

/// Utterances, and whether a tool is for them.
const MIXED: [(&str, bool); 8] = [
    ("why is the sky blue", false),
    ("I keep a shopping list for milk", true),
    ("who wrote Faust", false),
    ("I had a hard day at work today", false),
    ("I wonder what to do with my shopping list", true),
    ("tell me something about whales", false),
    ("do you like the weather report on the radio", true),
    ("what do bees eat in winter", false),
];

/// Answers of the model, each one different.
const STORIES: [&str; 3] = [
    "That is a long story of light and air, which I like to tell.",
    "Many have asked so before, and nobody came away without some answer.",
    "Well, water and wind have more to do with it than one believes.",
];

/// Holds that conversation; of each answer's prompt what was evaluated when it was asked, and what had been read ahead.
async fn held(by: ServedBy, places: usize) -> (Vec<(bool, usize, usize)>, usize) {
    let bench = Bench::shipped(vec![]);
    bench.model.follows(Box::new(|ask| match (ask.length, &ask.format) {
        (joi_llm::Length::OneToken, _) => vec![Step::Text("Hm"), Step::Cut],
        (_, Some(_)) => vec![Step::Text("{\"name\":\"none\"}"), Step::Done],
        _ => answers(STORIES[ask.messages.len() / 2 % STORIES.len()]),
    }));
    let model = "scripted".into();
    let served = Served { model, size: Small, knowledge: Knowledge::Fair, has_tools: None, by };
    bench.model.state.send_replace(ModelState::Ready(served));
    let (mut memory, mut turns, mut ahead, mut seen) = (Memory::of(places), Vec::new(), 0, 0);
    for (said, is_for_tools) in MIXED {
        bench.later(5);
        read_ahead(&bench.engine, &bench.voice).await.unwrap();
        let asks = bench.model.requests();
        ahead += asks[seen..].iter().map(|prompt| memory.evaluates(prompt).0).sum::<usize>();
        seen = asks.len();
        bench.say(said).await;
        let asks = bench.model.requests();
        let first = memory.evaluates(&asks[seen]);
        for prompt in &asks[seen + 1..] {
            memory.evaluates(prompt);
        }
        seen = asks.len();
        turns.push((is_for_tools, first.0, first.1));
    }
    (turns, ahead)
}

// Both heads are read ahead, so that it does not matter which of them the next question wants; a prompt of talk is so
// short that the question may be more than its tenth
#[tokio::test]
async fn a_question_evaluates_a_tenth_of_its_prompt_whatever_was_asked_before() {
    let (turns, _) = held(ServedBy::Local, 2).await;
    for (is_for_tools, evaluated, all) in &turns {
        let is_question_alone = !is_for_tools && *evaluated < 40;
        assert!(
            evaluated * 10 <= *all || is_question_alone,
            "tools: {is_for_tools}, {evaluated} of {all} characters"
        );
    }
    let longest_talk = turns.iter().filter(|turn| !turn.0).map(|turn| turn.2).max().unwrap();
    let shortest_tools = turns.iter().filter(|turn| turn.0).map(|turn| turn.2).min().unwrap();
    assert!(longest_talk < shortest_tools, "talk is short: {turns:?}");
}

// A server with one place would evaluate both heads again and again: it reads ahead the likelier one, and a turn with
// tools pays for its own
#[tokio::test]
async fn a_server_that_keeps_one_prompt_reads_ahead_that_of_talk() {
    let (turns, ahead) = held(ServedBy::Server(&OLLAMA), 1).await;
    for pair in turns.windows(2) {
        let ((was_tools, ..), (is_tools, evaluated, all)) = (pair[0], pair[1]);
        if !is_tools && !was_tools {
            assert!(evaluated * 10 <= all, "talk behind talk: {evaluated} of {all}");
        }
    }
    let asked: usize = turns.iter().map(|turn| turn.1).sum();
    // The same conversation if both were read ahead there.
    let (both_turns, both_ahead) = held(ServedBy::Local, 1).await;
    let both: usize = both_turns.iter().map(|turn| turn.1).sum();
    assert!(asked + ahead < both + both_ahead, "{asked} + {ahead} against {both} + {both_ahead}");
}

// Words decide, before anything is asked of a model
#[tokio::test]
async fn a_small_model_gets_tools_with_the_turn_that_wants_them() {
    let none = || vec![Step::Text("{\"name\":\"none\"}"), Step::Done];
    for (said, is_talk) in [
        ("why is the sky blue", true),
        ("I had a really bad day at work", true),
        ("tell me a joke", true),
        ("give me a recipe for pancakes", true),
        ("write me a poem about the sea", true),
        ("what is on my mind, I wonder, but on no list", false),
        ("how is the weather up there in your clouds", false),
        ("get me up tomorrow, you know when", false),
    ] {
        let bench = Bench::shipped(vec![none(), answers("Well, then."), answers("Well, then.")]);
        let ran = bench.say(said).await;
        assert_eq!(ran.decided("tools").first() == Some(&"talk"), is_talk, "{said}");
        let system = &bench.model.requests()[0][0].content;
        assert_eq!(system.contains("calculate"), !is_talk, "{said}");
    }
    let bench = Bench::shipped(vec![answers("Air scatters it.")]);
    bench.model.state.send_replace(scripted::ready(Large));
    let ran = bench.say("why is the sky blue").await;
    assert!(
        ran.decided("tools") != ["talk"] && !bench.model.asks()[0].tools.is_empty(),
        "a large one has all"
    );
}

// "And in Rome?" needs what was called before; another subject does not
#[tokio::test]
async fn what_goes_on_with_a_call_gets_the_tools_and_another_subject_does_not() {
    for (then, is_talk) in
        [("and the other one", false), ("why is that", false), ("why do cats purr at night", true)]
    {
        let look = || chooses("calculate", "{\"expression\":\"17 * 23\"}");
        let bench =
            Bench::shipped(vec![look(), answers("Hm, it is."), answers("Hm, it is."), answers("Hm.")]);
        bench.say("how would you work out 17 times 23").await;
        let ran = bench.say(then).await;
        assert_eq!(ran.decided("tools").first() == Some(&"talk"), is_talk, "{then}");
    }
}

// Joi's own terse words are no example of how to answer
#[tokio::test]
async fn what_needed_no_model_is_a_line_of_context_and_no_example() {
    let bench = Bench::shipped(vec![answers("Air scatters it."), answers("No, it is at night.")]);
    for said in
        ["what time is it", "set a timer for ten minutes", "set a timer for 11 minutes", "what day is it"]
    {
        bench.say(said).await;
        bench.later(5);
    }
    bench.say("will that be over when it rains").await;
    bench.later(5);
    bench.say("volume 30").await;
    bench.later(5);
    bench.say("so is it always dark").await;
    let requests = bench.model.requests();
    let [first, second] = requests.as_slice() else { panic!("{requests:?}") };
    let roles = |messages: &[Message]| messages.iter().map(|message| message.role).collect::<Vec<_>>();
    assert_eq!(roles(first), [Role::System, Role::User], "no exchange is shown as one");
    let line = "[Done since: set a timer for ten minutes: Timer, 10 minutes; set a timer for 11 minutes: Timer, 11 minutes; \
                what day is it: It's Sunday, November 22nd, 2026]";
    assert!(
        first[1].content.contains(line) && !first[1].content.contains("what time"),
        "{}",
        first[1].content
    );
    assert_eq!(roles(second), [Role::System, Role::User, Role::Assistant, Role::User]);
    assert_eq!(
        second[1].content,
        format!("{line}\n\nwill that be over when it rains"),
        "it stays where it was"
    );
    assert!(
        second[3].content.contains("[Done since: volume 30: Volume at 30 percent]"),
        "{}",
        second[3].content
    );
}

// A small model weaves its whole prompt into its answer
#[tokio::test]
async fn another_subject_is_asked_without_what_was_done_before_it() {
    for (size, is_told) in [(Small, false), (Large, true)] {
        let bench = Bench::new(vec![answers("Air scatters it.")]);
        bench.model.state.send_replace(scripted::ready(size));
        bench.say("set a timer for ten minutes").await;
        bench.say("why is the sky blue").await;
        let requests = bench.model.requests();
        assert_eq!(requests[0].len(), 2);
        assert_eq!(requests[0][1].content.contains("[Done since:"), is_told, "{size:?}");
    }
}

// An invitation to go on, which was said for want of an answer, is not shown with the next question
#[tokio::test]
async fn an_answer_that_is_none_is_not_shown_again() {
    let bench =
        Bench::shipped(vec![answers("I feel lonely today."), answers("Blot it with cold water and soap.")]);
    assert_eq!(bench.say("I feel a bit lonely today").await.shown(), say().listening_sad);
    bench.later(5);
    bench.say("and how do I get rid of a coffee stain").await;
    let requests = bench.model.requests();
    let newest = &requests.last().unwrap().last().unwrap().content;
    assert!(!newest.contains("Done since") && !newest.contains("listening"), "{newest}");
}

// … but what the user said with it is
#[tokio::test]
async fn what_somebody_has_said_is_known_although_nothing_was_found_to_say_to_it() {
    let bench = Bench::shipped(vec![answers("I have a cat."), answers("Your cat is called Minka.")]);
    assert_eq!(bench.say("I have a cat. Her name is Minka.").await.shown(), say().listening);
    bench.later(5);
    bench.say("What is my cat called?").await;
    let requests = bench.model.requests();
    let newest = &requests.last().unwrap().last().unwrap().content;
    assert!(newest.contains("[The user said: I have a cat. Her name is Minka]"), "{newest}");
    assert!(!newest.contains("listening"), "{newest}");
}

// The slip of a model's tongue is no deed that was not done
#[tokio::test]
async fn who_speaks_of_something_sad_or_glad_does_not_hear_that_nothing_was_done() {
    for (told, expected) in [
        ("My dog died last night.", &say().listening_sad),
        ("My grandmother died yesterday.", &say().listening_sad),
        ("I got the job I wanted!", &say().listening_glad),
    ] {
        let slip =
            if told.contains("grandmother") { "I'm glad she died." } else { "I have turned off the light." };
        let bench = Bench::shipped(vec![answers(slip)]);
        assert_eq!(bench.say(told).await.shown(), *expected, "{told}");
    }
}

// A part of the prompt that was closed by a question never changes again
#[tokio::test]
async fn the_prompt_of_talk_only_grows_at_its_end() {
    let bench = Bench::shipped(vec![]);
    bench.model.follows(Box::new(|_| answers("That is so because of the air.")));
    for said in [
        "why is the sky blue",
        "what time is it",
        "is it deep",
        "what time is it",
        "volume 30",
        "and the sea",
    ] {
        bench.later(5);
        bench.say(said).await;
    }
    let requests = bench.model.requests();
    for pair in requests.windows(2) {
        let shared = pair[0].len() - 1;
        assert_eq!(pair[0][..shared], pair[1][..shared]);
    }
    assert_eq!(requests.len(), 3);
}

// Timers of this morning are of no use in the evening
#[tokio::test]
async fn what_was_done_in_an_earlier_conversation_is_not_reported() {
    let bench = Bench::shipped(vec![answers("Air scatters it.")]);
    bench.say("set a timer for ten minutes").await;
    bench.later(1_200);
    bench.say("why is the sky blue").await;
    let requests = bench.model.requests();
    assert_eq!(requests[0].len(), 2);
    assert!(!requests[0][1].content.contains("Done since"), "{}", requests[0][1].content);
}

// Asked once more in the way that exists, and then a sentence of ours
#[tokio::test]
async fn an_answer_that_only_repeats_the_words_is_refused() {
    let said = "Why is the sky blue?";
    let repeated = || answers("The sky is blue.");
    let bench = Bench::shipped(vec![repeated(), answers("Air scatters it.")]);
    let ran = bench.say(said).await;
    assert_eq!((ran.shown().as_str(), ran.outcome.ended), ("Air scatters it.", Ended::Answered));
    assert_eq!(ran.decided("check"), ["refused"]);
    let hint = include_str!("../../../../assets/prompts/recovery.md").trim();
    let asked = bench.model.requests()[1].last().unwrap().content.clone();
    assert!(asked.ends_with(&format!("{said}\n\n{hint}")), "{asked}");
    let bench = Bench::shipped(vec![repeated(), answers("Blue, the sky.")]);
    let ran = bench.say(said).await;
    assert_eq!((ran.shown(), ran.outcome.ended), (say().no_answer.clone(), Ended::Apologised));
    let stored = bench.store.dialogue_since(jiff::Timestamp::MIN, 9).await.unwrap();
    assert_eq!(stored[1].wording, joi_store::WordedBy::Fixed, "no example of an answer");
}

// Not asked a second time, which brings the same again
#[tokio::test]
async fn who_speaks_of_himself_is_asked_for_more_where_the_model_has_no_answer() {
    let said = "I had a really bad day at work.";
    for vacant in [said, "I'm sorry, but I can't assist with that.", "Well, I had a really bad day, too."] {
        let bench = Bench::shipped(vec![answers(vacant)]);
        let ran = bench.say(said).await;
        let told = (ran.shown(), ran.outcome.ended);
        assert_eq!(told, (say().listening_sad.clone(), Ended::Answered), "{vacant}");
        assert_eq!(ran.decided("check"), ["refused"]);
    }
    let steps = ["I'm sorry to hear that. ", "I can't assist with that. ", "Bye."].map(Step::Text);
    let bench = Bench::shipped(vec![steps.into_iter().chain([Step::Done]).collect()]);
    let ran = bench.say(said).await;
    assert_eq!(ran.shown().trim(), "I'm sorry to hear that.", "what was said before it stands");
}

// An action is reported in the words that asked for it
#[tokio::test]
async fn what_was_done_may_be_reported_in_the_words_of_the_request() {
    let call = || chooses("lists", "{\"action\":\"add\",\"list\":\"shopping\",\"text\":\"milk\"}");
    let bench = Bench::shipped(vec![call(), answers("Milk, on the shopping list.")]);
    let ran = bench.say("I want you to see to it that milk is put on the shopping list").await;
    assert!(!ran.decided("check").contains(&"refused"), "{:?}", ran.events);
}

// Both prompts of a conversation with calls in it are known; what is passed over is answered through the one of talk
#[tokio::test]
async fn what_is_passed_over_is_answered_by_a_prompt_that_was_read_ahead() {
    let bench = Bench::shipped(vec![chooses("calculate", "{\"expression\":\"17 * 23\"}")]);
    bench.model.follows(Box::new(|ask| match (ask.length, &ask.format) {
        (joi_llm::Length::OneToken, _) => vec![Step::Text("Hm"), Step::Cut],
        (_, Some(_)) => chooses("calculate", "{\"expression\":\"18 * 24\"}"),
        _ => answers(STORIES[ask.messages.len() / 2 % STORIES.len()]),
    }));
    bench.say("how would you work out 17 times 23").await;
    for said in
        ["why is the sky blue", "who wrote Faust", "what do bees eat in winter"].iter().cycle().take(14)
    {
        bench.later(5);
        bench.say(said).await;
    }
    bench.later(5);
    read_ahead(&bench.engine, &bench.voice).await.unwrap();
    let mut memory = Memory::of(4);
    let before = bench.model.requests();
    for prompt in &before[before.len() - 2..] {
        memory.evaluates(prompt);
    }
    let ran = bench.say("how do I make pancakes of the sum of things").await;
    assert_eq!(ran.called(), [("calculate", "refused")]);
    let asks = bench.model.requests();
    let [choice, talk] = &asks[before.len()..] else { panic!("{} asks", asks.len() - before.len()) };
    for prompt in [choice, talk] {
        let (evaluated, all) = memory.evaluates(prompt);
        assert!(evaluated * 10 <= all, "{evaluated} of {all} characters");
    }
    assert!(talk.last().unwrap().content.ends_with("how do I make pancakes of the sum of things"));
}
