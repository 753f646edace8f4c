//! A question as the memory sees it: the words that matter, and the time that is meant.
//!
//! Any thread. In: what was asked, and the present. Out: words to look for and a stretch of the past. The
//! words of each language stand in `assets/memory`; which language a question is in is reported by its small words.
//! A script without spaces gives one word a run, so that its questions are found only as a whole.
//! Pure: no I/O, no clock.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan, Unit, Zoned};
use serde::Deserialize;

use joi_language::words;

/// Shorter words state nothing.
const SHORTEST: usize = 3;

/// Nobody means more days, weeks or years ago.
const MOST_AGO: i32 = 500;

/// A question, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryQuestion {
    /// Words that matter, in lower case, each once.
    pub words: Vec<String>,
    /// The first moment that is meant.
    pub from: Option<Timestamp>,
    /// The moment behind the last.
    pub until: Option<Timestamp>,
}

impl MemoryQuestion {
    /// Returns whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.from.is_none()
    }
}

/// The words of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionWords {
    stop: Vec<String>,
    /// Words of a question that its answer need not hold.
    light: Vec<String>,
    past: Vec<String>,
    /// Statements of which one can be true at a time.
    single: Vec<String>,
    /// Between a statement and something else that its speaker says of themselves.
    further: Vec<String>,
    days: HashMap<String, i32>,
    spans: HashMap<String, (Span, i32)>,
    weekdays: Named,
    months: Named,
    ago: Ago,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Span {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    lead: Vec<String>,
    names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ago {
    before: Vec<String>,
    behind: Vec<String>,
    numbers: HashMap<String, i32>,
    units: HashMap<String, Span>,
}

/// Returns all languages and what they are called, English first.
fn languages() -> &'static [(&'static str, QuestionWords)] {
    static LANGUAGES: LazyLock<Vec<(&'static str, QuestionWords)>> = LazyLock::new(|| {
        let files = [
            ("en", include_str!("../../../assets/memory/en.toml")),
            ("de", include_str!("../../../assets/memory/de.toml")),
        ];
        let read = |(name, text): (&'static str, &str)| {
            let read = toml::from_str(text)
                .inspect_err(|error| tracing::error!(%error, name, "words of the memory can't be read"));
            Some((name, read.ok()?))
        };
        files.into_iter().filter_map(read).collect()
    });
    &LANGUAGES
}

/// Returns how statements begin of which one can be true at a time, in all languages.
pub fn single_forms() -> impl Iterator<Item = &'static str> {
    languages().iter().flat_map(|(_, language)| &language.single).map(String::as_str)
}

/// Returns the words between two statements of a speaker, in all languages.
pub fn further_forms() -> impl Iterator<Item = &'static str> {
    languages().iter().flat_map(|(_, language)| &language.further).map(String::as_str)
}

/// Reads a question that is asked at `now`.
pub fn read(asked: &str, now: &Zoned) -> MemoryQuestion {
    let said = words::words(asked);
    let Some(language) = language(&said) else { return MemoryQuestion::default() };
    let mut left = said.clone();
    let range = language.range(&mut left, now);
    let (from, until) = range.unzip();
    MemoryQuestion { words: language.matter(&left), from, until }
}

/// Returns the words of `text` that matter, in lower case, each once.
pub fn content_words(text: &str) -> Vec<String> {
    let said = words::words(text);
    language(&said).map_or_else(Vec::new, |language| language.matter(&said))
}

/// Returns whether the answer to a question need not hold `word`, which is in lower case: it asks for a day or a time, or
/// names one.
pub fn is_light(word: &str) -> bool {
    let is_one = |list: &[String]| list.iter().any(|known| known == word);
    languages().iter().any(|(_, language)| {
        is_one(&language.light) || is_one(&language.weekdays.names) || language.days.contains_key(word)
    })
}

/// Returns whether `asked` speaks of what was said or done before.
pub fn is_past(asked: &str, now: &Zoned) -> bool {
    let said = words::words(asked);
    let Some(language) = language(&said) else { return false };
    (0..said.len()).any(|at| {
        let rest = &said[at..];
        let begins = |phrase: &String| phrase.split(' ').eq(rest.iter().take(phrase.split(' ').count()));
        language.past.iter().any(begins)
            || language.phrase(rest, now).is_some()
            || language.ago(rest, now).is_some()
    })
}

/// Returns the language with the most small words in it; the first when none has more.
fn language(said: &[String]) -> Option<&'static QuestionWords> {
    likeliest(said).map(|(_, language)| language)
}

