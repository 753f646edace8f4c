//! The language that is spoken, replaced while the engine runs.

use super::*;
use crate::language::tests::FRENCH;
use crate::language::{DeviceKind, Language, LanguageLibrary, Names};

#[tokio::test(start_paused = true)]
async fn the_next_turn_understands_and_answers_in_the_new_language() {
    let bench = Bench::new(vec![]);
    assert_eq!(bench.say("what time is it").await.shown(), "It's 2:05 PM.");
    assert_eq!(bench.say("set a pasta timer for nine minutes").await.shown(), "Pasta timer, 9 minutes.");
    bench.engine.parts.languages.replace(Language::load("de").unwrap());
    for (said, answer) in [
        ("Wie spät ist es?", "Es ist 14:05 Uhr."),
        ("Welcher Tag ist heute?", "Heute ist Sonntag, der 22. November 2026."),
        ("Stell einen Timer auf zehn Minuten", "Timer, 10 Minuten."),
        ("Welche Timer laufen?", "Pasta-Timer: noch 9 Minuten. Timer über 10 Minuten: noch 10 Minuten."),
        ("Wie lange läuft der Pasta Timer noch?", "Pasta-Timer: noch 9 Minuten."),
        ("Lösche alle Timer", "2 Timer gelöscht."),
        ("Welche Timer laufen?", "Es gibt keine Timer."),
        ("Weck mich um halb sieben", "Wecker morgen um 6:30 Uhr."),
        ("Lösche den Wecker", "Wecker um 6:30 Uhr gelöscht."),
        ("Erinnere mich morgen um zwölf daran Ann anzurufen", "Erinnerung morgen um 12 Uhr: Ann anzurufen."),
        ("Stell einen Timer", "Für wie lange?"),
        ("Fünf Minuten", "Timer, 5 Minuten."),
        ("Lauter!", "Lauter."),
        ("Lautstärke 40 Prozent", "Lautstärke auf 40 Prozent."),
        ("Merk dir, dass meine Katze Mia heißt", "Ich merke mir: deine Katze Mia heißt."),
        ("Vergiss alles über das Boot", "Ich erinnere mich an nichts über das Boot."),
        ("Danke", "Gern geschehen."),
        ("Stopp", ""),
    ] {
        let ran = bench.say(said).await;
        assert_eq!((ran.shown().as_str(), ran.outcome.ended), (answer, Ended::Quick), "{said}");
    }
    assert_eq!(bench.model.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_a_yes_in_the_language_that_is_spoken() {
    let bench = Bench::new(vec![]);
    bench.engine.parts.languages.replace(Language::load("de").unwrap());
    bench.say("Merk dir, dass mein Boot blau ist").await;
    let asked = bench.say("Vergiss alles über mein Boot").await;
    assert_eq!(asked.shown(), "Ich weiß 2 Dinge über dein Boot. Soll ich sie für immer vergessen?");
    assert_eq!(bench.say("Nein danke").await.shown(), "Gut, ich lasse es.");
    bench.say("Vergiss alles über mein Boot").await;
    assert_eq!(bench.say("Ja bitte").await.shown(), "Alles davon ist für immer weg.");
}

#[tokio::test(start_paused = true)]
async fn a_name_of_the_home_is_understood_from_the_next_turn_on() {
    let script = || vec![Step::Text("Which one?"), Step::Done];
    let bench = Bench::new(vec![script(), script()]);
    let home = |thing: &str| format!("I'm not connected to the house yet, so I can't turn on the {thing}.");
    for said in ["turn on the moon", "turn on the light in the winter garden"] {
        assert_eq!(bench.say(said).await.shown(), "Which one?", "{said}");
    }
    let names = Names {
        rooms: vec!["Winter Garden".into()],
        devices: vec![("moon".into(), DeviceKind::Light), ("kitchen lamp".into(), DeviceKind::Light)],
    };
    bench.engine.parts.languages.replace(LanguageLibrary::built_in().load_with("en", &names).unwrap());
    for (said, thing) in [
        ("turn on the moon", "moon"),
        ("turn on the light in the winter garden", "light in the winter garden"),
        ("turn on the kitchen lamp", "kitchen lamp"),
    ] {
        let ran = bench.say(said).await;
        assert_eq!((ran.shown(), ran.outcome.ended), (home(thing), Ended::Quick), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_language_that_is_only_files_sets_timers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("fr")).unwrap();
    std::fs::write(folder.path().join("fr/commands.toml"), FRENCH).unwrap();
    let bench = Bench::new(vec![]);
    bench.engine.parts.languages.replace(LanguageLibrary::with_folder(folder.path()).load("fr").unwrap());
    for (said, answer) in [
        ("Quelle heure est-il ?", "It's 2:05 PM."),
        ("Mets un minuteur de dix minutes, s'il te plaît.", "Timer, 10 minutes."),
        ("Silence !", ""),
    ] {
        let ran = bench.say(said).await;
        assert_eq!((ran.shown().as_str(), ran.outcome.ended), (answer, Ended::Quick), "{said}");
    }
    assert_eq!(bench.engine.parts.schedule.as_ref().unwrap().entries().await.unwrap().len(), 1);
}
