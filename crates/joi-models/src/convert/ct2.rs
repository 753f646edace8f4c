//! Reads CTranslate2's `model.bin` (binary version 6): names, shapes, and values on demand.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use half::f16;

use super::error::ConvertError;
use crate::manifest::Recipe;

const VERSION: u32 = 6;
/// More tensors, or longer names, than any whisper model has.
const MOST_TENSORS: u32 = 100_000;
/// Values read at once; a multiple of every ggml block.
const CHUNK: usize = 16 * 1024;

/// The weights of a model in a file.
pub(super) struct Ct2Model {
    file: BufReader<File>,
    tensors: HashMap<String, Ct2Tensor>,
    aliases: HashMap<String, String>,
}

/// Where a tensor's values lie, row-major.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ct2Tensor {
    pub(super) dims: Vec<u32>,
    kind: ElementType,
    offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementType {
    F32,
    I8,
    I16,
    I32,
    F16,
}

impl ElementType {
    fn of(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::F32,
            1 => Self::I8,
            2 => Self::I16,
            3 => Self::I32,
            4 => Self::F16,
            _ => return None,
        })
    }

    fn bytes(self) -> u64 {
        match self {
            Self::I8 => 1,
            Self::I16 | Self::F16 => 2,
            Self::F32 | Self::I32 => 4,
        }
    }
}

impl Ct2Tensor {
    fn len(&self) -> u64 {
        self.dims.iter().map(|d| u64::from(*d)).product()
    }

    /// Rows and columns.
    pub(super) fn matrix(&self) -> Result<(u32, u32), ConvertError> {
        match self.dims[..] {
            [rows, columns] => Ok((rows, columns)),
            _ => Err(input("a matrix has another number of dimensions")),
        }
    }

    /// Part `n` of `parts` equal ones along the first dimension.
    pub(super) fn slice(&self, n: usize, parts: usize) -> Result<Self, ConvertError> {
        let mut part = self.clone();
        match part.dims.first_mut() {
            Some(rows) if *rows % parts as u32 == 0 => *rows /= parts as u32,
            _ => return Err(input("an attention's projections have different sizes")),
        }
        part.offset += n as u64 * part.len() * part.kind.bytes();
        Ok(part)
    }
}

impl Ct2Model {
    pub(super) fn open(path: &Path) -> Result<Self, ConvertError> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::new(file);
        let version = u32(&mut file)?;
        if version != VERSION {
            return Err(input(format!("its format has version {version}, not {VERSION}")));
        }
        let kind = text(&mut file)?;
        if kind != "WhisperSpec" {
            return Err(input(format!("it is a \"{}\"", kind.escape_debug())));
        }
        let _revision = u32(&mut file)?;
        let count = counted(&mut file)?;
        let mut tensors = HashMap::new();
        for _ in 0..count {
            let (name, tensor) = entry(&mut file, length)?;
            tensors.insert(name, tensor);
        }
        let mut aliases = HashMap::new();
        for _ in 0..counted(&mut file)? {
            aliases.insert(text(&mut file)?, text(&mut file)?);
        }
        Ok(Self { file, tensors, aliases })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensor(name).is_ok()
    }

    pub(super) fn tensor(&self, name: &str) -> Result<Ct2Tensor, ConvertError> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.tensors.get(name).cloned().ok_or_else(|| input(format!("it has no {name}")))
    }

    /// A whole number that is stored as a tensor.
    pub(super) fn scalar(&mut self, name: &str) -> Result<u32, ConvertError> {
        let tensor = self.tensor(name)?;
        self.file.seek(SeekFrom::Start(tensor.offset))?;
        let value = match (tensor.kind, tensor.len()) {
            (ElementType::I8, 1) => i32::from(i8::from_le_bytes(bytes(&mut self.file)?)),
            (ElementType::I16, 1) => i32::from(i16::from_le_bytes(bytes(&mut self.file)?)),
            (ElementType::I32, 1) => i32::from_le_bytes(bytes(&mut self.file)?),
            _ => return Err(input(format!("{name} is no whole number"))),
        };
        u32::try_from(value).map_err(|_| input(format!("{name} is negative")))
    }

    /// Passes the values to `sink` in order, in blocks.
    pub(super) fn each(
        &mut self,
        tensor: &Ct2Tensor,
        mut sink: impl FnMut(&[f32]) -> io::Result<()>,
    ) -> Result<(), ConvertError> {
        self.file.seek(SeekFrom::Start(tensor.offset))?;
        let (mut raw, mut values) = (Vec::new(), Vec::with_capacity(CHUNK));
        let mut left = tensor.len();
        while left > 0 {
            let now = left.min(CHUNK as u64);
            raw.resize((now * tensor.kind.bytes()) as usize, 0);
            self.file.read_exact(&mut raw)?;
            values.clear();
            match tensor.kind {
                ElementType::F32 => values.extend(raw.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
                ElementType::F16 => {
                    values.extend(raw.as_chunks().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()))
                }
                ElementType::I8 | ElementType::I16 | ElementType::I32 => {
                    return Err(input(
                        "its weights are whole numbers; only 16 and 32-bit floats are converted",
                    ));
                }
            }
            sink(&values)?;
            left -= now;
        }
        Ok(())
    }

    pub(super) fn is_zero(&mut self, tensor: &Ct2Tensor) -> Result<bool, ConvertError> {
        let mut zero = true;
        self.each(tensor, |values| {
            zero &= values.iter().all(|v| *v == 0.0);
            Ok(())
        })?;
        Ok(zero)
    }
}

fn entry(file: &mut BufReader<File>, length: u64) -> Result<(String, Ct2Tensor), ConvertError> {
    let name = text(file)?;
    let rank = bytes::<1>(file)?[0];
    let dims = (0..rank).map(|_| u32(file)).collect::<Result<Vec<_>, _>>()?;
    let number = bytes::<1>(file)?[0];
    let kind = ElementType::of(number)
        .ok_or_else(|| input(format!("{} has values of unknown kind {number}", name.escape_debug())))?;
    let size = u64::from(u32(file)?);
    let offset = file.stream_position()?;
    let elements = dims.iter().try_fold(1_u64, |product, d| product.checked_mul(u64::from(*d)));
    if elements.and_then(|n| n.checked_mul(kind.bytes())) != Some(size) || offset + size > length {
        return Err(input(format!("{} has another size than its shape", name.escape_debug())));
    }
    file.seek_relative(size.cast_signed())?;
    Ok((name, Ct2Tensor { dims, kind, offset }))
}

pub(super) fn input(why: impl Into<String>) -> ConvertError {
    ConvertError::Input { recipe: Recipe::Whisper, why: why.into() }
}

fn bytes<const N: usize>(file: &mut impl Read) -> Result<[u8; N], ConvertError> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u32(file: &mut impl Read) -> Result<u32, ConvertError> {
    Ok(u32::from_le_bytes(bytes(file)?))
}

fn counted(file: &mut impl Read) -> Result<u32, ConvertError> {
    let count = u32(file)?;
    if count > MOST_TENSORS { Err(input(format!("it claims to have {count} entries"))) } else { Ok(count) }
}

/// A string with its length in front and a zero behind, which the length counts.
fn text(file: &mut impl Read) -> Result<String, ConvertError> {
    let length = u16::from_le_bytes(bytes(file)?);
    let mut text = vec![0; usize::from(length)];
    file.read_exact(&mut text)?;
    match text.pop() {
        Some(0) => String::from_utf8(text).map_err(|_| input("a name is not UTF-8")),
        _ => Err(input("a name does not end")),
    }
}
