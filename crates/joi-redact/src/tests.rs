use proptest::prelude::*;
use serde_json::json;

use super::*;

mod languages;

fn redacted(text: &str) -> String {
    redact(text).into_string()
}

/// Returns a hexadecimal, mixed-case or digit token that looks random, `length` characters long.
fn token(length: usize) -> String {
    "a1B2c3D4e5F6g7H8i9J0".chars().cycle().take(length).collect()
}

#[test]
fn every_rule_compiles() {
    // Fifteen shapes, and eight spoken forms in two languages
    assert_eq!(rules::all(&[]).map(|rules| rules.len()), Some(15 + 2 * 8));
}

#[test]
fn a_secret_behind_a_pause_is_found_once_the_pause_is_gone() {
    let language = joi_language::testing::english();
    for text in ["my pin is, um, 4711", "my password is uh hunter2", "the, the pin is, um, 4711"] {
        let redacted = redact_in(text, language).fluent(language);
        assert!(!redacted.labels().is_empty(), "{text}: {}", redacted.as_str());
        assert!(!redacted.as_str().contains("4711") && !redacted.as_str().contains("hunter2"), "{text}");
    }
    assert_eq!(redact_in("turn the, the light on", language).fluent(language).as_str(), "turn the light on");
}

#[test]
fn each_label_has_a_hit() {
    let hits = [
        ("write to jane.doe+home@mail.example.org today", "write to [REDACTED_EMAIL] today"),
        ("jürgen@müller.de", "[REDACTED_EMAIL]"),
        ("card 4111 1111 1111 1111 please", "card [REDACTED_CARD] please"),
        ("card 4111-1111-1111-1111.", "card [REDACTED_CARD]."),
        ("amex 378282246310005", "amex [REDACTED_CARD]"),
        ("amex 3782 822463 10005 it is", "amex [REDACTED_CARD] it is"),
        ("13 digits 4222222222222", "13 digits [REDACTED_CARD]"),
        ("4111 1111 1111 1111 12 27 123", "[REDACTED_CARD] 12 27 123"),
        ("AKIAIOSFODNN7EXAMPLE", "[REDACTED_AWS_KEY]"),
        ("ASIAIOSFODNN7EXAMPLE", "[REDACTED_AWS_KEY]"),
    ];
    for (text, expected) in hits {
        assert_eq!(redacted(text), expected);
    }
    let tokens = [
        ("sk_live_", 16, Label::Stripe),
        ("pk_test_", 24, Label::Stripe),
        ("ghp_", 36, Label::GitHub),
        ("ghs_", 40, Label::GitHub),
        ("sk-", 32, Label::SecretKey),
        ("sk-proj-", 40, Label::SecretKey),
        ("sk-ant-api03-", 60, Label::SecretKey),
        ("AIza", 35, Label::Google),
        ("Bearer ", 20, Label::Authorization),
        ("xoxb-", 24, Label::Vendor),
        ("glpat-", 20, Label::Vendor),
        ("oh.joi.", 80, Label::Vendor),
        ("acme_live_", 20, Label::Vendor),
    ];
    for (prefix, length, label) in tokens {
        let text = format!("use {prefix}{} for it", token(length));
        let kept = if label == Label::Authorization { "Bearer " } else { "" };
        assert_eq!(redacted(&text), format!("use {kept}{} for it", label.token()), "{prefix}");
    }
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", token(30), token(43));
    assert_eq!(redacted(&jwt), "[REDACTED_JWT]");
    assert_eq!(redacted(&"0123456789abcdef".repeat(2)), "[REDACTED_HEX]");
    assert_eq!(redacted("482913 is your code"), "[REDACTED_CODE] is your code");
    assert_eq!(redacted("482 913 for the 2FA login"), "[REDACTED_CODE] for the 2FA login");
    assert_eq!(redacted("Authorization: Basic dXNlcjpwYXNz"), "Authorization: Basic [REDACTED_AUTH]");
    assert_eq!(redacted("Basic dXNlcjpwYXNzd29yZA=="), "Basic [REDACTED_AUTH]");
}

