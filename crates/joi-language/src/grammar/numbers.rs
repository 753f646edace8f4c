//! Numbers, fractions and lengths of time, in figures and in words.
//!
//! In: words, and where to begin. Out: every way to read a number or a length there, the longest first. Numbers are
//! in thousandths, so that "nine and a half" and "0.1" are exact enough and comparable. Pure: no I/O, no clock.

mod glued;

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use glued::{figures, glued};

use super::words::{MINUS, Word, number_phrases, words_at_start};

/// One.
pub const ONE: u32 = 1_000;
/// No number is larger.
const LARGEST: u32 = 100_000 * ONE;

/// The number words of a language, as its file has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NumberWords {
    /// By value, from zero on; those that have a word of their own.
    small: Vec<String>,
    /// From twenty on.
    tens: Vec<String>,
    hundred: String,
    /// Nothing where such numbers are always written in figures.
    #[serde(default)]
    thousand: String,
    /// Between hundreds and the rest.
    and: String,
    /// Between ones and tens, where the ones come first, in one word; else nothing.
    #[serde(default)]
    ones_first: String,
    /// One in front of [`NumberWords::ones_first`] and of a hundred in one word.
    #[serde(default)]
    one_glued: String,
    /// Behind a number in one word: half of one more; else nothing.
    #[serde(default)]
    half_glued: String,
    /// Other words and phrases with a value, in thousandths: "soixante et onze".
    #[serde(default)]
    also: HashMap<String, u32>,
    /// One, in front of a unit only.
    articles: Vec<String>,
    /// Behind a number, in thousandths.
    fractions: BTreeMap<String, u32>,
    /// Seconds of each unit, by its words.
    units: BTreeMap<String, u32>,
    /// Whole lengths in seconds.
    lengths: BTreeMap<String, u32>,
    /// Between two parts of a length.
    joints: Vec<String>,
    /// Between a number and its unit: "two more minutes".
    between: Vec<String>,
    /// In front of a number below zero.
    #[serde(default)]
    minus: Vec<String>,
    /// Days of a month.
    ordinals: HashMap<String, u8>,
    /// Behind figures.
    ordinal_endings: Vec<String>,
}

/// The number words, ready to read.
#[derive(Debug)]
pub struct Numbers {
    /// With their values, in thousandths; phrases too.
    pub(crate) words: HashMap<String, u32>,
    pub(crate) tens: Vec<String>,
    pub(crate) small: Vec<String>,
    pub(crate) hundred: String,
    thousand: String,
    one_glued: String,
    pub(crate) and: String,
    articles: Vec<String>,
    fractions: Vec<(Vec<String>, u32)>,
    units: HashMap<String, u32>,
    lengths: Vec<(Vec<String>, u32)>,
    joints: Vec<String>,
    between: Vec<String>,
    minus: Vec<String>,
    ordinals: HashMap<String, u8>,
    ordinal_endings: Vec<String>,
}

/// A length that was read: so many words, so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// Words that were read.
    pub words: usize,
    /// The length in seconds.
    pub value: u32,
}

impl Numbers {
    /// Prepares the words.
    ///
    /// # Errors
    /// There are not as many as there have to be.
    pub(crate) fn of(file: NumberWords) -> Result<Self, String> {
        if file.small.len() < 13 || file.tens.len() != 8 {
            return Err("numbers.small has 13 words or more, numbers.tens has 8".to_owned());
        }
        let mut words: HashMap<String, u32> = HashMap::new();
        for (value, word) in (0..).zip(&file.small) {
            words.insert(word.clone(), value * ONE);
        }
        for (ten, word) in (2..).zip(&file.tens) {
            words.insert(word.clone(), ten * 10 * ONE);
        }
        if !file.ones_first.is_empty() {
            words.extend(glued(&file));
        }
        if !file.half_glued.is_empty() {
            let halves: Vec<_> = words
                .iter()
                .map(|(word, value)| (format!("{word}{}", file.half_glued), value + ONE / 2))
                .chain([(format!("{}{}", file.one_glued, file.half_glued), ONE + ONE / 2)])
                .collect();
            words.extend(halves);
        }
        words.extend(file.also);
        Ok(Self {
            words,
            tens: file.tens,
            small: file.small,
            hundred: file.hundred,
            thousand: file.thousand,
            one_glued: file.one_glued,
            and: file.and,
            articles: file.articles,
            fractions: longest_first(file.fractions),
            units: file.units.into_iter().collect(),
            lengths: longest_first(file.lengths),
            joints: file.joints,
            between: file.between,
            minus: file.minus,
            ordinals: file.ordinals,
            ordinal_endings: file.ordinal_endings,
        })
    }

    /// Whether a word belongs to a number or a length, so that nothing is called so.
    pub fn knows(&self, word: &str) -> bool {
        figures(word).is_some()
            || word.contains(':')
            || self.words.contains_key(word)
            || self.units.contains_key(word)
            || self.is_large(word)
            || self.is_minus(word)
    }

    fn is_large(&self, word: &str) -> bool {
        word == self.hundred || !self.thousand.is_empty() && word == self.thousand
    }

