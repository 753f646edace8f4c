//! OpenAI-compatible servers among the kinds of servers, and which of their models are taken.
//!
//! In: `llm.model`, `llm.embed_model`, the list of the server. Out: a model's name, or why there is none. A list that is
//! empty says nothing: a model that is named is then asked for all the same. Pure: no I/O, no clock.

use std::sync::Arc;

use super::OpenAi;
use crate::embedding_names::{is_embedding, may_talk};
use crate::error::LlmError;
use crate::server::ServerKind;
use crate::wire::InstalledModel;

/// Any OpenAI-compatible server.
pub static OPEN_AI: ServerKind = ServerKind {
    name: "openai",
    remedy: "start that server, or correct llm.url, llm.model and llm.key_file",
    takes_key: true,
    connect: |url, key| Ok(Arc::new(OpenAi::new(url, key)?)),
    chat_model,
    makes_vectors: is_embedding,
    shows_capabilities: false,
    no_vectors,
};

/// Most names that an error lists.
const NAMED: usize = 5;

/// Returns the listed model that `wanted` means: the one of that name, or with "auto" the first that may be a chat model.
fn chat_model(wanted: &str, listed: &[InstalledModel]) -> Result<String, LlmError> {
    let mut names = listed.iter().map(|model| model.name.as_str());
    let found = match wanted {
        "auto" => names.find(|name| may_talk(name)),
        _ if listed.is_empty() => Some(wanted),
        _ => names.find(|name| *name == wanted),
    };
    found
        .map(str::to_owned)
        .ok_or_else(|| LlmError::ModelUnknown { model: wanted.to_owned(), offers: offers(listed) })
}

fn no_vectors(wanted: Option<&str>) -> LlmError {
    match wanted {
        None => LlmError::no_vectors(
            "the model server lists no embedding model",
            "name one of its models in llm.embed_model",
        ),
        Some(name) => LlmError::no_vectors(
            format!("the model server lacks {name}"),
            "change llm.embed_model, or write \"auto\"",
        ),
    }
}

/// Returns the names of `listed` as a clause of an error.
pub(in crate::kinds) fn offers(listed: &[InstalledModel]) -> String {
    if listed.is_empty() {
        return "it lists none".to_owned();
    }
    let named: Vec<&str> = listed.iter().map(|model| model.name.as_str()).take(NAMED).collect();
    let more =
        if listed.len() > NAMED { format!(" and {} more", listed.len() - NAMED) } else { String::new() };
    format!("it offers {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(names: &[&str]) -> Vec<InstalledModel> {
        let model = |name: &&str| InstalledModel {
            name: (*name).to_owned(),
            size: 0,
            capabilities: None,
            remote_host: None,
        };
        names.iter().map(model).collect()
    }

    #[test]
    fn auto_takes_the_first_that_may_talk_and_a_name_must_be_listed() {
        let here = listed(&["text-embedding-nomic-embed-text-v1.5", "whisper-1", "qwen3-4b", "gpt-oss-20b"]);
        assert_eq!(chat_model("auto", &here), Ok("qwen3-4b".to_owned()));
        assert_eq!(chat_model("gpt-oss-20b", &here), Ok("gpt-oss-20b".to_owned()));
        assert_eq!(chat_model("mine", &[]), Ok("mine".to_owned()));
        let error = chat_model("gpt-9", &here).unwrap_err().to_string();
        assert_eq!(
            error,
            "the model server has no model gpt-9: it offers text-embedding-nomic-embed-text-v1.5, whisper-1, qwen3-4b, \
             gpt-oss-20b; change llm.model"
        );
        assert!(chat_model("auto", &here[..2]).is_err() && chat_model("auto", &[]).is_err());
        let many = listed(&["a", "b", "c", "d", "e", "f", "g"]);
        assert!(chat_model("x", &many).unwrap_err().to_string().contains("e and 2 more"));
    }
}
