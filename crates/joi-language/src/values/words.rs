//! What the schedule says: what was understood, what is left, what rings.
//!
//! In: entries and reports, and the language that is spoken. Out: sentences, which stand in its files. Short, and
//! always with what was understood, so that a misheard number is noticed at once. Pure: no I/O, no clock.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Zoned};

use crate::times::{self, day, weekday};
use crate::values::entry::{Days, Due, Entry, EntryKind, EntryState, MonthRule};
use crate::values::order::{OrderReport, ScheduleQuestion, Which};
use crate::{KindWords, Language, SentenceField, SentenceName, SentenceTemplate, capital, fill};

pub use crate::times::{date_in, length, time_in_full, time_of_day};

/// Most entries that are read out.
const READ_OUT: usize = 5;

/// `on weekdays`, `every day`, `every Monday and Thursday`.
pub fn days(days: Days, language: &Language) -> String {
    let words = &language.sentences().time;
    if let Some(rule) = days.month_rule() {
        return monthly(rule, language);
    }
    match days {
        Days::DAILY => words.daily.clone(),
        Days::WEEKDAYS => words.workdays.clone(),
        Days::WEEKEND => words.weekend.clone(),
        _ => {
            let all = (0..7_i8).filter_map(|offset| Weekday::from_monday_zero_offset(offset).ok());
            let names: Vec<String> =
                all.filter(|day| days.has(*day)).map(|day| weekday(day, words).to_owned()).collect();
            fill(&words.every, &[("days", &words.listed(&names))])
        }
    }
}

/// `on the first Monday of every month`, `on the 15th of every month`.
fn monthly(rule: MonthRule, language: &Language) -> String {
    let (time, words) = (&language.sentences().time, &language.sentences().time.repeats);
    match rule {
        MonthRule::Day(31) => words.last_day.clone(),
        MonthRule::Day(day) => {
            let name = time.days.get(usize::from(day).saturating_sub(1)).cloned().unwrap_or_default();
            fill(&words.on_day, &[("day", &name)])
        }
        MonthRule::Weekday(week, day) => {
            let nth = &words.nth[week.map_or(4, |week| usize::from(week.clamp(1, 4)) - 1)];
            fill(&words.on_nth, &[("nth", nth), ("days", weekday(day, time))])
        }
    }
}

/// `tomorrow at noon`, `at 6:30 AM on weekdays`, `on Friday at 7 PM`.
pub fn moment(at: DateTime, on: Days, now: &Zoned, language: &Language) -> String {
    if on.is_none() {
        return times::moment(at, now, language);
    }
    let time = time_of_day(at.time(), language);
    fill(&language.sentences().time.again, &[("days", &days(on, language)), ("time", &time)])
}

/// What a kind of entry is called.
pub fn kind(kind: EntryKind, language: &Language) -> &KindWords {
    let words = &language.sentences().schedule;
    match kind {
        EntryKind::Timer => &words.timer,
        EntryKind::Alarm => &words.alarm,
        EntryKind::Reminder => &words.reminder,
        EntryKind::House => &words.house,
    }
}

/// `pasta timer`, `5 minute timer`, `7 AM alarm`, `reminder to call Ann`.
pub fn called(entry: &Entry, now: &Zoned, language: &Language) -> String {
    called_later(entry, now.time_zone()).part(language, now)
}

fn kind_name(kind: EntryKind) -> SentenceName {
    match kind {
        EntryKind::Timer => SentenceName::Timer,
        EntryKind::Alarm => SentenceName::Alarm,
        EntryKind::Reminder => SentenceName::Reminder,
        EntryKind::House => SentenceName::House,
    }
}

/// The same for any language.
fn called_later(entry: &Entry, zone: &TimeZone) -> SentenceTemplate {
    let text = |text: &String| SentenceField::Words(text.clone());
    let kind = kind_name(entry.kind);
    match (entry.kind, &entry.name, entry.length_s) {
        (EntryKind::House, Some(name), _) => {
            SentenceTemplate::from(SentenceName::ToDo).with("text", text(name))
        }
        (EntryKind::Reminder, Some(name), _) => {
            SentenceTemplate::from(SentenceName::ToRemind).with("text", text(name))
        }
        (_, Some(name), _) => {
            SentenceTemplate::from(SentenceName::Named).with("name", text(name)).with("kind", kind)
        }
        (EntryKind::Timer, None, Some(seconds)) => SentenceTemplate::from(SentenceName::ByLength)
            .with("length", SentenceField::Length(seconds.into()))
            .with("bare", SentenceField::BareLength(seconds.into()))
            .with("kind", kind),
        (_, None, _) => SentenceTemplate::from(SentenceName::ByTime)
            .with("time", SentenceField::TimeOfDay(wall(entry, zone).time()))
            .with("kind", kind),
    }
}

