//! Judges what came of a sentence: right, asked, left to the model, or wrong.
//!
//! Pure: no I/O, no clock.

use super::super::*;
use super::expected::{Alternative, ExpectedEffect, alternatives};
use super::happened::Happened;
use super::plans::{NamesCount, PlannedSchedule};
use super::scene::Stage;
use super::sentences::SaidSentence;
use super::state::ExpectedState;
use super::texts;
use joi_home::house::{House, Item, ItemKind, StateValue};
use joi_understand::intents::VolumeChange;

/// How a sentence ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaidVerdict {
    Right,
    /// A question was asked where something better was possible.
    Asked,
    /// It went to the model where something was to be done.
    Model,
    Wrong,
}

/// What came of a sentence.
pub(super) struct Course {
    pub(super) before: Happened,
    pub(super) after: Happened,
    /// What a yes does, where one is waited for.
    pub(super) after_yes: Option<Happened>,
}

/// The scene of a sentence, as far as words are judged by it.
pub(super) struct Judged<'a> {
    pub(super) stage: &'a Stage,
    pub(super) house: House,
    names: NamesCount,
}

impl<'a> Judged<'a> {
    /// The house is the one before anything was said.
    pub(super) fn new(stage: &'a Stage, house: House, sentence: &SaidSentence) -> Self {
        let names = if sentence.kind == "alarm-reason" { NamesCount::No } else { NamesCount::Yes };
        Self { stage, house, names }
    }

    /// Returns the verdict.
    pub(super) fn verdict(&self, course: &Course, expected: &str) -> SaidVerdict {
        let all = alternatives(expected);
        let is_ask = |one: &Alternative| matches!(one.effects[..], [ExpectedEffect::Ask(_)]);
        // All of them are read: one with an unknown name is found wherever it stands.
        let are_right: Vec<bool> = all.iter().map(|one| self.is_right(one, course)).collect();
        if let Some(at) = are_right.iter().position(|is_right| *is_right) {
            return if at > 0 && is_ask(&all[at]) { SaidVerdict::Asked } else { SaidVerdict::Right };
        }
        let Course { before, after, after_yes } = course;
        // "Shall I …?" about one of the deeds.
        let is_deed = |one: &&Alternative| one.after_yes.is_none() && !is_ask(one);
        if let Some(yes) = after_yes.as_ref().filter(|_| after.is_idle(before))
            && all.iter().filter(is_deed).any(|one| self.fits(&one.effects, before, yes))
        {
            return SaidVerdict::Asked;
        }
        let is_left = after.is_talk && after.is_idle(before);
        let is_talk_wanted = all.iter().all(|one| one.effects == [ExpectedEffect::Model]);
        if is_left && !is_talk_wanted { SaidVerdict::Model } else { SaidVerdict::Wrong }
    }

    fn is_right(&self, one: &Alternative, course: &Course) -> bool {
        let Course { before, after, after_yes } = course;
        let Some(then) = &one.after_yes else { return self.fits(&one.effects, before, after) };
        let both: Vec<ExpectedEffect> = one.effects.iter().chain(then).cloned().collect();
        let is_done = self.leaves(&both, before, after_yes.as_ref().unwrap_or(after));
        after.is_question && after_yes.is_some() && is_done && self.leaves(&one.effects, before, after)
    }

    /// Whether these effects came, no other, and what was said is right.
    fn fits(&self, effects: &[ExpectedEffect], before: &Happened, after: &Happened) -> bool {
        let wants = |wanted: fn(&ExpectedEffect) -> bool| effects.iter().any(wanted);
        let is_care = wants(|effect| *effect == ExpectedEffect::Care);
        let is_talk = wants(|effect| *effect == ExpectedEffect::Model);
        let is_ask = wants(|effect| matches!(effect, ExpectedEffect::Ask(_)));
        let is_form = is_care || is_talk || after.is_question == is_ask;
        self.leaves(effects, before, after)
            && is_form
            && (is_care || after.is_talk == is_talk)
            && self.ends(effects, after)
            && effects.iter().all(|effect| self.says(effect, before, after))
    }

