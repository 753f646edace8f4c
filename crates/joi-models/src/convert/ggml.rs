//! Writes the parts of a ggml file: numbers, the head of a tensor, values as floats or in blocks.

use std::io::{self, Write};

use half::f16;

use crate::manifest::Quantisation;

pub(super) const MAGIC: u32 = 0x6767_6d6c;
/// ggml's second way of writing blocks.
pub(super) const QUANTISATION_VERSION: u32 = 2;
const BLOCK: usize = 32;

/// Encoding of the values of one tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TensorEncoding {
    F32,
    F16,
    Q8,
}

impl TensorEncoding {
    /// ggml's number of the type.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::F16 => 1,
            Self::Q8 => 8,
        }
    }

    /// Bytes of this many values, which fill their blocks.
    pub(super) fn bytes(self, values: u64) -> u64 {
        match self {
            Self::F32 => values * 4,
            Self::F16 => values * 2,
            Self::Q8 => values / BLOCK as u64 * (BLOCK as u64 + 2),
        }
    }
}

/// The form of matrices.
pub(super) fn matrix_form(to: Quantisation) -> TensorEncoding {
    match to {
        Quantisation::F16 => TensorEncoding::F16,
        Quantisation::Q8 => TensorEncoding::Q8,
    }
}

/// The file type: the encoding of the matrices.
pub(super) fn file_type(to: Quantisation) -> u32 {
    match to {
        Quantisation::F16 => 1,
        Quantisation::Q8 => 7,
    }
}

/// The same in the header of a file older than GGUF, which includes the version of its blocks.
pub(super) fn versioned_file_type(to: Quantisation) -> u32 {
    match to {
        Quantisation::F16 => file_type(to),
        Quantisation::Q8 => file_type(to) + QUANTISATION_VERSION * 1000,
    }
}

pub(super) fn numbers(out: &mut impl Write, numbers: &[u32]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// The tensor header. `dims` are row-major; ggml counts from the innermost.
pub(super) fn tensor_head(
    out: &mut impl Write,
    name: &str,
    dims: &[u32],
    form: TensorEncoding,
) -> io::Result<()> {
    numbers(out, &[dims.len() as u32, name.len() as u32, form.number()])?;
    dims.iter().rev().try_for_each(|size| numbers(out, &[*size]))?;
    out.write_all(name.as_bytes())
}

/// Values, a whole number of blocks when `form` has blocks.
pub(super) fn values(out: &mut impl Write, values: &[f32], form: TensorEncoding) -> io::Result<()> {
    match form {
        TensorEncoding::F32 => values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes())),
        TensorEncoding::F16 => {
            values.iter().try_for_each(|v| out.write_all(&f16::from_f32(*v).to_le_bytes()))
        }
        TensorEncoding::Q8 => {
            let (blocks, rest) = values.as_chunks::<BLOCK>();
            if !rest.is_empty() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a matrix doesn't fill its blocks"));
            }
            blocks.iter().try_for_each(|block| out.write_all(&q8(block)))
        }
    }
}

/// A 16-bit scale and 32 whole numbers, halves rounded away from zero as ggml does.
fn q8(block: &[f32; BLOCK]) -> [u8; BLOCK + 2] {
    let largest = block.iter().fold(0.0_f32, |largest, v| largest.max(v.abs()));
    let scale = largest / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let mut bytes = [0; BLOCK + 2];
    bytes[..2].copy_from_slice(&f16::from_f32(scale).to_le_bytes());
    for (byte, value) in bytes[2..].iter_mut().zip(block) {
        *byte = ((value * inverse).round() as i8).cast_unsigned();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_its_scale_and_its_values_in_steps_of_it() {
        let mut block = [0.0; BLOCK];
        block[..5].copy_from_slice(&[127.0, -127.0, 0.5, -0.5, 63.49]);
        let bytes = q8(&block);
        assert_eq!(f16::from_le_bytes([bytes[0], bytes[1]]), f16::from_f32(1.0));
        assert_eq!(bytes[2..8], [127, 129, 1, 255, 63, 0]);
        assert_eq!(q8(&[0.0; BLOCK]), [0; BLOCK + 2]);
    }

    #[test]
    fn a_matrix_that_does_not_fill_its_blocks_is_refused() {
        assert!(values(&mut Vec::new(), &[1.0; 33], TensorEncoding::Q8).is_err());
        assert!(values(&mut Vec::new(), &[1.0; 33], TensorEncoding::F16).is_ok());
    }

    #[test]
    fn a_tensor_head_counts_from_the_innermost_dimension() {
        let mut out = Vec::new();
        tensor_head(&mut out, "ab", &[3, 5], TensorEncoding::Q8).unwrap();
        let mut expected: Vec<u8> = [2_u32, 2, 8, 5, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
        expected.extend(b"ab");
        assert_eq!(out, expected);
    }
}