/// The same in an announcement: a stranger's words are marked as such.
fn called_unasked(entry: &Entry, zone: &TimeZone) -> SentenceTemplate {
    let Some(name) = entry.name.as_ref().filter(|_| entry.is_foreign) else {
        return called_later(entry, zone);
    };
    let name = SentenceField::Words(name.trim_end_matches(['.', '!']).to_owned());
    SentenceTemplate::from(SentenceName::ForeignNamed).with("name", name).with("kind", kind_name(entry.kind))
}

/// `pasta timer`, or only `timer`.
fn short(entry: &Entry, language: &Language) -> String {
    let kind = kind(entry.kind, language).one.as_str();
    match (&entry.name, entry.kind) {
        (Some(name), EntryKind::Timer | EntryKind::Alarm) => {
            fill(&language.sentences().schedule.named, &[("name", name), ("kind", kind)])
        }
        _ => kind.to_owned(),
    }
}

/// `the pasta timer`.
fn the(entry: &Entry, now: &Zoned, language: &Language) -> String {
    format!("{} {}", kind(entry.kind, language).the, called(entry, now, language))
}

fn wall(entry: &Entry, zone: &TimeZone) -> DateTime {
    match entry.due {
        Due::Wall(at) => at,
        Due::Moment(at) => zone.to_datetime(at),
    }
}

/// How long until it is due, without the seconds of hours.
fn left(entry: &Entry, now: &Zoned, language: &Language) -> String {
    let left = entry.left(now).max(SignedDuration::ZERO);
    let seconds = u64::try_from(left.as_millis()).unwrap_or(0).div_ceil(1000);
    length(if seconds > 3600 { seconds / 60 * 60 } else { seconds }, language)
}

/// Returns the sentence of an entry that rings.
pub fn rings(entry: &Entry, now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    let time = ("time", &*time_of_day(now.time(), language));
    let called = called_unasked(entry, now.time_zone()).part(language, now);
    capital(&match (entry.kind, &entry.name) {
        (EntryKind::Alarm, Some(_)) if entry.is_foreign => {
            fill(&words.rings_named, &[time, ("name", &called)])
        }
        (_, Some(_)) if entry.is_foreign => format!("{called}."),
        (EntryKind::Reminder, Some(text)) => {
            fill(&words.rings_reminder, &[("text", text.trim_end_matches(['.', '!']))])
        }
        (EntryKind::Alarm, None) => fill(&words.rings, &[time]),
        (EntryKind::Alarm, Some(name)) => fill(&words.rings_named, &[time, ("name", name)]),
        _ => format!("{called}."),
    })
}

/// Returns the sentence about entries that nobody noticed.
pub fn missed(entries: &[Entry], zone: &TimeZone) -> SentenceTemplate {
    let was_due = |entry: &Entry| {
        let the = match entry.kind {
            EntryKind::Timer => SentenceName::TheTimer,
            EntryKind::Alarm => SentenceName::TheAlarm,
            EntryKind::Reminder => SentenceName::TheReminder,
            EntryKind::House => SentenceName::House,
        };
        SentenceTemplate::from(SentenceName::WasDue)
            .with("the", the)
            .with("called", SentenceField::Part(called_unasked(entry, zone)))
            .with("at", SentenceField::Moment(wall(entry, zone)))
    };
    let list = entries.iter().take(READ_OUT).map(was_due).collect();
    SentenceTemplate::from(SentenceName::Missed).with("list", SentenceField::List(list))
}

/// Returns the sentence about commands to the house that were not done, or may not have been.
pub fn not_done(sentence: SentenceName, entries: &[Entry], zone: &TimeZone) -> SentenceTemplate {
    let one = |entry: &Entry| {
        SentenceTemplate::from(SentenceName::ToDoAt)
            .with("text", SentenceField::Words(entry.name.clone().unwrap_or_default()))
            .with("at", SentenceField::Moment(wall(entry, zone)))
    };
    let list = entries.iter().take(READ_OUT).map(one).collect();
    SentenceTemplate::from(sentence).with("list", SentenceField::List(list))
}

