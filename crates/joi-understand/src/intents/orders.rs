//! From a template that fits to an intent with everything that was said in it.
//!
//! In: the name of the template's intent and what its slots took. Out: the intent, or nothing when
//! values make no sense together.
//! Pure: no I/O, no clock.

use super::filled::Filled;
use super::{Chance, Herself, Intent, QuietWish, TakingBack, VolumeChange, home, memory};
use crate::templates::slots;
use crate::templates::table::QuickUse;
use joi_language::grammar::machine::Slot;
use joi_language::values::{Bias, Day, DayPart, EntryKind, Many, NewEntry, ScheduleOrder, When, Which};
use joi_templates::IntentMatch;

/// Returns the intent of a template.
pub(super) fn intent(name: &str, filled: &Filled<'_>) -> Option<Intent> {
    Some(match name {
        "time" => Intent::Time,
        "date" => Intent::Date,
        "date of" => Intent::DateOf(filled.day()?),
        "good morning" => Intent::Greeting(DayPart::Morning),
        "good afternoon" => Intent::Greeting(DayPart::Afternoon),
        "good evening" => Intent::Greeting(DayPart::Evening),
        "stop" => Intent::Stop,
        "repeat" => Intent::Repeat,
        "thanks" => Intent::Thanks,
        "coin" => Intent::Chance(Chance::Coin),
        "die" => Intent::Chance(Chance::Die),
        "abilities" => Intent::Herself(Herself::Abilities),
        "nature" => Intent::Herself(Herself::Nature),
        "hears" => Intent::Herself(Herself::Hears),
        "home again" => Intent::HomeAgain,
        "never mind" => Intent::NeverMind,
        "undo" => Intent::TakeBack(TakingBack::Undo),
        "cancel that" => Intent::TakeBack(TakingBack::Cancel),
        "goodbye" => Intent::Goodbye,
        "good night" => Intent::GoodNight,
        "not now" => Intent::Quiet(QuietWish::NotNow),
        "quiet until tomorrow" => Intent::Quiet(QuietWish::UntilTomorrow),
        "going to sleep" => Intent::Quiet(QuietWish::Sleep),
        "quiet over" => Intent::Quiet(QuietWish::Over),
        "heard it" => Intent::Quiet(QuietWish::Heard),
        "repeat cannot" => Intent::CannotRepeat,
        "time none" => Intent::NoSuchTime,
        "time over" => Intent::TimeOver,
        "seen it" => Intent::Quiet(QuietWish::Seen),
        "volume up" => Intent::Volume(VolumeChange::Up),
        "volume down" => Intent::Volume(VolumeChange::Down),
        "volume raise" => Intent::Volume(VolumeChange::By(filled.points()?)),
        "volume lower" => Intent::Volume(VolumeChange::By(-filled.points()?)),
        "quiet while" => Intent::Quiet(match filled.when()? {
            When::In(seconds) => QuietWish::For(seconds),
            When::At(said) => QuietWish::Until(said),
        }),
        "volume set" => Intent::Volume(VolumeChange::Set(filled.percent()?)),
        _ if name.starts_with("date ") => {
            Intent::DateOf(Day::Ahead(name.strip_prefix("date ")?.parse().ok()?))
        }
        _ => match name.strip_prefix("volume ") {
            Some(percent) => Intent::Volume(VolumeChange::Set(percent.parse().ok()?)),
            None if memory::is_about(name) => Intent::Memory(memory::order(name, filled)?),
            None => match name.strip_prefix("home ") {
                Some(deed) => Intent::Home(home::order(deed, filled)?),
                None => Intent::Schedule(order(name, filled)?),
            },
        },
    })
}

