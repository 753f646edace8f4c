//! `truth.toml` as it is written.
//!
//! Plain data. What a key means is explained in the English file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::pattern::WordPattern;
use crate::tools::OneTool;

use super::{ClaimedDeed, ExemptWords, PartWords, SupportWords, TurnWords, pattern, whole_word};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TruthFile {
    pub(super) rewrites: Vec<(String, String)>,
    pub(super) and: Vec<String>,
    pub(super) joints: Vec<String>,
    pub(super) exempt: ExemptFile,
    pub(super) turn: TurnFile,
    pub(super) parts: PartFile,
    pub(super) claims: Vec<ClaimFile>,
    pub(super) deeds: BTreeMap<String, DeedFile>,
    pub(super) idioms: IdiomFile,
    pub(super) unknown: UnknownFile,
    pub(super) families: BTreeMap<String, FamilyFile>,
    pub(super) support: SupportFile,
}

impl TruthFile {
    /// Reads the text of the file.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Adds the tools whose results support a family of claims, as `tools.toml` has them.
    pub(crate) fn add_tools(&mut self, tools: &BTreeMap<String, OneTool>) -> Result<(), String> {
        for (tool, words) in tools {
            for family in &words.claims {
                let known = self.families.get_mut(family).ok_or_else(|| {
                    format!("tool.{tool}.claims is \"{family}\"; allowed: the name of one of the families")
                })?;
                known.tools.insert(tool.clone());
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExemptFile {
    negations: Vec<String>,
    modals: Vec<String>,
    conditions: Vec<String>,
    behind: Vec<String>,
    directives: Vec<String>,
    asks_user: Vec<String>,
    fillers: Vec<String>,
    relatives: Vec<String>,
    subordinates: Vec<String>,
    others: BTreeSet<String>,
    speakers: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnFile {
    tells: Vec<String>,
    howto: String,
    own: BTreeSet<String>,
    yes_no: String,
    asks_her: String,
    measures: String,
    fiction: Vec<String>,
    words: Vec<String>,
    your: Vec<String>,
    mine: Vec<String>,
    now: Vec<String>,
    all: Vec<String>,
    not_all: String,
    fresh: Vec<String>,
    outcomes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFile {
    pub(super) adverbs: Vec<String>,
    ends: BTreeSet<String>,
    particles: BTreeSet<String>,
    within: BTreeSet<String>,
    pronouns: BTreeSet<String>,
    auxiliaries: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimFile {
    pub(super) kind: ClaimForm,
    pub(super) say: String,
    #[serde(default)]
    pub(super) deeds: Vec<String>,
    #[serde(default)]
    pub(super) negated: bool,
}

/// Who does it, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimForm {
    /// The deed is done.
    Speaker,
    /// The same in the tense of stories.
    Told,
    /// It was done, by nobody named.
    Became,
    /// The same in the tense of stories.
    Was,
    /// So it is now, by a verb of a deed.
    Is,
    /// So it is now, in other words.
    State,
    /// A verb of a deed and nobody who does it.
    Bare,
    /// The deed is being done.
    Doing,
    /// The deed will be done.
    Will,
    /// All is done.
    Settled,
    /// Something is so, whatever it is: a claim only of what was to be done.
    Topic,
    /// The same of a sentence without a verb.
    Fragment,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeedFile {
    pub(super) verbs: Vec<String>,
    supports: BTreeSet<String>,
    #[serde(default)]
    outward: bool,
    #[serde(default)]
    weak: bool,
    #[serde(default)]
    look: bool,
    implies: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IdiomFile {
    pub(super) verbs: Vec<String>,
}

/// Verbs that are not listed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnknownFile {
    pub(super) participle: String,
    pub(super) thinks: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FamilyFile {
    pub(super) words: Vec<String>,
    #[serde(default)]
    pub(super) tools: BTreeSet<String>,
    /// The things of a house belong to it, also at the end of longer words.
    #[serde(default)]
    pub(super) devices: bool,
    #[serde(default)]
    pub(super) compounds: bool,
    #[serde(default)]
    pub(super) heads: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SupportFile {
    opposites: Vec<(String, String)>,
    sweeps: BTreeSet<String>,
    #[serde(default)]
    exact: BTreeSet<String>,
    wholes: String,
    emptied: String,
    list_name: String,
}

/// The part of `commands.toml` that counts here.
#[derive(Deserialize)]
struct OnlyDevices {
    #[serde(default)]
    lexicon: BTreeMap<String, BTreeMap<String, String>>,
}

/// What the things of a house are called.
pub(crate) fn devices(commands: &str) -> Result<Vec<String>, String> {
    let only: OnlyDevices = toml::from_str(commands).map_err(|error| error.to_string())?;
    let names = only.lexicon.get("device").into_iter().flat_map(BTreeMap::keys);
    Ok(names.map(|name| regex::escape(name)).collect())
}

impl ExemptFile {
    pub(super) fn compiled(&self, thinks: &BTreeSet<String>) -> Result<ExemptWords, String> {
        let at_start = |key: &str, words: &[String]| pattern(key, &format!("^{}", whole_word(words)));
        Ok(ExemptWords {
            negations: pattern("exempt.negations", &whole_word(&self.negations))?,
            modals: pattern("exempt.modals", &whole_word(&self.modals))?,
            conditions: at_start("exempt.conditions", &self.conditions)?,
            behind: pattern("exempt.behind", &format!("\\w {}", whole_word(&self.behind)))?,
            directives: at_start("exempt.directives", &self.directives)?,
            asks_user: at_start("exempt.asks_user", &self.asks_user)?,
            fillers: at_start("exempt.fillers", &self.fillers)?,
            relatives: pattern("exempt.relatives", &format!("\\w {} *$", whole_word(&self.relatives)))?,
            subordinates: at_start("exempt.subordinates", &self.subordinates)?,
            others: self.others.clone(),
            speakers: self.speakers.clone(),
            thinks: thinks.clone(),
        })
    }
}

impl TurnFile {
    pub(super) fn compiled(&self) -> Result<TurnWords, String> {
        let words = |key: &str, words: &[String]| -> Result<WordPattern, String> {
            pattern(&format!("turn.{key}"), &whole_word(words))
        };
        Ok(TurnWords {
            tells: self.tells.clone().into(),
            howto: pattern("turn.howto", &self.howto)?,
            own: self.own.clone(),
            yes_no: pattern("turn.yes_no", &self.yes_no)?,
            asks_her: pattern("turn.asks_her", &self.asks_her)?,
            measures: pattern("turn.measures", &self.measures)?,
            fiction: words("fiction", &self.fiction)?,
            words: words("words", &self.words)?,
            your: words("your", &self.your)?,
            mine: words("mine", &self.mine)?,
            now: words("now", &self.now)?,
            all: words("all", &self.all)?,
            not_all: pattern("turn.not_all", &self.not_all)?,
            fresh: words("fresh", &self.fresh)?,
            outcomes: pattern("turn.outcomes", &self.outcomes)?,
        })
    }
}

impl PartFile {
    pub(super) fn compiled(&self) -> Result<PartWords, String> {
        let empty = self.pronouns.iter().chain(&self.ends).chain(&self.within).cloned().collect();
        Ok(PartWords {
            ends: self.ends.clone(),
            particles: self.particles.clone(),
            empty,
            adverbs: pattern("parts.adverbs", &format!("^{}$", whole_word(&self.adverbs)))?,
            auxiliaries: pattern("parts.auxiliaries", &whole_word(&self.auxiliaries))?,
        })
    }
}

impl DeedFile {
    pub(super) fn claimed(&self) -> ClaimedDeed {
        ClaimedDeed {
            supports: self.supports.clone(),
            is_outward: self.outward,
            is_weak: self.weak,
            is_look: self.look,
            implies: self.implies.clone(),
        }
    }
}

impl SupportFile {
    pub(super) fn compiled(&self) -> Result<SupportWords, String> {
        let side = |side: &String| pattern("support.opposites", &whole_word(std::slice::from_ref(side)));
        let pairs = self.opposites.iter().map(|(one, other)| Ok((side(one)?, side(other)?)));
        Ok(SupportWords {
            opposites: pairs.collect::<Result<_, String>>()?,
            sweeps: self.sweeps.clone(),
            exact: self.exact.clone(),
            wholes: pattern("support.wholes", &self.wholes)?,
            emptied: pattern("support.emptied", &self.emptied)?,
            list_name: pattern("support.list_name", &self.list_name)?,
        })
    }
}
