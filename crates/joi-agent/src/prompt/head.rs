//! Builds the beginning of every prompt: persona, how speech goes in and out, how tools are called, the tools.
//!
//! Input: the model's size and protocol, and the tools found in this conversation. Output: the system message and the
//! tools of the request. Byte for byte the same from turn to turn; found tools come last.
//! Pure: no I/O, no clock.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::agent::protocols::Protocols;
use crate::config::{Character, ContextConfig, PersonaConfig};
use crate::model::Room;
use crate::outgoing::Withheld;
use crate::prompt;
use crate::prompt::context;
use crate::prompt::profiles::{self, Profile};
use joi_answer::form;
use joi_answer::protocol::Protocol;
use joi_base::clock::Clock;
use joi_language::{Language, Languages};
use joi_llm::{self as llm, Ask, Message, ModelSize};
use joi_tools::{Tool, ToolRegistry, ToolSnapshot, Toolbox, is_always, schema};

/// Parts of the beginning of a prompt.
pub struct Prelude {
    /// `[persona]`.
    pub persona: PersonaConfig,
    /// `[context]`.
    pub context: ContextConfig,
    /// The first enabled wake phrase, from which the name is taken.
    pub wake_phrase: Option<String>,
    /// The tools there are at any time.
    pub tools: ToolRegistry,
    /// Which model calls them how.
    pub protocols: Protocols,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The languages that are spoken.
    pub languages: Languages,
}

/// The persona and its language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speaking<'a> {
    pub(crate) persona: &'a PersonaConfig,
    /// The assistant's name.
    pub(crate) name: &'a str,
    pub(crate) language: &'a Arc<Language>,
    /// Data whose tools the model is not offered.
    pub(crate) withheld: Withheld,
}

/// Makes heads.
#[derive(Debug, Clone)]
pub(crate) struct Heads {
    character: Character,
    name: String,
    tools: Toolbox,
    profile: Option<&'static Profile>,
    language: Arc<Language>,
}

/// The unchanging part of a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Head {
    /// The system message.
    pub(crate) system: String,
    /// Its tools, in the native protocol.
    pub(crate) tools: Vec<Value>,
}

impl Heads {
    /// Heads of whoever speaks, as every conversation begins.
    pub(crate) fn new(who: &Speaking<'_>, tools: Toolbox) -> Self {
        let whole = Self::whole(who, tools);
        match who.persona.fallback_profile() {
            Some(fallback) => whole.narrowed(fallback),
            None => whole,
        }
    }

    fn whole(who: &Speaking<'_>, tools: Toolbox) -> Self {
        let (character, name, tools) =
            (who.persona.character, who.name.to_owned(), who.withheld.shown(tools));
        Self { character, name, tools, profile: None, language: Arc::clone(who.language) }
    }

    fn narrowed(self, profile: &'static Profile) -> Self {
        Self { tools: self.tools.only(&profile.tools()), profile: Some(profile), ..self }
    }

    /// The tools there are.
    pub(crate) fn toolbox(&self) -> &Toolbox {
        &self.tools
    }

    /// Returns the head of talk: the persona, without tools.
    pub(crate) fn talk(&self, size: ModelSize) -> Head {
        let persona = prompt::talk_head(self.character, &self.name, size, self.language.prompts());
        Head { system: self.with_profile(persona), tools: Vec::new() }
    }

    /// Returns the beginning of the prompt of a form: joi's own tools, with an example of each.
    pub(crate) fn form(&self) -> Vec<Message> {
        let offered = self.tools.offered(&[]);
        let tools: Vec<&dyn Tool> =
            offered.iter().map(|tool| &***tool).filter(|tool| is_in_form(*tool)).collect();
        form::head(&tools, &self.language)
    }

    fn with_profile(&self, persona: String) -> String {
        match self.profile {
            Some(profile) => format!("{persona}\n\n{}", profile.prompt.trim().replace("{name}", &self.name)),
            None => persona,
        }
    }

