//! Commands that need no model: timers, alarms, reminders, memory, the house, time, date, stop, repeat, volume, goodbye.
//!
//! PURE, any thread, far below a millisecond. In: a transcript, or a typed line. Out: what was asked
//! for, or nothing, and then the model is asked. The whole utterance, apart from names and politeness,
//! must fit one of the templates; a command that is only part of a sentence, asked about or negated never
//! triggers. The templates and all words stand in `assets/intents`, one file for each language.

mod amend;
mod completeness;
mod ear;
mod home;
mod language;
mod machine;
mod memory;
mod mood;
mod near;
mod numbers;
mod orders;
mod slots;
mod template;
#[cfg(test)]
mod tests;
mod words;

use std::sync::LazyLock;

use jiff::Zoned;

use crate::english::{MONTHS, WEEKDAYS};
use crate::schedule::words::time_of_day;
use crate::schedule::{Many, Order, Question, When, Which};
use language::{Group, Language};
use machine::{Fit, Utterance};
use orders::Filled;
use words::Word;

pub use amend::{Settled, amended, only_repeats, settled};
pub use completeness::{Completeness, completeness, completeness_in};
pub use home::{Device, HomeDeed, HomeOrder, not_connected};
pub use memory::MemoryOrder;
pub use mood::mood;
pub use near::{Reading, near, near_in};

/// A change of the playback volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeChange {
    /// One step louder.
    Up,
    /// One step quieter.
    Down,
    /// To this many percent, 0 to 100.
    Set(u8),
}

/// What can be done without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Tell the time of day.
    Time,
    /// Tell today's date.
    Date,
    /// Be silent at once and end the conversation.
    Stop,
    /// Say the last answer again.
    Repeat,
    /// Change the volume.
    Volume(VolumeChange),
    /// The user said thank you.
    Thanks,
    /// The user no longer wants anything.
    NeverMind,
    /// The user takes leave.
    Goodbye,
    /// The user goes to bed.
    GoodNight,
    /// Something about timers, alarms or reminders.
    Schedule(Order),
    /// Something about what she remembers.
    Memory(MemoryOrder),
    /// Something to be done in the house.
    Home(HomeOrder),
}

impl Intent {
    /// Its name in records; nothing that was said.
    pub fn name(&self) -> String {
        match self {
            Self::Schedule(order) => match order {
                Order::Set(wanted) => format!("set a {}", wanted.kind.name()),
                Order::List(_) => "list timers".to_owned(),
                Order::Left(_) => "time left".to_owned(),
                Order::Cancel(_) => "cancel a timer".to_owned(),
                Order::Add { .. } | Order::Move { .. } | Order::Amend { .. } => "change a timer".to_owned(),
                Order::Snooze { .. } => "snooze".to_owned(),
                Order::Silence => "silence".to_owned(),
            },
            Self::Memory(order) => order.name().to_owned(),
            Self::Home(_) => "home".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// A language that quick commands are understood in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tongue {
    /// `assets/intents/en.toml`.
    English,
    /// `assets/intents/de.toml`.
    German,
}

/// An intent and why it was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickIntent {
    /// What to do.
    pub what: Intent,
    /// The phrasing that fits, for `joi why`; it quotes the list of phrasings, not the user.
    pub reason: String,
}

impl Tongue {
    const ALL: [Self; 2] = [Self::English, Self::German];

    /// That of a two-letter code, English where there is none.
    pub fn of(code: &str) -> Self {
        match code {
            "de" => Self::German,
            _ => Self::English,
        }
    }

    /// Its templates; nothing when its file can't be read, and then the model answers everything.
    fn language(self) -> Option<&'static Language> {
        static ENGLISH: LazyLock<Option<Language>> =
            LazyLock::new(|| read("en", include_str!("../../assets/intents/en.toml")));
        static GERMAN: LazyLock<Option<Language>> =
            LazyLock::new(|| read("de", include_str!("../../assets/intents/de.toml")));
        match self {
            Self::English => ENGLISH.as_ref(),
            Self::German => GERMAN.as_ref(),
        }
    }
}

fn read(name: &str, text: &str) -> Option<Language> {
    Language::read(text)
        .inspect_err(|error| tracing::error!(%error, name, "the quick commands of a language can't be read"))
        .ok()
}

/// Reads the templates, so that the first turn does not wait milliseconds for it.
pub fn warm_up() {
    Tongue::English.language();
}

/// What the user says of himself, said to him: "your sister is called Ann".
pub fn told_back_in(tongue: Tongue, text: &str) -> String {
    tongue.language().map_or_else(|| text.to_owned(), |language| memory::told_back(text, language))
}

/// Recognises a quick command, or nothing when the model should answer.
pub fn match_intent(text: &str) -> Option<QuickIntent> {
    match_in(Tongue::English, text)
}

