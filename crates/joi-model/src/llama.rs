//! llama.cpp behind a safe face: the only folder of this program with `unsafe` in it.
//!
//! Each value stays on the thread that made it (nothing here is `Send`). A [`Model`] is a GGUF file in
//! memory, a [`Context`] the attention cache of one conversation over it, a [`Sampler`] the rule by which
//! the next token is drawn, an [`Encoder`] what makes vectors of texts. Refuses: files that are no GGUF, decoding beyond the window, sampling
//! before anything was decoded.

mod context;
mod encoder;
mod log;
mod model;
mod sampler;

pub(crate) use context::{Context, DecodeError};
pub(crate) use encoder::Encoder;
pub(crate) use model::Model;
pub(crate) use sampler::{Grammar, Sampler, Sampling};

/// A piece of text as the model counts it.
pub(crate) type Token = i32;

/// Why llama.cpp could not be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// The path holds a byte that no C string can carry.
    #[error("the path {0} can't be passed on: it contains a zero byte")]
    Path(String),
    /// llama.cpp does not take the file; fetch it again.
    #[error("{path} is not a usable GGUF model ({reason}): it may be incomplete, fetch it again")]
    Model {
        /// The file.
        path: String,
        /// llama.cpp's own words.
        reason: String,
    },
    /// No memory for the attention cache; ask for a smaller window.
    #[error("no memory for a context of {0} tokens: use a smaller num_ctx")]
    Context(u32),
    /// The grammar does not parse.
    #[error("the output grammar was refused by llama.cpp")]
    Grammar,
}
