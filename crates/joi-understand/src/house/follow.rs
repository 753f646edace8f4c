//! What goes on with words before it: "the first one", "turn it off", "undo that".
//!
//! In: what the words before left behind, and what is said now. Out: what is picked, what is meant by a pronoun, and the
//! commands that take the last ones back. All of it passes [`House::order`] anew.
//! Pure: no I/O, no clock.

use super::decision::{HouseAnswer, HouseDecision, HouseRefusal, NamedThing, PlannedCommand};
use super::lexicon::{HouseLexicon, ThingPhrase};
use super::order::together;
use super::reader::Reader;
use super::situation::HouseSituation;
use super::spoken;
use super::target::SearchPurpose;
use super::things::{Thing, ThingRole, Things};
use super::watch::frame::{ending, longest};
use joi_home::house::{House, Item, ItemCommand, ItemKind, StateValue};
use joi_home::{CommandOutcome, SendFault};
use joi_language::house::{HouseWords, ThingKind};

pub use super::situation::FollowUp;

/// The choice in an answer to "which one?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// These, by name.
    These(Vec<String>),
    /// The thing is in this place.
    In(String),
    /// Still one of several, but of fewer.
    OneOf(Vec<NamedThing>),
}

/// A command that undoes another one.
#[derive(Debug, Clone, PartialEq)]
pub struct BackStep {
    /// The name of the item.
    pub item: String,
    pub(super) command: ItemCommand,
    pub(super) title: String,
}

/// Returns whether the whole of `text` takes back what was done last.
pub fn is_undo(text: &str, words: &HouseWords) -> bool {
    let bare = |all: Vec<String>| spoken::without_skipped(&all, words);
    let said = bare(spoken::request(text, words));
    !said.is_empty() && words.follow.undo.iter().any(|undo| bare(spoken::words(undo)) == said)
}

/// Returns whether the whole of `text` is a request in other words, whatever no is in it: "not so bright".
pub fn is_in_other_words(text: &str, words: &HouseWords) -> bool {
    spoken::stands_for(&spoken::bare(text, words), words).is_some()
}

/// Returns the command that `text` stands for where it wants of another thing what the server was sent for the last one:
/// "the bedroom too".
pub fn likewise(text: &str, last: &str, words: &HouseWords) -> Option<String> {
    let phrases = &words.follow.likewise;
    let command = phrases.again.get(last)?;
    let mut said = spoken::words(text);
    while said.last().is_some_and(|last| words.words.skipped.contains(last)) {
        said.pop();
    }
    let from = longest(&said, &phrases.before).unwrap_or(0);
    let to = said.len() - ending(&said, &phrases.behind).unwrap_or(0);
    let thing = said.get(from..to).filter(|thing| !thing.is_empty() && thing.len() < said.len())?;
    Some(command.replace("{thing}", &thing.join(" ")))
}

/// Returns what `text` picks of `things`, or the place it names where `wants_place`; nothing when it is no answer.
pub fn picked(
    text: &str,
    (things, wants_place): (&[NamedThing], bool),
    situation: &HouseSituation<'_>,
) -> Option<Picked> {
    let words = situation.words;
    let (follow, all) = (&words.follow, spoken::without_skipped(&spoken::request(text, words), words));
    let said: Vec<String> = all.into_iter().filter(|word| !follow.fillers.contains(word)).collect();
    let names = |of: &[NamedThing]| Picked::These(of.iter().map(|thing| thing.name.clone()).collect());
    let is_every = |word: &String| words.words.all.contains(word) || words.words.both.contains(word);
    if said.is_empty() {
        return None;
    }
    if said.iter().all(is_every) {
        let is_both = said.iter().any(|word| words.words.both.contains(word));
        return (!is_both || things.len() == 2).then(|| names(things));
    }
    if let [word] = said.as_slice() {
        let at = follow.ordinals.iter().position(|ordinals| ordinals.contains(word));
        let last = follow.last.contains(word).then(|| things.len().saturating_sub(1));
        if let Some(at) = at.or(last) {
            return Some(names(&[things.get(at)?.clone()]));
        }
    }
    let mut lexicon = HouseLexicon::new(words, situation.phonetic);
    let known = Things::of(situation.house, &mut lexicon);
    let reader = Reader { situation, lexicon: &lexicon, things: &known };
    if wants_place && let Some(place) = reader.search(SearchPurpose::Command, &[]).place(&lexicon.said(&said))
    {
        return Some(Picked::In(place));
    }
    reader.named_of(&said, things)
}

