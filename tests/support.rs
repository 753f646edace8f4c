//! What several stories need.

use std::path::PathBuf;

use joi_llm::{LocalChatModel, LocalModels};

pub(crate) mod fake_joi_model;
pub(crate) use joi_llm::testing as ollama_double;
pub(crate) mod program;
pub(crate) mod signal_double;
pub(crate) mod sound_server;
pub(crate) mod speech;
pub(crate) mod wyoming_double;

/// The program that `cargo build` put beside the tests, and the models that `joi models fetch` brought.
pub(crate) fn local_model(fake: &fake_joi_model::Fake) -> LocalModels {
    let tests = std::env::current_exe().unwrap();
    let binary = tests.parent().unwrap().with_file_name("joi-model");
    assert!(binary.is_file(), "{} is missing: run cargo build --release --workspace", binary.display());
    let gguf = fetched("chat-qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
    let embed_gguf = fetched("embed-all-minilm-l6-v2", "all-minilm-l6-v2-q8_0.gguf");
    LocalModels { binary, chat: vec![listed("real", gguf)], embed_gguf, ..fake.local() }
}

fn fetched(model: &str, file: &str) -> PathBuf {
    let path = program::models().join(model).join(file);
    assert!(path.is_file(), "{} is missing: run joi models fetch {model}", path.display());
    path
}

/// The chat model `name` in the file `gguf`.
pub(crate) fn listed(name: &str, gguf: PathBuf) -> LocalChatModel {
    LocalChatModel {
        name: name.to_owned(),
        gguf,
        sha256: None,
        bytes: None,
        least_memory: None,
        remedy: format!("run `joi models fetch {name}`"),
    }
}
