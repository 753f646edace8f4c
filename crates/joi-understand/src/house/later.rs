//! Commands for another time, or for a while: "in ten minutes", "at sunset", "for an hour".
//!
//! In: an utterance that is no command as it stands, and what reads a time. Out: every way to take words for a time out
//! of it, what such a time is in this house, and what brings things back. It refuses what comes again and again, and what
//! has to be asked back.
//! Pure: no I/O, no clock.

use jiff::{Timestamp, Zoned};

use super::follow::{self, BackStep};
use super::phrasing::starts;
use super::{HouseDecision, HouseRefusal, PlannedCommand, spoken};
use joi_home::CommandOutcome;
use joi_home::house::{House, Item, ItemCommand, ItemKind, StateValue};
use joi_language::house::HouseWords;
use joi_language::values::When;

/// Most words of a time.
const LONGEST_TIME: usize = 6;

/// A time as it was said.
#[derive(Debug, Clone, PartialEq)]
pub enum LaterTime {
    /// Then.
    Then(When),
    /// From now on, for so many seconds.
    For(u32),
    /// When an item of the house says so: it is called by one of these words.
    By(Vec<String>),
    /// A time that is no moment of a clock, or comes again and again.
    Unclear,
}

/// An utterance without its time.
#[derive(Debug, Clone, PartialEq)]
pub struct LaterWords {
    /// The command.
    pub rest: String,
    /// The time it is for.
    pub time: LaterTime,
}

/// Commands for a later moment, or for now with their undo at a later moment.
#[derive(Debug, Clone, PartialEq)]
pub struct LaterWish {
    /// The commands.
    pub commands: Vec<PlannedCommand>,
    /// Their moment.
    pub when: LaterMoment,
}

/// The moment of commands.
#[derive(Debug, Clone, PartialEq)]
pub enum LaterMoment {
    /// Then.
    Then(When),
    /// Now, and back after so many seconds.
    For(u32),
}

/// Returns every way to leave words for a time out of `text`, the longer ones first: what the language lists, and what
/// `read` reads.
pub fn without_time(text: &str, words: &HouseWords, read: impl Fn(&str) -> Option<When>) -> Vec<LaterWords> {
    let said: Vec<&str> = text.split_whitespace().collect();
    let follow = &words.follow;
    let is_one = |at: Option<usize>, of: &[String]| {
        at.and_then(|at| said.get(at)).is_some_and(|word| of.contains(&spoken::words(word).join(" ")))
    };
    let mut found = Vec::new();
    for length in (1..=LONGEST_TIME.min(said.len())).rev() {
        for from in 0..=said.len() - length {
            let (mut from, mut to) = (from, from + length);
            if is_one(Some(from), &follow.values) || is_one(from.checked_sub(1), &follow.values) {
                continue;
            }
            let span = spoken::words(&said[from..to].join(" ")).join(" ");
            let by = [&follow.sunset, &follow.sunrise].into_iter().find(|event| event.say.contains(&span));
            // A sign alone is no word: "19 ° ein".
            let is_several = span.contains(' ');
            let time = match (by, is_several || span.contains(|sign: char| sign.is_ascii_digit())) {
                (Some(event), _) => LaterTime::By(event.items.clone()),
                (None, _) if follow.later.contains(&span) => LaterTime::Unclear,
                (None, true) => match read(&span) {
                    None => continue,
                    Some(When::In(seconds)) => {
                        let (first, before) = (is_one(Some(from), &follow.lasting), from.checked_sub(1));
                        let is_before = is_one(before, &follow.lasting);
                        let is_behind = is_one(Some(to), &follow.lasting_behind);
                        from -= usize::from(is_before);
                        to += usize::from(is_behind);
                        match first || is_before || is_behind {
                            true => LaterTime::For(seconds),
                            false => LaterTime::Then(When::In(seconds)),
                        }
                    }
                    Some(When::At(at)) if !at.days.is_none() => LaterTime::Unclear,
                    Some(at) => LaterTime::Then(at),
                },
                (None, false) => continue,
            };
            let rest = [&said[..from], &said[to..]].concat().join(" ");
            if !rest.is_empty() {
                found.push(LaterWords { rest, time });
            }
        }
    }
    found
}

/// Returns whether `text` names a moment that the house states: "when the sun sets".
pub fn names_moment(text: &str, words: &HouseWords) -> bool {
    let said = spoken::words(text);
    let mut all = words.follow.sunset.say.iter().chain(&words.follow.sunrise.say);
    all.any(|phrase| (0..said.len()).any(|at| starts(&said[at..], phrase).is_some()))
}

/// Returns what comes of commands at a time; an error is why nothing does.
pub fn wished(
    decision: HouseDecision,
    time: &LaterTime,
    house: &House,
    now: &Zoned,
) -> Result<LaterWish, HouseRefusal> {
    let commands = match decision {
        HouseDecision::Send(batch) => batch.commands,
        HouseDecision::AskFirst(_) => return Err(HouseRefusal::NobodyThere),
        _ => return Err(HouseRefusal::Later),
    };
    let when = match time {
        LaterTime::Then(when) => LaterMoment::Then(when.clone()),
        LaterTime::For(seconds) => {
            if brought_back(&commands, house).is_none() {
                return Err(HouseRefusal::NotBack);
            }
            LaterMoment::For(*seconds)
        }
        LaterTime::By(names) => {
            let at = moment_of(names, house).ok_or(HouseRefusal::NoMoment)?;
            let seconds = at.duration_since(now.timestamp()).as_secs();
            let seconds = u32::try_from(seconds).ok().filter(|seconds| *seconds > 0);
            LaterMoment::Then(When::In(seconds.ok_or(HouseRefusal::NoMoment)?))
        }
        LaterTime::Unclear => return Err(HouseRefusal::Later),
    };
    Ok(LaterWish { commands, when })
}

/// Returns the moment that an item states which is called by one of `names`.
fn moment_of(names: &[String], house: &House) -> Option<Timestamp> {
    moment_item(names, house).map(|(_, at)| at)
}

/// Returns the item that states such a moment, and the moment.
pub(super) fn moment_item<'h>(names: &[String], house: &'h House) -> Option<(&'h Item, Timestamp)> {
    let is_called = |text: &str| names.iter().any(|name| text.to_lowercase().contains(name));
    let mut found = house.readable().filter_map(|item| match item.state.value {
        StateValue::Moment(at) if *item.kind.acts_as() == ItemKind::DateTime => {
            (item.names().any(is_called) || is_called(&item.name)).then_some((item, at))
        }
        _ => None,
    });
    // Of two that differ nobody knows which is meant.
    let first = found.next()?;
    found.all(|(_, other)| other == first.1).then_some(first)
}

/// Returns what brings the things of `commands` back: off after on, else what they are now.
pub fn brought_back(commands: &[PlannedCommand], house: &House) -> Option<Vec<PlannedCommand>> {
    let sent = vec![CommandOutcome::Sent; commands.len()];
    let steps = follow::way_back(commands, &sent, house)?;
    let turned = |item: &str| {
        commands.iter().find(|one| one.ordered.item == item).and_then(|one| match one.command {
            ItemCommand::On => Some(ItemCommand::Off),
            ItemCommand::Off => Some(ItemCommand::On),
            _ => None,
        })
    };
    let planned = steps.into_iter().map(|BackStep { item, command, title }| {
        let command = turned(&item).unwrap_or(command);
        let ordered = house.order(&item, &command).ok()?;
        Some(PlannedCommand { ordered, command, title, clamped: None })
    });
    planned.collect()
}