/// Items that a decision is about.
pub fn spoken_of(decision: &HouseDecision) -> Vec<String> {
    let names = |things: &[NamedThing]| things.iter().map(|thing| thing.name.clone()).collect();
    match decision {
        HouseDecision::Send(batch) | HouseDecision::AskFirst(batch) => {
            batch.commands.iter().map(|planned| planned.ordered.item.clone()).collect()
        }
        HouseDecision::Which(_) | HouseDecision::Where(_) | HouseDecision::Refused(_) => Vec::new(),
        HouseDecision::Told(answer) => match answer {
            HouseAnswer::Is { things, .. } | HouseAnswer::Unknown(things) => names(things),
            HouseAnswer::Some { those, .. } | HouseAnswer::List { those, .. } => names(those),
            HouseAnswer::Value { thing, .. } => vec![thing.name.clone()],
        },
    }
}

/// Returns what takes `commands` back, by the states in `before` and what became of them; nothing where one can't be
/// taken back.
pub fn way_back(
    commands: &[PlannedCommand],
    outcomes: &[CommandOutcome],
    before: &House,
) -> Option<Vec<BackStep>> {
    let mut steps = Vec::new();
    for (planned, outcome) in commands.iter().zip(outcomes) {
        if matches!(outcome, CommandOutcome::Failed(SendFault::NotSent(_))) {
            continue;
        }
        let item = before.item(&planned.ordered.item)?;
        let is_group = matches!(item.kind, ItemKind::Group { .. });
        let items = if is_group { before.members(&item.name) } else { vec![item] };
        for item in items {
            let title = if is_group { item.title().to_owned() } else { planned.title.clone() };
            steps.push(BackStep { item: item.name.clone(), command: back(&planned.command, item)?, title });
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// Returns the commands of `steps`, checked as any others are.
pub fn taken_back(steps: &[BackStep], house: &House) -> HouseDecision {
    let planned = steps.iter().map(|step| {
        let ordered = house.order(&step.item, &step.command).map_err(|_| HouseRefusal::NotBack)?;
        Ok(PlannedCommand {
            ordered,
            command: step.command.clone(),
            title: step.title.clone(),
            clamped: None,
        })
    });
    together(planned.collect()).unwrap_or(HouseDecision::Refused(HouseRefusal::NotBack))
}

/// Returns the command that brings back the state `item` has, after `command`.
fn back(command: &ItemCommand, item: &Item) -> Option<ItemCommand> {
    let leaves_no_trace = matches!(
        command,
        ItemCommand::Stop
            | ItemCommand::Move
            | ItemCommand::Next
            | ItemCommand::Previous
            | ItemCommand::FastForward
            | ItemCommand::Rewind
    );
    if leaves_no_trace {
        return None;
    }
    Some(match &item.state.value {
        StateValue::OnOff(true) => ItemCommand::On,
        StateValue::OnOff(false) => ItemCommand::Off,
        StateValue::Percent(level) => ItemCommand::Percent(*level),
        StateValue::Number { value, .. } => ItemCommand::Number(*value),
        StateValue::Colour { hue, saturation, brightness } => {
            ItemCommand::Colour(*hue, *saturation, *brightness)
        }
        StateValue::Text(text) => ItemCommand::Text(text.clone()),
        StateValue::Playing(state) if state == "PLAY" => ItemCommand::Play,
        StateValue::Playing(_) => ItemCommand::Pause,
        _ => return None,
    })
}

/// Returns whether `said` is a pronoun, alone or of all: "it", "them all".
pub(super) fn is_it(said: &str, words: &HouseWords) -> bool {
    let is_every = |word: &&str| {
        let mut all = words.words.all.iter().chain(&words.words.both);
        all.any(|every| every == word)
    };
    let mut left = said.split(' ').filter(|word| !is_every(word));
    left.next().is_some_and(|word| words.follow.it.iter().any(|it| it == word)) && left.next().is_none()
}

/// Returns `all` with a pronoun in place of the word that points at what was spoken of last.
pub(super) fn with_pronoun(all: &[String], words: &HouseWords) -> Option<Vec<String>> {
    let (it, them) = (words.follow.it.first()?, &words.follow.pointing);
    let at = all.iter().position(|word| them.contains(word))?;
    let mut said = all.to_vec();
    said[at].clone_from(it);
    Some(said)
}

impl Reader<'_> {
    /// Returns what a pronoun stands for; nothing for any other words.
    pub(super) fn spoken_of(&self, phrase: &ThingPhrase) -> Option<Vec<usize>> {
        let HouseSituation { words, follow, .. } = *self.situation;
        if follow.it.is_empty() || !is_it(&phrase.said, words) {
            return None;
        }
        let mut all: Vec<usize> = follow.it.iter().filter_map(|name| self.index_of(name)).collect();
        all.dedup();
        (!all.is_empty()).then_some(all)
    }

    /// Returns "it", where something was spoken of.
    pub(super) fn it(&self) -> Option<ThingPhrase> {
        let HouseSituation { words, follow, .. } = *self.situation;
        let said = words.follow.it.first().filter(|_| !follow.it.is_empty())?.clone();
        Some(ThingPhrase { said, ..ThingPhrase::default() })
    }

    /// Returns what is meant where only a kind is: what was spoken of last, if it is of that kind; for heating, that of
    /// the room whose temperature was. Else any.
    pub(super) fn last_of(&self, kind: ThingKind) -> ThingPhrase {
        let HouseSituation { words, follow, house, .. } = *self.situation;
        let last: Option<Vec<&Thing<'_>>> =
            follow.it.iter().map(|name| self.index_of(name).map(|at| &self.things.all[at])).collect();
        let last = last.unwrap_or_default();
        let is_of_kind = |name: &String| {
            let mut all = self.things.all.iter().filter(|thing| thing.is_or_has(name));
            all.any(|thing| thing.is_of(kind))
        };
        if !last.is_empty() && follow.it.iter().all(is_of_kind) {
            let said = words.follow.it.first().cloned().unwrap_or_default();
            return ThingPhrase { said, ..ThingPhrase::default() }.with_kind(kind);
        }
        let is_warmth = |thing: &Thing<'_>| kind == ThingKind::Heating && thing.is_of(ThingKind::Temperature);
        let room = match last.as_slice() {
            [thing] if is_warmth(thing) => thing.location.and_then(|name| house.location(name)),
            _ => None,
        };
        let named =
            room.and_then(|room| room.names().next()).map(|name| self.lexicon.said(&spoken::words(name)));
        named.unwrap_or_default().with_kind(kind)
    }

    /// Returns those of `found` that were picked.
    pub(super) fn chosen_of(&self, found: &[usize]) -> Option<Vec<usize>> {
        let is_chosen =
            |at: &usize| self.situation.follow.chosen.iter().any(|name| name == self.things.all[*at].name);
        let chosen: Vec<usize> = found.iter().copied().filter(is_chosen).collect();
        (!chosen.is_empty()).then_some(chosen)
    }

    /// Returns the thing an item belongs to, or is.
    fn index_of(&self, name: &str) -> Option<usize> {
        let is_it = |at: &usize| self.things.all[*at].is_or_has(name);
        let order = |at: &usize| {
            let thing = &self.things.all[*at];
            // A value that can only be read stands for what it belongs to.
            let only_tells =
                thing.role == ThingRole::Point && thing.points.iter().all(|item| item.is_read_only);
            (thing.role == ThingRole::Group && thing.name != name, only_tells, thing.name != name, thing.role)
        };
        (0..self.things.all.len()).filter(is_it).min_by_key(order)
    }

    /// Returns those of `things` that are named by `said`.
    fn named_of(&self, said: &[String], things: &[NamedThing]) -> Option<Picked> {
        let candidates: Vec<usize> = things
            .iter()
            .filter_map(|thing| self.things.all.iter().position(|known| known.name == thing.name))
            .collect();
        let search = self.search(SearchPurpose::Command, &[]);
        let phrases = self.joined(said, &self.situation.words.words.and);
        let mut all: Vec<usize> = Vec::new();
        for phrase in &phrases {
            if phrase.is_strange || phrase.bag.is_empty() {
                return None;
            }
            let fitting = search.fitting(phrase, &candidates);
            let takes_all = phrase.is_all || phrase.is_plural && fitting.len() < candidates.len();
            match fitting.len() {
                0 => return None,
                1 => all.extend(fitting),
                _ if takes_all => all.extend(fitting),
                _ => return Some(Picked::OneOf(fitting.into_iter().map(|at| self.named(at)).collect())),
            }
        }
        all.sort_unstable();
        all.dedup();
        let names = all.into_iter().map(|at| self.things.all[at].name.to_owned()).collect();
        Some(Picked::These(names))
    }
}