/// The same in another language.
pub fn match_in(tongue: Tongue, text: &str) -> Option<QuickIntent> {
    let language = tongue.language()?;
    let said = words::normalise(text, &language.manners)?;
    matched(text, &said, language, Group::Command, orders::intent).map(|(what, template)| QuickIntent {
        what,
        reason: format!("the whole utterance is \"{template}\""),
    })
}

/// What `made` makes of the first template that fits `said`, politeness aside, and that template.
fn matched<'a, T>(
    text: &str,
    said: &[Word],
    language: &'a Language,
    group: Group,
    made: impl Fn(&str, &Filled<'_>) -> Option<T>,
) -> Option<(T, &'a str)> {
    let utterance = Utterance::new(said, language);
    let cores = words::without_politeness(said, &language.manners);
    cores.into_iter().find_map(|core| {
        let Fit { template, captures, .. } = utterance.find(group, core.start, core.end).fit?;
        let template = &language.templates[template];
        let filled = Filled { captures: &captures, words: said, core, text, language };
        Some((made(&template.intent, &filled)?, template.text.as_str()))
    })
}

/// Whether `text` says yes, and nothing else.
pub fn is_consent(text: &str) -> bool {
    answered(text, |name, _| (name == "yes").then_some(())).is_some()
}

/// Whether `text` says no, and nothing else.
pub fn is_refusal(text: &str) -> bool {
    answered(text, |name, _| (name == "no").then_some(())).is_some()
}

/// `order` with what `text` answers to `question`; nothing when that is no answer.
pub fn complete(order: &Order, question: &Question, text: &str) -> Option<Order> {
    let mut order = order.clone();
    let when = |name: &str, filled: &Filled<'_>| match (question, name) {
        (Question::Length, "length") | (Question::Moment, "length" | "moment") => filled.when(),
        _ => None,
    };
    match (question, &mut order) {
        (Question::Length | Question::Moment, Order::Set(wanted)) => {
            wanted.when = Some(answered(text, when)?)
        }
        (Question::Length | Question::Moment, Order::Move { when: at, .. }) => {
            *at = Some(answered(text, when)?)
        }
        (
            Question::Which(_),
            Order::Left(which)
            | Order::Cancel(which)
            | Order::Add { which, .. }
            | Order::Move { which, .. }
            | Order::Snooze { which, .. },
        ) => {
            let said = answered(text, |name, filled| match name {
                "all" => Some(Which { many: Many::All, ..Which::default() }),
                "which" => Some(filled.meant()),
                _ => None,
            })?;
            *which = Which { kind: said.kind.or(which.kind), ..said };
        }
        _ => return None,
    }
    Some(order)
}

/// When `text` says something and nothing else: "nine minutes", "9m30s", "half past six on weekdays".
pub fn when(text: &str) -> Option<When> {
    answered(
        &words::apart(text),
        |name, filled| if matches!(name, "length" | "moment") { filled.when() } else { None },
    )
}

fn answered<T>(text: &str, made: impl Fn(&str, &Filled<'_>) -> Option<T>) -> Option<T> {
    let language = Tongue::English.language()?;
    let said = words::normalise(text, &language.manners)?;
    matched(text, &said, language, Group::Answer, made).map(|(made, _)| made)
}

/// What is said once the intent has been carried out; empty when nothing is to be said. `last_reply`
/// is the answer before this one, for [`Intent::Repeat`]. What the schedule says is not known here.
pub fn answer(what: &Intent, now: &Zoned, last_reply: Option<&str>) -> String {
    match what {
        Intent::Time => format!("It's {}.", time_of_day(now.time())),
        Intent::Date => tell_date(now),
        Intent::Stop | Intent::Schedule(_) | Intent::Memory(_) => String::new(),
        Intent::Home(order) => not_connected(Tongue::English, order),
        Intent::Repeat => last_reply.unwrap_or("I haven't said anything yet.").to_owned(),
        Intent::Volume(VolumeChange::Up) => "Louder.".to_owned(),
        Intent::Volume(VolumeChange::Down) => "Quieter.".to_owned(),
        Intent::Volume(VolumeChange::Set(percent)) => format!("Volume at {percent} percent."),
        Intent::Thanks => "You're welcome.".to_owned(),
        Intent::NeverMind => "All right.".to_owned(),
        Intent::Goodbye => "Goodbye.".to_owned(),
        Intent::GoodNight => "Good night.".to_owned(),
    }
}

fn tell_date(now: &Zoned) -> String {
    let weekday = named(&WEEKDAYS, now.weekday().to_monday_zero_offset());
    let day = now.day();
    let ending = match day {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    };
    let month = named(&MONTHS, now.month() - 1);
    format!("It's {weekday}, {month} {day}{ending}, {}.", now.year())
}

fn named(names: &[&'static str], index: i8) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}
