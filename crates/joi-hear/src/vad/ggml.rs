//! Reads the tensors of whisper.cpp's Silero file.
//!
//! In: unverified bytes. Out: named tensors as f32. Sizes are checked before anything is
//! allocated.
//! Pure: no I/O, no clock.

use std::collections::HashMap;

use half::f16;

use super::VadError;

/// "ggml", read as a little-endian number.
const MAGIC: i32 = 0x6767_6d6c;
/// Numbers of the header between its name and its layer count, and behind it besides three per layer.
const HEADER: [usize; 2] = [5, 4];

/// Returns the tensors by name.
pub(super) fn tensors(bytes: &[u8]) -> Result<HashMap<String, Vec<f32>>, VadError> {
    let mut reader = TensorReader(bytes);
    let mut tensors = HashMap::new();
    reader.header().ok_or_else(|| damaged("no header"))?;
    while !reader.0.is_empty() {
        let (name, values) = reader.tensor().ok_or_else(|| damaged("cut off or changed"))?;
        tensors.insert(name, values);
    }
    Ok(tensors)
}

pub(super) fn damaged(what: impl Into<String>) -> VadError {
    VadError::Damaged { what: what.into() }
}

/// The bytes not read yet.
struct TensorReader<'a>(&'a [u8]);

impl<'a> TensorReader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn int(&mut self) -> Option<i32> {
        self.take(4)?.try_into().ok().map(i32::from_le_bytes)
    }

    fn size(&mut self) -> Option<usize> {
        self.int()?.try_into().ok()
    }

    fn header(&mut self) -> Option<()> {
        if self.int()? != MAGIC {
            return None;
        }
        let name = self.size()?;
        self.take(name)?;
        self.take(4 * HEADER[0])?;
        let layers = self.size()?;
        self.take(layers.checked_mul(12)?.checked_add(4 * HEADER[1])?).map(drop)
    }

    fn tensor(&mut self) -> Option<(String, Vec<f32>)> {
        let (rank, name, kind) = (self.size()?, self.size()?, self.int()?);
        if rank > 4 {
            return None;
        }
        let mut len = 1usize;
        for _ in 0..rank {
            len = len.checked_mul(self.size()?)?;
        }
        let name = String::from_utf8(self.take(name)?.to_vec()).ok()?;
        let values = match kind {
            0 => {
                self.take(len.checked_mul(4)?)?.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
            }
            1 => self
                .take(len.checked_mul(2)?)?
                .as_chunks()
                .0
                .iter()
                .map(|&b| f16::from_le_bytes(b).to_f32())
                .collect(),
            _ => return None,
        };
        Some((name, values))
    }
}
