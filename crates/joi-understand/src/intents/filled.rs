//! The values of a template that fits: numbers, times, days, names, as its slots took them.
//!
//! In: captures of slots, and the utterance. Out: one value per question; nothing where no slot has one.
//! Pure: no I/O, no clock.

use jiff::civil::Weekday;

use joi_language::grammar::Grammar;
use joi_language::grammar::lifted;
use joi_language::grammar::machine::{Capture, Slot};
use joi_language::grammar::slots::Taken;
use joi_language::grammar::words::Word;
use joi_language::values::{
    ClockSaid, Day, DayPart, Days, EntryKind, Many, MonthRule, Rank, Said, ScheduleOrder, When, Which,
};

/// The values that slots took, and the utterance they took them from.
pub(super) struct Filled<'a> {
    pub(super) captures: &'a [Capture],
    pub(super) words: &'a [Word],
    /// The words without politeness.
    pub(super) core: std::ops::Range<usize>,
    /// The utterance as it was written.
    pub(super) text: &'a str,
    /// Particles that were taken out of it, by their places in it.
    pub(super) dropped: &'a [std::ops::Range<usize>],
    pub(super) grammar: &'a Grammar,
}

impl Filled<'_> {
    fn taken(&self, slot: Slot) -> impl Iterator<Item = &Taken> {
        self.captures.iter().filter(move |capture| capture.slot == slot).map(|capture| &capture.taken)
    }

    fn values(&self, slot: Slot) -> impl Iterator<Item = &str> {
        self.taken(slot).filter_map(|taken| match taken {
            Taken::Value(value) => Some(value.as_str()),
            _ => None,
        })
    }

    pub(super) fn value(&self, slot: Slot) -> Option<&str> {
        self.values(slot).next()
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

    /// Returns the percentage. A number up to ten without "percent" counts tenths: "volume seven" is 70.
    pub(super) fn percent(&self) -> Option<u8> {
        let number = self.number(Slot::Percent)?;
        let is_tenth =
            number <= 10 && !self.words.iter().any(|word| word.text == self.grammar.manners.percent);
        u8::try_from(if is_tenth { number * 10 } else { number }).ok()
    }

    /// Returns by how many percentage points: of an amount a small number is no tenth.
    pub(super) fn points(&self) -> Option<i8> {
        self.number(Slot::Percent).and_then(|number| i8::try_from(number).ok())
    }

    /// Returns a name, or what to remind of, as it was said, seen from the other side: "call your mother".
    pub(super) fn name(&self) -> Option<String> {
        let turned = |word: &'_ str| self.grammar.turned.get(&word.to_lowercase()).cloned();
        let said = self.text()?;
        let turned: Vec<String> =
            said.split(' ').map(|word| turned(word).unwrap_or_else(|| word.to_owned())).collect();
        Some(turned.join(" "))
    }

    /// Returns the same as it was said.
    pub(super) fn text(&self) -> Option<String> {
        let range = [Slot::Text, Slot::Name].into_iter().find_map(|slot| {
            self.taken(slot).find_map(|taken| match taken {
                Taken::Words(range) => Some(range.clone()),
                _ => None,
            })
        })?;
        self.as_said(range)
    }

    /// Returns whether a text or a name begins or ends with a word that belongs to another one: "stretch every".
    pub(super) fn is_cut_short(&self) -> bool {
        let manners = &self.grammar.manners;
        self.captures.iter().any(|capture| {
            let Taken::Words(range) = &capture.taken else { return false };
            let text = |at: usize| self.words.get(at).map_or("", |word| word.text.as_str());
            let last = text(range.end - 1);
            let leads_on = range.end < self.core.end && capture.slot == Slot::Text && manners.leads_on(last);
            let is_said_twice = range.start > 0 && text(range.start - 1) == text(range.start);
            let is_next_to_dropped = capture.slot == Slot::Text && self.stands_beside_dropped(range);
            is_next_to_dropped
                || capture.slot == Slot::Text
                    && lifted::begins_with_named_time(&self.words[range.clone()], self.grammar)
                || leads_on
                || is_said_twice
                || manners.is_unfinished(last)
                || manners.belongs_to_a_time(text(range.start))
        })
    }

    /// Returns whether particles were taken out right in front of `range`, within it or right behind it: they may belong to
    /// the text ("to say thank you").
    fn stands_beside_dropped(&self, range: &std::ops::Range<usize>) -> bool {
        let end_of = |at: usize| self.words.get(at).map_or(0, |word| word.at.end);
        let from = range.start.checked_sub(1).map_or(0, end_of);
        let to = self.words.get(range.end).map_or(self.text.len(), |word| word.at.start);
        self.dropped.iter().any(|dropped| dropped.start >= from && dropped.end <= to)
    }

    /// Returns all that texts and names took, as it was said.
    pub(super) fn texts(&self) -> Option<String> {
        let taken: Vec<String> = self.word_ranges().filter_map(|range| self.as_said(range)).collect();
        Some(taken.join(" ")).filter(|texts| !texts.is_empty())
    }

    /// Returns the places of texts and names, in their order.
    pub(super) fn word_ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.captures.iter().filter_map(|capture| match &capture.taken {
            Taken::Words(range) => Some(range.clone()),
            _ => None,
        })
    }

    /// Words as they were said; polite ones at the end and filled pauses are no part of them.
    pub(super) fn as_said(&self, range: std::ops::Range<usize>) -> Option<String> {
        let words = self.words.get(range)?;
        let (from, to) = (words.first()?.at.start, words.last()?.at.end);
        let said: Vec<&str> = self.text.get(from..to)?.split(' ').collect();
        let said: Vec<&str> = said.into_iter().filter(|word| !self.is_pause(word)).collect();
        let polite = said.iter().rev().take_while(|word| self.is_polite(word)).count();
        let polite = polite + usize::from(polite == 0 && self.ends_politely(&said));
        let kept = if polite < said.len() { &said[..said.len() - polite] } else { &said[..] };
        Some(kept.join(" ").trim_end_matches([',', '.', '!', '?']).to_owned())
    }

    fn is_polite(&self, word: &str) -> bool {
        self.grammar.manners.behind.first().is_some_and(|first| first[..] == [plain(word)])
    }

    /// Returns whether the last word stands apart and is one that stands behind commands: "the car, okay".
    fn ends_politely(&self, said: &[&str]) -> bool {
        let [.., before, last] = said else { return false };
        before.ends_with(',') && self.grammar.manners.behind.iter().any(|tail| tail[..] == [plain(last)])
    }

    fn is_pause(&self, word: &str) -> bool {
        self.grammar.manners.pauses.iter().any(|pause| pause[..] == [plain(word)])
    }

    pub(super) fn kind(&self) -> Option<EntryKind> {
        self.value(Slot::Kind).and_then(kind_called).or_else(|| self.kinds())
    }

    /// Returns the kind of several.
    pub(super) fn kinds(&self) -> Option<EntryKind> {
        self.value(Slot::Kinds).and_then(kind_called)
    }

    /// Returns whether a time of day or a length was said.
    pub(super) fn has_hour(&self) -> bool {
        self.clock(Slot::Clock).is_some() || self.seconds(Slot::Duration).is_some()
    }

    fn clock(&self, slot: Slot) -> Option<ClockSaid> {
        self.taken(slot).find_map(|taken| match taken {
            Taken::Clock(said) => Some(*said),
            _ => None,
        })
    }

    pub(super) fn which(&self, kind: Option<EntryKind>, many: Many) -> Which {
        let clock = self.clock(Slot::Due).or_else(|| self.clock(Slot::Clock));
        let clock = clock.map(|clock| (clock, self.part()));
        let part = self.part().filter(|_| clock.is_none());
        let (length_s, rank) = (self.seconds(Slot::Length), self.rank());
        // The alarm "on Saturdays" may ring on one of them only.
        let has_part = self.values(Slot::Days).any(|days| days.contains(' '));
        let days = if has_part { Days::NONE } else { self.days() };
        let (day, days) = match days {
            days if days.only().is_some() => (self.day().or(days.only().map(Day::Weekday)), Days::NONE),
            days => (self.day(), days),
        };
        Which {
            id: None,
            kind,
            name: self.name(),
            length_s,
            clock,
            day,
            days,
            part,
            rank,
            many,
            except: None,
        }
    }

    fn rank(&self) -> Option<Rank> {
        Some(match self.value(Slot::Rank)? {
            "soonest" => Rank::Soonest,
            "latest" => Rank::Latest,
            "early" => Rank::Early,
            "late" => Rank::Late,
            "longest" => Rank::Longest,
            "shortest" => Rank::Shortest,
            "newest" => Rank::Newest,
            nth => Rank::Nth(nth.parse().ok()?),
        })
    }

    /// Returns which entry an answer means.
    pub(super) fn meant(&self) -> Which {
        self.which(self.kind(), Many::One)
    }

    /// Returns the order to make a timer longer or shorter; a length of zero leads to a question.
    pub(super) fn longer_by(&self, sign: i64) -> Option<ScheduleOrder> {
        let meant = self.meant();
        let has_time = meant.clock.is_some() || meant.day.is_some() || meant.part.is_some();
        let kind = meant.kind.or((!has_time).then_some(EntryKind::Timer));
        let which = Which { kind, ..meant };
        Some(match self.seconds(Slot::Duration)? {
            0 => ScheduleOrder::Move { which, when: None },
            seconds => ScheduleOrder::Add { which, seconds: sign * i64::from(seconds) },
        })
    }

    /// Returns the entry that is to be due at another time: what was said of a time is the new one.
    pub(super) fn moved(&self) -> Which {
        Which { clock: None, day: None, part: None, ..self.which(self.kind(), Many::One) }
    }

    /// Returns the entry that is to be due at another time, and that time: it begins with the time of day.
    pub(super) fn moved_one(&self) -> Option<ScheduleOrder> {
        let at = self.captures.iter().position(|capture| capture.slot == Slot::Clock)?;
        let (which, when) = self.captures.split_at(at);
        let part = |captures| Filled { captures, core: self.core.clone(), ..*self };
        let (which, when) = (part(which), part(when));
        Some(ScheduleOrder::Move { which: which.which(which.kind(), Many::One), when: when.when() })
    }

    /// When, if anything was said of it.
    pub(super) fn when(&self) -> Option<When> {
        if let Some(seconds) = self.seconds(Slot::Duration) {
            return Some(When::In(seconds));
        }
        let said =
            Said { clock: self.clock(Slot::Clock), part: self.part(), day: self.day(), days: self.days() };
        (said != Said::default()).then_some(When::At(said))
    }

    pub(super) fn part(&self) -> Option<DayPart> {
        let part = self.value(Slot::Part).or_else(|| self.value(Slot::Today));
        // "Every morning" says both.
        let part = part.or_else(|| self.values(Slot::Days).find_map(|days| Some(days.split_once(' ')?.1)));
        part?.split(' ').find_map(|word| match word {
            "morning" => Some(DayPart::Morning),
            "afternoon" => Some(DayPart::Afternoon),
            "evening" => Some(DayPart::Evening),
            "night" => Some(DayPart::Night),
            _ => None,
        })
    }

    pub(super) fn day(&self) -> Option<Day> {
        if let Some(month) = self.value(Slot::Month).and_then(|month| month.parse().ok()) {
            let day = self.number(Slot::Ordinal).and_then(|day| i8::try_from(day).ok())?;
            return Some(Day::Date(month, day));
        }
        if let Some(day) = self.number(Slot::MonthDay).and_then(|day| i8::try_from(day).ok()) {
            return Some(Day::OfMonth(day));
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

    pub(super) fn days(&self) -> Days {
        if let Some(rule) = self.month_rule() {
            return Days::monthly(rule).unwrap_or_default();
        }
        let one = |value: &str| match value.split(' ').next()?.split_once('-') {
            Some((first, last)) => Some(Days::from_to(weekday(first)?, weekday(last)?)),
            None => weekday(value.split(' ').next()?).map(Days::on),
        };
        let values: Vec<&str> = self.values(Slot::Days).chain(self.values(Slot::Several)).collect();
        // "Every Tuesday night" is no night besides.
        let days = values.iter().filter(|value| !value.contains(' '));
        let days = if days.clone().count() > 0 { days.copied().collect() } else { values.clone() };
        let values = days.into_iter().filter_map(one);
        values.fold(Days::NONE, Days::and)
    }
}

impl Filled<'_> {
    /// Returns whether a day of every month was said that there is not: "the first weekday".
    pub(super) fn is_of_no_month(&self) -> bool {
        self.value(Slot::Nth).is_some() && self.month_rule().is_none()
    }

    /// Returns a day of every month: "the first Monday", "the last day", "the 15th".
    pub(super) fn month_rule(&self) -> Option<MonthRule> {
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

fn kind_called(name: &str) -> Option<EntryKind> {
    match name {
        "timer" => Some(EntryKind::Timer),
        "alarm" => Some(EntryKind::Alarm),
        "reminder" => Some(EntryKind::Reminder),
        _ => None,
    }
}

/// Returns a word in lower case without signs.
fn plain(word: &str) -> String {
    word.trim_matches([',', '.', '!', '?', ';']).to_lowercase()
}

fn weekday(name: &str) -> Option<Weekday> {
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let offset = names.iter().position(|known| *known == name)?;
    Weekday::from_monday_zero_offset(i8::try_from(offset).ok()?).ok()
}
