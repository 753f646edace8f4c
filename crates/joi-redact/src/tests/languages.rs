//! Secrets as they are said in English and in German, what is said about them, and very long ones.

use std::time::{Duration, Instant};

use super::*;
use joi_language::LanguageLibrary;

fn turns_into(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(redacted(text), expected.replace('*', "[REDACTED_SECRET]"), "{text}");
    }
}

#[test]
fn what_is_to_be_kept_is_taken_out_wherever_it_stands() {
    turns_into(&[
        ("put my password swordfish on the shopping list", "put my password * on the shopping list"),
        (
            "Add my Netflix password hunter2 to my notes, please",
            "Add my Netflix password * to my notes, please",
        ),
        ("write down our wifi key correct horse battery", "write down our wifi key *"),
        ("remember my pin is 4711", "remember my pin is *"),
        ("Remember my pin 4711.", "Remember my pin *."),
        ("remember that my PIN is four seven one one", "remember that my PIN is *"),
        ("note my pin code 4711 on the list", "note my pin code * on the list"),
        ("My passcode is 0815.", "My passcode is *."),
        ("the wi-fi key is tulip7", "the wi-fi key is *"),
        ("our wifi password is tulip", "our wifi password is *"),
        ("the key to our guest wifi is tulip7", "the key to our guest wifi is *"),
        ("put the gate code 5521 on my notes", "put the gate code * on my notes"),
        ("Remember the safe code, it's 8812.", "Remember the safe code, it's *."),
        ("door code: 1 2 3 4", "door code: *"),
        ("the alarm is off and the pin 4321", "the alarm is off and the pin *"),
        ("password for the tablet: hunter2", "password for the tablet: *"),
    ]);
}

#[test]
fn german_secrets_are_taken_out() {
    turns_into(&[
        ("Mein Passwort ist Schwertfisch.", "Mein Passwort ist *."),
        ("Das Kennwort lautet drei kleine Worte, merk dir das", "Das Kennwort lautet *, merk dir das"),
        ("Das WLAN-Passwort heißt tulpe7", "Das WLAN-Passwort heißt *"),
        ("unser WLAN Schlüssel ist tulpe7", "unser WLAN Schlüssel ist *"),
        ("Meine Geheimzahl ist vier sieben", "Meine Geheimzahl ist *"),
        ("Die PIN für das Handy ist 4711", "Die PIN für das Handy ist *"),
        ("meine PIN lautet vier sieben eins eins", "meine PIN lautet *"),
        ("meine Pin ist siebenundvierzig elf", "meine Pin ist *"),
        ("Der Türcode ist 4711.", "Der Türcode ist *."),
        ("Merk dir, dass mein Passwort hunter2 ist", "Merk dir, dass mein Passwort * ist"),
        ("merk dir dass meine PIN 4711 ist", "merk dir dass meine PIN * ist"),
        (
            "Schreib mein Passwort hunter2 auf die Einkaufsliste",
            "Schreib mein Passwort * auf die Einkaufsliste",
        ),
        ("Ändere mein Passwort auf Schwertfisch", "Ändere mein Passwort auf *"),
        ("Kennwort: drei kleine Worte", "Kennwort: *"),
        ("Geheimzahl: 4711", "Geheimzahl: *"),
        ("Die PIN meiner Karte ist 7741", "Die PIN meiner Karte ist *"),
        ("der Schlüssel vom Gäste-WLAN ist tulpe7", "der Schlüssel vom Gäste-WLAN ist *"),
        ("setz die PIN 5521 auf meine Notizen", "setz die PIN * auf meine Notizen"),
        ("Merk dir den Tresorcode 8812", "Merk dir den Tresorcode *"),
        ("der Entsperrcode vom Handy: 090807", "der Entsperrcode vom Handy: *"),
        ("Passwort fürs Tablet: hunter2", "Passwort fürs Tablet: *"),
        ("Die Gate-PIN 5521 bitte merken", "Die Gate-PIN * bitte merken"),
        ("der Tresorcode, das ist 8812", "der Tresorcode, das ist *"),
    ]);
    assert_eq!(redacted("482913 ist dein Bestätigungscode"), "[REDACTED_CODE] ist dein Bestätigungscode");
    assert_eq!(redacted("schreib an jane punkt doe at beispiel punkt de"), "schreib an [REDACTED_EMAIL]");
    assert_eq!(
        redacted("vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins"),
        "[REDACTED_CARD]"
    );
    assert_eq!(
        redact_json(&json!({ "Passwort": "x", "kennwort": 5 })),
        json!({ "Passwort": "[REDACTED_SECRET]", "kennwort": "[REDACTED_SECRET]" })
    );
}

