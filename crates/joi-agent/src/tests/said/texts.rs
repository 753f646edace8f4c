//! Compares words: whether an answer contains a text, affirms, denies or refuses, whether two names are one.
//!
//! Pure: no I/O, no clock.

/// Words in front of a name that are no part of it.
const BEFORE: [&str; 22] = [
    "the", "a", "an", "to", "that", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen",
    "einem", "einer", "daran", "dass", "am", "ans", "zu", "of",
];
const YES: [&str; 5] = ["yes", "yeah", "yep", "ja", "doch"];
const NO: [&str; 16] = [
    "no", "nope", "none", "nothing", "nobody", "not", "nein", "kein", "keine", "keinen", "keinem", "keiner",
    "keines", "keins", "nichts", "niemand",
];
/// Words without which nothing is refused.
const CANNOT: [&str; 38] = [
    "can't",
    "cannot",
    "don't",
    "doesn't",
    "isn't",
    "aren't",
    "no",
    "not",
    "none",
    "nothing",
    "never",
    "only",
    "unable",
    "most",
    "least",
    "unknown",
    "sorry",
    "over",
    "past",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "keinem",
    "nichts",
    "nie",
    "nur",
    "höchstens",
    "mindestens",
    "leider",
    "unbekannt",
    "vorbei",
    "between",
    "zwischen",
    "weder",
    "invalid",
    "won't",
];

/// Returns the words of `text` in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’');
    let lower = text.to_lowercase().replace('’', "'");
    lower.split(|letter| !is_letter(letter)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether two names are the same: without an article in front, `my` and `your` being equal.
pub(super) fn is_same_text(one: Option<&str>, other: Option<&str>) -> bool {
    let core = |text: Option<&str>| {
        let all = words(text.unwrap_or_default());
        let is_core = |word: &&String| !BEFORE.contains(&word.as_str());
        let skipped = all.iter().take_while(|word| !is_core(word)).count();
        let core = all.into_iter().skip(skipped);
        core.map(|word| match word.as_str() {
            "your" => "my".to_owned(),
            word if word.starts_with("dein") => word.replacen("dein", "mein", 1),
            _ => word,
        })
        .collect::<Vec<_>>()
    };
    core(one) == core(other)
}

/// Whether `text` contains `wanted` as whole words and whole numbers, capitals aside.
pub(super) fn contains(text: &str, wanted: &str) -> bool {
    let (text, wanted) = (text.to_lowercase(), wanted.to_lowercase());
    let mut from = 0;
    while let Some(at) = text[from..].find(&wanted).map(|at| at + from) {
        let (before, behind) = (&text[..at], &text[at + wanted.len()..]);
        if !reaches(before.chars().rev(), &wanted) && !reaches(behind.chars(), &wanted) {
            return true;
        }
        from = at + wanted.chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Whether the word or number goes on in these letters, beginning beside it.
fn reaches(mut beside: impl Iterator<Item = char>, wanted: &str) -> bool {
    let is_number = wanted.contains(|letter: char| letter.is_ascii_digit());
    match (beside.next(), beside.next()) {
        (Some(first), _) if first.is_alphanumeric() || first == '-' => true,
        (Some('.' | ',' | ':'), Some(second)) => is_number && second.is_ascii_digit(),
        _ => false,
    }
}

/// Whether an answer affirms.
pub(super) fn affirms(text: &str) -> bool {
    words(text).first().is_some_and(|first| YES.contains(&first.as_str()))
}

/// Whether an answer denies.
pub(super) fn denies(text: &str) -> bool {
    !affirms(text) && words(text).iter().any(|word| NO.contains(&word.as_str()) || word.ends_with("n't"))
}

/// Whether an answer says that something can't be done.
pub(super) fn refuses(text: &str) -> bool {
    words(text).iter().any(|word| CANNOT.contains(&word.as_str()))
}

/// Returns the labels of `labels` that `text` names: the longest first, so that none is found within another one.
pub(super) fn named<'a>(text: &str, labels: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut labels: Vec<&str> = labels.filter(|label| !label.is_empty()).collect();
    labels.sort_by_key(|label| (std::cmp::Reverse(label.len()), *label));
    labels.dedup();
    let mut left = text.to_lowercase();
    let mut found = Vec::new();
    for label in labels {
        if contains(&left, label) {
            left = left.replace(&label.to_lowercase(), "|");
            found.push(label);
        }
    }
    found
}

#[test]
fn whole_words_and_numbers_are_found_and_parts_of_them_are_not() {
    for (text, wanted, is_there) in [
        ("That's 150.", "50", false),
        ("That's 14.5.", "14", false),
        ("It's 14. Done.", "14", true),
        ("fifty-three", "three", false),
        ("It's 3:00 AM", "3:00", true),
        ("It's 13:00", "3:00", false),
        ("Das sind 8,96 Euro.", "8,96", true),
        ("am Donnerstag", "donnerstag", true),
    ] {
        assert_eq!(contains(text, wanted), is_there, "{text} / {wanted}");
    }
    assert!(is_same_text(Some("to renew my passport"), Some("renew your passport")));
    assert!(!is_same_text(Some("rice"), None));
    assert_eq!(
        named("Kitchen light and lamp.", ["lamp", "light", "Kitchen light"].into_iter()),
        ["Kitchen light", "lamp"]
    );
    assert!(denies("There are none.") && affirms("Ja, alle.") && refuses("Das geht nicht."));
}
