//! Alternative readings: which of several sentences was said, when the transcript makes no sense.
//!
//! In: the sound of an utterance, the transcript, and other ways to read it. Out: how well the sound supports
//! each, in nats, and which of them is sure enough. The model is forced to decode every sentence, end
//! included; since all are scored on one encoding and share most of their words, the differences are those of
//! the words that differ.

use std::sync::atomic::AtomicBool;

use crate::whisper::{SttError, Whisper};
use joi_audio::RATE;

/// The longest sound that is scored, in samples: the encoder's window for phrases is hardly longer.
pub const LONGEST: usize = RATE as usize * 9 / 2;
/// A reading may be this much less supported than the free transcription: nobody says what makes no sense. On
/// five synthetic voices, true readings lie from 3.6 above to 2.2 below, false ones from 2.1 below on.
const BELOW: f32 = 2.0;
/// A reading must be this much better supported than the next one with another meaning.
const APART: f32 = 2.0;

/// The result of scoring the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReadingChoice {
    /// This one was said: its index, how far it is below the transcript, and above the next one, in nats.
    Sure {
        /// Its index.
        place: usize,
        /// Below the transcript; negative when it is above.
        below: f32,
        /// Above the next one; infinite when there is none.
        apart: f32,
    },
    /// None is sure: how far the best is below the transcript, and above the next one.
    Unsure {
        /// Below the transcript.
        below: f32,
        /// Above the next one.
        apart: f32,
    },
}

/// Returns how well `samples` (mono, 16 kHz, −1..1, at most [`LONGEST`]) support each sentence, in nats; 0 is full
/// support. `lead` is the wake phrase when the sound begins with it. Blocks: about 0.2 s of one PC core, and
/// some milliseconds for each word in which the sentences differ.
///
/// # Errors
/// [`SttError::Aborted`] once `abort` is true, a sentence is too long, or whisper.cpp failed.
pub fn support(
    whisper: &mut Whisper,
    samples: &[f32],
    lead: Option<&str>,
    sentences: &[String],
    abort: &AtomicBool,
) -> Result<Vec<f32>, SttError> {
    let texts: Vec<Vec<i32>> =
        sentences.iter().map(|text| whisper.tokens_behind(lead, text)).collect::<Result<_, _>>()?;
    let mut order: Vec<usize> = (0..texts.len()).collect();
    // Neighbours share their prefixes: decoder steps are saved.
    order.sort_by(|a, b| texts[*a].cmp(&texts[*b]));
    let mut forced = whisper.listen(samples, abort)?;
    forced.begin(&[])?;
    let mut support = vec![f32::NEG_INFINITY; texts.len()];
    for place in order {
        support[place] = forced.whole(&texts[place])?;
    }
    Ok(support)
}

/// Decides which reading was said. `written` is the support of the transcript, `readings` that of each reading
/// with a number that is the same for readings with the same meaning.
pub fn choose(written: f32, readings: &[(f32, usize)]) -> Option<ReadingChoice> {
    let (place, (best, meaning)) =
        readings.iter().copied().enumerate().max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0))?;
    let others = readings.iter().filter(|(_, other)| *other != meaning).map(|(support, _)| *support);
    let below = written - best;
    let apart = best - others.fold(f32::NEG_INFINITY, f32::max);
    // NaN is not sure.
    Some(match below <= BELOW && apart >= APART {
        true => ReadingChoice::Sure { place, below, apart },
        false => ReadingChoice::Unsure { below, apart },
    })
}