fn likeliest(said: &[String]) -> Option<&'static (&'static str, QuestionWords)> {
    let small = |language: &QuestionWords| said.iter().filter(|word| language.stop.contains(word)).count();
    languages().iter().rev().max_by_key(|(_, language)| small(language))
}

impl QuestionWords {
    fn matter(&self, said: &[String]) -> Vec<String> {
        let mut matter: Vec<String> = Vec::new();
        for word in said {
            let is_long = word.chars().count() >= SHORTEST;
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            if is_long && !is_number && !self.stop.contains(word) && !matter.contains(word) {
                matter.push(word.clone());
            }
        }
        matter
    }

    /// Returns the time that is meant; its words are taken out.
    fn range(&self, said: &mut Vec<String>, now: &Zoned) -> Option<(Timestamp, Timestamp)> {
        for at in 0..said.len() {
            let found = self.phrase(&said[at..], now).or_else(|| self.named(&said[at..], now));
            let Some((count, first, behind)) = found.or_else(|| self.ago(&said[at..], now)) else { continue };
            said.drain(at..at + count);
            let zone = now.time_zone();
            let moment = |date: Date| date.to_zoned(zone.clone()).ok().map(|at| at.timestamp());
            return Some((moment(first)?, moment(behind)?));
        }
        None
    }

    /// "yesterday", "last week".
    fn phrase(&self, said: &[String], now: &Zoned) -> Option<(usize, Date, Date)> {
        let begins = |phrase: &str| {
            let count = phrase.split(' ').count();
            (said.len() >= count && phrase.split(' ').eq(said[..count].iter().map(String::as_str)))
                .then_some(count)
        };
        let days = self.days.iter().map(|(phrase, back)| (phrase, Span::Day, *back));
        let all = days.chain(self.spans.iter().map(|(phrase, (span, back))| (phrase, *span, *back)));
        let (count, span, back) =
            all.filter_map(|(phrase, span, back)| Some((begins(phrase)?, span, back))).max_by_key(|f| f.0)?;
        let (first, behind) = stretch(span, back, now.date())?;
        // "The other day" is any of the last few.
        let is_vague = span == Span::Day && back < -2;
        Some((count, first, if is_vague { now.date() } else { behind }))
    }

    /// "on Monday", "in March", "in 2025": the last one that has begun.
    fn named(&self, said: &[String], now: &Zoned) -> Option<(usize, Date, Date)> {
        let today = now.date();
        let (lead, name) = (said.first()?, said.get(1)?);
        if self.weekdays.lead.contains(lead)
            && let Some(day) = self.weekdays.names.iter().position(|known| known == name)
        {
            let back = (i32::from(today.weekday().to_monday_zero_offset()) - i32::try_from(day).ok()? + 6)
                .rem_euclid(7)
                + 1;
            let (first, behind) = stretch(Span::Day, -back, today)?;
            return Some((2, first, behind));
        }
        if !self.months.lead.contains(lead) {
            return None;
        }
        if let Some(month) = self.months.names.iter().position(|known| known == name) {
            let month = i8::try_from(month).ok()? + 1;
            let year = if month <= today.month() { today.year() } else { today.year() - 1 };
            let first = Date::new(year, month, 1).ok()?;
            return Some((2, first, first.checked_add(1.month()).ok()?));
        }
        let year: i16 = name.parse().ok().filter(|year| (1990..=today.year()).contains(year))?;
        Some((2, Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1).ok()?))
    }

    /// "two weeks ago".
    fn ago(&self, said: &[String], now: &Zoned) -> Option<(usize, Date, Date)> {
        let ago = &self.ago;
        let lead = usize::from(!ago.before.is_empty());
        let tail = usize::from(!ago.behind.is_empty());
        if (lead == 1 && !ago.before.contains(said.first()?))
            || (tail == 1 && !ago.behind.contains(said.get(lead + 2)?))
        {
            return None;
        }
        let number = said.get(lead)?;
        let count = ago.numbers.get(number).copied().or_else(|| number.parse().ok())?;
        if !(1..=MOST_AGO).contains(&count) {
            return None;
        }
        let span = *ago.units.get(said.get(lead + 1)?)?;
        let (first, behind) = stretch(span, -count, now.date())?;
        Some((lead + 2 + tail, first, behind))
    }
}

