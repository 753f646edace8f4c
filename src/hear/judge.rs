//! Whether what was heard is meant for her, in a fixed order with a reason each: a stop word, her own echo,
//! words the sound does not support, an interruption, a follow-up, words after a wake phrase, nothing.
//!
//! PURE. In: a [`Case`]: the text, its evidence, when it sounded, and what she said herself at the time. Out:
//! a [`Judgement`]. While she speaks, a stop word counts, and any other word only where her own voice is known
//! to be kept out ([`Openness`]); a wake phrase interrupts her elsewhere. It never stops her at a stop word of
//! her own, and never takes her own words for a person's.

mod breaker;
mod config;
mod cry;
mod echo;
mod said;
mod stop;
mod vocabulary;
mod words;

use std::time::Instant;

use crate::hear::trust::{self, Claim, Evidence, TrustConfig};
use crate::message::OpenedBy;
use said::Heard;
use words::Token;

pub use breaker::{LoopBreaker, Loudness};
pub use config::JudgeConfig;
pub use cry::{Sounded, answers, judge_answer, judge_sound, rivals};
pub use said::Sentence;
pub use vocabulary::Vocabulary;

/// The fewest words of a person behind an echo that are kept.
const LEAST_TAIL: usize = 3;
/// The fewest words of an echo in front of a person's words that are cut off.
const LEAST_HEAD: usize = 3;
/// So few words like hers are an echo only if they sounded just then: people answer with her words.
const SHORT: usize = 3;

/// What is to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The transcript.
    pub text: &'a str,
    /// What the sound says about it.
    pub evidence: &'a Evidence,
    /// What opened the microphone.
    pub opened_by: &'a OpenedBy,
    /// When its first voiced sample was captured.
    pub began: Instant,
    /// When its last voiced sample was captured.
    pub ended: Instant,
    /// What she has said in the last seconds, in order; older sentences do no harm.
    pub said: &'a [Sentence],
    /// What she is called, for example "friday" or "hey jarvis"; the phrase in `opened_by` counts too.
    pub names: &'a [String],
    /// What whisper was told before it began, if anything.
    pub prompt: Option<&'a str>,
}

/// By what is judged.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// What the sound has to support.
    pub trust: &'a TrustConfig,
    /// Echo, stop words.
    pub config: &'a JudgeConfig,
    /// The words of the language that is spoken.
    pub words: &'a Vocabulary,
}

/// What may interrupt her.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Openness {
    /// She thinks, and nobody is talked over: an order to be silent, and little else.
    Orders,
    /// Her own voice is not kept out of her ears: a stop word.
    StopWords,
    /// Any word that is understood, but for those of somebody who only listens.
    Words,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Be quiet.
    Stop,
    /// Be quiet and listen on: somebody talks to her. The text so far, without an echo in front of it.
    Interrupts(String),
    /// Nothing, not even longer listening: it was her own voice.
    Echo,
    /// Nothing.
    Ignore,
    /// Answer this as a follow-up: the text, without an echo in front of it.
    FollowUp(String),
    /// Answer this: the text, without an echo in front of it.
    Addressed(String),
}

impl Verdict {
    /// Its name in `joi why`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Interrupts(_) => "interrupts",
            Self::Echo => "echo",
            Self::Ignore => "ignore",
            Self::FollowUp(_) => "follow-up",
            Self::Addressed(_) => "addressed",
        }
    }
}

/// A verdict with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What is to be done.
    pub verdict: Verdict,
    /// Why, in a few words. Holds nothing of what was said.
    pub reason: String,
}

impl Judgement {
    fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { verdict, reason: reason.into() }
    }

    /// A follow-up in a conversation that she seems to have with nobody.
    pub fn nobody_there() -> Self {
        Self::new(Verdict::Ignore, "nobody seems to be there")
    }
}

/// The plain words of a text: lower case, no punctuation, figures and units written out, so that "9:05" and "nine
/// oh five" are the same.
pub fn plain_words(text: &str) -> Vec<String> {
    words::plain(text).into_iter().map(|token| token.text).collect()
}

/// Judges English. While she speaks, only stop words count.
pub fn judge(case: &Case<'_>, trust: &TrustConfig, config: &JudgeConfig) -> Judgement {
    let rules = Rules { trust, config, words: Vocabulary::of("en") };
    judge_by(&rules, case, Openness::StopWords)
}

/// Judges. The first rule that applies decides. How open she is counts for interjections only.
pub fn judge_by(rules: &Rules<'_>, case: &Case<'_>, openness: Openness) -> Judgement {
    let Rules { trust, config, .. } = *rules;
    if let Some(reason) = stop_word(rules, case, openness) {
        return Judgement::new(Verdict::Stop, reason);
    }
    let (text, cut) = match echo(case, config) {
        Echoed::All(likeness) => {
            return Judgement::new(Verdict::Echo, format!("{likeness:.0} % her own words"));
        }
        Echoed::Head { rest, words } => (rest, words),
        Echoed::Nothing => (case.text.trim(), 0),
    };
    let text = trust::as_said(text, case.evidence);
    let claim = Claim { text, evidence: case.evidence, opened_by: case.opened_by, prompt: case.prompt };
    if let Err(distrust) = trust::check(&claim, trust) {
        return Judgement::new(Verdict::Ignore, distrust.to_string());
    }
    let without = if cut == 0 { String::new() } else { format!(", without {cut} words of echo") };
    match case.opened_by {
        OpenedBy::Interjection => interjection(rules, case, text, openness, &without),
        OpenedBy::FollowUp => {
            Judgement::new(Verdict::FollowUp(text.into()), format!("said right after her answer{without}"))
        }
        OpenedBy::Interruption => {
            Judgement::new(Verdict::FollowUp(text.into()), format!("she fell silent for it{without}"))
        }
        OpenedBy::Wake { .. } => {
            Judgement::new(Verdict::Addressed(text.into()), format!("said after the wake phrase{without}"))
        }
        OpenedBy::Request => {
            Judgement::new(Verdict::Addressed(text.into()), format!("she was asked to listen{without}"))
        }
    }
}

