//! Figures as a language writes them, and as a sum is computed with: "1.200,50" in German is 1200.50.
//!
//! In: a text, and the signs of the language. Out: the same text with other figures. A language without signs of
//! its own has a dot in front of decimals.
//! Pure: no I/O, no clock.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use joi_language::Language;

/// The sign in front of decimals in sums, which have none between thousands.
const DOT: &str = ".";

#[expect(clippy::expect_used, reason = "the pattern is fixed and a test matches it")]
static FIGURES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d[\d.,]*\d").expect("a pattern without a mistake"));

/// Returns what a user has said, with figures to compute with.
pub(super) fn to_compute(text: &str, language: &Language) -> String {
    let Some((decimal, thousands)) = signs(language) else { return text.to_owned() };
    let plain = |found: &Captures<'_>| plain(&found[0], decimal, thousands).unwrap_or(found[0].to_owned());
    FIGURES.replace_all(text, plain).into_owned()
}

/// Returns a number that is written with `decimal` and `thousands`; nothing for what is none, such as a date.
fn plain(figures: &str, decimal: &str, thousands: &str) -> Option<String> {
    let (whole, decimals) = figures.split_once(decimal).unwrap_or((figures, ""));
    let groups: Vec<&str> = whole.split(thousands).collect();
    let (first, others) = groups.split_first()?;
    let is_grouped = others.is_empty()
        || (first.len() <= 3 && !first.starts_with('0') && others.iter().all(|group| group.len() == 3));
    let is_number = is_grouped && is_digits(&groups.concat()) && is_digits(decimals);
    let dot = if decimals.is_empty() { "" } else { DOT };
    is_number.then(|| format!("{}{dot}{decimals}", groups.concat()))
}

/// Returns what a model has written, with figures to compute with: it writes a dot in front of decimals, but for what
/// it has copied. Three digits behind a comma may be thousands, and are left.
pub(super) fn of_model(text: &str, language: &Language) -> String {
    let Some((decimal, thousands)) = signs(language) else { return text.to_owned() };
    let is_copied = |figures: &str| match figures.split_once(decimal) {
        Some((whole, decimals)) => whole.contains(thousands) || decimals.len() != 3,
        None => false,
    };
    let plain = |found: &Captures<'_>| {
        let copied = Some(&found[0]).filter(|figures| is_copied(figures));
        copied.and_then(|figures| plain(figures, decimal, thousands)).unwrap_or(found[0].to_owned())
    };
    FIGURES.replace_all(text, plain).into_owned()
}

/// Returns a value as the language writes it.
pub(super) fn to_speak(text: &str, language: &Language) -> String {
    let Some((decimal, _)) = signs(language) else { return text.to_owned() };
    FIGURES.replace_all(text, |found: &Captures<'_>| found[0].replace(DOT, decimal)).into_owned()
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the sign in front of decimals and the one between thousands, where they are others.
fn signs(language: &Language) -> Option<(&str, &str)> {
    let figures = &language.readings()?.figures;
    (figures.decimal != DOT).then_some((&figures.decimal, &figures.thousands))
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_language::testing::{english, german};

    #[test]
    fn german_figures_are_turned_round_and_english_ones_stay() {
        for (said, computed) in [
            ("3,5 mal 2", "3.5 mal 2"),
            ("10 prozent von 45,90 euro", "10 prozent von 45.90 euro"),
            ("19 prozent von 1.200 euro", "19 prozent von 1200 euro"),
            ("1.234.567,89 + 1", "1234567.89 + 1"),
            ("0,125", "0.125"),
            ("3.5 mal 2", "3.5 mal 2"),
            ("12.5, 7,", "12.5, 7,"),
            ("24.12.2026", "24.12.2026"),
            ("1,2,3", "1,2,3"),
            ("1234.567", "1234.567"),
            ("0.125 mal 8", "0.125 mal 8"),
            ("0.750 liter", "0.750 liter"),
        ] {
            assert_eq!(to_compute(said, german()), computed, "{said}");
            assert_eq!(to_compute(said, english()), said);
        }
    }

    #[test]
    fn a_model_writes_a_dot_and_may_copy_a_comma() {
        for (written, computed) in [
            ("3,5*2", "3.5*2"),
            ("1.200,50*3", "1200.50*3"),
            ("1,200.50", "1,200.50"),
            ("1,1234", "1.1234"),
            ("1,200", "1,200"),
            ("1.125*8", "1.125*8"),
            ("1,2,3", "1,2,3"),
        ] {
            assert_eq!(of_model(written, german()), computed, "{written}");
            assert_eq!(of_model(written, english()), written);
        }
    }

    #[test]
    fn values_are_spoken_with_the_sign_of_the_language() {
        assert_eq!(to_speak("etwa 56.7 Gramm", german()), "etwa 56,7 Gramm");
        assert_eq!(to_speak("1.125.", german()), "1,125.");
        assert_eq!(to_speak("about 56.7 grams", english()), "about 56.7 grams");
    }
}
