//! Commands that a transcript is one word away from: slips of a recogniser, not of a speaker.
//!
//! In: a transcript that is no command. Out: at most [`MOST`] readings of it that are, the likeliest first,
//! for the sound to decide between. One word is changed, or two are joined; a question, a "don't", an
//! unfinished command, or one that would throw away all timers is never a reading.
//! Pure: no I/O, no clock.

use super::table::Guess;
use super::{Completeness, Intent, Matched, Mood, completeness, match_intent, matched, mood, orders};
use joi_language::grammar::disfluency::Fluent;
use joi_language::grammar::machine::{Capture, Slot};
use joi_language::grammar::slots::Taken;
use joi_language::grammar::words::{self, Word};
use joi_language::grammar::{Grammar, TemplateGroup};
use joi_language::{Language, capital};

/// In place of the phrasing of a command with a name of the house.
const HOUSE: &str = "a name of the house";
/// Most readings; each costs the recogniser some steps.
pub(super) const MOST: usize = 6;
/// Commands of two words are too easily two other words.
const FEWEST_WORDS: usize = 3;
/// Longer ones are stories.
const MOST_WORDS: usize = 12;
/// Sentences that are looked at for one transcript.
const MOST_TRIED: usize = 400;
/// Words of a command that may be any words: a name of more is chance.
const MOST_OPEN: usize = 1;

/// A command that may have been said.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The transcript with another word in it.
    pub text: String,
    /// The request.
    pub what: Intent,
    /// The phrasing it fits; it quotes the list of phrasings, not the user.
    pub template: String,
    /// How much the words are alike, 0..1.
    likeness: f64,
}

impl Reading {
    /// A command with the name of a thing of the connected house; nothing when it is no harmless command of a house.
    pub(crate) fn of_house(language: &Language, text: String, likeness: f64) -> Option<Self> {
        let quick = match_intent(language, &text)?;
        let is_of_house = matches!(&quick.what, Intent::Home(order) if order.is_harmless());
        is_of_house.then(|| Self { text, what: quick.what, template: HOUSE.to_owned(), likeness })
    }
}

/// Returns the commands that `text` is one word away from; none when it is one itself.
pub fn near(language: &Language, text: &str) -> Vec<Reading> {
    let grammar = language.grammar();
    let Some(said) = words::normalise(text, &grammar.manners) else { return Vec::new() };
    let is_candidate = (FEWEST_WORDS..=MOST_WORDS).contains(&said.len())
        && !said.iter().enumerate().any(|(place, word)| turns(grammar, &said[..place], word))
        && mood(language, text) == Mood::Request
        && match_intent(language, text).is_none();
    if !is_candidate {
        return Vec::new();
    }
    let mut changes = changes(text, &said, grammar);
    changes.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
    let mut readings: Vec<Reading> = Vec::new();
    for change in changes.into_iter().take(MOST_TRIED) {
        if readings.len() == MOST {
            break;
        }
        if let Some(reading) = change.reading(language, text)
            && !readings.iter().any(|known| known.text == reading.text)
        {
            readings.push(reading);
        }
    }
    readings
}

/// Returns whether a word asks or turns the sense round; the end of a contraction asks nothing: "it's".
fn turns(grammar: &Grammar, before: &[Word], word: &Word) -> bool {
    let is_end = before.last().is_some_and(|before| before.at == word.at);
    if is_end { grammar.mood.negates(&word.text) } else { grammar.mood.turns(&word.text) }
}

/// Another word in the place of one or two.
struct WordChange<'a> {
    /// From where to where in bytes.
    at: std::ops::Range<usize>,
    word: &'a str,
    likeness: f64,
}

