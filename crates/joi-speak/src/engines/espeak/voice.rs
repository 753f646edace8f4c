//! espeak-ng's own voices: text to samples, without a model.
//!
//! Any thread, under the one lock of espeak-ng, a sentence at a time: some milliseconds of computing. In: speakable
//! text. Out: mono f32 in −1..1. `is_stopped` is asked for every 60 ms of sound.

use std::ffi::{CString, c_int, c_short, c_void};
use std::path::PathBuf;
use std::sync::PoisonError;

use espeak_rs_sys as sys;

use super::{OPENED, Phonemizer, UTF8, pieces, select};
use crate::engines::sentence_voice::{SentenceEngine, SentenceVoice};
use crate::voice::{FoundVoice, Voice, VoiceEngine, VoicePlaces, VoiceSource};
use crate::{SpeakError, VoiceStyle};
use joi_language::{Language, LanguageCode};

/// espeak-ng's usual pace, in words a minute, and what it can do.
const USUAL_PACE: f32 = 175.0;
const PACES: std::ops::RangeInclusive<c_int> = 80..=450;
/// Brings it to the level of Piper's voices: 0.057 root mean square instead of 0.10.
const LEVEL: f32 = 0.56;

/// espeak-ng's row in the table of engines. A language without a name of its own has the voice of its code.
pub(crate) const ENGINE: VoiceEngine = VoiceEngine {
    name: "espeak",
    uses_models: false,
    of_language: |language, places| Some(Ok(of_language(language, places))),
    of_model: |_, _| None,
};

fn of_language(language: &Language, places: &VoicePlaces<'_>) -> FoundVoice {
    let voice = language.voice().of(ENGINE.name).unwrap_or(language.code()).to_owned();
    let name = format!("espeak-ng {voice}");
    FoundVoice { name, source: Box::new(EspeakSource { data: places.espeak_data.clone(), voice }) }
}

/// One of espeak-ng's own voices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EspeakSource {
    /// The folder of its data, which is written there when it is missing.
    pub data: PathBuf,
    /// Its name, for example "de".
    pub voice: String,
}

/// The same, ready to speak.
#[derive(Debug)]
struct EspeakVoice {
    voice: String,
    languages: [LanguageCode; 1],
    rate: u32,
    pace: c_int,
}

/// Receives the samples of a sentence; espeak-ng's callback gets its address.
struct Recording<'a> {
    samples: Vec<f32>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl VoiceSource for EspeakSource {
    /// Opens espeak-ng and checks that it knows the voice.
    fn load(&self, style: &VoiceStyle) -> Result<Box<dyn Voice>, SpeakError> {
        // A sentence is computed at once, and always in the same way.
        let &VoiceStyle { gain, speed, threads: _, variation: _ } = style;
        Phonemizer::open(&self.data, &self.voice)?;
        // SAFETY: espeak-ng is open; it only reads a number that does not change any more.
        let rate = unsafe { sys::espeak_ng_GetSampleRate() }.unsigned_abs();
        let pace = (USUAL_PACE * speed).round() as c_int;
        let voice = EspeakVoice {
            voice: self.voice.clone(),
            languages: [self.voice.split('-').next().unwrap_or_default().into()],
            rate,
            pace: pace.clamp(*PACES.start(), *PACES.end()),
        };
        Ok(Box::new(SentenceVoice::new(voice, gain)))
    }
}

impl SentenceEngine for EspeakVoice {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn languages(&self) -> &[LanguageCode] {
        &self.languages
    }

    fn pieces(&self, text: &str) -> Result<Vec<String>, SpeakError> {
        let text: String = text.chars().filter(|c| *c != '\0').collect();
        let spoken = sentences(&text).flat_map(pieces).filter(|it| it.chars().any(char::is_alphanumeric));
        Ok(spoken.map(str::to_owned).collect())
    }

