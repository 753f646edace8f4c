//! Words that go on with others about the house: which one, what it is, take it back, several in one sentence.

use super::*;

const WHICH: &str = "Which one do you mean: Bedside lamp, Floor lamp or Desk lamp?";

/// A bench that stands in no room.
async fn roomless(script: Vec<Vec<Step>>) -> Housed {
    Housed::in_room("", script, |_| {}).await
}

#[tokio::test]
async fn the_answer_to_which_one_picks_it() {
    let lamp = [("Office_Light", "ON")];
    let answers =
        ["the desk lamp", "the third one", "The last one, please.", "desk", "the one in the office"];
    for answer in answers {
        let housed = roomless(vec![]).await;
        let asked = housed.bench.say("turn on the lamp").await;
        assert_eq!(asked.shown(), WHICH);
        assert!(matches!(asked.outcome.conversation, ConversationStatus::Awaits(_)));
        assert_eq!(housed.says(answer).await, "Desk lamp is on.", "{answer}");
        assert_eq!(housed.sent(), sent(&lamp), "{answer}");
        assert_eq!(housed.bench.model.requests().len(), 0);
    }
}

#[tokio::test]
async fn several_are_picked_and_fewer_are_asked_about_again() {
    let housed = roomless(vec![]).await;
    housed.says("turn on the lamp").await;
    assert_eq!(housed.says("the desk lamp and the bedside lamp").await, "Done.");
    assert_eq!(housed.sent(), sent(&[("Bedroom_Lamp", "ON"), ("Office_Light", "ON")]));
    housed.says("turn off the lamp").await;
    assert_eq!(housed.says("upstairs").await, "Which one do you mean: Bedside lamp or Desk lamp?");
    assert_eq!(housed.says("both").await, "Done.");
    let off = [("Bedroom_Lamp", "OFF"), ("Office_Light", "OFF")];
    assert_eq!(housed.sent()[2..], sent(&off));
}

#[tokio::test]
async fn what_is_no_answer_to_which_one_switches_nothing() {
    let housed = roomless(["Paris.", "It is not."].map(scripted::answers).to_vec()).await;
    housed.says("turn on the lamp").await;
    assert_eq!(housed.says("no").await, *english().sentences().reply.left_alone);
    housed.says("turn on the lamp").await;
    assert_eq!(housed.says("what is the capital of France?").await, "Paris.");
    // A yes and a question don't say which.
    housed.says("turn on the lamp").await;
    assert_eq!(housed.says("yes").await, WHICH);
    assert_eq!(housed.says("is it the desk lamp?").await, "It is not.");
    assert_eq!(housed.sent(), []);
    housed.says("turn on the lamp").await;
    assert_eq!(housed.says("the desk lamp?").await, WHICH);
    assert_eq!(housed.says("turn on the hall light").await, "Hall light is on.");
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON")]));
}

#[tokio::test]
async fn it_is_what_was_spoken_of_just_before() {
    let housed = roomless(["Paris.", "What?", "What?"].map(scripted::answers).to_vec()).await;
    assert_eq!(housed.says("is the hall light on?").await, "No, it's off.");
    assert_eq!(housed.says("turn it on").await, "Hall light is on.");
    assert_eq!(housed.says("is it on?").await, "Yes, it's on.");
    assert_eq!(housed.says("turn it off").await, "Hall light is off.");
    housed.says("what is the capital of France?").await;
    housed.says("turn it on").await;
    housed.says("is the hall light on?").await;
    housed.bench.later(120);
    housed.says("turn it on").await;
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON"), ("Hall_Light", "OFF")]));
    // A lock is asked about under this name, too.
    housed.says("is the front door locked?").await;
    assert!(housed.says("unlock it").await.contains("shall I really"));
    assert_eq!(housed.sent().len(), 2);
}