    /// The head for a model of that size and protocol; `grown` are tools found in this conversation.
    pub(crate) fn of(&self, size: ModelSize, protocol: Protocol, grown: &[String]) -> Head {
        let persona =
            self.with_profile(prompt::head(self.character, &self.name, size, self.language.prompts()));
        let offered = self.tools.offered(grown);
        if offered.is_empty() {
            return Head { system: persona, tools: Vec::new() };
        }
        let fragment = match (protocol, size) {
            (Protocol::Native, _) => include_str!("../../../../assets/prompts/tools.native.md"),
            (Protocol::Text, ModelSize::Small) => include_str!("../../../../assets/prompts/tools.small.md"),
            (Protocol::Text, ModelSize::Large) => include_str!("../../../../assets/prompts/tools.text.md"),
        };
        let lines: Vec<String> = match protocol {
            Protocol::Native => Vec::new(),
            Protocol::Text => offered.iter().map(|tool| format!("- {}", schema::line(&***tool))).collect(),
        };
        let tools = match protocol {
            Protocol::Native => offered.iter().map(|tool| schema::native(&***tool)).collect(),
            Protocol::Text => Vec::new(),
        };
        let fragment = fragment.trim().replace("{tools}", &lines.join("\n"));
        Head { system: format!("{persona}\n\n{fragment}"), tools }
    }
}

/// Returns whether a tool stands in the head of every form.
pub(crate) fn is_in_form(tool: &dyn Tool) -> bool {
    !tool.hands_out() && !is_always(tool.name())
}

/// The heads of a conversation: its tools, with and without a profile.
#[derive(Debug)]
pub(crate) struct HeadSet {
    tools: Arc<ToolSnapshot>,
    plain: Heads,
    /// By the name of the profile.
    profiled: HashMap<&'static str, Heads>,
}

impl HeadSet {
    /// Heads with the tools of that moment, of whoever speaks.
    pub(crate) fn new(tools: Arc<ToolSnapshot>, who: &Speaking<'_>) -> Self {
        let whole = || Heads::whole(who, tools.toolbox.clone());
        let profiled =
            profiles::all().iter().map(|profile| (profile.name.as_str(), whole().narrowed(profile)));
        let profiled = profiled.collect();
        let plain = Heads::new(who, tools.toolbox.clone());
        Self { tools, plain, profiled }
    }

    /// The same tools, for whoever speaks now.
    pub(crate) fn of(self: Arc<Self>, who: &Speaking<'_>) -> Arc<Self> {
        if Arc::ptr_eq(&self.plain.language, who.language) {
            return self;
        }
        Arc::new(Self::new(Arc::clone(&self.tools), who))
    }

    /// Those of a profile; the ordinary ones without one.
    pub(crate) fn of_profile(&self, profile: Option<&'static Profile>) -> &Heads {
        profile.and_then(|profile| self.profiled.get(profile.name.as_str())).unwrap_or(&self.plain)
    }

    /// All tools there are, whatever the profile.
    pub(crate) fn all_tools(&self) -> &Toolbox {
        &self.tools.toolbox
    }
}

/// Returns the beginning of every prompt, for [`llm::Mind`] to have read before the first question.
pub fn head(prelude: Prelude) -> llm::HeadMaker {
    let Prelude { persona, context, wake_phrase, tools, protocols, clock, languages } = prelude;
    let name = prompt::name(&persona, wake_phrase.as_deref());
    Arc::new(move |model, size, has_tools| {
        let language = languages.get();
        // A server outside of the home is sent nothing before the first question.
        let withheld = Withheld::default();
        let who = Speaking { persona: &persona, name: &name, language: &language, withheld };
        let heads = Heads::new(&who, tools.snapshot().toolbox.clone());
        let whole = heads.of(size, protocols.of(model, size, has_tools), &[]);
        let talk = heads.talk(size);
        let line = context::line(&context, &clock.now(), &language);
        let newest =
            prompt::Newest { context: &line, placement: context.placement, ..prompt::Newest::auxiliary("") };
        // A small model is asked most questions through the short one.
        let is_short = size == ModelSize::Small && !heads.tools.offered(&[]).is_empty();
        let all = if is_short { vec![whole, talk] } else { vec![whole] };
        let room = Room::from(&llm::LlmConfig::default());
        let ask = |head: Head| {
            let messages = prompt::build(&head, Vec::new(), &newest, room);
            Ask { messages, tools: head.tools, ..Ask::default() }
        };
        let form = is_short.then(|| {
            let messages = heads.form().into_iter().chain([form::request("", &[], "")]).collect();
            Ask { messages, ..Ask::default() }
        });
        all.into_iter().map(ask).chain(form).collect()
    })
}
