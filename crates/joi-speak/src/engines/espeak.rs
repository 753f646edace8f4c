//! Text to phonemes, with the espeak-ng that Piper's voices were trained on; and its own voices (`voice`).
//!
//! Any thread; espeak-ng keeps its state in globals, so one lock serves the whole process (0.6 ms a
//! sentence). In: speakable text. Out: the phonemes of each sentence, with the punctuation that closed each
//! clause, exactly as Piper's own front end writes them. All `unsafe` code of speech output is here and in
//! `voice`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use espeak_rs_sys as sys;

use crate::SpeakError;

mod data;
mod voice;

pub(super) use voice::ENGINE;
pub use voice::EspeakSource;

#[cfg(test)]
mod tests;

/// Longest text handed to espeak-ng at once, in bytes. Its own clause buffer is 800 bytes, behind which it
/// cuts in the middle of words; the segmenter stays far below.
const MAX_TEXT: usize = 4096;

// espeak-ng's public header omits the one call Piper needs: a clause together with what closed it. The static
// library exports these names.
unsafe extern "C" {
    static translator: *mut c_void;
    static mut p_decoder: *mut c_void;
    fn create_text_decoder() -> *mut c_void;
    fn text_decoder_decode_string_multibyte(
        decoder: *mut c_void,
        text: *const c_void,
        encoding: c_int,
        mode: c_int,
    ) -> c_int;
    fn text_decoder_eof(decoder: *mut c_void) -> c_int;
    fn TranslateClauseWithTerminator(
        translator: *mut c_void,
        tone: *mut c_int,
        voice_change: *mut *mut c_char,
        terminator: *mut c_int,
    );
    fn GetTranslatedPhonemeString(mode: c_int) -> *const c_char;
}

/// International Phonetic Alphabet, in `GetTranslatedPhonemeString`'s numbering.
const IPA: c_int = 2;
/// The text is UTF-8.
const UTF8: c_int = 1;
/// Bits of a terminator that say which punctuation closed the clause.
const CLAUSE_MASK: c_int = 0x000F_FFFF;
/// Set in a terminator that ends a sentence.
const SENTENCE: c_int = 0x0008_0000;

/// Whether this process has initialised espeak-ng, and which voice it has selected.
static OPENED: Mutex<Option<String>> = Mutex::new(None);

/// Access to espeak-ng for one voice. Cheap; all of them share the process's one engine.
#[derive(Debug, Clone)]
pub(crate) struct Phonemizer {
    voice: String,
}

impl Phonemizer {
    /// Initialises espeak-ng with its data in the folder `data`, where missing files are written first,
    /// unless this process has done so before; and checks that it knows `voice` (for example `en-us`).
    ///
    /// # Errors
    /// [`SpeakError::EspeakInstall`] and [`SpeakError::EspeakData`] when the folder is not usable,
    /// [`SpeakError::EspeakVoice`] for a voice it does not have.
    pub(crate) fn open(data: &Path, voice: &str) -> Result<Self, SpeakError> {
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_none() {
            initialise(data)?;
        }
        select(&mut opened, voice)?;
        Ok(Self { voice: voice.to_owned() })
    }

    /// Returns the phonemes of each sentence of `text`, punctuation included. Text without a word gives nothing.
    ///
    /// # Errors
    /// [`SpeakError::EspeakVoice`] when the voice can no longer be selected.
    pub(crate) fn sentences(&self, text: &str) -> Result<Vec<String>, SpeakError> {
        let text: String = text.chars().filter(|c| *c != '\0').collect();
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        select(&mut opened, &self.voice)?;
        let mut sentences = Vec::new();
        for piece in pieces(&text) {
            let piece = CString::new(piece).unwrap_or_default();
            // SAFETY: the lock is held, espeak-ng is open and a voice is selected.
            unsafe { translate(&piece, &mut sentences) };
        }
        Ok(sentences)
    }
}

