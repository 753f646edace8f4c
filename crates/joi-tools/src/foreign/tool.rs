//! One tool of another program, as the agent sees it.
//!
//! Any thread; calls run as Tokio tasks. In: the program's description, what the owner allows, the way to the program. Out:
//! an [`Output`] in a stranger's words, or a failure that the model may correct.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use joi_language::{Language, fill};
use serde_json::Value;

use super::allowance::{Approval, ToolAllowance};
use super::cues::{self, ToolCues};
use super::described::DescribedTool;
use super::{naming, reduction};
use crate::permission::ToolPermission;
use crate::{Arguments, Call, Effect, Output, Tool, ToolError, fence};

/// Longest text of an error for the model, in characters.
const LONGEST_ERROR: usize = 600;
/// Longest value in a question, in characters.
const LONGEST_VALUE: usize = 80;
/// Longest name of a tool in a question, in characters.
const LONGEST_NAME: usize = 60;

/// The way to one tool of another program.
pub trait ForeignCall: Send + Sync {
    /// Calls the tool and returns its result as text; dropping the future cancels the call.
    fn call<'a>(&'a self, arguments: &'a Arguments) -> BoxFuture<'a, Result<String, ForeignFault>>;

    /// Returns the longest duration of a call.
    fn time_limit(&self) -> Duration;
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForeignFault {
    /// The arguments do not fit, for this reason; nothing was sent.
    Arguments(String),
    /// There is no connection to the program at the moment.
    Gone,
    /// The program says in these words that it refused the call.
    Refused(String),
    /// The program says in these words that the call failed.
    Failed(String),
    /// There was no answer, for this reason in joi's words.
    NoAnswer(String),
}

/// A program that offers tools.
#[derive(Debug, Clone, Copy)]
pub struct ForeignProgram<'a> {
    /// The first part of its tools' names: see [`program_ids`](super::program_ids).
    pub id: &'a str,
    /// Its name for people.
    pub name: &'a str,
    /// What the owner allows.
    pub allowance: ToolAllowance<'a>,
    /// The owner's words that point at its tools.
    pub cues: &'a [String],
}

/// A tool of another program.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use futures_util::FutureExt;
/// use futures_util::future::BoxFuture;
/// use joi_tools::foreign::{Approval, DescribedTool, ForeignCall, ForeignFault, ForeignProgram, ForeignTool};
/// use joi_tools::{Arguments, Tool, ToolRegistry};
///
/// /// Asks a program over whatever it speaks.
/// struct Ask;
///
/// impl ForeignCall for Ask {
///     fn call<'a>(&'a self, _: &'a Arguments) -> BoxFuture<'a, Result<String, ForeignFault>> {
///         async { Ok("21 °C".to_owned()) }.boxed()
///     }
///     fn time_limit(&self) -> Duration {
///         Duration::from_secs(8)
///     }
/// }
///
/// let program = ForeignProgram { id: "garden", name: "Garden", allowance: Default::default(), cues: &[] };
/// let tool = DescribedTool { name: "read.soil".into(), description: "Read the soil.".into(), ..Default::default() };
/// let call: Arc<dyn ForeignCall> = Arc::new(Ask);
/// let tools = ForeignTool::all(&program, vec![(tool, Approval::Same, call)]);
/// assert_eq!(tools[0].name(), "garden__read_soil");
///
/// let registry = ToolRegistry::default();
/// let offered = tools.into_iter().filter(ForeignTool::is_offered);
/// registry.add("garden", offered.map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect());
/// ```
pub struct ForeignTool {
    name: String,
    program: String,
    described: DescribedTool,
    description: String,
    schema: Value,
    permission: ToolPermission,
    seen: Approval,
    cues: ToolCues,
    call: Arc<dyn ForeignCall>,
}

impl std::fmt::Debug for ForeignTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ForeignTool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ForeignTool {
    /// Makes the tools of a program. Of two with the same name the second is left out.
    pub fn all(
        program: &ForeignProgram<'_>,
        tools: Vec<(DescribedTool, Approval, Arc<dyn ForeignCall>)>,
    ) -> Vec<Self> {
        let originals: Vec<String> = tools.iter().map(|(tool, ..)| tool.name.clone()).collect();
        let names = naming::of_tools(program.id, &originals);
        let named = tools.into_iter().zip(names);
        named.filter_map(|(tool, name)| Some(Self::new(program, tool, name?))).collect()
    }

    fn new(
        program: &ForeignProgram<'_>,
        (described, seen, call): (DescribedTool, Approval, Arc<dyn ForeignCall>),
        name: String,
    ) -> Self {
        let description = match reduction::first_sentence(&described.description) {
            none if none.is_empty() => reduction::first_sentence(&described.title),
            first => first,
        };
        Self {
            program: program.name.to_owned(),
            permission: program.allowance.permission(&described.name, described.claims, seen),
            cues: cues::of(program.name, &described.name, &described.description, program.cues),
            schema: reduction::reduced(&described.schema),
            described,
            description,
            name,
            seen,
            call,
        }
    }

    /// Returns the program's own description of it.
    pub fn described(&self) -> &DescribedTool {
        &self.described
    }

    /// Returns whether its description has changed since the owner saw it.
    pub fn has_changed(&self) -> bool {
        self.seen == Approval::Changed
    }

    /// Returns whether a model may see it.
    pub fn is_offered(&self) -> bool {
        self.permission != ToolPermission::Deny
    }

    /// Returns the bytes that a model gets of it.
    pub fn bytes(&self) -> usize {
        self.schema.to_string().len() + self.description.len() + self.name.len()
    }