    fn is_minus(&self, word: &str) -> bool {
        word == MINUS || self.minus.iter().any(|minus| minus == word)
    }

    /// Whether a word is a number.
    pub fn counts(&self, word: &str) -> bool {
        figures(word).is_some() || self.words.contains_key(word) || self.is_large(word)
    }

    /// The words of numbers and lengths, in any order.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let all = self.words.keys().chain(self.units.keys()).chain(self.ordinals.keys());
        all.chain([&self.hundred, &self.and]).map(String::as_str)
    }

    /// The words for one that stand in front of a unit.
    pub fn articles(&self) -> impl Iterator<Item = &String> {
        self.articles.iter()
    }

    /// The numbers that begin at `words`, the longest first.
    pub fn number(&self, words: &[Word]) -> Vec<Read> {
        let below = self.below_thousand(words);
        let mut reads: Vec<Read> = below.iter().flat_map(|read| self.thousands(*read, words)).collect();
        if let Some(value) = words.first().and_then(|word| self.glued_thousands(&word.text)) {
            reads.push(Read { words: 1, value });
        }
        reads.extend(below);
        reads
    }

    /// The numbers that begin with so many thousands, the longest first.
    fn thousands(&self, count: Read, words: &[Word]) -> Vec<Read> {
        let is_thousand = words.get(count.words).is_some_and(|word| word.text == self.thousand);
        let is_count = count.value.is_multiple_of(ONE) && (ONE..=LARGEST / 1_000).contains(&count.value);
        if self.thousand.is_empty() || !is_thousand || !is_count {
            return Vec::new();
        }
        let (at, base) = (count.words + 1, count.value * 1_000);
        let rest = &words[at..];
        let and = usize::from(rest.first().is_some_and(|word| word.text == self.and));
        let rest = self.below_thousand(rest.get(and..).unwrap_or_default());
        let whole = rest.into_iter().filter(|read| read.value.is_multiple_of(ONE));
        let with_rest = whole.map(|read| Read { words: at + and + read.words, value: base + read.value });
        with_rest.chain([Read { words: at, value: base }]).collect()
    }

    fn below_thousand(&self, words: &[Word]) -> Vec<Read> {
        let Some(first) = words.first() else { return Vec::new() };
        if let Some(value) = figures(&first.text) {
            return vec![Read { words: 1, value }];
        }
        let mut reads = Vec::new();
        let small = self.below_hundred(words);
        let is_article = self.articles.contains(&first.text);
        let bare = words.len() > 1 && first.text == self.hundred;
        let factor = small.iter().find(|read| read.words == 1).map(|read| read.value / ONE);
        let hundreds =
            if bare { None } else { factor.filter(|f| (1..10).contains(f)).or(is_article.then_some(1)) };
        if let (Some(hundreds), Some(second)) = (hundreds, words.get(1))
            && second.text == self.hundred
        {
            let base = hundreds * 100 * ONE;
            let rest = &words[2..];
            let and = usize::from(rest.first().is_some_and(|word| word.text == self.and));
            for read in self.below_hundred(rest.get(and..).unwrap_or_default()) {
                reads.push(Read { words: 2 + and + read.words, value: base + read.value });
            }
            reads.push(Read { words: 2, value: base });
        } else if first.text == self.hundred {
            reads.push(Read { words: 1, value: 100 * ONE });
        }
        reads.extend(small);
        reads
    }

    fn below_hundred(&self, words: &[Word]) -> Vec<Read> {
        let mut reads = number_phrases(&self.words, words);
        let Some(value) = words.first().and_then(|word| self.words.get(&word.text)) else { return reads };
        let is_ten = self.tens.contains(&words[0].text);
        if let (true, Some(second)) = (is_ten, words.get(1))
            && let Some(ones) = self.small[1..10].iter().position(|word| *word == second.text)
        {
            reads.push(Read { words: 2, value: value + u32::try_from(ones + 1).unwrap_or(0) * ONE });
        }
        reads.push(Read { words: 1, value: *value });
        reads
    }

    /// Numbers, also with a fraction behind them, the longest first.
    pub fn quantity(&self, words: &[Word]) -> Vec<Read> {
        let mut reads = Vec::new();
        for read in self.number(words) {
            if let Some((count, part)) = fraction(&self.fractions, &words[read.words..]) {
                reads.push(Read { words: read.words + count, value: read.value + part });
            }
            reads.push(read);
        }
        if words.first().is_some_and(|word| self.articles.contains(&word.text)) {
            reads.push(Read { words: 1, value: ONE });
        }
        reads
    }

    /// The lengths of time that begin at `words`, the longest first, and whether more may follow. A length below zero
    /// is none: it has no seconds, and what lasts so long is asked for.
    pub(crate) fn duration(&self, words: &[Word]) -> (Vec<Read>, bool) {
        let Some((_, rest)) = words.split_first().filter(|(first, _)| self.is_minus(&first.text)) else {
            return self.positive_duration(words);
        };
        let (reads, may_go_on) = self.positive_duration(rest);
        let negative = |read: Read| Read { words: read.words + 1, value: 0 };
        (reads.into_iter().map(negative).collect(), may_go_on)
    }

    fn positive_duration(&self, words: &[Word]) -> (Vec<Read>, bool) {
        let (mut reads, mut at, mut total, mut last_unit) = (Vec::new(), 0, 0_u64, u32::MAX);
        let mut may_go_on = false;
        loop {
            let joint =
                usize::from(at > 0 && words.get(at).is_some_and(|word| self.joints.contains(&word.text)));
            let from = at + joint;
            may_go_on |= from == words.len() && (at == 0 || joint > 0);
            match self.part(&words[from..], last_unit) {
                NumberPart::Of { words: count, seconds, unit } => {
                    at = from + count;
                    total += seconds;
                    last_unit = unit;
                    let Ok(value) = u32::try_from(total) else { break };
                    reads.push(Read { words: at, value });
                }
                NumberPart::Broken => {
                    may_go_on = true;
                    break;
                }
                NumberPart::None => break,
            }
        }
        reads.reverse();
        (reads, may_go_on)
    }

    /// One part of a length: smaller than `last_unit`, in which a bare number counts the next smaller unit.
    fn part(&self, words: &[Word], last_unit: u32) -> NumberPart {
        if let Some((count, seconds)) = fraction(&self.lengths, words)
            && seconds < last_unit
        {
            return NumberPart::Of { words: count, seconds: u64::from(seconds), unit: seconds };
        }
        let quantities = self.quantity(words);
        for read in &quantities {
            let more = words.get(read.words).is_some_and(|word| self.between.contains(&word.text));
            let at = read.words + usize::from(more);
            let Some(word) = words.get(at) else { continue };
            let Some(unit) = self.units.get(&word.text).copied().filter(|unit| *unit < last_unit) else {
                continue;
            };
            let mut count = at + 1;
            let mut value = u64::from(read.value);
            // "an hour and a half"
            if read.value % ONE == 0
                && let Some((more, part)) = fraction(&self.fractions, &words[count..])
            {
                count += more;
                value += u64::from(part);
            }
            let seconds = (value * u64::from(unit)).div_ceil(u64::from(ONE));
            return NumberPart::Of { words: count, seconds, unit };
        }
        let is_begun = |read: &Read| begun(&self.fractions, &words[read.words..]);
        if begun(&self.lengths, words) || quantities.iter().any(is_begun) {
            return NumberPart::Broken;
        }
        let Some(longest) = quantities.first() else { return NumberPart::None };
        let is_whole = longest.value % ONE == 0 && longest.value < 60 * ONE;
        let is_alone = !self.articles.contains(&words[0].text);
        match last_unit {
            // "two minutes thirty"
            60 | 3600 if is_whole && is_alone => NumberPart::Of {
                words: longest.words,
                seconds: u64::from(longest.value / ONE) * u64::from(last_unit / 60),
                unit: last_unit / 60,
            },
            _ if longest.words == words.len() => NumberPart::Broken,
            _ => NumberPart::None,
        }
    }

    /// A day of a month: "fifth", "twenty first", "5th", "5".
    pub fn ordinal(&self, words: &[Word]) -> Option<Read> {
        let first = words.first()?;
        let day = |value: u32, words| (1..=31).contains(&value).then_some(Read { words, value });
        if let Some(second) = words.get(1)
            && let (Some(tens), Some(ones)) = (self.words.get(&first.text), self.ordinals.get(&second.text))
            && (tens / ONE).is_multiple_of(10)
            && *ones < 10
        {
            return day(tens / ONE + u32::from(*ones), 2);
        }
        if let Some(value) = self.ordinals.get(&first.text) {
            return day(u32::from(*value), 1);
        }
        let ending = self.ordinal_endings.iter().find_map(|ending| first.text.strip_suffix(ending.as_str()));
        day(ending.unwrap_or(&first.text).parse().ok()?, 1)
    }
}

enum NumberPart {
    Of {
        words: usize,
        seconds: u64,
        unit: u32,
    },
    /// A number, and then the words end.
    Broken,
    None,
}

fn longest_first(rows: BTreeMap<String, u32>) -> Vec<(Vec<String>, u32)> {
    let words = |phrase: String| phrase.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut rows: Vec<_> = rows.into_iter().map(|(phrase, value)| (words(phrase), value)).collect();
    rows.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    rows
}

fn fraction(rows: &[(Vec<String>, u32)], words: &[Word]) -> Option<(usize, u32)> {
    rows.iter().find_map(|(phrase, value)| Some((words_at_start(words, phrase)?, *value)))
}

/// Whether the words are the beginning of one of the phrases and end there.
fn begun(rows: &[(Vec<String>, u32)], words: &[Word]) -> bool {
    let is_head = |phrase: &[String]| {
        words.len() < phrase.len() && words.iter().map(|word| &word.text).eq(&phrase[..words.len()])
    };
    !words.is_empty() && rows.iter().any(|(phrase, _)| is_head(phrase))
}