    fn synthesise(&mut self, piece: &str, is_stopped: &dyn Fn() -> bool) -> Result<Vec<f32>, SpeakError> {
        let mut samples = self.recorded(piece, is_stopped)?;
        samples.iter_mut().for_each(|sample| *sample *= LEVEL);
        Ok(samples)
    }
}

impl EspeakVoice {
    /// Returns a sentence at espeak-ng's own level.
    fn recorded(&self, sentence: &str, is_stopped: &dyn Fn() -> bool) -> Result<Vec<f32>, SpeakError> {
        let text = CString::new(sentence).map_err(SpeakError::synthesis)?;
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        select(&mut opened, &self.voice)?;
        let mut recording = Recording { samples: Vec::new(), is_stopped };
        let data: *mut c_void = (&raw mut recording).cast();
        // SAFETY: the lock is held, espeak-ng is open, a voice is selected; `text` and `recording` outlive the call,
        // behind which espeak-ng uses neither.
        let status = unsafe {
            sys::espeak_SetSynthCallback(Some(record));
            sys::espeak_ng_SetParameter(sys::espeak_PARAMETER_espeakRATE, self.pace, 0);
            sys::espeak_ng_Synthesize(
                text.as_ptr().cast(),
                text.as_bytes_with_nul().len(),
                0,
                sys::espeak_POSITION_TYPE_POS_CHARACTER,
                0,
                UTF8.unsigned_abs(),
                std::ptr::null_mut(),
                data,
            )
        };
        drop(opened);
        match status {
            sys::espeak_ng_STATUS_ENS_OK => Ok(recording.samples),
            sys::espeak_ng_STATUS_ENS_SPEECH_STOPPED => Err(SpeakError::Stopped),
            status => Err(SpeakError::synthesis(format!("espeak-ng's status {status:#x}"))),
        }
    }
}

/// Called by espeak-ng with a stretch of sound; returning 1 ends the synthesis.
unsafe extern "C" fn record(samples: *mut c_short, count: c_int, events: *mut sys::espeak_EVENT) -> c_int {
    // SAFETY: espeak-ng passes at least one event, whose data is the address given to `espeak_ng_Synthesize`, which
    // runs now; and `count` samples unless their address is null.
    unsafe {
        let Some(recording) = (*events).user_data.cast::<Recording<'_>>().as_mut() else { return 1 };
        if let (false, Ok(count)) = (samples.is_null(), usize::try_from(count)) {
            let samples = std::slice::from_raw_parts(samples, count);
            recording.samples.extend(samples.iter().map(|sample| f32::from(*sample) / 32_768.0));
        }
        c_int::from((recording.is_stopped)())
    }
}

