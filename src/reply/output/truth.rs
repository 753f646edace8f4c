//! Whether a sentence says that a deed was done that no result of the turn supports.
//!
//! PURE, any thread. In: a sentence or a clause of a reply, what the user asked for, and the calls of the turn that
//! succeeded. Out: nothing, or the clause that may not be said. A clause claims something only when it is about the
//! home, or about what the user asked for: stories, facts and advice are told as they come.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::language::Language;
use crate::language::consent::words_of;
use crate::language::truth::{ClaimWords, TruthWords};
use crate::tools::Arguments;

#[cfg(test)]
mod tests;

/// Words of someone else.
#[expect(clippy::expect_used, reason = "the pattern is fixed and a test matches it")]
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("\"[^\"]*\"|„[^“]*“|“[^”]*”").expect("a pattern"));

/// Letters that a word may lack or have at its end beside another that means the same.
const ENDING: usize = 3;
/// The longest fragment that is about what was asked without saying so, in words.
const FRAGMENT: usize = 4;

/// A call that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DoneCall {
    pub(crate) tool: String,
    /// By the name that the tool has for it, such as "lists add".
    pub(crate) deed: String,
    pub(crate) arguments: Arguments,
    /// Whether it changed something.
    pub(crate) has_changed: bool,
}

/// What a sentence is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimEvidence<'a> {
    /// What the user said.
    pub(crate) asked: &'a str,
    /// In this turn.
    pub(crate) done: &'a [DoneCall],
}

/// The clause of `said` that no result supports, in any language there is.
pub(crate) fn unsupported(language: &Language, said: &str, evidence: ClaimEvidence<'_>) -> Option<String> {
    language.truth().find_map(|words| ClaimJudge::new(words, evidence).unsupported(said))
}

/// A clause that may claim something.
struct Claim<'c> {
    clause: &'c str,
    object: &'c str,
    families: BTreeSet<&'c str>,
}

/// One language's view of a turn.
struct ClaimJudge<'a> {
    words: &'a TruthWords,
    done: &'a [DoneCall],
    asked: String,
    asked_families: BTreeSet<&'a str>,
    /// Nothing was wanted but words.
    is_talk: bool,
}

impl<'a> ClaimJudge<'a> {
    fn new(words: &'a TruthWords, evidence: ClaimEvidence<'a>) -> Self {
        let asked = evidence.asked.to_lowercase();
        let asked_families = families(words, &asked);
        let is_talk = words.talk.is_match(&asked) && !words.request.is_match(&asked);
        Self { words, done: evidence.done, asked, asked_families, is_talk }
    }

    fn unsupported(&self, said: &str) -> Option<String> {
        let said = said.to_lowercase().replace('’', "'");
        let said = QUOTED.replace_all(&said, "");
        said.split_inclusive(['.', '!', '?']).find_map(|sentence| {
            let clauses = self.words.joints.split(sentence).map(|clause| clause.trim_matches(is_around));
            let clauses: Vec<&str> = clauses.filter(|clause| !clause.is_empty()).collect();
            let asks = |at: usize, clause: &str| {
                at + 1 == clauses.len() && sentence.contains('?') && self.words.question.is_match(clause)
            };
            let mut open = clauses.iter().enumerate().filter(|(at, clause)| !asks(*at, clause));
            open.find(|(_, clause)| self.is_unsupported(clause)).map(|(_, clause)| (*clause).to_owned())
        })
    }

    fn is_unsupported(&self, clause: &str) -> bool {
        if self.words.exempt.is_match(clause) {
            return false;
        }
        for claimed in &self.words.claims {
            let Some(found) = claimed.says.captures(clause) else { continue };
            let object = found.name("object").map_or("", |object| object.as_str());
            let claim = Claim { clause, object, families: families(self.words, clause) };
            if self.concerns(&claim) {
                return !self.supports(claimed, &claim);
            }
        }
        false
    }

    /// Whether it is about the home or what was asked for.
    fn concerns(&self, claim: &Claim<'_>) -> bool {
        let only_looked_up = !self.done.is_empty()
            && self.done.iter().all(|call| !call.has_changed && !self.words.reads.contains(&call.deed));
        if self.is_talk || (only_looked_up && claim.families.is_empty()) {
            let is_hers = self.words.own.is_match(claim.clause) || self.words.speaker.is_match(claim.clause);
            return !claim.families.is_empty() && is_hers;
        }
        let said = words_of(claim.clause);
        let asked = words_of(&self.asked);
        let counts = |word: &&String| !self.words.ignored.contains(*word);
        let has_topic = !self.asked_families.is_empty();
        !claim.families.is_empty()
            || (has_topic && said.iter().any(|word| self.words.pronouns.contains(word)))
            || (has_topic && said.len() <= FRAGMENT)
            || said.iter().filter(counts).any(|word| asked.iter().filter(counts).any(|one| alike(word, one)))
    }

