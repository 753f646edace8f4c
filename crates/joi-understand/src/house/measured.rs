//! What becomes of words in a house, written as the corpora in `tests/data/homes` write it: for tests,
//! measurements and whoever tries a sentence.
//!
//! In: an utterance, a house, the room of the device. Out: the decision as text, and what the utterance may be besides.
//! Pure: no I/O, no clock.

use std::sync::Arc;

use super::follow::FollowUp;
use super::{
    HouseAnswer, HouseDecision, HousePhrasings, HouseRefusal, HouseSituation, HouseTemplates, NamedThing,
    PlannedCommand, TemplateNames, decide, names, near, say,
};
use crate::intents::{self, Mood, Reading};
use crate::text;
use joi_home::house::House;
use joi_language::Language;
use joi_language::house::HouseWords;
use joi_templates::MatchContext;

/// How a language understands words about a house.
pub struct HouseUnderstanding {
    language: Arc<Language>,
    words: Arc<HouseWords>,
    phrasings: HousePhrasings,
    names: TemplateNames,
}

impl HouseUnderstanding {
    /// That of `language`; nothing where it has no words for a house.
    pub fn of(language: &Arc<Language>) -> Option<Self> {
        let words = Arc::clone(language.house()?);
        let phrasings = HousePhrasings::of(&words);
        Some(Self { language: Arc::clone(language), words, phrasings, names: TemplateNames::default() })
    }

    fn read<T>(&self, house: &House, room: Option<&str>, read: impl FnOnce(&HouseSituation<'_>) -> T) -> T {
        let (words, phrasings, phonetic) = (&*self.words, &self.phrasings, self.language.phonetic());
        let names = self.names.of(house, words, phonetic, self.language.code());
        let sentences = self.language.templates();
        let templates = sentences.map(|sentences| HouseTemplates { sentences, names: &names });
        let follow = FollowUp::default();
        read(&HouseSituation { house, words, phrasings, phonetic, room, follow, templates })
    }

    /// Returns whether `text` is about the house.
    pub fn is_about(&self, text: &str, house: &House) -> bool {
        self.read(house, None, |situation| decide(text, situation)).is_some()
    }

    /// Returns what is decided about `text`; nothing where it is not about the house. What asks or quotes never acts.
    pub fn decided(&self, text: &str, house: &House, room: Option<&str>) -> Option<HouseDecision> {
        let decision = self.read(house, room, |situation| decide(text, situation));
        let acts = matches!(decision, Some(HouseDecision::Send(_) | HouseDecision::AskFirst(_)));
        let may_act = intents::mood(&self.language, text) == Mood::Request && !text::quotes(text);
        decision.filter(|_| !acts || may_act)
    }

    /// Returns what is said of a decision; empty for commands that are sent at once.
    pub fn said(&self, decision: &HouseDecision) -> String {
        say::decision(decision, &self.words)
    }

    /// Returns what comes of `text`, as the corpora write it; "-" for nothing.
    pub fn written(&self, text: &str, house: &House, room: Option<&str>) -> String {
        written(self.decided(text, house, room).as_ref())
    }

    /// Names that may be said in it.
    pub fn names(&self, house: &House, room: Option<&str>) -> Vec<String> {
        names::names(house, room)
    }

    /// Returns sentences that the templates of the language know in `house`, three an intent; none where there are no templates.
    pub fn template_sentences(&self, house: &House) -> Vec<String> {
        self.read(house, None, |situation| {
            let Some(HouseTemplates { sentences, names }) = situation.templates else { return Vec::new() };
            let context = MatchContext::new();
            let mut sampler = sentences.sampler(names, &context, 1);
            let of_intent =
                |intent: &str| (0..3).filter_map(|_| sampler.sentence(intent)).collect::<Vec<_>>();
            sentences.intents().flat_map(of_intent).map(|sample| sample.sentence).collect()
        })
    }

    /// Returns what else `text` may be, for a second look at its sound.
    pub fn readings(&self, text: &str, house: &House, room: Option<&str>) -> Vec<Reading> {
        self.read(house, room, |situation| near::readings(&self.language, text, situation))
    }
}

/// Returns a decision as the corpora write it.
pub(super) fn written(decision: Option<&HouseDecision>) -> String {
    let Some(decision) = decision else { return "-".to_owned() };
    match decision {
        HouseDecision::Send(batch) => sent(&batch.commands),
        HouseDecision::AskFirst(batch) => format!("yes? {}", sent(&batch.commands)),
        HouseDecision::Which(things) => format!("which {}", in_order(things)),
        HouseDecision::Where(_) => "where".to_owned(),
        HouseDecision::Refused(refusal) => refused(refusal),
        HouseDecision::Told(answer) => measure(answer),
    }
}

fn refused(refusal: &HouseRefusal) -> String {
    match refusal {
        HouseRefusal::NoSuch(_) | HouseRefusal::Missing(_) => "refuse unknown".to_owned(),
        HouseRefusal::NotPermitted(thing) => format!("refuse permission {}", thing.name),
        HouseRefusal::ReadOnly(thing) => format!("refuse readonly {}", thing.name),
        HouseRefusal::Cannot(thing) => format!("refuse type {}", thing.name),
        HouseRefusal::NoValue(thing) => format!("refuse value {}", thing.name),
        HouseRefusal::Later => "refuse later".to_owned(),
        HouseRefusal::NobodyThere => "refuse nobody".to_owned(),
        HouseRefusal::NoMoment => "refuse moment".to_owned(),
        HouseRefusal::NotBack => "refuse back".to_owned(),
        HouseRefusal::OutOfRange { thing, nearest } => format!("refuse range {nearest} {}", thing.name),
    }
}

fn measure(answer: &HouseAnswer) -> String {
    match answer {
        HouseAnswer::Is { yes: true, things, .. } => format!("say yes {}", in_order(things)),
        HouseAnswer::Is { yes: false, things, .. } => format!("say no {}", in_order(things)),
        HouseAnswer::Unknown(things) => format!("say unknown {}", in_order(things)),
        HouseAnswer::Some { those, others, unknown, .. } => {
            format!("say some {} | {}{}", in_order(those), in_order(others), behind(unknown))
        }
        HouseAnswer::List { those, unknown, .. } => {
            format!("say list {}{}", in_order(those), behind(unknown))
        }
        HouseAnswer::Value { thing, .. } => format!("say value {}", thing.name),
    }
}

/// In the order of their names.
pub(super) fn in_order(things: &[NamedThing]) -> String {
    let mut names: Vec<&str> = things.iter().map(|thing| thing.name.as_str()).collect();
    names.sort_unstable();
    names.join(" ")
}

fn sent(commands: &[PlannedCommand]) -> String {
    let all: Vec<String> =
        commands.iter().map(|c| format!("{}={}", c.ordered.item, c.ordered.text)).collect();
    all.join(" ")
}

fn behind(unknown: &[NamedThing]) -> String {
    if unknown.is_empty() { String::new() } else { format!(" ? {}", in_order(unknown)) }
}
