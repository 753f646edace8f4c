//! Why a conversion fails.

use std::io;

use crate::manifest::Recipe;

/// Why a model can't be converted: its source has another format than declared.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// Reading or writing failed.
    #[error("the conversion could not read or write: {0}")]
    Io(#[from] io::Error),
    /// The input is no model of that kind.
    #[error("this is no {}: {why}", recipe.input())]
    Input {
        /// The expected format.
        recipe: Recipe,
        /// What contradicts it.
        why: String,
    },
    /// The vocabulary has a token that isn't in whisper's byte alphabet.
    #[error("line {0} of the vocabulary is no token")]
    Token(usize),
}
