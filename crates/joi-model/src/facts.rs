//! Metadata of a model: for `/api/tags`, `/api/show` and `/api/ps`.
//!
//! Read once, on the model's thread, when the model is loaded; plain data afterwards, any thread.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::engine::calls::OPEN;
use crate::llama::Model;

/// How much of the file goes into its digest: header and metadata identify a model, and reading the whole
/// file would take a Raspberry Pi many seconds at each start.
const DIGESTED: u64 = 1 << 20;

/// The model's card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelFacts {
    /// Size of the file in bytes.
    pub size: u64,
    /// Hexadecimal SHA-256 over the file's size and first MiB. (Ollama's digest is one of its own
    /// manifest, so no client can expect the file's.)
    pub digest: String,
    /// When the file was written.
    pub modified_at: jiff::Timestamp,
    /// Architecture, for example "qwen2".
    pub family: String,
    /// Number of weights.
    pub parameters: u64,
    /// For example `Q4_K_M`.
    pub quantization: String,
    /// The longest context it was trained for, in tokens.
    pub trained_context: u32,
    /// Length of an embedding.
    pub embedding_length: u32,
    /// Whether it makes embeddings instead of text.
    pub pools: bool,
    /// The chat template of the file; may be empty.
    pub template: String,
    /// The licence named in the file; may be empty.
    pub license: String,
    /// The file's metadata without its arrays.
    pub info: Map<String, Value>,
}

impl ModelFacts {
    /// Collects them from the file and the loaded model.
    pub(crate) fn read(path: &Path, model: &Model) -> anyhow::Result<Self> {
        let shown = path.display();
        let file = File::open(path).with_context(|| format!("{shown} can't be read"))?;
        let about = file.metadata().with_context(|| format!("{shown} can't be examined"))?;
        let mut head = Vec::new();
        file.take(DIGESTED).read_to_end(&mut head).with_context(|| format!("{shown} can't be read"))?;
        let digest = Sha256::new().chain_update(about.len().to_le_bytes()).chain_update(&head).finalize();
        let metadata = model.metadata();
        let text = |key: &str| metadata.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v).to_owned();
        let mut info: Map<String, Value> =
            metadata.iter().filter(|(k, _)| k != "tokenizer.chat_template").map(typed).collect();
        info.insert("general.parameter_count".to_owned(), json!(model.parameters()));
        Ok(Self {
            size: about.len(),
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            modified_at: about.modified().ok().and_then(|t| t.try_into().ok()).unwrap_or_default(),
            family: text("general.architecture"),
            parameters: model.parameters(),
            quantization: quantization(text("general.file_type").parse().ok()),
            trained_context: model.trained_context(),
            embedding_length: model.embedding_length(),
            pools: model.pools(),
            template: model.chat_template().unwrap_or_default(),
            license: text("general.license"),
            info,
        })
    }

    /// Whether the model's template supports tools, in a call format that is understood.
    pub(crate) fn calls_tools(&self) -> bool {
        self.template.contains("tools") && self.template.contains(OPEN)
    }

    /// The model's capabilities, in Ollama's words.
    pub(crate) fn capabilities(&self) -> Vec<&'static str> {
        match (self.pools, self.calls_tools()) {
            (true, _) => vec!["embedding"],
            (false, true) => vec!["completion", "tools"],
            (false, false) => vec!["completion"],
        }
    }

    /// The `details` object of Ollama's answers.
    pub(crate) fn details(&self) -> Value {
        json!({
            "parent_model": "",
            "format": "gguf",
            "family": self.family,
            "families": [self.family],
            "parameter_size": human(self.parameters),
            "quantization_level": self.quantization,
            "context_length": self.trained_context,
            "embedding_length": self.embedding_length,
        })
    }
}

/// llama.cpp returns metadata as text; numbers and booleans get their type back, names stay text.
fn typed((key, value): &(String, String)) -> (String, Value) {
    const NUMBERS: [&str; 4] =
        ["general.file_type", "general.quantization_version", "general.alignment", "general.parameter_count"];
    let is_name = key.starts_with("general.") && !NUMBERS.contains(&key.as_str());
    let parsed = match serde_json::from_str(value) {
        Ok(Value::Number(n)) if !is_name => Value::Number(n),
        Ok(Value::Bool(b)) if !is_name => Value::Bool(b),
        _ => Value::String(value.clone()),
    };
    (key.clone(), parsed)
}

/// A count as Ollama writes it: three digits and a letter.
fn human(count: u64) -> String {
    let count = count as f64;
    for (unit, letter) in [(1e12, 'T'), (1e9, 'B'), (1e6, 'M'), (1e3, 'K')] {
        if count >= unit {
            let scaled = count / unit;
            return match letter {
                'B' | 'T' => format!("{scaled:.1}{letter}"),
                _ => format!("{scaled:.2}{letter}"),
            };
        }
    }
    count.to_string()
}

/// Name of a GGUF `general.file_type`.
fn quantization(file_type: Option<u32>) -> String {
    let name = match file_type {
        Some(0) => "F32",
        Some(1) => "F16",
        Some(2) => "Q4_0",
        Some(3) => "Q4_1",
        Some(7) => "Q8_0",
        Some(8) => "Q5_0",
        Some(9) => "Q5_1",
        Some(10) => "Q2_K",
        Some(11) => "Q3_K_S",
        Some(12) => "Q3_K_M",
        Some(13) => "Q3_K_L",
        Some(14) => "Q4_K_S",
        Some(15) => "Q4_K_M",
        Some(16) => "Q5_K_S",
        Some(17) => "Q5_K_M",
        Some(18) => "Q6_K",
        Some(25) => "IQ4_NL",
        Some(30) => "IQ4_XS",
        Some(32) => "BF16",
        _ => "unknown",
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_as_ollama_writes_them() {
        let written = [494_032_768, 2_031_739_904, 134_515_008, 999].map(human);
        assert_eq!(written, ["494.03M", "2.0B", "134.52M", "999"]);
    }

    #[test]
    fn metadata_gets_its_types_back() {
        let pair = |k: &str, v: &str| typed(&(k.to_owned(), v.to_owned())).1;
        assert_eq!(pair("qwen2.context_length", "32768"), json!(32768));
        assert_eq!(pair("tokenizer.ggml.add_bos_token", "false"), json!(false));
        assert_eq!(pair("general.version", "2.5"), json!("2.5"));
        assert_eq!(pair("general.file_type", "15"), json!(15));
        assert_eq!(pair("general.architecture", "qwen2"), json!("qwen2"));
    }
}
