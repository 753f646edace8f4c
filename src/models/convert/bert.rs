//! Turns a BERT that makes vectors of sentences (safetensors, WordPiece, mean pooling) into the GGUF file that
//! llama.cpp loads, with the names and facts of llama.cpp's own converter.
//!
//! In: `model.safetensors`, the text of `vocab.txt` and of `config.json`. Out: a GGUF file.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Deserialize;

use super::ConvertError;
use super::ggml::{self, Form};
use super::gguf::{self, Fact, Listed};
use super::safetensors::{Tensor, Weights};
use crate::models::manifest::{Quantisation, Recipe};

/// llama.cpp's number for taking the mean of all tokens.
const MEAN: u32 = 1;
/// llama.cpp's numbers for a token of the text, for the unknown one and for one that steers.
const NORMAL: i32 = 1;
const UNKNOWN: i32 = 2;
const CONTROL: i32 = 3;

/// What is needed of `config.json`.
#[derive(Debug, Deserialize)]
struct Config {
    hidden_size: u32,
    intermediate_size: u32,
    num_hidden_layers: u32,
    num_attention_heads: u32,
    max_position_embeddings: u32,
    type_vocab_size: u32,
    layer_norm_eps: f32,
}

/// One tensor on its way.
struct Passage {
    from: Tensor,
    to: Listed,
}

pub(super) fn convert(
    model: &Path,
    (vocabulary, config): (&str, &str),
    to: Quantisation,
    out: &Path,
) -> Result<(), ConvertError> {
    let config: Config = serde_json::from_str(config)
        .map_err(|e| input(format!("its configuration says too little ({e})")))?;
    let mut weights = Weights::open(model)?;
    let passages = passages(&weights, config.num_hidden_layers, to)?;
    let tokens: Vec<&str> = vocabulary.lines().collect();
    let words = passages.first().and_then(|passage| passage.from.dims.first());
    if words != Some(&(tokens.len() as u64)) {
        let counted = words.copied().unwrap_or_default();
        return Err(input(format!("{} tokens are named and {counted} have weights", tokens.len())));
    }
    let listed: Vec<Listed> = passages.iter().map(|passage| passage.to.clone()).collect();
    let mut out = BufWriter::new(File::create(out)?);
    out.write_all(&gguf::head(&facts(&config, &tokens, to)?, &listed)?)?;
    for Passage { from, to } in &passages {
        weights.each(from, |values| ggml::values(&mut out, values, to.form))?;
        out.write_all(&vec![0; to.padding()])?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

/// Every tensor that llama.cpp wants, under both names; the words come first.
fn passages(weights: &Weights, layers: u32, to: Quantisation) -> Result<Vec<Passage>, ConvertError> {
    let matrix = ggml::matrix_form(to);
    let mut all = Vec::new();
    let mut add = |from: String, to: String, form: Form| -> Result<(), ConvertError> {
        let from = weights.tensor(&from)?;
        all.push(Passage { to: Listed { name: to, dims: from.dims.clone(), form }, from });
        Ok(())
    };
    add("embeddings.word_embeddings.weight".into(), "token_embd.weight".into(), matrix)?;
    for (from, to) in [("token_type_embeddings", "token_types"), ("position_embeddings", "position_embd")] {
        add(format!("embeddings.{from}.weight"), format!("{to}.weight"), Form::F32)?;
    }
    for part in ["weight", "bias"] {
        add(format!("embeddings.LayerNorm.{part}"), format!("token_embd_norm.{part}"), Form::F32)?;
    }
    let parts = [
        ("attention.self.query", "attn_q", matrix),
        ("attention.self.key", "attn_k", matrix),
        ("attention.self.value", "attn_v", matrix),
        ("attention.output.dense", "attn_output", matrix),
        ("attention.output.LayerNorm", "attn_output_norm", Form::F32),
        ("intermediate.dense", "ffn_up", matrix),
        ("output.dense", "ffn_down", matrix),
        ("output.LayerNorm", "layer_output_norm", Form::F32),
    ];
    for layer in 0..layers {
        for (from, to, form) in parts {
            let (from, to) = (format!("encoder.layer.{layer}.{from}"), format!("blk.{layer}.{to}"));
            add(format!("{from}.weight"), format!("{to}.weight"), form)?;
            add(format!("{from}.bias"), format!("{to}.bias"), Form::F32)?;
        }
    }
    Ok(all)
}

fn facts(
    config: &Config,
    tokens: &[&str],
    to: Quantisation,
) -> Result<Vec<(&'static str, Fact)>, ConvertError> {
    let place = |token: &str| {
        let at = tokens.iter().position(|here| *here == token);
        let at = at.and_then(|at| u32::try_from(at).ok()).map(Fact::Number);
        at.ok_or_else(|| input(format!("its vocabulary has no {token}")))
    };
    Ok(vec![
        ("general.architecture", Fact::Text("bert".into())),
        ("general.type", Fact::Text("model".into())),
        ("general.file_type", Fact::Number(ggml::file_type(to))),
        ("general.quantization_version", Fact::Number(ggml::QUANTISATION_VERSION)),
        ("bert.block_count", Fact::Number(config.num_hidden_layers)),
        ("bert.context_length", Fact::Number(config.max_position_embeddings)),
        ("bert.embedding_length", Fact::Number(config.hidden_size)),
        ("bert.feed_forward_length", Fact::Number(config.intermediate_size)),
        ("bert.attention.head_count", Fact::Number(config.num_attention_heads)),
        ("bert.attention.layer_norm_epsilon", Fact::Float(config.layer_norm_eps)),
        ("bert.attention.causal", Fact::Truth(false)),
        ("bert.pooling_type", Fact::Number(MEAN)),
        ("tokenizer.ggml.model", Fact::Text("bert".into())),
        ("tokenizer.ggml.pre", Fact::Text("default".into())),
        ("tokenizer.ggml.token_type_count", Fact::Number(config.type_vocab_size)),
        ("tokenizer.ggml.tokens", Fact::Texts(tokens.iter().map(|token| spelt(token)).collect())),
        ("tokenizer.ggml.token_type", Fact::Numbers(tokens.iter().map(|token| kind(token)).collect())),
        ("tokenizer.ggml.bos_token_id", place("[CLS]")?),
        ("tokenizer.ggml.unknown_token_id", place("[UNK]")?),
        ("tokenizer.ggml.seperator_token_id", place("[SEP]")?),
        ("tokenizer.ggml.padding_token_id", place("[PAD]")?),
        ("tokenizer.ggml.mask_token_id", place("[MASK]")?),
    ])
}

/// Whether a token steers rather than stands for text.
fn steers(token: &str) -> bool {
    token.starts_with('[') && token.ends_with(']')
}

/// A token as llama.cpp writes it: what begins a word has a mark in front, what goes on has none.
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

pub(super) fn input(why: impl Into<String>) -> ConvertError {
    ConvertError::Input { recipe: Recipe::Bert, why: why.into() }
}
