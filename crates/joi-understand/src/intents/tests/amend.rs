//! Commands whose speaker went on a moment after they seemed complete.

use super::*;

fn amended_to(before: &str, text: &str) -> Option<When> {
    amended(&settled(before)?, text).and_then(|settled| settled.wanted.when)
}

#[test]
fn what_goes_on_with_a_command_changes_its_time() {
    for (before, text, seconds) in [
        ("Set a timer for nine minutes.", "And thirty seconds.", 570),
        ("Set a timer for nine minutes, please.", "oh, and thirty seconds please", 570),
        ("Set a timer for 9 minutes.", "30 seconds", 570),
        ("set a pasta timer for an hour", "and a half", 5_400),
        ("set a timer for two minutes", "thirty", 150),
        ("remind me in two hours to call Ann", "Remind me in two hours to call Ann.", 7_200),
        // Heard once more as a whole, and written otherwise.
        ("Set a timer for nine minutes.", "Set a timer for 9 minutes and 30 seconds.", 570),
        ("Set a timer for nine minutes.", "Set a timer for nine minutes, please.", 540),
    ] {
        let expected = (!text.starts_with("Remind")).then_some(When::In(seconds));
        assert_eq!(amended_to(before, text), expected, "{before} … {text}");
    }
    let named =
        |before: &str, text: &str| amended(&settled(before).unwrap(), text).and_then(|s| s.wanted.name);
    let reminder = "remind me at noon to call Ann";
    assert_eq!(
        named(reminder, "Remind me at noon to call Ann and Bob.").as_deref(),
        Some("call Ann and Bob")
    );
    let timer = "set a timer for nine minutes";
    assert_eq!(named(timer, "Set a timer for 9 minutes for the pasta.").as_deref(), Some("pasta"));
    assert_eq!(named(reminder, "and Bob"), None, "what only follows may be about anything");
    assert_eq!(named(timer, "for the eggs").as_deref(), Some("eggs"));
    assert_eq!(named("set a tea timer for nine minutes", "for the eggs"), None, "it has a name");
    assert_eq!(named(timer, "for the eggs I need a pan"), None);
    assert_eq!(
        amended_to("set an alarm for seven", "thirty").map(|when| format!("{when:?}").contains("minute: 30")),
        Some(true)
    );
    let days = |before, text| match amended_to(before, text) {
        Some(When::At(said)) => joi_language::values::words::days(said.days, english()),
        other => panic!("{other:?}"),
    };
    assert_eq!(days("wake me at half past six", "on weekdays"), "on weekdays");
    assert_eq!(days("set an alarm for 7", "Set an alarm for 7 on Mondays."), "every Monday");
}

#[test]
fn a_new_command_a_question_or_anything_else_amends_nothing() {
    let before = "set a timer for nine minutes";
    for text in [
        "",
        "set a timer for nine minutes",
        "set a timer for ten minutes",
        "set a pasta timer for nine minutes and thirty seconds",
        "cancel the timer",
        "what time is it",
        "and thirty seconds?",
        "ten minutes",
        "and what is the weather like",
        "thank you",
    ] {
        assert_eq!(amended_to(before, text), None, "{text}");
    }
    for text in ["set a timer", "cancel the timer", "what time is it", "tell me a story"] {
        assert_eq!(settled(text), None, "{text}");
    }
    let reminder = "remind me to call Ann tomorrow at noon";
    assert_eq!(amended_to(reminder, "and what is the weather like"), None, "its words are not the time");
}

#[test]
fn a_command_that_is_said_again_with_a_useless_end_is_known_for_the_same() {
    let before = settled("set a timer for nine minutes").unwrap();
    for (text, expected) in [
        ("Set a timer for 9 minutes, uh, let me see.", true),
        ("set a timer for nine minutes", false),
        ("set a timer for nine minutes and thirty seconds", false),
        ("set a timer for ten minutes, uh, let me see", false),
        ("uh, let me see", false),
    ] {
        assert_eq!(only_repeats(&before, text), expected, "{text}");
    }
}

#[test]
fn a_language_that_is_data_amends_as_well() {
    let before = intents::settled(german(), "Stell einen Timer auf neun Minuten").unwrap();
    let whole = intents::amended(german(), &before, "und dreißig Sekunden").unwrap();
    assert_eq!(whole.wanted.when, Some(When::In(570)));
    assert_eq!(
        intents::completeness(german(), "Stell einen Timer auf neun Minuten"),
        Completeness::Amendable
    );
    assert_eq!(intents::completeness(german(), "Stell einen Timer auf"), Completeness::Incomplete);
    assert_eq!(intents::completeness(german(), "Mach das Licht an"), Completeness::Complete);
    assert_eq!(intents::completeness(german(), "warum ist der Himmel blau"), Completeness::Question);
    assert_eq!(intents::completeness(german(), "Erzähl mir eine Geschichte."), Completeness::Question);
    assert_eq!(intents::completeness(german(), "Ich hatte einen schlechten Tag."), Completeness::Sentence);
}

#[test]
fn what_does_nothing_or_is_taken_up_by_the_whole_can_be_gone_on_with() {
    for (text, expected) in [
        ("set a timer for nine minutes", true),
        ("what time is it", true),
        ("how much time is left", true),
        ("set the volume to forty", true),
        ("what is twelve times twelve", true),
        ("put milk on the shopping list", false),
        ("turn it up", false),
        ("cancel the timer", false),
        ("add five minutes", false),
        ("remember that the key is in the shed", false),
        ("turn on the kitchen light", false),
        ("why is the sky blue", false),
    ] {
        assert_eq!(intents::is_amendable(english(), text), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_becomes_shorter_by_what_is_added(text in "(and |)[a-z0-9]{0,8}( minutes| seconds| hours|)") {
        if let Some(When::In(seconds)) = amended_to("set a timer for nine minutes", &text) {
            prop_assert!(seconds >= 540, "{}: {}", text, seconds);
        }
    }
}
