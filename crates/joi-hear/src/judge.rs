//! Decides whether an utterance is addressed to the assistant, by rules in a fixed order, with a reason each:
//! a stop word, echo of the assistant's own speech, words the audio does not support, barge-in, a follow-up,
//! words after a wake phrase, nothing.
//!
//! In: a [`JudgeInput`]: the text, its evidence, when it sounded, and the sentences played at the time.
//! Out: a [`Judgement`]. During playback, stop words always count, and other words only where echo
//! cancellation has converged ([`BargeInPolicy`]); otherwise a wake phrase interrupts. A stop word that
//! playback itself contains never stops it, and the assistant's own words are never taken for the user's.
//! Pure: no I/O, no clock.

mod config;
mod echo;
mod interjection_scorer;
mod loop_breaker;
mod plain_words;
mod spoken_text;
mod stop_words;

use std::time::Instant;

use crate::transcript_filter::{self, Evidence, FilterInput, TranscriptFilterConfig};
use joi_base::message::OpenedBy;
use plain_words::PlainWord;
use spoken_text::HeardSpan;

pub use config::JudgeConfig;
pub use interjection_scorer::{Sounded, answers, judge_answer, judge_sound, judge_stop, rivals};
pub use joi_language::Vocabulary;
pub use loop_breaker::{FollowUpLoudness, LoopBreaker};
pub use spoken_text::SpokenSentence;

/// The fewest words of the user behind an echo that are kept.
const LEAST_TAIL: usize = 3;
/// The fewest words of echo in front of the user's words that are cut off.
const LEAST_HEAD: usize = 3;
/// So few echoed words are an echo only if they were played just then: people repeat words in their answers.
const SHORT: usize = 3;

/// The utterance to judge.
#[derive(Debug, Clone, Copy)]
pub struct JudgeInput<'a> {
    /// The transcript.
    pub text: &'a str,
    /// What the audio says about it.
    pub evidence: &'a Evidence,
    /// What started listening.
    pub opened_by: &'a OpenedBy,
    /// When its first voiced sample was captured.
    pub began: Instant,
    /// When its last voiced sample was captured.
    pub ended: Instant,
    /// The sentences played in the last seconds, in order; older ones do no harm.
    pub said: &'a [SpokenSentence],
    /// The assistant's names, for example "friday" or "hey jarvis"; the phrase in `opened_by` counts too.
    pub names: &'a [String],
    /// Whisper's initial prompt, if any.
    pub prompt: Option<&'a str>,
}

/// The rules to judge by.
#[derive(Debug, Clone, Copy)]
pub struct JudgeRules<'a> {
    /// What the audio has to support.
    pub trust: &'a TranscriptFilterConfig,
    /// Echo and stop words.
    pub config: &'a JudgeConfig,
    /// The words of the spoken language.
    pub words: &'a Vocabulary,
}

/// What may interrupt the assistant (barge-in).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BargeInPolicy {
    /// An answer is being prepared and nothing is playing: a short command to stop, and little else.
    Commands,
    /// Playback may leak into the microphone: a stop word.
    StopWords,
    /// Any word that is understood, except backchannels ("mhm").
    Words,
}

/// The action to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeVerdict {
    /// Stop playback.
    Stop,
    /// Stop playback and listen on: somebody is talking. The text so far, without an echo in front of it.
    Interrupts(String),
    /// Ignore it, and don't listen any longer: it was an echo.
    Echo,
    /// Ignore it.
    Ignore,
    /// Answer this as a follow-up: the text, without an echo in front of it.
    FollowUp(String),
    /// Answer this: the text, without an echo in front of it.
    Addressed(String),
}

impl JudgeVerdict {
    /// Returns its name in `joi why`.
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
    /// The action to take.
    pub verdict: JudgeVerdict,
    /// Why, in a few words. Contains no part of the transcript.
    pub reason: String,
}

impl Judgement {
    fn new(verdict: JudgeVerdict, reason: impl Into<String>) -> Self {
        Self { verdict, reason: reason.into() }
    }

    /// A follow-up in a conversation that nobody seems to take part in.
    pub fn nobody_there() -> Self {
        Self::new(JudgeVerdict::Ignore, "nobody seems to be there")
    }
}

