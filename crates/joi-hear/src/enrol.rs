//! Enrols a wake phrase by recordings of one voice: decides which are usable, and which margin fits the
//! voice.
//!
//! In: recordings, 16 kHz mono; later their phrase scores. Out: the phrase cut out of the recording, or why
//! it can't be; which recordings are outliers; the margin that fits the voice. No sound is kept: of what
//! the scorer hears only the threshold is stored, since it knows the phrase from its spelling (`likeness`: templates).
//! Pure but for `judged`: no I/O, no clock.

mod judged;
mod likeness;

use std::ops::Range;

use joi_audio::RATE;
pub use likeness::{counts_from, refusals};

/// Number of recordings of one voice: fewer say too little, more are tedious.
pub const TAKES: std::ops::RangeInclusive<usize> = 5..=8;
/// Samples that are recorded after the tone that invites to speak.
pub const RECORDING: usize = 5 * RATE as usize / 2;
/// That tone is still in the room for so many samples.
pub const TONE: usize = 3 * RATE as usize / 10;
/// Levels are measured in frames of 10 ms.
const FRAME: usize = RATE as usize / 100;
/// A frame this far below the loudest one, in dB, is no part of the phrase ...
const BELOW_PEAK_DB: f32 = 30.0;
/// ... nor one that is not this far above the noise floor.
const ABOVE_ROOM_DB: f32 = 8.0;
/// A shorter sound is a click, a longer gap ends the phrase, in frames.
const LEAST_SOUND: usize = 5;
const LONGEST_GAP: usize = 35;
/// Kept before and behind the phrase.
const EDGE: usize = 3 * FRAME;
/// The phrase must be this much louder than the noise floor, in dB.
const LEAST_CONTRAST_DB: f32 = 12.0;
/// The loudest frame must reach this level, in dBFS.
const LEAST_PEAK_DB: f32 = -45.0;
/// Share of samples at full scale from which on it counts as clipped.
const MOST_CLIPPED: f32 = 0.005;
/// The shortest and the longest phrase, in milliseconds.
const LENGTHS: Range<usize> = 250..2200;
/// Recordings nearer to the threshold than this would often be missed.
const HEADROOM: f32 = 0.7;
/// The margin of a voice is never below or above these: below, too much other speech is accepted; above, a
/// bad day is enough to be missed.
const MARGINS: (f32, f32) = (LEAST_MARGIN, -2.0);
/// A recording below this margin is not the phrase.
pub const LEAST_MARGIN: f32 = -4.0;
/// A recording this much farther from the median than usual, in nats, is an outlier.
const LEAST_OUTLYING: f32 = 1.5;
/// Multiple of the usual distance from the median.
const OUTLYING: f32 = 4.0;

/// Why a recording is not usable.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// Nobody spoke.
    #[error("no speech was recorded; speak after the tone")]
    Silent,
    /// Too soft.
    #[error("the recording is too quiet ({0:.0} dBFS); come nearer, or raise the microphone's level")]
    Soft(f32),
    /// Clipped.
    #[error("the recording is clipped; lower the microphone's level, or step back")]
    Clipped,
    /// The room is too loud.
    #[error("the room is too loud: the voice stands out by only {0:.0} dB; switch off sources of noise")]
    Noisy(f32),
    /// Too short to be the phrase.
    #[error("the recording is too short ({0} ms); say the whole phrase")]
    Short(usize),
    /// Longer than any phrase.
    #[error("the recording is too long ({0} ms); say the phrase and nothing else")]
    Long(usize),
}

/// Returns the phrase, cut out of a recording: 30 ms before and behind it are kept.
///
/// # Errors
/// The recording is not usable; the error says what to do.
pub fn trimmed(recording: &[f32]) -> Result<&[f32], Unfit> {
    let levels: Vec<f32> = recording.chunks(FRAME).map(level_db).collect();
    let peak = levels.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let room = softest(&levels);
    if levels.len() < LEAST_SOUND || !peak.is_finite() || peak < LEAST_PEAK_DB - 20.0 {
        return Err(Unfit::Silent);
    }
    if peak < LEAST_PEAK_DB {
        return Err(Unfit::Soft(peak));
    }
    if peak - room < LEAST_CONTRAST_DB {
        return Err(Unfit::Noisy((peak - room).max(0.0)));
    }
    let bar = (peak - BELOW_PEAK_DB).max(room + ABOVE_ROOM_DB);
    let place = longest_sound(&levels, bar).ok_or(Unfit::Silent)?;
    let ms = place.len() * 1000 * FRAME / RATE as usize;
    if ms < LENGTHS.start {
        return Err(Unfit::Short(ms));
    }
    if ms >= LENGTHS.end {
        return Err(Unfit::Long(ms));
    }
    let from = (place.start * FRAME).saturating_sub(EDGE);
    let phrase = &recording[from..(place.end * FRAME + EDGE).min(recording.len())];
    let clipped = phrase.iter().filter(|sample| sample.abs() > 0.99).count();
    if clipped as f32 > MOST_CLIPPED * phrase.len() as f32 {
        return Err(Unfit::Clipped);
    }
    Ok(phrase)
}

