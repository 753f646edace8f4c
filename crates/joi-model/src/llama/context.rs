//! The attention cache of one conversation, and the tokens that are in it.
//!
//! Engine thread. [`Context::rewind`] keeps a common prefix, [`Context::advance`] evaluates what comes after
//! it. The list of cached tokens always equals llama.cpp's, also after an abort.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use llama_cpp_sys_2 as sys;

use super::{LoadError, Model, TokenId, log};

/// Tokens evaluated in one go: larger is faster to a point, and needs more working memory.
const BATCH: u32 = 512;

/// Why an evaluation stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The flag was raised; what was evaluated before stays cached.
    #[error("stopped on request")]
    Stopped,
    /// More tokens than the window holds; the caller cuts the prompt.
    #[error("the context is full")]
    Full,
    /// llama.cpp failed; the cache is emptied.
    #[error("llama.cpp could not evaluate the prompt (code {code}): {reason}")]
    Failed {
        /// Its return value.
        code: i32,
        /// Its last error line.
        reason: String,
    },
}

/// One conversation's state over a model.
pub(crate) struct Context {
    ptr: NonNull<sys::llama_context>,
    /// Keeps the model alive for as long as llama.cpp refers to it.
    _model: Rc<Model>,
    cached: Vec<TokenId>,
    has_logits: bool,
}

impl Context {
    /// Allocates a window of `size` tokens, evaluated by `threads` threads.
    pub(crate) fn new(model: &Rc<Model>, size: u32, threads: u16) -> Result<Self, LoadError> {
        // SAFETY: plain constructor of a struct of values.
        let mut params = unsafe { sys::llama_context_default_params() };
        params.n_ctx = size;
        params.n_batch = BATCH;
        params.n_ubatch = BATCH;
        params.n_seq_max = 1;
        // Only the last token of a batch is ever sampled from: with the default, room for the
        // logits of all 512 would be reserved (0.3 GB with a vocabulary of 150,000).
        params.n_outputs_max = 1;
        params.n_threads = i32::from(threads);
        params.n_threads_batch = i32::from(threads);
        // Otherwise models with a sliding window could not be rewound to a common prefix.
        params.swa_full = true;
        params.no_perf = true;
        // SAFETY: the model is live and kept alive by the `Rc` stored beside the result.
        let ptr = unsafe { sys::llama_init_from_model(model.as_ptr(), params) };
        let ptr = NonNull::new(ptr).ok_or(LoadError::Context(size))?;
        Ok(Self { ptr, _model: Rc::clone(model), cached: Vec::new(), has_logits: false })
    }

    /// Tokens in the cache.
    pub(crate) fn len(&self) -> usize {
        self.cached.len()
    }

    /// Room of the window in tokens; at least what was asked for.
    pub(crate) fn capacity(&self) -> usize {
        // SAFETY: the context is live.
        unsafe { sys::llama_n_ctx_seq(self.ptr.as_ptr()) as usize }
    }

    /// Sets the number of threads of the next evaluation.
    pub(crate) fn set_threads(&mut self, threads: u16) {
        // SAFETY: the context is live and not evaluating, since we hold it exclusively.
        unsafe { sys::llama_set_n_threads(self.ptr.as_ptr(), i32::from(threads), i32::from(threads)) }
    }

    /// Keeps the common prefix of the cache and `tokens`, drops the rest and returns how many tokens were
    /// kept: at least one less than `tokens`, so that there is something to evaluate.
    pub(crate) fn rewind(&mut self, tokens: &[TokenId]) -> usize {
        let common = self.cached.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        let keep = common.min(tokens.len().saturating_sub(1));
        if keep < self.cached.len() {
            let from = i32::try_from(keep).unwrap_or(i32::MAX);
            // SAFETY: the context is live; −1 means "to the end".
            let done = unsafe { sys::llama_memory_seq_rm(self.memory(), 0, from, -1) };
            if done {
                self.cached.truncate(keep);
            } else {
                // Recurrent models can't drop a suffix.
                self.clear();
            }
            self.has_logits = false;
        }
        self.cached.len()
    }

    /// Empties the cache.
    pub(crate) fn clear(&mut self) {
        // SAFETY: the context is live; `true` also clears the data.
        unsafe { sys::llama_memory_clear(self.memory(), true) };
        self.cached.clear();
        self.has_logits = false;
    }

    /// Evaluates `tokens` behind what is cached. `stop` is polled many times per batch.
    pub(crate) fn advance(&mut self, tokens: &[TokenId], stop: &AtomicBool) -> Result<(), DecodeError> {
        if self.cached.len() + tokens.len() > self.capacity() {
            return Err(DecodeError::Full);
        }
        for batch in tokens.chunks(BATCH as usize) {
            if stop.load(Ordering::Relaxed) {
                return Err(DecodeError::Stopped);
            }
            self.evaluate(batch, stop)?;
        }
        Ok(())
    }

    fn evaluate(&mut self, batch: &[TokenId], stop: &AtomicBool) -> Result<(), DecodeError> {
        let mut tokens = batch.to_vec();
        let count = i32::try_from(tokens.len()).map_err(|_| DecodeError::Full)?;
        let flag = std::ptr::from_ref(stop).cast_mut().cast::<c_void>();
        self.has_logits = false;
        // SAFETY: the context is live; `tokens` outlives the call, which only reads it. `flag` points
        // to an AtomicBool that outlives the call, and the callback is removed before we return.
        let code = unsafe {
            let ptr = self.ptr.as_ptr();
            sys::llama_set_abort_callback(ptr, Some(is_raised), flag);
            let code = sys::llama_decode(ptr, sys::llama_batch_get_one(tokens.as_mut_ptr(), count));
            sys::llama_set_abort_callback(ptr, None, std::ptr::null_mut());
            code
        };
        match code {
            0 => {
                self.cached.extend_from_slice(batch);
                self.has_logits = true;
                Ok(())
            }
            1 => Err(DecodeError::Full),
            2 => {
                self.match_llama(batch);
                Err(DecodeError::Stopped)
            }
            code => {
                self.clear();
                let reason = log::take_last_error().unwrap_or_else(|| "no reason given".to_owned());
                Err(DecodeError::Failed { code, reason })
            }
        }
    }

    /// After an abort the finished parts of a batch stay in llama.cpp's cache: count them.
    fn match_llama(&mut self, batch: &[TokenId]) {
        // SAFETY: the context is live. The answer is −1 for an empty cache.
        let last = unsafe { sys::llama_memory_seq_pos_max(self.memory(), 0) };
        let held = usize::try_from(last + 1).unwrap_or(0);
        match held.checked_sub(self.cached.len()) {
            Some(extra) if extra <= batch.len() => self.cached.extend_from_slice(&batch[..extra]),
            _ => self.clear(),
        }
    }

    pub(super) fn for_sampling(&mut self) -> Option<*mut sys::llama_context> {
        self.has_logits.then_some(self.ptr.as_ptr())
    }

    fn memory(&self) -> sys::llama_memory_t {
        // SAFETY: the context is live; its memory lives as long as it does.
        unsafe { sys::llama_get_memory(self.ptr.as_ptr()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned by us alone; the model is still alive through `_model`.
        unsafe { sys::llama_free(self.ptr.as_ptr()) }
    }
}

unsafe extern "C" fn is_raised(flag: *mut c_void) -> bool {
    // SAFETY: `evaluate` passes a pointer to an AtomicBool that outlives the evaluation.
    unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Relaxed)
}