/// Returns the day, week, weekend, month or year that is `back` from the present one.
fn stretch(span: Span, back: i32, today: Date) -> Option<(Date, Date)> {
    let back = i64::from(back);
    let monday = today.checked_sub(i32::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    let (first, length) = match span {
        Span::Day => (today.checked_add(back.days()).ok()?, 1.day()),
        Span::Week => (monday.checked_add(back.weeks()).ok()?, 1.week()),
        Span::Weekend => (monday.checked_add(back.weeks()).ok()?.checked_add(5.days()).ok()?, 2.days()),
        Span::Month => (today.first_of_month().checked_add(back.months()).ok()?, 1.month()),
        Span::Year => (today.first_of_year().checked_add(back.years()).ok()?, 1.year()),
    };
    Some((first, first.checked_add(length).ok()?))
}

/// Returns a date as it stands in the prompt.
pub fn date(at: Timestamp, now: &Zoned) -> String {
    at.to_zoned(now.time_zone().clone()).date().strftime("%Y-%m-%d").to_string()
}

/// Whole days from `at` to `now`, by the calendar.
pub fn days_ago(at: Timestamp, now: &Zoned) -> i64 {
    let day = at.to_zoned(now.time_zone().clone()).date();
    day.until((Unit::Day, now.date())).map_or(0, |span| i64::from(span.get_days()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        // A Sunday.
        "2026-11-22T14:05:30+01:00[Europe/Vienna]".parse().unwrap()
    }

    fn found(asked: &str) -> (String, String) {
        let question = read(asked, &now());
        let range = match (question.from, question.until) {
            (Some(from), Some(until)) => format!("{} to {}", date(from, &now()), date(until, &now())),
            _ => String::new(),
        };
        (question.words.join(" "), range)
    }

    #[test]
    fn all_languages_can_be_read() {
        assert_eq!(languages().len(), 2);
    }

    #[test]
    fn only_words_that_matter_are_looked_for() {
        assert_eq!(content_words("What did I tell you about my sister's dog?"), ["sister", "dog"]);
        assert_eq!(content_words("Wie heißt der Hund meiner Schwester?"), ["heißt", "hund", "schwester"]);
        assert_eq!(content_words("dog, dog and 1234"), ["dog"]);
        assert_eq!(content_words("где книга"), ["где", "книга"]);
        assert!(content_words("is it so?").is_empty());
    }

    // From and to without a model
    #[test]
    fn the_time_that_is_meant_is_understood() {
        for (asked, words, range) in [
            ("what did we eat yesterday", "eat", "2026-11-21 to 2026-11-22"),
            ("what did I say about the car last week", "car", "2026-11-09 to 2026-11-16"),
            ("where was I on Sunday", "", "2026-11-15 to 2026-11-16"),
            ("what happened on Friday", "happened", "2026-11-20 to 2026-11-21"),
            ("which film did I see two weeks ago", "film see", "2026-11-02 to 2026-11-09"),
            ("where did we go in March", "", "2026-03-01 to 2026-04-01"),
            ("where did we go in December", "", "2025-12-01 to 2026-01-01"),
            ("what did I buy in 2025", "buy", "2025-01-01 to 2026-01-01"),
            ("what did I read last year", "read", "2025-01-01 to 2026-01-01"),
            ("who called the other day", "called", "2026-11-19 to 2026-11-22"),
            ("what did I cook last weekend", "cook", "2026-11-14 to 2026-11-16"),
            ("may I see the march of the penguins", "see march penguins", ""),
            ("was habe ich vorgestern gekauft", "gekauft", "2026-11-20 to 2026-11-21"),
            ("wo waren wir vor zwei Monaten", "", "2026-09-01 to 2026-10-01"),
            ("what shall we do tomorrow", "tomorrow", ""),
        ] {
            assert_eq!(found(asked), (words.into(), range.into()), "{asked}");
        }
    }

    #[test]
    fn talk_of_the_past_differs_from_other_talk() {
        for said in [
            "what did I say about the car last week",
            "which soup did we cook",
            "where was I two weeks ago",
            "do you remember the film",
            "what have I told you about Ann",
            "Was haben wir gestern gekocht",
            "weißt du noch, wie der Film hieß",
        ] {
            assert!(is_past(said, &now()), "{said}");
        }
        for said in [
            "will it rain on Friday",
            "how do birds sing",
            "put milk on the list",
            "wie warm wird es am Freitag",
            "why is the sky blue",
            "",
        ] {
            assert!(!is_past(said, &now()), "{said}");
        }
    }

    #[test]
    fn no_number_overflows() {
        assert_eq!(found("what was 99999 years ago").1, "");
        assert_eq!(found("what was 2147483647 weeks ago").1, "");
    }
}
