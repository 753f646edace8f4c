//! Creates the client of the server at `llm.url`, by the kind that the configuration names.
//!
//! Any thread; reads the API key's file. Nothing is contacted.

use super::config::LlmConfig;
use super::error::LlmError;
use super::key::api_key;
use super::server::AnyChatServer;

/// Creates the client of the server at `llm.url`.
///
/// # Errors
/// The address or the file with the API key can't be used, or a server outside of the home has no key.
pub(super) fn connect(config: &LlmConfig) -> Result<AnyChatServer, LlmError> {
    let kind = config.backend.kind();
    let key = if kind.takes_key { api_key(&config.key_file, config.purpose)? } else { None };
    if kind.takes_key && key.is_none() && config.is_outside() {
        return Err(LlmError::NoKey { at: config.url.clone() });
    }
    (kind.connect)(&config.url, key)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::config::{LlmUseConfig, LlmUsesConfig, ModelPurpose, UseBackend};
    use crate::{ANTHROPIC, Backend, OPEN_AI};

    #[test]
    fn a_server_outside_of_the_home_is_off_without_a_key_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "sk-chat\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let key_file = file.to_string_lossy().into_owned();
        for kind in [&OPEN_AI, &ANTHROPIC] {
            let url = "https://api.example.com".to_owned();
            let config =
                LlmConfig { backend: Backend::Server(kind), url, outside: true, ..LlmConfig::default() };
            let error = connect(&config).unwrap_err();
            assert_eq!(error, LlmError::NoKey { at: "https://api.example.com".into() });
            let keyed = LlmConfig { key_file: key_file.clone(), ..config.clone() };
            assert!(connect(&keyed).is_ok());
            let goals = LlmUseConfig {
                backend: UseBackend::Other(Backend::Server(kind)),
                url: "https://other.example.com".into(),
                outside: true,
                ..LlmUseConfig::default()
            };
            let uses = LlmUsesConfig { goals, ..LlmUsesConfig::default() };
            let of_goals = LlmConfig { uses, ..keyed }.server_of(ModelPurpose::Goals).unwrap();
            assert!(matches!(connect(&of_goals), Err(LlmError::NoKey { .. })), "the key of another server");
            let at_home = LlmConfig { url: "http://nas:8080".into(), outside: false, ..config };
            assert!(connect(&at_home).is_ok());
        }
    }
}
