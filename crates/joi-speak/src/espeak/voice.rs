//! espeak-ng's own voices: text to samples, without a model.
//!
//! Any thread, under the one lock of espeak-ng, a sentence at a time: some milliseconds of computing. In: speakable
//! text. Out: mono f32 in −1..1. `is_stopped` is asked for every 60 ms of sound.

use std::collections::VecDeque;
use std::ffi::{CString, c_int, c_short, c_void};
use std::path::PathBuf;
use std::sync::PoisonError;

use espeak_rs_sys as sys;

use super::{OPENED, Phonemizer, UTF8, pieces, select};
use crate::shape::LeadSilence;
use crate::voice::{SoundChunk, SynthesisProgress};
use crate::{SpeakConfig, SpeakError, SynthesisEnd, shape};

/// espeak-ng's usual pace, in words a minute, and what it can do.
const USUAL_PACE: f32 = 175.0;
const PACES: std::ops::RangeInclusive<c_int> = 80..=450;
/// Brings it to the level of Piper's voices: 0.057 root mean square instead of 0.10.
const LEVEL: f32 = 0.56;
/// Softer than this counts as silence at the end of a sentence.
const SILENCE: f32 = 1e-3;

/// A voice of espeak-ng's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EspeakSource {
    /// The folder of its data, which is written there when it is missing.
    pub data: PathBuf,
    /// Its name, for example "de".
    pub voice: String,
}

/// The same, ready to speak.
#[derive(Debug)]
pub struct EspeakVoice {
    voice: String,
    rate: u32,
    pace: c_int,
    gain: f32,
    pause: usize,
    /// What is left of what it says.
    sentences: VecDeque<String>,
    lead: LeadSilence,
}

