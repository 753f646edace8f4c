//! The attention cache of several prompts, and the tokens that are in it.
//!
//! Engine thread. [`Context::begin`] selects the sequence that has most of a prompt already, [`Context::advance`]
//! evaluates what comes after it. All sequences share the cells of one window: what they have in common is held
//! once, and where cells run short, other prompts leave before the current one is refused. The lists of cached
//! tokens always equal llama.cpp's, also after an abort.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use llama_cpp_sys_2 as sys;

use super::sequences::{Placement, SEQUENCES, Sequences};
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

/// The prompts in memory over a model.
pub(crate) struct Context {
    ptr: NonNull<sys::llama_context>,
    /// Kept alive for as long as llama.cpp refers to it.
    model: Rc<Model>,
    sequences: Sequences,
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
        params.n_seq_max = SEQUENCES as u32;
        // One window for all sequences, instead of one for each.
        params.kv_unified = true;
        // Only the last token of a batch is ever sampled from: with the default, room for the
        // logits of all 512 would be reserved (0.3 GB with a vocabulary of 150,000).
        params.n_outputs_max = SEQUENCES as u32;
        params.n_threads = i32::from(threads);
        params.n_threads_batch = i32::from(threads);
        // Otherwise models with a sliding window could not be rewound to a common prefix.
        params.swa_full = true;
        params.no_perf = true;
        // SAFETY: the model is live and kept alive by the `Rc` stored beside the result.
        let ptr = unsafe { sys::llama_init_from_model(model.as_ptr(), params) };
        let ptr = NonNull::new(ptr).ok_or(LoadError::Context(size))?;
        Ok(Self { ptr, model: Rc::clone(model), sequences: Sequences::default(), has_logits: false })
    }

    /// Tokens of the current sequence.
    pub(crate) fn len(&self) -> usize {
        self.sequences.len()
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

    /// Selects the sequence that has most of `tokens` in common, branches off where it goes on differently, and
    /// returns how many tokens need not be evaluated: at least one less than `tokens`, so that something is.
    pub(crate) fn begin(&mut self, tokens: &[TokenId]) -> usize {
        let Placement { from, to, keep } = self.sequences.place(tokens);
        let (source, target, end) = (id(from), id(to), i32::try_from(keep).unwrap_or(i32::MAX));
        // SAFETY: the context is live and has these sequences; −1 means "to the end".
        let is_kept = unsafe {
            if from != to {
                sys::llama_memory_seq_rm(self.memory(), target, -1, -1);
                sys::llama_memory_seq_cp(self.memory(), source, target, 0, end);
            }
            // Recurrent models can neither drop nor copy a part: they refuse, and start anew.
            sys::llama_memory_seq_rm(self.memory(), target, end, -1) && self.holds(target, end)
        };
        if !is_kept {
            self.forget(to);
        }
        let keep = if is_kept { keep } else { 0 };
        self.sequences.begin(to, &tokens[..keep]);
        self.has_logits = false;
        keep
    }

    /// Whether the sequence holds exactly the positions before `end`.
    fn holds(&self, sequence: sys::llama_seq_id, end: i32) -> bool {
        // SAFETY: the context is live. The answers are −1 for an empty sequence.
        let (first, last) = unsafe {
            let memory = self.memory();
            (sys::llama_memory_seq_pos_min(memory, sequence), sys::llama_memory_seq_pos_max(memory, sequence))
        };
        // Behind a sliding window positions are given to others.
        last + 1 == end && (first <= 0 || !self.model.has_sliding_window())
    }

    /// Empties the cache.
    fn clear(&mut self) {
        // SAFETY: the context is live; `true` also clears the data.
        unsafe { sys::llama_memory_clear(self.memory(), true) };
        self.sequences.clear();
        self.has_logits = false;
    }

    /// Empties one sequence.
    fn forget(&mut self, sequence: usize) {
        // SAFETY: the context is live and has the sequence; all of it can always be dropped.
        unsafe { sys::llama_memory_seq_rm(self.memory(), id(sequence), -1, -1) };
    }

    /// Evaluates `tokens` behind the current sequence. `stop` is polled many times per batch.
    pub(crate) fn advance(&mut self, tokens: &[TokenId], stop: &AtomicBool) -> Result<(), DecodeError> {
        if self.len() + tokens.len() > self.capacity() {
            return Err(DecodeError::Full);
        }
        for batch in tokens.chunks(BATCH as usize) {
            if stop.load(Ordering::Relaxed) {
                return Err(DecodeError::Stopped);
            }
            while let Err(error) = self.evaluate(batch, stop) {
                let DecodeError::Full = error else { return Err(error) };
                let spared = self.sequences.spare().ok_or(error)?;
                self.forget(spared);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, batch: &[TokenId], stop: &AtomicBool) -> Result<(), DecodeError> {
        let mut tokens = batch.to_vec();
        let count = i32::try_from(tokens.len()).map_err(|_| DecodeError::Full)?;
        let mut sequence = id(self.sequences.current());
        let mut counts = vec![1; tokens.len()];
        let mut ids = vec![&raw mut sequence; tokens.len()];
        let flag = std::ptr::from_ref(stop).cast_mut().cast::<c_void>();
        self.has_logits = false;
        log::take_error();
        let whole = sys::llama_batch {
            n_tokens: count,
            token: tokens.as_mut_ptr(),
            embd: std::ptr::null_mut(),
            // Without positions it goes on where the sequence ends, without marks it keeps the last token's logits.
            pos: std::ptr::null_mut(),
            n_seq_id: counts.as_mut_ptr(),
            seq_id: ids.as_mut_ptr(),
            logits: std::ptr::null_mut(),
        };
        // SAFETY: the context is live; the lists of `whole` are as long as it says, outlive the call and are only
        // read. `flag` points to an AtomicBool that outlives the call, and the callback is removed before we return.
        let code = unsafe {
            let ptr = self.ptr.as_ptr();
            sys::llama_set_abort_callback(ptr, Some(is_raised), flag);
            let code = sys::llama_decode(ptr, whole);
            sys::llama_set_abort_callback(ptr, None, std::ptr::null_mut());
            code
        };
        match code {
            0 => {
                self.sequences.extend(batch);
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
                let reason = log::take_error().unwrap_or_else(|| "no reason given".to_owned());
                Err(DecodeError::Failed { code, reason })
            }
        }
    }

    /// After an abort the finished parts of a batch stay in llama.cpp's cache: count them.
    fn match_llama(&mut self, batch: &[TokenId]) {
        // SAFETY: the context is live. The answer is −1 for an empty sequence.
        let last = unsafe { sys::llama_memory_seq_pos_max(self.memory(), id(self.sequences.current())) };
        let held = usize::try_from(last + 1).unwrap_or(0);
        match held.checked_sub(self.len()) {
            Some(extra) if extra <= batch.len() => self.sequences.extend(&batch[..extra]),
            _ => self.clear(),
        }
    }

    /// The scores of all tokens behind what was evaluated last; `None` when nothing was.
    pub(super) fn logits(&mut self) -> Option<&[f32]> {
        if !self.has_logits {
            return None;
        }
        let count = usize::try_from(self.model.vocabulary()).ok()?;
        // SAFETY: the context is live and has logits for its last token (index −1), one for each of the vocabulary; they
        // stay until the next evaluation, which needs this borrow to end.
        unsafe {
            let first = sys::llama_get_logits_ith(self.ptr.as_ptr(), -1);
            (!first.is_null()).then(|| std::slice::from_raw_parts(first, count))
        }
    }

    fn memory(&self) -> sys::llama_memory_t {
        // SAFETY: the context is live; its memory lives as long as it does.
        unsafe { sys::llama_get_memory(self.ptr.as_ptr()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned by us alone; the model is still alive through `model`.
        unsafe { sys::llama_free(self.ptr.as_ptr()) }
    }
}

/// llama.cpp's number of a sequence.
fn id(sequence: usize) -> sys::llama_seq_id {
    // There are a handful.
    sequence as sys::llama_seq_id
}

unsafe extern "C" fn is_raised(flag: *mut c_void) -> bool {
    // SAFETY: `evaluate` passes a pointer to an AtomicBool that outlives the evaluation.
    unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Relaxed)
}