    fn supports(&self, claimed: &ClaimWords, claim: &Claim<'_>) -> bool {
        let reads = |call: &DoneCall| self.words.reads.contains(&call.deed);
        let names = |name: &String, call: &DoneCall| name == "*" || *name == call.deed || *name == call.tool;
        if self.done.iter().any(reads) && self.done.iter().all(reads) {
            let told = claimed
                .supports
                .iter()
                .any(|name| matches!(name.as_str(), "lists add" | "lists clear" | "timers set" | "lists"));
            let is_told = told && !self.words.fresh.is_match(claim.clause);
            return is_told || self.done.iter().any(|call| claimed.supports.contains(&call.deed));
        }
        let mut fitting: Vec<&DoneCall> = Vec::new();
        for call in self.done.iter().filter(|call| !reads(call)) {
            if !self.words.tools.values().any(|tools| tools.contains(&call.tool)) {
                // Nothing is known of what it calls things.
                if call.has_changed && !self.is_of_known_tools(claim) {
                    return true;
                }
                continue;
            }
            let is_of_family = claim.families.is_empty()
                || claim.families.iter().any(|family| {
                    self.words.tools.get(*family).is_some_and(|tools| tools.contains(&call.tool))
                });
            if is_of_family && claimed.supports.iter().any(|name| names(name, call)) {
                fitting.push(call);
            }
        }
        !fitting.is_empty() && self.fits(claim, &fitting)
    }

    /// Whether what it is about belongs to built-in tools alone.
    fn is_of_known_tools(&self, claim: &Claim<'_>) -> bool {
        !claim.families.is_empty() && claim.families.iter().all(|family| !matches!(*family, "home" | "other"))
    }

    /// Whether the calls were made with what the claim is about.
    fn fits(&self, claim: &Claim<'_>, calls: &[&DoneCall]) -> bool {
        let is_sweep = calls.len() > 1 || calls.iter().any(|call| self.words.sweeps.contains(&call.deed));
        if self.words.all.is_match(claim.object) && !is_sweep {
            return false;
        }
        let kinds: Vec<&str> =
            calls.iter().filter_map(|call| call.arguments.get("kind").and_then(Value::as_str)).collect();
        let is_other = |(kind, words): (&String, &Regex)| {
            words.is_match(claim.clause) && !kinds.contains(&kind.as_str())
        };
        if !kinds.is_empty() && self.words.kinds.iter().any(is_other) {
            return false;
        }
        let given = calls.iter().flat_map(|call| call.arguments.values()).map(text_of);
        let given = given.collect::<Vec<_>>().join(" ").to_lowercase();
        let clash = |one: &Regex, other: &Regex| {
            one.is_match(claim.clause) && other.is_match(&given) && !one.is_match(&given)
        };
        if self.words.opposites.iter().any(|(one, other)| clash(one, other) || clash(other, one)) {
            return false;
        }
        let given = words_of(&given);
        words_of(claim.object).iter().all(|word| self.is_in(word, &given))
    }

    fn is_in(&self, word: &String, given: &[String]) -> bool {
        if self.words.ignored.contains(word) || self.words.pronouns.contains(word) {
            return true;
        }
        if let Some(number) = self.words.numbers.get(word) {
            return given.contains(&number.to_string()) || given.contains(word);
        }
        // Times and lengths may be told in another form.
        word.starts_with(|c: char| c.is_ascii_digit()) || given.iter().any(|one| same(word, one))
    }
}

fn is_around(c: char) -> bool {
    matches!(c, ' ' | '.' | '!' | '?' | '\n' | '\t' | '…')
}

fn families<'w>(words: &'w TruthWords, text: &str) -> BTreeSet<&'w str> {
    words.families.iter().filter(|(_, says)| says.is_match(text)).map(|(name, _)| name.as_str()).collect()
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether two words differ in their endings alone.
fn alike(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str| word.chars().count() - shared;
    one == other || (shared >= 3 && rest(one) <= ENDING && rest(other) <= ENDING)
}

/// The same, or one is a part of the other.
fn same(word: &str, given: &str) -> bool {
    let holds = |whole: &str, part: &str| part.chars().count() > 4 && whole.contains(part);
    alike(word, given) || holds(given, word) || holds(word, given)
}
