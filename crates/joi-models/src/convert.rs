//! Converts published weights to the files that whisper.cpp (whisper) and llama.cpp (BERT) load.
//!
//! Blocks for a second or two. In: the weights and the vocabulary beside them. Out: one file. Tensors are
//! streamed in small blocks, so memory stays low. Refuses models with weights other than 16 and 32-bit
//! floats.

mod bert;
mod ct2;
mod error;
mod ggml;
mod gguf;
mod mel;
mod safetensors;
#[cfg(test)]
mod tests;
mod vocabulary;
mod whisper;

use std::path::Path;

pub use error::ConvertError;

use super::manifest::{Quantisation, Recipe};

/// The source of a conversion.
#[derive(Debug, Clone, Copy)]
pub struct ConversionInput<'a> {
    /// The file with the weights.
    pub model: &'a Path,
    /// The text of their vocabulary, one token a line.
    pub vocabulary: &'a str,
    /// The text of their configuration (JSON); whisper needs none.
    pub config: &'a str,
}

/// Converts `from` into a file at `out`, which is overwritten.
pub fn convert(
    recipe: Recipe,
    from: ConversionInput<'_>,
    to: Quantisation,
    out: &Path,
) -> Result<(), ConvertError> {
    match recipe {
        Recipe::Whisper => whisper::convert(from.model, from.vocabulary, to, out),
        Recipe::Bert => bert::convert(from.model, (from.vocabulary, from.config), to, out),
    }
}
