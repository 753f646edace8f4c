//! Whether an answer of a small model is none: a stock phrase, joi's own prompt, the user's part of the conversation, or
//! words in circles.
//!
//! Far below a millisecond. In: what was asked, the persona in the prompt, and the answer so far. Out: whether it is
//! vacant. Answers of larger models are not looked at. The words are data of the language.
//! Pure: no I/O, no clock.

use std::collections::HashMap;
use std::ops::Range;

use crate::news;
use joi_language::Language;
use joi_language::PromptName;
use joi_language::words;
use joi_language::{Phrases, TalkWords, words_of};
use joi_understand::intents::{self, Mood};
use joi_understand::question::content_words;
use joi_understand::reference::{self, Feeling};
use joi_understand::risk;
use joi_understand::wish;

/// So many words in a row of the persona are recited.
const RECITED: usize = 5;
/// Text that may follow the persona in a prompt.
const HINTS: [PromptName; 3] = [PromptName::Recovery, PromptName::Unsure, PromptName::HintComplete];
/// Groups of so many words that are said three times on end go in circles, and so do so many words that come three times
/// anywhere.
const CIRCLE: std::ops::RangeInclusive<usize> = 3..=8;
const CIRCLE_ANYWHERE: usize = 4;
const CIRCLE_TIMES: usize = 3;
/// So many words in a row of the answer before, at the beginning of this one, and anywhere in it, are that answer again.
const BEGUN_AGAIN: usize = 8;
const SAID_AGAIN: usize = 12;
/// So many words in a row of the user are their own statement, behind so many others.
const OWN: usize = 3;
const LEAD: usize = 2;
/// So many words in a row, one of which means the user, are the user's; one fewer where so many of them state something.
const TAKEN: usize = 4;
const TELLING: usize = 2;

/// Why an answer is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Vacancy {
    /// A phrase that small models say where they have no answer, or take themselves for another.
    #[error("the reply is a stock phrase")]
    Stock,
    /// A reason that nobody asked for.
    #[error("the reply begins with a reason that nobody asked for")]
    Reason,
    /// Words of the prompt.
    #[error("the reply recites the prompt")]
    Recited,
    /// What the user says of themselves.
    #[error("the reply speaks as the user")]
    UsersPart,
    /// Joy about bad news.
    #[error("the reply is glad about bad news")]
    Rejoices,
    /// The same words again and again.
    #[error("the reply goes in circles")]
    Circles,
    /// The answer before, to something else.
    #[error("the reply is the answer before")]
    Again,
}

/// The place of words within an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerPlace {
    /// Nothing was said before them.
    Head,
    /// They go on with what was said.
    Behind,
}

/// Texts that an answer must not repeat.
#[derive(Debug, Clone, Copy)]
pub struct VacancyRule<'a> {
    /// The words of the user.
    pub asked: &'a str,
    /// How the prompt begins.
    pub persona: &'a str,
    /// The memories for this turn, a line for each entry.
    pub remembered: &'a str,
    /// The earlier words of the user.
    pub earlier: &'a [String],
    /// The answer before this one.
    pub last: &'a str,
}

/// How the beginning of an answer compares with the answer before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It is another one.
    No,
    /// It may become the same.
    Perhaps,
    /// It is the same once more.
    Yes,
}

