//! Checks a ggml whisper file before whisper.cpp does: whisper.cpp trusts the numbers in the header, and a
//! truncated or foreign file can abort the whole process.
//!
//! Reads the header and the tensor table, skips the tensors. Refuses a file that does not end where it
//! should.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

const MAGIC: u32 = 0x6767_6d6c;
/// Whisper vocabularies of this size and larger have language tokens.
const MULTILINGUAL_VOCABULARY: u32 = 51_865;

/// The model's dimensions in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModelShape {
    pub(super) vocabulary: u32,
    audio_layers: u32,
}

impl ModelShape {
    pub(super) fn multilingual(self) -> bool {
        self.vocabulary >= MULTILINGUAL_VOCABULARY
    }
}

/// A file that is not a complete whisper model.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("{0}")]
    Read(#[from] io::Error),
    #[error("it is no ggml model")]
    NotGgml,
    #[error("its header has {field} = {value}, which no whisper model has")]
    Head { field: &'static str, value: u32 },
    #[error("it ends too early")]
    Truncated,
    #[error("tensor {0} has a form that no whisper model has")]
    Tensor(usize),
}

/// Returns the model's dimensions, if the file is complete.
pub(super) fn check(path: &Path) -> Result<ModelShape, FileError> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    read(file, length)
}

fn read<R: Read + Seek>(file: R, length: u64) -> Result<ModelShape, FileError> {
    let mut reader = ModelFileReader { file: BufReader::new(file), at: 0, length };
    let shape = reader.head()?;
    let mut tensors = 0;
    while reader.at < length {
        reader.tensor(tensors)?;
        tensors += 1;
    }
    // Every layer of encoder and decoder has more than ten tensors.
    if tensors < shape.audio_layers as usize * 10 { Err(FileError::Truncated) } else { Ok(shape) }
}

struct ModelFileReader<R> {
    file: BufReader<R>,
    at: u64,
    length: u64,
}

impl<R: Read + Seek> ModelFileReader<R> {
    fn u32(&mut self) -> Result<u32, FileError> {
        let mut bytes = [0; 4];
        self.need(4)?;
        self.file.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn skip(&mut self, bytes: u64) -> Result<(), FileError> {
        self.need(bytes)?;
        self.file.seek_relative(bytes.cast_signed())?;
        Ok(())
    }

    /// Counts `bytes` as read, if the file has them.
    fn need(&mut self, bytes: u64) -> Result<(), FileError> {
        self.at = self.at.checked_add(bytes).filter(|end| *end <= self.length).ok_or(FileError::Truncated)?;
        Ok(())
    }

    fn field(
        &mut self,
        field: &'static str,
        allowed: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, FileError> {
        let value = self.u32()?;
        if allowed.contains(&value) { Ok(value) } else { Err(FileError::Head { field, value }) }
    }

    fn head(&mut self) -> Result<ModelShape, FileError> {
        match self.u32() {
            Ok(MAGIC) => {}
            Ok(_) | Err(FileError::Truncated) => return Err(FileError::NotGgml),
            Err(e) => return Err(e),
        }
        let vocabulary = self.field("n_vocab", 50_000..=60_000)?;
        self.field("n_audio_ctx", 1500..=1500)?;
        let width = self.field("n_audio_state", 64..=4096)?;
        self.field("n_audio_head", 1..=64)?;
        let audio_layers = self.field("n_audio_layer", 1..=64)?;
        self.field("n_text_ctx", 448..=448)?;
        self.field("n_text_state", width..=width)?;
        self.field("n_text_head", 1..=64)?;
        self.field("n_text_layer", 1..=64)?;
        let mels = self.field("n_mels", 80..=128)?;
        self.field("ftype", 0..=2999)?;
        self.field("mel filters", mels..=mels)?;
        let bins = self.field("mel bins", 201..=201)?;
        self.skip(u64::from(mels) * u64::from(bins) * 4)?;
        for _ in 0..self.field("vocabulary", 50_000..=60_000)? {
            let length = self.u32()?;
            self.skip(u64::from(length))?;
        }
        Ok(ModelShape { vocabulary, audio_layers })
    }

    fn tensor(&mut self, number: usize) -> Result<(), FileError> {
        let (dimensions, name, kind) = (self.u32()?, self.u32()?, self.u32()?);
        if !(1..=4).contains(&dimensions) || name > 256 {
            return Err(FileError::Tensor(number));
        }
        let mut elements = 1_u64;
        for _ in 0..dimensions {
            let size = u64::from(self.u32()?);
            elements = elements.checked_mul(size).ok_or(FileError::Tensor(number))?;
        }
        self.skip(u64::from(name))?;
        // Bytes per block of 32 elements, by ggml's numbers for the types.
        let block = match kind {
            0 => 128,
            1 => 64,
            2 => 18,
            3 => 20,
            6 => 22,
            7 => 24,
            8 => 34,
            _ => return Err(FileError::Tensor(number)),
        };
        let bytes = elements.checked_mul(block).ok_or(FileError::Tensor(number))?.div_ceil(32);
        self.skip(bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(all: &[u32]) -> Vec<u8> {
        all.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Returns the head of a model, and its tensors, without what stands between: filters and words.
    fn parts() -> (Vec<u8>, Vec<u8>) {
        let head = words(&[MAGIC, 51_864, 1500, 384, 6, 1, 448, 384, 6, 1, 80, 1, 80, 201]);
        let tensor = [words(&[2, 4, 0, 2, 3]), b"name".to_vec(), vec![0; 24]].concat();
        (head, tensor.repeat(12))
    }

    fn model(head: &[u8], tensors: &[u8]) -> Vec<u8> {
        let between = [vec![0; 80 * 201 * 4], words(&[50_000]), vec![0; 50_000 * 4]].concat();
        [head, &between, tensors].concat()
    }

    fn shape(bytes: Vec<u8>) -> Result<ModelShape, FileError> {
        let length = bytes.len() as u64;
        read(io::Cursor::new(bytes), length)
    }

    #[test]
    fn a_whole_model_is_read_and_every_shorter_one_is_refused() {
        let (head, tensors) = parts();
        assert_eq!(shape(model(&head, &tensors)).unwrap().audio_layers, 1);
        assert!(matches!(shape(model(&head, &tensors[..tensors.len() - 1])), Err(FileError::Truncated)));
        assert!(matches!(shape(head), Err(FileError::Truncated)));
        assert!(matches!(shape(Vec::new()), Err(FileError::NotGgml)));
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_break_the_check_of_whisper_models(
            head in joi_base::testing::damaged(&parts().0),
            tensors in joi_base::testing::damaged(&parts().1),
        ) {
            if let Err(error) = shape(model(&head, &tensors)) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
