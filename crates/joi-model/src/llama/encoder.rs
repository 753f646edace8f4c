//! Sentence embeddings with an encoder model: the whole text is evaluated in one batch, and its token
//! embeddings are pooled.
//!
//! One thread. No state is kept from text to text.

use std::ptr::NonNull;
use std::rc::Rc;

use llama_cpp_sys_2 as sys;

use super::{DecodeError, LoadError, Model, TokenId, log};

/// An embedding model, ready.
pub(crate) struct Encoder {
    ptr: NonNull<sys::llama_context>,
    model: Rc<Model>,
}

impl Encoder {
    /// Allocates a context for the longest text that the model was trained for.
    pub(crate) fn new(model: &Rc<Model>, threads: u16) -> Result<Self, LoadError> {
        let size = model.trained_context();
        // SAFETY: plain constructor of a struct of values.
        let mut params = unsafe { sys::llama_context_default_params() };
        params.n_ctx = size;
        // A text can't be evaluated in parts: every token attends to every other one.
        params.n_batch = size;
        params.n_ubatch = size;
        params.n_seq_max = 1;
        params.n_threads = i32::from(threads);
        params.n_threads_batch = i32::from(threads);
        params.embeddings = true;
        params.no_perf = true;
        // SAFETY: the model is live and kept alive by the `Rc` stored beside the result.
        let ptr = unsafe { sys::llama_init_from_model(model.as_ptr(), params) };
        let ptr = NonNull::new(ptr).ok_or(LoadError::Context(size))?;
        Ok(Self { ptr, model: Rc::clone(model) })
    }

    /// The embedding of a text, not normalised. Its tokens must fit into the window.
    pub(crate) fn encode(&mut self, tokens: &[TokenId]) -> Result<Vec<f32>, DecodeError> {
        if tokens.is_empty() || tokens.len() > self.model.trained_context() as usize {
            return Err(DecodeError::Full);
        }
        let mut tokens = tokens.to_vec();
        let count = i32::try_from(tokens.len()).map_err(|_| DecodeError::Full)?;
        let width = self.model.embedding_length() as usize;
        log::take_error();
        // SAFETY: the context is live; `tokens` outlives the call, which only reads it.
        let code = unsafe {
            sys::llama_encode(self.ptr.as_ptr(), sys::llama_batch_get_one(tokens.as_mut_ptr(), count))
        };
        let failed = |code| DecodeError::Failed {
            code,
            reason: log::take_error().unwrap_or_else(|| "no reason given".to_owned()),
        };
        if code != 0 {
            return Err(failed(code));
        }
        // SAFETY: the context is live; all tokens above are of sequence 0. Null when nothing was pooled.
        let values = unsafe { sys::llama_get_embeddings_seq(self.ptr.as_ptr(), 0) };
        let values = NonNull::new(values).ok_or_else(|| failed(code))?;
        // SAFETY: a pooled embedding has the model's width, and stays until the next text is evaluated.
        Ok(unsafe { std::slice::from_raw_parts(values.as_ptr(), width) }.to_vec())
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: owned by us alone; the model is still alive through `model`.
        unsafe { sys::llama_free(self.ptr.as_ptr()) }
    }
}
