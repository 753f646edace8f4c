//! A model for the tests of channels, whose questions need none.

use futures_util::stream::{self, Pending};

use joi_agent::model::{ChatModel, ModelState, Served};
use joi_llm::{Ask, ChatEvent, Knowledge, LlmError, ModelSize, ServedBy};

/// A model that thinks for ever.
pub(super) struct Thinker;

impl ChatModel for Thinker {
    type Words = Pending<Result<ChatEvent, LlmError>>;

    fn state(&self) -> ModelState {
        ModelState::Ready(Served {
            model: "thinker".into(),
            size: ModelSize::Small,
            knowledge: Knowledge::Fair,
            has_tools: None,
            by: ServedBy::Local,
        })
    }

    async fn settled(&self) -> ModelState {
        self.state()
    }

    async fn ask(&self, _: Ask) -> Result<Self::Words, LlmError> {
        Ok(stream::pending())
    }
}
