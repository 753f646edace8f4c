//! The words by which it is known what a model must not answer by itself, and what is said instead.
//!
//! In: the text of `care.toml`. Out: patterns, compiled and ready to match an utterance in lower case, and sentences.
//! What can't be used is an error that names its key. Pure: no I/O, no clock.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::fill::fill;
use super::pattern::WordPattern;
use behind_orders::{BehindOrders, WrittenBehindOrders};
pub use sites::SiteWords;

pub(crate) mod behind_orders;
mod sites;
#[cfg(test)]
mod tests;

/// A sign of a word, in the place of `\w`: as a class of Unicode letters it would make the patterns large.
const WORD_SIGN: &str = r"[^\s,.;:!?]";

/// The words of one language.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SafetyWords {
    /// How an utterance begins that asks for something to be done.
    pub orders: WordPattern,
    /// Words behind which a report may begin in such a one.
    pub behind_orders: BehindOrders,
    /// Words that mean something else than they say: they are not looked at.
    pub figures: WordPattern,
    /// No question about anything but a danger, and no fact, whatever words are in it.
    pub harmless: WordPattern,
    /// The form of a question, or of words that want advice.
    pub advice: WordPattern,
    /// It goes on with what was said just before.
    pub goes_on: WordPattern,
    /// It asks what only the user can know.
    pub personal: WordPattern,
    pub introduced: Option<IntroducedWords>,
    /// What belongs to a matter; the first that fits counts.
    pub rules: Vec<SafetyRule>,
    pub facts: FactWords,
    pub look_up: LookUpWords,
    pub sites: SiteWords,
    /// Matters that do no harm by a wrong word of a model with fair knowledge.
    left_to_larger: Vec<String>,
    urgent: BTreeMap<String, String>,
    settled: BTreeMap<String, String>,
    careful: BTreeMap<String, String>,
    number: EmergencyNumberWords,
}

/// Introductions by name, in other words than the question: "I'm Max".
#[derive(Debug)]
pub struct IntroducedWords {
    /// Asks for it, in lower case.
    pub asks: WordPattern,
    /// The introduction, as it was written.
    pub tells: WordPattern,
}

/// The same as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenIntroduced {
    asks: Vec<String>,
    tells: Vec<String>,
}

/// What belongs to a matter.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SafetyRule {
    pub matter: String,
    pub counts: RuleCounts,
    /// All of them are in the utterance.
    all: Vec<WordPattern>,
}

/// In which words a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleCounts {
    /// In those that want advice.
    Asked,
    /// In all but orders; in orders where it is reported behind them.
    Told,
    /// In orders as well.
    Always,
}

impl SafetyRule {
    /// Whether the words of it are in `text`.
    pub fn fits(&self, text: &str) -> bool {
        self.all.iter().all(|pattern| pattern.is_match(text))
    }
}

/// Questions about facts of the world.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct FactWords {
    /// Stands in front of what is asked for: "do you know".
    pub lead: WordPattern,
    pub ask: WordPattern,
    /// What everybody knows.
    pub common: WordPattern,
    /// What only the user can know, or what was spoken of before.
    pub own: WordPattern,
}

/// Sentences about looking things up.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct LookUpWords {
    /// Agrees to the offer.
    pub agrees: WordPattern,
    /// In front of what is to be looked up; of any case.
    pub asks: WordPattern,
    /// Words of a model that doubts.
    pub doubts: WordPattern,
    pub say: LookUpSentences,
}

/// Sentences about it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct LookUpSentences {
    pub offer: String,
    pub switched_off: String,
    pub looking: String,
    pub unsure: String,
    pub nothing: String,
    pub failed: String,
    says: String,
    source: String,
}

/// The number of the emergency services, in words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmergencyNumberWords {
    unknown: String,
    known: String,
}

