//! The language that is spoken, replaced while the engine runs.

use super::scripted::answers;
use super::*;
use joi_language::{DeviceKind, Language, LanguageLibrary, Languages, Names};

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
        ("Danke, das war's.", "Gern geschehen."),
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
async fn french_is_understood_and_spoken() {
    let bench = Bench::shipped(vec![answers("That is no command."); 20]);
    bench.engine.parts.languages.replace(Language::load("fr").unwrap());
    for (said, answer) in [
        ("Quelle heure est-il ?", "Il est 14 heures 05."),
        ("Quel jour sommes-nous ?", "Nous sommes le dimanche 22 novembre 2026."),
        ("Mets un minuteur de dix minutes, s'il te plaît.", "Minuteur, 10 minutes."),
        ("Lance un minuteur pâtes de une heure et demie", "Minuteur pâtes, 1 heure 30 minutes."),
        ("Mets un minuteur de soixante et onze minutes", "Minuteur, 1 heure 11 minutes."),
        ("Réveille-moi à six heures et demie demain", "Réveil demain à 6 heures 30."),
        ("Annule le minuteur pâtes", "Minuteur pâtes annulé."),
        ("Supprime tous les minuteurs", "2 minuteurs annulés."),
        ("Mets un minuteur", "Pour combien de temps ?"),
        ("Cinq minutes", "Minuteur, 5 minutes."),
        ("Plus fort !", "Plus fort."),
        ("Mets le volume à 40 pour cent", "Volume à 40 pour cent."),
        ("Merci beaucoup", "Avec plaisir."),
        ("Silence !", ""),
    ] {
        let ran = bench.say(said).await;
        assert_eq!((ran.shown().as_str(), ran.outcome.ended), (answer, Ended::Quick), "{said}");
    }
    assert_eq!(bench.model.requests().len(), 0);
}

/// A bench that answers in whichever of two languages was spoken.
fn bilingual(script: Vec<Vec<Step>>) -> Bench {
    let both = Languages::several(Language::load("en").unwrap(), vec![Language::load("de").unwrap()]);
    Bench::with(script, |parts| parts.languages = both)
}

#[tokio::test(start_paused = true)]
async fn each_turn_is_answered_in_the_language_it_was_said_in() {
    let bench = bilingual(vec![answers("That is no command."); 20]);
    for (said, answer) in [
        ("What time is it?", "It's 2:05 PM."),
        ("Wie spät ist es?", "Es ist 14:05 Uhr."),
        ("Stell einen Timer", "Für wie lange?"),
        // Words of no language: the one before goes on.
        ("10 min", "Timer, 10 Minuten."),
        ("Which timers are set?", "10 minute timer: 10 minutes left."),
        ("Lösche alle Timer", "Timer über 10 Minuten gelöscht."),
        // No small word identifies the language; only one of them has such a command.
        ("Louder", "Louder."),
        ("Leiser", "Leiser."),
    ] {
        assert_eq!(bench.say(said).await.shown(), answer, "{said}");
    }
    assert_eq!(bench.model.requests().len(), 0);
}

#[test]
fn what_was_heard_shows_more_of_the_language_than_the_words() {
    let bench = bilingual(vec![]);
    let of = |text, heard| bench.engine.language_of(&bench.voice, text, heard).code().to_owned();
    assert_eq!(of("Stop", Some("de")), "de");
    assert_eq!(of("Wie spät ist es?", Some("en")), "en");
    assert_eq!(of("Wie spät ist es?", None), "de");
    assert_eq!(of("Wie spät ist es?", Some("xx")), "de", "nobody speaks that, and German has such a command");
    assert_eq!(Bench::new(vec![]).engine.language_of(&bench.voice, "Wie spät ist es?", None).code(), "en");
}

#[tokio::test(start_paused = true)]
async fn the_model_learns_the_persona_in_the_language_of_the_turn() {
    let bench = bilingual(vec![answers("Because of the air."), answers("Wegen der Luft.")]);
    bench.say("Why is the sky blue?").await;
    bench.say("Warum ist der Himmel blau?").await;
    let requests = bench.model.requests();
    let (english, german) = (&requests[0], &requests[1]);
    assert!(english[0].content.starts_with("You are "), "{}", english[0].content);
    assert!(german[0].content.starts_with("Du bist "), "{}", german[0].content);
    let asked = &german.last().unwrap().content;
    assert!(
        asked.starts_with("[Context: Sonntag, 22. November 2026, 14:05 Uhr, Europe/Vienna. Ort: unbekannt]"),
        "{asked}"
    );
}
