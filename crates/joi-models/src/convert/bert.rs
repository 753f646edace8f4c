//! Converts a BERT sentence embedding model (safetensors, WordPiece, mean pooling) to the GGUF file that
//! llama.cpp loads, with the names and metadata of llama.cpp's own converter.
//!
//! In: `model.safetensors`, the text of `vocab.txt` and of `config.json`. Out: a GGUF file.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Deserialize;

use super::error::ConvertError;
use super::ggml::{self, TensorEncoding};
use super::gguf::{self, MetadataValue, TensorInfo};
use super::safetensors::{SafeTensor, SafetensorsFile, input};
use crate::manifest::Quantisation;

/// llama.cpp's number for mean pooling.
const MEAN: u32 = 1;
/// llama.cpp's token types: normal, unknown, control.
const NORMAL: i32 = 1;
const UNKNOWN: i32 = 2;
const CONTROL: i32 = 3;

/// The used part of `config.json`.
#[derive(Debug, Deserialize)]
struct BertConfig {
    hidden_size: u32,
    intermediate_size: u32,
    num_hidden_layers: u32,
    num_attention_heads: u32,
    max_position_embeddings: u32,
    type_vocab_size: u32,
    layer_norm_eps: f32,
}

/// One tensor to be converted.
struct TensorPlan {
    from: SafeTensor,
    to: TensorInfo,
}

pub(super) fn convert(
    model: &Path,
    (vocabulary, config): (&str, &str),
    to: Quantisation,
    out: &Path,
) -> Result<(), ConvertError> {
    let config: BertConfig = serde_json::from_str(config)
        .map_err(|e| input(format!("its configuration says too little ({e})")))?;
    let mut weights = SafetensorsFile::open(model)?;
    let passages = passages(&weights, config.num_hidden_layers, to)?;
    let tokens: Vec<&str> = vocabulary.lines().collect();
    let words = passages.first().and_then(|passage| passage.from.dims.first());
    if words != Some(&(tokens.len() as u64)) {
        let counted = words.copied().unwrap_or_default();
        return Err(input(format!("{} tokens are named and {counted} have weights", tokens.len())));
    }
    let listed: Vec<TensorInfo> = passages.iter().map(|passage| passage.to.clone()).collect();
    let mut out = BufWriter::new(File::create(out)?);
    out.write_all(&gguf::head(&facts(&config, &tokens, to)?, &listed)?)?;
    for TensorPlan { from, to } in &passages {
        weights.each(from, |values| ggml::values(&mut out, values, to.form))?;
        out.write_all(&vec![0; to.padding()])?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

/// Every tensor that llama.cpp needs, under both names; the word embeddings come first.
fn passages(
    weights: &SafetensorsFile,
    layers: u32,
    to: Quantisation,
) -> Result<Vec<TensorPlan>, ConvertError> {
    let matrix = ggml::matrix_form(to);
    let mut all = Vec::new();
    let mut add = |from: String, to: String, form: TensorEncoding| -> Result<(), ConvertError> {
        let from = weights.tensor(&from)?;
        all.push(TensorPlan { to: TensorInfo { name: to, dims: from.dims.clone(), form }, from });
        Ok(())
    };
    add("embeddings.word_embeddings.weight".into(), "token_embd.weight".into(), matrix)?;
    for (from, to) in [("token_type_embeddings", "token_types"), ("position_embeddings", "position_embd")] {
        add(format!("embeddings.{from}.weight"), format!("{to}.weight"), TensorEncoding::F32)?;
    }
    for part in ["weight", "bias"] {
        add(format!("embeddings.LayerNorm.{part}"), format!("token_embd_norm.{part}"), TensorEncoding::F32)?;
    }
    let parts = [
        ("attention.self.query", "attn_q", matrix),
        ("attention.self.key", "attn_k", matrix),
        ("attention.self.value", "attn_v", matrix),
        ("attention.output.dense", "attn_output", matrix),
        ("attention.output.LayerNorm", "attn_output_norm", TensorEncoding::F32),
        ("intermediate.dense", "ffn_up", matrix),
        ("output.dense", "ffn_down", matrix),
        ("output.LayerNorm", "layer_output_norm", TensorEncoding::F32),
    ];
    for layer in 0..layers {
        for (from, to, form) in parts {
            let (from, to) = (format!("encoder.layer.{layer}.{from}"), format!("blk.{layer}.{to}"));
            add(format!("{from}.weight"), format!("{to}.weight"), form)?;
            add(format!("{from}.bias"), format!("{to}.bias"), TensorEncoding::F32)?;
        }
    }
    Ok(all)
}

fn facts(
    config: &BertConfig,
    tokens: &[&str],
    to: Quantisation,
) -> Result<Vec<(&'static str, MetadataValue)>, ConvertError> {
    let place = |token: &str| {
        let at = tokens.iter().position(|here| *here == token);
        let at = at.and_then(|at| u32::try_from(at).ok()).map(MetadataValue::Number);
        at.ok_or_else(|| input(format!("its vocabulary has no {token}")))
    };
    Ok(vec![
        ("general.architecture", MetadataValue::Text("bert".into())),
        ("general.type", MetadataValue::Text("model".into())),
        ("general.file_type", MetadataValue::Number(ggml::file_type(to))),
        ("general.quantization_version", MetadataValue::Number(ggml::QUANTISATION_VERSION)),
        ("bert.block_count", MetadataValue::Number(config.num_hidden_layers)),
        ("bert.context_length", MetadataValue::Number(config.max_position_embeddings)),
        ("bert.embedding_length", MetadataValue::Number(config.hidden_size)),
        ("bert.feed_forward_length", MetadataValue::Number(config.intermediate_size)),
        ("bert.attention.head_count", MetadataValue::Number(config.num_attention_heads)),
        ("bert.attention.layer_norm_epsilon", MetadataValue::Float(config.layer_norm_eps)),
        ("bert.attention.causal", MetadataValue::Truth(false)),
        ("bert.pooling_type", MetadataValue::Number(MEAN)),
        ("tokenizer.ggml.model", MetadataValue::Text("bert".into())),
        ("tokenizer.ggml.pre", MetadataValue::Text("default".into())),
        ("tokenizer.ggml.token_type_count", MetadataValue::Number(config.type_vocab_size)),
        ("tokenizer.ggml.tokens", MetadataValue::Texts(tokens.iter().map(|token| spelt(token)).collect())),
        (
            "tokenizer.ggml.token_type",
            MetadataValue::Numbers(tokens.iter().map(|token| kind(token)).collect()),
        ),
        ("tokenizer.ggml.bos_token_id", place("[CLS]")?),
        ("tokenizer.ggml.unknown_token_id", place("[UNK]")?),
        ("tokenizer.ggml.seperator_token_id", place("[SEP]")?),
        ("tokenizer.ggml.padding_token_id", place("[PAD]")?),
        ("tokenizer.ggml.mask_token_id", place("[MASK]")?),
    ])
}

/// Whether it is a control token.
fn steers(token: &str) -> bool {
    token.starts_with('[') && token.ends_with(']')
}

/// A token as llama.cpp writes it: the start of a word is marked, a continuation is not.
fn spelt(token: &str) -> String {
    match token.strip_prefix("##") {
        _ if steers(token) => token.to_owned(),
        Some(rest) => rest.to_owned(),
        None => format!("\u{2581}{token}"),
    }
}

fn kind(token: &str) -> i32 {
    match token {
        "[UNK]" => UNKNOWN,
        token if steers(token) => CONTROL,
        _ => NORMAL,
    }
}
