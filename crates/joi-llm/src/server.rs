//! The seam between [`Mind`](crate::Mind) and the servers of chat models.
//!
//! [`ChatServer`] is implemented by [`Ollama`](crate::Ollama), which the embedded server speaks as well, and by
//! [`OpenAi`](crate::OpenAi), any OpenAI-compatible server. A server of another kind implements the trait and gets a line
//! in `connect.rs`. Dropping a future or a [`ChatStream`] closes its connection, which is how a server learns to stop; the
//! caller sets the limits of time of a chat.

use std::fmt;

use futures_util::future::BoxFuture;

use super::error::LlmError;
use super::stream::ChatStream;
use super::wire::{ChatEvent, ChatRequest, ChatStats, InstalledModel, ModelInfo, Options};

/// An answer that is waited for.
pub type ServerAnswer<'a, T> = BoxFuture<'a, Result<T, LlmError>>;

/// A server of chat models at one address.
pub trait ChatServer: fmt::Debug + Send + Sync {
    /// Returns the address as the owner knows it.
    fn address(&self) -> &str;

    /// Lists the models that the server can run.
    fn models(&self) -> ServerAnswer<'_, Vec<InstalledModel>>;

    /// Returns what is known of the model `name`: size, context, capabilities.
    fn show<'a>(&'a self, name: &'a str) -> ServerAnswer<'a, ModelInfo>;

    /// Returns whether the model `name` is in memory; true where the server does not say.
    fn is_loaded<'a>(&'a self, name: &'a str) -> ServerAnswer<'a, bool>;

    /// Asks the model. Ready with the first piece; dropping future or stream stops the model.
    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStream>;

    /// Loads the model and evaluates the messages of `request`, so that the next call that begins with them need not.
    fn load<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStats>;

    /// Returns one vector for each of `texts`, made by the model `name`. `options` are those of its chat calls, and
    /// `keep_alive` the seconds that it stays in memory.
    fn embed<'a>(
        &'a self,
        name: &'a str,
        texts: &'a [String],
        options: &'a Options,
        keep_alive: i64,
    ) -> ServerAnswer<'a, Vec<Vec<f32>>>;
}

/// Has the model answer `request` and returns the counters of the reply.
pub(super) async fn written(server: &dyn ChatServer, request: &ChatRequest) -> Result<ChatStats, LlmError> {
    finished(server.chat(request).await?).await
}

/// Reads a reply to its end and returns its counters.
pub(super) async fn finished(mut reply: ChatStream) -> Result<ChatStats, LlmError> {
    loop {
        match reply.next().await {
            Some(Ok(ChatEvent::Done(stats))) => return Ok(stats),
            Some(Ok(ChatEvent::Text(_) | ChatEvent::Thinking(_) | ChatEvent::ToolCall(_))) => {}
            Some(Err(error)) => return Err(error),
            None => return Err(LlmError::Broken),
        }
    }
}
