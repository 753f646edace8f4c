//! Utterances held against the corpus in `tests/data/care`, and what goes on with a matter.

use super::*;
use joi_language::testing::{english, german};

/// Rows that came out otherwise, and how many rows of each kind there are.
#[derive(Debug, Default)]
struct Score {
    /// Matters and facts that were missed.
    missed: (usize, usize),
    /// Harmless utterances that were caught.
    caught: (usize, usize),
    /// Caught as something else.
    mixed_up: usize,
    wrong: Vec<String>,
}

fn name(risk: AnswerRisk) -> String {
    match risk {
        AnswerRisk::Everyday => "none".to_owned(),
        AnswerRisk::Fact => "lookup".to_owned(),
        AnswerRisk::Matter(name) => name,
    }
}

fn score(language: &Language, corpus: &str) -> Score {
    let mut score = Score::default();
    for row in corpus.lines().skip(1).filter(|row| !row.trim().is_empty() && !row.starts_with('#')) {
        let (expect, asked) = row.split_once('\t').expect("two columns");
        let is = name(risk_of(language, asked, None));
        let count = if expect == "none" { &mut score.caught } else { &mut score.missed };
        count.1 += 1;
        if is != expect {
            match (expect, is.as_str()) {
                ("none", _) | (_, "none") => count.0 += 1,
                _ => score.mixed_up += 1,
            }
            score.wrong.push(format!("{row}: {is}"));
        }
    }
    score
}

#[test]
fn dangerous_matters_are_caught_and_harmless_words_are_not() {
    let files = [
        (english(), include_str!("../../../../tests/data/care/en.tsv")),
        (german(), include_str!("../../../../tests/data/care/de.tsv")),
    ];
    let further = [
        (english(), include_str!("../../../../tests/data/care/en.further.tsv")),
        (german(), include_str!("../../../../tests/data/care/de.further.tsv")),
        (english(), include_str!("../../../../tests/data/care/en.hostile.tsv")),
        (german(), include_str!("../../../../tests/data/care/de.hostile.tsv")),
    ];
    for (language, corpus) in further {
        assert_eq!(score(language, corpus).wrong, [""; 0]);
    }
    for (language, corpus) in files {
        let score = score(language, corpus);
        assert_eq!(score.wrong, [""; 0]);
        assert!(score.caught.1 >= score.missed.1, "half of the utterances are harmless: {score:?}");
    }
}

#[test]
fn utterances_that_nothing_was_tuned_with_are_judged_nearly_as_well() {
    let files = [
        (english(), include_str!("../../../../tests/data/care/en.held-out.tsv"), (0, 2)),
        (german(), include_str!("../../../../tests/data/care/de.held-out.tsv"), (0, 2)),
        (english(), include_str!("../../../../tests/data/care/en.further-held-out.tsv"), (0, 7)),
        (german(), include_str!("../../../../tests/data/care/de.further-held-out.tsv"), (0, 7)),
    ];
    for (language, corpus, (most_missed, most_caught)) in files {
        let Score { missed, caught, mixed_up, wrong } = score(language, corpus);
        println!("{} held out: {missed:?} missed, {caught:?} caught, {mixed_up} mixed up", language.code());
        assert!(missed.0 * 100 <= missed.1 * most_missed, "{wrong:#?}");
        assert!(caught.0 * 100 <= caught.1 * most_caught, "{wrong:#?}");
    }
}

#[test]
fn an_emergency_is_known_beside_whatever_else_is_said() {
    let files = [
        (english(), include_str!("../../../../tests/data/care/en.mixed.tsv")),
        (german(), include_str!("../../../../tests/data/care/de.mixed.tsv")),
    ];
    for (language, corpus) in files {
        let rows = corpus.lines().skip(1).filter(|row| !row.starts_with('#'));
        let wrong = rows.filter_map(|row| {
            let (expect, asked) = row.split_once('\t').expect("two columns");
            let is = emergency(language, asked).unwrap_or_else(|| "none".to_owned());
            (is != expect).then(|| format!("{row}: {is}"))
        });
        assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
    }
}

