//! Distinguishes models for embeddings from chat models by their names, for servers that list no capabilities.
//!
//! In: a model's name as its server lists it. Pure: no I/O, no clock.

/// Names of models for embeddings.
const KNOWN: [&str; 9] = [
    "nomic-embed-text",
    "embeddinggemma",
    "all-minilm",
    "mxbai-embed-large",
    "bge-m3",
    "snowflake-arctic-embed",
    "qwen3-embedding",
    "granite-embedding",
    "paraphrase-multilingual",
];
/// Parts of names of models that neither talk nor make embeddings.
const OTHER_KINDS: [&str; 10] = [
    "whisper",
    "tts",
    "rerank",
    "moderation",
    "dall-e",
    "image",
    "realtime",
    "transcribe",
    "stable-diffusion",
    "sora",
];

/// Returns whether `name` begins as that of a known model for embeddings does.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|known| name.starts_with(known))
}

/// Returns whether `name`, with a publisher or a path before it, is that of a model for embeddings.
pub(super) fn is_embedding(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("embed") || KNOWN.iter().any(|known| name.contains(known))
}

/// Returns whether `name` may be that of a chat model.
pub(super) fn may_talk(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    !is_embedding(&lower) && !OTHER_KINDS.iter().any(|kind| lower.contains(kind))
}
