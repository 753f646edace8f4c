//! Whether the values of a call were said.
//!
//! In: what was said, and a value as a model wrote it. Out: whether its words, numbers or times are found there. A
//! model may put a value in order ("half an hour" → "30 minutes", "eggs" → "egg"), and add nothing to it.
//! Pure: no I/O, no clock.

use crate::intents;
use crate::requests::list;
use crate::text::same;
use joi_language::Language;
use joi_language::grammar::numbers::ONE;
use joi_language::values::When;
use joi_language::values::{CallValue, ValueKind};
use joi_language::{Phrases, RequestWords, words_of};

use super::figures::{numbers, parts};
use super::meant::meant;
use super::{Utterances, deeds, unasked};

/// Most words of a window in which a time is looked for.
const LONGEST_TIME: usize = 9;
/// Most texts of the dialogue that may be referred to.
const MOST_BEFORE: usize = 4;
/// Fewest letters by which the beginning of a compound is known.
const STEM: usize = 4;
/// Fewest letters of a part of a compound.
const PART: usize = 3;
/// How much of a search or a sum must have been said.
const HALF: f64 = 0.5;
/// How much of a retold text must have been said.
const GIST: f64 = 0.7;

/// The texts in which values may be found.
pub(super) struct Grounds<'a> {
    language: &'a Language,
    words: &'a RequestWords,
    /// The texts, the user's first.
    texts: Vec<String>,
    said: Vec<String>,
    /// In thousandths.
    numbers: Vec<u32>,
    /// The same with what is not meant, where there is any.
    all: Option<Box<Grounds<'a>>>,
}

impl<'a> Grounds<'a> {
    /// The words of the user, of a question back about this deed, and of what they refer to.
    pub(super) fn new(
        language: &'a Language,
        words: &'a RequestWords,
        said: &Utterances<'_>,
        deed: &str,
    ) -> Self {
        let asked = words_of(said.asked);
        let refers = words.form.references.are_in(&asked);
        let is_about = |question: &&str| !deeds::is_about_another(words, &words_of(question), deed);
        let mut texts = vec![said.asked.to_owned()];
        texts.extend(said.asked_back.filter(is_about).map(str::to_owned));
        if refers {
            texts.extend(said.dialogue.iter().rev().take(MOST_BEFORE).cloned());
        }
        let Some(meant) = meant(words, said.asked) else { return Self::of(language, words, texts) };
        let all = Some(Box::new(Self::of(language, words, texts.clone())));
        texts[0] = meant;
        Self { all, ..Self::of(language, words, texts) }
    }

    /// The same behind a no: of what was asked back only units count.
    pub(super) fn behind_no(
        language: &'a Language,
        words: &'a RequestWords,
        said: &Utterances<'_>,
        deed: &str,
    ) -> Self {
        let mut grounds = Self::new(language, words, &Utterances { asked_back: None, ..*said }, deed);
        let asked_back = words_of(said.asked_back.unwrap_or_default());
        let is_unit = |word: &String| words.form.units.at_start(std::slice::from_ref(word)).is_some();
        grounds.said.extend(asked_back.into_iter().filter(is_unit));
        grounds
    }

    /// These texts.
    pub(super) fn of(language: &'a Language, words: &'a RequestWords, texts: Vec<String>) -> Self {
        let whole = texts.iter().flat_map(|text| words_of(text));
        // "Washing-up" is two words, too.
        let apart = |word: String| {
            let parts = if word.contains('-') { parts(&word) } else { Vec::new() };
            std::iter::once(word).chain(parts)
        };
        let said: Vec<String> = whole.flat_map(apart).collect();
        let numbers = texts.iter().flat_map(|text| numbers(language, words, text)).collect();
        Self { language, words, texts, said, numbers, all: None }
    }

