//! Decides which server answers, and with which of its models.
//!
//! In: the configuration and the list of models at `llm.url`. Out: the server that is to serve; `choose/local.rs`
//! chooses among the embedded models. A model that runs elsewhere than at the configured address is never chosen.
//! Pure: no I/O, no clock.

mod local;

pub(crate) use local::LEAST_SPEED;
pub use local::{BetterModel, LocalChoice, LocalWish, PassedOver, choose_local};

use super::config::{Backend, LlmConfig, ThinkRule};
use super::error::LlmError;
use super::server::ServerKind;
use super::wire::{InstalledModel, Think};

/// Returns how long a model thinks: by the first rule that fits its name, with its publisher or without; else not at all.
pub(super) fn think_of(rules: &[ThinkRule], model: &str) -> Think {
    let full = model.to_ascii_lowercase();
    let name = full.rsplit('/').next().unwrap_or(&full);
    let fits = |rule: &&ThinkRule| {
        let wanted = rule.model.trim().to_ascii_lowercase();
        match wanted.strip_suffix('*') {
            Some(start) => name.starts_with(start) || full.starts_with(start),
            None => {
                [name, &full].iter().any(|is| *is == wanted || is.strip_suffix(":latest") == Some(&wanted))
            }
        }
    };
    rules.iter().find(fits).map_or(Think::Off, |rule| rule.think)
}

/// The server that is to serve, with a note for the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WantedServer {
    /// The server at `llm.url` with this model.
    AtUrl {
        /// Its kind.
        kind: &'static ServerKind,
        /// Its name as the server lists it.
        model: String,
    },
    /// The embedded server.
    Local {
        /// How to get Ollama to serve, when it could.
        note: Option<String>,
    },
    /// Nobody can.
    Nobody(LlmError),
}

/// Decides which server is to serve. `seen` lists the models at `llm.url`, or says why it gave no answer.
pub(super) fn wanted(config: &LlmConfig, seen: Result<&[InstalledModel], &LlmError>) -> WantedServer {
    let kind = config.backend.kind();
    let chosen = match (config.backend, seen) {
        (Backend::Local, _) | (Backend::Auto, Err(_)) => return WantedServer::Local { note: None },
        (Backend::Auto | Backend::Server(_), seen) => {
            seen.map_err(Clone::clone).and_then(|listed| (kind.chat_model)(config.model.trim(), listed))
        }
    };
    match (config.backend, chosen) {
        (_, Ok(model)) => WantedServer::AtUrl { kind, model },
        (Backend::Auto, Err(LlmError::ModelMissing { model })) => WantedServer::Local {
            note: Some(format!(
                "Ollama is running but lacks the model: `ollama pull {model}` lets it serve."
            )),
        },
        (_, Err(error)) => WantedServer::Nobody(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OLLAMA;

    #[test]
    fn a_model_thinks_as_its_family_does_and_the_first_rule_counts() {
        let rule = |model: &str, think| ThinkRule { model: model.into(), think };
        let rules = [
            rule("qwen3:4b", Think::On),
            rule("Qwen3*", Think::Off),
            rule("gpt-oss*", Think::Low),
            rule("acme/*", Think::High),
            rule("magistral", Think::Medium),
        ];
        for (name, think) in [
            ("qwen3:4b", Think::On),
            ("qwen3:4b-q8_0", Think::Off),
            ("hf.co/unsloth/Qwen3-1.7B-GGUF:Q4_K_M", Think::Off),
            ("gpt-oss:20b", Think::Low),
            ("acme/talker:7b", Think::High),
            ("magistral:latest", Think::Medium),
            ("magistral:24b", Think::Off),
            ("llama3.2:3b", Think::Off),
        ] {
            assert_eq!(think_of(&rules, name), think, "{name}");
        }
        let shipped = LlmConfig::default().think;
        assert_eq!(think_of(&shipped, "qwen3:1.7b"), Think::Off);
        assert_eq!(think_of(&shipped, "gpt-oss:20b"), Think::Low);
    }

    fn model(name: &str) -> InstalledModel {
        InstalledModel { name: name.into(), size: 1, capabilities: None, remote_host: None }
    }

    fn config(backend: Backend, model: &str) -> LlmConfig {
        LlmConfig { backend, model: model.into(), ..LlmConfig::default() }
    }

    #[test]
    fn auto_takes_the_best_of_the_list_that_is_installed_here_and_can_talk() {
        let mut elsewhere = model("qwen3:1.7b");
        elsewhere.remote_host = Some("https://example.org".into());
        let mut embeds = model("qwen2.5:1.5b");
        embeds.capabilities = Some(vec!["embedding".into()]);
        let installed = [model("mistral:7b"), model("gemma3:1b"), elsewhere, embeds, model("qwen3:4b-q8_0")];
        assert_eq!(
            wanted(&config(Backend::Auto, "auto"), Ok(&installed)),
            WantedServer::AtUrl { kind: &OLLAMA, model: "qwen3:4b-q8_0".into() }
        );
    }

    #[test]
    fn a_named_model_may_leave_out_latest() {
        let installed = [model("mistral:latest")];
        for backend in [Backend::Auto, Backend::Server(&OLLAMA)] {
            assert_eq!(
                wanted(&config(backend, "mistral"), Ok(&installed)),
                WantedServer::AtUrl { kind: &OLLAMA, model: "mistral:latest".into() }
            );
        }
    }

    #[test]
    fn what_ollama_lacks_is_served_locally_with_the_command_that_would_change_it() {
        let note = |name: &str| {
            Some(format!("Ollama is running but lacks the model: `ollama pull {name}` lets it serve."))
        };
        assert_eq!(
            wanted(&config(Backend::Auto, "phi4"), Ok(&[])),
            WantedServer::Local { note: note("phi4") }
        );
        assert_eq!(
            wanted(&config(Backend::Auto, "auto"), Ok(&[])),
            WantedServer::Local { note: note("qwen3:1.7b") }
        );
        assert_eq!(
            wanted(&config(Backend::Server(&OLLAMA), "phi4"), Ok(&[])),
            WantedServer::Nobody(LlmError::ModelMissing { model: "phi4".into() })
        );
    }

    #[test]
    fn without_ollama_our_own_serves_unless_that_is_ruled_out() {
        let gone = LlmError::Unreachable { at: "a".into(), why: "w".into() };
        assert_eq!(wanted(&config(Backend::Auto, "auto"), Err(&gone)), WantedServer::Local { note: None });
        assert_eq!(wanted(&config(Backend::Server(&OLLAMA), "auto"), Err(&gone)), WantedServer::Nobody(gone));
        assert_eq!(wanted(&config(Backend::Local, "auto"), Ok(&[])), WantedServer::Local { note: None });
    }
}