impl VacancyRule<'_> {
    /// Returns why `answer`, which stands at `place`, is none.
    pub fn vacancy(self, language: &Language, answer: &str, place: AnswerPlace) -> Option<Vacancy> {
        let (asked, said) = (words_of(self.asked), words_of(answer));
        let talk = || language.requests().iter().map(|words| &words.talk);
        let asks_for = |of: fn(&TalkWords) -> &Phrases| talk().any(|talk| of(talk).are_in(&asked));
        let holds_stock = || talk().any(|talk| talk.stock.are_in(&said) && !talk.stock.are_in(&asked));
        let recites = |text: &str| has_run(&words_of(text), &said, RECITED, |_| true);
        let recites_prompt = || {
            let is_persona = !asks_for(|talk| &talk.addressed) && recites(self.persona);
            let is_hint = || HINTS.iter().any(|hint| recites(language.prompts().of(*hint)));
            is_persona || is_hint() || wish::REASONS.iter().any(|reason| recites(reason))
        };
        // Behind other words it belongs to them: the point of a joke, the reason for an advice.
        let explains = || {
            let begins = |talk: &TalkWords| talk.reasons.at_start(&said).is_some();
            let is_asked = || asks_for(|talk| &talk.asks_reason) || asks_for(|talk| &talk.tales);
            place == AnswerPlace::Head
                && talk().any(begins)
                && asks_for(|talk| &talk.own)
                && !is_asked()
                && !self.is_question(language)
        };
        let rejoices = || {
            let is_glad = |talk: &TalkWords| talk.rejoices.are_in(&said) && !talk.rejoices.are_in(&asked);
            talk().any(is_glad) && reference::feeling(language, self.asked) == Feeling::Sad
        };
        let speaks_as_user = || users_part(language, &asked, &said).is_some();
        [
            (Vacancy::Stock, &holds_stock as &dyn Fn() -> bool),
            (Vacancy::Reason, &explains),
            (Vacancy::Recited, &recites_prompt),
            (Vacancy::UsersPart, &speaks_as_user),
            (Vacancy::Rejoices, &rejoices),
        ]
        .into_iter()
        .find_map(|(vacancy, holds)| holds().then_some(vacancy))
    }

    /// Returns whether something is asked of joi.
    fn is_question(self, language: &Language) -> bool {
        self.asked.trim_end().ends_with('?') || intents::mood(language, self.asked) == Mood::Question
    }

    /// `words` with the user's own part of them turned round, where they are an answer all the same: "boil your eggs for
    /// nine minutes" in place of "boil my eggs". What begins as the user must be known of them, or be what was asked how
    /// to do.
    pub fn with_users_part_turned(self, language: &Language, words: String) -> String {
        let (asked, said) = (words_of(self.asked), words_of(&words));
        let Some(part) = users_part(language, &asked, &said) else { return words };
        let seeks = |talk: &TalkWords| talk.seeks.at_start(&asked).is_some();
        let is_sought = || language.requests().iter().any(|of| seeks(&of.talk));
        let is_known = || {
            let known = |word: &String| {
                let told = self.remembered.lines().chain(self.earlier.iter().map(String::as_str));
                told.flat_map(words_of).any(|told| words::is_form_of(&told, word))
            };
            let news = content_words(&words);
            let mut news = news.iter().filter(|word| !asked.contains(word)).peekable();
            news.peek().is_some() && news.all(known)
        };
        // "It's normal to be afraid of my driving test": only a stretch of it is the user's.
        let is_ours = || {
            let rest = [&said[..part.start], &said[part.end..]].concat();
            let is_of_user = language.requests().iter().any(|of| of.talk.first_person.are_in(&rest));
            let persona = words_of(self.persona);
            let is_new = |word: &String| !asked.contains(word) && !persona.contains(word);
            part.start > 0 && !is_of_user && content_words(&rest.join(" ")).iter().any(is_new)
        };
        let is_personal = || risk::is_personal(language, self.asked);
        let may_be_turned = news::has_news(language, self.asked, &words)
            && match self.is_question(language) {
                true => is_sought() || is_known() || part.start > 0 && !is_personal(),
                false => is_ours(),
            };
        if may_be_turned { turned_within(language, &words, part) } else { words }
    }
}

impl VacancyRule<'_> {
    /// `words` as seen from joi's side, where they are what the user has said of themselves: a small model says "My
    /// sister is called Ann" when it was reported so.
    pub fn turned_round(self, language: &Language, words: String) -> String {
        let said = words_of(&words);
        let talk = || language.requests().iter().map(|words| &words.talk);
        let is_first = |words: &[String]| talk().any(|talk| talk.first_person.are_in(words));
        let entry = |line: &str| line.strip_prefix("- ").map(words_of);
        let is_entry = || self.remembered.lines().filter_map(entry).any(|entry| entry == said);
        // "I am fine" is joi's own answer, unless the user has asked about themselves.
        let is_about_user = || is_first(&words_of(self.asked));
        let is_part = |line: &str| {
            let line = words_of(line);
            (0..=LEAD).filter_map(|lead| said.get(lead..)).any(|said| {
                said.len() >= OWN && is_first(said) && line.windows(said.len()).any(|run| run == said)
            })
        };
        let is_told =
            || self.remembered.lines().any(is_part) || self.earlier.iter().map(String::as_str).any(is_part);
        // "I'm Max" is reported as "My name is Max".
        let is_introduced = || {
            let has_it = |told: &String| said.last().is_some_and(|name| words_of(told).contains(name));
            self.earlier.iter().any(|told| has_it(told) && risk::introduces(language, self.asked, told))
        };
        if !is_first(&said) || !(is_entry() || is_about_user() && (is_told() || is_introduced())) {
            return words;
        }
        let (begin, end) = (words.len() - words.trim_start().len(), words.trim_end_matches(is_mark).len());
        let told = intents::said_back(language, &words[begin..end.max(begin)]);
        let mut letters = told.chars();
        let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
        format!("{}{first}{}{}", &words[..begin], letters.as_str(), &words[end.max(begin)..])
    }

    /// Returns whether `answer`, of which nothing went out yet, is the answer before it once more, though something
    /// else was asked.
    pub fn again(self, language: &Language, answer: &str) -> Again {
        let (said, last) = (words_of(answer), words_of(self.last));
        if said.is_empty() || last.len() < BEGUN_AGAIN || !self.asks_for_something_else(language, &last) {
            return Again::No;
        }
        let shared = said.iter().zip(&last).take_while(|(said, last)| said == last).count();
        match shared {
            BEGUN_AGAIN.. => Again::Yes,
            shared if shared == said.len() => Again::Perhaps,
            _ if has_run(&last, &said, SAID_AGAIN, |_| true) => Again::Yes,
            _ => Again::No,
        }
    }

    /// Returns whether the request is about something else than the answer before it, and does not want that once more.
    fn asks_for_something_else(self, language: &Language, last: &[String]) -> bool {
        let (asked, matter) = (words_of(self.asked), content_words(self.asked));
        let mut talk = language.requests().iter().map(|words| &words.talk);
        let is_in_it = |word: &&String| last.iter().any(|said| words::is_form_of(said, word));
        let wants_it_again = talk.any(|talk| talk.once_more.are_in(&asked) || talk.tales.are_in(&asked));
        let was_asked = self.earlier.iter().any(|earlier| words_of(earlier) == asked);
        let known = matter.iter().filter(is_in_it).count();
        !matter.is_empty() && known * 2 < matter.len() && !wants_it_again && !was_asked
    }

    /// Returns whether `answer`, as far as it came, says the same words again and again. What is reported or recited may.
    pub fn goes_in_circles(self, language: &Language, answer: &str) -> bool {
        let asked = words_of(self.asked);
        let mut talk = language.requests().iter().map(|words| &words.talk);
        !talk.any(|talk| talk.tales.are_in(&asked) || talk.again.are_in(&asked))
            && is_circle(&words_of(answer))
    }
}

