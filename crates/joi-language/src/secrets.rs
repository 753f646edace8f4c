//! The words by which secrets are known in what is said: the patterns of `secrets.toml`.
//!
//! In: the file's text, and the number words of the same language. Out: patterns and words, ready to use; what of a
//! match is the secret is decided where it is taken out. Words of every language count, whichever is spoken. Where
//! the built-in ones can't be used there are none, and then nothing may pass. Pure: no I/O, no clock.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::built_in::built_in_secrets;
use super::grammar::numbers::{NumberWords, Numbers, ONE};

/// What a language's file holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretsFile {
    passwords: Vec<String>,
    codes: Vec<String>,
    behind_codes: Vec<String>,
    #[serde(default)]
    pins: Vec<String>,
    #[serde(default)]
    it_is: Vec<String>,
    #[serde(default)]
    pauses: Vec<String>,
    of: Vec<String>,
    is: Vec<String>,
    #[serde(default)]
    is_glued: String,
    now: Vec<String>,
    change: Vec<String>,
    to: Vec<String>,
    code_to: Vec<String>,
    keep: Vec<String>,
    whose: Vec<String>,
    own: Vec<String>,
    onto: Vec<String>,
    verb_last: bool,
    about: Vec<String>,
    alone: Vec<String>,
    compounds: Vec<String>,
    public: Vec<String>,
    measures: Vec<String>,
    one_time: Vec<String>,
    email: EmailWords,
}

/// How an address is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmailWords {
    at: Vec<String>,
    dot: Vec<String>,
    signs: Vec<String>,
    mail: Vec<String>,
}

/// The part of `commands.toml` that counts here.
#[derive(Deserialize)]
struct OnlyNumbers {
    numbers: NumberWords,
}

/// The words of one language.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SecretWords {
    /// Leads to a password: "my password is", "change the password to".
    pub password: Regex,
    /// Leads to a password that is to be kept: "put my password".
    pub kept: Regex,
    /// Leads to a code: "the pin is".
    pub code: Regex,
    /// Leads to a code without a verb: "my pin", "pin", "put the door code".
    pub own_code: Regex,
    /// A written name of a password: "password:".
    pub keyword: Regex,
    /// A spoken address.
    pub email: Regex,
    /// Thirteen or more spoken digits in a row.
    pub card: Regex,
    /// The name of a code.
    pub code_name: Regex,
    /// Whether the verb stands behind the secret in a subordinate clause.
    pub verb_last: bool,
    /// Between a name and the secret.
    pub is: Vec<String>,
    /// Where what is kept goes to.
    pub onto: Vec<String>,
    /// Phrases about a password that don't hold it.
    pub about: Vec<String>,
    pub alone: Vec<String>,
    pub compounds: Vec<String>,
    /// Names of codes that are none.
    pub public: Vec<String>,
    pub measures: Vec<String>,
    pub one_time: Vec<String>,
    /// In an address.
    pub at: Vec<String>,
    pub spelt: Vec<String>,
    pub mail: Vec<String>,
    /// How many digits a number word stands for.
    digits: HashMap<String, usize>,
    /// The words of the digits.
    values: HashMap<String, u8>,
}

/// Those of the built-in languages; nothing when one of them can't be used.
pub fn built_in() -> Option<&'static [SecretWords]> {
    static WORDS: LazyLock<Option<Vec<SecretWords>>> = LazyLock::new(|| {
        let read = |(secrets, commands): (&str, &str)| {
            SecretWords::read(secrets, commands)
                .inspect_err(|error| tracing::error!(%error, "the words of secrets can't be used"))
                .ok()
        };
        built_in_secrets().map(read).collect()
    });
    WORDS.as_deref()
}

/// A letter, a digit, or what stands within a word, of any script: no white space and no other sign of ASCII. `\w` says
/// which they are, in hundreds of states of an automaton, and here it is repeated many times.
const WORD: &str = r"[^\s!-&(-,./:-@\[-^`{-~]";
/// The same for a part of an address.
const ADDRESS: &str = r"[^\s!-$&-*,/:-@\[-^`{-~]";

