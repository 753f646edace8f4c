//! Reports around a request: a request within a report is none.
//!
//! In: the clauses of a sentence, one after the other. Out: the form of each within the whole. "My wife said to
//! hurry and set an alarm" asks for nothing, and neither does what stands behind the colon of something reported.
//! Pure: no I/O, no clock.

use super::clause::{Clause, Form};
use super::clauses;
use super::sentences::{ClausePart, WordRun, led, sentences};
use crate::text::{quotes, without_quotes};
use joi_language::Language;
use joi_language::{RequestWords, ToldWords, words_of};

/// Most words of who said what stands in front: "said my wife".
const LONGEST_SAYING: usize = 4;

/// A report in front of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ToldBefore {
    /// Something to which a request may belong.
    Maybe,
    /// Something that has happened.
    Past,
    /// The words of somebody else.
    Report,
}

/// The effect of earlier clauses on the next one.
#[derive(Debug, Default)]
pub(super) struct Telling {
    /// The form that is announced; it lasts for the sentence.
    announced: Option<Form>,
    /// To this belongs what is joined to it.
    told: Option<ToldBefore>,
}

impl Telling {
    /// Reads the next clause of a sentence, and makes of it what it is within the whole.
    pub(super) fn reads(&mut self, words: &RequestWords, part: &ClausePart, clause: &mut Clause) {
        match (self.announced, clause.form) {
            (Some(Form::Reported), Form::Request | Form::Open) => clause.form = Form::Reported,
            (Some(Form::Hypothesis), Form::Request) => clause.has_condition = true,
            _ => {}
        }
        let before = self.told.filter(|_| part.is_joined);
        match (before, clause.form) {
            (Some(ToldBefore::Past), Form::Request) if asks_politely(words, &part.words) => {}
            (Some(ToldBefore::Report), Form::Request) if asks_politely(words, &part.words) => {
                clause.has_condition = true;
            }
            (Some(ToldBefore::Past | ToldBefore::Report), Form::Request | Form::Open) => {
                clause.form = Form::Reported
            }
            (Some(ToldBefore::Maybe), Form::Request) => clause.has_condition = true,
            _ => {}
        }
        let own = report(words, part, clause);
        let is_other =
            matches!(clause.form, Form::Request | Form::Question) || is_recital(words, &part.words);
        self.told = match own {
            Some(_) => own.max(before),
            None if is_other && before.is_none() => None,
            None => self.told,
        };
        self.announced = announced(words, part, clause).or(self.announced);
    }

    /// Goes on with another sentence, of which something is reported already where the last one `announces` it.
    pub(super) fn next_sentence(&mut self, announces: bool) {
        self.announced = self.announced.filter(|form| *form == Form::Reported && announces);
        self.told = None;
    }
}

/// Returns what a clause announces for the rest of its sentence.
fn announced(words: &RequestWords, part: &ClausePart, clause: &Clause) -> Option<Form> {
    let said = &part.words;
    let ends_told = words.form.reported.are_in(&said[said.len().saturating_sub(2)..]);
    match clause.form {
        Form::Reported if part.announces || ends_told && !is_recital(words, said) => Some(Form::Reported),
        // "Finish this line of my song: turn it up."
        Form::Statement | Form::Open | Form::Question if part.announces => Some(Form::Hypothesis),
        Form::Hypothesis if words.form.hypotheses.at_start(said).is_some() => Some(Form::Hypothesis),
        _ => None,
    }
}

/// Returns what a clause states.
fn report(words: &RequestWords, part: &ClausePart, clause: &Clause) -> Option<ToldBefore> {
    let (told, said) = (&words.told, &part.words);
    let (reports, is_past) = (told.reports.are_in(said), is_past(told, said));
    let maybe = || (reports || is_past).then_some(ToldBefore::Maybe);
    match clause.form {
        Form::Request if takes_all(words, clause) => maybe(),
        Form::Request => None,
        Form::Question => maybe(),
        // A request for a joke or a story reports nothing itself.
        _ if is_recital(words, said) => maybe(),
        _ if reports => Some(ToldBefore::Report),
        _ if is_past => Some(ToldBefore::Past),
        Form::Reported => Some(ToldBefore::Maybe),
        Form::Statement => {
            let is_teller = told.tellers.are_in(said) && !told.present.are_in(said);
            is_teller.then_some(ToldBefore::Maybe)
        }
        Form::Stay | Form::Hypothesis | Form::Open => None,
    }
}

/// Returns whether a request takes whatever follows for its own: "remember that my wife said to hurry".
pub(super) fn takes_all(words: &RequestWords, clause: &Clause) -> bool {
    words.deeds().any(|(_, deed)| deed.alone.at_start(&clause.words).is_some())
}

fn is_past(told: &ToldWords, said: &[String]) -> bool {
    let is_participle = |word: &String| told.participles.iter().any(|form| fits(form, word));
    let has_auxiliary = || told.perfect.is_empty() || told.perfect.are_in(said);
    told.past.are_in(said) || said.iter().any(is_participle) && has_auxiliary() && !told.present.are_in(said)
}

/// Returns whether who says it reports of themselves what has happened: "I've bought the eggs already".
pub fn reports_past(language: &Language, text: &str) -> bool {
    let said = words_of(text);
    !text.contains('?')
        && language
            .requests()
            .iter()
            .any(|of| of.talk.own.at_start(&said).is_some() && is_past(&of.told, &said))
}