#[test]
fn each_label_has_a_near_miss() {
    let misses = [
        "jane at the office".to_owned(),
        "meet me @ home".to_owned(),
        "4111 1111 1111 1112".to_owned(),
        "412345678901".to_owned(),
        "1700000000000".to_owned(),
        "AKIAIOSFODNN7EXAMPL".to_owned(),
        "sk_live_a1B2c3D4e5F6g7H".to_owned(),
        "ghp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H".to_owned(),
        format!("sk-{}", token(31)),
        "sk-learn-is-a-library-for-machine-learning".to_owned(),
        "a risk-averse-and-very-long-hyphenated-description-of-it".to_owned(),
        format!("AIza{}", token(34)),
        "the bearer certificates".to_owned(),
        "a basic understanding of physics".to_owned(),
        "basic JavaScript".to_owned(),
        "xoxb-123".to_owned(),
        "eyJhbGci".to_owned(),
        "heyJude.mp3".to_owned(),
        "the token economy".to_owned(),
        "a passenger: three".to_owned(),
        "compass: north".to_owned(),
        "0123456789abcdef0123456789abcde".to_owned(),
        "482913 people live here".to_owned(),
        "48291 is your code".to_owned(),
    ];
    for text in misses {
        assert_eq!(redacted(&text), text);
    }
}

