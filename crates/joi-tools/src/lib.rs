//! What she can do beside talking: the tools a model may call, and the gate in front of them.
//!
//! Tokio tasks; a tool that blocks does so on a thread of its own. In: a name and arguments that were
//! checked against the tool's schema. Out: an [`Output`], or a [`ToolError`] that says whether the model
//! may try something else. Adding a tool is one file below `tools/` and one line in [`builtin`]; see
//! `docs/dev/tools.md`. Whether a call may run at all is decided in [`gate`], and nowhere else.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;

use joi_base::clock::Clock;
use joi_home::backend::Home;
use joi_language::Language;
pub use joi_language::values::deed::{self, CallValue};
use joi_schedule::Schedule;
use joi_store::Store;

mod calculate;
mod call;
mod clock;
mod config;
pub mod fence;
mod find;
pub mod gate;
mod home;
pub(crate) mod lists;
mod memory;
mod ready;
mod registry;
pub mod route;
pub mod schema;
mod search;
mod stop;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod timers;
mod volume;
mod way_back;
pub mod weather;
mod web;

pub use call::Call;
pub use home::HouseCall;
pub use home::house_deed;
pub use lists::{ready_reading, taken_off};
pub use ready::ready_answer;
pub use registry::{ToolRegistry, ToolSnapshot};
pub use timers::ReadsWhen;
pub use way_back::WayBack;
pub use web::{FoundPage, Reach};

/// Ends the conversation; on every turn's allow-list.
pub const STOP: &str = stop::NAME;
/// Finds further tools; on every turn's allow-list.
pub const TOOL_SEARCH: &str = find::NAME;
/// The name of the tool that searches the web.
pub const WEB_SEARCH: &str = search::NAME;

pub use config::SHIPPED;
pub use config::{Digest, LookUpMode, Router, SearchConfig, ToolsConfig, Units, WeatherConfig};

pub use joi_language::values::deed::Arguments;

/// No tool may take longer, whatever it says of itself.
const LONGEST: Duration = Duration::from_secs(20);

/// What a call does to anything outside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks, at what is the owner's own.
    Looks,
    /// It brings in words of strangers.
    Fetches,
    /// It writes into what is remembered.
    Remembers,
    /// It changes something in the world.
    Changes,
    /// It changes something that is never changed unasked, and never where words of strangers are: it opens a door.
    Risks,
    /// It ends the conversation, and does nothing else.
    Ends,
}

/// Whose words an output is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The owner's, or computed.
    Own,
    /// A stranger's: from here on the turn is tainted.
    Foreign,
}

/// What the channel is to do because of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Make the sound louder by a step.
    Louder,
    /// Make it quieter by a step.
    Quieter,
    /// Set it to this many percent, 0 to 100.
    Volume(u8),
    /// Be silent and end the conversation.
    StopTalking,
}

/// What a tool found or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// For the model.
    pub text: String,
    /// Whose words these are.
    pub source: Source,
    /// A whole sentence that answers a plain request, for a model that is better not asked to tell it.
    pub sentence: Option<String>,
    /// For the channel.
    pub deed: Option<Deed>,
    /// Tools that are on offer from now on.
    pub offers: Vec<String>,
    /// Pages that were found or read; of those found one may be followed.
    pub pages: Vec<FoundPage>,
    /// What takes back what was done.
    pub back: Option<WayBack>,
}

impl Output {
    /// The owner's own data.
    pub fn own(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            source: Source::Own,
            sentence: None,
            deed: None,
            offers: Vec::new(),
            pages: Vec::new(),
            back: None,
        }
    }

    /// A stranger's words.
    pub fn foreign(text: impl Into<String>) -> Self {
        Self { source: Source::Foreign, ..Self::own(text) }
    }

    /// Words of that source.
    pub fn of(source: Source, text: impl Into<String>) -> Self {
        Self { source, ..Self::own(text) }
    }

    /// The same, with a sentence that can be said as it is.
    #[must_use]
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.sentence = Some(sentence.into());
        self
    }

    /// The same, with what takes it back.
    #[must_use]
    pub fn undone_by(mut self, back: Option<WayBack>) -> Self {
        self.back = back;
        self
    }

    /// The same, with something for the channel to do.
    #[must_use]
    pub fn doing(mut self, deed: Deed) -> Self {
        self.deed = Some(deed);
        self
    }
}

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The model is told, and may try something else.
    #[error("{0}")]
    TellModel(String),
    /// There is no sense in going on: this sentence is said and the turn ends.
    #[error("{0}")]
    EndTurn(String),
}

/// Something the model may call.
pub trait Tool: Send + Sync {
    /// One word in camel case, the same for ever.
    fn name(&self) -> &str;

    /// What it is good for, in one line of at most 80 characters.
    fn description(&self) -> &str;

    /// The JSON schema of its arguments: an object.
    fn schema(&self) -> Value;

    /// What a call with these arguments does. A tool that does not say is taken to change the world.
    fn effect(&self, _arguments: &Arguments) -> Effect {
        Effect::Changes
    }

    /// The deed that a call with these arguments is, by which the words that ask for it are found.
    fn deed(&self, _arguments: &Arguments) -> String {
        self.name().to_owned()
    }

