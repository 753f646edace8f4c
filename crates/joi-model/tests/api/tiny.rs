//! A model of a few hundred kilobytes, written as a GGUF file: the architecture and the tokenizer of Qwen3, with
//! weights that make each token follow the one before it as a script says.
//!
//! Every token has a direction of its own, attention and feed-forward add nothing to it, and the output layer
//! turns it into the next token's. So the reply is known, and everything around the weights is the real thing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Directions, enough for all tokens, and a multiple of what a row of weights has to be.
const WIDTH: usize = 288;
const HEAD: usize = 16;
const FORWARD: usize = 64;
/// Tokens that stand for more than a byte, behind the 256 that don't.
const MARKS: [(&str, TokenKind); 8] = [
    ("<|endoftext|>", TokenKind::Control),
    ("<|im_start|>", TokenKind::Control),
    ("<|im_end|>", TokenKind::Control),
    ("<think>", TokenKind::Written),
    ("</think>", TokenKind::Written),
    ("<tool_call>", TokenKind::Written),
    ("</tool_call>", TokenKind::Written),
    ("he", TokenKind::Ordinary),
];

#[derive(Clone, Copy, PartialEq)]
enum TokenKind {
    Ordinary,
    Control,
    Written,
}

/// What is to be written.
pub(crate) struct Tiny<'a> {
    pub(crate) architecture: &'a str,
    pub(crate) template: Option<&'a str>,
    /// Layers that the file says it has; it holds one.
    pub(crate) layers: u32,
    /// Each token is followed by the next one, the last one by itself.
    pub(crate) script: &'a [&'a str],
}

impl Default for Tiny<'_> {
    fn default() -> Self {
        let template = Some(include_str!("../models/qwen3.jinja"));
        Self { architecture: "qwen3", template, layers: 1, script: &["\n", "H", "i", "<|im_end|>"] }
    }
}