    /// The correction within the user's own words: at least one value must stand behind it.
    pub(super) fn put_right(language: &'a Language, words: &'a RequestWords, asked: &str) -> Option<Self> {
        if let Some(behind) = unasked::put_right_at_end(words, asked) {
            return Some(Self::of(language, words, vec![behind]));
        }
        let said = words_of(asked);
        let last =
            (1..said.len()).filter(|at| words.form.corrections.at_start(&said[*at..]).is_some()).max()?;
        let count = words.form.corrections.at_start(&said[last..])?;
        Some(Self::of(language, words, vec![said[last + count..].join(" ")]))
    }

    /// Returns whether they hold `value`. What is only reported, and what has a no of its own, may hold words behind a
    /// no.
    pub(super) fn hold(&self, value: &CallValue) -> bool {
        let form = &self.words.form;
        let said = words_of(&value.text);
        let has_no = [&form.excluded, &form.negations, &form.anywhere].iter().any(|no| no.are_in(&said));
        if let Some(all) = self.all.as_ref().filter(|_| has_no || value.kind == ValueKind::Gist) {
            return all.hold(value);
        }
        match value.kind {
            ValueKind::Words => self.share(&value.text) >= 1.0,
            ValueKind::Gist => {
                self.share(&value.text) >= GIST
                    && self.hold_numbers(&value.text)
                    && self.hold_names(&value.text)
            }
            ValueKind::Numbers => self.hold_numbers(&value.text) || self.hold_named_percent(&value.text),
            ValueKind::When => self.hold_when(&value.text),
            ValueKind::List => self.hold_list(&value.text),
            ValueKind::Percent => self.hold_percent(&value.text),
            ValueKind::Choice(argument) => self.hold_choice(argument, &value.text),
        }
    }

    /// Returns which part of the words of `text` that matter was said.
    fn share(&self, text: &str) -> f64 {
        let function = &self.words.form.function_words;
        let all: Vec<String> = words_of(text).iter().flat_map(|word| parts(word)).collect();
        let matter: Vec<&String> =
            all.iter().filter(|word| function.at_start(std::slice::from_ref(*word)).is_none()).collect();
        let is_found = |word: &&&String| {
            let number = || numbers(self.language, self.words, word).first().copied();
            self.said.iter().any(|said| self.is_same(said, word) || self.is_inside(said, word))
                || self.is_put_together(word)
                || number().is_some_and(|number| self.numbers.contains(&number))
        };
        // "On" and "off" alone are all that is asked for.
        let all_said = || all.iter().all(|word| self.said.contains(word));
        match matter.len() {
            0 => f64::from(u8::from(all_said())),
            count => matter.iter().filter(is_found).count() as f64 / count as f64,
        }
    }

    /// Returns whether its shortest words were said: "row C" is not "row E".
    fn hold_names(&self, text: &str) -> bool {
        let function = &self.words.form.function_words;
        let is_short = |word: &&String| {
            word.chars().count() <= 2
                && word.chars().all(char::is_alphabetic)
                && function.at_start(std::slice::from_ref(*word)).is_none()
        };
        words_of(text).iter().filter(is_short).all(|word| self.said.contains(word))
    }

    /// Returns whether a number was said; "that one" and "oh" are none.
    pub(super) fn has_numbers(&self) -> bool {
        self.numbers.iter().any(|number| *number > ONE)
    }

    /// Returns whether the numbers of `value`, if it has any, are among those that were said.
    pub(super) fn agrees(&self, value: &CallValue) -> bool {
        match value.kind {
            ValueKind::Numbers => self.hold_numbers(&value.text),
            ValueKind::When => self.hold_numbers(&value.text) || self.hold_when(&value.text),
            ValueKind::Percent => self.hold_percent(&value.text),
            _ => true,
        }
    }

    /// Returns whether somebody spoke of `value` at all: of one of its words, or of half of what is searched for or
    /// computed.
    pub(super) fn mention(&self, value: &CallValue) -> bool {
        match value.kind {
            ValueKind::Words => self.share(&value.text) > 0.0,
            // Of a search.
            ValueKind::Gist => self.share(&value.text) >= HALF,
            ValueKind::Numbers => {
                let all = numbers(self.language, self.words, &value.text);
                let is_said = |number: &u32| {
                    self.numbers.iter().any(|said| said == number || *said == number.saturating_mul(100))
                };
                let said = all.iter().filter(|number| is_said(number)).count();
                said as f64 >= HALF * all.len() as f64
            }
            _ => true,
        }
    }