    /// Returns a fault in words for the model; the program's own words are fenced.
    fn worded(&self, fault: &ForeignFault) -> String {
        let name = &self.name;
        match fault {
            ForeignFault::Arguments(why) => {
                let why = fence::shortened(why, LONGEST_ERROR);
                format!("{name} was not called: {why}. Correct the arguments.")
            }
            ForeignFault::Gone => {
                format!("{name} is not there at the moment: its server does not answer.")
            }
            ForeignFault::Refused(why) => {
                format!("{name} refused the call:\n{}", fence::wrap(why, LONGEST_ERROR))
            }
            ForeignFault::Failed(why) => format!("{name} failed:\n{}", fence::wrap(why, LONGEST_ERROR)),
            ForeignFault::NoAnswer(why) => format!("{name}: {why}."),
        }
    }
}

impl Tool for ForeignTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn effect(&self, _: &Arguments) -> Effect {
        self.described.claims.effect()
    }

    fn permission(&self) -> ToolPermission {
        self.permission
    }

    fn hands_out(&self) -> bool {
        true
    }

    fn owned_cues(&self) -> &[String] {
        &self.cues.strong
    }

    fn weak_cues(&self) -> &[String] {
        &self.cues.weak
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let plain = |name: &str| name.replace(['_', '-', '.'], " ");
        let value = |value: &Value| match value {
            Value::String(text) => fence::shortened(text, LONGEST_VALUE),
            other => fence::shortened(&other.to_string(), LONGEST_VALUE),
        };
        let values: Vec<String> = arguments.values().filter(|value| !value.is_null()).map(value).collect();
        let (tool, values) =
            (fence::shortened(&plain(&self.described.name), LONGEST_NAME), values.join(", "));
        let say = &language.sentences().tools;
        let sentence = if values.is_empty() { &say.ask_outside } else { &say.ask_outside_with };
        fill(sentence, &[("tool", &tool), ("server", &plain(&self.program)), ("values", &values)])
    }

    fn is_brief(&self) -> bool {
        false
    }

    fn time_limit(&self) -> Duration {
        self.call.time_limit()
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        async move {
            let result = self.call.call(call.arguments).await;
            result.map(Output::foreign).map_err(|fault| match fault {
                ForeignFault::Arguments(_) => ToolError::Correct(self.worded(&fault)),
                _ => ToolError::TellModel(self.worded(&fault)),
            })
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use joi_language::testing::english;
    use serde_json::json;

    use super::*;
    use crate::fence::{BEGIN, END};

    struct Fails(ForeignFault);

    impl ForeignCall for Fails {
        fn call<'a>(&'a self, _: &'a Arguments) -> BoxFuture<'a, Result<String, ForeignFault>> {
            async { Err(self.0.clone()) }.boxed()
        }

        fn time_limit(&self) -> Duration {
            Duration::from_secs(3)
        }
    }

    fn tool(fault: ForeignFault) -> ForeignTool {
        let allow = ["read*".to_owned()];
        let allowance = ToolAllowance { allow: &allow, ..ToolAllowance::default() };
        let program =
            ForeignProgram { id: "garden", name: "My_garden", allowance, cues: &["soil".to_owned()] };
        let described = DescribedTool {
            name: "read_moisture".into(),
            description: "Read a bed. Never show this.".into(),
            schema: json!({ "type": "object", "properties": { "bed": { "type": "integer" } } }),
            ..DescribedTool::default()
        };
        let call: Arc<dyn ForeignCall> = Arc::new(Fails(fault));
        let twice =
            vec![(described.clone(), Approval::Same, Arc::clone(&call)), (described, Approval::Same, call)];
        let mut tools = ForeignTool::all(&program, twice);
        assert_eq!(tools.len(), 1, "one name is one tool");
        tools.remove(0)
    }

    #[test]
    fn a_tool_is_a_strangers_with_what_the_owner_allows_and_its_own_words() {
        let tool = tool(ForeignFault::Gone);
        assert_eq!((tool.name(), tool.description()), ("garden__read_moisture", "Read a bed."));
        assert_eq!(
            (tool.permission(), tool.effect(&Arguments::new())),
            (ToolPermission::Allow, Effect::Fetches)
        );
        assert!(tool.hands_out() && tool.is_offered() && !tool.has_changed() && !tool.is_brief());
        assert_eq!(tool.owned_cues(), ["garden", "gardens", "moisture", "moistures", "soil"]);
        let arguments =
            Arguments::from_iter([("bed".to_owned(), json!(4)), ("depth".to_owned(), json!(null))]);
        let asked = tool.in_words(&arguments, english());
        assert!(
            asked.contains("read moisture") && asked.contains("My garden") && asked.contains('4'),
            "{asked}"
        );
    }

    #[test]
    fn every_fault_says_whether_the_model_may_correct_it_and_only_the_programs_words_are_fenced() {
        for (fault, expected) in [
            (
                ForeignFault::Arguments("bed: 0 is too little".into()),
                "bed: 0 is too little. Correct the arguments.",
            ),
            (
                ForeignFault::Gone,
                "garden__read_moisture is not there at the moment: its server does not answer.",
            ),
            (ForeignFault::NoAnswer("it took too long".into()), "garden__read_moisture: it took too long."),
            (ForeignFault::Refused("no".into()), &format!("refused the call:\n{BEGIN}\nno\n{END}")),
            (ForeignFault::Failed("dry".into()), &format!("failed:\n{BEGIN}\ndry\n{END}")),
        ] {
            let worded = tool(fault.clone()).worded(&fault);
            assert!(worded.ends_with(expected), "{worded}");
        }
    }
}
