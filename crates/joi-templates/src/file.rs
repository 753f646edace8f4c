//! The file of a language as the intents project publishes it. Comes in: JSON. Goes out: its parts, templates still text.
//! Refuses: what is not JSON of this form. Unknown keys are passed over. Pure: no I/O, no clock.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// Everything of a language.
#[derive(Debug, Deserialize)]
pub(crate) struct TemplateFile {
    pub(crate) language: String,
    #[serde(default)]
    pub(crate) settings: FileSettings,
    #[serde(default)]
    pub(crate) intents: BTreeMap<String, FileIntent>,
    #[serde(default)]
    pub(crate) lists: BTreeMap<String, FileList>,
    #[serde(default)]
    pub(crate) expansion_rules: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) skip_words: Vec<String>,
    #[serde(default)]
    pub(crate) responses: FileResponses,
}

#[derive(Debug, Deserialize, Default)]
pub(crate) struct FileSettings {
    /// The language is written without spaces.
    #[serde(default)]
    pub(crate) ignore_whitespace: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FileIntent {
    #[serde(default)]
    pub(crate) data: Vec<FileBlock>,
}

/// Templates that share slots and conditions.
#[derive(Debug, Deserialize)]
pub(crate) struct FileBlock {
    pub(crate) sentences: Vec<String>,
    #[serde(default)]
    pub(crate) slots: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) response: Option<String>,
    #[serde(default)]
    pub(crate) requires_context: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) excludes_context: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) expansion_rules: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) lists: BTreeMap<String, FileList>,
    #[serde(default)]
    pub(crate) required_keywords: Vec<String>,
    #[serde(default)]
    pub(crate) metadata: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FileList {
    #[serde(default)]
    pub(crate) values: Option<Vec<FileValue>>,
    #[serde(default)]
    pub(crate) range: Option<FileRange>,
    #[serde(default)]
    pub(crate) wildcard: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum FileValue {
    Plain(String),
    Full {
        r#in: String,
        #[serde(default)]
        out: Option<Value>,
        #[serde(default)]
        context: BTreeMap<String, Value>,
        #[serde(default)]
        metadata: Option<Value>,
    },
}

#[derive(Debug, Deserialize)]
pub(crate) struct FileRange {
    pub(crate) from: i64,
    pub(crate) to: i64,
    #[serde(default = "one")]
    pub(crate) step: i64,
    #[serde(default)]
    pub(crate) multiplier: Option<f64>,
    #[serde(default)]
    pub(crate) fractions: Option<FileFractions>,
    #[serde(default = "yes")]
    pub(crate) digits: bool,
    #[serde(default = "yes")]
    pub(crate) words: bool,
    #[serde(default)]
    pub(crate) words_language: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FileFractions {
    Halves,
    Tenths,
}

#[derive(Debug, Deserialize, Default)]
pub(crate) struct FileResponses {
    #[serde(default)]
    pub(crate) errors: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) intents: BTreeMap<String, BTreeMap<String, String>>,
}

const fn one() -> i64 {
    1
}

const fn yes() -> bool {
    true
}
