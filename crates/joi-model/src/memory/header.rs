//! The head of a GGUF file: what says how much memory the model will need, before it is loaded.
//!
//! Reads numbers and passes over everything else. What it can't read it leaves to llama.cpp to refuse.

use std::collections::HashMap;
use std::io::{self, Read};

/// Longest text that is read.
const LONGEST: u64 = 1 << 20;
/// Bytes of a cached value: half precision.
const VALUE: u64 = 2;

/// The numbers of the metadata; of a list of numbers their sum.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Header {
    architecture: String,
    numbers: HashMap<String, u64>,
    lists: HashMap<String, u64>,
}

impl Header {
    /// Reads the metadata; `None` where that is no GGUF file, or ends too soon.
    pub(crate) fn read(file: impl Read) -> Option<Self> {
        Scan(file).header().ok()
    }

    /// Bytes that a window of `num_ctx` tokens takes; zero where the file does not say.
    pub(crate) fn window(&self, num_ctx: u32) -> u64 {
        let number = |key: &str| self.numbers.get(&format!("{}.{key}", self.architecture)).copied();
        let heads = number("attention.head_count").unwrap_or(1).max(1);
        let width = number("embedding_length").unwrap_or(0) / heads;
        let key = number("attention.key_length").unwrap_or(width);
        let value = number("attention.value_length").unwrap_or(width);
        let each = number("attention.head_count_kv").unwrap_or(heads);
        let layers = number("block_count").unwrap_or(0);
        // Models whose layers differ have a list of them.
        let all = self.lists.get(&format!("{}.attention.head_count_kv", self.architecture)).copied();
        let all = all.unwrap_or_else(|| each.saturating_mul(layers));
        let tokens = u64::from(num_ctx).min(number("context_length").unwrap_or(u64::MAX));
        [key.saturating_add(value), VALUE, tokens].into_iter().fold(all, u64::saturating_mul)
    }
}

struct Scan<R>(R);

impl<R: Read> Scan<R> {
    fn header(&mut self) -> io::Result<Header> {
        if self.bytes::<4>()? != *b"GGUF" || !matches!(self.u32()?, 2 | 3) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let (_tensors, pairs) = (self.u64()?, self.u64()?);
        let mut header = Header::default();
        for _ in 0..pairs {
            let (key, kind) = (self.text()?, self.u32()?);
            match kind {
                8 if key == "general.architecture" => header.architecture = self.text()?,
                8 => self.pass_text()?,
                9 => {
                    let sum = self.list()?;
                    header.lists.insert(key, sum);
                }
                kind => {
                    let number = self.number(kind)?;
                    header.numbers.insert(key, number);
                }
            }
        }
        Ok(header)
    }

    /// The sum of a list of numbers; zero of anything else.
    fn list(&mut self) -> io::Result<u64> {
        let (kind, count) = (self.u32()?, self.u64()?);
        let mut sum = 0_u64;
        for _ in 0..count {
            match kind {
                8 => self.pass_text()?,
                kind => sum = sum.saturating_add(self.number(kind)?),
            }
        }
        Ok(sum)
    }

    /// A number of a kind; zero for those that are negative or no whole numbers.
    fn number(&mut self, kind: u32) -> io::Result<u64> {
        Ok(match kind {
            0 | 7 => self.bytes::<1>()?[0].into(),
            1 => u64::try_from(i8::from_le_bytes(self.bytes()?)).unwrap_or(0),
            2 => u16::from_le_bytes(self.bytes()?).into(),
            3 => u64::try_from(i16::from_le_bytes(self.bytes()?)).unwrap_or(0),
            4 => self.u32()?.into(),
            5 => u64::try_from(i32::from_le_bytes(self.bytes()?)).unwrap_or(0),
            6 => self.bytes::<4>().map(|_| 0)?,
            10 => self.u64()?,
            11 => u64::try_from(i64::from_le_bytes(self.bytes()?)).unwrap_or(0),
            12 => self.bytes::<8>().map(|_| 0)?,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        })
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> io::Result<String> {
        let length = self.u64()?;
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut text = Vec::new();
        self.0.by_ref().take(length).read_to_end(&mut text)?;
        String::from_utf8(text).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn pass_text(&mut self) -> io::Result<()> {
        let length = self.u64()?;
        let passed = io::copy(&mut self.0.by_ref().take(length), &mut io::sink())?;
        if passed < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
    }

    fn file(pairs: &[Vec<u8>]) -> Vec<u8> {
        let counts = [0_u64.to_le_bytes(), (pairs.len() as u64).to_le_bytes()].concat();
        [b"GGUF".to_vec(), 3_u32.to_le_bytes().to_vec(), counts, pairs.concat()].concat()
    }

    fn number(key: &str, value: u32) -> Vec<u8> {
        [text(key), 4_u32.to_le_bytes().to_vec(), value.to_le_bytes().to_vec()].concat()
    }

    fn named(key: &str, value: &str) -> Vec<u8> {
        [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat()
    }

    fn list(key: &str, values: &[u32]) -> Vec<u8> {
        let head = [9_u32.to_le_bytes(), 4_u32.to_le_bytes()].concat();
        let count = (values.len() as u64).to_le_bytes().to_vec();
        let values = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        [text(key), head, count, values].concat()
    }

    /// Qwen3-1.7B: 28 layers of 8 heads with 128 keys and 128 values.
    fn qwen3() -> Vec<Vec<u8>> {
        vec![
            named("general.architecture", "qwen3"),
            named("general.name", "Qwen3 1.7B"),
            number("qwen3.block_count", 28),
            number("qwen3.context_length", 40960),
            number("qwen3.embedding_length", 2048),
            number("qwen3.attention.head_count", 16),
            number("qwen3.attention.head_count_kv", 8),
            number("qwen3.attention.key_length", 128),
            number("qwen3.attention.value_length", 128),
            list("tokenizer.ggml.token_type", &[1, 1, 3]),
        ]
    }

    #[test]
    fn a_window_is_as_large_as_its_layers_heads_and_tokens() {
        let header = Header::read(&file(&qwen3())[..]).unwrap();
        assert_eq!(header.window(4096), 28 * 8 * 256 * 2 * 4096);
        assert_eq!(header.window(4096), 469_762_048);
        assert_eq!(header.window(100_000), header.window(40960), "no longer than it was trained for");
    }

    #[test]
    fn heads_that_differ_from_layer_to_layer_are_added() {
        let mut pairs = qwen3();
        pairs[6] = list("qwen3.attention.head_count_kv", &[8, 0, 0, 2]);
        assert_eq!(Header::read(&file(&pairs)[..]).unwrap().window(1), 10 * 256 * 2);
    }

    #[test]
    fn what_is_no_gguf_file_says_nothing() {
        let whole = file(&qwen3());
        assert_eq!(Header::read(&b"PK\x03\x04"[..]), None);
        assert_eq!(Header::read(&whole[..whole.len() - 1]), None);
        assert_eq!(Header::read(&file(&[])[..]).unwrap().window(4096), 0);
    }

    proptest! {
        #[test]
        fn foreign_bytes_in_a_header_are_read_without_harm(at in 0_usize..600, byte: u8) {
            let mut bytes = file(&qwen3());
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Header::read(&bytes[..]).map(|header| header.window(u32::MAX));
        }
    }
}
