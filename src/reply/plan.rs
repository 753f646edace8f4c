//! A plan of tool steps, and how its next step becomes a call.
//!
//! PURE, any thread. In: steps in words, such as `weather place='Rome'`. Out: a call when the step is whole,
//! or that a model must fill it in. Only results of this turn count as done.

use super::protocol::Made;
use crate::tools::{Arguments, Toolbox};

/// Steps of the turn; empty: there is no plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    steps: Vec<String>,
}

/// What the next step is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Ready to run without asking the model.
    Call(Made),
    /// A model must make a call of it.
    Words(String),
    /// Nothing but the answer is left.
    Answer,
}

impl Plan {
    /// A plan of `steps`, the last of which is the answer.
    pub(crate) fn new(mut steps: Vec<String>) -> Self {
        if !steps.is_empty() && memory_step(&steps).0 {
            steps.remove(0);
        }
        Self { steps }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The tools its steps name, in order, without repeats.
    pub(crate) fn tools(&self, toolbox: &Toolbox) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for name in self.steps.iter().filter_map(|step| named(step, toolbox)) {
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
    pub(crate) fn next(&self, done: usize, toolbox: &Toolbox) -> Step {
        match self.calls().get(done) {
            Some(step) => concrete(step, toolbox).map_or_else(|| Step::Words(step.clone()), Step::Call),
            None => Step::Answer,
        }
    }

    /// What the model is told beside the result number `done`.
    pub(crate) fn hint(&self, done: usize) -> String {
        let all = self.calls().len();
        let template = match self.calls().get(done) {
            Some(_) => include_str!("../../assets/prompts/hint.step.md"),
            None => include_str!("../../assets/prompts/hint.answer.md"),
        };
        let next = self.calls().get(done).map_or("", String::as_str);
        template
            .trim()
            .replace("{done}", &done.min(all).to_string())
            .replace("{all}", &all.to_string())
            .replace("{next}", next)
    }
}

/// Whether a plan wants the memory asked, and about what: one that has no steps does, another one says so in its
/// first step, `searchMemory topic='…'`.
pub(crate) fn memory_step(steps: &[String]) -> (bool, Option<&str>) {
    let Some(first) = steps.first() else { return (true, None) };
    let first = first.trim();
    let name = "searchMemory";
    let is_it = first.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
    if !is_it {
        return (false, None);
    }
    let topic = first[name.len()..].split_once('=').map_or("", |(_, topic)| topic).trim();
    (true, Some(topic.trim_matches(['\'', '"', ')', ' '])))
}

/// The tool a step begins with.
fn named<'a>(step: &str, toolbox: &'a Toolbox) -> Option<&'a str> {
    let first = step.trim().split(|c: char| c.is_whitespace() || c == '(').next()?;
    toolbox.get(first).map(|tool| tool.name())
}

/// The call a step is, when it names a tool and all its arguments and leaves nothing open.
fn concrete(step: &str, toolbox: &Toolbox) -> Option<Made> {
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
    Some(Made { id: None, name: name.to_owned(), arguments })
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use serde_json::{Value, json};

    use super::*;
    use crate::tools::{Call, Output, Tool, ToolError, schema};

    struct Named(&'static str);

    impl Tool for Named {
        fn name(&self) -> &str {
            self.0
        }
        fn description(&self) -> &str {
            ""
        }
        fn schema(&self) -> Value {
            schema::object(json!({ "url": { "type": "string" }, "query": { "type": "string" } }), &[])
        }
        fn in_words(&self, _: &Arguments) -> String {
            String::new()
        }
        fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
            async { Ok(Output::own("")) }.boxed()
        }
    }

    fn toolbox() -> Toolbox {
        Toolbox::new(vec![Arc::new(Named("search")), Arc::new(Named("home-lamp__on"))])
    }

    fn step(text: &str) -> Step {
        Plan::new(vec![text.into(), "answer".into()]).next(0, &toolbox())
    }

    fn call(name: &str, arguments: Value) -> Step {
        Step::Call(Made { id: None, name: name.into(), arguments: arguments.as_object().cloned().unwrap() })
    }

    // covers F2, F4
    #[test]
    fn a_whole_step_needs_no_model_and_anything_else_does() {
        assert_eq!(
            step("search query='big cats', url=[x](https://a.org/b)"),
            call("search", json!({ "query": "big cats", "url": "https://a.org/b" }))
        );
        assert_eq!(step("search(url=a.org)"), call("search", json!({ "url": "https://a.org" })));
        assert_eq!(step("search query=a.org"), call("search", json!({ "query": "a.org" })));
        assert_eq!(step("home-lamp__on"), call("home-lamp__on", json!({})));
        for words in [
            "search for cats",
            "search query='<what was found>'",
            "search colour='red'",
            "look it up",
            "search query='open",
        ] {
            assert_eq!(step(words), Step::Words(words.into()), "{words}");
        }
    }

    // covers E4, C5, G3
    #[test]
    fn a_step_for_the_memory_is_taken_off_and_names_its_topic() {
        let steps = |text: &str| vec![text.to_owned(), "answer".to_owned()];
        for (first, wanted) in [
            ("searchMemory topic='my sister'", (true, Some("my sister"))),
            ("searchmemory topic=\"Rome\"", (true, Some("Rome"))),
            ("SEARCHMEMORY topic=Rome", (true, Some("Rome"))),
            ("searchMemory", (true, Some(""))),
            ("search query=a", (false, None)),
        ] {
            let steps = steps(first);
            assert_eq!(memory_step(&steps), wanted, "{first}");
            assert_eq!(Plan::new(steps).steps.len(), if wanted.0 { 1 } else { 2 });
        }
        assert_eq!(memory_step(&[]), (true, None));
    }

    // covers F5, F6
    #[test]
    fn steps_are_counted_by_the_results_of_this_turn() {
        let plan = Plan::new(vec!["search query=a".into(), "search query=b".into(), "answer".into()]);
        assert_eq!(plan.tools(&toolbox()), ["search"]);
        assert_eq!(plan.next(1, &toolbox()), call("search", json!({ "query": "b" })));
        assert_eq!(plan.next(2, &toolbox()), Step::Answer);
        assert!(
            plan.hint(1).contains("1 of 2") && plan.hint(1).contains("search query=b"),
            "{}",
            plan.hint(1)
        );
        assert!(plan.hint(2).contains("2 of 2"), "{}", plan.hint(2));
        assert_eq!(Plan::default().next(0, &toolbox()), Step::Answer);
    }
}