#[test]
fn talk_about_secrets_is_untouched() {
    for text in [
        "remember my password manager is called Vault",
        "remind me to change my password tomorrow",
        "put a new password book on the shopping list",
        "put changing my password on the list",
        "remember the password please",
        "I keep my password safe.",
        "My passcode is too short.",
        "the wifi key is under the mat",
        "my pin is 12",
        "pin 3 photos to the wall",
        "put the promo code 2024 on my list",
        "write the code in 500 lines",
        "Merk dir die Farbkombination 3 rot 4 blau",
        "Setz den Gutscheincode 2024 auf die Liste",
        "I wrote the code in 2024.",
        "my code 500 lines long",
        "Mein Passwort ist falsch.",
        "Das Passwort ist nicht lang genug.",
        "Ist mein Passwort das gleiche wie deins?",
        "Mein Passwort ist das gleiche wie deins.",
        "Erinnere mich morgen daran, mein Passwort zu ändern",
        "Schreib neues Passwort auf die Liste",
        "Ich weiß, dass mein Passwort sicher ist.",
        "Der Fehlercode ist 404.",
        "Der Code ist 500 Zeilen lang.",
        "Setz Milch, Brot und 500 Gramm Mehl auf die Liste",
        "Stell einen Timer auf vier Minuten",
    ] {
        assert_eq!(redacted(text), text);
    }
}

// A token is taken out whole, however long, and nothing takes longer than its length is worth
#[test]
fn a_web_token_of_any_length_is_taken_out_at_once() {
    let token = |length: usize| format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", token(length), token(43));
    for length in [2, 3, 200, 7_990, 20_000] {
        assert_eq!(
            redacted(&format!("use {} for it", token(length))),
            "use [REDACTED_JWT] for it",
            "{length}"
        );
    }
    assert_eq!(redacted("eyJhbGciOiJub25lIn0.e30."), "[REDACTED_JWT]");
    let holding_others = format!("eyJhbGciOiJIUzI1NiJ9.AKIAIOSFODNN7EXAMPLE-sk-{}.x", super::token(40));
    assert_eq!(redacted(&holding_others), "[REDACTED_JWT]");
    let began = Instant::now();
    for text in [
        token(1_000_000),
        "eyJhbGciOiJI".repeat(80_000),
        "eyJhbGciOiJI ".repeat(80_000),
        "eyJhbGciOiJI.".repeat(80_000),
        "put my password ".repeat(60_000),
        "my pin ".repeat(140_000),
        "a.b-c_d%".repeat(120_000),
        "vier ".repeat(200_000),
    ] {
        redact_structured(&text);
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn a_language_of_the_folder_brings_words_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let french = folder.path().join("fr");
    std::fs::create_dir(&french).unwrap();
    std::fs::write(french.join("commands.toml"), joi_language::testing::FRENCH).unwrap();
    let english = include_str!("../../../../assets/language/en/secrets.toml");
    let words = english.replace(r"'pass\s?word'", "'mot de passe'").replace("is = ['is',", "is = ['est',");
    std::fs::write(french.join("secrets.toml"), &words).unwrap();
    let library = LanguageLibrary::with_folder(folder.path());
    let said = "mon mot de passe est espadon";
    for spoken in ["fr", "en"] {
        let language = library.load(spoken).unwrap();
        assert_eq!(redact_in(said, &language).as_str(), "mon mot de passe est [REDACTED_SECRET]", "{spoken}");
    }
    assert_eq!(redacted(said), said);
    std::fs::write(french.join("secrets.toml"), "passwords = 1").unwrap();
    assert!(library.load("fr").is_err_and(|error| error.to_string().contains("secrets.toml")));
}