    /// The values in the arguments: each must have been said before a call runs unasked.
    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        deed::all_values(arguments)
    }

    /// The address that a call with these arguments goes to, where the arguments name one.
    fn address<'a>(&self, _arguments: &'a Arguments) -> Option<&'a str> {
        None
    }

    /// The words that a call with these arguments sends to others, where the arguments hold some.
    fn query<'a>(&self, _arguments: &'a Arguments) -> Option<&'a str> {
        None
    }

    /// The command that a call with these arguments sends to a house, and the house before it.
    fn house_call(&self, _arguments: &Arguments) -> Option<HouseCall> {
        None
    }

    /// Words, lower case, that make a request likely to be for this tool, beside those of the language.
    fn cues(&self) -> &[&str] {
        &[]
    }

    /// The arguments of a request that is a call as it stands, so that no model need be asked. Mostly none is.
    fn ready(&self, _asked: &str, _language: &Language) -> Option<Arguments> {
        None
    }

    /// A call in plain words that follow "Shall I", for example "add milk to the shopping list".
    fn in_words(&self, arguments: &Arguments, language: &Language) -> String;

    /// Whether its results are short and exact, so that nothing is gained by a digest.
    fn is_brief(&self) -> bool {
        true
    }

    /// How long a call may take; more than 20 s count as 20 s.
    fn time_limit(&self) -> Duration {
        Duration::from_secs(5)
    }

    /// Runs a call that the gate has let through. Dropping the future cancels it.
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>>;
}

/// What the shipped tools are made of.
#[derive(Clone)]
pub struct Means {
    /// For notes and lists.
    pub store: Option<Store>,
    /// For timers, alarms and reminders.
    pub schedule: Option<Schedule>,
    /// Understands when something is to be due.
    pub reads_when: ReadsWhen,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The house, where one is configured; without it there are no tools for one.
    pub home: Option<Arc<dyn Home>>,
    /// How the internet is reached; without it there are no tools that need it.
    pub reach: Option<Reach>,
}

/// The shipped tools, in the order in which the model sees them. A new tool is one line here.
pub fn builtin(config: &ToolsConfig, means: &Means) -> Toolbox {
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(clock::Time),
        Arc::new(calculate::Calculate),
        Arc::new(timers::Timers::new(means.schedule.clone(), means.reads_when)),
        Arc::new(lists::Lists::new(means.store.clone(), Arc::clone(&means.clock))),
        Arc::new(volume::SetVolume),
        Arc::new(memory::MemoryTool::new(means.store.clone(), Arc::clone(&means.clock))),
    ];
    tools.extend(means.home.iter().flat_map(home::tools));
    if let Some(reach) = means.reach.as_ref().filter(|_| config.online) {
        tools.push(Arc::new(weather::Weather::new(&config.weather, reach.clone())));
        tools.push(Arc::new(search::WebSearch::new(&config.search, reach.clone())));
        tools.push(Arc::new(web::ReadPage::new(reach.clone())));
    }
    tools.push(Arc::new(stop::Stop));
    let is_wanted =
        |tool: &Arc<dyn Tool>| config.enabled && !config.never.iter().any(|name| name == tool.name());
    Toolbox::new(tools.into_iter().filter(is_wanted).collect())
}

/// The tools there are, in a fixed order.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    /// How many of them are on offer from the start.
    core: usize,
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Toolbox {
    /// A box of tools that are all on offer. Of two with the same name the first counts.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut toolbox = Self::default();
        for tool in tools {
            toolbox.put(tool);
        }
        toolbox.core = toolbox.tools.len();
        toolbox
    }

    /// The same with tools that the model must look for with `toolSearch` before it can use them.
    #[must_use]
    pub fn with_hidden(mut self, hidden: Vec<Arc<dyn Tool>>) -> Self {
        if hidden.is_empty() {
            return self;
        }
        let known = hidden.clone();
        let behind = self.tools.split_off(self.core);
        self.put(Arc::new(find::ToolSearch::new(known)));
        self.core = self.tools.len();
        for tool in behind.into_iter().chain(hidden) {
            self.put(tool);
        }
        self
    }

    /// Those of them that are in `names`, and the few that are on every turn's allow-list.
    #[must_use]
    pub fn only(self, names: &[String]) -> Self {
        let stays = |tool: &Arc<dyn Tool>| {
            [STOP, TOOL_SEARCH].contains(&tool.name()) || names.iter().any(|name| name == tool.name())
        };
        let core = self.tools[..self.core].iter().filter(|tool| stays(tool)).count();
        Self { tools: self.tools.into_iter().filter(stays).collect(), core }
    }

    fn put(&mut self, tool: Arc<dyn Tool>) {
        if self.get(tool.name()).is_none() && schema::is_name(tool.name()) {
            self.tools.push(tool);
        } else {
            tracing::warn!(tool = tool.name(), "a tool with that name can't be added");
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    /// Those on offer from the start, then those of `grown` that exist, in the order they were found.
    pub fn offered(&self, grown: &[String]) -> Vec<&Arc<dyn Tool>> {
        let found = grown.iter().filter_map(|name| self.tools[self.core..].iter().find(|t| t.name() == name));
        self.tools[..self.core].iter().chain(found).collect()
    }

    /// The tool called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name()).collect()
    }
}

/// Runs a call within its time. Dropping the future cancels it.
///
/// # Errors
/// What the tool says, or that it took too long.
pub async fn run(tool: &dyn Tool, call: Call<'_>) -> Result<Output, ToolError> {
    let limit = tool.time_limit().min(LONGEST);
    // A tool that breaks down must not take the conversation with it; the panic hook has reported it.
    let running = AssertUnwindSafe(tool.run(call)).catch_unwind();
    match tokio::time::timeout(limit, running).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(ToolError::TellModel(format!("{} broke down and did not finish", tool.name()))),
        Err(_) => {
            let seconds = limit.as_secs();
            Err(ToolError::TellModel(format!("{} gave no answer within {seconds} s", tool.name())))
        }
    }
}