/// Returns the sentences of a text that is ready to be spoken: dots of abbreviations and ordinals are gone from it.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.trim().is_empty() {
            return None;
        }
        let ends = rest.match_indices(['.', '!', '?']).map(|(at, mark)| at + mark.len());
        let end = ends.into_iter().find(|end| rest[*end..].starts_with(char::is_whitespace));
        let (sentence, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(sentence.trim_start())
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Instant;

    use super::*;
    use crate::testing::say;
    use crate::{ChunkEnd, SoundChunk, SpeakConfig};

    fn voice(name: &str, config: &SpeakConfig) -> Result<Box<dyn Voice>, SpeakError> {
        let data = crate::testing::espeak_data();
        EspeakSource { data, voice: name.into() }.load(&config.style())
    }

    fn said(name: &str, config: &SpeakConfig, text: &str) -> Vec<Vec<f32>> {
        let mut clips = Vec::new();
        let mut voice = voice(name, config).unwrap();
        let each = &mut |chunk: SoundChunk| {
            assert_eq!(chunk.end, ChunkEnd::Sentence, "{text}");
            clips.push(chunk.samples);
        };
        say(&mut *voice, text, &|| false, each).unwrap();
        clips
    }

    fn seconds(clip: &[f32]) -> f32 {
        clip.len() as f32 / 22_050.0
    }

    #[test]
    fn sentences_come_one_by_one_at_a_sound_level_and_length() {
        let clips = said("de", &SpeakConfig::default(), "Es ist Viertel nach neun. Guten Morgen!");
        assert_eq!(clips.len(), 2);
        for (clip, range) in clips.iter().zip([0.9..2.5, 0.5..1.6]) {
            let level = (clip.iter().map(|s| s * s).sum::<f32>() / clip.len() as f32).sqrt();
            assert!(range.contains(&seconds(clip)), "{} s", seconds(clip));
            assert!((0.03..0.4).contains(&level), "{level}");
            assert!(clip.iter().all(|s| s.is_finite() && s.abs() <= 1.0));
            assert!(clip.last().is_some_and(|last| *last != 0.0), "the pause is not the voice's");
        }
        assert!(said("de", &SpeakConfig::default(), " ... \0").is_empty());
    }

    #[test]
    fn every_language_of_the_program_has_a_voice_that_speaks_at_once() {
        for name in ["en-us", "de", "fr", "es", "it", "nl", "pt"] {
            let mut voice = voice(name, &SpeakConfig::default()).unwrap();
            let mut first = None;
            let started = Instant::now();
            say(&mut *voice, "Tango, radio.", &|| false, &mut |chunk| first = first.take().or(Some(chunk)))
                .unwrap();
            assert!(first.is_some_and(|chunk| seconds(&chunk.samples) > 0.4), "{name}");
            assert!(started.elapsed().as_secs_f32() < 2.0, "{name}: {:?}", started.elapsed());
        }
    }

    #[test]
    fn a_slower_and_louder_voice_is_slower_and_louder() {
        let config = SpeakConfig { speed: 0.67, gain: 3.0, ..SpeakConfig::default() };
        let text = "Das Licht im Wohnzimmer ist an.";
        let (plain, changed) = (said("de", &SpeakConfig::default(), text), said("de", &config, text));
        assert!(seconds(&changed[0]) > 1.2 * seconds(&plain[0]));
        let loudest = |clip: &[f32]| clip.iter().fold(0.0_f32, |loudest, s| loudest.max(s.abs()));
        assert!(loudest(&changed[0]) > 1.1 * loudest(&plain[0]));
    }

    #[test]
    fn a_stop_ends_it_between_and_within_sentences_and_it_speaks_again() {
        let mut voice = voice("de", &SpeakConfig::default()).unwrap();
        let (stopped, clips) = (Cell::new(false), Cell::new(0));
        let mut count = |_: SoundChunk| {
            clips.set(clips.get() + 1);
            stopped.set(true);
        };
        let end = say(&mut *voice, "Eins. Zwei. Drei.", &|| stopped.get(), &mut count);
        assert!(matches!(end, Err(SpeakError::Stopped)) && clips.get() == 1);
        // Asked once before the sentence, and again within it.
        let asked = Cell::new(0);
        let within = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        let end = say(&mut *voice, "Das wird nie zu Ende gesprochen.", &within, &mut count);
        assert!(matches!(end, Err(SpeakError::Stopped)));
        assert_eq!((clips.get(), asked.get()), (1, 3));
        say(&mut *voice, "Und noch einmal.", &|| false, &mut count).unwrap();
        assert_eq!(clips.get(), 2);
    }

    #[test]
    fn an_unknown_voice_is_an_error() {
        let error = voice("xx", &SpeakConfig::default()).unwrap_err().to_string();
        assert!(error.starts_with("espeak-ng has no voice xx"), "{error}");
    }

    #[test]
    fn piper_and_espeak_share_the_engine() {
        let folder = crate::testing::espeak_data();
        let phonemizer = Phonemizer::open(&folder, "en-us").unwrap();
        let before = phonemizer.sentences("Good morning.").unwrap();
        said("de", &SpeakConfig::default(), "Guten Morgen.");
        assert_eq!(phonemizer.sentences("Good morning.").unwrap(), before);
    }
}
