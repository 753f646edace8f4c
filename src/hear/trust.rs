//! What a transcript is worth: only what the sound supports is believed.
//!
//! PURE. In: the text, the [`Evidence`] of the sound it was made of, and what opened the microphone. Out:
//! nothing, or the [`Distrust`]. Whisper writes sure-sounding sentences for noise that pass its own check, so
//! it is not asked alone: how long somebody spoke and how far the voice stood out count as much. Without a
//! wake phrase, and for the few words it invents most, the sound must support the text better. It never
//! changes a text, but for [`as_said`].

mod config;
mod evidence;
mod inventions;
mod pace;

use std::time::Duration;

use crate::hear::whisper::window::repeats;
use crate::message::OpenedBy;
use inventions::Known;

pub use config::TrustConfig;
pub use evidence::Evidence;
use evidence::NO_SPEECH_WEIGHT;

/// Voiced sound a decider of voices may have missed at the ends of an utterance.
const MISSED: Duration = Duration::from_millis(250);
/// A text of so many words or fewer says nothing by itself about whether it was invented.
const FEW_WORDS: usize = 3;
/// Few words take so much voiced sound for each syllable at least, in seconds; what a knock is taken for takes less.
const FEW_SLOW: f64 = 0.13;
/// A lone word in a clear voice takes less.
const LONE_SLOW: f64 = 0.11;
/// Words that are often invented take more: a knock is easily taken for a hasty "thank you".
const SAID_TOO_SLOW: f64 = 0.18;
/// They must be surer by this much.
const SAID_TOO: f32 = 0.35;
/// Slowest speech, in seconds of voiced sound per syllable, and what is added to every utterance: more sound
/// than that is no "thank you".
const SLOWEST: (f64, f64) = (0.45, 0.6);
/// From this probability of a voice on it is clear. Coughs, barks and dishes rarely come so far, and what is invented
/// for the few that do is seldom a single word; true words nearly always do.
const CLEAR_VOICE: f32 = 0.97;
/// In so little voiced sound a person's voice is clear; what lasts longer has other marks.
const SHORT: Duration = Duration::from_millis(600);
/// From this probability on a short sound is a voice beyond doubt: no cough, bark or dish has come so far.
const CERTAIN_VOICE: f32 = 0.999;
/// A few words in such a voice may be so much more doubtful than a lone word in a clear one.
const CERTAIN_MORE: f32 = 0.9;
/// Several words in a short sound must be as sure as this where the voice is not beyond doubt: barks become "My
/// brother.".
const SEVERAL_DOUBT: f32 = 1.2;
/// A lone word in a clear voice may be so much more doubtful that it is speech.
const LONE_NO_SPEECH: f32 = 0.6;
/// Whoever says something twice takes so much voiced sound for each syllable at least, in seconds.
const TWICE_SLOW: f64 = 0.22;
/// People say a word three or four times ("no, no, no"); a decoder that goes in circles doesn't stop there.
const MOST_REPEATS: usize = 4;

/// Why a transcript isn't believed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Distrust {
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
    /// Whisper hears no speech.
    #[error("probably no speech ({0:.2})")]
    NoSpeech(f32),
    /// Whisper isn't sure.
    #[error("the words are a guess ({0:.2})")]
    Unsure(f32),
    /// The voice hardly stands out of what else is heard.
    #[error("the voice is only {0:.0} dB above the room")]
    Faint(f32),
    /// It goes round in circles.
    #[error("it repeats itself")]
    Repeats,
    /// Known to be invented.
    #[error("known to be invented")]
    Invented,
    /// Often invented, and the sound does not support it.
    #[error("often invented, and the sound does not support it")]
    OftenInvented,
    /// It is whisper's own prompt.
    #[error("only what whisper was told before")]
    Prompt,
}

/// A transcript to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The words.
    pub text: &'a str,
    /// What the sound says.
    pub evidence: &'a Evidence,
    /// What opened the microphone.
    pub opened_by: &'a OpenedBy,
    /// What whisper was told before it began, if anything: it sometimes says it again.
    pub prompt: Option<&'a str>,
}

/// Whether the sound supports the words.
///
/// # Errors
/// The first reason why it does not.
pub fn check(claim: &Claim<'_>, config: &TrustConfig) -> Result<(), Distrust> {
    has_words(claim.text)?;
    is_long_enough(claim, config)?;
    is_no_prompt(claim)?;
    is_not_circling(claim, config)?;
    is_not_invented(claim, config)?;
    is_likely(claim, config)
}

/// The text as it was said: a decoder likes to write a lone word twice. Where the sound is too short for "Peter.
/// Peter." it is "Peter.".
pub fn as_said<'a>(text: &'a str, evidence: &Evidence) -> &'a str {
    let shortest = TWICE_SLOW * f64::from(pace::syllables(text));
    if evidence.voiced.as_secs_f64() >= shortest || pace::word_count(text) > 2 * FEW_WORDS {
        return text;
    }
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace());
    let mut halves = spaces.map(|(at, _)| text.split_at(at));
    let twice = halves.find(|(once, again)| pace::words(once) == pace::words(again));
    twice.map_or(text, |(once, _)| once.trim_end_matches(','))
}

