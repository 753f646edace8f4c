//! The words of Ollama's API: what is sent, what comes back, and what a caller gets to see of it.
//!
//! Plain data. Unknown fields are ignored and missing ones forgiven on the way in; on the way out
//! `think` is always written, because a server switches thinking on when it is absent.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::model_size::{Knowledge, ModelSize, knowledge_of, size_of};

mod arguments;

pub use arguments::FunctionCall;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The program.
    System,
    /// The human.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// The words; as they are sent, nothing in them is a control token.
    #[serde(serialize_with = "super::control_tokens::serialize")]
    pub content: String,
    /// What the model thought before it said them; never for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "super::control_tokens::serialize_some")]
    pub thinking: Option<String>,
    /// Calls the assistant made with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Of a tool's result: the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "super::control_tokens::serialize_some")]
    pub tool_name: Option<String>,
    /// Of a tool's result: the call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "super::control_tokens::serialize_some")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message of words only.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        let content = content.into();
        Self { role, content, thinking: None, tool_calls: Vec::new(), tool_name: None, tool_call_id: None }
    }

    /// What the program says.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(Role::System, content)
    }

    /// What the human says.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }

    /// What the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

/// A tool the model wants called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names this call in the message with its result; old servers give none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "super::control_tokens::serialize_some")]
    pub id: Option<String>,
    /// What to call.
    pub function: FunctionCall,
}

/// How the model is run and how it picks words. The server loads the model anew when the first two
/// change, so every call sends the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Options {
    /// Length of the context in tokens.
    pub num_ctx: u32,
    /// Threads; absent leaves it to the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_thread: Option<u32>,
    /// Longest reply in tokens.
    pub num_predict: u32,
    /// 0 always picks the likeliest word; higher is more varied.
    pub temperature: f32,
    /// Above 1, words already said become less likely.
    pub repeat_penalty: f32,
    /// Makes replies repeatable; absent picks one by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// The reply ends before any of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

/// How long a model may think before it answers. Words of its thinking count among `num_predict`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Think {
    /// Not at all.
    #[default]
    Off,
    /// As it likes. A model that can't think refuses this.
    On,
    /// Little, for models that have levels.
    Low,
    /// More.
    Medium,
    /// Much.
    High,
}

impl Think {
    /// The value of `think` in a request.
    fn in_json(self) -> Value {
        match self {
            Self::Off => Value::Bool(false),
            Self::On => Value::Bool(true),
            Self::Low => "low".into(),
            Self::Medium => "medium".into(),
            Self::High => "high".into(),
        }
    }
}

/// A chat request. No messages: load the model (or unload it, with `keep_alive` 0).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChatRequest {
    /// The model's name.
    pub model: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools on offer, as JSON schemas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Value>,
    /// "json" or a JSON schema that the reply must follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Value>,
    /// Identical on every call.
    pub options: Options,
    /// Seconds the model stays in memory afterwards; negative: for ever; 0: not at all.
    pub keep_alive: i64,
    /// How long the model thinks first.
    #[serde(skip)]
    pub think: Think,
}

impl ChatRequest {
    /// The body that goes over the wire.
    pub(super) fn body(&self) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct ChatBody<'a> {
            #[serde(flatten)]
            request: &'a ChatRequest,
            think: Value,
            stream: bool,
        }
        serde_json::to_vec(&ChatBody { request: self, think: self.think.in_json(), stream: true })
    }
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// Words of the answer.
    Text(String),
    /// Words of the model's thinking; never for the user.
    Thinking(String),
    /// A whole tool call.
    ToolCall(ToolCall),
    /// The reply is complete.
    Done(ChatStats),
}

/// Why a reply is complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DoneReason {
    /// The model ended it.
    #[default]
    Stop,
    /// It reached `num_predict` or the context's end.
    Length,
    /// Nothing was asked: the model was loaded.
    Load,
    /// Nothing was asked: the model was unloaded.
    Unload,
    /// A reason newer than this program.
    #[serde(other)]
    Other,
}

/// The counters of a finished reply. What a server leaves out is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ChatStats {
    /// Why it ended.
    pub done_reason: DoneReason,
    /// Tokens of the prompt, those included that were still known from an earlier call.
    pub prompt_eval_count: u64,
    /// Those that were still known. Only `joi-model` reports it; with Ollama the time spent on the prompt shows it.
    pub prompt_cached_count: Option<u64>,
    /// Tokens of the reply.
    pub eval_count: u64,
    /// Time spent loading the model.
    #[serde(deserialize_with = "nanoseconds")]
    pub load_duration: Duration,
    /// Time spent on the prompt.
    #[serde(deserialize_with = "nanoseconds")]
    pub prompt_eval_duration: Duration,
    /// Time spent on the reply.
    #[serde(deserialize_with = "nanoseconds")]
    pub eval_duration: Duration,
    /// All of it.
    #[serde(deserialize_with = "nanoseconds")]
    pub total_duration: Duration,
}

