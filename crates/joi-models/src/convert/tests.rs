use proptest::prelude::*;

use super::*;
use joi_base::checksum;

/// A CTranslate2 model with the given tensors (16-bit floats) and one number of heads for each side.
fn checkpoint(tensors: &[(String, Vec<u32>)]) -> Vec<u8> {
    let text = |out: &mut Vec<u8>, s: &str| {
        out.extend((s.len() as u16 + 1).to_le_bytes());
        out.extend(s.as_bytes());
        out.push(0);
    };
    let mut out = 6_u32.to_le_bytes().to_vec();
    text(&mut out, "WhisperSpec");
    out.extend(3_u32.to_le_bytes());
    out.extend((tensors.len() as u32 + 2).to_le_bytes());
    for side in ["encoder", "decoder"] {
        text(&mut out, &format!("{side}/num_heads"));
        out.extend([0, 2, 2, 0, 0, 0, 1, 0]);
    }
    for (name, dims) in tensors {
        text(&mut out, name);
        out.push(dims.len() as u8);
        dims.iter().for_each(|d| out.extend(d.to_le_bytes()));
        out.push(4);
        let elements: u32 = dims.iter().product();
        out.extend((elements * 2).to_le_bytes());
        // Keys have no bias, so biases are zero; the rest is spread evenly around zero.
        let spread = |n: u32| (n.wrapping_mul(2_654_435_761) >> 20) as f32 / 1024.0 - 2.0;
        let value = |n: u32| if name.ends_with("bias") { 0.0 } else { spread(n + name.len() as u32) };
        (0..elements).for_each(|n| out.extend(half::f16::from_f32(value(n)).to_le_bytes()));
    }
    out.extend(0_u32.to_le_bytes());
    out
}

/// The smallest model: one layer on each side, 32 wide, three tokens.
fn small() -> Vec<(String, Vec<u32>)> {
    let mut tensors: Vec<(String, Vec<u32>)> = Vec::new();
    let mut add = |name: String, dims: &[u32]| tensors.push((name, dims.to_vec()));
    add("encoder/conv1/weight".into(), &[32, 80, 3]);
    add("encoder/conv2/weight".into(), &[32, 32, 3]);
    for n in 1..=2 {
        add(format!("encoder/conv{n}/bias"), &[32]);
    }
    add("decoder/embeddings/weight".into(), &[3, 32]);
    for (side, attentions) in
        [("encoder", &["self_attention"][..]), ("decoder", &["self_attention", "attention"][..])]
    {
        add(format!("{side}/position_encodings/encodings"), &[5, 32]);
        let mut norm = |of: String| {
            add(format!("{of}/gamma"), &[32]);
            add(format!("{of}/beta"), &[32]);
        };
        norm(format!("{side}/layer_norm"));
        norm(format!("{side}/layer_0/ffn/layer_norm"));
        attentions.iter().for_each(|a| norm(format!("{side}/layer_0/{a}/layer_norm")));
        let mut linear = |of: String, rows: u32, columns: u32| {
            add(format!("{of}/weight"), &[rows, columns]);
            add(format!("{of}/bias"), &[rows]);
        };
        linear(format!("{side}/layer_0/ffn/linear_0"), 128, 32);
        linear(format!("{side}/layer_0/ffn/linear_1"), 32, 128);
        linear(format!("{side}/layer_0/self_attention/linear_0"), 96, 32);
        linear(format!("{side}/layer_0/self_attention/linear_1"), 32, 32);
        if attentions.len() == 2 {
            linear(format!("{side}/layer_0/attention/linear_0"), 32, 32);
            linear(format!("{side}/layer_0/attention/linear_1"), 64, 32);
            linear(format!("{side}/layer_0/attention/linear_2"), 32, 32);
        }
    }
    tensors
}

fn converted(model: &[u8], to: Quantisation) -> Result<Vec<u8>, ConvertError> {
    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (dir.path().join("model.bin"), dir.path().join("out.bin"));
    std::fs::write(&input, model).unwrap();
    let from = ConversionInput { model: &input, vocabulary: "a\nb\nĠc", config: "" };
    convert(Recipe::Whisper, from, to, &out)?;
    Ok(std::fs::read(out).unwrap())
}

#[test]
fn a_small_model_becomes_a_file_of_the_expected_layout() {
    let bytes = converted(&checkpoint(&small()), Quantisation::F16).unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let head: Vec<u32> = (0..14).map(|n| number(4 * n)).collect();
    assert_eq!(head, [ggml::MAGIC, 3, 5, 32, 1, 1, 5, 32, 1, 1, 80, 1, 80, 201]);
    let words = 14 * 4 + 80 * 201 * 4;
    assert_eq!(bytes[words..words + 4 + 5 + 5 + 6], *b"\x03\0\0\0\x01\0\0\0a\x01\0\0\0b\x02\0\0\0 c");
    for name in
        ["encoder.blocks.0.attn.key.weight", "decoder.blocks.0.cross_attn.value.bias", "decoder.ln.bias"]
    {
        assert!(bytes.windows(name.len()).any(|w| w == name.as_bytes()), "{name}");
    }
    let key_bias = b"attn.key.bias";
    assert!(!bytes.windows(key_bias.len()).any(|w| w == key_bias));
    assert!(converted(&checkpoint(&small()), Quantisation::Q8).unwrap().len() < bytes.len());
}

#[test]
fn a_small_model_equals_the_reference_converter_byte_for_byte() {
    let model = checkpoint(&small());
    let sums =
        [Quantisation::F16, Quantisation::Q8].map(|to| checksum::of_bytes(&converted(&model, to).unwrap()));
    // Of the files that an independent converter in Python writes from the same input.
    assert_eq!(
        sums,
        [
            "7cb3910febae8f3306f55f27dacefec946d43d5d5dd31163720b56eaeb471370",
            "8d1840ea63a7820941415b7151d9d8ec8a3273a130f42e6fa3ca704d5582d147",
        ]
    );
}

#[test]
fn what_is_no_whole_model_is_refused_with_its_reason() {
    let good = checkpoint(&small());
    let mut whole_numbers = small();
    whole_numbers.retain(|(name, _)| name != "decoder/embeddings/weight");
    let mut uneven = small();
    uneven
        .iter_mut()
        .filter(|(n, _)| n.ends_with("self_attention/linear_0/weight"))
        .for_each(|(_, d)| d[0] = 95);
    let mut version = good.clone();
    version[0] = 9;
    let mut kind = good.clone();
    kind[6] = b'X';
    let cases: [(&[u8], &str); 6] = [
        (b"", "could not read"),
        (&version, "version 9"),
        (&kind, "XhisperSpec"),
        (&good[..good.len() / 2], "another size than its shape"),
        (&checkpoint(&whole_numbers), "no decoder/embeddings/weight"),
        (&checkpoint(&uneven), "different sizes"),
    ];
    for (model, why) in cases {
        let error = converted(model, Quantisation::Q8).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn foreign_bytes_never_break_the_conversion_of_speech_models(at in 0_usize..2000, byte: u8, cut in 0_usize..60_000) {
        let mut model = checkpoint(&small());
        model[at] = byte;
        model.truncate(cut.max(1));
        let _ = converted(&model, Quantisation::Q8);
    }
}