    /// Whether everything is as these effects leave it.
    fn leaves(&self, effects: &[ExpectedEffect], before: &Happened, after: &Happened) -> bool {
        let mut wanted = ExpectedState::of(before);
        for effect in effects {
            wanted.apply(effect, self.stage);
        }
        let volume = effects.iter().find_map(|effect| match effect {
            ExpectedEffect::Volume(to) => Some(to.as_str()),
            _ => None,
        });
        wanted.fits(after, self.names) && is_volume(volume, &after.acts)
    }

    /// Whether the conversation ends as it should, and is silent only where it is to be.
    fn ends(&self, effects: &[ExpectedEffect], after: &Happened) -> bool {
        let is_over = |act: &Action| matches!(act, Action::StopSpeaking | Action::EndConversation);
        let may = |effect: &ExpectedEffect| {
            matches!(effect, ExpectedEffect::Stop | ExpectedEffect::Goodbye | ExpectedEffect::Quiet(_))
        };
        effects.iter().any(may) || !after.acts.iter().any(is_over)
    }

    /// Whether the answer says what belongs to an effect; deeds say anything.
    fn says(&self, effect: &ExpectedEffect, before: &Happened, after: &Happened) -> bool {
        let words = after.words.as_str();
        let reply = &self.stage.language.sentences().reply;
        match effect {
            ExpectedEffect::Schedule(_)
            | ExpectedEffect::Sent(..)
            | ExpectedEffect::Remember(_)
            | ExpectedEffect::Forget(_)
            | ExpectedEffect::Volume(_) => !words.trim().is_empty(),
            ExpectedEffect::Quiet(end) if end == "end" => {
                words.contains(&*self.stage.language.sentences().wind.talks_again)
            }
            ExpectedEffect::Quiet(end) => {
                after.quiet.is_some() || (end.is_empty() && after.acts.contains(&Action::StopSpeaking))
            }
            ExpectedEffect::Model => !after.has_decided("home", "refused"),
            ExpectedEffect::Scheduled(which) => self.lists(which, before, words),
            ExpectedEffect::List { verb, list, .. } => self.shows(verb, list, after),
            ExpectedEffect::Say(any) => any.iter().any(|one| texts::contains(words, one)),
            ExpectedEffect::Answer { is_yes: true } => texts::affirms(words),
            ExpectedEffect::Answer { is_yes: false } => texts::denies(words),
            ExpectedEffect::Value(item) => self.value(item).iter().any(|value| texts::contains(words, value)),
            ExpectedEffect::Unknown => texts::denies(words),
            ExpectedEffect::Named { those, unknown } => self.names(those, unknown, words),
            ExpectedEffect::Refuse(number) => {
                let is_named = number.as_ref().is_none_or(|number| texts::contains(words, number));
                is_named && texts::refuses(words)
            }
            ExpectedEffect::Ask(items) => {
                let is_named =
                    |item: &String| self.titles(item).iter().any(|title| texts::contains(words, title));
                after.is_idle(before) && items.iter().all(is_named)
            }
            ExpectedEffect::Repeat => match &self.stage.said {
                Some(said) => words.contains(said.as_str()),
                None => after.decided.iter().any(|(_, verdict)| verdict.contains("repeat")),
            },
            ExpectedEffect::Stop => {
                let is_over = |act: &Action| matches!(act, Action::StopSpeaking | Action::EndConversation);
                after.acts.iter().any(is_over) || words == reply.left_alone
            }
            ExpectedEffect::Goodbye => after.acts.contains(&Action::EndConversation),
            ExpectedEffect::Care => after.decided.iter().any(|(at, matter)| {
                at == "care"
                    && self.stage.language.safety().iter().any(|words| words.answer(matter, "").is_some())
            }),
        }
    }

    /// Whether what `left` and `list` mean is named; where there is nothing, that it is so.
    fn lists(&self, which: &[String], before: &Happened, words: &str) -> bool {
        let signs = PlannedSchedule::of(&before.entries, &before.now).named(which);
        let is_named = |signs: &Vec<String>| signs.iter().any(|sign| texts::contains(words, sign));
        if signs.is_empty() { texts::denies(words) } else { signs.iter().all(is_named) }
    }