/// What a sentence is synthesised into; espeak-ng's callback gets its address.
struct Recording<'a> {
    samples: Vec<f32>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl EspeakVoice {
    /// Opens espeak-ng and checks that it knows the voice.
    ///
    /// # Errors
    /// As [`Phonemizer::open`].
    pub(crate) fn load(source: &EspeakSource, config: &SpeakConfig) -> Result<Self, SpeakError> {
        Phonemizer::open(&source.data, &source.voice)?;
        // SAFETY: espeak-ng is open; it only reads a number that does not change any more.
        let rate = unsafe { sys::espeak_ng_GetSampleRate() }.unsigned_abs();
        let pace = (USUAL_PACE * config.speed).round() as c_int;
        Ok(Self {
            voice: source.voice.clone(),
            rate,
            pace: pace.clamp(*PACES.start(), *PACES.end()),
            gain: config.gain * LEVEL,
            pause: (f64::from(rate) * f64::from(config.pause_ms) / 1e3) as usize,
            sentences: VecDeque::new(),
            lead: LeadSilence::Kept,
        })
    }

    /// The rate of its samples, in Hz.
    pub(crate) fn rate(&self) -> u32 {
        self.rate
    }

    /// Begins `text`, instead of what it was saying.
    pub(crate) fn begin(&mut self, text: &str, lead: LeadSilence) {
        let text: String = text.chars().filter(|c| *c != '\0').collect();
        self.sentences = sentences(&text)
            .flat_map(pieces)
            .filter(|sentence| sentence.chars().any(char::is_alphanumeric))
            .map(str::to_owned)
            .collect();
        self.lead = lead;
    }

    /// Its next sentence.
    pub(crate) fn advance(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<SynthesisProgress, SpeakError> {
        if is_stopped() {
            return Ok(SynthesisProgress::Over(SynthesisEnd::Stopped));
        }
        let Some(sentence) = self.sentences.pop_front() else {
            return Ok(SynthesisProgress::Over(SynthesisEnd::All));
        };
        let Some(mut samples) = self.synthesise(&sentence, is_stopped)? else {
            return Ok(SynthesisProgress::Over(SynthesisEnd::Stopped));
        };
        shape::level(&mut samples, self.gain);
        let end = samples.iter().rposition(|sample| sample.abs() > SILENCE).map_or(0, |last| last + 1);
        samples.truncate(end);
        if self.lead == LeadSilence::Cut {
            shape::cut_lead(&mut samples, self.rate);
        }
        self.lead = LeadSilence::Kept;
        if sentence.trim_end().ends_with(['.', '?', '!']) {
            samples.resize(samples.len() + self.pause, 0.0);
        }
        Ok(SynthesisProgress::Chunk(SoundChunk { samples, continues: false }))
    }

    /// One sentence; nothing when it was stopped.
    fn synthesise(
        &self,
        sentence: &str,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<f32>>, SpeakError> {
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
            sys::espeak_ng_STATUS_ENS_OK => Ok(Some(recording.samples)),
            sys::espeak_ng_STATUS_ENS_SPEECH_STOPPED => Ok(None),
            status => Err(SpeakError::synthesis(format!("espeak-ng's status {status:#x}"))),
        }
    }
}

/// espeak-ng hands over a stretch of sound; 1 ends the synthesis.
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

/// The sentences of a text that is ready to be spoken: dots of abbreviations and ordinals are gone from it.
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
    use crate::Voice;

    fn voice(name: &str, config: &SpeakConfig) -> Result<Voice, SpeakError> {
        let data = std::env::temp_dir().join(format!("joi-espeak-{}", std::process::id()));
        Voice::load(&EspeakSource { data, voice: name.into() }.into(), config)
    }

    fn said(name: &str, config: &SpeakConfig, text: &str) -> Vec<Vec<f32>> {
        let mut clips = Vec::new();
        let end = voice(name, config)
            .unwrap()
            .say(text, &|| false, &mut |chunk| clips.push(chunk.samples))
            .unwrap();
        assert_eq!(end, SynthesisEnd::All);
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
            assert!(clip[clip.len() - 3_000..].iter().all(|s| *s == 0.0), "a pause");
        }
        assert!(said("de", &SpeakConfig::default(), " ... \0").is_empty());
    }

    #[test]
    fn every_language_of_the_program_has_a_voice_that_speaks_at_once() {
        for name in ["en-us", "de", "fr", "es", "it", "nl", "pt"] {
            let mut voice = voice(name, &SpeakConfig::default()).unwrap();
            let mut first = None;
            let started = Instant::now();
            voice.say("Tango, radio.", &|| false, &mut |chunk| first = first.take().or(Some(chunk))).unwrap();
            assert!(first.is_some_and(|chunk| seconds(&chunk.samples) > 0.4), "{name}");
            assert!(started.elapsed().as_secs_f32() < 2.0, "{name}: {:?}", started.elapsed());
        }
    }

    #[test]
    fn a_slower_and_louder_voice_is_slower_and_louder() {
        let config = SpeakConfig { speed: 0.67, gain: 3.0, pause_ms: 0, ..SpeakConfig::default() };
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
        let end = voice.say("Eins. Zwei. Drei.", &|| stopped.get(), &mut count).unwrap();
        assert_eq!((end, clips.get()), (SynthesisEnd::Stopped, 1));
        // Asked once before the sentence, and again within it.
        let asked = Cell::new(0);
        let within = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        let end = voice.say("Das wird nie zu Ende gesprochen.", &within, &mut count).unwrap();
        assert_eq!((end, clips.get(), asked.get()), (SynthesisEnd::Stopped, 1, 3));
        let end = voice.say("Und noch einmal.", &|| false, &mut count).unwrap();
        assert_eq!((end, clips.get()), (SynthesisEnd::All, 2));
    }

    #[test]
    fn a_voice_that_there_is_not_is_told() {
        let told = voice("xx", &SpeakConfig::default()).unwrap_err().to_string();
        assert!(told.starts_with("espeak-ng has no voice xx"), "{told}");
    }

    #[test]
    fn piper_and_espeak_share_the_engine() {
        let folder = std::env::temp_dir().join(format!("joi-espeak-{}", std::process::id()));
        let phonemizer = Phonemizer::open(&folder, "en-us").unwrap();
        let before = phonemizer.sentences("Good morning.").unwrap();
        said("de", &SpeakConfig::default(), "Guten Morgen.");
        assert_eq!(phonemizer.sentences("Good morning.").unwrap(), before);
    }
}
