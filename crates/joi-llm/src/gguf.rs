//! The head of a GGUF file: whether it is a model to talk with, and how much memory it takes.
//!
//! Any thread; blocks while it reads the head, some megabytes of vocabulary. In: a file of anybody's. Out: a
//! [`GgufHead`], or why there is none, in words. It believes no count that the file does not bear out: nothing is
//! reserved for what was not read. <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const MAGIC: [u8; 4] = *b"GGUF";
/// The versions that llama.cpp reads.
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;
/// Tensors begin at multiples of this where the file does not say otherwise.
const ALIGNMENT: u64 = 32;
/// Longest text that is kept; longer ones are passed over. Chat templates have some thousand bytes.
const TEXT_MAX: u64 = 1 << 20;
/// Longest list of numbers that is added up: one for each layer.
const LIST_MAX: u64 = 1024;
/// Most dimensions of a tensor.
const DIMENSIONS_MAX: u32 = 8;
/// Bytes of a number in the attention cache: 16-bit floats.
const CACHED_NUMBER: u64 = 2;

/// Facts in the head of a model file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GgufHead {
    /// Whether it has a chat template.
    pub(super) has_template: bool,
    /// Whether it makes vectors and no text.
    pub(super) pools: bool,
    /// Bytes that the attention cache takes for each token of the window.
    pub(super) cache_per_token: u64,
    /// A file with fewer bytes lacks tensors.
    pub(super) least_bytes: u64,
}

/// Why a file is no model that could be loaded.
#[derive(Debug, thiserror::Error)]
pub(super) enum GgufError {
    #[error("not a GGUF file")]
    NotGguf,
    #[error("its GGUF version {0} is not supported")]
    Version(u32),
    #[error("truncated header")]
    CutShort,
    #[error("damaged header")]
    Damaged,
    #[error("it can't be read ({0})")]
    Unreadable(io::Error),
}

impl From<io::Error> for GgufError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::CutShort } else { Self::Unreadable(error) }
    }
}

/// Reads the head of the file at `path`.
pub(super) fn read(path: &Path) -> Result<GgufHead, GgufError> {
    let mut reader = HeadReader { file: BufReader::new(File::open(path)?), at: 0 };
    reader.head()
}

/// A metadata value, as far as it is needed.
enum GgufValue {
    Number(u64),
    Text(String),
    /// The sum of a list of numbers.
    Sum(u64),
    Other,
}

struct HeadReader<R> {
    file: R,
    /// Bytes that were read.
    at: u64,
}

impl<R: Read> HeadReader<R> {
    fn head(&mut self) -> Result<GgufHead, GgufError> {
        if self.bytes::<4>().ok() != Some(MAGIC) {
            return Err(GgufError::NotGguf);
        }
        let version = self.u32()?;
        if !VERSIONS.contains(&version) {
            return Err(GgufError::Version(version));
        }
        let (tensors, facts) = (self.u64()?, self.u64()?);
        let mut known = HashMap::new();
        for _ in 0..facts {
            let key = self.text()?;
            let kind = self.u32()?;
            let value = self.value(kind)?;
            if let (Some(key), false) = (key, matches!(value, GgufValue::Other)) {
                known.insert(key, value);
            }
        }
        let mut last = None;
        for _ in 0..tensors {
            let offset = self.tensor()?;
            last = last.max(Some(offset));
        }
        let known = HeadFacts(known);
        let alignment = known.number("general.alignment").unwrap_or(ALIGNMENT);
        let data = self.at.checked_next_multiple_of(alignment).ok_or(GgufError::Damaged)?;
        let behind = |offset: u64| data.checked_add(offset)?.checked_add(1);
        Ok(GgufHead {
            has_template: known.text("tokenizer.chat_template").is_some_and(|text| !text.trim().is_empty()),
            pools: known.0.keys().any(|key| key.ends_with(".pooling_type")),
            cache_per_token: known.cache_per_token(),
            least_bytes: last.map_or(Some(data), behind).ok_or(GgufError::Damaged)?,
        })
    }

    /// The offset of the next tensor.
    fn tensor(&mut self) -> Result<u64, GgufError> {
        self.text()?;
        let dimensions = self.u32()?;
        if dimensions > DIMENSIONS_MAX {
            return Err(GgufError::Damaged);
        }
        // Its dimensions and its type.
        self.skip(u64::from(dimensions) * 8 + 4)?;
        self.u64()
    }