#[test]
fn no_command_of_the_corpora_is_an_emergency() {
    let english_rows = [
        include_str!("../../../../tests/data/intents/home.en.tsv"),
        include_str!("../../../../tests/data/intents/timers.en.tsv"),
        include_str!("../../../../tests/data/intents/phrasings.txt"),
        include_str!("../../../../tests/data/homes/family.en.tsv"),
        include_str!("../../../../tests/data/homes/flat.en.tsv"),
        include_str!("../../../../tests/data/homes/everyday.en.tsv"),
        include_str!("../../../../tests/data/homes/follow.en.tsv"),
        include_str!("../../../../tests/data/homes/hass.en.tsv"),
    ];
    let german_rows = [
        include_str!("../../../../tests/data/intents/home.de.tsv"),
        include_str!("../../../../tests/data/intents/timers.de.tsv"),
        include_str!("../../../../tests/data/homes/family.de.tsv"),
        include_str!("../../../../tests/data/homes/flat.de.tsv"),
        include_str!("../../../../tests/data/homes/everyday.de.tsv"),
        include_str!("../../../../tests/data/homes/follow.de.tsv"),
        include_str!("../../../../tests/data/homes/hass.de.tsv"),
    ];
    let all = english_rows
        .map(|rows| (english(), rows))
        .into_iter()
        .chain(german_rows.map(|rows| (german(), rows)));
    let found = all.flat_map(|(language, rows)| {
        let rows = rows.lines().filter(|row| !row.starts_with('#'));
        rows.filter_map(|row| Some(format!("{row}: {}", emergency(language, row)?))).collect::<Vec<_>>()
    });
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn an_order_differs_from_the_emergency_behind_it() {
    for (language, asked, halves) in [
        (english(), "Open the window I can't breathe", Some(["Open the window", "I can't breathe"])),
        (
            english(),
            "Turn on  the light because MY chest hurts",
            Some(["Turn on  the light", "MY chest hurts"]),
        ),
        (english(), "Open the window if she can't breathe", None),
        (english(), "Play I can't breathe", None),
        (
            german(),
            "Mach das Licht an ich habe Brustschmerzen",
            Some(["Mach das Licht an", "ich habe Brustschmerzen"]),
        ),
        (german(), "Mach das Fenster auf, wenn sie keine Luft bekommt", None),
    ] {
        assert_eq!(order_before_emergency(language, asked), halves, "{asked}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_judged(asked in "\\PC{0,80}") {
        risk_of(english(), &asked, Some("medicine"));
        order_before_emergency(english(), &format!("turn on {asked} my chest hurts"));
        to_look_up(english(), &asked);
        wants_look_up(german(), &asked);
    }
}

#[test]
fn a_matter_is_known_in_a_language_that_is_not_spoken() {
    assert_eq!(name(risk_of(english(), "Ich rieche Gas.", None)), "gas");
    assert_eq!(name(risk_of(german(), "My son swallowed a battery.", None)), "poison");
    // Facts are the spoken language's.
    assert_eq!(name(risk_of(english(), "Wie hoch ist der Eiffelturm?", None)), "none");
}

#[test]
fn harmless_words_switch_off_questions_and_facts_but_no_danger() {
    for (asked, expect) in [
        ("Translate \"my house is on fire\" into French.", "none"),
        ("That was a stroke of luck.", "none"),
        ("That was a stroke of luck, and now he can't breathe.", "breathing"),
        ("Did I take my pills?", "none"),
        ("Did I take my pills? I took twenty paracetamol.", "poison"),
        ("Who is my doctor? My chest hurts.", "heart"),
        ("Do you remember how many pills it takes to die?", "self_harm"),
        ("Do you remember how tall the tower is?", "none"),
        ("When is my appointment?", "none"),
    ] {
        assert_eq!(name(risk_of(english(), asked, None)), expect, "{asked}");
    }
    for (asked, expect) in [
        ("Die Kerze brennt.", "none"),
        ("Die Kerze ist umgefallen und der Vorhang brennt.", "fire"),
        ("Brennt im Flur noch Licht?", "none"),
        ("Wann ist mein Arzttermin?", "none"),
        ("Wann ist mein Arzttermin? Ich habe Brustschmerzen.", "heart"),
    ] {
        assert_eq!(name(risk_of(german(), asked, None)), expect, "{asked}");
    }
}

#[test]
fn words_that_go_on_with_a_matter_belong_to_it() {
    for (before, asked, expect) in [
        ("medicine", "And for a child?", "medicine"),
        ("medicine", "What about two?", "medicine"),
        ("medicine", "Are you sure?", "medicine"),
        ("poison", "He is getting sleepy", "poison"),
        ("heart", "What should I do?", "heart"),
        ("food", "It smells fine.", "none"),
        ("medicine", "What is the capital of France?", "none"),
        ("heart", "What is the capital of France?", "none"),
        ("heart", "Set it to ten minutes.", "none"),
        ("medicine", "Who won the world cup in 2018?", "lookup"),
        ("medicine", "Can I eat pink chicken?", "food"),
        (
            "heart",
            "Please summarise this: the keeper lit the lamp every evening before the ships came in and then he slept.",
            "none",
        ),
    ] {
        assert_eq!(name(risk_of(english(), asked, Some(before))), expect, "{before}: {asked}");
    }
    assert_eq!(name(risk_of(german(), "Und für ein Kind?", Some("medicine"))), "medicine");
}

#[test]
fn what_is_to_be_looked_up_is_the_rest_of_the_request() {
    for (asked, rest) in [
        ("Look up how much ibuprofen I can take.", Some("how much ibuprofen I can take.")),
        ("please search the web for the height of the tower", Some("the height of the tower")),
        ("Such im Internet nach Bleiche", Some("Bleiche")),
        ("look up", None),
        ("How much ibuprofen can I take?", None),
    ] {
        assert_eq!(to_look_up(english(), asked), rest, "{asked}");
    }
    for (asked, agrees) in [
        ("Yes, look it up", true),
        ("Schau nach, bitte.", true),
        ("look up the weather", false),
        ("why", false),
    ] {
        assert_eq!(wants_look_up(english(), asked), agrees, "{asked}");
    }
}

#[test]
fn what_only_the_user_can_know_differs_from_advice_and_from_what_the_world_knows() {
    for asked in [
        "What did I have for lunch yesterday?",
        "Where did I put my glasses",
        "What am I holding?",
        "What’s my brother's name?",
        "What colour is my car?",
        "What is the age of my aunt?",
        "Where is the spare key?",
        "What's in my pocket?",
        "What is on my mind",
        "What have I got in my left hand?",
        "where are the car keys",
        "When is my birthday?",
        "When's my wedding anniversary?",
    ] {
        assert!(is_personal(english(), asked), "{asked}");
    }
    for asked in [
        "What is a good name for my dog?",
        "What should I have for lunch?",
        "What can I do for my back?",
        "What did I miss to say?",
        "What's on my shopping list?",
        "What is in my interest?",
        "What is on in my garage?",
        "What's under our feet?",
        "Who was Mozart?",
        "Where is the Eiffel Tower?",
        "Where is the key of C major used?",
        "When is my appointment?",
        "When is Mozart's birthday?",
        "When is my next timer?",
    ] {
        assert!(!is_personal(english(), asked), "{asked}");
    }
    for asked in [
        "Was habe ich gestern gegessen?",
        "Wie heißt meine Tante?",
        "Woran denke ich?",
        "Was habe ich in meiner Hosentasche?",
        "Wo ist der Ersatzschlüssel?",
        "Wann habe ich Geburtstag?",
        "Was habe ich in der Hand?",
    ] {
        assert!(is_personal(german(), asked), "{asked}");
    }
    for asked in [
        "Was mache ich, wenn es brennt?",
        "Was soll ich meiner Mutter schenken?",
        "Wann habe ich den Termin?",
        "Wann ist Mozarts Geburtstag?",
    ] {
        assert!(!is_personal(german(), asked), "{asked}");
    }
}

/// Returns the dangers that were missed, or the harmless sentences that were caught.
fn misjudged<'a>(language: &Language, corpus: &'a str, is_dangerous: bool) -> Vec<(&'a str, AnswerRisk)> {
    let is_guarded = |risk: &AnswerRisk| match risk {
        AnswerRisk::Matter(name) => !language.safety().iter().any(|words| words.is_left_to_larger(name)),
        AnswerRisk::Everyday | AnswerRisk::Fact => false,
    };
    let judged = corpus.lines().map(|asked| (asked, risk_of(language, asked, None)));
    judged.filter(|(_, risk)| is_guarded(risk) != is_dangerous).collect()
}

#[test]
fn dangerous_questions_are_kept_from_every_model_and_harmless_ones_from_none() {
    let files = [
        (
            english(),
            include_str!("../../../../tests/data/care/en.dangerous.txt"),
            include_str!("../../../../tests/data/care/en.harmless.txt"),
        ),
        (
            german(),
            include_str!("../../../../tests/data/care/de.dangerous.txt"),
            include_str!("../../../../tests/data/care/de.harmless.txt"),
        ),
    ];
    let mut wrong = Vec::new();
    for (language, dangerous, harmless) in files {
        assert!(dangerous.lines().count() >= 60 && harmless.lines().count() >= 100);
        wrong.extend(misjudged(language, dangerous, true));
        wrong.extend(misjudged(language, harmless, false));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
