//! Asks the model beside the answer: the words are read by the program alone.
//!
//! Runs in the task of a turn or of a background job. In: a request and its time limit. Out: the words, or nothing.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::timeout;

use crate::model::{ChatModel, ModelAccess, ModelState, Served};
use crate::sink::ReplySink;
use joi_llm::{Ask, ChatEvent};

/// A question beside the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SideCall {
    /// The caller, for the record.
    pub(crate) purpose: &'static str,
    /// Its time limit.
    pub(crate) limit: Duration,
}

/// The words of an answer that is read by the program alone; nothing when there are none in time.
pub(crate) async fn side_call<M: ChatModel>(
    access: ModelAccess<'_, M>,
    ask: Ask,
    SideCall { purpose, limit }: SideCall,
    sink: &ReplySink,
) -> Option<String> {
    let ModelState::Ready(served) = access.model.state() else { return None };
    let served = Served { model: ask.model.clone().unwrap_or(served.model), ..served };
    let reading = async {
        let mut words = access.model.ask(ask).await.ok()?;
        let mut text = String::new();
        loop {
            // A model that writes without a pause must not keep the time from being over.
            tokio::task::consume_budget().await;
            match words.next().await? {
                Ok(ChatEvent::Text(piece)) => text.push_str(&piece),
                Ok(ChatEvent::Thinking(_) | ChatEvent::ToolCall(_)) => {}
                Ok(ChatEvent::Done(stats)) => {
                    sink.used(served.used(&stats, purpose)).await.ok()?;
                    return Some(text);
                }
                Err(error) => {
                    tracing::warn!(error = error.for_the_log(), "a question beside the answer failed");
                    return None;
                }
            }
        }
    };
    // The time counts from here: waiting for another conversation is not the model's fault.
    let _permit = access.permit().await;
    timeout(limit, reading).await.ok().flatten()
}
