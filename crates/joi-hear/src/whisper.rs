//! Speech to text with whisper.cpp: one model, one warm state, one thread.
//!
//! [`Whisper`] is the model itself; its owner decodes on its own thread and blocks. [`Stt`] puts it on a
//! worker thread. In: mono 16 kHz f32. Out: a [`Transcript`]. Refuses files that are not whisper models
//! before the C++ loader reads them, since that aborts the process on some.
//!
//! The encoder is most of the work and by default processes 30 s whatever was said, so its window is cut to
//! the utterance ([`window`]); when the text then repeats itself, it is decoded once more with the full
//! window.

mod config;
mod decode_pass;
mod error;
mod file;
mod forced_decoding;
mod log_prob_row;
mod measure;
mod names;
mod prefix;
mod seen;
mod spoken;
#[cfg(test)]
pub(crate) mod tests;
mod vocabulary;
mod window;
mod worker;

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use whisper_rs::{FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState};

pub use config::{AUTO, SttConfig, SttModel, knows_language};
use decode_pass::DecodePass;
pub use error::SttError;
use error::failed;
pub use forced_decoding::{Forced, Free, FreeToken};
pub use log_prob_row::LogProbRow;
pub use measure::{BUDGET, Measured, ModelChoice, clip, machine, measure};
use seen::WindowsSeen;
use spoken::SpokenLanguage;
pub(crate) use window::repeats;
pub use window::{WHOLE, audio_ctx};
pub use worker::{DecodeUrgency, Lender, Stt, SttEvent, SttJob};

use joi_base::message::{OpenedBy, Transcript, Utterance};

/// A loaded model with its one warm state.
pub struct Whisper {
    state: WhisperState,
    /// Its vocabulary.
    context: Arc<WhisperContext>,
    /// By token: whether it continues a word that the token before began.
    goes_on: Vec<bool>,
    /// By token: whether it may be part of speech.
    is_word: Vec<bool>,
    path: PathBuf,
    spoken: SpokenLanguage,
    threads: i32,
    start_of_text: i32,
    end_of_text: i32,
    nothing_said: i32,
    /// Text before an utterance, as tokens: names that may be in it.
    names: Vec<i32>,
    /// Kept between calls, so that padding a short utterance allocates once.
    padded: Vec<f32>,
    encoded: Encoded,
    seen: WindowsSeen,
}

/// The sound that the encoder's output in the state belongs to, and its window; empty after a failure.
#[derive(Default)]
struct Encoded {
    samples: Vec<f32>,
    audio_ctx: u32,
}

impl Encoded {
    fn is(&self, samples: &[f32], audio_ctx: u32) -> bool {
        !samples.is_empty() && self.audio_ctx == audio_ctx && self.samples == samples
    }
}

impl Whisper {
    /// Checks that the file at `path` is a complete model that knows the configured languages, without loading it.
    pub fn check(path: &Path, config: &SttConfig) -> Result<(), SttError> {
        let bad = |e: file::FileError| SttError::BadModel { path: path.to_owned(), why: e.to_string() };
        let shape = file::check(path).map_err(bad)?;
        let refused = |language: &str, remedy| SttError::Language {
            path: path.to_owned(),
            language: language.to_owned(),
            remedy,
        };
        for language in &config.heard() {
            if language != "en" && !shape.multilingual() {
                return Err(refused(language, "set hear.stt.model = \"base\", which knows many languages"));
            }
            if !config::knows_language(language) {
                let remedy = "set hear.stt.language to a two-letter code such as \"en\" or \"de\"";
                return Err(refused(language, remedy));
            }
        }
        Ok(())
    }

    /// Loads the ggml model at `path`. Blocks for a fraction of a second to seconds.
    pub fn load(path: &Path, config: &SttConfig) -> Result<Self, SttError> {
        whisper_rs::install_logging_hooks();
        Self::check(path, config)?;
        let bad = |why: String| SttError::BadModel { path: path.to_owned(), why };
        let context = WhisperContext::new_with_params(path, WhisperContextParameters::default())
            .map_err(|e| bad(e.to_string()))?;
        let state = context.create_state().map_err(|e| bad(e.to_string()))?;
        Ok(Self {
            state,
            goes_on: vocabulary::tokens_that_go_on(&context),
            is_word: vocabulary::tokens_of_words(&context),
            path: path.to_owned(),
            spoken: SpokenLanguage::new(config.heard()),
            threads: config.threads_to_use(),
            start_of_text: context.token_sot(),
            end_of_text: context.token_eot(),
            nothing_said: context.token_nosp(),
            names: Vec::new(),
            padded: Vec::new(),
            encoded: Encoded::default(),
            seen: WindowsSeen::default(),
            context: Arc::new(context),
        })
    }