    fn is_same(&self, said: &str, word: &str) -> bool {
        same(said, word, &self.words.form.endings)
    }

    /// Returns whether `said` is a compound that begins with `word`, or an infinitive of it.
    fn is_inside(&self, said: &str, word: &str) -> bool {
        let stem: String = word.chars().take(word.chars().count().saturating_sub(2).max(STEM)).collect();
        let infix = &self.words.form.infix;
        let is_infinitive = !infix.is_empty() && said.replacen(infix.as_str(), "", 1) == word;
        is_infinitive
            || self.words.form.verbs_last
                && said.chars().count() > word.chars().count()
                && compound(said, &stem)
    }

    /// Returns whether `word` is a compound of two words that were said: "flurlicht" of "im Flur das Licht".
    fn is_put_together(&self, word: &str) -> bool {
        let is_said = |part: &str| part.chars().count() >= PART && self.said.iter().any(|said| said == part);
        let links = ["", "s", "n", "en"];
        let is_rest = |rest: &str| links.iter().any(|link| rest.strip_prefix(link).is_some_and(is_said));
        self.words.form.verbs_last
            && self
                .said
                .iter()
                .filter(|said| said.chars().count() >= PART)
                .any(|said| word.strip_prefix(said.as_str()).is_some_and(is_rest))
    }

    /// Returns the same, of a value that says something.
    pub(super) fn hold_said(&self, value: &CallValue) -> bool {
        match value.kind {
            ValueKind::Choice(_) | ValueKind::List => false,
            // "Off": there is no number to be found.
            ValueKind::Numbers if numbers(self.language, self.words, &value.text).is_empty() => {
                self.share(&value.text) >= 1.0
            }
            _ => self.hold(value),
        }
    }

    fn hold_numbers(&self, text: &str) -> bool {
        numbers(self.language, self.words, text).iter().all(|number| self.numbers.contains(number))
    }

    /// Returns the same length, or the same time and day, somewhere in what was said; or at least its numbers.
    fn hold_when(&self, text: &str) -> bool {
        let function = &self.words.form.function_words;
        let bare: Vec<String> = words_of(text)
            .into_iter()
            .filter(|word| function.at_start(std::slice::from_ref(word)).is_none())
            .collect();
        let read = |text: &str| intents::when(self.language, text);
        let Some(wanted) = read(text).or_else(|| read(&bare.join(" "))) else {
            return self.share(text) >= 1.0;
        };
        let all = |texts: &[String]| -> Vec<When> {
            texts.iter().flat_map(|text| windows(text)).filter_map(|window| read(&window)).collect()
        };
        let said = all(&self.texts);
        match wanted {
            When::In(_) => said.contains(&wanted) || self.share(text) >= 1.0,
            When::At(wanted) => {
                let at = |when: &When| match when {
                    When::At(said) => Some(*said),
                    When::In(_) => None,
                };
                let is_day = || {
                    wanted.day_goes_without_saying()
                        || said.iter().filter_map(at).any(|said| wanted.is_on(&said))
                };
                if wanted.clock.is_none() {
                    return is_day() || self.share(text) >= 1.0;
                }
                // "Eleven minutes" does not mean eleven o'clock.
                let bare: Vec<String> = self.texts.iter().map(|text| without_lengths(text, read)).collect();
                let is_clock = all(&bare).iter().filter_map(at).any(|said| wanted.may_be_at(&said));
                is_clock && is_day() || Self::of(self.language, self.words, bare).share(text) >= 1.0
            }
        }
    }