impl SecretWords {
    /// Reads a language's files: `secrets.toml`, and of `commands.toml` the numbers.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(secrets: &str, commands: &str) -> Result<Self, String> {
        let file: SecretsFile = toml::from_str(secrets).map_err(|error| error.to_string())?;
        let OnlyNumbers { numbers } = toml::from_str(commands).map_err(|error| error.to_string())?;
        Self::of(file, &Numbers::of(numbers)?)
    }

    fn of(file: SecretsFile, numbers: &Numbers) -> Result<Self, String> {
        let digits = digits(numbers);
        let values = values(numbers);
        let passwords = any(&file.passwords);
        let codes = format!("{}(?:\\s+{})?", any(&file.codes), any(&file.behind_codes));
        let glued = if file.is_glued.is_empty() { String::new() } else { format!("|{}", file.is_glued) };
        let of = format!(r"(?:\s+{}(?:\s+{WORD}+){{1,5}}?)?", any(&file.of));
        let (is, now, to) = (any(&file.is), any(&file.now), any(&file.to));
        let few = format!(r"(?:{WORD}+\s+){{0,3}}?");
        let keep = format!(r"{}\s(?:[^.;!?\n]{{0,60}}?\s)??{}\s+{few}", any(&file.keep), any(&file.whose),);
        // "The password is, let me see, …", "my pin, 4711".
        let (pause, it_is) = (any(&file.pauses), any(&file.it_is));
        let gap = format!(r"(?:[\s,.…-]+{pause})*[,:.…]*\s+");
        let before = format!(r"(?:[\s,.…-]+{pause})*,?\s+{it_is}");
        let dot = any(&file.email.dot);
        let part = format!(r"(?:\s+(?:{dot}|{})\s+{ADDRESS}+)*", any(&file.email.signs));
        let said = any(&values.keys().cloned().collect::<Vec<_>>());
        Ok(Self {
            password: compiled(&format!(
                r"(?i)(?:(?-u:\b){passwords}{of}(?:(?:\s+{is}{glued})(?:\s+{now})?:?|(?:[\s,.…-]+{pause})+,?\s+{it_is}|,\s+{it_is})|{}(?:\s+{WORD}+){{0,4}}?\s+{passwords}\s+{to}){gap}",
                any(&file.change),
            ))?,
            kept: pattern(&format!(r"{keep}{passwords}\s+"))?,
            code: pattern(&format!(
                r"{codes}{of}(?:(?:\s+(?:{is}|{}){glued})(?:\s+{now})?:?|:|{before}){gap}",
                any(&file.code_to),
            ))?,
            own_code: pattern(&format!(
                r"(?:{}\s+{few}{codes}|{keep}{codes}|{}){gap}",
                any(&file.own),
                any(&file.pins),
            ))?,
            keyword: pattern(&format!(r#"{passwords}{of}\\*["']?\s*(?:=>|:=|==|[:=])\s*"#))?,
            email: pattern(&format!(
                r"{ADDRESS}+{part}\s+{}\s+{WORD}+(?:(?:\s+{dot}\s+|\.){WORD}+)+",
                any(&file.email.at)
            ))?,
            card: pattern(&format!(r"(?:{said}[ ,.-]+){{12,}}{said}(?-u:\b)"))?,
            code_name: pattern(&codes)?,
            verb_last: file.verb_last,
            is: file.is,
            onto: file.onto,
            about: file.about,
            alone: file.alone,
            compounds: file.compounds,
            public: file.public,
            measures: file.measures,
            one_time: file.one_time,
            spelt: [file.email.dot, file.email.signs].concat(),
            at: file.email.at,
            mail: file.email.mail,
            digits,
            values,
        })
    }

    /// How many digits a word stands for; nothing when it is no number.
    pub fn digits(&self, word: &str) -> Option<usize> {
        self.digits.get(&word.to_lowercase()).copied()
    }

    /// The digit that a word is.
    pub fn digit(&self, word: &str) -> Option<u8> {
        self.values.get(&word.to_lowercase()).copied()
    }
}

/// A pattern for one of `words`; where there are none, for nothing.
fn any(words: &[String]) -> String {
    match words.is_empty() {
        true => r"[^\s\S]".to_owned(),
        false => format!("(?:{})", words.join("|").replace(' ', r"\s+")),
    }
}

/// How many digits each word stands for when it is said within a code: one, or as many as a whole number has that is a
/// single word.
fn digits(numbers: &Numbers) -> HashMap<String, usize> {
    let is_simple = |word: &String| numbers.small.contains(word) || numbers.tens.contains(word);
    let whole = numbers.words.iter().filter(|(_, value)| value.is_multiple_of(ONE));
    let counted = whole.map(|(word, value)| {
        let count = if is_simple(word) { 1 } else { (value / ONE).to_string().len() };
        (word.clone(), count)
    });
    counted.chain([(numbers.hundred.clone(), 1)]).collect()
}

/// The words of the digits.
fn values(numbers: &Numbers) -> HashMap<String, u8> {
    let digits = numbers.words.iter().filter(|(_, value)| **value < 10 * ONE && value.is_multiple_of(ONE));
    digits.filter_map(|(word, value)| Some((word.clone(), u8::try_from(value / ONE).ok()?))).collect()
}

/// A pattern that begins at a word, in small letters or capitals.
fn pattern(written: &str) -> Result<Regex, String> {
    compiled(&format!(r"(?i)(?-u:\b){written}"))
}

fn compiled(written: &str) -> Result<Regex, String> {
    Regex::new(written).map_err(|error| format!("\"{written}\" is no pattern: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_words_of_a_language_stand_for_digits() {
        let words = built_in().expect("the built-in words can be used");
        let [english, german] = words else { panic!("two languages") };
        assert_eq!(
            ["seven", "oh", "forty", "hundred", "cat"].map(|word| english.digits(word)),
            [Some(1), Some(1), Some(1), Some(1), None]
        );
        assert_eq!(
            ["sieben", "Zwo", "siebenundvierzig", "katze"].map(|word| german.digits(word)),
            [Some(1), Some(1), Some(2), None]
        );
        assert_eq!(["nine", "oh", "ten"].map(|word| english.digit(word)), [Some(9), Some(0), None]);
        assert_eq!(["neun", "zwo", "zehn"].map(|word| german.digit(word)), [Some(9), Some(2), None]);
    }

    #[test]
    fn a_file_that_cannot_be_used_says_why() {
        let (secrets, commands) = built_in_secrets().next().expect("English");
        let broken = secrets.replace(r"'pass\s?word'", "'pass('");
        assert!(SecretWords::read(&broken, commands).is_err_and(|error| error.contains("is no pattern")));
        let unknown = format!("passwort = 1\n{secrets}");
        assert!(SecretWords::read(&unknown, commands).is_err_and(|error| error.contains("passwort")));
    }
}
