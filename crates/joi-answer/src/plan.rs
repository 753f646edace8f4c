//! Parses a plan of tool steps from a model's words, and turns its next step into a call.
//!
//! Any thread. Input: steps in words, such as `weather place='Rome'`. Output: what they say about the memory, and a
//! call when a step is complete, or that a model must fill it in. Only results of this turn count as done.
//! Pure: no I/O, no clock.

use serde::Deserialize;

use crate::json::object;
use crate::protocol::WrittenCall;
use joi_language::{PromptName, PromptTexts};
use joi_tools::{Arguments, Toolbox, fence};

#[cfg(test)]
mod tests;

/// Most steps.
const MOST_STEPS: usize = 5;
/// The longest step, in characters.
const LONGEST_STEP: usize = 200;
/// The step that queries the memory; it is not a tool.
const MEMORY: &str = "searchMemory";
/// The last step: the answer.
const REPLY: &str = "reply";

/// The plan's demand on the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Recall {
    /// Nothing.
    #[default]
    AsUsual,
    /// The memory is not needed.
    Skip,
    /// The memory is needed about this; empty: about the request.
    About(String),
}

/// The plan of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Course {
    /// No plan: none was asked for, or it failed.
    #[default]
    Open,
    /// Neither tools nor anything else is needed but words.
    Reply,
    /// The steps, the last of which is the answer.
    Steps,
}

/// A plan of the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Whether the memory is asked.
    pub recall: Recall,
    /// The task.
    pub course: Course,
    /// The steps, without those for the memory.
    steps: Vec<String>,
}

/// The next step.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanStep {
    /// Ready to run without asking the model.
    Call(WrittenCall),
    /// A model must make a call of it.
    Words(String),
    /// Nothing but the answer is left.
    Answer,
}

impl Plan {
    /// Words, and nothing to be planned.
    pub fn of_words() -> Self {
        Self { course: Course::Reply, ..Self::default() }
    }

    /// Returns what `written` steps come to. A plan whose steps name no tool is none.
    pub fn new(written: Vec<String>, toolbox: &Toolbox) -> Self {
        if written.is_empty() {
            return Self::default();
        }
        let topic = written.iter().find_map(|step| memory_topic(step)).map(str::to_owned);
        let has_memory = topic.is_some();
        let recall = topic.map_or(Recall::Skip, Recall::About);
        let is_reply = |step: &str| {
            let first = step.trim().split(|c: char| !c.is_alphanumeric()).next();
            first.is_some_and(|word| word.eq_ignore_ascii_case(REPLY))
        };
        let mut steps: Vec<String> =
            written.into_iter().filter(|step| memory_topic(step).is_none()).collect();
        let talks = steps.last().is_none_or(|last| is_reply(last)) || (has_memory && steps.len() == 1);
        if steps.last().is_some_and(|last| named(last, toolbox).is_some()) {
            steps.push(REPLY.to_owned());
        }
        let last = steps.pop();
        steps.retain(|step| !is_reply(step));
        steps.extend(last);
        let plan = Self { recall, course: Course::Steps, steps };
        match plan.tools(toolbox).is_empty() {
            false => plan,
            true if talks && plan.steps.len() <= 1 => {
                Self { course: Course::Reply, steps: Vec::new(), ..plan }
            }
            true if has_memory => Self { recall: plan.recall, ..Self::default() },
            true => Self::default(),
        }
    }

    /// The same without the steps of tools that are not `wanted`.
    pub fn of_wanted(mut written: Vec<String>, wanted: &[String], toolbox: &Toolbox) -> Self {
        let count = written.len();
        written.retain(|step| named(step, toolbox).is_none_or(|name| wanted.iter().any(|tool| tool == name)));
        let has_lost = written.len() < count;
        let plan = Self::new(written, toolbox);
        if plan.course != Course::Reply || !has_lost {
            return plan;
        }
        // That it needs no tool is not what was planned.
        let recall = if plan.recall == Recall::Skip { Recall::AsUsual } else { plan.recall };
        Self { recall, ..Self::default() }
    }

    /// Returns whether there are no steps to follow.
    pub fn is_empty(&self) -> bool {
        self.course != Course::Steps
    }

