//! Ollama among the kinds of servers, and which of its models are taken.
//!
//! In: `llm.model`, `llm.embed_model`, the list of the server. Out: a model's name, or why there is none. A model that runs
//! elsewhere than at the configured address is never chosen. Pure: no I/O, no clock.

use std::sync::Arc;

use super::Ollama;
use crate::embedding_names::is_known;
use crate::error::LlmError;
use crate::http::Endpoint;
use crate::server::ServerKind;
use crate::wire::InstalledModel;

/// An Ollama that was running already.
pub static OLLAMA: ServerKind = ServerKind {
    name: "ollama",
    remedy: "start Ollama, or run `joi models fetch`",
    takes_key: false,
    connect: |url, _| Ok(Arc::new(Ollama::new(&Endpoint::Http { url: url.to_owned() }, None)?)),
    chat_model,
    makes_vectors: is_known,
    shows_capabilities: true,
    no_vectors,
};

/// What `llm.model = "auto"` picks from, best first: models that call tools, answer well in a few
/// sentences and keep up with speech on a small computer.
pub const PREFERRED: [&str; 12] = [
    "qwen3:1.7b",
    "qwen2.5:1.5b",
    "llama3.2:3b",
    "qwen2.5:3b",
    "qwen3:4b",
    "granite4:3b",
    "gemma3:1b",
    "gemma3:4b",
    "llama3.2:1b",
    "qwen3:0.6b",
    "qwen2.5:0.5b",
    "qwen2.5-coder:0.5b",
];

fn chat_model(wanted: &str, listed: &[InstalledModel]) -> Result<String, LlmError> {
    pick(wanted, listed).map(str::to_owned).ok_or_else(|| {
        let model = if wanted == "auto" { PREFERRED[0] } else { wanted };
        LlmError::ModelMissing { model: model.to_owned() }
    })
}

fn no_vectors(wanted: Option<&str>) -> LlmError {
    match wanted {
        None => {
            LlmError::no_vectors("Ollama has no embedding model", "`ollama pull nomic-embed-text` brings one")
        }
        Some(name) => LlmError::no_vectors(
            format!("Ollama lacks {name}"),
            format!("run `ollama pull {name}` or change llm.embed_model"),
        ),
    }
}

/// Returns the installed model that `model` means.
fn pick<'a>(model: &str, installed: &'a [InstalledModel]) -> Option<&'a str> {
    let mut here = installed.iter().filter(|m| m.remote_host.is_none() && talks(m)).map(|m| m.name.as_str());
    if model != "auto" {
        let latest = format!("{model}:latest");
        return here.find(|name| *name == model || *name == latest);
    }
    let here: Vec<&str> = here.collect();
    PREFERRED.iter().find_map(|best| here.iter().copied().find(|name| is_build_of(name, best)))
}

fn talks(model: &InstalledModel) -> bool {
    model.capabilities.as_ref().is_none_or(|all| all.iter().any(|c| c == "completion"))
}

/// Returns whether `name` is `best` or one of its builds (`qwen3:1.7b-q8_0`).
fn is_build_of(name: &str, best: &str) -> bool {
    name.strip_prefix(best).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
