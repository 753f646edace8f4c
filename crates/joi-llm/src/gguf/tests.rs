use std::io::Write as _;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

/// A metadata value to write.
pub(crate) enum Fact<'a> {
    Text(&'a str),
    Number(u32),
    Numbers(&'a [u32]),
    Texts(&'a [&'a str]),
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// A whole file with these facts and two tensors of `weights` bytes each.
pub(crate) fn file(facts: &[(&str, Fact<'_>)], weights: u64) -> Vec<u8> {
    let mut out = b"GGUF".to_vec();
    out.extend(3_u32.to_le_bytes());
    out.extend(2_u64.to_le_bytes());
    out.extend((facts.len() as u64).to_le_bytes());
    for (key, fact) in facts {
        text(&mut out, key);
        match fact {
            Fact::Text(value) => {
                out.extend(8_u32.to_le_bytes());
                text(&mut out, value);
            }
            Fact::Number(value) => {
                out.extend(4_u32.to_le_bytes());
                out.extend(value.to_le_bytes());
            }
            Fact::Numbers(values) => {
                out.extend([9_u32.to_le_bytes(), 4_u32.to_le_bytes()].concat());
                out.extend((values.len() as u64).to_le_bytes());
                values.iter().for_each(|value| out.extend(value.to_le_bytes()));
            }
            Fact::Texts(values) => {
                out.extend([9_u32.to_le_bytes(), 8_u32.to_le_bytes()].concat());
                out.extend((values.len() as u64).to_le_bytes());
                values.iter().for_each(|value| text(&mut out, value));
            }
        }
    }
    for (name, offset) in [("second.weight", weights), ("first.weight", 0)] {
        text(&mut out, name);
        out.extend(1_u32.to_le_bytes());
        out.extend((weights / 4).to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend(offset.to_le_bytes());
    }
    out.resize(out.len().next_multiple_of(32) + 2 * weights as usize, 7);
    out
}

/// A file that a chat model of one layer would have: 2 × 8 heads × 4 numbers × 2 bytes a token.
pub(crate) fn talker() -> Vec<u8> {
    file(
        &[
            ("general.architecture", Fact::Text("tiny")),
            ("tokenizer.ggml.tokens", Fact::Texts(&["a", "b", "<|im_end|>"])),
            ("tiny.block_count", Fact::Number(1)),
            ("tiny.embedding_length", Fact::Number(64)),
            ("tiny.attention.head_count", Fact::Number(16)),
            ("tiny.attention.head_count_kv", Fact::Number(8)),
            ("tokenizer.chat_template", Fact::Text("{{ messages }}")),
        ],
        96,
    )
}

fn head_of(bytes: &[u8]) -> Result<GgufHead, String> {
    HeadReader { file: bytes, at: 0 }.head().map_err(|error| error.to_string())
}

#[test]
fn the_shape_gives_the_memory_and_the_template_whether_it_talks() {
    let whole = talker();
    let head = head_of(&whole).unwrap();
    assert_eq!((head.has_template, head.pools, head.cache_per_token), (true, false, 128));
    assert_eq!(head.least_bytes, whole.len() as u64 - 95, "the last tensor has at least one byte");

    let shape = [
        ("general.architecture", Fact::Text("other")),
        ("other.attention.head_count_kv", Fact::Numbers(&[2, 0, 2])),
        ("other.attention.key_length", Fact::Number(128)),
        ("other.attention.value_length", Fact::Number(64)),
        ("other.pooling_type", Fact::Number(1)),
    ];
    let head = head_of(&file(&shape, 32)).unwrap();
    assert_eq!((head.has_template, head.pools, head.cache_per_token), (false, true, 4 * 192 * 2));
    assert_eq!(head_of(&file(&[], 32)).unwrap().cache_per_token, 0);
}

#[test]
fn damaged_heads_have_errors_of_their_own() {
    let whole = talker();
    assert_eq!(head_of(b"").unwrap_err(), "not a GGUF file");
    assert_eq!(head_of(b"<html>no such file</html>").unwrap_err(), "not a GGUF file");
    assert_eq!(head_of(&whole[..100]).unwrap_err(), "truncated header");
    let mut old = whole.clone();
    old[4] = 1;
    assert_eq!(head_of(&old).unwrap_err(), "its GGUF version 1 is not supported");
    let missing = read(Path::new("/no/such/model.gguf")).unwrap_err().to_string();
    assert!(missing.starts_with("it can't be read ("), "{missing}");
}

/// The figures of llama.cpp's own log for this file ("KV buffer size = 48.00 MiB" with 4096 tokens).
#[test]
fn the_built_in_models_head_is_what_llama_cpp_makes_of_it() {
    let fetched = |name: &str, file: &str| -> PathBuf { joi_models::test_model(name, file) };
    let chat = fetched("chat-qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    let head = read(&chat).unwrap();
    assert_eq!((head.has_template, head.pools, head.cache_per_token * 4096), (true, false, 48 << 20));
    let length = chat.metadata().unwrap().len();
    assert!(head.least_bytes <= length && head.least_bytes > length * 9 / 10, "{head:?}");
    let vectors = read(&fetched("embed-all-minilm-l6-v2", "all-minilm-l6-v2-q8_0.gguf")).unwrap();
    assert_eq!((vectors.has_template, vectors.pools), (false, true));
}

proptest! {
    /// Any bytes: an answer or an error, at once, and memory only for what is there.
    #[test]
    fn foreign_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.write_all(&bytes).unwrap();
        let _ = head_of(&file);
    }

    #[test]
    fn foreign_bytes_in_a_real_head_are_read_or_refused(at in 0_usize..400, byte in any::<u8>()) {
        let mut file = talker();
        let at = at % file.len();
        file[at] = byte;
        let _ = head_of(&file);
    }
}
