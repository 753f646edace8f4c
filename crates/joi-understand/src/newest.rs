//! Finds statements that a newer one replaces: "I live in Graz" is replaced by a later "I live in Linz now".
//!
//! Input: statements and when they were made. Output: those that still hold. Nothing is erased: without the newer one
//! the older holds again. Only forms of which one can be true at a time are compared; they are data of the languages
//! (`single` in `assets/memory`), as is what must be the same in both, the named groups.
//! Pure: no I/O, no clock.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use crate::question;
use joi_language::words;

/// A statement, and when it was made.
pub type Statement<'a> = (Timestamp, &'a str);

static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let form = |form: &str| {
        Regex::new(&format!("(?i)^{form}"))
            .inspect_err(|error| tracing::error!(%error, "a form of statements can't be read"))
            .ok()
    };
    question::single_forms().filter_map(form).collect()
});

/// The form of a statement, and what must be the same in another one of it.
fn form(text: &str) -> Option<(usize, Vec<String>)> {
    let text = text.trim();
    FORMS.iter().enumerate().find_map(|(number, form)| {
        let found = form.captures(text)?;
        let same = form.capture_names().flatten().filter_map(|name| found.name(name));
        Some((number, same.map(|same| same.as_str().to_lowercase()).collect()))
    })
}

/// Returns whether something else of the speaker stands behind the statement: that still holds.
fn says_more(text: &str) -> bool {
    let text = words::words(text).join(" ");
    question::further_forms().any(|further| text.contains(further))
}

/// Those of `entries` that neither another one nor any of `known` has replaced.
pub fn holding<T>(
    mut entries: Vec<T>,
    statement: impl Fn(&T) -> Statement<'_>,
    known: &[Statement<'_>],
) -> Vec<T> {
    let all: Vec<(Timestamp, _)> = entries
        .iter()
        .map(&statement)
        .chain(known.iter().copied())
        .filter_map(|(at, text)| Some((at, form(text)?)))
        .collect();
    entries.retain(|entry| {
        let (at, text) = statement(entry);
        let replaced = !says_more(text)
            && form(text).is_some_and(|form| all.iter().any(|(newer, other)| *newer > at && *other == form));
        !replaced
    });
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + day * 86_400).unwrap()
    }

    fn left<'a>(texts: &[&'a str]) -> Vec<&'a str> {
        let statements: Vec<(Timestamp, &str)> =
            texts.iter().enumerate().map(|(day, text)| (at(day as i64), *text)).collect();
        holding(statements, |(at, text)| (*at, text), &[]).into_iter().map(|(_, text)| text).collect()
    }

    // The newest wins
    #[test]
    fn of_what_can_be_true_once_the_newest_holds() {
        for [older, newer] in [
            ["I live in Graz", "I live in Linz now"],
            ["my name is Tom", "My name is Thomas."],
            ["my sister is called Ann", "my sister is called Anna"],
            ["the spare key is in the shed", "the spare key is under the mat now"],
            ["our car is on level four", "our car is in front of the house"],
            ["my favourite colour is blue", "my favourite color is green"],
            ["my brother works as a nurse", "my brother now works as a teacher"],
            ["ich wohne in Graz", "ich wohne jetzt in Linz"],
            ["meine Schwester heißt Ann", "Meine Schwester heißt Anna"],
            ["der Schlüssel ist im Schuppen", "der Schlüssel liegt jetzt unter der Matte"],
        ] {
            assert_eq!(left(&[older, newer]), [newer], "{older} and {newer}");
            assert_eq!(left(&[newer, older]), [older], "the other way round");
        }
    }

    #[test]
    fn what_can_be_true_together_stays() {
        for both in [
            ["I like tea", "I like coffee"],
            ["my sister is called Ann", "my sister is a nurse"],
            ["my sister is called Ann", "my brother is called Bob"],
            ["the spare key is in the shed", "the car key is under the mat"],
            ["I work as a cook", "I live in Graz"],
            ["my favourite colour is blue", "my favourite film is Heat"],
            ["I am allergic to nuts", "I am allergic to shrimps"],
            ["my name is Anna and I am allergic to peanuts", "my name is Ann"],
            ["ich heiße Anna und bin allergisch gegen Nüsse", "ich heiße Ann"],
            ["ich mag Tee", "ich mag Kaffee"],
        ] {
            assert_eq!(left(&both), both);
        }
    }

    #[test]
    fn what_is_known_besides_replaces_too_when_it_is_newer() {
        let entries = || vec![(at(5), "I live in Graz"), (at(5), "I like tea")];
        let newer = [(at(6), "I live in Linz")];
        assert_eq!(holding(entries(), |(at, text)| (*at, text), &newer), [(at(5), "I like tea")]);
        assert_eq!(holding(entries(), |(at, text)| (*at, text), &[(at(4), "I live in Linz")]), entries());
    }
}