/// Returns the normalised words of a text: lower case, no punctuation, figures and units written out, so that "9:05"
/// and "nine oh five" are the same.
pub fn plain_words(text: &str, words: &Vocabulary) -> Vec<String> {
    plain_words::plain(text, &words.figures).into_iter().map(|token| token.text).collect()
}

/// Judges. During playback, only stop words count.
pub fn judge(case: &JudgeInput<'_>, rules: &JudgeRules<'_>) -> Judgement {
    judge_by(rules, case, BargeInPolicy::StopWords)
}

/// Judges. The first rule that applies decides. The barge-in policy applies to interjections only.
pub fn judge_by(rules: &JudgeRules<'_>, case: &JudgeInput<'_>, openness: BargeInPolicy) -> Judgement {
    let trust = rules.trust;
    if let Some(reason) = stop_word(rules, case, openness) {
        return Judgement::new(JudgeVerdict::Stop, reason);
    }
    let (text, cut) = match echo(case, rules) {
        Echoed::All(likeness) => {
            return Judgement::new(JudgeVerdict::Echo, format!("{likeness:.0} % echo of playback"));
        }
        Echoed::Head { rest, words } => (rest, words),
        Echoed::Nothing => (case.text.trim(), 0),
    };
    let text = transcript_filter::as_said(text, case.evidence);
    let claim = FilterInput { text, evidence: case.evidence, opened_by: case.opened_by, prompt: case.prompt };
    if let Err(distrust) = transcript_filter::check(&claim, trust) {
        return Judgement::new(JudgeVerdict::Ignore, distrust.to_string());
    }
    let without = if cut == 0 { String::new() } else { format!(", without {cut} words of echo") };
    match case.opened_by {
        OpenedBy::Interjection => interjection(rules, case, text, openness, &without),
        OpenedBy::FollowUp => Judgement::new(
            JudgeVerdict::FollowUp(text.into()),
            format!("said right after the answer{without}"),
        ),
        OpenedBy::Interruption => {
            Judgement::new(JudgeVerdict::FollowUp(text.into()), format!("playback stopped for it{without}"))
        }
        OpenedBy::Wake { .. } => Judgement::new(
            JudgeVerdict::Addressed(text.into()),
            format!("said after the wake phrase{without}"),
        ),
        OpenedBy::Request => {
            Judgement::new(JudgeVerdict::Addressed(text.into()), format!("listening was requested{without}"))
        }
    }
}

/// Words of an interjection.
fn interjection(
    rules: &JudgeRules<'_>,
    case: &JudgeInput<'_>,
    text: &str,
    openness: BargeInPolicy,
    without: &str,
) -> Judgement {
    let ignored = |reason: &str| Judgement::new(JudgeVerdict::Ignore, reason);
    match openness {
        BargeInPolicy::Commands => ignored("no stop word while an answer was being prepared"),
        BargeInPolicy::StopWords => ignored("no stop word during playback, and it may contain echo"),
        BargeInPolicy::Words if stop_words::is_backchannel(&stop_words::words(text), rules.words) => {
            ignored("only a backchannel")
        }
        BargeInPolicy::Words if f64::from(case.evidence.doubt()) > rules.config.interruption_doubt => {
            // Residual echo is transcribed as words now and then, but never with confidence.
            let doubt = case.evidence.doubt();
            Judgement::new(JudgeVerdict::Ignore, format!("too unsure to interrupt ({doubt:.1})"))
        }
        BargeInPolicy::Words => {
            Judgement::new(JudgeVerdict::Interrupts(text.into()), format!("barge-in{without}"))
        }
    }
}

