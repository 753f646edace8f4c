//! Words with which goals are opened, spoken to and left, in one language: `[goals]` of `tools.toml`.
//!
//! In: patterns, in which `{goal}` is the name of a goal and `{text}` what is said to it. Out: patterns, ready to use. A pattern
//! that is none is an error that names its key. Pure: no I/O, no clock.

use serde::Deserialize;

use super::pattern::WordPattern;

/// The words.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GoalWords {
    before: Vec<String>,
    behind: Vec<String>,
    /// No part of a name.
    pub unnamed: Vec<String>,
    /// The goal that was last spoken of.
    pub it: Vec<String>,
    new: Vec<String>,
    say: Vec<String>,
    how: Vec<String>,
    work: Vec<String>,
    leave: Vec<String>,
    end: Vec<String>,
    list: Vec<String>,
    today: Vec<String>,
    news: Vec<String>,
    /// All of them.
    #[serde(skip)]
    pub ways: Vec<GoalWay>,
}

/// One way to say something about goals.
#[derive(Debug)]
pub struct GoalWay {
    /// The name of the action.
    pub action: &'static str,
    /// The pattern, with the groups `goal` and `text`.
    pub says: WordPattern,
}

impl GoalWords {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The key of one that is none.
    pub(super) fn read_ways(&mut self) -> Result<(), String> {
        let (before, behind) = (self.before.join("|"), self.behind.join("|"));
        let all = [
            ("new", &self.new),
            ("say", &self.say),
            ("how", &self.how),
            ("work", &self.work),
            ("leave", &self.leave),
            ("end", &self.end),
            ("list", &self.list),
            ("today", &self.today),
            ("news", &self.news),
        ];
        let way = |(action, says): (&'static str, &String)| {
            let goal = "(?P<goal>[^?!;:,]{2,60}?)";
            let pattern = says.replace("{text}", "(?P<text>.{2,500}?)").replace("{goal}", goal);
            let whole = format!("(?i)^(?:(?:{before}),? )*(?:{pattern})(?:,? (?:{behind}))?[.!?]*$");
            WordPattern::new(&whole)
                .map(|says| GoalWay { action, says })
                .map_err(|error| format!("goals.{action} is \"{says}\"; allowed: a pattern: {error}"))
        };
        let ways = all.into_iter().flat_map(|(action, says)| says.iter().map(move |says| (action, says)));
        self.ways = ways.map(way).collect::<Result<_, _>>()?;
        Ok(())
    }
}