/// Words that are not in brackets and between notes.
fn has_words(text: &str) -> Result<(), Distrust> {
    if pace::words(text).is_empty() && !text.contains(['♪', '♫', '♬', '🎵', '🎶']) {
        return Err(Distrust::NoWords);
    }
    if pace::words(&without_sounds(text)).is_empty() { Err(Distrust::OnlySounds) } else { Ok(()) }
}

/// The text without descriptions of sounds: "[Music]", "(wind)", "*sighs*", "♪ la la ♪".
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

fn is_long_enough(claim: &Claim<'_>, config: &TrustConfig) -> Result<(), Distrust> {
    let voiced = claim.evidence.voiced;
    if voiced.as_secs_f64() < config.min_voiced {
        return Err(Distrust::TooShort(voiced));
    }
    if voiced < SHORT && claim.evidence.voice < CLEAR_VOICE {
        return Err(Distrust::NoVoice(claim.evidence.voice));
    }
    let syllables = pace::syllables(claim.text);
    let most = config.max_rate * (voiced + MISSED).as_secs_f64();
    if f64::from(syllables) > most { Err(Distrust::TooFast { syllables, voiced }) } else { Ok(()) }
}

fn is_no_prompt(claim: &Claim<'_>) -> Result<(), Distrust> {
    let Some(prompt) = claim.prompt else { return Ok(()) };
    let (said, told) = (pace::words(claim.text), pace::words(prompt));
    // A part of it counts when it is too long for chance.
    let is_part = said.len() > FEW_WORDS && told.windows(said.len()).any(|part| part == said);
    if is_part || said == told { Err(Distrust::Prompt) } else { Ok(()) }
}

fn is_not_circling(claim: &Claim<'_>, config: &TrustConfig) -> Result<(), Distrust> {
    if !repeats(claim.text) {
        return Ok(());
    }
    let is_human = most_repeats(&pace::words(claim.text)) <= MOST_REPEATS && is_supported(claim, config);
    if is_human { Ok(()) } else { Err(Distrust::Repeats) }
}

/// How often a phrase of up to eight words stands in a row.
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

fn is_not_invented(claim: &Claim<'_>, config: &TrustConfig) -> Result<(), Distrust> {
    match inventions::known(claim.text) {
        None => Ok(()),
        Some(Known::Invented) => Err(Distrust::Invented),
        Some(Known::SaidToo) if is_supported(claim, config) => Ok(()),
        Some(Known::SaidToo) => Err(Distrust::OftenInvented),
    }
}

/// Whether the sound supports even words that are often invented: as long as they take, clear, and sure.
fn is_supported(claim: &Claim<'_>, config: &TrustConfig) -> bool {
    let evidence = claim.evidence;
    let (each, fixed) = SLOWEST;
    let longest = fixed + each * f64::from(pace::syllables(claim.text));
    let shortest = SAID_TOO_SLOW * f64::from(pace::syllables(claim.text));
    let most =
        if is_lone_and_clear(claim, config) { config.doubt } else { config.follow_up_doubt - SAID_TOO };
    (shortest..=longest).contains(&evidence.voiced.as_secs_f64())
        && evidence.doubt() <= most
        && evidence.contrast_db() >= config.contrast_db
}

/// One word in a voice that leaves no doubt to be one. Whisper is seldom sure of a name or a word without any other
/// around it.
fn is_lone_and_clear(claim: &Claim<'_>, config: &TrustConfig) -> bool {
    let evidence = claim.evidence;
    pace::word_count(claim.text) == 1
        && evidence.voice >= CLEAR_VOICE
        && evidence.no_speech <= LONE_NO_SPEECH
        && evidence.contrast_db() >= config.contrast_db
}

/// Whether somebody called her, or had her listen.
fn is_asked(claim: &Claim<'_>) -> bool {
    matches!(claim.opened_by, OpenedBy::Wake { .. } | OpenedBy::Request)
}

/// How doubtful the words may be.
fn most_doubt(claim: &Claim<'_>, config: &TrustConfig) -> f32 {
    let evidence = claim.evidence;
    let stands_out = evidence.contrast_db() >= config.contrast_db;
    let usual = match (is_asked(claim), stands_out) {
        (true, true) => config.doubt,
        (true, false) => config.crowd_doubt.min(config.doubt),
        (false, _) => config.follow_up_doubt,
    };
    let is_certain = evidence.voice >= CERTAIN_VOICE;
    let words = pace::word_count(claim.text);
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

fn is_likely(claim: &Claim<'_>, config: &TrustConfig) -> Result<(), Distrust> {
    let evidence = claim.evidence;
    let stands_out = evidence.contrast_db() >= config.contrast_db;
    let most = most_doubt(claim, config);
    let no_speech = NO_SPEECH_WEIGHT * evidence.no_speech;
    if evidence.doubt() > most && no_speech > -evidence.mean_logprob {
        return Err(Distrust::NoSpeech(evidence.no_speech));
    }
    if evidence.doubt() > most {
        return Err(Distrust::Unsure(evidence.mean_logprob));
    }
    let is_few = pace::word_count(claim.text) <= FEW_WORDS;
    if !stands_out && (is_few || !is_asked(claim)) {
        return Err(Distrust::Faint(evidence.contrast_db()));
    }
    let slow = if is_lone_and_clear(claim, config) { LONE_SLOW } else { FEW_SLOW };
    let shortest = Duration::from_secs_f64(slow * f64::from(pace::syllables(claim.text)));
    if is_few && evidence.voiced < shortest { Err(Distrust::TooShort(evidence.voiced)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