/// Returns whether a stop word is meant as one, and why.
fn stop_word(rules: &JudgeRules<'_>, case: &JudgeInput<'_>, openness: BargeInPolicy) -> Option<&'static str> {
    let JudgeRules { config, words: vocabulary, .. } = *rules;
    let words = stop_words::words(case.text);
    let phrase = match case.opened_by {
        OpenedBy::Wake { phrase, .. } => Some(phrase),
        OpenedBy::Request | OpenedBy::FollowUp | OpenedBy::Interjection | OpenedBy::Interruption => None,
    };
    let names: Vec<Vec<String>> =
        case.names.iter().chain(phrase).map(|name| stop_words::words(name)).collect();
    let is_short = words.len() <= config.interjection_words as usize && openness != BargeInPolicy::Commands;
    let (orders, reason) = match (stop_words::clear_commands(&words, &names, vocabulary), case.opened_by) {
        (Some(orders), _) => (orders, "a stop word and little else"),
        (None, OpenedBy::Interjection) if is_short => {
            (stop_words::loose_commands(&words, vocabulary), "a stop word during playback")
        }
        (None, _) => return None,
    };
    let own = own_stop_words(rules, case.said, heard(case), &words);
    // A decoder that repeats itself has said it more often than anybody else.
    let insists = orders > own.max(1) && !case.evidence.ran_away;
    match (orders, own) {
        (0, _) => None,
        (_, 0) => Some(reason),
        _ if insists => Some("a stop word, more often than in playback"),
        _ => None,
    }
}

/// Returns how many words of playback may have been taken for the stop words among `words`.
fn own_stop_words(
    rules: &JudgeRules<'_>,
    said: &[SpokenSentence],
    heard: HeardSpan,
    words: &[String],
) -> usize {
    let played = spoken_text::words(said, heard, rules.config.tolerance(), &rules.words.figures);
    stop_words::own(&played, words, rules.words)
}

/// How much of an utterance is echo.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Echoed<'a> {
    Nothing,
    /// All that counts, with its likeness of 0 to 100.
    All(f64),
    /// This many words in front of the user's.
    Head {
        rest: &'a str,
        words: usize,
    },
}

fn echo<'a>(case: &JudgeInput<'a>, rules: &JudgeRules<'_>) -> Echoed<'a> {
    let config = rules.config;
    let tokens = plain_words::plain(case.text, &rules.words.figures);
    let likeness = likeness(&tokens, case, rules);
    if likeness.whole < config.echo_likeness && likeness.head == 0 {
        return Echoed::Nothing;
    }
    if let Some(rest) = tail(&tokens, case, rules) {
        return rest;
    }
    if likeness.whole >= config.echo_likeness { Echoed::All(likeness.whole) } else { Echoed::Nothing }
}

/// Returns the user's words behind an echo that was playing when the utterance began.
fn tail<'a>(tokens: &[PlainWord], case: &JudgeInput<'a>, rules: &JudgeRules<'_>) -> Option<Echoed<'a>> {
    let (config, figures) = (rules.config, &rules.words.figures);
    let said = spoken_text::sentences(case.said, heard(case), config.lag(), figures);
    let likeness = echo::compare(&texts(tokens), &said);
    let last = tokens.get(likeness.head.checked_sub(1)?)?;
    let words = last.word + 1;
    let rest = from_word(case.text, words)?;
    let is_cut = likeness.head >= LEAST_HEAD
        && likeness.head_likeness >= config.echo_likeness
        && rest.split_whitespace().count() >= LEAST_TAIL;
    let own = self::likeness(&plain_words::plain(rest, figures), case, rules).whole;
    (is_cut && own < config.echo_likeness).then_some(Echoed::Head { rest, words })
}

/// Returns the likeness of words with what was played when they were heard.
fn likeness(tokens: &[PlainWord], case: &JudgeInput<'_>, rules: &JudgeRules<'_>) -> echo::Likeness {
    let (config, figures) = (rules.config, &rules.words.figures);
    let said = if tokens.len() <= SHORT {
        spoken_text::words(case.said, heard(case), config.lag(), figures)
    } else {
        spoken_text::sentences(case.said, heard(case), config.memory(), figures)
    };
    echo::compare(&texts(tokens), &said)
}

fn texts(tokens: &[PlainWord]) -> Vec<&str> {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

fn heard(case: &JudgeInput<'_>) -> HeardSpan {
    HeardSpan { began: case.began, ended: case.ended }
}

/// Returns the text from its `count`-th word on; nothing when there are no more words.
fn from_word(text: &str, count: usize) -> Option<&str> {
    let mut rest = text.trim();
    for _ in 0..count {
        rest = rest[rest.find(char::is_whitespace)?..].trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests;
