//! Transcript filtering (hallucination filter): accepts only text that the audio supports.
//!
//! In: the text, the [`Evidence`] of the audio it was made of, and what started listening. Out:
//! nothing, or the [`Rejection`]. Whisper writes plausible sentences for noise that pass its own checks, so
//! those alone are not enough: the duration of voice and its level above the background count as much.
//! Without a wake phrase, and for the few words it hallucinates most, the audio must support the text better.
//! It never changes a text, except in [`as_said`].
//! Pure: no I/O, no clock.

mod config;
mod evidence;
mod known_hallucinations;
mod loops;
mod syllables;

use std::time::Duration;

use crate::whisper::repeats;
use joi_base::message::OpenedBy;
use joi_language::loops_by_letters;
use known_hallucinations::KnownText;

pub use config::TranscriptFilterConfig;
pub use evidence::Evidence;
use evidence::NO_SPEECH_WEIGHT;

/// Voiced sound that voice activity detection may miss at the ends of an utterance.
const MISSED: Duration = Duration::from_millis(250);
/// A text of at most this many words says nothing by itself about whether it was hallucinated.
const FEW_WORDS: usize = 3;
/// Few words take at least this much voiced sound per syllable, in seconds; a knock taken for speech is
/// shorter.
const FEW_SLOW: f64 = 0.13;
/// The same for a lone word in a clear voice.
const LONE_SLOW: f64 = 0.11;
/// Often hallucinated words need more: a knock is easily taken for a hasty "thank you".
const SAID_TOO_SLOW: f64 = 0.18;
/// They must be surer by this much.
const SAID_TOO: f32 = 0.35;
/// Slowest speech, in seconds of voiced sound per syllable, and what is added to every utterance: more sound
/// than that is no "thank you".
const SLOWEST: (f64, f64) = (0.45, 0.6);
/// From this probability of a voice on it is clear. Coughs, barks and dishes rarely reach it, and what is
/// hallucinated for the few that do is seldom a single word; true words nearly always do.
const CLEAR_VOICE: f32 = 0.97;
/// In at most this much voiced sound a person's voice is clear; longer sound has other marks.
const SHORT: Duration = Duration::from_millis(600);
/// From this probability on a short sound is certainly a voice: no cough, bark or dish has reached it.
const CERTAIN_VOICE: f32 = 0.999;
/// A few words in such a voice may be this much more doubtful than a lone word in a clear one.
const CERTAIN_MORE: f32 = 0.9;
/// Several words in a short sound must be as sure as this where the voice is not certain: barks are
/// transcribed as "My brother.".
const SEVERAL_DOUBT: f32 = 1.2;
/// A lone word in a clear voice may be this much more doubtful that it is speech.
const LONE_NO_SPEECH: f32 = 0.6;
/// Words said twice take at least this much voiced sound per syllable, in seconds.
const TWICE_SLOW: f64 = 0.22;
/// People say a word three or four times ("no, no, no"); a decoder in a repetition loop doesn't stop there.
const MOST_REPEATS: usize = 4;

/// Why a transcript is rejected.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Rejection {
    /// There is no word in it.
    #[error("no words")]
    NoWords,
    /// It only describes a sound, such as "\[Music\]".
    #[error("a sound, no words")]
    OnlySounds,
    /// Too little sound for any word.
    #[error("{:.2} s of voice are too short for it", .0.as_secs_f64())]
    TooShort(Duration),
    /// A short sound that only resembles a voice.
    #[error("the sound is hardly a voice ({0:.2})")]
    NoVoice(f32),
    /// More syllables than anybody can say in the time.
    #[error("{syllables} syllables in {:.2} s of voice are too many", voiced.as_secs_f64())]
    TooFast {
        /// Of the text.
        syllables: u32,
        /// How long somebody spoke.
        voiced: Duration,
    },
    /// Whisper detects no speech.
    #[error("probably no speech ({0:.2})")]
    NoSpeech(f32),
    /// Whisper's confidence is too low.
    #[error("the words are a guess ({0:.2})")]
    Unsure(f32),
    /// The voice hardly stands out from the background.
    #[error("the voice is only {0:.0} dB above the room")]
    Faint(f32),
    /// The text is a repetition loop.
    #[error("it repeats itself")]
    Repeats,
    /// A known hallucination.
    #[error("known to be hallucinated")]
    Invented,
    /// A frequent hallucination, and the audio does not support it.
    #[error("often hallucinated, and the audio does not support it")]
    OftenInvented,
    /// It is whisper's own initial prompt.
    #[error("only what whisper was told before")]
    Prompt,
}

