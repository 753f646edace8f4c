//! Makes vectors of texts, with a model for that on the server that serves.
//!
//! Any Tokio task. In: texts. Out: one vector each, of length one. Without such a model nothing is sent, and to a server
//! outside of the home only where the memory may leave it. Which model it is is looked up once in a while.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::config::{HomeData, LlmConfig};
use super::embedding_names::is_known;
use super::error::LlmError;
use super::local::LOCAL_EMBED_MODEL;
use super::mind::{ReadyServer, ServedBy};
use super::server::ChatServer;
use super::wire::InstalledModel;

/// Time for which a list of models is used.
const LOOK_EVERY: Duration = Duration::from_secs(300);

/// Capability of a model that makes vectors.
const EMBEDDING: &str = "embedding";
/// Value of `llm.embed_model` for any model that makes vectors.
pub(super) const AUTO: &str = "auto";
/// Most models that are asked about one by one.
const ASKED: usize = 12;

/// Vectors, and the model they are from.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// The model's name. Vectors of different models have nothing to do with one another.
    pub model: String,
    /// One for each text, in order.
    pub vectors: Vec<Vec<f32>>,
}

/// Makes vectors, and remembers which model does.
#[derive(Debug, Default)]
pub(super) struct Embedder {
    /// When the server at this address was looked at, and what it has.
    seen: Mutex<Option<(Instant, String, Option<String>)>>,
}

impl Embedder {
    /// Returns vectors of `texts`.
    pub(super) async fn embed(
        &self,
        ready: &ReadyServer,
        config: &LlmConfig,
        texts: &[String],
    ) -> Result<Embedded, LlmError> {
        let wanted = config.embed_model.trim();
        if wanted.is_empty() {
            return Err(LlmError::no_vectors("llm.embed_model is empty", "name a model or write \"auto\""));
        }
        let ReadyServer { client, by, .. } = ready;
        if *by != ServedBy::Local && config.withholds(HomeData::Memory) {
            return Err(LlmError::no_vectors(
                "what is remembered is not sent to a server outside of the home",
                "write \"memory\" into llm.outside_may to allow it",
            ));
        }
        let model = self.model(&**client, *by, wanted).await?.ok_or_else(|| missing(wanted, *by))?;
        made_by(&**client, &model, config, texts).await.map_err(|error| match error {
            LlmError::Server { status: 400..=499 | 501, text } if text.contains("does not support") => {
                LlmError::no_vectors(format!("{model} can't"), "choose another llm.embed_model")
            }
            LlmError::ModelMissing { model } | LlmError::ModelUnknown { model, .. } => missing(&model, *by),
            error => error,
        })
    }

    /// Returns the installed model that `wanted` means.
    async fn model(
        &self,
        client: &dyn ChatServer,
        by: ServedBy,
        wanted: &str,
    ) -> Result<Option<String>, LlmError> {
        let mut seen = self.seen.lock().await;
        if let Some((at, address, model)) = &*seen
            && at.elapsed() < LOOK_EVERY
            && address == client.address()
        {
            return Ok(model.clone());
        }
        let installed = client.models().await?;
        let mut model = pick(wanted, by, &installed);
        if model.is_none() && wanted == AUTO && shows_capabilities(by) {
            // Not every server lists capabilities; `show` returns those of each model.
            for name in unlisted(&installed).take(ASKED) {
                if can_embed(client, name).await? {
                    model = Some(name.to_owned());
                    break;
                }
            }
        }
        *seen = Some((Instant::now(), client.address().to_owned(), model.clone()));
        Ok(model)
    }
}

/// Returns vectors of `texts`, made by `model` on the server of `client`.
pub(super) async fn made_by(
    client: &dyn ChatServer,
    model: &str,
    config: &LlmConfig,
    texts: &[String],
) -> Result<Embedded, LlmError> {
    let vectors = client.embed(model, texts, &config.options(), config.keep_alive).await?;
    if vectors.len() != texts.len() || vectors.iter().any(Vec::is_empty) {
        return Err(LlmError::Garbage("its vectors are not one for each text".to_owned()));
    }
    Ok(Embedded { model: model.to_owned(), vectors })
}