    /// Another one of the same model, for another thread: it shares the weights, and has a state of its own.
    pub fn sibling(&self) -> Result<Self, SttError> {
        let bad = |why: String| SttError::BadModel { path: self.path.clone(), why };
        Ok(Self {
            state: self.context.create_state().map_err(|e| bad(e.to_string()))?,
            context: Arc::clone(&self.context),
            goes_on: self.goes_on.clone(),
            is_word: self.is_word.clone(),
            path: self.path.clone(),
            spoken: self.spoken.afresh(),
            names: Vec::new(),
            padded: Vec::new(),
            encoded: Encoded::default(),
            seen: WindowsSeen::default(),
            ..*self
        })
    }

    /// Gives back the memory that a long utterance has left in the state, tens of MB, by a new one.
    fn give_back(&mut self) {
        if !self.seen.is_large() {
            return;
        }
        match self.context.create_state() {
            Ok(state) => {
                (self.state, self.encoded, self.seen) = (state, Encoded::default(), WindowsSeen::default())
            }
            Err(error) => tracing::debug!(%error, "the state of the speech model stays as it is"),
        }
    }

    /// Returns the file it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Transcribes `samples` (mono, 16 kHz, f32 in −1..1; any length). Blocks. `abort` is polled after the
    /// encoder and after every token; once it is true the result is [`SttError::Aborted`]. The state can be
    /// used again after any error.
    ///
    /// `generation` and `revision` of the transcript are 0: only the caller knows them.
    pub fn transcribe(&mut self, samples: &[f32], abort: &AtomicBool) -> Result<Transcript, SttError> {
        self.transcribe_in(audio_ctx(samples.len()), samples, abort)
    }

    /// Like [`Whisper::transcribe`], with an encoder window of `audio_ctx` positions of 20 ms (at most
    /// 1500) instead of one cut to `samples`.
    pub fn transcribe_in(
        &mut self,
        audio_ctx: u32,
        samples: &[f32],
        abort: &AtomicBool,
    ) -> Result<Transcript, SttError> {
        self.in_passes(audio_ctx, samples, None, abort)
    }

    /// Like [`Whisper::transcribe`], for the part of an utterance behind the wake phrase. Speech during
    /// playback is short, and urgent: its window is that of [`Whisper::listen`], and it is decoded once.
    pub fn understand(&mut self, utterance: &Utterance, abort: &AtomicBool) -> Result<Transcript, SttError> {
        let (samples, lead) = (&utterance.samples, utterance.lead.as_deref());
        let is_short = samples.len() <= window::PHRASE_SAMPLES;
        let transcript = match (&utterance.opened_by, lead) {
            (OpenedBy::Interjection, None) if is_short => self.overhear(samples, abort)?,
            _ => self.in_passes(audio_ctx(samples.len()), samples, lead, abort)?,
        };
        Ok(Transcript { generation: utterance.generation, revision: utterance.revision, ..transcript })
    }

    /// Decodes once, so that [`Whisper::listen`] can go on from there; once more where another language is spoken.
    fn overhear(&mut self, samples: &[f32], abort: &AtomicBool) -> Result<Transcript, SttError> {
        let started = Instant::now();
        let (window, tokens) = (window::PHRASE_AUDIO_CTX, window::PHRASE_TOKENS);
        self.run(samples, window, tokens, abort)?;
        let mut start = self.start_of_transcript()?;
        if self.spoken.may_change() && self.hear_language(&start) {
            self.run(samples, window, tokens, abort)?;
            start = self.start_of_transcript()?;
        }
        let pass = DecodePass { no_speech: self.no_speech(&start), ..self.read_pass(tokens)? };
        Ok(pass.transcript(window, self.spoken.found(), started))
    }

    /// Decodes, and where the decoder repeated itself again in a wider window.
    fn in_passes(
        &mut self,
        mut audio_ctx: u32,
        samples: &[f32],
        lead: Option<&str>,
        abort: &AtomicBool,
    ) -> Result<Transcript, SttError> {
        let started = Instant::now();
        let mut pass = self.decode(samples, audio_ctx, lead, abort)?;
        let ran_away = pass.ran_away;
        while let Some(wider) = window::wider(audio_ctx).filter(|_| pass.ran_away) {
            audio_ctx = wider;
            pass = self.decode(samples, audio_ctx, lead, abort)?;
        }
        Ok(DecodePass { ran_away, ..pass }.transcript(audio_ctx, self.spoken.found(), started))
    }

    fn decode(
        &mut self,
        samples: &[f32],
        audio_ctx: u32,
        lead: Option<&str>,
        abort: &AtomicBool,
    ) -> Result<DecodePass, SttError> {
        let max_tokens = window::max_tokens(samples.len());
        if lead.is_none() && self.names.is_empty() && !self.spoken.may_change() {
            self.run(samples, audio_ctx, max_tokens, abort)?;
            let (pass, start) = (self.read_pass(max_tokens)?, self.start_of_transcript()?);
            return Ok(DecodePass { no_speech: self.no_speech(&start), ..pass });
        }
        // For the encoder only: the free transcription is not needed.
        self.run(samples, audio_ctx, 1, abort)?;
        let start = self.start_of_transcript()?;
        if self.spoken.may_change() {
            self.hear_language(&start);
        }
        Ok(DecodePass { no_speech: self.no_speech(&start), ..self.pass_after(lead, max_tokens, abort)? })
    }

