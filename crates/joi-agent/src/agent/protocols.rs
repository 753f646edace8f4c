//! Decides whether a model calls tools natively or as text, by its description and by observed failures.
//!
//! Any task. Input: the model that serves, and its refusals. Output: a [`Protocol`]. What was learnt is stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::{ChatModel, ModelState};
use joi_answer::protocol::Protocol;
use joi_llm::{Knowledge, ModelSize};
use joi_store::Store;

/// The setting that remembers models without native tools.
const SETTING: &str = "models without native tools";

/// Which model calls tools how; what was learnt outlives the program.
#[derive(Debug, Clone, Default)]
pub struct Protocols {
    without_native: Arc<Mutex<HashMap<String, ()>>>,
}

impl Protocols {
    /// Loads the protocols from `store`.
    pub async fn recalled(store: Option<&Store>) -> Self {
        let protocols = Self::default();
        let Some(store) = store else { return protocols };
        match store.setting(SETTING).await {
            Ok(known) => {
                let names: Vec<String> =
                    known.and_then(|k| serde_json::from_str(&k).ok()).unwrap_or_default();
                protocols.lock().extend(names.into_iter().map(|name| (name, ())));
            }
            Err(error) => tracing::warn!(%error, "how models call tools is not remembered"),
        }
        protocols
    }

    /// Returns how `model` calls tools: as text when it is small, says that it can't otherwise, or was seen to fail.
    pub fn of(&self, model: &str, size: ModelSize, has_tools: Option<bool>) -> Protocol {
        let is_text = size == ModelSize::Small || has_tools == Some(false) || self.lock().contains_key(model);
        if is_text { Protocol::Text } else { Protocol::Native }
    }

    /// `model` refused native tools.
    pub(crate) async fn learn(&self, model: &str, store: Option<&Store>) {
        let known = {
            let mut known = self.lock();
            known.insert(model.to_owned(), ());
            let mut names: Vec<&String> = known.keys().collect();
            names.sort();
            serde_json::to_string(&names).unwrap_or_default()
        };
        if let Some(store) = store
            && let Err(error) = store.set_setting(SETTING, known).await
        {
            tracing::warn!(%error, "that a model lacks native tools is forgotten at the next start");
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, ()>> {
        self.without_native.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which model answers, how much may be asked of it, and how it calls tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answering {
    /// Its name; empty while none is ready.
    pub(crate) model: String,
    /// Its ability to handle hard wording.
    pub(crate) size: ModelSize,
    /// The reliability of its knowledge.
    pub(crate) knowledge: Knowledge,
    /// The form of its tool calls.
    pub(crate) protocol: Protocol,
}

impl Answering {
    /// Which one would answer now; a model that is still starting is most likely the embedded one.
    pub(crate) fn of<M: ChatModel>(model: &M, protocols: &Protocols) -> Self {
        match model.state() {
            ModelState::Ready(served) => {
                let protocol = protocols.of(&served.model, served.size, served.has_tools);
                Self { model: served.model, size: served.size, knowledge: served.knowledge, protocol }
            }
            ModelState::Starting | ModelState::Down(_) => {
                let (size, knowledge) = (ModelSize::Small, Knowledge::Scant);
                Self { model: String::new(), size, knowledge, protocol: Protocol::Text }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_model_that_refused_native_tools_is_remembered() {
        let store = Store::in_memory().unwrap();
        let of = |protocols: &Protocols, model: &str| protocols.of(model, ModelSize::Large, None);
        let before = Protocols::recalled(Some(&store)).await;
        assert_eq!(of(&before, "big:8b"), Protocol::Native);
        before.learn("big:8b", Some(&store)).await;
        let after = Protocols::recalled(Some(&store)).await;
        assert_eq!([of(&after, "big:8b"), of(&after, "other:8b")], [Protocol::Text, Protocol::Native]);
        assert_eq!(after.of("other:8b", ModelSize::Small, Some(true)), Protocol::Text);
        assert_eq!(after.of("other:8b", ModelSize::Large, Some(false)), Protocol::Text);
    }
}