/// Words of somebody who talks over her, or while she thinks.
fn interjection(
    rules: &Rules<'_>,
    case: &Case<'_>,
    text: &str,
    openness: Openness,
    without: &str,
) -> Judgement {
    let ignored = |reason: &str| Judgement::new(Verdict::Ignore, reason);
    match openness {
        Openness::Orders => ignored("she was thinking, and it is no stop word"),
        Openness::StopWords => {
            ignored("she was speaking, it is no stop word, and her own voice may be in it")
        }
        Openness::Words if stop::is_backchannel(&stop::words(text), rules.words) => {
            ignored("somebody only shows that he listens")
        }
        Openness::Words if f64::from(case.evidence.doubt()) > rules.config.interruption_doubt => {
            // What a canceller leaves of her is written as words now and then, but never surely.
            let doubt = case.evidence.doubt();
            Judgement::new(Verdict::Ignore, format!("too unsure to interrupt her ({doubt:.1})"))
        }
        Openness::Words => {
            Judgement::new(Verdict::Interrupts(text.into()), format!("somebody talks over her{without}"))
        }
    }
}

/// Whether a stop word is meant, and why.
fn stop_word(rules: &Rules<'_>, case: &Case<'_>, openness: Openness) -> Option<&'static str> {
    let Rules { config, words: vocabulary, .. } = *rules;
    let words = stop::words(case.text);
    let phrase = match case.opened_by {
        OpenedBy::Wake { phrase, .. } => Some(phrase),
        OpenedBy::Request | OpenedBy::FollowUp | OpenedBy::Interjection | OpenedBy::Interruption => None,
    };
    let names: Vec<Vec<String>> = case.names.iter().chain(phrase).map(|name| stop::words(name)).collect();
    let is_cry = words.len() <= config.interjection_words as usize && openness != Openness::Orders;
    let (orders, reason) = match (stop::clear_orders(&words, &names, vocabulary), case.opened_by) {
        (Some(orders), _) => (orders, "a stop word and little else"),
        (None, OpenedBy::Interjection) if is_cry => {
            (stop::loose_orders(&words, vocabulary), "a stop word while she spoke")
        }
        (None, _) => return None,
    };
    let own = own_stop_words(rules, case.said, heard(case), &words);
    // A decoder that went in circles has said it more often than anybody else.
    let insists = orders > own.max(1) && !case.evidence.ran_away;
    match (orders, own) {
        (0, _) => None,
        (_, 0) => Some(reason),
        _ if insists => Some("a stop word, more often than she said it"),
        _ => None,
    }
}

/// How many words she said herself at the time may be taken for the stop words among `words`.
fn own_stop_words(rules: &Rules<'_>, said: &[Sentence], heard: Heard, words: &[String]) -> usize {
    stop::own(&said::words(said, heard, rules.config.tolerance()), words, rules.words)
}

/// How much of an utterance is her own.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Echoed<'a> {
    Nothing,
    /// All that counts, with its likeness of 0 to 100.
    All(f64),
    /// So many words in front of a person's.
    Head {
        rest: &'a str,
        words: usize,
    },
}

fn echo<'a>(case: &Case<'a>, config: &JudgeConfig) -> Echoed<'a> {
    let tokens = words::plain(case.text);
    let likeness = likeness(&tokens, case, config);
    if likeness.whole < config.echo_likeness && likeness.head == 0 {
        return Echoed::Nothing;
    }
    if let Some(rest) = tail(&tokens, case, config) {
        return rest;
    }
    if likeness.whole >= config.echo_likeness { Echoed::All(likeness.whole) } else { Echoed::Nothing }
}

/// What a person said behind an echo that was sounding when the utterance began.
fn tail<'a>(tokens: &[Token], case: &Case<'a>, config: &JudgeConfig) -> Option<Echoed<'a>> {
    let said = said::sentences(case.said, heard(case), config.lag());
    let likeness = echo::compare(&texts(tokens), &said);
    let last = tokens.get(likeness.head.checked_sub(1)?)?;
    let words = last.word + 1;
    let rest = from_word(case.text, words)?;
    let is_cut = likeness.head >= LEAST_HEAD
        && likeness.head_likeness >= config.echo_likeness
        && rest.split_whitespace().count() >= LEAST_TAIL;
    let own = self::likeness(&words::plain(rest), case, config).whole;
    (is_cut && own < config.echo_likeness).then_some(Echoed::Head { rest, words })
}

/// The likeness of words with what she said when they were heard.
fn likeness(tokens: &[Token], case: &Case<'_>, config: &JudgeConfig) -> echo::Likeness {
    let said = if tokens.len() <= SHORT {
        said::words(case.said, heard(case), config.lag())
    } else {
        said::sentences(case.said, heard(case), config.memory())
    };
    echo::compare(&texts(tokens), &said)
}

fn texts(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

fn heard(case: &Case<'_>) -> Heard {
    Heard { began: case.began, ended: case.ended }
}

/// The text from its `count`-th word on; nothing when there are no more words.
fn from_word(text: &str, count: usize) -> Option<&str> {
    let mut rest = text.trim();
    for _ in 0..count {
        rest = rest[rest.find(char::is_whitespace)?..].trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests;
