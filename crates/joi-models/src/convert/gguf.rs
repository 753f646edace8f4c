//! Writes the header of a GGUF file (version 3): metadata of the model, and the offset of each tensor.
//!
//! Pure but for the writing. <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>

use std::io::{self, Write};

use super::ggml::TensorEncoding;

const MAGIC: &[u8; 4] = b"GGUF";
const VERSION: u32 = 3;
/// Tensors begin at multiples of this, counted from the end of the head.
const ALIGNMENT: u64 = 32;

/// One metadata value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MetadataValue {
    Number(u32),
    Float(f32),
    Truth(bool),
    Text(String),
    Texts(Vec<String>),
    Numbers(Vec<i32>),
}

/// One tensor of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TensorInfo {
    pub(super) name: String,
    /// Row-major; GGUF counts from the innermost.
    pub(super) dims: Vec<u64>,
    pub(super) form: TensorEncoding,
}

impl TensorInfo {
    fn bytes(&self) -> u64 {
        self.form.bytes(self.dims.iter().product())
    }

    /// How many zeros stand behind its values.
    pub(super) fn padding(&self) -> usize {
        padding(self.bytes())
    }
}

/// Everything before the values, which follow in the order of `tensors`, each with its padding behind it.
pub(super) fn head(facts: &[(&str, MetadataValue)], tensors: &[TensorInfo]) -> io::Result<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    out.write_all(&VERSION.to_le_bytes())?;
    long(&mut out, tensors.len() as u64);
    long(&mut out, facts.len() as u64);
    for (key, fact) in facts {
        text(&mut out, key);
        fact.write(&mut out);
    }
    let mut offset = 0;
    for tensor in tensors {
        text(&mut out, &tensor.name);
        out.write_all(&(tensor.dims.len() as u32).to_le_bytes())?;
        tensor.dims.iter().rev().for_each(|size| long(&mut out, *size));
        out.write_all(&tensor.form.number().to_le_bytes())?;
        long(&mut out, offset);
        offset += tensor.bytes() + tensor.padding() as u64;
    }
    out.resize(out.len() + padding(out.len() as u64), 0);
    Ok(out)
}

impl MetadataValue {
    /// GGUF's number of the type.
    fn kind(&self) -> u32 {
        match self {
            Self::Number(_) => 4,
            Self::Float(_) => 6,
            Self::Truth(_) => 7,
            Self::Text(_) => 8,
            Self::Texts(_) | Self::Numbers(_) => 9,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.kind().to_le_bytes());
        match self {
            Self::Number(number) => out.extend(number.to_le_bytes()),
            Self::Float(float) => out.extend(float.to_le_bytes()),
            Self::Truth(truth) => out.push(u8::from(*truth)),
            Self::Text(words) => text(out, words),
            Self::Texts(all) => {
                out.extend(8_u32.to_le_bytes());
                long(out, all.len() as u64);
                all.iter().for_each(|words| text(out, words));
            }
            Self::Numbers(all) => {
                out.extend(5_u32.to_le_bytes());
                long(out, all.len() as u64);
                all.iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
        }
    }
}

fn long(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    long(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn padding(length: u64) -> usize {
    (length.next_multiple_of(ALIGNMENT) - length) as usize
}