impl Tiny<'_> {
    /// Writes it into `folder`.
    pub(crate) fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join("tiny-qwen3.gguf");
        std::fs::write(&path, self.bytes()).expect("a file");
        path
    }

    fn bytes(&self) -> Vec<u8> {
        let (pairs, tensors) = (self.pairs(), self.tensors());
        let mut file = b"GGUF".to_vec();
        file.extend(3_u32.to_le_bytes());
        file.extend((tensors.len() as u64).to_le_bytes());
        file.extend((pairs.len() as u64).to_le_bytes());
        file.extend(pairs.concat());
        let mut data = Vec::new();
        for (name, shape, values) in &tensors {
            file.extend(text(name));
            file.extend((shape.len() as u32).to_le_bytes());
            shape.iter().for_each(|side| file.extend((*side as u64).to_le_bytes()));
            // Whole floats, and where they are.
            file.extend(0_u32.to_le_bytes());
            file.extend((data.len() as u64).to_le_bytes());
            data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            data.resize(data.len().next_multiple_of(32), 0);
        }
        file.resize(file.len().next_multiple_of(32), 0);
        [file, data].concat()
    }

    fn pairs(&self) -> Vec<Vec<u8>> {
        let key = |key: &str| format!("{}.{key}", self.architecture);
        let kinds: Vec<u32> = tokens().iter().map(|(_, kind)| kind.number()).collect();
        let words: Vec<String> = tokens().into_iter().map(|(token, _)| token).collect();
        let number = |name: &str, value: usize| pair(name, 4, (value as u32).to_le_bytes().to_vec());
        let float = |name: &str, value: f32| pair(name, 6, value.to_le_bytes().to_vec());
        let mut pairs = vec![
            pair("general.architecture", 8, text(self.architecture)),
            number("general.file_type", 0),
            number(&key("block_count"), self.layers as usize),
            number(&key("context_length"), 4096),
            number(&key("embedding_length"), WIDTH),
            number(&key("feed_forward_length"), FORWARD),
            number(&key("attention.head_count"), 2),
            number(&key("attention.head_count_kv"), 1),
            number(&key("attention.key_length"), HEAD),
            number(&key("attention.value_length"), HEAD),
            float(&key("rope.freq_base"), 1e6),
            float(&key("attention.layer_norm_rms_epsilon"), 1e-6),
            pair("tokenizer.ggml.model", 8, text("gpt2")),
            pair("tokenizer.ggml.pre", 8, text("qwen2")),
            pair("tokenizer.ggml.tokens", 9, list(8, words.iter().map(|word| text(word)))),
            pair(
                "tokenizer.ggml.token_type",
                9,
                list(5, kinds.iter().map(|kind| kind.to_le_bytes().to_vec())),
            ),
            pair("tokenizer.ggml.merges", 9, list(8, [text("h e")].into_iter())),
            number("tokenizer.ggml.eos_token_id", token("<|im_end|>")),
            number("tokenizer.ggml.padding_token_id", token("<|endoftext|>")),
            pair("tokenizer.ggml.add_bos_token", 7, vec![0]),
        ];
        pairs.extend(self.template.map(|template| pair("tokenizer.chat_template", 8, text(template))));
        pairs
    }

    fn tensors(&self) -> Vec<(String, Vec<usize>, Vec<f32>)> {
        let count = tokens().len();
        let mut embedding = vec![0.0; WIDTH * count];
        (0..count).for_each(|token| embedding[token * WIDTH + token] = 1.0);
        let follows: BTreeMap<usize, usize> =
            self.script.windows(2).map(|two| (token(two[0]), token(two[1]))).collect();
        let mut output = vec![0.0; WIDTH * count];
        for this in 0..count {
            let next = follows.get(&this).copied().unwrap_or(this);
            output[next * WIDTH + this] = 1.0;
        }
        let block = |name: &str, shape: &[usize], values: Vec<f32>| {
            (format!("blk.0.{name}.weight"), shape.to_vec(), values)
        };
        let mut noise = Noise(17);
        let mut random = |shape: &[usize]| noise.take(shape.iter().product());
        let (zeros, ones) = (|n: usize| vec![0.0; n], |n: usize| vec![1.0; n]);
        vec![
            ("token_embd.weight".to_owned(), vec![WIDTH, count], embedding),
            ("output_norm.weight".to_owned(), vec![WIDTH], ones(WIDTH)),
            ("output.weight".to_owned(), vec![WIDTH, count], output),
            block("attn_norm", &[WIDTH], ones(WIDTH)),
            block("attn_q", &[WIDTH, 2 * HEAD], random(&[WIDTH, 2 * HEAD])),
            block("attn_k", &[WIDTH, HEAD], random(&[WIDTH, HEAD])),
            block("attn_v", &[WIDTH, HEAD], random(&[WIDTH, HEAD])),
            block("attn_output", &[2 * HEAD, WIDTH], zeros(2 * HEAD * WIDTH)),
            block("attn_q_norm", &[HEAD], ones(HEAD)),
            block("attn_k_norm", &[HEAD], ones(HEAD)),
            block("ffn_norm", &[WIDTH], ones(WIDTH)),
            block("ffn_gate", &[WIDTH, FORWARD], random(&[WIDTH, FORWARD])),
            block("ffn_up", &[WIDTH, FORWARD], random(&[WIDTH, FORWARD])),
            block("ffn_down", &[FORWARD, WIDTH], zeros(FORWARD * WIDTH)),
        ]
    }
}

impl TokenKind {
    /// As GGUF numbers it.
    fn number(self) -> u32 {
        match self {
            Self::Ordinary => 1,
            Self::Control => 3,
            Self::Written => 4,
        }
    }
}

/// All tokens: every byte as GPT-2 writes it, then the marks.
fn tokens() -> Vec<(String, TokenKind)> {
    let is_printed = |byte: &u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let mut moved = 0x100;
    let bytes = (0..256_u32).map(|byte| {
        let code = if is_printed(&byte) {
            byte
        } else {
            moved += 1;
            moved - 1
        };
        (char::from_u32(code).expect("a letter").to_string(), TokenKind::Ordinary)
    });
    let bytes: Vec<_> = bytes.collect();
    bytes.into_iter().chain(MARKS.map(|(mark, kind)| (mark.to_owned(), kind))).collect()
}

/// Number of the token that is written like this.
fn token(written: &str) -> usize {
    match written.as_bytes() {
        [byte] => usize::from(*byte),
        _ => 256 + MARKS.iter().position(|(mark, _)| *mark == written).expect("a mark"),
    }
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

fn pair(key: &str, kind: u32, value: Vec<u8>) -> Vec<u8> {
    [text(key), kind.to_le_bytes().to_vec(), value].concat()
}

fn list(kind: u32, items: impl ExactSizeIterator<Item = Vec<u8>>) -> Vec<u8> {
    let head = [kind.to_le_bytes().to_vec(), (items.len() as u64).to_le_bytes().to_vec()].concat();
    [head, items.collect::<Vec<_>>().concat()].concat()
}

/// The same small numbers in every run.
struct Noise(u32);

impl Noise {
    fn take(&mut self, count: usize) -> Vec<f32> {
        let next = || {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        std::iter::repeat_with(next).take(count).collect()
    }
}