#[tokio::test]
async fn a_bare_change_is_of_what_was_spoken_of_and_else_of_her_voice() {
    let housed = roomless(vec![]).await;
    assert_eq!(housed.says("turn it up by one").await, "Louder.");
    let told = housed.says("what is the thermostat in the living room set to?").await;
    assert!(told.ends_with("degrees."), "{told}");
    housed.says("turn it up by one").await;
    assert_eq!(housed.sent().len(), 1, "{:?}", housed.sent());
    housed.says("turn on the hall light").await;
    assert_eq!(housed.says("and off").await, "Hall light is off.");
}

#[tokio::test]
async fn the_last_command_is_taken_back() {
    let housed = roomless(vec![scripted::answers("What?")]).await;
    housed.says("dim the living room light to 20 percent").await;
    housed.says("what time is it?").await;
    assert_eq!(housed.says("Undo that, please.").await, "Done.");
    assert_eq!(housed.state("Living_Ceiling"), "80");
    housed.says("set the bathroom thermostat to 20 degrees").await;
    assert_eq!(housed.says("turn it back").await, "Done.");
    assert_eq!(housed.state("Bath_Setpoint"), "23 °C");
    let count = housed.sent().len();
    housed.says("turn on the hall light").await;
    housed.bench.later(600);
    housed.says("undo that").await;
    assert_eq!(housed.sent().len(), count + 1, "too late");
    housed.says("next song").await;
    assert_eq!(housed.says("undo that").await, "I can't take that back.");
    assert_eq!(housed.sent().len(), count + 2);
}

#[tokio::test]
async fn a_lock_is_taken_back_after_a_yes_only_and_a_question_takes_back_nothing() {
    let housed = roomless(vec![scripted::answers("Pardon?")]).await;
    housed.says("unlock the front door").await;
    housed.says("yes").await;
    let unlocked = sent(&[("Front_Door_Lock", "OFF")]);
    assert_eq!(housed.sent(), unlocked);
    assert!(housed.says("undo that").await.contains("shall I really"));
    assert_eq!(housed.sent(), unlocked);
    housed.says("no").await;
    housed.says("undo that?").await;
    assert_eq!(housed.sent(), unlocked);
    housed.says("undo that").await;
    housed.says("yes").await;
    assert_eq!(housed.sent()[1..], sent(&[("Front_Door_Lock", "ON")]));
}

#[tokio::test]
async fn several_requests_in_one_sentence_are_done_in_their_order() {
    let housed = roomless(vec![]).await;
    let told = housed.says("Turn on the hall light and close the kitchen blinds.").await;
    assert!(told.contains("Hall light is on.") && told.contains("Done."), "{told}");
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON"), ("Kitchen_Blinds", "DOWN")]));
    let told = housed
        .says("turn on the coffee maker, turn off the hall light and set a timer for ten minutes")
        .await;
    assert!(told.contains("10 minutes"), "{told}");
    assert_eq!(housed.sent()[2..], sent(&[("Kitchen_Coffee", "ON"), ("Hall_Light", "OFF")]));
    housed.says("turn on the bedside lamp and dim it to thirty percent").await;
    assert_eq!(housed.sent()[4..], sent(&[("Bedroom_Lamp", "ON"), ("Bedroom_Lamp", "30")]));
    assert_eq!(housed.bench.model.requests().len(), 0);
}

#[tokio::test]
async fn a_part_that_is_asked_or_not_understood_takes_no_other_with_it() {
    let script = (0..8).map(|_| scripted::answers("Hm.")).collect();
    let housed = roomless(script).await;
    for said in [
        "is the hall light on and turn off the coffee maker?",
        "did you close the kitchen blinds and turn on the hall light?",
        "if it rains, turn on the hall light and close the kitchen blinds",
        "don't turn on the hall light and close the kitchen blinds",
        "He said: turn on the hall light and close the kitchen blinds! Do it now, all of you, at once.",
    ] {
        housed.says(said).await;
        assert_eq!(housed.sent(), [], "{said}");
    }
    // What follows a question of hers is not begun.
    housed.says("unlock the front door and turn on the hall light").await;
    assert_eq!(housed.sent(), []);
}

