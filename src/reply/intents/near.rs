//! Commands that a transcript is one word away from: slips of a recogniser, not of a speaker.
//!
//! PURE. In: a transcript that is no command. Out: at most [`MOST`] readings of it that are, the likeliest first,
//! for the sound to decide between. One word is changed, or two are joined; a question, a "don't", an
//! unfinished command, or one that would throw away all timers is never a reading.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

use super::ear::Ear;
use super::language::{Group, Language, Lexicon};
use super::machine::{Capture, Slot, Vocabulary};
use super::numbers::Numbers;
use super::slots::Taken;
use super::words::{self, Word};
use super::{Completeness, Intent, Tongue, completeness_in, match_in, matched, mood, orders};
use crate::schedule::{Many, Order, Which};
use crate::tools::gate::Mood;

/// Most readings; each costs the recogniser some steps.
pub(super) const MOST: usize = 6;
/// Commands of two words are too easily two other words.
const FEWEST_WORDS: usize = 3;
/// Longer ones are stories.
const MOST_WORDS: usize = 12;
/// Sentences that are looked at for one transcript.
const MOST_TRIED: usize = 400;
/// Letters in which two words that sound the same may differ.
const FARTHEST: usize = 3;
/// Words of a command that may be any words: a name of more is chance.
const MOST_OPEN: usize = 1;

/// A command that may have been said.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The transcript with another word in it.
    pub text: String,
    /// What it asks for.
    pub what: Intent,
    /// The phrasing it fits; it quotes the list of phrasings, not the user.
    pub template: String,
    /// How much the words are alike, 0..1.
    likeness: f64,
}

/// What a language's file says about words that were heard almost right.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NearRules {
    /// By whose sound words are told apart.
    ear: Ear,
    /// Letters of a word that may have been an article.
    article_letters: usize,
}

/// The words commands are made of, with their sounds.
pub(super) struct Words {
    rules: NearRules,
    known: Vec<Known>,
}

struct Known {
    text: String,
    sound: String,
    letters: usize,
}

impl Words {
    pub(super) fn of(
        rules: NearRules,
        vocabulary: &Vocabulary,
        numbers: &Numbers,
        lexicons: &HashMap<String, Lexicon>,
    ) -> Self {
        let phrases = lexicons.values().flat_map(|lexicon| &lexicon.phrases);
        let all: BTreeSet<&str> = vocabulary
            .words()
            .chain(numbers.words())
            .chain(phrases.flat_map(|(words, _)| words).map(String::as_str))
            .filter(|word| word.chars().count() > 1 && word.chars().all(char::is_alphabetic))
            .collect();
        let known = |word: &str| Known {
            text: word.to_owned(),
            sound: rules.ear.sound(word),
            letters: word.chars().count(),
        };
        Self { rules, known: all.into_iter().map(known).collect() }
    }

    /// The words that `said` may have been, and how alike they are.
    fn like<'a>(&'a self, said: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let (sounds, letters) = (self.rules.ear.sound(said), said.chars().count());
        let is_in_reach = move |known: &&Known| known.letters.abs_diff(letters) <= FARTHEST;
        self.known.iter().filter(is_in_reach).filter_map(move |known| {
            let is_same_sound = !sounds.is_empty() && sounds == known.sound;
            Some((known.text.as_str(), alike(said, &known.text, is_same_sound)?))
        })
    }
}

/// How alike two words are; nothing when one is hardly heard as the other.
fn alike(said: &str, word: &str, is_same_sound: bool) -> Option<f64> {
    let distance = strsim::osa_distance(said, word);
    let length = said.chars().count().max(word.chars().count());
    let is_close = distance == 1 || (distance == 2 && length >= 5) || (is_same_sound && distance <= FARTHEST);
    let likeness = 1.0 - distance as f64 / length as f64;
    (distance > 0 && is_close).then_some(if is_same_sound { likeness.max(0.7) } else { likeness })
}

/// The commands that `text` is one word away from; none when it is one itself.
pub fn near(text: &str) -> Vec<Reading> {
    near_in(Tongue::English, text)
}

