//! The seam between [`Mind`](crate::Mind) and the servers of chat models.
//!
//! [`ChatServer`] is implemented by [`Ollama`](crate::Ollama), which the embedded server speaks as well, by
//! [`OpenAi`](crate::OpenAi), any OpenAI-compatible server, and by [`Anthropic`](crate::Anthropic). A server of another kind
//! implements the trait, describes itself in a [`ServerKind`] and gets a line in `kinds.rs`. Dropping a future or a [`ChatStream`] closes its connection, which is how
//! a server learns to stop; the caller sets the limits of time of a chat.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::error::LlmError;
use super::stream::ChatStream;
use super::wire::{ChatEvent, ChatRequest, ChatStats, InstalledModel, ModelInfo, Options};
use joi_base::message::Private;

/// An answer that is waited for.
pub type ServerAnswer<'a, T> = BoxFuture<'a, Result<T, LlmError>>;

/// A client of a server of some kind.
pub(crate) type AnyChatServer = Arc<dyn ChatServer>;

/// A server of chat models at one address.
///
/// A small one, which repeats what it is asked. A real one sends requests with the crate's `http::HttpServer`.
///
/// ```
/// use futures_util::{FutureExt, stream};
/// use joi_llm::{
///     ChatEvent, ChatRequest, ChatServer, ChatStats, ChatStream, InstalledModel, Knowledge, LlmError, Message, ModelInfo,
///     Options, ServerAnswer, Think, size_of,
/// };
///
/// #[derive(Debug)]
/// struct Parrot;
///
/// impl ChatServer for Parrot {
///     fn address(&self) -> &str {
///         "the cage"
///     }
///     fn models(&self) -> ServerAnswer<'_, Vec<InstalledModel>> {
///         let name = "parrot:1b".to_owned();
///         async { Ok(vec![InstalledModel { name, size: 0, capabilities: None, remote_host: None }]) }.boxed()
///     }
///     fn show<'a>(&'a self, name: &'a str) -> ServerAnswer<'a, ModelInfo> {
///         let (size, knowledge) = (size_of(name, None), Knowledge::Scant);
///         let info = ModelInfo { capabilities: None, parameter_count: None, context_length: None, size, knowledge };
///         async { Ok(info) }.boxed()
///     }
///     fn is_loaded<'a>(&'a self, _: &'a str) -> ServerAnswer<'a, bool> {
///         async { Ok(true) }.boxed()
///     }
///     fn chat<'a>(&'a self, request: &'a ChatRequest) -> ServerAnswer<'a, ChatStream> {
///         let said = request.messages.last().map(|message| message.content.clone()).unwrap_or_default();
///         let events = [ChatEvent::Text(said), ChatEvent::Done(ChatStats::default())];
///         async { Ok(ChatStream::new(stream::iter(events.map(Ok)))) }.boxed()
///     }
///     fn load<'a>(&'a self, _: &'a ChatRequest) -> ServerAnswer<'a, ChatStats> {
///         async { Ok(ChatStats::default()) }.boxed()
///     }
///     fn embed<'a>(&'a self, _: &'a str, _: &'a [String], _: &'a Options, _: i64) -> ServerAnswer<'a, Vec<Vec<f32>>> {
///         async { Err(LlmError::Broken) }.boxed()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let request = ChatRequest {
///     model: "parrot:1b".into(),
///     messages: vec![Message::user("Hello.")],
///     tools: Vec::new(),
///     format: None,
///     options: Options {
///         num_ctx: 2048,
///         num_thread: None,
///         num_predict: 60,
///         temperature: 0.0,
///         repeat_penalty: 1.0,
///         seed: None,
///         stop: Vec::new(),
///     },
///     keep_alive: -1,
///     think: Think::default(),
/// };
/// let mut reply = Parrot.chat(&request).await?;
/// assert_eq!(reply.next().await, Some(Ok(ChatEvent::Text("Hello.".into()))));
/// # Ok::<(), LlmError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// A kind of server: how its name is written, how it is reached, and which of its models are meant.
pub struct ServerKind {
    /// The value of `llm.backend`, and its name in records and tables.
    pub name: &'static str,
    /// What the owner can do where no such server serves.
    pub remedy: &'static str,
    /// Whether requests carry an API key; outside of the home there has to be one.
    pub(super) takes_key: bool,
    /// Creates a client of the server at an address. Nothing is contacted.
    pub(super) connect: fn(url: &str, key: Option<Private<String>>) -> Result<AnyChatServer, LlmError>,
    /// Returns the listed model that `llm.model` means.
    pub(super) chat_model: fn(wanted: &str, listed: &[InstalledModel]) -> Result<String, LlmError>,
    /// Returns whether a model of that name makes vectors, where the list does not say.
    pub(super) makes_vectors: fn(name: &str) -> bool,
    /// Whether [`ChatServer::show`] says what a model can do.
    pub(super) shows_capabilities: bool,
    /// Returns the error for a `llm.embed_model` that the server lacks; `None` where any model would do.
    pub(super) no_vectors: fn(wanted: Option<&str>) -> LlmError,
}

impl fmt::Debug for ServerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for ServerKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ServerKind {}

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
