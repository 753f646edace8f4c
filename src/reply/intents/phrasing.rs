//! The list of phrasings, compiled to one set of regular expressions.
//!
//! PURE. A template is a line such as `turn [the] volume (up|down)`: `[…]` may be missing, `(…|…)` is one
//! of several, `{percent}` a number from 0 to 100 in figures or words. Brackets don't nest.

use std::sync::LazyLock;

use regex::RegexSet;

use super::{Intent, VolumeChange};
use crate::english;

const ENGLISH: &str = include_str!("../../../assets/intents/en.txt");
const ENGLISH_YES: &str = include_str!("../../../assets/intents/yes.en.txt");

/// A number as `{percent}` takes it; every word of a pattern has a space behind it.
const PERCENT: &str = "(?:[0-9]{1,3} |(?:twenty |thirty |forty |fifty |sixty |seventy |eighty |ninety )\
    (?:one |two |three |four |five |six |seven |eight |nine )?|zero |one |two |three |four |five |six |seven \
    |eight |nine |ten |eleven |twelve |thirteen |fourteen |fifteen |sixteen |seventeen |eighteen |nineteen \
    |(?:a |one )?hundred )";

/// What a section of the list leads to.
#[derive(Debug, Clone, Copy)]
enum Section {
    Fixed(Intent),
    VolumeAsSaid,
    /// No intent: an answer to a question of hers.
    Consent,
}

/// A list of phrasings, ready to match.
pub(super) struct Phrasings {
    set: RegexSet,
    lines: Vec<(Section, &'static str)>,
}

/// The English list, or nothing when it can't be used: then the model answers everything.
pub(super) fn english() -> Option<&'static Phrasings> {
    static LIST: LazyLock<Option<Phrasings>> = LazyLock::new(|| Phrasings::read(ENGLISH));
    LIST.as_ref()
}

/// The English ways to say yes, or nothing when they can't be used: then nothing is a yes.
pub(super) fn english_yes() -> Option<&'static Phrasings> {
    static LIST: LazyLock<Option<Phrasings>> = LazyLock::new(|| Phrasings::read(ENGLISH_YES));
    LIST.as_ref()
}

impl Phrasings {
    fn read(list: &'static str) -> Option<Self> {
        let mut lines = Vec::new();
        let mut section = None;
        for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix("= ") {
                Some(name) => section = Some(section_called(name)?),
                None => lines.push((section?, line)),
            }
        }
        let set = RegexSet::new(lines.iter().map(|(_, template)| pattern(template))).ok()?;
        Some(Self { set, lines })
    }

    /// The intent of the first template that fits all of `words`, and that template.
    pub(super) fn recognise(&self, words: &[String]) -> Option<(Intent, &'static str)> {
        let (section, template) = *self.lines.get(self.set.matches(&spaced(words)).iter().next()?)?;
        let what = match section {
            Section::Fixed(intent) => intent,
            Section::VolumeAsSaid => Intent::Volume(VolumeChange::Set(percent_said(words)?)),
            Section::Consent => return None,
        };
        Some((what, template))
    }

    /// Whether a template fits all of `words`.
    pub(super) fn fits(&self, words: &[String]) -> bool {
        self.set.is_match(&spaced(words))
    }
}

/// The words as the patterns want them: each with a space behind it.
fn spaced(words: &[String]) -> String {
    words.iter().flat_map(|word| [word.as_str(), " "]).collect()
}

fn section_called(name: &str) -> Option<Section> {
    let intent = match name {
        "time" => Intent::Time,
        "date" => Intent::Date,
        "stop" => Intent::Stop,
        "repeat" => Intent::Repeat,
        "thanks" => Intent::Thanks,
        "never mind" => Intent::NeverMind,
        "goodbye" => Intent::Goodbye,
        "good night" => Intent::GoodNight,
        "volume up" => Intent::Volume(VolumeChange::Up),
        "volume down" => Intent::Volume(VolumeChange::Down),
        "yes" => return Some(Section::Consent),
        "volume set" => return Some(Section::VolumeAsSaid),
        _ => Intent::Volume(VolumeChange::Set(name.strip_prefix("volume ")?.parse().ok()?)),
    };
    Some(Section::Fixed(intent))
}

/// The regular expression of a template, over words that each have a space behind them.
fn pattern(template: &str) -> String {
    let mut out = String::from("^");
    let mut word = String::new();
    let end_word = |word: &mut String, out: &mut String| {
        if !word.is_empty() {
            out.push_str(if word == "{percent}" { PERCENT } else { word });
            if word != "{percent}" {
                out.push(' ');
            }
            word.clear();
        }
    };
    for c in template.chars() {
        match c {
            '[' | '(' => out.push_str("(?:"),
            ' ' => end_word(&mut word, &mut out),
            '|' | ')' | ']' => {
                end_word(&mut word, &mut out);
                out.push_str(match c {
                    '|' => "|",
                    ')' => ")",
                    _ => ")?",
                });
            }
            c => word.push(c),
        }
    }
    end_word(&mut word, &mut out);
    out.push('$');
    out
}

/// The percentage in `words`. A number up to ten without "percent" is a tenth: "volume seven" is 70.
fn percent_said(words: &[String]) -> Option<u8> {
    let mut number: Option<usize> = None;
    for word in words {
        let said = match word.as_str() {
            "hundred" => Some(100),
            word => word.parse().ok().or_else(|| english::number(word)),
        };
        number = match (number, said) {
            (Some(_), Some(100)) => Some(100),
            (Some(tens), Some(ones)) => Some(tens + ones),
            (number, said) => said.or(number),
        };
    }
    let number = number?;
    let is_tenth = number <= 10 && !words.iter().any(|word| word == "percent");
    u8::try_from(if is_tenth { number * 10 } else { number.min(100) }).ok()
}
