//! Filters a reply while it arrives: releases words clause by clause and holds calls back whole.
//!
//! Input: the model's text in pieces of any size. Output: what may be said now, and at the end the calls. A call is
//! looked for before a reply is judged malformed, and no word of a call is ever said.
//! Pure: no I/O, no clock.

use crate::Malformed;
use crate::OfferRule;
use crate::check::ReplyRefusal;
use crate::news;
use crate::protocol::{self, Begins, WrittenCall};
use crate::truth::{self, ClaimEvidence};
use crate::vacant::{Again, AnswerPlace, Vacancy, VacancyRule};
use crate::{AnswerEnding, OutputGate, sentences_end};
use joi_language::Language;
use joi_language::joint_behind_opening;
use joi_language::words_of;

/// Most bytes of the beginning of a sentence that wait for what follows the comma.
const LONGEST_BEGINNING: usize = 40;

/// Most pieces, which are mostly tokens, of what may hardly be anything any more; of a clause, which the gate lets out
/// before that; and of a call.
const MOST_OF_NOTHING: usize = 24;
const MOST_OF_A_CLAUSE: usize = 100;
const MOST_OF_A_CALL: usize = 120;

/// The reader of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The user: the reply is said as it arrives.
    Answer,
    /// The program alone.
    Choice,
}

/// Most bytes of a reply with its calls. A model that writes more does not come to an end.
const MOST_WRITTEN: usize = 64 * 1024;
/// Bytes of a call within which it names its tool.
const BEGINNING: usize = 1024;

#[derive(Debug)]
enum FilterState {
    /// The head may still become a call.
    Sniffing,
    /// Words go out.
    Speaking,
    /// The text looks like a call; if it is not one, this is the reason why it was held.
    Held(Option<ReplyRefusal>),
    /// Nothing goes out.
    Silent,
}

/// What a reply is measured by.
#[derive(Debug, Clone, Copy)]
pub struct FilterRules<'a> {
    /// Tools whose calls count when they are written as text.
    pub known: &'a [String],
    /// The reader.
    pub purpose: Purpose,
    /// The evidence for claims about actions.
    pub evidence: ClaimEvidence<'a>,
    /// The rule for offers.
    pub offers: OfferRule<'a>,
    /// Texts that do not count as an answer; `None` where that is not checked.
    pub vacancy: Option<VacancyRule<'a>>,
}

/// One reply.
#[derive(Debug)]
pub struct ReplyFilter<'a> {
    known: &'a [String],
    evidence: ClaimEvidence<'a>,
    offers: OfferRule<'a>,
    vacancy: Option<VacancyRule<'a>>,
    language: &'a Language,
    state: FilterState,
    gate: OutputGate,
    /// Words of it went out.
    has_spoken: bool,
    /// The reason why nothing more of it goes out.
    ended: Option<ReplyRefusal>,
    /// The beginning of a sentence that is not let out before it is known what it claims.
    begun: String,
    /// What holds nothing yet but words of the request; nothing once there was more.
    repeated: Option<String>,
    raw: String,
    /// Bytes that came, those of blanks before the first word included.
    written: usize,
}

/// The outcome of a reply.
#[derive(Debug, PartialEq)]
pub struct FilteredReply {
    /// The last words that may go out.
    pub rest: String,
    /// Calls written as text.
    pub calls: Vec<WrittenCall>,
    /// All text outside of calls.
    pub words: String,
    /// The end of it was left out, and why.
    pub left_out: Option<ReplyRefusal>,
}

impl<'a> ReplyFilter<'a> {
    /// Listens to an answer: for calls of the tools that are known; without any, no call is looked for.
    pub fn new(rules: FilterRules<'a>, language: &'a Language) -> Self {
        let FilterRules { known, purpose, evidence, offers, vacancy } = rules;
        let state = match purpose {
            Purpose::Choice => FilterState::Silent,
            Purpose::Answer if known.is_empty() => FilterState::Speaking,
            Purpose::Answer => FilterState::Sniffing,
        };
        let (gate, begun, raw) = (OutputGate::default(), String::new(), String::new());
        let (has_spoken, ended) = (false, None);
        // A report of what was done may repeat the words that asked for it.
        let repeated = evidence.done.is_empty().then(String::new);
        Self {
            known,
            evidence,
            offers,
            vacancy,
            language,
            state,
            gate,
            has_spoken,
            ended,
            begun,
            repeated,
            raw,
            written: 0,
        }
    }