#[tokio::test]
async fn two_conversations_have_two_threads() {
    let housed = roomless(vec![scripted::answers("What?"), scripted::answers("What?")]).await;
    housed.says("turn on the hall light").await;
    housed.bench.say_in(&housed.bench.console, "turn it off").await;
    housed.bench.say_in(&housed.bench.console, "undo that").await;
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON")]));
}

#[tokio::test]
async fn german_goes_on_with_what_was_said() {
    let housed = Housed::in_room("", vec![], |parts| {
        parts.languages = joi_language::Languages::new(joi_language::Language::load("de").unwrap())
    })
    .await;
    assert_eq!(
        housed.says("Schalte Hall light ein und mach es wieder aus.").await,
        "Hall light ist an. Hall light ist aus."
    );
    assert_eq!(housed.says("Mach das bitte rückgängig.").await, "Hall light ist an.");
    assert!(housed.says("Schalte Lamp ein").await.contains("Desk lamp"));
    assert_eq!(housed.says("die zweite").await, "Floor lamp ist an.");
    let all =
        [("Hall_Light", "ON"), ("Hall_Light", "OFF"), ("Hall_Light", "ON"), ("Living_Lamp_Color", "ON")];
    assert_eq!(housed.sent(), sent(&all));
    // A no in other words is none.
    assert_eq!(housed.says("nicht so hell").await, "Erledigt.");
    assert_eq!(housed.sent().len(), all.len() + 1);
}

/// A house whose things take a minute to obey, and a turn that is cancelled once its command is there.
async fn cancelled(said: &str) -> Housed {
    let wants = DemoWants { follows: Duration::from_secs(60), ..DemoWants::default() };
    let housed = Housed::of(wants, "Living", vec![], |_| {}).await;
    let arrives = async {
        while housed.sent().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        ran = housed.bench.say(said) => panic!("it was answered: {}", ran.shown()),
        () = arrives => {}
    }
    housed
}

#[tokio::test]
async fn a_command_counts_as_sent_before_its_state_is_read_back() {
    let housed = cancelled("turn on the hall light").await;
    housed.says("undo that").await;
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON"), ("Hall_Light", "OFF")]));
}

#[tokio::test]
async fn who_goes_on_with_a_command_sends_it_once() {
    for (begun, whole) in [
        ("turn on the hall light", "turn on the hall light, please"),
        ("make the floor lamp brighter", "make the floor lamp a bit brighter"),
    ] {
        let housed = cancelled(begun).await;
        let first = housed.sent();
        housed.bench.voice.supersede(housed.bench.clock.now().timestamp());
        housed.says(whole).await;
        assert_eq!(housed.sent(), first, "{whole}");
    }
    // Said again later it is another command.
    let housed = cancelled("turn on the hall light").await;
    housed.says("turn on the hall light").await;
    assert_eq!(housed.sent(), sent(&[("Hall_Light", "ON"), ("Hall_Light", "ON")]));
}

#[tokio::test]
async fn the_same_is_done_with_another_thing() {
    let housed = roomless(["Nice.", "Who is Ann?"].map(scripted::answers).to_vec()).await;
    housed.says("turn on the hall light").await;
    assert_eq!(housed.says("the desk lamp too").await, "Desk lamp is on.");
    assert_eq!(housed.says("and the bedside lamp").await, "Bedside lamp is on.");
    housed.bench.later(1);
    housed.says("turn off the hall light").await;
    assert_eq!(housed.says("and the desk lamp as well please").await, "Desk lamp is off.");
    let before = housed.sent().len();
    assert_eq!(before, 5);
    // Anything else is left to the model.
    assert_eq!(housed.says("me too").await, "Nice.");
    assert_eq!(housed.says("and Ann").await, "Who is Ann?");
    assert_eq!(housed.sent().len(), before);
}