/// Returns the sentence for a report; `now` is the present moment.
pub fn reported(report: &OrderReport, now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    let told = match report {
        OrderReport::Set(entry) => set(entry, now, language),
        OrderReport::Changed(entry) if entry.kind == EntryKind::Timer => fill(
            &words.changed_timer,
            &[("short", &short(entry, language)), ("left", &left(entry, now, language))],
        ),
        OrderReport::Changed(entry) => set(entry, now, language),
        OrderReport::Cancelled(entries) => cancelled(entries, now, language),
        OrderReport::Skipped(entries, date) => skipped(entries, *date, now, language),
        OrderReport::Snoozed(entries) => match entries.first() {
            Some(entry) => fill(
                &words.snoozed,
                &[("short", &short(entry, language)), ("left", &left(entry, now, language))],
            ),
            None => words.nothing_rings.clone(),
        },
        OrderReport::Paused(entries) => each(&words.paused, entries, now, language),
        OrderReport::Resumed(entries) => each(&words.resumed, entries, now, language),
        OrderReport::Silenced(_) => String::new(),
        OrderReport::Listed(kind, entries) => list(*kind, entries, now, language),
        OrderReport::Left(entries) => remaining(entries, now, language),
        OrderReport::NoSuch(which) => no_such(which, language),
        OrderReport::NothingRings => words.nothing_rings.clone(),
        OrderReport::IsOver => words.is_over.clone(),
        OrderReport::TooLong => words.too_long.clone(),
        OrderReport::TooMany => words.too_many.clone(),
        OrderReport::Ask(question) => ask(question, now, language),
    };
    capital(&told)
}

/// `pasta timer paused, 9 minutes 30 seconds left.` of each.
fn each(sentence: &str, entries: &[Entry], now: &Zoned, language: &Language) -> String {
    let one = |entry: &Entry| {
        let called = if entries.len() == 1 { short(entry, language) } else { called(entry, now, language) };
        capital(&fill(sentence, &[("called", &called), ("left", &left(entry, now, language))]))
    };
    entries.iter().take(READ_OUT).map(one).collect::<Vec<_>>().join(" ")
}

/// What waits now: `pasta timer, 9 minutes 30 seconds.`
fn set(entry: &Entry, now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    let short = ("short", &*short(entry, language));
    match entry.kind {
        EntryKind::Timer => {
            let told = entry.length_s.map(|seconds| length(u64::from(seconds), language));
            let length = told.unwrap_or_else(|| left(entry, now, language));
            fill(&words.set_timer, &[short, ("length", &length)])
        }
        EntryKind::Reminder => {
            let text = entry.name.as_deref().unwrap_or(&words.of_nothing);
            fill(&words.set_reminder, &[("when", &when(entry, now, language)), ("text", text)])
        }
        EntryKind::House => {
            let text = entry.name.as_deref().unwrap_or_default();
            fill(&words.set_house, &[("when", &when(entry, now, language)), ("text", text)])
        }
        EntryKind::Alarm => fill(&words.set_alarm, &[short, ("when", &when(entry, now, language))]),
    }
}

fn when(entry: &Entry, now: &Zoned, language: &Language) -> String {
    match entry.due {
        Due::Wall(at) => moment(at, entry.days, now, language),
        Due::Moment(_) => fill(&language.sentences().time.after, &[("length", &left(entry, now, language))]),
    }
}

fn remaining(entries: &[Entry], now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    let of = |entry: &Entry| match entry.state {
        EntryState::Ringing { .. } => words.it_rings.clone(),
        EntryState::Paused { .. } => fill(&words.it_stands, &[("left", &left(entry, now, language))]),
        EntryState::Waiting | EntryState::Over | EntryState::Missed => left(entry, now, language),
    };
    let called = |entry: &Entry| called(entry, now, language);
    match entries {
        [only] if only.kind != EntryKind::House => {
            let the = ("the", kind(only.kind, language).the.as_str());
            match only.kind {
                _ if only.is_ringing() => fill(&words.is_ringing, &[the, ("called", &called(only))]),
                _ if only.is_paused() => each(&words.paused, entries, now, language),
                EntryKind::Timer => {
                    fill(&words.left_on, &[("left", &of(only)), the, ("short", &short(only, language))])
                }
                EntryKind::Alarm if only.name.is_some() => set(only, now, language),
                EntryKind::Alarm | EntryKind::Reminder | EntryKind::House => {
                    fill(&words.left_until, &[("left", &of(only)), the, ("called", &called(only))])
                }
            }
        }
        _ => {
            let told = entries.iter().take(READ_OUT).map(|entry| {
                capital(&fill(&words.left_each, &[("called", &called(entry)), ("left", &of(entry))]))
            });
            told.collect::<Vec<_>>().join(" ")
        }
    }
}

