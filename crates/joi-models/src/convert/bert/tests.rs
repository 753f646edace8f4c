use proptest::prelude::*;

use super::super::{ConversionInput as From, ConvertError, convert};
use super::*;
use crate::manifest::Recipe;
use joi_base::checksum;

const CONFIG: &str = r#"{"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
    "max_position_embeddings": 8, "type_vocab_size": 2, "layer_norm_eps": 1e-12}"#;
const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhe\n##llo\n!";

/// Tensors of the smallest model: one layer, 32 wide, eight words.
fn small() -> Vec<(String, Vec<u64>)> {
    let mut tensors: Vec<(String, Vec<u64>)> = Vec::new();
    let mut add = |name: &str, dims: &[u64]| tensors.push((name.to_owned(), dims.to_vec()));
    add("embeddings.word_embeddings.weight", &[8, 32]);
    add("embeddings.token_type_embeddings.weight", &[2, 32]);
    add("embeddings.position_embeddings.weight", &[8, 32]);
    let layer = "encoder.layer.0";
    let linear = [
        ("attention.self.query", 32, 32),
        ("attention.self.key", 32, 32),
        ("attention.self.value", 32, 32),
        ("attention.output.dense", 32, 32),
        ("intermediate.dense", 64, 32),
        ("output.dense", 32, 64),
    ];
    for (name, rows, columns) in linear {
        add(&format!("{layer}.{name}.weight"), &[rows, columns]);
        add(&format!("{layer}.{name}.bias"), &[rows]);
    }
    for name in ["embeddings".to_owned(), format!("{layer}.attention.output"), format!("{layer}.output")] {
        add(&format!("{name}.LayerNorm.weight"), &[32]);
        add(&format!("{name}.LayerNorm.bias"), &[32]);
    }
    tensors
}

/// A safetensors file with these tensors, 32-bit floats spread evenly around zero, and a tensor of whole
/// numbers.
fn file(tensors: &[(String, Vec<u64>)]) -> Vec<u8> {
    let (mut head, mut values) = (serde_json::Map::new(), Vec::new());
    head.insert("__metadata__".into(), serde_json::json!({"format": "pt"}));
    let mut put = |name: &str, kind: &str, dims: &[u64], bytes: Vec<u8>| {
        let offsets = [values.len(), values.len() + bytes.len()];
        values.extend(bytes);
        let entry = serde_json::json!({"dtype": kind, "shape": dims, "data_offsets": offsets});
        head.insert(name.to_owned(), entry);
    };
    put("embeddings.position_ids", "I64", &[1, 8], vec![0; 64]);
    for (name, dims) in tensors {
        let spread = |n: u64| (n.wrapping_mul(2_654_435_761) as u32 >> 20) as f32 / 1024.0 - 2.0;
        let count: u64 = dims.iter().product();
        let bytes = (0..count).flat_map(|n| spread(n + name.len() as u64).to_le_bytes()).collect();
        put(name, "F32", dims, bytes);
    }
    let head = serde_json::to_vec(&head).unwrap();
    [(head.len() as u64).to_le_bytes().to_vec(), head, values].concat()
}

fn converted(model: &[u8], (words, config): (&str, &str), to: Quantisation) -> Result<Vec<u8>, ConvertError> {
    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (dir.path().join("model.safetensors"), dir.path().join("out.gguf"));
    std::fs::write(&input, model).unwrap();
    convert(Recipe::Bert, From { model: &input, vocabulary: words, config }, to, &out)?;
    Ok(std::fs::read(out).unwrap())
}

#[test]
fn a_small_model_equals_the_reference_converter_byte_for_byte() {
    let model = file(&small());
    let sums = [Quantisation::F16, Quantisation::Q8]
        .map(|to| checksum::of_bytes(&converted(&model, (WORDS, CONFIG), to).unwrap()));
    // Of the files that gguf-py, llama.cpp's own writer, makes of the same input.
    assert_eq!(
        sums,
        [
            "1239c0724c593818dcb810bf1353c541984addfd9e03d3977c3056286c091b00",
            "7ab766c8b08e998b8eafcbda1b26a15a49c49c0bf06b919c949181c208b785c8",
        ]
    );
}

#[test]
fn words_are_spelt_and_counted_as_llama_cpp_wants_them() {
    assert_eq!(["[CLS]", "he", "##llo"].map(spelt), ["[CLS]", "\u{2581}he", "llo"]);
    assert_eq!(["[UNK]", "[MASK]", "he", "##llo", "["].map(kind), [UNKNOWN, CONTROL, NORMAL, NORMAL, NORMAL]);
}

#[test]
fn what_is_no_whole_model_is_refused_with_its_reason() {
    let good = file(&small());
    let mut without = small();
    without.retain(|(name, _)| !name.contains("value.weight"));
    let mut odd = small();
    odd[0].1 = vec![8, 31];
    let long = [u64::MAX.to_le_bytes().to_vec(), vec![0; 64]].concat();
    let cases: [(&[u8], &str, &str, &str); 8] = [
        (b"", WORDS, CONFIG, "could not read"),
        (&long, WORDS, CONFIG, "its head is said to have"),
        (&[vec![4, 0, 0, 0, 0, 0, 0, 0], b"nope".to_vec()].concat(), WORDS, CONFIG, "no JSON object"),
        (&good[..good.len() - 8], WORDS, CONFIG, "another size than its shape"),
        (&file(&without), WORDS, CONFIG, "no encoder.layer.0.attention.self.value.weight"),
        (&file(&odd), WORDS, CONFIG, "doesn't fill its blocks"),
        (&good, "[CLS]\nhe", CONFIG, "2 tokens are named and 8 have weights"),
        (&good, WORDS, "{}", "its configuration says too little"),
    ];
    for (model, words, config, why) in cases {
        let error = converted(model, (words, config), Quantisation::Q8).unwrap_err().to_string();
        assert!(error.contains(why), "{error}\ninstead of\n{why}");
    }
    let nameless = WORDS.replace("[MASK]", "mask");
    let error = converted(&good, (&nameless, CONFIG), Quantisation::Q8).unwrap_err().to_string();
    assert_eq!(error, "this is no BERT in safetensors: its vocabulary has no [MASK]");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn foreign_bytes_never_break_the_conversion_of_safetensors(at in 0_usize..3000, byte: u8, cut in 0_usize..60_000) {
        let mut model = file(&small());
        model[at] = byte;
        model.truncate(cut.max(1));
        let _ = converted(&model, (WORDS, CONFIG), Quantisation::Q8);
    }
}
