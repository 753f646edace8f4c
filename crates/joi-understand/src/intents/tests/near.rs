//! Transcripts that are almost a command, as recognisers wrote them, and talk that is none.

use super::*;

fn texts(text: &str) -> Vec<String> {
    near(text).into_iter().map(|reading| reading.text).collect()
}

#[test]
fn a_slip_of_one_word_has_the_command_among_its_readings() {
    for (written, said) in [
        ("Said a timer for nine minutes.", "Set a timer for nine minutes."),
        ("Sat a timer for ten minutes", "Set a timer for ten minutes"),
        ("Set a time or for ten minutes.", "Set a timer for ten minutes."),
        ("Set of timer for ten minutes.", "Set a timer for ten minutes."),
        ("turn of the pasta timer", "turn off the pasta timer"),
        ("Council the pasta timer.", "Cancel the pasta timer."),
        ("Turned off the pasta timer.", "Turn off the pasta timer."),
        ("cancelled the pasta timer", "cancel the pasta timer"),
        ("set and alarm for seven.", "set an alarm for seven."),
        ("at five minutes to the pasta timer.", "add five minutes to the pasta timer."),
        ("turn the volume app", "turn the volume up"),
        ("snows for five minutes", "snooze for five minutes"),
        ("It's news for nine minutes.", "Snooze for nine minutes."),
        ("turn of the kitchen light", "turn off the kitchen light"),
        ("Dime the living room lights.", "Dim the living room lights."),
        ("remand me to call Ann at noon", "remind me to call Ann at noon"),
        ("remind me to mow at known to call Ann", "remind me tomorrow at noon to call Ann"),
    ] {
        let readings = texts(written);
        if written.contains("mow") {
            assert!(readings.is_empty(), "two words off is too far: {readings:?}");
            continue;
        }
        assert!(readings.iter().any(|reading| reading == said), "{written}: {readings:?}");
        assert!(readings.len() <= MOST_READINGS);
    }
}

#[test]
fn a_language_that_is_data_is_searched_as_well() {
    let texts = |text: &str| intents::near(german(), text).into_iter().map(|r| r.text).collect::<Vec<_>>();
    for (written, said) in [
        ("Stelle einen Teimer auf neun Minuten.", "Stelle einen Timer auf neun Minuten."),
        ("Stelle einen Eimer auf neun Minuten", "Stelle einen Timer auf neun Minuten"),
        ("Ställe einen Timer auf zehn Minuten.", "Stelle einen Timer auf zehn Minuten."),
        ("Stelle in Timer auf zehn Minuten", "Stelle einen Timer auf zehn Minuten"),
        ("Löse den Nudel Timer", "Lösche den Nudel Timer"),
        ("Wegg mich um halb sieben", "Weck mich um halb sieben"),
        ("Mach das Lichte in der Küche aus", "Mach das Licht in der Küche aus"),
        ("Schalte die Stehlampe auf", "Schalte die Stehlampe aus"),
    ] {
        let readings = texts(written);
        assert!(readings.iter().any(|reading| reading == said), "{written}: {readings:?}");
        assert!(readings.len() <= MOST_READINGS);
    }
    for text in [
        "Hast du in Timer auf zehn Minuten gestellt",
        "Stelle kein Timer auf neun Minuten",
        "Stelle nicht einen Teimer auf neun Minuten",
        "Lösche alle Teimer",
        "Warum ist der Himmel blau",
        "Ich habe gestern ein Eis gegessen",
    ] {
        assert_eq!(texts(text), [""; 0], "{text}");
    }
}

const MOST_READINGS: usize = 6;

#[test]
fn questions_negations_and_what_can_not_be_undone_have_none() {
    for text in [
        "did you said a timer for nine minutes",
        "Said a timer for nine minutes?",
        "why said a timer for nine minutes",
        "do not said a timer for nine minutes",
        "don't sat a timer for nine minutes",
        "never said a timer for nine minutes",
        "counsel all timers",
        "cancel all dimers",
        "set a timer for nine minutes",
        "Fellow time, or for nine minutes.",
        "said a timer",
        "bad night",
        "what dime is it",
    ] {
        assert_eq!(texts(text), [""; 0], "{text}");
    }
}

#[test]
fn talk_is_hardly_ever_one_word_away_from_a_command() {
    let all: Vec<&str> = lines(CHITCHAT).collect();
    let near: Vec<(&str, Vec<String>)> =
        all.iter().map(|line| (*line, texts(line))).filter(|(_, readings)| !readings.is_empty()).collect();
    assert!(near.len() * 100 <= all.len(), "{} of {}: {near:#?}", near.len(), all.len());
}

/// Returns the phrasings of timers with one letter of one word changed.
fn with_a_slip() -> impl Strategy<Value = String> {
    let all: Vec<String> = include_str!("../../../../../tests/data/intents/timers.en.tsv")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .filter_map(|line| line.split('\t').next().map(str::to_owned))
        .collect();
    (prop::sample::select(all), any::<prop::sample::Index>(), prop::char::range('a', 'z')).prop_map(
        |(text, place, letter)| {
            let mut letters: Vec<char> = text.chars().collect();
            let at = place.index(letters.len());
            letters[at] = letter;
            letters.into_iter().collect()
        },
    )
}

proptest! {
    #[test]
    fn every_reading_is_a_command_that_differs_in_one_word(text in with_a_slip()) {
        let readings = near(&text);
        prop_assert!(readings.len() <= MOST_READINGS);
        prop_assert!(readings.is_empty() || match_intent(&text).is_none());
        for reading in readings {
            let understood = match_intent(&reading.text).map(|quick| quick.what);
            prop_assert_eq!(understood, Some(reading.what.clone()));
            let is_all = matches!(
                reading.what,
                Intent::Schedule(ScheduleOrder::Cancel(Which { many: Many::All, .. }))
            );
            prop_assert!(!is_all);
            let same_head = text.bytes().zip(reading.text.bytes()).take_while(|(a, b)| a == b).count();
            let same_tail =
                text.bytes().rev().zip(reading.text.bytes().rev()).take_while(|(a, b)| a == b).count();
            prop_assert!(same_head + same_tail + 12 >= text.len().max(reading.text.len()), "{}", reading.text);
        }
    }

    #[test]
    fn any_text_has_few_readings_and_no_panic(text in "\\PC{0,80}") {
        prop_assert!(near(&text).len() <= MOST_READINGS);
    }
}