/// Returns which words of an answer are what the user has said of themselves, where that is not to be said back.
fn users_part(language: &Language, asked: &[String], said: &[String]) -> Option<Range<usize>> {
    let mut talk = language.requests().iter().map(|words| &words.talk);
    if news::may_be_said_back(language, asked) || talk.any(|talk| talk.tales.are_in(asked)) {
        return None;
    }
    let is_users = |run: &[String]| {
        let is_taken = || run.len() >= TAKEN || content_words(&run.join(" ")).len() >= TELLING;
        language.requests().iter().any(|of| of.talk.first_person.are_in(run)) && is_taken()
    };
    let is_shared = |at: &usize, length: usize| {
        let run = said.get(*at..*at + length);
        run.is_some_and(|run| is_users(run) && asked.windows(length).any(|there| there == run))
    };
    let from = (0..said.len()).find(|at| (TAKEN - 1..=TAKEN).any(|length| is_shared(at, length)))?;
    let is_asked = |end: &usize| asked.windows(end - from).any(|there| *there == said[from..*end]);
    let end = (from + 1..=said.len()).take_while(is_asked).last();
    Some(from..end.unwrap_or(from + 1))
}

/// `text` with the words of `part`, by their number, seen from the other side.
fn turned_within(language: &Language, text: &str, part: Range<usize>) -> String {
    let (mut before, mut within, mut behind) = (String::new(), String::new(), String::new());
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let place = match at {
            at if at >= part.end => &mut behind,
            at if at >= part.start => &mut within,
            _ => &mut before,
        };
        place.push_str(piece);
        at += words_of(piece).len();
    }
    let bare = within.trim_end();
    let told = intents::said_back(language, bare);
    let begins = before.trim_end().chars().next_back().is_none_or(|last| ['.', '!', '?'].contains(&last));
    let mut letters = told.chars();
    let first: String = match letters.next() {
        Some(first) if begins => first.to_uppercase().collect(),
        first => first.into_iter().collect(),
    };
    format!("{before}{first}{}{}{behind}", letters.as_str(), &within[bare.len()..])
}

fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric()
}

fn is_circle(words: &[String]) -> bool {
    let on_end = |length: usize| {
        let is_same = |run: &[String]| run.chunks(length).all(|group| *group == run[..length]);
        words.windows(CIRCLE_TIMES * length).any(is_same)
    };
    let mut counts: HashMap<&[String], usize> = HashMap::new();
    let mut comes_again = words.windows(CIRCLE_ANYWHERE).map(|run| {
        let count = counts.entry(run).or_default();
        *count += 1;
        *count
    });
    CIRCLE.into_iter().any(on_end) || comes_again.any(|count| count >= CIRCLE_TIMES)
}

/// Returns whether both hold the same `length` words in a row, which fit.
fn has_run(one: &[String], other: &[String], length: usize, fits: impl Fn(&[String]) -> bool) -> bool {
    one.windows(length).any(|run| fits(run) && other.windows(length).any(|there| there == run))
}

#[cfg(test)]
mod tests;
