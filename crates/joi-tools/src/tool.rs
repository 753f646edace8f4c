//! The contract between a tool and the agent, and the runner that holds a call to its time limit.
//!
//! Tokio tasks; a tool that blocks does so on a thread of its own. In: arguments that were checked against the tool's
//! schema. Out: an [`Output`], or a [`ToolError`] that says whether the model may try something else. Whether a call
//! may run is decided by [`gate`](crate::gate), not here.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use joi_home::house::{House, ItemCommand, Ordered};
use joi_language::Language;
use joi_language::values::deed::{self, Arguments, CallValue, Effect};
use serde_json::Value;

use super::call::Call;
use super::form::FormSource;
use super::output::{FailureCause, Output, ToolError};
use super::permission::ToolPermission;

/// The upper bound of every [`Tool::time_limit`]: long enough for a slow service, short enough that the user still waits.
const LONGEST: Duration = Duration::from_secs(90);

/// A command that a call sends to a house, and the house before it: what "it" is afterwards, and what takes it back.
#[derive(Debug, Clone)]
pub struct HouseCall {
    /// The house before the command.
    pub before: House,
    /// The command as it goes to the server.
    pub ordered: Ordered,
    /// The command as it was understood.
    pub command: ItemCommand,
    /// The name of the thing, as the user calls it.
    pub title: String,
}

/// A function that a model may call.
///
/// A tool may own its words and be made at run time; [`ToolRegistry::add`](crate::ToolRegistry::add) takes it.
///
/// ```
/// use futures_util::FutureExt;
/// use futures_util::future::BoxFuture;
/// use joi_tools::{Arguments, Call, Effect, Output, Tool, ToolError, schema};
/// use serde_json::{Value, json};
///
/// /// Throws a coin.
/// struct Coin;
///
/// impl Tool for Coin {
///     fn name(&self) -> &str {
///         "coin"
///     }
///     fn description(&self) -> &str {
///         "throw a coin"
///     }
///     fn schema(&self) -> Value {
///         schema::object(json!({}), &[])
///     }
///     fn effect(&self, _: &Arguments) -> Effect {
///         Effect::Looks
///     }
///     fn cues(&self) -> &[&str] {
///         &["coin", "heads or tails"]
///     }
///     fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
///         let is_heads = call.now.timestamp().as_nanosecond() % 2 == 0;
///         let side = if is_heads { "Heads" } else { "Tails" };
///         async move { Ok(Output::own(side).saying(format!("{side}."))) }.boxed()
///     }
/// }
///
/// let registry = joi_tools::ToolRegistry::default();
/// assert!(registry.add("games", vec![std::sync::Arc::new(Coin)]).is_empty(), "no name is refused");
/// assert_eq!(registry.snapshot().toolbox.names(), ["coin"]);
/// ```
pub trait Tool: Send + Sync {
    /// Returns the name: one word in camel case that never changes.
    fn name(&self) -> &str;

    /// Returns the purpose, in one line of at most 80 characters.
    fn description(&self) -> &str;

    /// Returns the JSON schema of the arguments: an object. Every text needs a `maxLength`.
    fn schema(&self) -> Value;

    /// Returns the schemas of the arguments of those calls that the user's words can fill, in their own words: the parts of a
    /// form that is asked where nothing else understood them. By default any call.
    fn forms(&self, _said: &FormSource<'_>) -> Vec<Value> {
        vec![self.schema()]
    }

    /// Returns the effect of a call with these arguments. By default a tool changes the world.
    fn effect(&self, _arguments: &Arguments) -> Effect {
        Effect::Changes
    }

    /// Returns the deed of a call, by which the words that ask for it are found.
    fn deed(&self, _arguments: &Arguments) -> String {
        self.name().to_owned()
    }

    /// Returns the values in the arguments: each must have been said before a call runs unasked.
    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::all_values(arguments)
    }

    /// Returns the address that a call goes to, where the arguments name one.
    fn address<'a>(&self, _arguments: &'a Arguments) -> Option<&'a str> {
        None
    }

    /// Returns the words that a call sends to others, where the arguments hold some.
    fn query<'a>(&self, _arguments: &'a Arguments) -> Option<&'a str> {
        None
    }

    /// Returns the command that a call sends to a house, and the house before it.
    fn house_call(&self, _arguments: &Arguments) -> Option<HouseCall> {
        None
    }

    /// Returns what the owner allows of it, beside the configuration of all tools.
    fn permission(&self) -> ToolPermission {
        ToolPermission::Allow
    }

    /// Returns whether a call hands its arguments to another program.
    fn hands_out(&self) -> bool {
        false
    }

    /// Returns words, lower case, that make a request likely to need this tool, beside those of the language.
    fn cues(&self) -> &[&str] {
        &[]
    }

    /// Returns cues that the tool owns, for one that is made at run time.
    fn owned_cues(&self) -> &[String] {
        &[]
    }

    /// Returns words that the tool owns and that are said of much else: two of them together are a cue.
    fn weak_cues(&self) -> &[String] {
        &[]
    }

    /// Returns the arguments of a request that is a call as it stands in the conversation of this name, so that no model
    /// need be asked.
    fn ready(&self, _asked: &str, _language: &Language, _conversation: &str) -> Option<Arguments> {
        None
    }

    /// Returns the request with the name of what this conversation spoke of last in place of "it" or nothing: "put milk on
    /// there". Nothing where it is no such request.
    fn in_full(&self, _asked: &str, _language: &Language, _conversation: &str) -> Option<String> {
        None
    }

    /// Returns a call in plain words that follow "Shall I", for example "add milk to the shopping list": the `ask` of the
    /// tool in `tools.toml`, else its purpose.
    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        language.ask_of_tool(self.name(), arguments).unwrap_or_else(|| self.description().to_owned())
    }

    /// Returns whether results are short and exact, so that a digest would gain nothing.
    fn is_brief(&self) -> bool {
        true
    }

    /// Returns the longest duration of a call; more than 90 s count as 90 s.
    fn time_limit(&self) -> Duration {
        Duration::from_secs(5)
    }

    /// Runs a call that the gate has let through. Dropping the future cancels it.
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>>;
}

/// Runs a call within its time limit. Dropping the future cancels it.
///
/// # Errors
/// The tool's own failure, a panic, or the end of the time limit.
pub async fn run(tool: &dyn Tool, call: Call<'_>) -> Result<Output, ToolError> {
    let limit = tool.time_limit().min(LONGEST);
    // A tool that panics must not end the conversation; the panic hook has reported it.
    let running = AssertUnwindSafe(tool.run(call)).catch_unwind();
    match tokio::time::timeout(limit, running).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => {
            Err(FailureCause::Broken.with(format!("{} broke down and did not finish", tool.name())))
        }
        Err(_) => {
            let seconds = limit.as_secs();
            Err(FailureCause::Slow.with(format!("{} gave no answer within {seconds} s", tool.name())))
        }
    }
}
