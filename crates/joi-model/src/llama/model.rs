//! A GGUF file in memory: weights, vocabulary, metadata.
//!
//! Engine thread. Text in, tokens out and back. Freed on drop; contexts keep it alive by `Rc`.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::ptr::NonNull;

use llama_cpp_sys_2 as sys;

use super::{LoadError, TokenId, log};

/// A loaded model.
pub(crate) struct Model {
    ptr: NonNull<sys::llama_model>,
    vocab: NonNull<sys::llama_vocab>,
}

impl Model {
    /// Maps the file into memory. Takes 0.3 s from a warm page cache, many seconds from an SD card.
    pub(crate) fn load(path: &Path) -> Result<Self, LoadError> {
        log::listen();
        let shown = path.display().to_string();
        let c_path =
            CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| LoadError::Path(shown.clone()))?;
        log::take_error();
        // SAFETY: plain constructor of a struct of values.
        let params = unsafe { sys::llama_model_default_params() };
        // SAFETY: the path is zero-terminated and outlives the call; a failure is a null pointer.
        let ptr = unsafe { sys::llama_model_load_from_file(c_path.as_ptr(), params) };
        let refused = || {
            let (path, reason) =
                (shown.clone(), log::take_error().unwrap_or_else(|| "no reason given".to_owned()));
            match reason.contains("unknown model architecture") {
                true => LoadError::Architecture { path, reason },
                false => LoadError::Model { path, reason },
            }
        };
        let ptr = NonNull::new(ptr).ok_or_else(refused)?;
        // SAFETY: `ptr` is a live model; its vocabulary lives as long as it does.
        let vocab = unsafe { sys::llama_model_get_vocab(ptr.as_ptr()) };
        match NonNull::new(vocab.cast_mut()) {
            Some(vocab) => Ok(Self { ptr, vocab }),
            None => {
                // SAFETY: `ptr` is live, owned by us alone and not used again.
                unsafe { sys::llama_model_free(ptr.as_ptr()) };
                Err(refused())
            }
        }
    }

    pub(super) fn as_ptr(&self) -> *mut sys::llama_model {
        self.ptr.as_ptr()
    }

    pub(super) fn vocab(&self) -> *const sys::llama_vocab {
        self.vocab.as_ptr()
    }

    /// Every scalar of the file's metadata as text, in file order; arrays are left out.
    pub(crate) fn metadata(&self) -> Vec<(String, String)> {
        // SAFETY: the model is live.
        let count = unsafe { sys::llama_model_meta_count(self.as_ptr()) };
        (0..count)
            .filter_map(|i| {
                // SAFETY: the buffer is as long as said; the call writes at most that much.
                let key = read_text(|buf, len| unsafe {
                    sys::llama_model_meta_key_by_index(self.as_ptr(), i, buf, len)
                })?;
                if is_array(&key) {
                    return None;
                }
                // SAFETY: as above.
                let value = read_text(|buf, len| unsafe {
                    sys::llama_model_meta_val_str_by_index(self.as_ptr(), i, buf, len)
                })?;
                Some((key, value))
            })
            .collect()
    }

    /// The chat template the file carries.
    pub(crate) fn chat_template(&self) -> Option<String> {
        // SAFETY: the model is live; a null name asks for the default; the result lives with the model.
        let text = unsafe { sys::llama_model_chat_template(self.as_ptr(), std::ptr::null()) };
        // SAFETY: not null (checked), zero-terminated.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    /// Number of weights.
    pub(crate) fn parameters(&self) -> u64 {
        // SAFETY: the model is live.
        unsafe { sys::llama_model_n_params(self.as_ptr()) }
    }

    /// The longest context it was trained for, in tokens.
    pub(crate) fn trained_context(&self) -> u32 {
        // SAFETY: the model is live.
        let n = unsafe { sys::llama_model_n_ctx_train(self.as_ptr()) };
        u32::try_from(n).unwrap_or(0)
    }

    /// Whether its layers see only a part of what was said before.
    pub(super) fn has_sliding_window(&self) -> bool {
        // SAFETY: the model is live.
        unsafe { sys::llama_model_n_swa(self.as_ptr()) > 0 }
    }

    /// Length of an embedding.
    pub(crate) fn embedding_length(&self) -> u32 {
        // SAFETY: the model is live.
        u32::try_from(unsafe { sys::llama_model_n_embd(self.as_ptr()) }).unwrap_or(0)
    }

    /// Whether it has a decoder that writes text token by token.
    pub(crate) fn writes_text(&self) -> bool {
        // SAFETY: the model is live.
        unsafe { sys::llama_model_has_decoder(self.as_ptr()) && !sys::llama_model_has_encoder(self.as_ptr()) }
    }

    /// Whether it pools its tokens to one embedding, by its own metadata: an embedding model.
    pub(crate) fn pools(&self) -> bool {
        self.metadata().iter().any(|(key, _)| key.ends_with(".pooling_type"))
    }

    /// Text to tokens; texts of control tokens ("<|im_end|>") become those tokens. A beginning-of-text
    /// token is put in front when the model wants one and the text does not begin with it.
    pub(crate) fn tokenize(&self, text: &str) -> Vec<TokenId> {
        let begins = self.bos_text().is_some_and(|bos| !bos.is_empty() && text.starts_with(&bos));
        self.tokens_of(text, !begins)
    }

    /// The tokens of a stretch within a text.
    pub(super) fn tokens_within(&self, text: &str) -> Vec<TokenId> {
        self.tokens_of(text, false)
    }

    fn tokens_of(&self, text: &str, may_begin: bool) -> Vec<TokenId> {
        let mut tokens: Vec<TokenId> = vec![0; text.len() + 2];
        loop {
            let room = i32::try_from(tokens.len()).unwrap_or(i32::MAX);
            let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
            // SAFETY: text and buffer are as long as said; the vocabulary lives with the model.
            let n = unsafe {
                sys::llama_tokenize(
                    self.vocab(),
                    text.as_ptr().cast::<c_char>(),
                    length,
                    tokens.as_mut_ptr(),
                    room,
                    may_begin,
                    true,
                )
            };
            match usize::try_from(n) {
                Ok(n) => {
                    tokens.truncate(n);
                    return tokens;
                }
                // A negative result is the required size; `MIN` means that the text is too long.
                Err(_) if n == i32::MIN => return Vec::new(),
                Err(_) => tokens.resize(n.unsigned_abs() as usize, 0),
            }
        }
    }

    /// Appends the bytes of a token; control tokens have none. They may be part of a character.
    pub(crate) fn append_piece(&self, token: TokenId, into: &mut Vec<u8>) {
        into.extend(self.piece(token, false));
    }

    /// The bytes of a token as a grammar sees them: control tokens as they are written.
    pub(super) fn shown(&self, token: TokenId) -> Vec<u8> {
        self.piece(token, true)
    }

    fn piece(&self, token: TokenId, show_control: bool) -> Vec<u8> {
        let mut buffer = vec![0_u8; 64];
        loop {
            let room = i32::try_from(buffer.len()).unwrap_or(i32::MAX);
            // SAFETY: the buffer is as long as said; llama.cpp checks the token's range.
            let n = unsafe {
                let out = buffer.as_mut_ptr().cast::<c_char>();
                sys::llama_token_to_piece(self.vocab(), token, out, room, 0, show_control)
            };
            match usize::try_from(n) {
                Ok(n) => {
                    buffer.truncate(n);
                    return buffer;
                }
                Err(_) => buffer.resize(n.unsigned_abs() as usize, 0),
            }
        }
    }

    /// Whether the token ends a reply.
    pub(crate) fn ends(&self, token: TokenId) -> bool {
        // SAFETY: the vocabulary lives with the model.
        unsafe { sys::llama_vocab_is_eog(self.vocab(), token) }
    }

    /// How the beginning-of-text token is written, if there is one.
    pub(crate) fn bos_text(&self) -> Option<String> {
        // SAFETY: the vocabulary lives with the model.
        self.text_of(unsafe { sys::llama_vocab_bos(self.vocab()) })
    }

    /// How the end-of-text token is written, if there is one.
    pub(crate) fn eos_text(&self) -> Option<String> {
        // SAFETY: the vocabulary lives with the model.
        self.text_of(unsafe { sys::llama_vocab_eos(self.vocab()) })
    }

    fn text_of(&self, token: TokenId) -> Option<String> {
        let known = token >= 0 && token < self.vocabulary();
        known.then(|| String::from_utf8_lossy(&self.piece(token, true)).into_owned())
    }

    /// Number of different tokens.
    pub(super) fn vocabulary(&self) -> i32 {
        // SAFETY: the vocabulary lives with the model.
        unsafe { sys::llama_vocab_n_tokens(self.vocab()) }
    }

    /// How the control tokens are written ("<|im_start|>"): what no message may contain.
    pub(crate) fn control_texts(&self) -> Vec<String> {
        (0..self.vocabulary())
            // SAFETY: the vocabulary lives with the model; the token is in range.
            .filter(|&t| unsafe { sys::llama_vocab_is_control(self.vocab(), t) })
            .filter_map(|t| self.text_of(t))
            .filter(|text| !text.is_empty())
            .collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: owned by us alone; every context holds an `Rc` of this and is gone.
        unsafe { sys::llama_model_free(self.ptr.as_ptr()) }
    }
}

fn is_array(key: &str) -> bool {
    ["tokens", "merges", "token_type", "scores"].iter().any(|tail| key == format!("tokenizer.ggml.{tail}"))
}

/// Calls a `snprintf`-like function until the buffer fits.
fn read_text(mut call: impl FnMut(*mut c_char, usize) -> i32) -> Option<String> {
    let mut buffer = vec![0_u8; 256];
    loop {
        let n = usize::try_from(call(buffer.as_mut_ptr().cast(), buffer.len())).ok()?;
        if n < buffer.len() {
            buffer.truncate(n);
            return Some(String::from_utf8_lossy(&buffer).into_owned());
        }
        buffer.resize(n + 1, 0);
    }
}
