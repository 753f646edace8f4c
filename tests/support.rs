//! What several stories need.

use std::path::PathBuf;

use joi::llm::LocalModel;

pub(crate) mod fake_joi_model;
pub(crate) mod ollama_double;
pub(crate) mod program;
pub(crate) mod sound_server;
pub(crate) mod speech;

/// The program that `cargo build` put beside the tests, and the models that `joi models fetch` brought.
pub(crate) fn local_model(fake: &fake_joi_model::Fake) -> LocalModel {
    let tests = std::env::current_exe().unwrap();
    let binary = tests.parent().unwrap().with_file_name("joi-model");
    assert!(binary.is_file(), "{} is missing: run cargo build --release --workspace", binary.display());
    let models = std::env::var_os("JOI_MODELS").map(PathBuf::from).unwrap_or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        cache
            .unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"))
            .join("joi/models")
    });
    let gguf = models.join("chat-qwen2.5-coder-0.5b/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    assert!(gguf.is_file(), "{} is missing: run joi models fetch chat-qwen2.5-coder-0.5b", gguf.display());
    let embed_gguf = models.join("embed-all-minilm-l6-v2/all-minilm-l6-v2-q8_0.gguf");
    assert!(
        embed_gguf.is_file(),
        "{} is missing: run joi models fetch embed-all-minilm-l6-v2",
        embed_gguf.display()
    );
    LocalModel { binary, gguf, embed_gguf, ..fake.local() }
}