    fn value(&mut self, kind: u32) -> Result<GgufValue, GgufError> {
        match kind {
            8 => Ok(self.text()?.map_or(GgufValue::Other, GgufValue::Text)),
            9 => self.list(),
            kind => Ok(self.number(kind)?.map_or(GgufValue::Other, GgufValue::Number)),
        }
    }

    fn list(&mut self) -> Result<GgufValue, GgufError> {
        let (kind, length) = (self.u32()?, self.u64()?);
        if kind == 8 {
            for _ in 0..length {
                self.skip_text()?;
            }
            return Ok(GgufValue::Other);
        }
        let size = width(kind).ok_or(GgufError::Damaged)?;
        if length > LIST_MAX {
            self.skip(length.checked_mul(size).ok_or(GgufError::Damaged)?)?;
            return Ok(GgufValue::Other);
        }
        let mut sum = 0_u64;
        for _ in 0..length {
            sum = sum.saturating_add(self.number(kind)?.unwrap_or(0));
        }
        Ok(GgufValue::Sum(sum))
    }

    /// A number of this kind; nothing where it is no whole one, or below zero.
    fn number(&mut self, kind: u32) -> Result<Option<u64>, GgufError> {
        Ok(match kind {
            0 | 1 | 7 => Some(u64::from(self.bytes::<1>()?[0])),
            2 | 3 => Some(u64::from(u16::from_le_bytes(self.bytes()?))),
            4 => Some(u64::from(self.u32()?)),
            5 => u64::try_from(i32::from_le_bytes(self.bytes()?)).ok(),
            10 => Some(self.u64()?),
            11 => u64::try_from(i64::from_le_bytes(self.bytes()?)).ok(),
            kind => {
                self.skip(width(kind).ok_or(GgufError::Damaged)?)?;
                None
            }
        })
    }

    /// A text; nothing where it is too long to be one that is needed.
    fn text(&mut self) -> Result<Option<String>, GgufError> {
        let length = self.u64()?;
        if length > TEXT_MAX {
            self.skip(length)?;
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.file.by_ref().take(length).read_to_end(&mut bytes)?;
        self.at += length;
        if bytes.len() as u64 != length {
            return Err(GgufError::CutShort);
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn skip_text(&mut self) -> Result<(), GgufError> {
        let length = self.u64()?;
        self.skip(length)
    }

    fn skip(&mut self, count: u64) -> Result<(), GgufError> {
        let skipped = io::copy(&mut self.file.by_ref().take(count), &mut io::sink())?;
        self.at = self.at.checked_add(count).ok_or(GgufError::Damaged)?;
        if skipped == count { Ok(()) } else { Err(GgufError::CutShort) }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }
}

/// Bytes of a value of this kind; nothing for texts, lists and what does not exist.
fn width(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

/// The metadata by its keys.
struct HeadFacts(HashMap<String, GgufValue>);

impl HeadFacts {
    fn text(&self, key: &str) -> Option<&str> {
        match self.0.get(key)? {
            GgufValue::Text(text) => Some(text),
            GgufValue::Number(_) | GgufValue::Sum(_) | GgufValue::Other => None,
        }
    }

    fn number(&self, key: &str) -> Option<u64> {
        match self.0.get(key)? {
            GgufValue::Number(number) => Some(*number),
            GgufValue::Text(_) | GgufValue::Sum(_) | GgufValue::Other => None,
        }
    }

    /// Keys and values of every head of every layer. A file without its shape has none.
    fn cache_per_token(&self) -> u64 {
        let family = self.text("general.architecture").unwrap_or_default();
        let of = |key: &str| self.number(&format!("{family}.{key}"));
        let heads = of("attention.head_count").unwrap_or(1).max(1);
        let length = of("embedding_length").unwrap_or(0) / heads;
        let of_head = |key: &str| of(key).unwrap_or(length);
        let layers = of("block_count").unwrap_or(0);
        let cached_heads = match self.0.get(&format!("{family}.attention.head_count_kv")) {
            Some(GgufValue::Sum(all)) => *all,
            Some(GgufValue::Number(each)) => layers.saturating_mul(*each),
            Some(GgufValue::Text(_) | GgufValue::Other) | None => layers.saturating_mul(heads),
        };
        let numbers = of_head("attention.key_length").saturating_add(of_head("attention.value_length"));
        cached_heads.saturating_mul(numbers).saturating_mul(CACHED_NUMBER)
    }
}

#[cfg(test)]
pub(super) mod tests;