/// The same in another language.
pub fn near_in(tongue: Tongue, text: &str) -> Vec<Reading> {
    let Some(language) = tongue.language() else { return Vec::new() };
    let Some(said) = words::normalise(text, &language.manners) else { return Vec::new() };
    let is_candidate = (FEWEST_WORDS..=MOST_WORDS).contains(&said.len())
        && !said.iter().any(|word| language.mood.turns(&word.text))
        && mood(text) == Mood::Request
        && match_in(tongue, text).is_none();
    if !is_candidate {
        return Vec::new();
    }
    let mut changes = changes(&said, language);
    changes.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
    let mut readings: Vec<Reading> = Vec::new();
    for change in changes.into_iter().take(MOST_TRIED) {
        if readings.len() == MOST {
            break;
        }
        if let Some(reading) = change.reading(tongue, language, text)
            && !readings.iter().any(|known| known.text == reading.text)
        {
            readings.push(reading);
        }
    }
    readings
}

/// Another word in the place of one or two.
struct Change<'a> {
    /// From where to where in bytes.
    at: std::ops::Range<usize>,
    word: &'a str,
    likeness: f64,
}

fn changes<'a>(said: &'a [Word], language: &'a Language) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    for (place, word) in said.iter().enumerate() {
        // What was written together can't be changed apart.
        let is_alone = |other: usize| said.get(other).is_none_or(|other| other.at != word.at);
        if !is_alone(place + 1) || (place > 0 && !is_alone(place - 1)) {
            continue;
        }
        let like = language.words.like(&word.text);
        changes.extend(like.map(|(other, likeness)| Change { at: word.at.clone(), word: other, likeness }));
        // Of an article hardly anything is heard.
        let articles = language.numbers.articles().filter(|article| **article != word.text);
        let articles = articles.filter(|_| word.text.chars().count() <= language.words.rules.article_letters);
        changes.extend(articles.map(|article| Change { at: word.at.clone(), word: article, likeness: 0.5 }));
    }
    for pair in said.windows(2) {
        let joined = format!("{}{}", pair[0].text, pair[1].text);
        let at = pair[0].at.start..pair[1].at.end;
        let letters = joined.chars().count();
        let is_in_reach = |known: &&Known| known.letters.abs_diff(letters) <= 1;
        let known = language.words.known.iter().filter(is_in_reach).map(|known| known.text.as_str());
        changes.extend(known.filter(|word| strsim::osa_distance(&joined, word) <= 1).map(|word| Change {
            at: at.clone(),
            word,
            likeness: 0.9,
        }));
    }
    changes.retain(|change| !language.mood.turns(change.word));
    changes
}

impl Change<'_> {
    /// `text` with it, when that is a command that may be guessed.
    fn reading(&self, tongue: Tongue, language: &Language, text: &str) -> Option<Reading> {
        let old = text.get(self.at.clone())?;
        let is_capital = old.chars().next().is_some_and(char::is_uppercase);
        let word = if is_capital { capital(self.word) } else { self.word.to_owned() };
        let text = format!("{}{word}{}", &text[..self.at.start], &text[self.at.end..]);
        let said = words::normalise(&text, &language.manners)?;
        let ((what, open), template) = matched(&text, &said, language, Group::Command, |name, filled| {
            let names = filled.captures.iter().filter(|capture| capture.slot == Slot::Name);
            // A name in front is whatever was not understood there.
            let is_first = |name: &Capture| matches!(&name.taken, Taken::Words(range) if range.start == 0);
            let open = match names.clone().any(is_first) {
                true => MOST_OPEN + 1,
                false => names.map(Capture::open_words).sum(),
            };
            Some((orders::intent(name, filled)?, open))
        })?;
        let is_fit = open <= MOST_OPEN
            && may_be_guessed(&what)
            && mood(&text) == Mood::Request
            && completeness_in(tongue, &text) != Completeness::Incomplete;
        is_fit.then(|| Reading { text, what, template: template.to_owned(), likeness: self.likeness })
    }
}

/// Whether little is lost when it was not meant: it can be seen or heard, and undone.
fn may_be_guessed(what: &Intent) -> bool {
    match what {
        Intent::Schedule(Order::Cancel(Which { many: Many::All, .. })) => false,
        Intent::Schedule(_) | Intent::Volume(_) => true,
        Intent::Home(order) => order.is_harmless(),
        Intent::Time
        | Intent::Date
        | Intent::Stop
        | Intent::Repeat
        | Intent::Thanks
        | Intent::NeverMind
        | Intent::Goodbye
        | Intent::GoodNight
        | Intent::Memory(_) => false,
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
