//! Servers with the Messages API of Anthropic among the kinds of servers, and which of their models is taken.
//!
//! In: `llm.model`, the list of the server. Out: a model's name, or why there is none. "auto" takes none: each model has a
//! price of its own. Pure: no I/O, no clock.

use std::sync::Arc;

use super::Anthropic;
use crate::error::LlmError;
use crate::kinds::openai::offers;
use crate::server::ServerKind;
use crate::wire::InstalledModel;

/// A server with the Messages API of Anthropic.
pub static ANTHROPIC: ServerKind = ServerKind {
    name: "anthropic",
    remedy: "correct llm.url, llm.model and llm.key_file",
    takes_key: true,
    connect: |url, key| Ok(Arc::new(Anthropic::new(url, key)?)),
    chat_model,
    makes_vectors: |_| false,
    shows_capabilities: false,
    no_vectors: |_| {
        LlmError::no_vectors("this model server makes none", "write \"auto\" into llm.embed_model")
    },
};

/// Returns the listed model that `wanted` means: the one of that name, or of which it is the name without a date.
fn chat_model(wanted: &str, listed: &[InstalledModel]) -> Result<String, LlmError> {
    let family = wanted.strip_suffix("-latest").unwrap_or(wanted);
    let is_meant = |model: &&InstalledModel| {
        let rest = model.name.strip_prefix(family);
        rest.is_some_and(|rest| rest.is_empty() || is_date(rest))
    };
    match listed.iter().find(is_meant) {
        Some(_) => Ok(wanted.to_owned()),
        None if listed.is_empty() && wanted != "auto" => Ok(wanted.to_owned()),
        None => Err(LlmError::ModelUnknown { model: wanted.to_owned(), offers: offers(listed) }),
    }
}

/// Returns whether `rest` is the date behind a model's name: `-20250929`.
fn is_date(rest: &str) -> bool {
    let digits = rest.strip_prefix('-').unwrap_or_default();
    digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_to_be_named_and_may_leave_out_its_date() {
        let model = |name: &str| InstalledModel {
            name: name.to_owned(),
            size: 0,
            capabilities: None,
            remote_host: None,
        };
        let here = [model("claude-large-5"), model("claude-small-4-5-20250929")];
        for name in
            ["claude-large-5", "claude-small-4-5", "claude-small-4-5-20250929", "claude-large-5-latest"]
        {
            assert_eq!(chat_model(name, &here), Ok(name.to_owned()));
        }
        let error = chat_model("auto", &here).unwrap_err().to_string();
        assert_eq!(
            error,
            "the model server has no model auto: it offers claude-large-5, claude-small-4-5-20250929; change llm.model"
        );
        assert!(chat_model("claude-small", &here).is_err(), "a family is no model");
        assert_eq!(chat_model("claude-x", &[]), Ok("claude-x".to_owned()));
        assert!(chat_model("auto", &[]).is_err());
    }
}