fn list(of: Option<EntryKind>, entries: &[Entry], now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    if entries.is_empty() {
        return of.map_or_else(
            || words.none.clone(),
            |of| fill(&words.none_of, &[("kinds", &kind(of, language).many)]),
        );
    }
    let one = |entry: &Entry| {
        let called = ("called", &*called(entry, now, language));
        capital(&match (entry.state, entry.kind) {
            (EntryState::Missed, _) => {
                let at = moment(wall(entry, now.time_zone()), Days::NONE, now, language);
                fill(&words.list_missed, &[called, ("at", &at)])
            }
            (_, EntryKind::House) => set(entry, now, language),
            (EntryState::Ringing { .. }, _) => fill(&words.list_ringing, &[called]),
            (EntryState::Paused { .. }, _) => {
                fill(&words.paused, &[called, ("left", &left(entry, now, language))])
            }
            (_, EntryKind::Timer) => fill(&words.list_left, &[called, ("left", &left(entry, now, language))]),
            (_, EntryKind::Alarm | EntryKind::Reminder) => set(entry, now, language),
        })
    };
    let mut told: Vec<String> = entries.iter().take(READ_OUT).map(one).collect();
    if entries.len() > READ_OUT {
        told.push(fill(&words.list_more, &[("count", &(entries.len() - READ_OUT).to_string())]));
    }
    told.join(" ")
}

fn cancelled(entries: &[Entry], now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    let count = ("count", &*entries.len().to_string());
    match entries {
        [only] => {
            let is_reminder = only.kind == EntryKind::Reminder;
            let sentence = if is_reminder { &words.cancelled_reminder } else { &words.cancelled };
            fill(sentence, &[("called", &called(only, now, language))])
        }
        [first, rest @ ..] if rest.iter().all(|entry| entry.kind == first.kind) => {
            fill(&words.cancelled_of, &[count, ("kinds", &kind(first.kind, language).many)])
        }
        _ => fill(&words.cancelled_all, &[count]),
    }
}

fn skipped(entries: &[Entry], date: Date, now: &Zoned, language: &Language) -> String {
    let [one, several] = &language.sentences().schedule.skipped;
    let names: Vec<String> = entries.iter().take(READ_OUT).map(|entry| the(entry, now, language)).collect();
    let list = language.sentences().time.listed(&names);
    let sentence = if names.len() == 1 { one } else { several };
    fill(sentence, &[("list", &list), ("day", &day(date, now, language))])
}

/// What each is called; those that share a name with the time that is left, too.
fn distinguished(entries: &[Entry], now: &Zoned, language: &Language) -> Vec<String> {
    let names: Vec<String> = entries.iter().map(|entry| the(entry, now, language)).collect();
    let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let told = |(entry, name): (&Entry, &String)| match is_shared(name) {
        true => {
            let left = length(u64::try_from(entry.left(now).as_secs()).unwrap_or_default(), language);
            fill(&language.sentences().schedule.with_left, &[("called", name), ("left", &left)])
        }
        false => name.clone(),
    };
    entries.iter().zip(&names).map(told).collect()
}

fn no_such(which: &Which, language: &Language) -> String {
    let words = &language.sentences().schedule;
    let no = ("no", kind(which.kind.unwrap_or(EntryKind::Timer), language).no.as_str());
    match (&which.name, which.length_s) {
        (Some(name), _) => fill(&words.no_such_name, &[no, ("name", name)]),
        (None, Some(seconds)) => {
            fill(&words.no_such_length, &[no, ("length", &length(u64::from(seconds), language))])
        }
        (None, None) if which.kind.is_none() => words.none.clone(),
        (None, None) if which.clock.is_some() => fill(&words.no_such_time, &[no]),
        (None, None) if which.day.is_some() => fill(&words.no_such_day, &[no]),
        (None, None) => fill(&words.no_such, &[no]),
    }
}

fn ask(question: &ScheduleQuestion, now: &Zoned, language: &Language) -> String {
    let words = &language.sentences().schedule;
    match question {
        ScheduleQuestion::Length => words.for_how_long.clone(),
        ScheduleQuestion::Moment => words.for_when.clone(),
        ScheduleQuestion::Text => words.of_what.clone(),
        ScheduleQuestion::Which(entries) => {
            let of = &entries[..entries.len().min(READ_OUT)];
            let names = distinguished(of, now, language);
            fill(&words.which, &[("list", &language.sentences().time.either(&names))])
        }
    }
}
