//! The words by which a sentence is known to say that a deed was done, and what supports it.
//!
//! In: the text of `truth.toml`, of `commands.toml` the things of a house, and the words of tools. Out: patterns, compiled and ready to
//! match. A pattern that is none is an error that names its key. Pure: no I/O, no clock.

use std::collections::{BTreeMap, BTreeSet};

use super::pattern::WordPattern;
use super::requests::Phrases;

mod file;

pub use file::ClaimForm;
use file::FamilyFile;
pub(super) use file::{TruthFile, devices};

/// Most letters of the ending of an infinitive.
const INFINITIVE: usize = 2;

/// The words of one language.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct TruthWords {
    /// Contractions, and their words written out.
    pub rewrites: Vec<(String, String)>,
    /// Between clauses and between things, and between clauses alone.
    pub joints: WordPattern,
    pub and: BTreeSet<String>,
    pub exempt: ExemptWords,
    pub turn: TurnWords,
    pub parts: PartWords,
    /// In the order in which they are looked for.
    pub claims: Vec<ClaimPattern>,
    pub deeds: Vec<ClaimedDeed>,
    /// The forms of their verbs.
    pub done: VerbForms,
    pub base: VerbForms,
    pub doing: VerbForms,
    pub families: Vec<ObjectFamily>,
    pub support: SupportWords,
}

/// What makes a clause no claim.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ExemptWords {
    pub negations: WordPattern,
    pub modals: WordPattern,
    /// At the beginning, and inside.
    pub conditions: WordPattern,
    pub behind: WordPattern,
    pub directives: WordPattern,
    pub asks_user: WordPattern,
    /// Phrases that announce something to come.
    pub fillers: WordPattern,
    /// At the end of what something was done to: then it only describes it.
    pub relatives: WordPattern,
    /// In front of a clause that belongs to the one before it.
    pub subordinates: WordPattern,
    pub others: BTreeSet<String>,
    pub speakers: BTreeSet<String>,
    /// Participles of what is only thought, heard or said.
    pub thinks: BTreeSet<String>,
}

/// What a turn is about.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct TurnWords {
    pub tells: Phrases,
    pub howto: WordPattern,
    pub own: BTreeSet<String>,
    pub yes_no: WordPattern,
    pub asks_her: WordPattern,
    pub measures: WordPattern,
    pub fiction: WordPattern,
    pub words: WordPattern,
    pub your: WordPattern,
    pub mine: WordPattern,
    pub now: WordPattern,
    pub all: WordPattern,
    pub not_all: WordPattern,
    /// Words of a state that begins now.
    pub fresh: WordPattern,
    /// What came of a deed, said without a verb.
    pub outcomes: WordPattern,
}

/// What stands where in a clause.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct PartWords {
    pub ends: BTreeSet<String>,
    /// Of verbs, in front of what something is done to.
    pub particles: BTreeSet<String>,
    /// Words without a meaning of their own: prepositions, pronouns, adverbs.
    pub empty: BTreeSet<String>,
    pub adverbs: WordPattern,
    /// Verbs beside those of deeds.
    pub auxiliaries: WordPattern,
}

impl PartWords {
    /// Whether it is a small word of the language.
    pub fn knows(&self, word: &str) -> bool {
        self.empty.contains(word) || self.auxiliaries.is_match(word)
    }
}

/// One way to say that a deed was done.
#[derive(Debug)]
pub struct ClaimPattern {
    /// The form of the claim.
    pub kind: ClaimForm,
    /// The group `verb` is the deed, `object` what it was done to.
    pub says: WordPattern,
    /// The forms of verbs that the pattern has.
    pub tense: VerbTense,
    /// The deeds, where no verb names one.
    pub deeds: Vec<usize>,
    /// It says so by a no.
    pub is_negated: bool,
}

/// Which forms of verbs a pattern has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerbTense {
    /// Perfect or past: "turned off".
    Done,
    /// Infinitive: "turn off".
    Base,
    /// Progressive: "turning off".
    Doing,
}

/// A kind of deed.
#[derive(Debug)]
pub struct ClaimedDeed {
    /// Deeds of tools, or tools, that support it.
    pub supports: BTreeSet<String>,
    /// It reaches others: it is claimed whatever is spoken of.
    pub is_outward: bool,
    /// It is claimed only of what the user named.
    pub is_weak: bool,
    /// It only looks something up.
    pub is_look: bool,
    /// The family it is about when it names nothing.
    pub implies: Option<String>,
}

/// What a claim may be about, and the tools that have to do with it.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct ObjectFamily {
    pub name: String,
    pub says: WordPattern,
    pub tools: BTreeSet<String>,
    /// What its words end with in a language with compounds.
    pub heads: Vec<String>,
}

