//! Safe bindings to llama.cpp: the only folder of this program with `unsafe` code.
//!
//! Each value stays on the thread that made it (nothing here is `Send`). A [`Model`] is a GGUF file in
//! memory, a [`Context`] the attention cache of several prompts over it, a [`Sampler`] selects the next
//! token, an [`Encoder`] makes embeddings. Refuses: files that are no GGUF, decoding beyond the window,
//! sampling before anything was decoded.

mod context;
mod encoder;
mod log;
mod model;
mod sampler;
mod sequences;

pub(crate) use context::{Context, DecodeError};
pub(crate) use encoder::Encoder;
pub(crate) use model::Model;
pub(crate) use sampler::{Grammar, Sampler, Sampling};

/// A token of the model's vocabulary.
pub(crate) type TokenId = i32;

/// Why llama.cpp could not be initialised.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// The path holds a byte that no C string can carry.
    #[error("the path {0} can't be passed on: it contains a zero byte")]
    Path(String),
    /// llama.cpp rejects the file; fetch it again.
    #[error("{path} is not a usable GGUF model ({reason}): it may be incomplete, fetch it again")]
    Model {
        /// The file.
        path: String,
        /// llama.cpp's own words.
        reason: String,
    },
    /// A whole file of a kind that llama.cpp does not know.
    #[error("{path} is a model of a kind that joi-model can't run ({reason}): choose another model")]
    Architecture {
        /// The file.
        path: String,
        /// llama.cpp's own words.
        reason: String,
    },
    /// Not enough free memory for the model and its window.
    #[error(
        "{what} needs {needed} MB of memory and {free} MB are free: end other programs, choose a smaller model \
         or a smaller num_ctx"
    )]
    Memory {
        /// The file, or the window.
        what: String,
        /// Megabytes that are wanted.
        needed: u64,
        /// Megabytes that are there.
        free: u64,
    },
    /// No memory for the attention cache; ask for a smaller window.
    #[error("no memory for a context of {0} tokens: use a smaller num_ctx")]
    Context(u32),
    /// The grammar does not parse.
    #[error("the output grammar was refused by llama.cpp")]
    Grammar,
}