/// A transcript to be checked.
#[derive(Debug, Clone, Copy)]
pub struct FilterInput<'a> {
    /// The words.
    pub text: &'a str,
    /// What the audio says.
    pub evidence: &'a Evidence,
    /// What started listening.
    pub opened_by: &'a OpenedBy,
    /// Whisper's initial prompt, if any: it sometimes repeats it.
    pub prompt: Option<&'a str>,
}

/// Returns whether the audio supports the words.
///
/// # Errors
/// The first reason why it does not.
pub fn check(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> Result<(), Rejection> {
    has_words(claim.text)?;
    is_long_enough(claim, config)?;
    is_no_prompt(claim)?;
    is_not_circling(claim, config)?;
    is_not_invented(claim, config)?;
    is_likely(claim, config)
}

/// Returns whether words may be accepted and are still no ground for what is risky: a lone word of which whisper is as
/// unsure as of noise, or what it wrote after a loop.
pub fn is_unsure(evidence: &Evidence, config: &TranscriptFilterConfig) -> bool {
    evidence.ran_away || evidence.doubt() > config.follow_up_doubt
}

/// Returns the text as it was said: a decoder tends to write a lone word twice. Where the sound is too short for
/// "Peter. Peter." it is "Peter.".
pub fn as_said<'a>(text: &'a str, evidence: &Evidence) -> &'a str {
    let shortest = TWICE_SLOW * f64::from(syllables::syllables(text));
    if evidence.voiced.as_secs_f64() >= shortest || syllables::word_count(text) > 2 * FEW_WORDS {
        return text;
    }
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace());
    let mut halves = spaces.map(|(at, _)| text.split_at(at));
    let twice = halves.find(|(once, again)| syllables::words(once) == syllables::words(again));
    twice.map_or(text, |(once, _)| once.trim_end_matches(','))
}

/// Words outside brackets and notes.
fn has_words(text: &str) -> Result<(), Rejection> {
    if syllables::words(text).is_empty() && !text.contains(['♪', '♫', '♬', '🎵', '🎶']) {
        return Err(Rejection::NoWords);
    }
    if syllables::words(&without_sounds(text)).is_empty() { Err(Rejection::OnlySounds) } else { Ok(()) }
}

/// Returns the text without descriptions of sounds: "[Music]", "(wind)", "*sighs*", "♪ la la ♪".
fn without_sounds(text: &str) -> String {
    let mut kept = String::new();
    let mut closing: Option<char> = None;
    for c in text.chars() {
        match (closing, c) {
            (Some(end), c) if c == end => closing = None,
            (Some(_), _) => {}
            (None, '[' | '［' | '【') => {
                closing = Some(match c {
                    '[' => ']',
                    '［' => '］',
                    _ => '】',
                })
            }
            (None, '(') => closing = Some(')'),
            (None, '（') => closing = Some('）'),
            (None, '*' | '♪' | '♫' | '♬' | '🎵' | '🎶') => closing = Some(c),
            (None, c) => kept.push(c),
        }
    }
    kept
}

