//! From a template that fits to an intent with everything that was said in it.
//!
//! PURE. In: the name of the template's intent and what its slots took. Out: the intent, or nothing when
//! values make no sense together.

use jiff::civil::Weekday;

use super::{Chance, Herself, Intent, QuietWish, TakingBack, VolumeChange, home, memory};
use joi_language::grammar::Grammar;
use joi_language::grammar::machine::{Capture, Slot};
use joi_language::grammar::slots::Taken;
use joi_language::grammar::words::Word;
use joi_language::values::{
    Bias, ClockSaid, Day, DayPart, Days, EntryKind, Many, MonthRule, NewEntry, Said, ScheduleOrder, When,
    Which,
};

/// What slots took, and the utterance they took it from.
pub(super) struct Filled<'a> {
    pub(super) captures: &'a [Capture],
    pub(super) words: &'a [Word],
    /// The words without politeness.
    pub(super) core: std::ops::Range<usize>,
    /// The utterance as it was written.
    pub(super) text: &'a str,
    pub(super) grammar: &'a Grammar,
}

/// The intent of a template.
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
        "seen it" => Intent::Quiet(QuietWish::Seen),
        "volume up" => Intent::Volume(VolumeChange::Up),
        "volume down" => Intent::Volume(VolumeChange::Down),
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
    if filled.is_of_no_month() {
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
        "reminder set" => set(EntryKind::Reminder, Bias::ByDay),
        "list" => ScheduleOrder::List(filled.kind()),
        "list reminders" => ScheduleOrder::List(Some(EntryKind::Reminder)),
        "left" => ScheduleOrder::Left(filled.which(filled.kind(), Many::All)),
        "timer left" => ScheduleOrder::Left(filled.which(Some(EntryKind::Timer), Many::All)),
        "cancel" => ScheduleOrder::Cancel(filled.which(filled.kind(), Many::One)),
        "cancel reminder" => ScheduleOrder::Cancel(filled.which(Some(EntryKind::Reminder), Many::One)),
        "cancel all" => ScheduleOrder::Cancel(filled.which(filled.kind(), Many::All)),
        "add" => filled.longer_by(1)?,
        "take off" => filled.longer_by(-1)?,
        "move" => ScheduleOrder::Move { which: filled.moved(), when: filled.when() },
        "pause" => ScheduleOrder::Pause(filled.which(Some(EntryKind::Timer), Many::One)),
        "pause all" => ScheduleOrder::Pause(filled.which(Some(EntryKind::Timer), Many::All)),
        "resume" => ScheduleOrder::Resume(filled.which(Some(EntryKind::Timer), Many::One)),
        "resume all" => ScheduleOrder::Resume(filled.which(Some(EntryKind::Timer), Many::All)),
        "snooze" => {
            ScheduleOrder::Snooze { which: Which::of(filled.kind()), seconds: filled.seconds(Slot::Duration) }
        }
        "silence" => ScheduleOrder::Silence,
        _ => return None,
    })
}