fn changes<'a>(text: &str, said: &'a [Word], grammar: &'a Grammar) -> Vec<WordChange<'a>> {
    let mut changes = Vec::new();
    for (place, word) in said.iter().enumerate() {
        // Words that were written together can't be changed apart.
        let is_alone = |other: usize| said.get(other).is_none_or(|other| other.at != word.at);
        if !is_alone(place + 1) || (place > 0 && !is_alone(place - 1)) {
            continue;
        }
        let like = grammar.known.like(&word.text);
        changes.extend(like.map(|(other, likeness)| WordChange {
            at: word.at.clone(),
            word: other,
            likeness,
        }));
        // Of an article hardly anything is heard.
        let articles = grammar.numbers.articles().filter(|article| **article != word.text);
        let articles = articles.filter(|_| word.text.chars().count() <= grammar.known.article_letters());
        changes.extend(articles.map(|article| WordChange {
            at: word.at.clone(),
            word: article,
            likeness: 0.5,
        }));
    }
    for pair in said.windows(2) {
        let joined = format!("{}{}", pair[0].text, pair[1].text);
        let at = pair[0].at.start..pair[1].at.end;
        changes.extend(grammar.known.close_to(&joined).map(|word| WordChange {
            at: at.clone(),
            word,
            likeness: 0.9,
        }));
    }
    changes.extend(borrowed(text, said, grammar));
    changes.retain(|change| !grammar.mood.turns(change.word));
    changes
}

/// Words that the end of the contraction before them belongs to: "it's news" for "snooze". What is left of the
/// contraction is hardly heard.
fn borrowed<'a>(text: &str, said: &[Word], grammar: &'a Grammar) -> Vec<WordChange<'a>> {
    let mut changes = Vec::new();
    for pair in said.windows(2).filter(|pair| pair[0].at != pair[1].at) {
        let Some((_, tail)) = text[pair[0].at.clone()].rsplit_once(['\'', '’']) else { continue };
        let joined = format!("{}{}", tail.to_lowercase(), pair[1].text);
        let at = pair[0].at.start..pair[1].at.end;
        let words = grammar.known.sounding_like(&joined);
        changes.extend(words.map(|word| WordChange { at: at.clone(), word, likeness: 0.6 }));
    }
    changes
}

impl WordChange<'_> {
    /// Returns whether the word is one of these.
    fn is_in(&self, taken: &Taken, said: &[Word]) -> bool {
        let Taken::Words(range) = taken else { return false };
        said.get(range.clone()).is_some_and(|words| words.iter().any(|word| word.at.start == self.at.start))
    }

    /// `text` with it, when that is a command that may be guessed.
    fn reading(&self, language: &Language, text: &str) -> Option<Reading> {
        let old = text.get(self.at.clone())?;
        let is_capital = old.chars().next().is_some_and(char::is_uppercase);
        let word = if is_capital { capital(self.word) } else { self.word.to_owned() };
        let text = format!("{}{word}{}", &text[..self.at.start], &text[self.at.end..]);
        let said = words::normalise(&text, &language.grammar().manners)?;
        let Matched { made: (what, open), template, .. } =
            matched(language, &text, &Fluent::of(said.clone()), TemplateGroup::Command, |name, filled| {
                let names = filled.captures.iter().filter(|capture| capture.slot == Slot::Name);
                // A name in front is whatever was not understood there.
                let is_first =
                    |name: &Capture| matches!(&name.taken, Taken::Words(range) if range.start == 0);
                // Any other word would do as well there.
                let is_changed = |name: &Capture| name.open_words() > 0 && self.is_in(&name.taken, &said);
                let open = match names.clone().any(|name| is_first(name) || is_changed(name)) {
                    true => MOST_OPEN + 1,
                    false => names.map(Capture::open_words).sum(),
                };
                Some((orders::intent(name, filled)?, open))
            })?;
        let is_fit = open <= MOST_OPEN
            && what.row().guess == Guess::Allowed
            && mood(language, &text) == Mood::Request
            && completeness(language, &text) != Completeness::Incomplete;
        is_fit.then(|| Reading { text, what, template: template.to_owned(), likeness: self.likeness })
    }
}