fn order(name: &str, filled: &Filled<'_>) -> Option<ScheduleOrder> {
    // Only timers stand still.
    let stands_still = name.starts_with("pause") || name.starts_with("resume");
    let is_other = stands_still && filled.kind().is_some_and(|kind| kind != EntryKind::Timer);
    if is_other || filled.is_of_no_month() {
        return None;
    }
    let set = |kind, bias| {
        ScheduleOrder::Set(NewEntry {
            kind,
            name: filled.name(),
            when: filled.when(),
            bias,
            is_foreign: false,
        })
    };
    Some(match name {
        "timer set" => set(EntryKind::Timer, Bias::Next),
        "alarm set" => set(EntryKind::Alarm, Bias::Next),
        "wake me" => set(EntryKind::Alarm, Bias::Morning),
        "wake at" => filled.has_hour().then(|| set(EntryKind::Alarm, Bias::Morning))?,
        "reminder set" => set(EntryKind::Reminder, Bias::ByDay),
        "list" => ScheduleOrder::List(filled.kind()),
        "list reminders" => ScheduleOrder::List(Some(EntryKind::Reminder)),
        "left" => ScheduleOrder::Left(filled.which(filled.kind(), Many::All)),
        "timer left" => ScheduleOrder::Left(filled.which(Some(EntryKind::Timer), Many::All)),
        "cancel" => ScheduleOrder::Cancel(filled.which(filled.kind(), Many::One)),
        "cancel reminder" => ScheduleOrder::Cancel(filled.which(Some(EntryKind::Reminder), Many::One)),
        "cancel alarm" => ScheduleOrder::Cancel(filled.which(Some(EntryKind::Alarm), Many::One)),
        "skip" => ScheduleOrder::Skip(filled.which(Some(EntryKind::Alarm), Many::One)),
        "cancel all" => ScheduleOrder::Cancel(filled.which(filled.kind(), Many::All)),
        "cancel but" => {
            let except = filled.which(filled.kind(), Many::All);
            let kind = filled.kinds().or(except.kind);
            ScheduleOrder::Cancel(Which {
                many: Many::All,
                except: Some(Box::new(except)),
                ..Which::of(kind)
            })
        }
        "add" => filled.longer_by(1)?,
        "take off" => filled.longer_by(-1)?,
        "move" => ScheduleOrder::Move { which: filled.moved(), when: filled.when() },
        "move one" => filled.moved_one()?,
        "move reminder" => ScheduleOrder::Move {
            which: Which { kind: Some(EntryKind::Reminder), ..filled.moved() },
            when: filled.when(),
        },
        "pause" => ScheduleOrder::Pause(filled.which(Some(EntryKind::Timer), Many::One)),
        "pause all" => ScheduleOrder::Pause(filled.which(Some(EntryKind::Timer), Many::All)),
        "resume" => ScheduleOrder::Resume(filled.which(Some(EntryKind::Timer), Many::One)),
        "restart" => ScheduleOrder::Restart(filled.which(Some(EntryKind::Timer), Many::One)),
        "resume all" => ScheduleOrder::Resume(filled.which(Some(EntryKind::Timer), Many::All)),
        "snooze" => {
            ScheduleOrder::Snooze { which: Which::of(filled.kind()), seconds: filled.seconds(Slot::Duration) }
        }
        "silence" => ScheduleOrder::Silence,
        _ => return None,
    })
}

/// Returns the intent of a sentence template of the community. A timer that is to carry out a command at its end is none:
/// the house has those.
pub(super) fn of_template(quick: QuickUse, found: &IntentMatch) -> Option<Intent> {
    let schedule = match quick {
        QuickUse::Time => return Some(Intent::Time),
        QuickUse::Date => return Some(Intent::Date),
        QuickUse::NeverMind => return Some(Intent::NeverMind),
        QuickUse::Volume => return volume_at(found).map(Intent::Volume),
        QuickUse::VolumeStep => return volume_by(found).map(Intent::Volume),
        QuickUse::TimerSet => new_timer(found)?,
        QuickUse::TimerLonger => timer_by(found, 1)?,
        QuickUse::TimerShorter => timer_by(found, -1)?,
        QuickUse::TimerCancel => ScheduleOrder::Cancel(which_timer(found, Many::One)?),
        QuickUse::TimerCancelAll => ScheduleOrder::Cancel(which_timer(found, Many::All)?),
        QuickUse::TimerPause => ScheduleOrder::Pause(which_timer(found, Many::One)?),
        QuickUse::TimerResume => ScheduleOrder::Resume(which_timer(found, Many::One)?),
        QuickUse::TimerLeft => ScheduleOrder::Left(which_timer(found, Many::All)?),
    };
    Some(Intent::Schedule(schedule))
}

fn new_timer(found: &IntentMatch) -> Option<ScheduleOrder> {
    if found.slot("conversation_command").is_some() {
        return None;
    }
    let name = slots::text(found, "name").map(str::to_owned);
    let when = Some(When::In(slots::length(found, "")?));
    let kind = EntryKind::Timer;
    Some(ScheduleOrder::Set(NewEntry { kind, name, when, bias: Bias::Next, is_foreign: false }))
}

fn which_timer(found: &IntentMatch, many: Many) -> Option<Which> {
    // Timers belong to no room.
    if slots::said(found, "area").is_some() {
        return None;
    }
    let name = slots::text(found, "name").map(str::to_owned);
    let length_s = slots::length(found, "start_");
    Some(Which { kind: Some(EntryKind::Timer), name, length_s, many, ..Which::default() })
}

fn timer_by(found: &IntentMatch, sign: i64) -> Option<ScheduleOrder> {
    let seconds = sign * i64::from(slots::length(found, "")?);
    Some(ScheduleOrder::Add { which: which_timer(found, Many::One)?, seconds })
}

fn volume_at(found: &IntentMatch) -> Option<VolumeChange> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    let percent = |level: f64| level.round().clamp(0.0, 100.0) as u8;
    slots::number(found, "volume_level").map(percent).map(VolumeChange::Set)
}

fn volume_by(found: &IntentMatch) -> Option<VolumeChange> {
    #[expect(clippy::cast_possible_truncation, reason = "between -100 and 100")]
    let points = |by: f64| by.round().clamp(-100.0, 100.0) as i8;
    if slots::describes(found, "volume_step") {
        return None;
    }
    match (slots::text(found, "volume_step"), slots::number(found, "volume_step")) {
        (Some("up"), _) => Some(VolumeChange::Up),
        (Some("down"), _) => Some(VolumeChange::Down),
        (_, by) => by.map(points).map(VolumeChange::By),
    }
}