    /// Returns the list that was named, or where none was, one of those that need no name.
    fn hold_list(&self, text: &str) -> bool {
        let list_of = |name: &str| list::list_name(name, self.language);
        let wanted = list_of(text);
        let is_said = |word: &String| {
            self.said
                .iter()
                .any(|said| self.is_same(said, word) || compound(said, word) || self.is_inside(said, word))
        };
        if words_of(&list::bare_name(text, self.language)).iter().all(is_said) {
            return true;
        }
        let is_named = |name: &String| !list::bare_name(name, self.language).is_empty();
        let of_notes =
            self.said.iter().filter(|word| is_named(word)).any(|word| list_of(word) == list::NOTES);
        let is_usual = [list::NOTES, list::SHOPPING].contains(&&*wanted);
        let is_it = |named: String| list_of(&named) == wanted;
        is_usual && (wanted == list::NOTES || !of_notes) && self.named_lists().filter(is_named).all(is_it)
    }

    /// Returns what stands in front of the word for a list.
    fn named_lists(&self) -> impl Iterator<Item = String> + '_ {
        let is_list = |word: &str| self.words.form.list_words.at_start(&[word.to_owned()]).is_some();
        let is_function = |word: &str| self.words.form.function_words.at_start(&[word.to_owned()]).is_some();
        let pairs = self.said.windows(2).filter(move |pair| is_list(&pair[1]) && !is_function(&pair[0]));
        let compounds = self.said.iter().filter_map(|word| self.words.form.list_words.compound(word));
        pairs.map(|pair| pair[0].clone()).chain(compounds)
    }

    fn hold_percent(&self, text: &str) -> bool {
        let Ok(percent) = text.parse::<f64>() else { return false };
        let is_it =
            |said: f64| (said - percent).abs() < 0.5 || (said <= 10.0 && (said * 10.0 - percent).abs() < 0.5);
        self.numbers.iter().any(|number| is_it(f64::from(*number) / f64::from(ONE)))
            || self.hold_named_percent(text)
    }

    /// Returns whether it was said in a word: "halfway".
    fn hold_named_percent(&self, text: &str) -> bool {
        let mut named = self.words.percent.iter().filter(|(word, _)| self.said.contains(word));
        text.parse::<f64>()
            .is_ok_and(|percent| named.any(|(_, known)| (f64::from(*known) - percent).abs() < 0.5))
    }

    /// Returns the value that was named, or where none was, any.
    fn hold_choice(&self, argument: &str, text: &str) -> bool {
        // The newest words count before the question in return.
        let asked = words_of(self.texts.first().map_or("", String::as_str));
        let named = |words: &[String]| -> Vec<&str> {
            let choices = self.words.choices(argument);
            choices
                .filter(|(_, phrases): &(&str, &Phrases)| self.words.names(phrases, words))
                .map(|(value, _)| value)
                .collect()
        };
        let in_asked = named(&asked);
        let all = if in_asked.is_empty() { named(&self.said) } else { in_asked };
        let is_every = text == "every" && all.len() > 1;
        is_every || all.is_empty() || all.contains(&text.to_lowercase().as_str())
    }
}

/// Returns `text` without the lengths of time in it, as `read` knows them.
fn without_lengths(text: &str, read: impl Fn(&str) -> Option<When>) -> String {
    let words = words_of(text);
    let mut left: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // "Ten minutes to eleven" is a time.
        let longest = (1..=LONGEST_TIME.min(words.len() - at)).rev().find_map(|length| {
            let window = &words[at..at + length];
            read(&window.join(" ")).map(|when| (length, when))
        });
        let (length, is_length) = match longest {
            Some((length, When::In(_))) => (length, true),
            Some((length, When::At(_))) => (length, false),
            None => (1, false),
        };
        if !is_length {
            left.extend(words[at..at + length].iter().map(String::as_str));
        }
        at += length;
    }
    left.join(" ")
}

/// Returns every few words of `text` that stand behind one another.
fn windows(text: &str) -> Vec<String> {
    let words = words_of(text);
    let longest = LONGEST_TIME.min(words.len());
    (1..=longest)
        .flat_map(|length| words.windows(length).map(|window| window.join(" ")).collect::<Vec<_>>())
        .collect()
}

/// Returns whether `word` begins the compound `said`: "einkauf" in "einkaufsliste".
fn compound(said: &str, word: &str) -> bool {
    word.chars().count() >= STEM && said.starts_with(word)
}
