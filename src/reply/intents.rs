//! Commands that need no model: timers, alarms, reminders, memory, time, date, stop, repeat, volume, goodbye.
//!
//! PURE, any thread, far below a millisecond. In: a transcript, or a typed line. Out: what was asked
//! for, or nothing, and then the model is asked. The whole utterance, apart from names and politeness,
//! must fit one of the templates; a command that is only part of a sentence, asked about or negated never
//! triggers. The templates and all words stand in `assets/intents`, one file for each language.

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
use machine::{Fit, Found, Utterance};
pub use memory::MemoryOrder;
use orders::Filled;
use words::Word;

pub use mood::mood;
pub use near::{Reading, near};

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
                Order::Add { .. } | Order::Move { .. } => "change a timer".to_owned(),
                Order::Snooze { .. } => "snooze".to_owned(),
                Order::Silence => "silence".to_owned(),
            },
            Self::Memory(order) => order.name().to_owned(),
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

/// Whether more is likely to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It is a whole command.
    Complete,
    /// It is the beginning of one.
    Incomplete,
    /// It is no command.
    Unknown,
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
pub fn told_back(text: &str) -> String {
    Tongue::English.language().map_or_else(|| text.to_owned(), |language| memory::told_back(text, language))
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

/// Whether `text`, as far as it was heard, is a whole command, or the beginning of one. A command that ends in a
/// number is neither: "an alarm for seven" may become "seven thirty".
pub fn completeness(text: &str) -> Completeness {
    let numbers = Tongue::English.language().map(|language| &language.numbers);
    let last = text.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    let ends_in_number = numbers.is_some_and(|numbers| numbers.counts(last));
    if let Some(quick) = match_intent(text) {
        return match quick.what {
            Intent::Schedule(Order::Set(wanted)) if wanted.when.is_none() => Completeness::Incomplete,
            Intent::Schedule(Order::Move { when: None, .. }) => Completeness::Incomplete,
            // Any word may follow.
            Intent::Memory(MemoryOrder::Remember { .. } | MemoryOrder::Forget(_)) => Completeness::Unknown,
            _ if ends_in_number => Completeness::Unknown,
            _ => Completeness::Complete,
        };
    }
    let Some(language) = Tongue::English.language() else { return Completeness::Unknown };
    let Some(said) = words::normalise(text, &language.manners) else { return Completeness::Unknown };
    let utterance = Utterance::new(&said, language);
    let cores = words::without_politeness(&said, &language.manners);
    let begins = |from: usize| {
        // A single word is the beginning of too much.
        let Found { may_go_on, .. } = utterance.find(Group::Command, from, said.len());
        may_go_on && said.len() - from > 1
    };
    let is_begun = cores.iter().filter(|core| core.end == said.len()).any(|core| begins(core.start));
    if is_begun { Completeness::Incomplete } else { Completeness::Unknown }
}

/// What is said once the intent has been carried out; empty when nothing is to be said. `last_reply`
/// is the answer before this one, for [`Intent::Repeat`]. What the schedule says is not known here.
pub fn answer(what: &Intent, now: &Zoned, last_reply: Option<&str>) -> String {
    match what {
        Intent::Time => format!("It's {}.", time_of_day(now.time())),
        Intent::Date => tell_date(now),
        Intent::Stop | Intent::Schedule(_) | Intent::Memory(_) => String::new(),
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
