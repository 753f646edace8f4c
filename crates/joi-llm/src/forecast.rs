//! Which model would answer, asked without starting anything: for `joi models` where no program runs.
//!
//! Any Tokio task; blocks for a moment while the heads of model files are read. In: the configuration, the models. Out:
//! the name of the model and who serves it. Whether it can really be run shows when it is.

use super::choose::{LocalWish, WantedServer, choose_local, wanted};
use super::config::{Backend, LlmConfig};
use super::connect::connect;
use super::error::LlmError;
use super::local::served_name;
use super::local_models::ModelCandidate;
use super::mind::ServedBy;
use super::wire::InstalledModel;
use joi_base::machine::MemoryRoom;

/// The model that would answer, as its server calls it; nothing where none can.
pub async fn forecast(config: &LlmConfig, candidates: &[ModelCandidate]) -> Option<(String, ServedBy)> {
    let seen = match config.backend {
        Backend::Local => Ok(Vec::new()),
        Backend::Auto | Backend::Server(_) => installed(config).await,
    };
    match wanted(config, seen.as_ref().map(Vec::as_slice)) {
        WantedServer::AtUrl { kind, model } => Some((model, ServedBy::Server(kind))),
        WantedServer::Local { .. } => {
            let wish = LocalWish { wanted: config.local.trim(), room: MemoryRoom::now(), running: None };
            let chosen = choose_local(candidates, &wish).chosen?;
            Some((served_name(&candidates[chosen].gguf), ServedBy::Local))
        }
        WantedServer::Nobody(_) => None,
    }
}

async fn installed(config: &LlmConfig) -> Result<Vec<InstalledModel>, LlmError> {
    connect(config)?.models().await
}