impl Filled<'_> {
    fn taken(&self, slot: Slot) -> impl Iterator<Item = &Taken> {
        self.captures.iter().filter(move |capture| capture.slot == slot).map(|capture| &capture.taken)
    }

    pub(super) fn value(&self, slot: Slot) -> Option<&str> {
        self.taken(slot).find_map(|taken| match taken {
            Taken::Value(value) => Some(value.as_str()),
            _ => None,
        })
    }

    pub(super) fn seconds(&self, slot: Slot) -> Option<u32> {
        self.taken(slot).find_map(|taken| match taken {
            Taken::Seconds(seconds) => Some(*seconds),
            _ => None,
        })
    }

    pub(super) fn number(&self, slot: Slot) -> Option<u32> {
        self.taken(slot).find_map(|taken| match taken {
            Taken::Number(number) => Some(*number),
            _ => None,
        })
    }

    /// A number up to ten without "percent" is a tenth: "volume seven" is 70.
    fn percent(&self) -> Option<u8> {
        let number = self.number(Slot::Percent)?;
        let is_tenth =
            number <= 10 && !self.words.iter().any(|word| word.text == self.grammar.manners.percent);
        u8::try_from(if is_tenth { number * 10 } else { number }).ok()
    }

    /// A name, or what to remind of, as it was said, seen from the other side: "call your mother".
    pub(super) fn name(&self) -> Option<String> {
        let turned = |word: &'_ str| self.grammar.turned.get(&word.to_lowercase()).cloned();
        let said = self.text()?;
        let turned: Vec<String> =
            said.split(' ').map(|word| turned(word).unwrap_or_else(|| word.to_owned())).collect();
        Some(turned.join(" "))
    }

    /// The same as it was said.
    pub(super) fn text(&self) -> Option<String> {
        let range = [Slot::Text, Slot::Name].into_iter().find_map(|slot| {
            self.taken(slot).find_map(|taken| match taken {
                Taken::Words(range) => Some(range.clone()),
                _ => None,
            })
        })?;
        self.as_said(range)
    }

    /// Words as they were said; polite ones at the end are no part of them.
    pub(super) fn as_said(&self, range: std::ops::Range<usize>) -> Option<String> {
        let words = self.words.get(range)?;
        let (from, to) = (words.first()?.at.start, words.last()?.at.end);
        let said: Vec<&str> = self.text.get(from..to)?.split(' ').collect();
        let polite = said.iter().rev().take_while(|word| self.is_polite(word)).count();
        let kept = if polite < said.len() { &said[..said.len() - polite] } else { &said[..] };
        Some(kept.join(" ").trim_end_matches([',', '.', '!', '?']).to_owned())
    }

    fn is_polite(&self, word: &str) -> bool {
        let plain = word.trim_end_matches([',', '.', '!', '?']).to_lowercase();
        self.grammar.manners.behind.first().is_some_and(|first| first[..] == [plain])
    }

    fn kind(&self) -> Option<EntryKind> {
        match self.value(Slot::Kind).or_else(|| self.value(Slot::Kinds))? {
            "timer" => Some(EntryKind::Timer),
            "alarm" => Some(EntryKind::Alarm),
            "reminder" => Some(EntryKind::Reminder),
            _ => None,
        }
    }

    fn clock(&self) -> Option<ClockSaid> {
        self.taken(Slot::Clock).find_map(|taken| match taken {
            Taken::Clock(said) => Some(*said),
            _ => None,
        })
    }

    fn which(&self, kind: Option<EntryKind>, many: Many) -> Which {
        let clock = self.clock().map(|clock| (clock, self.part()));
        let (length_s, day) = (self.seconds(Slot::Length), self.day());
        Which { id: None, kind, name: self.name(), length_s, clock, day, many }
    }

    /// Which entry an answer means.
    pub(super) fn meant(&self) -> Which {
        self.which(self.kind(), Many::One)
    }

    /// The timer that is to be longer or shorter.
    fn timer(&self) -> Which {
        Which { clock: None, day: None, ..self.which(self.kind().or(Some(EntryKind::Timer)), Many::One) }
    }

    /// A timer is to be so much longer or shorter; a length that is none is asked for.
    fn longer_by(&self, sign: i64) -> Option<ScheduleOrder> {
        let which = self.timer();
        Some(match self.seconds(Slot::Duration)? {
            0 => ScheduleOrder::Move { which, when: None },
            seconds => ScheduleOrder::Add { which, seconds: sign * i64::from(seconds) },
        })
    }

    /// The entry that is to be due at another time: what was said of a time is the new one.
    fn moved(&self) -> Which {
        Which { clock: None, day: None, ..self.which(self.kind(), Many::One) }
    }

    /// When, if anything was said of it.
    pub(super) fn when(&self) -> Option<When> {
        if let Some(seconds) = self.seconds(Slot::Duration) {
            return Some(When::In(seconds));
        }
        let said = Said { clock: self.clock(), part: self.part(), day: self.day(), days: self.days() };
        (said != Said::default()).then_some(When::At(said))
    }

    fn part(&self) -> Option<DayPart> {
        let part = self.value(Slot::Part).or_else(|| self.value(Slot::Today));
        // "Every morning" says both.
        let part = part.or_else(|| self.value(Slot::Days)?.split_once(' ').map(|(_, part)| part));
        part?.split(' ').find_map(|word| match word {
            "morning" => Some(DayPart::Morning),
            "afternoon" => Some(DayPart::Afternoon),
            "evening" => Some(DayPart::Evening),
            "night" => Some(DayPart::Night),
            _ => None,
        })
    }

    fn day(&self) -> Option<Day> {
        if let Some(month) = self.value(Slot::Month).and_then(|month| month.parse().ok()) {
            let day = self.number(Slot::Ordinal).and_then(|day| i8::try_from(day).ok())?;
            return Some(Day::Date(month, day));
        }
        let part = || self.value(Slot::Part).or_else(|| self.value(Slot::Today));
        let day = self.value(Slot::Day).or_else(|| part()?.split_once(' ').map(|(_, day)| day))?;
        if let Some(ahead) = day.strip_prefix('+') {
            return ahead.parse().ok().map(Day::Ahead);
        }
        // A feast, by its month and day.
        let feast =
            day.split_once('-').and_then(|(month, day)| Some((month.parse().ok()?, day.parse().ok()?)));
        feast.map(|(month, day)| Day::Date(month, day)).or_else(|| weekday(day).map(Day::Weekday))
    }

    fn days(&self) -> Days {
        if let Some(rule) = self.month_rule() {
            return Days::monthly(rule).unwrap_or_default();
        }
        let one = |value: &str| match value.split(' ').next()?.split_once('-') {
            Some((first, last)) => Some(Days::from_to(weekday(first)?, weekday(last)?)),
            None => weekday(value.split(' ').next()?).map(Days::on),
        };
        let values =
            self.taken(Slot::Days).chain(self.taken(Slot::Several)).filter_map(|taken| match taken {
                Taken::Value(value) => one(value),
                _ => None,
            });
        values.fold(Days::NONE, Days::and)
    }
}

impl Filled<'_> {
    /// Whether a day of every month was said that there is not: "the first weekday".
    fn is_of_no_month(&self) -> bool {
        self.value(Slot::Nth).is_some() && self.month_rule().is_none()
    }

    /// A day of every month: "the first Monday", "the last day", "the 15th".
    fn month_rule(&self) -> Option<MonthRule> {
        let Some(nth) = self.value(Slot::Nth) else {
            let is_dated = self.value(Slot::Month).is_some();
            let day = self.number(Slot::Ordinal).filter(|_| !is_dated)?;
            return u8::try_from(day).ok().map(MonthRule::Day);
        };
        // Nothing for the last.
        let week: Option<u8> = nth.parse().ok();
        match self.value(Slot::Days)? {
            "mon-sun" => Some(MonthRule::Day(week.unwrap_or(31))),
            day => Some(MonthRule::Weekday(week, weekday(day)?)),
        }
    }
}

fn weekday(name: &str) -> Option<Weekday> {
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let offset = names.iter().position(|known| *known == name)?;
    Weekday::from_monday_zero_offset(i8::try_from(offset).ok()?).ok()
}