fn is_long_enough(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> Result<(), Rejection> {
    let voiced = claim.evidence.voiced;
    if voiced.as_secs_f64() < config.min_voiced {
        return Err(Rejection::TooShort(voiced));
    }
    if voiced < SHORT && claim.evidence.voice < CLEAR_VOICE {
        return Err(Rejection::NoVoice(claim.evidence.voice));
    }
    let syllables = syllables::syllables(claim.text);
    let most = config.max_rate * (voiced + MISSED).as_secs_f64();
    if f64::from(syllables) > most { Err(Rejection::TooFast { syllables, voiced }) } else { Ok(()) }
}

fn is_no_prompt(claim: &FilterInput<'_>) -> Result<(), Rejection> {
    let Some(prompt) = claim.prompt else { return Ok(()) };
    let (said, prompted) = (syllables::words(claim.text), syllables::words(prompt));
    // A part of it counts when it is too long for coincidence.
    let is_part = said.len() > FEW_WORDS && prompted.windows(said.len()).any(|part| part == said);
    if is_part || said == prompted { Err(Rejection::Prompt) } else { Ok(()) }
}

fn is_not_circling(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> Result<(), Rejection> {
    if loops::no_person_says(claim.text) {
        return Err(Rejection::Repeats);
    }
    if !repeats(claim.text) {
        return Ok(());
    }
    let is_human = !loops_by_letters(claim.text)
        && most_repeats(&syllables::words(claim.text)) <= MOST_REPEATS
        && is_supported(claim, config);
    if is_human { Ok(()) } else { Err(Rejection::Repeats) }
}

/// Returns how often a phrase of up to eight words is repeated in a row.
fn most_repeats(words: &[String]) -> usize {
    let run = |from: usize, len: usize| {
        let phrase = &words[from..from + len];
        words[from..].chunks(len).take_while(|next| *next == phrase).count()
    };
    (1..=words.len().min(8))
        .flat_map(|len| (0..=words.len() - len).map(move |from| run(from, len)))
        .max()
        .unwrap_or(0)
}

fn is_not_invented(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> Result<(), Rejection> {
    match known_hallucinations::known(claim.text) {
        None => Ok(()),
        Some(KnownText::Invented) => Err(Rejection::Invented),
        Some(KnownText::SaidToo) if is_supported(claim, config) => Ok(()),
        Some(KnownText::SaidToo) => Err(Rejection::OftenInvented),
    }
}

/// Returns whether the audio supports even words that are often hallucinated: long enough, clear, and sure.
fn is_supported(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> bool {
    let evidence = claim.evidence;
    let (each, fixed) = SLOWEST;
    let longest = fixed + each * f64::from(syllables::syllables(claim.text));
    let shortest = SAID_TOO_SLOW * f64::from(syllables::syllables(claim.text));
    let most =
        if is_lone_and_clear(claim, config) { config.doubt } else { config.follow_up_doubt - SAID_TOO };
    (shortest..=longest).contains(&evidence.voiced.as_secs_f64())
        && evidence.doubt() <= most
        && evidence.contrast_db() >= config.contrast_db
}

/// One word in a voice that is certainly one. Whisper is seldom sure of a name or a word without context.
/// around it.
fn is_lone_and_clear(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> bool {
    let evidence = claim.evidence;
    syllables::word_count(claim.text) == 1
        && evidence.voice >= CLEAR_VOICE
        && evidence.no_speech <= LONE_NO_SPEECH
        && evidence.contrast_db() >= config.contrast_db
}

/// Returns whether a wake phrase or an explicit request started listening.
fn is_asked(claim: &FilterInput<'_>) -> bool {
    matches!(claim.opened_by, OpenedBy::Wake { .. } | OpenedBy::Request)
}

/// Returns how doubtful the words may be.
fn most_doubt(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> f32 {
    let evidence = claim.evidence;
    let stands_out = evidence.contrast_db() >= config.contrast_db;
    let usual = match (is_asked(claim), stands_out) {
        (true, true) => config.doubt,
        (true, false) => config.crowd_doubt.min(config.doubt),
        (false, _) => config.follow_up_doubt,
    };
    let is_certain = evidence.voice >= CERTAIN_VOICE;
    let words = syllables::word_count(claim.text);
    let is_short = evidence.voiced < 2 * SHORT && words <= FEW_WORDS;
    if is_certain && is_short && stands_out && evidence.no_speech <= LONE_NO_SPEECH {
        usual.max(config.word_doubt + CERTAIN_MORE)
    } else if is_lone_and_clear(claim, config) {
        usual.max(config.word_doubt)
    } else if !is_certain && !is_asked(claim) && evidence.voiced < SHORT && words > 1 {
        usual.min(SEVERAL_DOUBT)
    } else {
        usual
    }
}

fn is_likely(claim: &FilterInput<'_>, config: &TranscriptFilterConfig) -> Result<(), Rejection> {
    let evidence = claim.evidence;
    let stands_out = evidence.contrast_db() >= config.contrast_db;
    let most = most_doubt(claim, config);
    let no_speech = NO_SPEECH_WEIGHT * evidence.no_speech;
    if evidence.doubt() > most && no_speech > -evidence.mean_logprob {
        return Err(Rejection::NoSpeech(evidence.no_speech));
    }
    if evidence.doubt() > most {
        return Err(Rejection::Unsure(evidence.mean_logprob));
    }
    let is_few = syllables::word_count(claim.text) <= FEW_WORDS;
    if !stands_out && (is_few || !is_asked(claim)) {
        return Err(Rejection::Faint(evidence.contrast_db()));
    }
    let slow = if is_lone_and_clear(claim, config) { LONE_SLOW } else { FEW_SLOW };
    let shortest = Duration::from_secs_f64(slow * f64::from(syllables::syllables(claim.text)));
    if is_few && evidence.voiced < shortest { Err(Rejection::TooShort(evidence.voiced)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