#[test]
fn values_of_keywords_are_taken_out() {
    let cases = [
        ("password: hunter2", "password: [REDACTED_SECRET]"),
        ("password=hunter2", "password=[REDACTED_SECRET]"),
        ("pass = hunter2, then go", "pass = [REDACTED_SECRET], then go"),
        ("my api key: a b", "my api key: [REDACTED_SECRET] b"),
        ("access_token=abc,def&x=1", "access_token=[REDACTED_SECRET]"),
        ("sid=42; path=/", "sid=[REDACTED_SECRET]; path=/"),
        ("session: abc", "session: [REDACTED_SECRET]"),
        ("clientSecret => abc", "clientSecret => [REDACTED_SECRET]"),
        ("password: token: abc", "password: token: [REDACTED_SECRET]"),
        ("password: correct horse, battery", "password: [REDACTED_SECRET], battery"),
        ("password: jane@example.org!5", "password: [REDACTED_SECRET]"),
        (r#"password: "correct horse, battery" x"#, r#"password: "[REDACTED_SECRET]" x"#),
        (r#"{\"password\":\"hunter2\"}"#, r#"{\"password\":\"[REDACTED_SECRET]\"}"#),
        (r#"{"token":"ab\"c","n":1}"#, r#"{"token":"[REDACTED_SECRET]","n":1}"#),
        (r#"{"token":"never closed"#, r#"{"token":"[REDACTED_SECRET]"#),
        (r#"{"session":{"id":1}}"#, r#"{"session":{"id":1}}"#),
        (r#"{"token":null}"#, r#"{"token":null}"#),
    ];
    for (text, expected) in cases {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn spoken_secrets_are_taken_out() {
    let cases = [
        ("My password is swordfish.", "My password is [REDACTED_SECRET]."),
        ("my password is correct horse battery staple", "my password is [REDACTED_SECRET]"),
        (
            "The password for the wifi is hunter2, remember it",
            "The password for the wifi is [REDACTED_SECRET], remember it",
        ),
        ("my password's hunter2", "my password's [REDACTED_SECRET]"),
        ("Set my password to swordfish.", "Set my password to [REDACTED_SECRET]."),
        ("The code is 4711.", "The code is [REDACTED_SECRET]."),
        ("the door code is four seven one one", "the door code is [REDACTED_SECRET]"),
        ("My PIN is 1 2 3 4 and the light is on", "My PIN is [REDACTED_SECRET] and the light is on"),
        ("the alarm code is B 4 7 1 1", "the alarm code is [REDACTED_SECRET]"),
        ("my token is ab12cd34", "my token is [REDACTED_SECRET]"),
        ("write to jane dot doe at example dot org", "write to [REDACTED_EMAIL]"),
        ("My email is jane at example.com.", "My email is [REDACTED_EMAIL]."),
        ("four one one one one one one one one one one one one one one one", "[REDACTED_CARD]"),
        ("4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1", "[REDACTED_CARD]"),
    ];
    for (text, expected) in cases {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn ordinary_speech_is_untouched() {
    let sentences = [
        "What time is it? It's 10:45 and the train leaves at 17:00.",
        "Remind me on 2026-03-04 2026-03-05 at nine.",
        "The router is at 192.168.178.1 and the other one at 10.0.0.254.",
        "Tell me about the token economy and the secret life of trees.",
        "The password is wrong.",
        "Yes, the password is correct.",
        "Is my password too short?",
        "My password is the same as yours.",
        "What does it mean when the password is not accepted?",
        "The zip code is 90210 and the area code is 415.",
        "The status code is 404.",
        "The code is 500 lines long.",
        "The secret is patience.",
        "My secret is that I love him.",
        "The session is at 14:30.",
        "The code is broken.",
        "Look at google.com for it.",
        "Call 030 1234567 or +49 170 1234567.",
        "Count 1 2 3 4 5 6 7 8 9 10 11 12.",
        "There were 1,000,000 people and 12345678 birds.",
        "Bearer of bad news, basic needs, basic 12 volt lamps.",
        "one two three four five six seven eight nine ten",
    ];
    for text in sentences {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn labels_are_reported_once_each_and_debug_hides_the_text() {
    let found = redact("a@example.org b@example.org password: c");
    assert_eq!(found.labels(), [Label::Email, Label::Secret]);
    assert_eq!(format!("{found:?}"), r#"Redacted { text: "***", labels: [Email, Secret] }"#);
}

#[test]
fn user_text_is_collapsed_and_capped_and_structured_text_is_not() {
    assert_eq!(redacted("  a\n\tb\u{a0} c  "), "a b c");
    assert_eq!(redact_structured("a\n  b: 1\n").as_str(), "a\n  b: 1\n");
    assert_eq!(redacted(&"wörter ".repeat(3_000)), "wörter ".repeat(1_143).trim_end());
    let long = "wort ".repeat(3_000);
    assert_eq!(redacted(&long), "wort ".repeat(1_600).trim_end());
    assert_eq!(redacted(&format!("ab {long}")), format!("ab {}", "wort ".repeat(1_599)).trim_end());
    assert_eq!(redact_structured(&long).as_str(), long);
    assert_eq!(redacted(&"ä".repeat(9_000)).chars().count(), MAX_USER_CHARS);
}

#[test]
fn a_secret_across_the_cap_is_taken_out_whole() {
    let text = format!("{} jane.doe@example.org", "x".repeat(MAX_USER_CHARS - 9));
    assert!(!redacted(&text).contains("jane"));
}

#[test]
fn tool_calls_are_redacted_in_every_form() {
    let arguments = r#"{"to":"jane@example.org","password":"x","n":4111111111111111}"#;
    let call = json!({
        "name": "send",
        "arguments": arguments,
        "list": ["a@example.org", 5, null, true],
        "api_key": 12345,
        "session": {"password": "y", "open": true},
        "plain": "password: z",
    });
    let expected = json!({
        "name": "send",
        "arguments": r#"{"to":"[REDACTED_EMAIL]","password":"[REDACTED_SECRET]","n":"[REDACTED_CARD]"}"#,
        "list": ["[REDACTED_EMAIL]", 5, null, true],
        "api_key": "[REDACTED_SECRET]",
        "session": "[REDACTED_SECRET]",
        "plain": "password: [REDACTED_SECRET]",
    });
    assert_eq!(redact_json(&call), expected);
}

#[test]
fn a_reply_may_speak_of_passwords_but_not_hold_a_key() {
    assert!(!has_secret("A good password is one you don't reuse. Write to help@example.org."));
    assert!(has_secret("Your card is 4111 1111 1111 1111."));
    assert!(has_secret(&format!("sk-{}", token(40))));
    assert!(has_label("I wrote it to [REDACTED_EMAIL]."));
    assert!(!has_label("I redacted it."));
}

/// What the rules react to.
const PIECES: [&str; 59] = [
    "password",
    "my password is ",
    "the code is ",
    "token",
    ": ",
    "=",
    " ",
    "\n",
    "\"",
    "'",
    "\\",
    "\\\"",
    "{",
    "[",
    "}",
    "]",
    ",",
    ".",
    "jane",
    "@",
    "example.org",
    " dot ",
    " at ",
    "4111 1111 1111 1111",
    "4111111111111111",
    "1",
    "482913",
    " code ",
    "otp",
    "sk-",
    "ghp_",
    "AKIAIOSFODNN7EXAMPLE",
    "a1B2c3D4e5F6g7H8i9J0",
    "0123456789abcdef",
    "Bearer ",
    "authorization: ",
    "eyJhbGciOiJIUzI1NiJ9",
    "one ",
    "four ",
    "[REDACTED_EMAIL]",
    "[REDACTED_SECRET]",
    "é",
    "_",
    "-",
    "is ",
    "wrong",
    "zip ",
    "email ",
    "set the ",
    " to ",
    "put my ",
    "my pin ",
    " on the list",
    "mein Passwort ",
    "schreib ",
    " ist ",
    " auf die Liste",
    "vier ",
    "dass ",
];

/// Such pieces, mixed with ordinary text.
fn troublesome() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![8 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,6}"],
        0..24,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn redacting_twice_changes_nothing(text in troublesome()) {
        let once = redact(&text);
        prop_assert_eq!(redact(once.as_str()).into_string(), once.into_string());
        let once = redact_structured(&text);
        prop_assert_eq!(redact_structured(once.as_str()).into_string(), once.into_string());
    }

    #[test]
    fn any_address_disappears(
        before in "[a-z ,.]{0,40}", local in "[a-z][a-z0-9._+-]{0,12}", host in "[a-z]{1,10}\\.(org|com|de)",
    ) {
        prop_assume!(!before.contains(&host));
        let text = format!("{before} {local}@{host} and more");
        let out = redacted(&text);
        prop_assert!(!out.contains(&host), "{}", out);
    }

    #[test]
    fn any_card_disappears(prefix in "[2-9][0-9]{14}", grouping in prop::sample::select(vec!["", " ", "-"])) {
        let card = (0..10).map(|check| format!("{prefix}{check}")).find(|digits| {
            let sum: u32 = digits.bytes().rev().enumerate().map(|(place, b)| {
                let digit = u32::from(b - b'0') * (1 + (place as u32 % 2));
                digit / 10 + digit % 10
            }).sum();
            sum.is_multiple_of(10)
        }).unwrap();
        let groups: Vec<&str> = (0..4).map(|n| &card[n * 4..n * 4 + 4]).collect();
        prop_assert_eq!(redacted(&format!("it is {}.", groups.join(grouping))), "it is [REDACTED_CARD].");
    }
}

#[test]
fn a_secret_behind_a_pause_is_taken_out() {
    for (said, secret) in [
        ("my pin, four seven one two", "four seven one two"),
        ("my pin is, um, 4711", "4711"),
        ("the password for the router is, let me see, correcthorse", "correcthorse"),
        ("our door code, hang on, it's 4711", "4711"),
        ("my password, wait, it's swordfish", "swordfish"),
        ("my social security number is 078 05 1120", "078 05 1120"),
        ("my IBAN is DE12 1234 1234 1234 1234 12", "DE12 1234 1234 1234 1234 12"),
        ("mein Passwort, warte, das ist Schwertfisch", "Schwertfisch"),
        ("das Passwort für den Router ist, Moment, Schwertfisch", "Schwertfisch"),
        ("meine PIN, vier sieben eins zwei", "vier sieben eins zwei"),
        ("meine IBAN ist DE12 1234 1234 1234 1234 12", "DE12 1234 1234 1234 1234 12"),
        ("meine Sozialversicherungsnummer lautet 12 010180 A 123", "12 010180 A 123"),
    ] {
        let left = redact(said).into_string();
        assert!(!left.contains(secret) && left.contains(LABEL_START), "{said}: {left}");
    }
    for harmless in [
        "my pin board, wait, it's in the hall",
        "I forgot my password, let me see",
        "mein Passwort, warte, ich habe es vergessen",
        "the code is easy, let me see it",
        "what is an IBAN",
        "wait, my password is wrong",
    ] {
        assert_eq!(redact(harmless).as_str(), harmless);
    }
}