    /// The tools its steps name, in order, without repeats.
    pub fn tools(&self, toolbox: &Toolbox) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for name in self.calls().iter().filter_map(|step| named(step, toolbox)) {
            if !tools.iter().any(|tool| tool == name) {
                tools.push(name.to_owned());
            }
        }
        tools
    }

    /// The steps that are calls.
    fn calls(&self) -> &[String] {
        self.steps.get(..self.steps.len().saturating_sub(1)).unwrap_or_default()
    }

    /// The next step after `done` results of this turn.
    pub fn next(&self, done: usize, toolbox: &Toolbox) -> PlanStep {
        match self.calls().get(done) {
            Some(step) => {
                concrete(step, toolbox).map_or_else(|| PlanStep::Words(step.clone()), PlanStep::Call)
            }
            None => PlanStep::Answer,
        }
    }

    /// The steps as they stand in the prompt; empty when there are none.
    pub fn block(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let lines = self.steps.iter().enumerate().map(|(at, step)| format!("\n{}. {step}", at + 1));
        include_str!("../../../assets/prompts/plan.md").trim().to_owned() + &lines.collect::<String>()
    }

    /// Returns the note to the model beside a step that has failed, behind `done` that have not.
    pub fn hint_of_failure(&self, done: usize, texts: &PromptTexts) -> String {
        let open = self.calls().get(done).map_or("", String::as_str);
        texts
            .of(PromptName::HintOpen)
            .replace("{done}", &done.to_string())
            .replace("{all}", &self.calls().len().to_string())
            .replace("{open}", open)
    }

    /// Returns the note to the model beside the result number `done`.
    pub fn hint(&self, done: usize, texts: &PromptTexts) -> String {
        let all = self.calls().len();
        let template = texts.of(match self.calls().get(done) {
            Some(_) => PromptName::HintStep,
            None => PromptName::HintAnswer,
        });
        let next = self.calls().get(done).map_or("", String::as_str);
        template
            .replace("{done}", &done.min(all).to_string())
            .replace("{all}", &all.to_string())
            .replace("{next}", next)
    }
}

/// The reply of a planner.
#[derive(Debug, Deserialize)]
struct PlanAnswer {
    steps: Vec<String>,
}

/// The steps in what a planner wrote, as JSON or one a line, without numbers, bullets, quotes and fences.
pub fn steps(written: &str) -> Vec<String> {
    let lines = match object::<PlanAnswer>(written) {
        Some(PlanAnswer { steps }) => steps,
        None if written.contains(['{', '}']) => Vec::new(),
        None => written.lines().map(str::to_owned).collect(),
    };
    let clean = lines.iter().map(|line| clean(line)).filter(|step| step.chars().any(char::is_alphanumeric));
    clean.take(MOST_STEPS).collect()
}

/// One step on one line.
fn clean(line: &str) -> String {
    let mut step = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if step.starts_with("```") {
        return String::new();
    }
    let bare = step.trim_start_matches(|c: char| c.is_ascii_digit());
    if bare.len() < step.len()
        && let Some(rest) = bare.strip_prefix(['.', ')', ':'])
    {
        step = rest.to_owned();
    }
    let mut step = step.trim_start_matches(['-', '*', '•', ' ']).trim();
    for quote in ['"', '\'', '`'] {
        if let Some(inside) = step.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            step = inside.trim();
        }
    }
    fence::shortened(step, LONGEST_STEP)
}

/// Returns what a step for the memory is about; nothing when it is another step.
fn memory_topic(step: &str) -> Option<&str> {
    let step = step.trim();
    let behind = step.get(MEMORY.len()..)?;
    let is_it = step.get(..MEMORY.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(MEMORY));
    if !is_it || behind.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let topic = behind.split_once('=').map_or("", |(_, topic)| topic).trim();
    Some(topic.trim_matches(['\'', '"', ')', ' ']))
}

/// The tool a step begins with.
fn named<'a>(step: &str, toolbox: &'a Toolbox) -> Option<&'a str> {
    let first = step.trim().split(|c: char| c.is_whitespace() || c == '(').next()?;
    toolbox.get(first).map(|tool| tool.name())
}

/// The call a step is, when it names a tool and all arguments that it needs and leaves nothing open.
fn concrete(step: &str, toolbox: &Toolbox) -> Option<WrittenCall> {
    let name = named(step, toolbox)?;
    let schema = toolbox.get(name)?.schema();
    let declared = schema.get("properties").and_then(serde_json::Value::as_object)?;
    let rest = step.trim()[name.len()..].trim();
    let rest = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(rest);
    if rest.contains(['<', '>']) {
        return None;
    }
    let mut arguments = Arguments::new();
    let mut left = rest.trim_start_matches([',', ' ']);
    while !left.is_empty() {
        let (key, after) = left.split_once('=')?;
        let key = key.trim();
        declared.get(key)?;
        let after = after.trim_start();
        let (value, rest) = match after.chars().next() {
            Some(quote @ ('\'' | '"')) => after[1..].split_once(quote)?,
            _ => after.split_once([' ', ',']).unwrap_or((after, "")),
        };
        arguments.insert(key.to_owned(), address(key, value.trim()).into());
        left = rest.trim_start_matches([',', ' ']);
    }
    let required = schema.get("required").and_then(serde_json::Value::as_array);
    let is_whole =
        required.into_iter().flatten().filter_map(|key| key.as_str()).all(|key| arguments.contains_key(key));
    is_whole.then(|| WrittenCall { id: None, name: name.to_owned(), arguments })
}

/// An address as it was meant: out of a Markdown link, with its scheme. Other arguments stay literal.
fn address(key: &str, value: &str) -> String {
    if !key.eq_ignore_ascii_case("url") {
        return value.to_owned();
    }
    let link = value.split_once("](").and_then(|(_, url)| url.split_once(')')).map_or(value, |(url, _)| url);
    let is_bare = !link.contains("://") && link.contains('.');
    if is_bare { format!("https://{link}") } else { link.to_owned() }
}
