//! The words by which a sentence is known to say that a deed was done, and what supports it.
//!
//! PURE, read once. In: the text of `truth.toml`. Out: patterns, compiled and ready to match. A pattern that is none is
//! an error that names its key.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde::Deserialize;

/// The words of one language.
#[derive(Debug)]
pub(crate) struct TruthWords {
    /// Between clauses.
    pub(crate) joints: Regex,
    /// How a clause that asks begins.
    pub(crate) question: Regex,
    /// What claims nothing.
    pub(crate) exempt: Regex,
    /// Utterances that want words alone, and what wants a deed all the same.
    pub(crate) talk: Regex,
    pub(crate) request: Regex,
    /// What is the user's or done for them.
    pub(crate) own: Regex,
    /// All of them, by which a deed must have been for all.
    pub(crate) all: Regex,
    /// What tells of a deed and not of what was read.
    pub(crate) fresh: Regex,
    pub(crate) speaker: Regex,
    pub(crate) claims: Vec<ClaimWords>,
    /// By family: its words.
    pub(crate) families: BTreeMap<String, Regex>,
    /// By family: the tools that have to do with it.
    pub(crate) tools: BTreeMap<String, BTreeSet<String>>,
    /// By kind of timer: its words.
    pub(crate) kinds: BTreeMap<String, Regex>,
    /// Of two that exclude each other.
    pub(crate) opposites: Vec<(Regex, Regex)>,
    /// They stand for what was spoken of.
    pub(crate) pronouns: BTreeSet<String>,
    /// They need not be in the arguments of a call.
    pub(crate) ignored: BTreeSet<String>,
    /// Deeds that read, and those that are for all.
    pub(crate) reads: BTreeSet<String>,
    pub(crate) sweeps: BTreeSet<String>,
    pub(crate) numbers: BTreeMap<String, u32>,
}

/// One way to say that something was done.
#[derive(Debug)]
pub(crate) struct ClaimWords {
    /// The group `object` is what it was done to.
    pub(crate) says: Regex,
    /// Deeds, or tools, that support it; `*` is any.
    pub(crate) supports: Vec<String>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TruthFile {
    joints: String,
    question: String,
    exempt: Vec<String>,
    talk: String,
    request: String,
    own: String,
    all: Vec<String>,
    fresh: String,
    speaker: String,
    pronouns: BTreeSet<String>,
    ignored: BTreeSet<String>,
    reads: BTreeSet<String>,
    sweeps: BTreeSet<String>,
    opposites: Vec<(String, String)>,
    families: BTreeMap<String, Vec<String>>,
    tools: BTreeMap<String, BTreeSet<String>>,
    kinds: BTreeMap<String, Vec<String>>,
    forms: FormsOfClaims,
    deeds: BTreeMap<String, ClaimedDeed>,
    numbers: BTreeMap<String, u32>,
    words: BTreeMap<String, Vec<String>>,
    claim: Vec<WrittenClaim>,
}

/// How any deed is claimed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormsOfClaims {
    say: Vec<String>,
}

/// The words of one kind of deed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimedDeed {
    verb: Vec<String>,
    supports: Vec<String>,
}

/// A claim that has a form of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClaim {
    say: String,
    supports: Vec<String>,
}

impl TruthWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let file: TruthFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let opposite = |(one, other): &(String, String)| {
            Ok((pattern("opposites", &whole_word(one))?, pattern("opposites", &whole_word(other))?))
        };
        Ok(Self {
            joints: pattern("joints", &format!("[,;:–—]\\s*|\\s-\\s|{}", file.joints))?,
            question: pattern("question", &file.question)?,
            exempt: pattern("exempt", &file.exempt.join("|"))?,
            talk: pattern("talk", &file.talk)?,
            request: pattern("request", &file.request)?,
            own: pattern("own", &file.own)?,
            all: pattern("all", &whole_word(&file.all.join("|")))?,
            fresh: pattern("fresh", &file.fresh)?,
            speaker: pattern("speaker", &file.speaker)?,
            claims: file.claims()?,
            families: by_name("families", &file.families)?,
            kinds: by_name("kinds", &file.kinds)?,
            opposites: file.opposites.iter().map(opposite).collect::<Result<_, String>>()?,
            tools: file.tools,
            pronouns: file.pronouns,
            ignored: file.ignored,
            reads: file.reads,
            sweeps: file.sweeps,
            numbers: file.numbers,
        })
    }
}

impl TruthFile {
    fn claims(&self) -> Result<Vec<ClaimWords>, String> {
        let mut claims = Vec::new();
        for (name, deed) in &self.deeds {
            for form in &self.forms.say {
                let written = form.replace("{verb}", &group(&deed.verb));
                let says = pattern(&format!("deeds.{name}"), &self.with_words(&written))?;
                claims.push(ClaimWords { says, supports: deed.supports.clone() });
            }
        }
        for claim in &self.claim {
            let says = pattern("claim.say", &self.with_words(&claim.say))?;
            claims.push(ClaimWords { says, supports: claim.supports.clone() });
        }
        Ok(claims)
    }

    /// `written` with the words in the place of their names.
    fn with_words(&self, written: &str) -> String {
        self.words.iter().fold(written.to_owned(), |text, (name, words)| {
            text.replace(&format!("{{{name}}}"), &group(words))
        })
    }
}

fn by_name(key: &str, all: &BTreeMap<String, Vec<String>>) -> Result<BTreeMap<String, Regex>, String> {
    let one = |(name, words): (&String, &Vec<String>)| {
        Ok((name.clone(), pattern(&format!("{key}.{name}"), &whole_word(&words.join("|")))?))
    };
    all.iter().map(one).collect()
}

fn group(words: &[String]) -> String {
    format!("(?:{})", words.join("|"))
}

fn whole_word(written: &str) -> String {
    format!("\\b(?:{written})\\b")
}

fn pattern(key: &str, written: &str) -> Result<Regex, String> {
    Regex::new(written).map_err(|error| format!("{key} is \"{written}\"; allowed: a pattern: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_faulty_pattern_is_an_error_that_names_its_key() {
        let text = include_str!("../../assets/language/en/truth.toml");
        assert!(TruthWords::read(text).is_ok());
        for (key, from, to) in
            [("joints", "joints = \"", "joints = \"("), ("claim.say", "say = \"^muted$", "")]
        {
            let faulty = match to {
                "" => text.replacen("say = \"^volume", "say = \"(^volume", 1),
                to => text.replacen(from, to, 1),
            };
            let error = TruthWords::read(&faulty).unwrap_err();
            assert!(error.starts_with(key), "{error}");
        }
    }
}