/// What supports a claim.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the keys of the file: docs/user/languages.md")]
pub struct SupportWords {
    /// Of two that exclude each other.
    pub opposites: Vec<(WordPattern, WordPattern)>,
    pub sweeps: BTreeSet<String>,
    /// Tools whose things are called as in the call, and not otherwise.
    pub exact: BTreeSet<String>,
    /// All of a list, and an answer that says that nothing is left of it.
    pub wholes: WordPattern,
    pub emptied: WordPattern,
    /// The group is the name of a list.
    pub list_name: WordPattern,
}

/// What a form of a verb says: the particle that must go with it, and the deed; none where it is an idiom.
type VerbUse = (Option<String>, Option<usize>);

/// Forms of verbs, with each what it says.
#[derive(Debug, Default)]
pub struct VerbForms(BTreeMap<String, Vec<VerbUse>>);

impl VerbForms {
    /// Whether `word` is one of them.
    pub fn has(&self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    /// Whether one of them is `word`, or `word` with an ending.
    pub fn begins(&self, word: &str) -> bool {
        let longer = self.0.range(word.to_owned()..).take_while(|(verb, _)| verb.starts_with(word));
        longer.into_iter().any(|(verb, _)| verb.len() <= word.len() + INFINITIVE)
    }

    /// The deeds of all verbs that are `word`, or `word` with an ending.
    pub fn deeds_begun(&self, word: &str) -> Vec<usize> {
        let longer = self.0.range(word.to_owned()..).take_while(|(verb, _)| verb.starts_with(word));
        let those = longer.filter(|(verb, _)| verb.len() <= word.len() + INFINITIVE);
        those.flat_map(|(_, readings)| readings.iter().filter_map(|(_, deed)| *deed)).collect()
    }

    /// The deeds that `verb` may be, when `rest` are the words behind it; an idiom has its particle at once or at the end.
    pub fn deeds(&self, verb: &str, rest: &[String]) -> Vec<usize> {
        let readings = self.0.get(verb).map_or(&[][..], Vec::as_slice);
        let at_edge = |particle: &String| [rest.first(), rest.last()].contains(&Some(particle));
        let is_idiom = |(particle, deed): &(Option<String>, Option<usize>)| {
            deed.is_none() && particle.as_ref().is_none_or(at_edge)
        };
        if readings.iter().any(is_idiom) {
            return Vec::new();
        }
        let has_particle =
            |particle: &Option<String>| particle.as_ref().is_some_and(|one| rest.contains(one));
        let is_with = readings.iter().any(|(particle, deed)| deed.is_some() && has_particle(particle));
        let fits =
            |particle: &Option<String>| if is_with { has_particle(particle) } else { particle.is_none() };
        readings.iter().filter(|(particle, _)| fits(particle)).filter_map(|(_, deed)| *deed).collect()
    }

    /// Their alternation, the longest first.
    fn pattern(&self) -> String {
        let mut heads: Vec<&str> = self.0.keys().map(String::as_str).collect();
        heads.sort_by_key(|head| std::cmp::Reverse(head.len()));
        format!("(?P<verb>{})", heads.join("|"))
    }

    /// Adds what `written` has: forms with "/" between alternatives, "+" in front of a particle.
    fn add(&mut self, written: &str, particles: &[&str], deed: Option<usize>) {
        for form in written.split('/') {
            let (head, own) = form.split_once('+').map_or((form, None), |(head, own)| (head, Some(own)));
            let readings = self.0.entry(head.to_owned()).or_default();
            match (own, particles) {
                (Some(own), _) => readings.push((Some(own.to_owned()), deed)),
                (None, []) => readings.push((None, deed)),
                (None, all) => readings.extend(all.iter().map(|one| (Some((*one).to_owned()), deed))),
            }
        }
    }
}

impl TruthWords {
    /// What a language's `truth.toml` says, beside the `devices` of a house in its `commands.toml`.
    ///
    /// # Errors
    /// What can't be used.
    pub(super) fn of(file: TruthFile, devices: &[String]) -> Result<Self, String> {
        let families: Vec<ObjectFamily> =
            file.families.iter().map(|family| of_family(family, devices)).collect::<Result<_, _>>()?;
        let mut forms = [VerbForms::default(), VerbForms::default(), VerbForms::default()];
        for (at, deed) in file.deeds.values().enumerate() {
            deed.verbs.iter().try_for_each(|verb| add_verb(&mut forms, verb, Some(at)))?;
        }
        file.idioms.verbs.iter().try_for_each(|verb| add_verb(&mut forms, verb, None))?;
        let [base, done, doing] = forms;
        let gap = format!("(?: (?:{}))*", file.parts.adverbs.join("|"));
        let fill = |say: &str| {
            say.replace("{unknown}", &format!("(?P<unknown>{})", file.unknown.participle))
                .replace("{gap}", &gap)
                .replace("{done}", &done.pattern())
                .replace("{base}", &base.pattern())
                .replace("{doing}", &doing.pattern())
        };
        let tense = |say: &str| match say {
            say if say.contains("{base}") => VerbTense::Base,
            say if say.contains("{doing}") => VerbTense::Doing,
            _ => VerbTense::Done,
        };
        let deed_of = |name: &String| {
            let known = file.deeds.keys().position(|deed| deed == name);
            known.ok_or_else(|| format!("claims.deeds is \"{name}\"; allowed: the name of one of the deeds"))
        };
        let claim = |claim: &file::ClaimFile| {
            Ok(ClaimPattern {
                kind: claim.kind,
                says: pattern("claims.say", &fill(&claim.say))?,
                tense: tense(&claim.say),
                deeds: claim.deeds.iter().map(deed_of).collect::<Result<_, String>>()?,
                is_negated: claim.negated,
            })
        };
        Ok(Self {
            joints: joints(&file)?,
            and: file.and.iter().cloned().collect(),
            exempt: file.exempt.compiled(&file.unknown.thinks)?,
            turn: file.turn.compiled()?,
            parts: file.parts.compiled()?,
            claims: file.claims.iter().map(claim).collect::<Result<_, String>>()?,
            deeds: file.deeds.values().map(file::DeedFile::claimed).collect(),
            support: file.support.compiled()?,
            rewrites: file.rewrites,
            done,
            base,
            doing,
            families,
        })
    }