fn nanoseconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_nanos)
}

/// One line of a streamed reply.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatLine {
    pub(super) error: Option<String>,
    pub(super) message: ReplyMessage,
    pub(super) done: bool,
    #[serde(flatten)]
    pub(super) stats: ChatStats,
}

/// The message of a [`ChatLine`]; null counts as absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReplyMessage {
    pub(super) content: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) tool_calls: Option<Vec<ToolCall>>,
}

/// A model the server has on disk.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct InstalledModel {
    /// Name with tag, for example `qwen3:1.7b`.
    pub name: String,
    /// Bytes on disk.
    #[serde(default)]
    pub size: u64,
    /// What it can do, where the list shows it.
    #[serde(default)]
    pub capabilities: Option<Vec<String>>,
    /// Set for a stub of a model that runs elsewhere.
    #[serde(default)]
    pub remote_host: Option<String>,
}

/// A model the server has in memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RunningModel {
    /// Name with tag.
    pub name: String,
    /// Length of its context in tokens, where the server reports it.
    #[serde(default)]
    pub context_length: Option<u64>,
}

/// What a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// What it can do (`completion`, `tools`, `thinking`, …); nothing where the server does not report it.
    pub capabilities: Option<Vec<String>>,
    /// Number of parameters.
    pub parameter_count: Option<u64>,
    /// Longest context it was trained for, in tokens.
    pub context_length: Option<u64>,
    /// Small or large, by the above or by its name.
    pub size: ModelSize,
    /// How far one can rely on what it knows.
    pub knowledge: Knowledge,
}

impl ModelInfo {
    /// Returns whether it says it can do `what`; nothing where the server does not report it.
    pub fn can(&self, what: &str) -> Option<bool> {
        self.capabilities.as_ref().map(|all| all.iter().any(|c| c == what))
    }
}

/// The reply to `show`, as far as it is used.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ShowReply {
    pub(super) capabilities: Option<Vec<String>>,
    pub(super) model_info: Map<String, Value>,
}

impl ShowReply {
    /// What it says about the model `name`.
    pub(super) fn info(self, name: &str) -> ModelInfo {
        let parameter_count = self.model_info.get("general.parameter_count").and_then(Value::as_u64);
        let context = self.model_info.iter().find(|(key, _)| key.ends_with(".context_length"));
        ModelInfo {
            capabilities: self.capabilities,
            parameter_count,
            context_length: context.and_then(|(_, value)| value.as_u64()),
            size: size_of(name, parameter_count),
            knowledge: knowledge_of(name, parameter_count),
        }
    }
}

/// How far a pull has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PullProgress {
    /// The server's words, for example `pulling 8eeb52dfb3bb`; `success` at the end.
    pub status: String,
    /// Of the part being fetched.
    pub digest: Option<String>,
    /// Its size in bytes.
    pub total: u64,
    /// How many of them are there.
    pub completed: u64,
}

/// One line of a pull.
#[derive(Debug, Deserialize)]
pub(super) struct PullLine {
    #[serde(default)]
    pub(super) error: Option<String>,
    #[serde(flatten)]
    pub(super) progress: PullProgress,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_always_says_think_and_keeps_its_order() {
        let mut request = ChatRequest {
            model: "m".into(),
            messages: vec![Message::user("hi")],
            tools: Vec::new(),
            format: None,
            options: crate::LlmConfig { threads: crate::Threads::Count(3), ..Default::default() }.options(),
            keep_alive: -1,
            think: Think::Off,
        };
        insta::assert_snapshot!(
            String::from_utf8(request.body().unwrap()).unwrap(),
            @r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"options":{"num_ctx":4096,"num_thread":3,"num_predict":500,"temperature":0.5,"repeat_penalty":1.1},"keep_alive":-1,"think":false,"stream":true}"#
        );
        for (think, written) in [
            (Think::On, "true"),
            (Think::Low, "\"low\""),
            (Think::Medium, "\"medium\""),
            (Think::High, "\"high\""),
        ] {
            request.think = think;
            let body = String::from_utf8(request.body().unwrap()).unwrap();
            assert!(body.ends_with(&format!("\"think\":{written},\"stream\":true}}")), "{body}");
        }
    }

    #[test]
    fn a_line_may_lack_everything_and_hold_anything_else() {
        let line: ChatLine =
            serde_json::from_str(r#"{"done":true,"new":[1],"done_reason":"tomorrow"}"#).unwrap();
        let stats = ChatStats { done_reason: DoneReason::Other, ..ChatStats::default() };
        assert_eq!((line.done, line.stats, line.error, line.message.content), (true, stats, None, None));
        let call = r#"{"message":{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]}}"#;
        let line: ChatLine = serde_json::from_str(call).unwrap();
        let arguments = Map::from_iter([("a".to_owned(), Value::from(1))]);
        let function = FunctionCall { index: None, name: "f".into(), arguments };
        assert_eq!(line.message.tool_calls, Some(vec![ToolCall { id: None, function }]));
    }
}
