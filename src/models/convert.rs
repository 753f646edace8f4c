//! Turns published weights into the files that our libraries load: whisper for whisper.cpp, BERT for llama.cpp.
//!
//! Blocks for a second or two. In: the weights and the vocabulary beside them. Out: one file. Tensors stream through
//! in small pieces, so memory stays low. Refuses models with weights other than 16 and 32-bit floats.

mod bert;
mod ct2;
mod ggml;
mod gguf;
mod mel;
mod safetensors;
#[cfg(test)]
mod tests;
mod vocabulary;
mod whisper;

use std::io;
use std::path::Path;

use super::manifest::{Quantisation, Recipe};

/// Why a model can't be converted: its source is not what it was said to be.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// Reading or writing failed.
    #[error("the conversion could not read or write: {0}")]
    Io(#[from] io::Error),
    /// The input is no model of that kind.
    #[error("this is no {}: {why}", recipe.input())]
    Input {
        /// What it was taken for.
        recipe: Recipe,
        /// What speaks against it.
        why: String,
    },
    /// The vocabulary has a token that isn't in whisper's byte alphabet.
    #[error("line {0} of the vocabulary is no token")]
    Token(usize),
}

/// What a model is converted from.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// The file with the weights.
    pub model: &'a Path,
    /// The text of their vocabulary, one token a line.
    pub vocabulary: &'a str,
    /// The text of their configuration (JSON); whisper needs none.
    pub config: &'a str,
}

/// Converts `from` into a file at `out`, which is overwritten.
pub fn convert(recipe: Recipe, from: Weights<'_>, to: Quantisation, out: &Path) -> Result<(), ConvertError> {
    match recipe {
        Recipe::Whisper => whisper::convert(from.model, from.vocabulary, to, out),
        Recipe::Bert => bert::convert(from.model, (from.vocabulary, from.config), to, out),
    }
}