/// Splits text that is too long for espeak-ng, at a space.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(MAX_TEXT);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        if end < rest.len() {
            end = rest[..end].rfind(' ').filter(|at| *at > 0).unwrap_or(end);
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Initialises the library. By default espeak-ng exits the process when the folder is wrong; that is switched
/// off.
fn initialise(folder: &Path) -> Result<(), SpeakError> {
    data::install(folder).map_err(|source| SpeakError::EspeakInstall { path: folder.to_owned(), source })?;
    let unusable = || SpeakError::EspeakData { path: folder.to_owned() };
    let path = CString::new(folder.as_os_str().as_encoded_bytes()).map_err(|_| unusable())?;
    let mut context: sys::espeak_ng_ERROR_CONTEXT = std::ptr::null_mut();
    // SAFETY: `path` and `context` outlive the calls, and the caller holds the lock.
    let status = unsafe {
        sys::espeak_ng_InitializePath(path.as_ptr());
        let status = match sys::espeak_ng_Initialize(&mut context) {
            sys::espeak_ng_STATUS_ENS_OK => sys::espeak_ng_InitializeOutput(
                sys::espeak_ng_OUTPUT_MODE_ENOUTPUT_MODE_SYNCHRONOUS,
                0,
                std::ptr::null(),
            ),
            failed => failed,
        };
        sys::espeak_ng_ClearErrorContext(&mut context);
        status
    };
    if status == sys::espeak_ng_STATUS_ENS_OK { Ok(()) } else { Err(unusable()) }
}

/// Selects `voice` unless it is selected already.
fn select(opened: &mut Option<String>, voice: &str) -> Result<(), SpeakError> {
    if opened.as_deref() == Some(voice) {
        return Ok(());
    }
    let unknown = || SpeakError::EspeakVoice { voice: voice.to_owned() };
    let name = CString::new(voice).map_err(|_| unknown())?;
    // SAFETY: espeak-ng is open, `name` outlives the call, and the caller holds the lock.
    let status = unsafe { sys::espeak_ng_SetVoiceByName(name.as_ptr()) };
    // SAFETY: reading the pointer; the lock is held.
    if status != sys::espeak_ng_STATUS_ENS_OK || unsafe { translator.is_null() } {
        return Err(unknown());
    }
    *opened = Some(voice.to_owned());
    Ok(())
}

/// Appends the sentences of `text`.
///
/// # Safety
/// The lock must be held, espeak-ng must be open, and a voice must be selected.
unsafe fn translate(text: &CStr, sentences: &mut Vec<String>) {
    let mut sentence = String::new();
    // SAFETY: as the caller promises; `text` outlives the loop, behind which the decoder is not used again
    // without a new text, and the returned string is copied before the next call.
    unsafe {
        if p_decoder.is_null() {
            p_decoder = create_text_decoder();
        }
        if text_decoder_decode_string_multibyte(p_decoder, text.as_ptr().cast(), 0, UTF8) != 0 {
            return;
        }
        while text_decoder_eof(p_decoder) == 0 {
            let mut terminator: c_int = 0;
            TranslateClauseWithTerminator(
                translator,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                &mut terminator,
            );
            let clause = CStr::from_ptr(GetTranslatedPhonemeString(IPA)).to_string_lossy();
            push_clause(&mut sentence, &clause, terminator);
            if terminator & SENTENCE != 0 {
                sentences.push(std::mem::take(&mut sentence));
            }
        }
    }
    sentences.push(sentence);
    sentences.retain(|s| s.chars().any(char::is_alphabetic));
}

/// Appends one clause, without the marks around foreign words, and the punctuation that closed it.
fn push_clause(sentence: &mut String, clause: &str, terminator: c_int) {
    let mut rest = clause;
    while let Some(open) = rest.find('(') {
        match rest[open + 1..].find(')') {
            Some(inside) if inside > 0 => {
                sentence.push_str(&rest[..open]);
                rest = &rest[open + 1 + inside + 1..];
            }
            _ => break,
        }
    }
    sentence.push_str(rest);
    sentence.push_str(match terminator & CLAUSE_MASK {
        0x8_0028 | 0x9_0028 | 0x8_0046 => ".",
        0x8_2028 => "?",
        0x8_302d => "!",
        0x4_1014 => ", ",
        0x4_001e => ": ",
        0x4_101e => "; ",
        _ => "",
    });
}