    fn shows(&self, verb: &str, list: &str, after: &Happened) -> bool {
        match verb {
            "show" => {
                let list = self.stage.list(list);
                after.lists.get(&list).map_or_else(
                    || is_empty(&after.words),
                    |all| all.iter().all(|one| texts::contains(&after.words, one)),
                )
            }
            "all" => after
                .lists
                .keys()
                .filter(|list| *list != "shopping")
                .all(|list| texts::contains(&after.words, list)),
            _ => true,
        }
    }

    /// The number that an item shows, as exactly as it may be said.
    fn value(&self, item: &str) -> Vec<String> {
        let value = match self.house.item(item).unwrap().state.value {
            StateValue::Number { value, .. } | StateValue::Percent(value) => value,
            _ => return Vec::new(),
        };
        let rounded = [2, 1, 0].map(|decimals| format!("{value:.decimals$}"));
        rounded.iter().flat_map(|value| [value.clone(), value.replace('.', ",")]).collect()
    }

    /// Whether these items are named and no others but `unknown`.
    fn names(&self, those: &[String], unknown: &[String], words: &str) -> bool {
        let items = || self.house.readable().filter(|item| !matches!(item.kind, ItemKind::Group { .. }));
        let all: Vec<(String, &str)> = items()
            .flat_map(|item| {
                self.titles(&item.name).into_iter().map(move |title| (title, item.name.as_str()))
            })
            .collect();
        let found = texts::named(words, all.iter().map(|(title, _)| title.as_str()));
        let is_named =
            |name: &str| all.iter().any(|(title, of)| *of == name && found.contains(&title.as_str()));
        let may = |name: &str| those.iter().chain(unknown).any(|one| one == name);
        those.iter().all(|name| is_named(name))
            && items().all(|item| may(&item.name) || !is_named(&item.name))
    }

    /// What an item may be called so that no other one is meant: its label, or where another one has the same, that with
    /// its room.
    fn titles(&self, name: &str) -> Vec<String> {
        let item = self.house.item(name).unwrap();
        let Some(label) = &item.label else { return Vec::new() };
        let is_same = |other: &Item| other.name != item.name && other.label.as_ref() == Some(label);
        let room =
            self.house.locations_of(item).next().and_then(|room| self.house.item(&room.item)?.label.as_ref());
        let Some(room) = room.filter(|_| self.house.readable().any(is_same)) else {
            return vec![label.clone()];
        };
        let between =
            [" in ", " in the ", " im ", " in der "].map(|between| format!("{label}{between}{room}"));
        between.into_iter().chain([format!("{room}, {label}"), format!("{room} {label}")]).collect()
    }
}

/// Whether an answer says that nothing is on a list.
fn is_empty(words: &str) -> bool {
    texts::denies(words) || ["empty", "leer"].iter().any(|word| texts::contains(words, word))
}

/// The volume of every scene.
const VOLUME: i32 = 50;

/// Whether the volume was changed to what is wanted, or not at all.
fn is_volume(wanted: Option<&str>, acts: &[Action]) -> bool {
    let mut changes = acts.iter().filter_map(|act| match act {
        Action::Volume(change) => Some(change),
        Action::StopSpeaking | Action::EndConversation => None,
    });
    let Some(wanted) = wanted else { return changes.next().is_none() };
    let to = match (wanted, wanted.parse::<i32>()) {
        (_, Ok(by)) if wanted.starts_with(['+', '-']) => Some(VOLUME + by),
        (_, Ok(to)) => Some(to),
        _ => None,
    };
    let fits = match changes.next() {
        Some(VolumeChange::Set(percent)) => to == Some(i32::from(*percent)),
        Some(VolumeChange::By(points)) => to == Some(VOLUME + i32::from(*points)),
        Some(VolumeChange::Up) => wanted == "up",
        Some(VolumeChange::Down) => wanted == "down",
        None => false,
    };
    fits && changes.next().is_none()
}