/// Returns the longest stretch of frames above `bar`, short gaps included and clicks left out.
fn longest_sound(levels: &[f32], bar: f32) -> Option<Range<usize>> {
    let mut sounds: Vec<Range<usize>> = Vec::new();
    for (at, level) in levels.iter().enumerate().filter(|(_, level)| **level >= bar) {
        debug_assert!(level.is_finite());
        match sounds.last_mut() {
            Some(sound) if at - sound.end <= LONGEST_GAP => sound.end = at + 1,
            _ => sounds.push(at..at + 1),
        }
    }
    sounds.into_iter().filter(|sound| sound.len() >= LEAST_SOUND).max_by_key(ExactSizeIterator::len)
}

/// Returns the level that a fifth of the frames stay below: the noise floor between the words.
fn softest(levels: &[f32]) -> f32 {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() / 5).copied().unwrap_or(f32::NEG_INFINITY)
}

fn level_db(frame: &[f32]) -> f32 {
    let power = frame.iter().map(|s| s * s).sum::<f32>() / frame.len().max(1) as f32;
    10.0 * (power + 1e-10).log10()
}

/// A usable recording with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Take {
    /// Its name for people: "recording 3", or a file.
    pub name: String,
    /// What the model transcribes freely.
    pub text: String,
    /// How well it supports the phrase.
    pub margin: f32,
    /// Similar-sounding words that are better supported than the phrase.
    pub rival: Option<String>,
}

/// What the other recordings say about one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The margin without this recording.
    pub asked: f32,
    /// Why it is an outlier, if it is.
    pub refused: Option<String>,
}

/// Compares each recording with all others.
pub fn left_out(takes: &[Take]) -> Vec<LeftOut> {
    let of = |at: usize, take: &Take| {
        let others = takes.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<f32> = others.map(|(_, other)| other.margin).filter(|m| !m.is_nan()).collect();
        let middle = median(&others).unwrap_or(take.margin);
        let usual = median(&others.iter().map(|margin| (margin - middle).abs()).collect::<Vec<_>>());
        let far = LEAST_OUTLYING.max(OUTLYING * usual.unwrap_or(0.0));
        let heard = if take.text.is_empty() { "nothing".into() } else { format!("\"{}\"", take.text) };
        let is_near = take.margin >= MARGINS.0 && take.margin >= middle - far;
        let like = |rival| {
            format!("it sounds more like \"{rival}\"; if that is how you say it, add --alike \"{rival}\"")
        };
        let refused = if is_near {
            take.rival.as_ref().map(like)
        } else if middle >= MARGINS.0 {
            Some(format!("it came to {:.1}, the others to {middle:.1}; it sounds like {heard}", take.margin))
        } else {
            Some(format!("it came to {:.1}; it sounds like {heard}", take.margin))
        };
        LeftOut { asked: wished(&others), refused }
    };
    takes.iter().enumerate().map(|(at, take)| of(at, take)).collect()
}

/// Returns the margin from which on this voice counts as having said the phrase. `likest` is the highest margin of
/// any other sound, from which it keeps `clearance`. Nothing if no margin separates the two.
pub fn margin(takes: &[Take], likest: f32, clearance: f32) -> Option<f32> {
    let margins: Vec<f32> = takes.iter().map(|take| take.margin).collect();
    let worst = margins.iter().copied().fold(f32::INFINITY, f32::min);
    let margin = wished(&margins).max(likest + clearance);
    (margin <= worst && margin <= MARGINS.1).then(|| (margin * 100.0).floor() / 100.0)
}

/// Returns a little below the worst of them.
fn wished(margins: &[f32]) -> f32 {
    let worst = margins.iter().copied().fold(f32::INFINITY, f32::min);
    (worst - HEADROOM).clamp(MARGINS.0, MARGINS.1)
}

/// Returns the median; nothing of nothing.
fn median(values: &[f32]) -> Option<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests;