/// Whether somebody may be in danger now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatterUrgency {
    /// Somebody may: it is said before anything else, and nothing is asked.
    Urgent,
    /// Nobody is, and there is nothing to look up.
    Settled,
    /// A wrong word would do harm later.
    Careful,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SafetyFile {
    orders: Vec<String>,
    behind_orders: WrittenBehindOrders,
    figures: Vec<String>,
    harmless: Vec<String>,
    advice: Vec<String>,
    goes_on: Vec<String>,
    personal: Vec<String>,
    introduced: Option<WrittenIntroduced>,
    #[serde(default)]
    left_to_larger: Vec<String>,
    words: BTreeMap<String, String>,
    urgent: BTreeMap<String, String>,
    #[serde(default)]
    settled: BTreeMap<String, String>,
    careful: BTreeMap<String, String>,
    rule: Vec<WrittenRule>,
    facts: WrittenFacts,
    look_up: WrittenLookUp,
    number: EmergencyNumberWords,
    sites: SiteWords,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    matter: String,
    #[serde(default)]
    asks: Vec<String>,
    #[serde(default)]
    tells: Vec<String>,
    #[serde(default)]
    always: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFacts {
    #[serde(default)]
    lead: Vec<String>,
    ask: Vec<String>,
    common: Vec<String>,
    own: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLookUp {
    agrees: Vec<String>,
    asks: Vec<String>,
    doubts: Vec<String>,
    say: LookUpSentences,
}

impl SafetyWords {
    /// Reads a language's file.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let file: SafetyFile = toml::from_str(text).map_err(|error| error.to_string())?;
        file.check()?;
        let any = |key: &str, patterns: &[String]| file.pattern(key, &patterns.join("|"));
        let (facts, look_up) = (&file.facts, &file.look_up);
        let introduced = |WrittenIntroduced { asks, tells }: &WrittenIntroduced| {
            let (asks, tells) = (any("introduced.asks", asks)?, any("introduced.tells", tells)?);
            Ok::<_, String>(IntroducedWords { asks, tells })
        };
        Ok(Self {
            orders: any("orders", &file.orders)?,
            behind_orders: BehindOrders::read(&file.behind_orders, any)?,
            figures: any("figures", &file.figures)?,
            harmless: any("harmless", &file.harmless)?,
            advice: any("advice", &file.advice)?,
            goes_on: any("goes_on", &file.goes_on)?,
            personal: any("personal", &file.personal)?,
            introduced: file.introduced.as_ref().map(introduced).transpose()?,
            rules: file.rule.iter().map(|rule| file.rule(rule)).collect::<Result<_, String>>()?,
            facts: FactWords {
                lead: any("facts.lead", &facts.lead)?,
                ask: any("facts.ask", &facts.ask)?,
                common: any("facts.common", &facts.common)?,
                own: any("facts.own", &facts.own)?,
            },
            look_up: LookUpWords {
                agrees: any("look_up.agrees", &look_up.agrees)?,
                asks: any("look_up.asks", &[format!("(?i){}", look_up.asks.join("|"))])?,
                doubts: any("look_up.doubts", &look_up.doubts)?,
                say: file.look_up.say,
            },
            left_to_larger: file.left_to_larger,
            urgent: file.urgent,
            settled: file.settled,
            careful: file.careful,
            number: file.number,
            sites: file.sites,
        })
    }

    /// Returns the sentence about a matter, with the number of the emergency services where it is known; nothing when
    /// the language has no such matter.
    pub fn answer(&self, matter: &str, number: &str) -> Option<String> {
        let all = [&self.urgent, &self.settled, &self.careful];
        let sentence = all.into_iter().find_map(|matters| matters.get(matter))?;
        let number = match number {
            "" => self.number.unknown.clone(),
            known => fill(&self.number.known, &[("number", known)]),
        };
        Some(fill(sentence, &[("number", &number)]))
    }

    /// Returns whether a model with fair knowledge answers a matter by itself.
    pub fn is_left_to_larger(&self, matter: &str) -> bool {
        self.left_to_larger.iter().any(|left| left == matter)
    }

    /// How urgent a matter is.
    pub fn urgency(&self, matter: &str) -> MatterUrgency {
        match (self.urgent.contains_key(matter), self.settled.contains_key(matter)) {
            (true, _) => MatterUrgency::Urgent,
            (false, true) => MatterUrgency::Settled,
            (false, false) => MatterUrgency::Careful,
        }
    }

    /// The matters there are sentences for.
    #[cfg(any(test, feature = "testing"))]
    pub fn matters(&self) -> impl Iterator<Item = &str> {
        self.urgent.keys().chain(self.settled.keys()).chain(self.careful.keys()).map(String::as_str)
    }
}

impl LookUpSentences {
    /// What a page says, in its words.
    pub fn says(&self, site: &str, text: &str) -> String {
        fill(&self.says, &[("site", site), ("text", text)])
    }

    /// Where an answer is from.
    pub fn source(&self, site: &str) -> String {
        fill(&self.source, &[("site", site)])
    }
}

impl SafetyFile {
    /// Every rule has an answer, and what is said holds only what is known where it is said.
    fn check(&self) -> Result<(), String> {
        let all = [&self.urgent, &self.settled, &self.careful];
        let known = |matter: &str| all.iter().any(|matters| matters.contains_key(matter));
        if let Some(matter) = self.left_to_larger.iter().find(|matter| !known(matter)) {
            return Err(format!(
                "left_to_larger has \"{matter}\"; allowed: keys of [urgent], [settled] or [careful]"
            ));
        }
        for WrittenRule { matter, asks, tells, always } in &self.rule {
            if !known(matter) {
                return Err(format!(
                    "rule.matter is \"{matter}\"; allowed: a key of [urgent], [settled] or [careful]"
                ));
            }
            if [asks, tells, always].iter().filter(|patterns| !patterns.is_empty()).count() != 1 {
                return Err(format!(
                    "the rule of \"{matter}\" has none or several of asks, tells and always; allowed: one"
                ));
            }
        }
        let answers = all.into_iter().flatten().map(|(name, text)| (name.as_str(), text, "number"));
        let say = &self.look_up.say;
        let others = [
            ("look_up.say.offer", &say.offer, ""),
            ("look_up.say.switched_off", &say.switched_off, ""),
            ("look_up.say.looking", &say.looking, ""),
            ("look_up.say.unsure", &say.unsure, ""),
            ("look_up.say.nothing", &say.nothing, ""),
            ("look_up.say.failed", &say.failed, ""),
            ("look_up.say.says", &say.says, "site text"),
            ("look_up.say.source", &say.source, "site"),
            ("number.unknown", &self.number.unknown, ""),
            ("number.known", &self.number.known, "number"),
        ];
        for (key, text, allowed) in answers.chain(others) {
            let strange = |part: &&str| {
                let name = part.split('}').next().unwrap_or_default();
                !allowed.split(' ').any(|known| known == name && !known.is_empty())
            };
            if text.split('{').skip(1).any(|part| strange(&part)) {
                let allowed = if allowed.is_empty() { "no placeholder" } else { allowed };
                return Err(format!("{key} is \"{text}\"; allowed in braces: {allowed}"));
            }
        }
        Ok(())
    }

    fn rule(&self, written: &WrittenRule) -> Result<SafetyRule, String> {
        let WrittenRule { matter, asks, tells, always } = written;
        let key = format!("rule of {matter}");
        let counts = match (asks.is_empty(), tells.is_empty()) {
            (false, _) => RuleCounts::Asked,
            (true, false) => RuleCounts::Told,
            (true, true) => RuleCounts::Always,
        };
        let all = asks.iter().chain(tells).chain(always).map(|pattern| self.pattern(&key, pattern));
        let all = all.collect::<Result<_, String>>()?;
        Ok(SafetyRule { matter: matter.clone(), counts, all })
    }

    /// `written` as whole words, with the words in the place of their names.
    fn pattern(&self, key: &str, written: &str) -> Result<WordPattern, String> {
        let mut text = written.to_owned();
        // A word may be made of others.
        while let Some((name, words)) =
            self.words.iter().find(|(name, _)| text.contains(&format!("{{{name}}}")))
        {
            if words.contains(&format!("{{{name}}}")) {
                return Err(format!("words.{name} is made of itself"));
            }
            text = text.replace(&format!("{{{name}}}"), words);
        }
        let (case, text) = match text.strip_prefix("(?i)") {
            Some(rest) => ("(?i)", rest.to_owned()),
            None => ("", text),
        };
        let whole = format!(r"{case}(?:\b|^)(?:{})(?:\b|$)", text.replace(r"\w", WORD_SIGN));
        WordPattern::new(&whole)
            .map_err(|error| format!("{key} is \"{written}\"; allowed: a pattern: {error}"))
    }
}