/// Returns whether the server reports that the model makes vectors. A model that can't be shown makes none.
async fn can_embed(client: &dyn ChatServer, name: &str) -> Result<bool, LlmError> {
    match client.show(name).await {
        Ok(page) => Ok(page.can(EMBEDDING) == Some(true)),
        Err(LlmError::Server { .. } | LlmError::ModelMissing { .. } | LlmError::Garbage(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

fn missing(wanted: &str, by: ServedBy) -> LlmError {
    match (by, wanted) {
        (ServedBy::Server(kind), AUTO) => (kind.no_vectors)(None),
        (ServedBy::Server(kind), name) => (kind.no_vectors)(Some(name)),
        (ServedBy::Local, AUTO) => LlmError::no_vectors(
            "the embedded model for it is missing",
            format!("`joi models fetch {LOCAL_EMBED_MODEL}` brings it, then restart joi"),
        ),
        (ServedBy::Local, name) => LlmError::no_vectors(
            format!("{name} is on Ollama only, and the embedded server serves"),
            "start Ollama, or write llm.embed_model = \"auto\"",
        ),
    }
}

/// Returns whether the server says of each model what it can do.
fn shows_capabilities(by: ServedBy) -> bool {
    match by {
        ServedBy::Server(kind) => kind.shows_capabilities,
        ServedBy::Local => true,
    }
}

/// Returns whether a model of that name makes vectors, where the list does not say.
fn makes_vectors(by: ServedBy, name: &str) -> bool {
    match by {
        ServedBy::Server(kind) => (kind.makes_vectors)(name),
        ServedBy::Local => is_known(name),
    }
}

/// Returns the installed model that `wanted` means, as far as the list shows it.
fn pick(wanted: &str, by: ServedBy, installed: &[InstalledModel]) -> Option<String> {
    let mut here = installed.iter().filter(|model| model.remote_host.is_none());
    if wanted != AUTO {
        let latest = format!("{wanted}:latest");
        return here
            .find(|model| model.name == wanted || model.name == latest)
            .map(|model| model.name.clone());
    }
    let can = |model: &&InstalledModel| match &model.capabilities {
        Some(all) => all.iter().any(|can| can == EMBEDDING),
        None => makes_vectors(by, &model.name),
    };
    here.find(can).map(|model| model.name.clone())
}

/// Returns the installed models that are listed without capabilities.
fn unlisted(installed: &[InstalledModel]) -> impl Iterator<Item = &str> {
    let is_unlisted = |model: &&InstalledModel| model.remote_host.is_none() && model.capabilities.is_none();
    installed.iter().filter(is_unlisted).map(|model| model.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OLLAMA;

    fn installed(name: &str, can: Option<&[&str]>) -> InstalledModel {
        let capabilities = can.map(|all| all.iter().map(|can| (*can).to_owned()).collect());
        InstalledModel { name: name.into(), size: 1, capabilities, remote_host: None }
    }

    #[test]
    fn the_model_for_vectors_is_the_one_that_can_make_them() {
        let here = [
            installed("qwen3:1.7b", Some(&["completion", "tools"])),
            installed("bge-m3:latest", Some(&["embedding"])),
            installed("nomic-embed-text:latest", None),
        ];
        assert_eq!(pick("auto", ServedBy::Server(&OLLAMA), &here).as_deref(), Some("bge-m3:latest"));
        assert_eq!(
            pick("auto", ServedBy::Server(&OLLAMA), &here[2..]).as_deref(),
            Some("nomic-embed-text:latest")
        );
        assert_eq!(
            pick("nomic-embed-text", ServedBy::Server(&OLLAMA), &here).as_deref(),
            Some("nomic-embed-text:latest")
        );
        assert_eq!(pick("auto", ServedBy::Server(&OLLAMA), &here[..1]), None);
        assert_eq!(pick("all-minilm", ServedBy::Server(&OLLAMA), &here), None);
        assert_eq!(unlisted(&here).collect::<Vec<_>>(), ["nomic-embed-text:latest"]);
        let cloud = InstalledModel { remote_host: Some("far".into()), ..here[1].clone() };
        assert_eq!(pick("auto", ServedBy::Server(&OLLAMA), &[cloud]), None, "nothing leaves the house");
    }
}
