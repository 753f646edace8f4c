//! Which language a request is in, as far as it matters for taking it apart, and what joins two requests in it.
//!
//! Read once. The words stand in `assets/tongues.toml`. In: a request. Out: the code of its language. It is reported
//! apart from the language that is spoken, because who types asks in any of them.
//! Pure: no I/O, no clock.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tongue: Vec<Tongue>,
}

/// One language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tongue {
    code: String,
    /// Between two requests.
    and: Vec<String>,
    /// Between a statement and the request that follows from it.
    #[serde(default)]
    so: Vec<String>,
    /// Words that hardly any sentence in it is without.
    small: Vec<String>,
}

fn tongues() -> &'static [Tongue] {
    static TONGUES: LazyLock<File> = LazyLock::new(|| {
        toml::from_str(include_str!("../../../assets/tongues.toml"))
            .inspect_err(|error| tracing::error!(%error, "the words of languages can't be read"))
            .unwrap_or_default()
    });
    &TONGUES.tongue
}

/// Returns the code of the language with the most small words in `text`, of several the first; nothing when there are
/// none.
pub fn of(text: &str) -> Option<&'static str> {
    among(text, |_| true)
}

/// Returns the same of the languages that are `spoken`.
pub fn among(text: &str, spoken: impl Fn(&str) -> bool) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let small = |tongue: &Tongue| words.iter().filter(|word| tongue.small.iter().any(|s| s == *word)).count();
    let spoken = tongues().iter().rev().filter(|tongue| spoken(&tongue.code));
    let counted = spoken.map(|tongue| (small(tongue), tongue));
    counted
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| *count > 0)
        .map(|(_, tongue)| tongue.code.as_str())
}

/// Returns what joins two clauses in the language `code`; in one that is not known nothing does.
pub(crate) fn conjunctions(code: &str) -> impl Iterator<Item = &'static str> {
    let tongue = tongues().iter().filter(move |tongue| tongue.code == code);
    tongue.flat_map(|tongue| &tongue.and).map(String::as_str)
}

/// Returns the words of the language `code` between a statement and the request that follows from it.
pub(crate) fn consequences(code: &str) -> impl Iterator<Item = &'static str> {
    let tongue = tongues().iter().filter(move |tongue| tongue.code == code);
    tongue.flat_map(|tongue| &tongue.so).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_small_words() {
        for (code, text) in [
            ("en", "set a timer for ten minutes and tell me a joke"),
            ("en", "come in and do as I say, no more"),
            ("en", "What's 17 * 23 AND what's next"),
            ("de", "Stell einen Timer auf zehn Minuten und erzähl mir einen Witz"),
            ("es", "Pon un temporizador de diez minutos y cuéntame un chiste"),
            ("fr", "Mets un minuteur de dix minutes et raconte-moi une blague"),
            ("fr", "Qu'est-ce que c'est"),
            ("pt", "Põe um temporizador de dez minutos e conta uma piada"),
            ("it", "Metti un timer di dieci minuti e raccontami una barzelletta"),
            ("nl", "Zet een timer van tien minuten en vertel een grap"),
            ("tr", "On dakikalık bir zamanlayıcı kur ve bana bir fıkra anlat"),
        ] {
            assert_eq!(of(text), Some(code), "{text}");
        }
        for text in ["где книга", "17 * 23", ""] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(tongues().len(), 8);
        let both = |code: &str| ["en", "de"].contains(&code);
        assert_eq!(among("Lösche alle Timer", both), Some("de"), "in Italian that is a small word too");
        assert_eq!(among("où est la gare", both), None);
    }
}