    /// The verbs of a tense.
    pub fn verbs(&self, tense: VerbTense) -> &VerbForms {
        match tense {
            VerbTense::Done => &self.done,
            VerbTense::Base => &self.base,
            VerbTense::Doing => &self.doing,
        }
    }
}

fn of_family((name, family): (&String, &FamilyFile), devices: &[String]) -> Result<ObjectFamily, String> {
    let things = devices.iter().filter(|_| family.devices);
    // A short name is found in too many words.
    let is_compound = |thing: &&String| family.compounds && thing.chars().count() > 4;
    let (compounds, alone): (Vec<&String>, Vec<&String>) = things.partition(is_compound);
    let mut says: Vec<String> = alone.into_iter().chain(&family.words).cloned().collect();
    if !compounds.is_empty() {
        // One beginning for all of them: any letter, in any script, is a large part of a pattern.
        let ends: Vec<&str> = compounds.into_iter().map(String::as_str).collect();
        says.push(format!("\\w*(?:{})", ends.join("|")));
    }
    let says = pattern(&format!("families.{name}"), &whole_word(&says))?;
    Ok(ObjectFamily { name: name.clone(), says, tools: family.tools.clone(), heads: family.heads.clone() })
}

/// A verb is written as base, past (and participle), and -ing form or the like.
fn add_verb(forms: &mut [VerbForms; 3], written: &str, deed: Option<usize>) -> Result<(), String> {
    let (verb, particles) = written.split_once(" + ").unwrap_or((written, ""));
    let particles: Vec<&str> = particles.split_whitespace().collect();
    let parts: Vec<&str> = verb.split_whitespace().collect();
    if !(2..=3).contains(&parts.len()) {
        return Err(format!("deeds.verbs is \"{written}\"; allowed: base, past and -ing form of a verb"));
    }
    forms.iter_mut().zip(parts).for_each(|(forms, part)| forms.add(part, &particles, deed));
    Ok(())
}

fn joints(file: &TruthFile) -> Result<WordPattern, String> {
    let mut joints: Vec<&str> = file.joints.iter().chain(&file.and).map(String::as_str).collect();
    joints.sort_by_key(|joint| std::cmp::Reverse(joint.len()));
    let joints = joints.join("|");
    pattern(
        "joints",
        &format!("[,;:–—()]+(?:\\s+|$)(?:(?P<behind>{joints})\\s+)?|\\s-+\\s|\\s+(?P<joint>{joints})\\s+"),
    )
}

fn whole_word(words: &[String]) -> String {
    format!("\\b(?:{})\\b", words.join("|"))
}

fn pattern(key: &str, written: &str) -> Result<WordPattern, String> {
    WordPattern::new(written).map_err(|error| format!("{key} is \"{written}\"; allowed: a pattern: {error}"))
}

#[cfg(test)]
mod tests;