/// Returns whether a word has a form such as "*ed".
fn fits(form: &str, word: &str) -> bool {
    match form.split_once('*') {
        Some((begin, rest)) => word.strip_prefix(begin).is_some_and(|word| match rest.split_once('*') {
            None => !word.is_empty() && word.ends_with(rest),
            Some((middle, end)) => word.strip_suffix(end).is_some_and(|word| word.contains(middle)),
        }),
        None => form == word,
    }
}

/// Returns whether somebody wants to hear a story, a joke or a report.
fn is_recital(words: &RequestWords, said: &[String]) -> bool {
    words.told.recitals.at_start(led(&words.form, said)).is_some()
}

/// Returns whether somebody is asked, which goes on with nothing that was reported: "and could you set a timer".
fn asks_politely(words: &RequestWords, said: &[String]) -> bool {
    let rest = led(&words.form, said);
    words.form.polite.at_start(rest).is_some() || words.form.wishes.at_start(rest).is_some()
}

/// The effect of a clause on those in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaidBehind {
    /// Who said them: "…, said my wife".
    Who,
    /// It goes on with a report of which they are a part: "… and went to bed".
    GoesOn,
}

/// Returns what a clause says of those in front of it; mostly nothing.
pub(super) fn saying(words: &RequestWords, part: &ClausePart, form: Form) -> Option<SaidBehind> {
    let told = &words.told;
    let rest = led(&words.form, &part.words);
    let reports = told.reports.at_start(rest).is_some();
    let is_short = rest.len() <= LONGEST_SAYING && told.reports.at_end(rest).is_some();
    match form {
        Form::Request => None,
        _ if !part.is_joined && (reports || is_short) => Some(SaidBehind::Who),
        _ => (reports || told.past.at_start(rest).is_some()).then_some(SaidBehind::GoesOn),
    }
}

/// Makes of a clause what it is in front of such a one.
pub(super) fn was_said(words: &RequestWords, saying: SaidBehind, clause: &mut Clause) {
    clause.has_condition |=
        clause.form == Form::Request && (saying == SaidBehind::Who || !takes_all(words, clause));
}

/// Returns whether `part`, a stretch of `whole`, is a request of its own there: nothing of it belongs to something
/// reported, stands behind its colon, or is quoted.
pub(super) fn stands_alone_within(language: &Language, whole: &str, part: &str) -> bool {
    let Some((before, after)) = around(whole, part) else { return false };
    let is_alone = |(at, words): (usize, &RequestWords)| {
        let read_in = if at == 0 { ReadIn::Own } else { ReadIn::Other };
        stands_alone(words, (before, part, after), read_in)
    };
    let is_taken_back = || language.requests().iter().any(|words| is_taken_back(words, whole));
    !quotes(whole)
        && !is_taken_back()
        && without_quotes(before).open.is_empty()
        && language.requests().iter().enumerate().all(is_alone)
}

/// Returns what stands around `part`, which is a slice of `whole`.
fn around<'a>(whole: &'a str, part: &str) -> Option<(&'a str, &'a str)> {
    let from = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let is_it = whole.get(from..from + part.len()).is_some_and(|there| there == part);
    is_it.then(|| (&whole[..from], &whole[from + part.len()..]))
}

/// Returns whether the last words of `text` take back what is asked for in front of them: "cancel all timers, no,
/// wait".
pub(super) fn is_taken_back(words: &RequestWords, text: &str) -> bool {
    let runs: Vec<WordRun> = sentences(text).into_iter().flatten().collect();
    let is_question = runs.last().is_some_and(|run| run.is_question);
    let is_retraction = |said: &[String]| words.told.retractions.at_start(said) == Some(said.len());
    // With or without a comma within: "no, never mind".
    let behind = (1..runs.len()).rev().take(MOST_RETRACTIONS);
    let mut last =
        behind.map(|from| runs[from..].iter().flat_map(|run| run.words.clone()).collect::<Vec<_>>());
    !is_question && last.any(|said| is_retraction(&said))
}

/// Most stretches of words that take something back.
const MOST_RETRACTIONS: usize = 3;

/// Which words are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadIn {
    /// Those of the language in which the utterance is understood.
    Own,
    /// Those of another one.
    Other,
}

/// Returns whether the words between `before` and `after` are a request of their own, and no part of what is reported
/// around them.
fn stands_alone(words: &RequestWords, (before, part, after): (&str, &str, &str), read_in: ReadIn) -> bool {
    let (_, mut telling) = clauses::read(words, before);
    if before.trim_end().ends_with(['.', '!', '?', ';', '…']) {
        telling.next_sentence(false);
    }
    let (lead, said) = (words_of(before), words_of(part));
    let coordinates = &words.told.coordinates;
    let is_joined = coordinates.at_end(&lead).is_some() || coordinates.at_start(&said).is_some();
    let is_told = is_joined
        && telling.told.is_some_and(|told| told != ToldBefore::Past || !asks_politely(words, &said));
    let is_announced = read_in == ReadIn::Own && telling.announced.is_some();
    !is_told && !is_announced && !is_said_behind(words, after)
}

/// Returns whether `after` begins with who said what stands in front of it.
fn is_said_behind(words: &RequestWords, after: &str) -> bool {
    let after = after.trim_start();
    if after.starts_with(['.', '!', '?', ';', '…']) {
        return false;
    }
    let is_joined = words.told.coordinates.at_start(&words_of(after)).is_some();
    let sentence = sentences(after.trim_start_matches([',', ' '])).into_iter().next();
    let Some(run) = sentence.and_then(|runs| runs.into_iter().next()) else { return false };
    let part = ClausePart { words: run.words, announces: false, is_joined };
    saying(words, &part, Form::Statement).is_some()
}