    /// Encoder and decoder over `samples`; their output stays in the state.
    fn run(
        &mut self,
        samples: &[f32],
        audio_ctx: u32,
        max_tokens: u32,
        abort: &AtomicBool,
    ) -> Result<(), SttError> {
        if abort.load(Ordering::Relaxed) {
            return Err(SttError::Aborted);
        }
        let mut params = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
        params.set_n_threads(self.threads);
        params.set_audio_ctx(audio_ctx.cast_signed());
        params.set_max_tokens(max_tokens.cast_signed());
        if self.spoken.is() != "en" {
            // whisper-rs leaks the few bytes of this string; English is the default of the library.
            params.set_language(Some(self.spoken.is()));
        }
        params.set_no_context(true);
        params.set_single_segment(true);
        params.set_no_timestamps(true);
        params.set_temperature_inc(0.0);
        params.set_suppress_nst(true);
        // whisper.cpp's own no-speech check reads a number unrelated to this utterance: see `no_speech`.
        params.set_no_speech_thold(2.0);
        params.set_print_progress(false);
        params.set_print_realtime(false);
        params.set_print_special(false);
        params.set_print_timestamps(false);
        let flag: *const AtomicBool = abort;
        // SAFETY: the callback only reads the flag, as an `AtomicBool`, and whisper.cpp calls it only during
        // `full` below, while the borrow of `abort` lasts. The safe setter of this version calls its closure
        // through a pointer of the wrong type.
        unsafe {
            params.set_abort_callback(Some(raised));
            params.set_abort_callback_user_data(flag.cast_mut().cast());
        }
        self.encoded.audio_ctx = 0;
        self.seen.sees(audio_ctx);
        let outcome = self.state.full(params, window::padded(samples, &mut self.padded));
        if abort.load(Ordering::Relaxed) {
            return Err(SttError::Aborted);
        }
        outcome.map_err(failed)?;
        self.encoded.samples.clear();
        self.encoded.samples.extend_from_slice(samples);
        self.encoded.audio_ctx = audio_ctx;
        Ok(())
    }

    /// Returns the probabilities of the first token of a transcript: one decoder step with an empty prompt, as the model was trained.
    fn start_of_transcript(&mut self) -> Result<LogProbRow, SttError> {
        let threads = usize::try_from(self.threads).unwrap_or(1);
        self.state.decode(&[self.start_of_text], 0, threads).map_err(failed)?;
        self.row()
    }

    /// Detects the language from the `start` of a transcript; returns whether it differs from the one before.
    fn hear_language(&mut self, start: &LogProbRow) -> bool {
        let context = &self.context;
        self.spoken.hear_by(|language| {
            let id = whisper_rs::get_lang_id(language);
            id.map_or(f32::NEG_INFINITY, |id| start.log_prob(context.token_lang(id)))
        })
    }

    /// Returns the probability that the last decoded audio contained no speech. whisper.cpp has a number of this
    /// name, read from a row of logits that it does not fill when timestamps are omitted.
    fn no_speech(&self, start: &LogProbRow) -> f32 {
        start.log_prob(self.nothing_said).exp()
    }

    fn read_pass(&self, max_tokens: u32) -> Result<DecodePass, SttError> {
        let mut text = String::new();
        let (mut sum, mut tokens, mut longest) = (0.0_f64, 0_u32, 0_u32);
        for segment in self.state.as_iter() {
            text.push_str(&segment.to_str_lossy().map_err(failed)?);
            let mut here = 0;
            for token in (0..segment.n_tokens()).filter_map(|n| segment.get_token(n)) {
                let token = token.token_data();
                if token.id < self.end_of_text {
                    sum += f64::from(token.plog);
                    here += 1;
                }
            }
            tokens += here;
            longest = longest.max(here);
        }
        let text = text.trim().to_owned();
        let mean_logprob = if tokens == 0 { 0.0 } else { (sum / f64::from(tokens)) as f32 };
        let ran_away = longest >= max_tokens || repeats(&text);
        Ok(DecodePass { text, mean_logprob, no_speech: 0.0, ran_away })
    }
}

/// whisper.cpp asks whether to stop; `flag` is the `AtomicBool` given to [`Whisper::transcribe`].
unsafe extern "C" fn raised(flag: *mut c_void) -> bool {
    // SAFETY: see `Whisper::run`, the only place that installs this.
    unsafe { (*flag.cast::<AtomicBool>()).load(Ordering::Relaxed) }
}
