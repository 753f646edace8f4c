//! Reads a safetensors file: names, shapes, and values on demand.
//!
//! The format: 8 bytes with the length of the header, the header as JSON, the values of all tensors,
//! row-major and little-endian. (The crate of that name needs the whole file in memory.)

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use half::f16;
use serde::Deserialize;

use super::error::ConvertError;
use crate::manifest::Recipe;

/// A longer header than any model has.
const LONGEST_HEAD: u64 = 16 << 20;
/// Values read at once; a multiple of every ggml block.
const CHUNK: u64 = 16 * 1024;

/// The weights of a model in a file.
pub(super) struct SafetensorsFile {
    file: BufReader<File>,
    tensors: HashMap<String, SafeTensor>,
}

/// Position of a tensor's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SafeTensor {
    /// Row-major.
    pub(super) dims: Vec<u64>,
    is_half: bool,
    offset: u64,
}

#[derive(Deserialize)]
struct HeaderEntry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl SafeTensor {
    pub(super) fn len(&self) -> u64 {
        self.dims.iter().product()
    }
}

impl SafetensorsFile {
    pub(super) fn open(path: &Path) -> Result<Self, ConvertError> {
        let mut file = BufReader::new(File::open(path)?);
        let mut length = [0; 8];
        file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEAD {
            return Err(input(format!("its head is said to have {length} bytes")));
        }
        let mut head = vec![0; length as usize];
        file.read_exact(&mut head)?;
        let end = file.get_ref().metadata()?.len();
        let head: HashMap<String, serde_json::Value> =
            serde_json::from_slice(&head).map_err(|e| input(format!("its head is no JSON object ({e})")))?;
        let tensors =
            head.into_iter().filter(|(name, _)| name != "__metadata__").filter_map(|(name, entry)| {
                let entry = serde_json::from_value(entry);
                let tensor = entry.map_err(|e| input(format!("{}: {e}", name.escape_debug())));
                match tensor.and_then(|entry| located(&name, entry, 8 + length, end)) {
                    Ok(tensor) => tensor.map(|tensor| Ok((name, tensor))),
                    Err(error) => Some(Err(error)),
                }
            });
        Ok(Self { tensors: tensors.collect::<Result<_, _>>()?, file })
    }

    pub(super) fn tensor(&self, name: &str) -> Result<SafeTensor, ConvertError> {
        self.tensors.get(name).cloned().ok_or_else(|| input(format!("it has no {name} of floats")))
    }

    /// Passes the values to `sink` in order, in blocks.
    pub(super) fn each(
        &mut self,
        tensor: &SafeTensor,
        mut sink: impl FnMut(&[f32]) -> io::Result<()>,
    ) -> Result<(), ConvertError> {
        self.file.seek(SeekFrom::Start(tensor.offset))?;
        let mut raw = Vec::new();
        let mut left = tensor.len();
        while left > 0 {
            let now = left.min(CHUNK);
            raw.resize(now as usize * if tensor.is_half { 2 } else { 4 }, 0);
            self.file.read_exact(&mut raw)?;
            let values: Vec<f32> = match tensor.is_half {
                true => raw.as_chunks().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
                false => raw.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            };
            sink(&values)?;
            left -= now;
        }
        Ok(())
    }
}

/// The tensor of an entry; nothing for one that holds no floats. `values` is where the values begin, `end`
/// where the file ends.
fn located(
    name: &str,
    entry: HeaderEntry,
    values: u64,
    end: u64,
) -> Result<Option<SafeTensor>, ConvertError> {
    let width = match entry.dtype.as_str() {
        "F32" => 4,
        "F16" => 2,
        _ => return Ok(None),
    };
    let (from, to) = entry.data_offsets;
    let elements = entry.shape.iter().try_fold(width, |product: u64, size| product.checked_mul(*size));
    let fits = values.checked_add(to).is_some_and(|to| to <= end);
    if to.checked_sub(from) != elements || !fits {
        return Err(input(format!("{} has another size than its shape", name.escape_debug())));
    }
    Ok(Some(SafeTensor { dims: entry.shape, is_half: width == 2, offset: values + from }))
}

/// The error for weights that are not those of a BERT, the only models converted from this format.
pub(super) fn input(why: impl Into<String>) -> ConvertError {
    ConvertError::Input { recipe: Recipe::Bert, why: why.into() }
}