    /// The next piece; what may be said now.
    pub fn push(&mut self, text: &str) -> Result<String, ReplyRefusal> {
        self.written += text.len();
        if self.written > MOST_WRITTEN {
            return Err(ReplyRefusal::TooLong { tokens: self.written / 4 });
        }
        let text = if self.raw.is_empty() { text.trim_start() } else { text };
        self.raw.push_str(text);
        let new = match self.state {
            _ if self.ended.is_some() => return Ok(String::new()),
            FilterState::Held(_) | FilterState::Silent => return Ok(String::new()),
            FilterState::Speaking => text.to_owned(),
            FilterState::Sniffing => match protocol::begins_call(&self.raw, self.known) {
                Begins::Undecided => return Ok(String::new()),
                Begins::Call => {
                    self.state = FilterState::Held(None);
                    return Ok(String::new());
                }
                Begins::Words => {
                    self.state = FilterState::Speaking;
                    self.raw.clone()
                }
            },
        };
        match self.gate.push(&new) {
            Ok(words) => {
                let words = if words.is_empty() { self.opening()? } else { words };
                let words = self.honest(words)?;
                Ok(self.with_news(words))
            }
            Err(ReplyRefusal::Malformed(why)) if !self.known.is_empty() && may_be_call(why) => {
                self.state = FilterState::Held(Some(why.into()));
                Ok(String::new())
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The first words of a sentence that is not whole. Only of talk, and of what says nothing about joi: behind the
    /// beginning of a call or a claim must not stand the word that none was meant.
    fn opening(&mut self) -> Result<String, ReplyRefusal> {
        if !self.known.is_empty() || self.vacancy.is_none() {
            return Ok(String::new());
        }
        let (language, endings) = (self.language, self.language.endings());
        let tells_of_herself = |words: &str| {
            let words = words_of(words);
            language.requests().iter().any(|known| known.talk.first_person.are_in(&words))
        };
        self.gate.open(|waiting| {
            let joint = joint_behind_opening(waiting, &endings)?;
            (!tells_of_herself(&waiting[..joint.start])).then_some(joint.end)
        })
    }

    /// In how many pieces without a word to be said there may still be one, or a call.
    pub fn most_unsaid(&self) -> usize {
        let looks_like_data = self.raw.trim_start().starts_with(['{', '[', '<', '`']);
        // A call names its tool at its beginning.
        let end = (0..=self.raw.len().min(BEGINNING)).rev().find(|at| self.raw.is_char_boundary(*at));
        let beginning = &self.raw[..end.unwrap_or(0)];
        let names_a_tool = || self.known.iter().any(|name| beginning.contains(name.as_str()));
        match self.state {
            _ if self.ended.is_some() => MOST_OF_NOTHING,
            FilterState::Silent => MOST_OF_A_CALL,
            FilterState::Speaking if self.has_spoken || !looks_like_data => MOST_OF_A_CLAUSE,
            FilterState::Speaking | FilterState::Held(_) | FilterState::Sniffing if names_a_tool() => {
                MOST_OF_A_CALL
            }
            FilterState::Speaking | FilterState::Held(_) | FilterState::Sniffing => MOST_OF_NOTHING,
        }
    }

    /// The end of the reply.
    pub fn finish(mut self, ending: AnswerEnding) -> Result<FilteredReply, ReplyRefusal> {
        let parsed = if self.known.is_empty() {
            protocol::Parsed::default()
        } else {
            protocol::parse(&self.raw, self.known)
        };
        if !parsed.calls.is_empty() {
            let protocol::Parsed { calls, words } = parsed;
            return Ok(FilteredReply { rest: String::new(), calls, words, left_out: None });
        }
        let rest = match std::mem::replace(&mut self.state, FilterState::Silent) {
            _ if self.ended.is_some() => String::new(),
            FilterState::Silent => String::new(),
            FilterState::Held(Some(refusal)) => return Err(refusal),
            FilterState::Held(None) if protocol::is_broken_call(&self.raw, self.known) => {
                return Err(Malformed::ToolCall.into());
            }
            // It looked like a call and is none: nothing of it is lost.
            FilterState::Held(None) | FilterState::Sniffing => {
                let first = self.gate.push(protocol::final_answer(&self.raw))?;
                first + &std::mem::take(&mut self.gate).finish(ending)?
            }
            FilterState::Speaking => std::mem::take(&mut self.gate).finish(ending)?,
        };
        let rest = self.honest(rest)? + &self.begun;
        let left_out = self.ended;
        if let Some(refusal) = left_out.filter(|_| !self.has_spoken) {
            return Err(refusal);
        }
        let rest = self.with_news(rest);
        let asked = self.evidence.asked;
        let rest = match self.repeated {
            Some(words) if news::repeats_the_request(self.language, asked, &words) => {
                return Err(ReplyRefusal::Repeats);
            }
            Some(words) => words,
            None => rest,
        };
        Ok(FilteredReply { rest, calls: Vec::new(), words: self.raw, left_out })
    }

    /// `words`, or nothing while their sentence may still become a claim or an offer.
    fn honest(&mut self, words: String) -> Result<String, ReplyRefusal> {
        let mut words = std::mem::take(&mut self.begun) + &words;
        if !words.trim().is_empty() && truth::unsupported(self.language, &words, self.evidence).is_some() {
            let has_acted = self.evidence.done.iter().any(|call| call.has_changed);
            return Err(if has_acted { ReplyRefusal::FurtherClaim } else { ReplyRefusal::Claim });
        }
        if let Some(rule) = self.vacancy {
            words = rule.with_users_part_turned(self.language, words);
        }
        match self.vacancy.filter(|_| !self.has_spoken).map(|rule| rule.again(self.language, &words)) {
            Some(Again::Yes) => return Err(Vacancy::Again.into()),
            Some(Again::Perhaps) => {
                self.begun = words;
                return Ok(String::new());
            }
            Some(Again::No) | None => {}
        }
        let allowed = self.offers.allowed(self.language, &words);
        if let Some(vacancy) = self.vacancy_of(&words) {
            if !self.has_spoken {
                return Err(vacancy.into());
            }
            self.ended = Some(vacancy.into());
            words.clear();
        } else if allowed < words.len() {
            self.ended = Some(ReplyRefusal::Offer);
            words.truncate(allowed);
        } else if matches!(self.offers, OfferRule::Asked(_)) {
            self.begun = words.split_off(sentences_end(&words));
        } else if words.trim_end().ends_with(',') && words.len() < LONGEST_BEGINNING {
            self.begun = std::mem::take(&mut words);
        }
        self.has_spoken |= !words.trim().is_empty();
        Ok(match self.vacancy {
            Some(rule) => rule.turned_round(self.language, words),
            None => words,
        })
    }

    /// Returns why `words`, which go on with what was said, are no answer.
    fn vacancy_of(&self, words: &str) -> Option<Vacancy> {
        let rule = self.vacancy.filter(|_| !words.trim().is_empty())?;
        let place = if self.has_spoken { AnswerPlace::Behind } else { AnswerPlace::Head };
        let circles = || rule.goes_in_circles(self.language, &self.raw).then_some(Vacancy::Circles);
        rule.vacancy(self.language, words, place).or_else(circles)
    }

    /// `words`, or nothing while all that came so far are words of the request.
    fn with_news(&mut self, words: String) -> String {
        let Some(repeated) = &mut self.repeated else { return words };
        repeated.push_str(&words);
        let is_new = news::has_news(self.language, self.evidence.asked, repeated);
        if is_new { self.repeated.take().unwrap_or_default() } else { String::new() }
    }
}

/// Returns whether text that the sanitizer refused may still be a call.
fn may_be_call(why: Malformed) -> bool {
    match why {
        Malformed::ToolCall | Malformed::Data | Malformed::Truncated => true,
        Malformed::ReservedTokens
        | Malformed::Label
        | Malformed::Recited
        | Malformed::Placeholder
        | Malformed::Loops => false,
    }
}

#[cfg(test)]
mod tests;
