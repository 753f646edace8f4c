//! `goals`: what the user says about goals, by voice or in writing.
//!
//! Any task. In: an action, the goal as it was named, what is said to it. Out: rows, a sentence, and a nudge for the program
//! that works on goals. It runs no agent: words to a goal wait in its thread, and no word of that thread comes back but its latest
//! message, as words of strangers where there are some in it.

use std::sync::{Arc, PoisonError, RwLock};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use joi_base::clock::Clock;
use joi_language::{Language, fill};
use joi_store::{Store, StoreError};
use joi_tools::{Arguments, Call, CallValue, Effect, LastOf, Output, Tool, ToolError, schema};
use joi_understand::requests::goal;
use serde_json::{Value, json};

use crate::limits::IT_LASTS;
use crate::names::{self, NamedGoal};

mod act;
mod look;

/// The name of the tool.
pub const NAME: &str = goal::GOALS;

/// Wakes the program that works on goals.
pub type GoalsWakeUp = Arc<dyn Fn() + Send + Sync>;

/// A goal as it is spoken of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownGoal {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) is_over: bool,
}

/// The goals there are, for tools that must know without asking the database; clones share it.
#[derive(Debug, Clone, Default)]
pub struct KnownGoals(Arc<RwLock<GoalsNow>>);

#[derive(Debug, Default)]
struct GoalsNow {
    goals: Vec<KnownGoal>,
    has_feed: bool,
}

impl KnownGoals {
    /// Reads them anew.
    ///
    /// # Errors
    /// The database's; what was known stays.
    pub async fn read(&self, store: &Store) -> Result<(), StoreError> {
        let rows = store.work().await?;
        let is_goal = |row: &&joi_store::WorkRow| row.parent == 0 && !row.status.is_empty();
        let known = |row: &joi_store::WorkRow| KnownGoal {
            id: row.id,
            name: row.name.clone(),
            is_over: crate::status::WorkStatus::called(&row.status).is_over(),
        };
        let goals = rows.iter().filter(is_goal).map(known).collect();
        let has_feed = !store.work_notes(0, "feed", 1).await?.is_empty();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = GoalsNow { goals, has_feed };
        Ok(())
    }

    fn all(&self) -> Vec<KnownGoal> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).goals.clone()
    }

    fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).goals.is_empty()
    }

    fn has_feed(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).has_feed
    }
}

/// The tool.
pub struct GoalsTool {
    store: Store,
    clock: Arc<dyn Clock>,
    known: KnownGoals,
    wake_up: GoalsWakeUp,
    /// The goal that each conversation spoke of last.
    it: LastOf<i64>,
}

/// Which goal is meant.
enum Meant {
    One(KnownGoal),
    /// None, in a sentence.
    Not(String),
}

impl GoalsTool {
    /// The tool over a database; `wake_up` is called when there is something to do.
    pub fn new(store: Store, clock: Arc<dyn Clock>, known: KnownGoals, wake_up: GoalsWakeUp) -> Self {
        Self { store, clock, known, wake_up, it: LastOf::new(IT_LASTS) }
    }

    fn speaks_of(&self, goal: i64, call: &Call<'_>) {
        self.it.note(call.conversation, goal, call.now.timestamp());
    }

    /// Returns the goal that "it" is now in a conversation.
    fn it_now(&self, conversation: &str, now: Timestamp) -> Option<KnownGoal> {
        let id = self.it.get(conversation, now)?;
        self.known.all().into_iter().find(|goal| goal.id == id)
    }

    fn meant(&self, call: &Call<'_>) -> Meant {
        let (said, language) = (call.text("goal"), call.language);
        let say = &language.sentences().goals;
        if is_it(said, language) {
            let unknown = || Meant::Not(fill(&say.unknown, &[("name", said)]));
            return self.it_now(call.conversation, call.now.timestamp()).map_or_else(unknown, Meant::One);
        }
        let unnamed: Vec<String> = language.goals().flat_map(|words| words.unnamed.clone()).collect();
        let all = self.known.all();
        // Those that are over are meant where no other is.
        let (open, over): (Vec<&KnownGoal>, Vec<&KnownGoal>) = all.iter().partition(|goal| !goal.is_over);
        for goals in [open, over] {
            let named: Vec<(i64, String)> = goals.iter().map(|goal| (goal.id, goal.name.clone())).collect();
            match names::meant(&named, said, &unnamed) {
                NamedGoal::One(id) => {
                    let found = goals.into_iter().find(|goal| goal.id == id).cloned();
                    return found.map_or_else(|| Meant::Not(say.not_stored.clone()), Meant::One);
                }
                NamedGoal::Several(names) => {
                    let items = language.sentences().time.either(&names);
                    return Meant::Not(fill(&say.which, &[("items", &items)]));
                }
                NamedGoal::None => {}
            }
        }
        Meant::Not(fill(&say.unknown, &[("name", said)]))
    }

    async fn perform(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let lost = |error: StoreError| {
            tracing::warn!(%error, "the goals can't be used");
            ToolError::EndTurn(call.language.sentences().goals.not_stored.clone())
        };
        self.known.read(&self.store).await.map_err(lost)?;
        let done = match call.text("action") {
            "new" => act::open(self, &call).await,
            "list" => Ok(look::list(self, &call)),
            "today" => look::today(self, &call).await,
            "news" => look::news(self, &call).await,
            action => {
                let goal = match self.meant(&call) {
                    Meant::One(goal) => goal,
                    Meant::Not(sentence) => return Ok(Output::own(sentence.clone()).saying(sentence)),
                };
                self.speaks_of(goal.id, &call);
                match action {
                    "how" => look::how(self, &goal, &call).await,
                    "say" => act::say(self, &goal, &call).await,
                    "work" => act::resume(self, &goal, &call).await,
                    "leave" => act::leave(self, &goal, &call).await,
                    _ => act::end(self, &goal, &call).await,
                }
            }
        };
        let done = done.map_err(lost)?;
        self.known.read(&self.store).await.map_err(lost)?;
        Ok(done)
    }
}

/// Returns whether a goal that was spoken of at `at` may still be called "it".
/// Returns whether `said` means the goal that was last spoken of.
fn is_it(said: &str, language: &Language) -> bool {
    let said = said.trim().to_lowercase();
    language.goals().any(|words| words.it.contains(&said))
}

impl Tool for GoalsTool {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "goals joi works on for weeks: open one, ask how it goes, say, go on, leave, end"
    }

    fn schema(&self) -> Value {
        let actions = json!(["new", "list", "how", "say", "work", "leave", "end", "today", "news"]);
        let properties = json!({
            "action": { "type": "string", "enum": actions },
            "goal": { "type": "string", "maxLength": 60 },
            "text": { "type": "string", "maxLength": 500 },
        });
        schema::object(properties, &["action"])
    }

    fn effect(&self, arguments: &Arguments) -> Effect {
        match arguments.get("action").and_then(Value::as_str) {
            Some("list" | "how" | "today" | "news") => Effect::Looks,
            _ => Effect::Remembers,
        }
    }

    fn ready(&self, asked: &str, language: &Language, conversation: &str) -> Option<Arguments> {
        let arguments = goal::arguments(asked, language)?;
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let now = self.clock.now().timestamp();
        let is_meant = match text("action") {
            "new" => !is_it(text("goal"), language),
            // Without a goal these are questions about anything.
            "list" => true,
            "today" => !self.known.is_empty(),
            "news" => self.known.has_feed(),
            _ => match is_it(text("goal"), language) {
                true => self.it_now(conversation, now).is_some(),
                false => {
                    let several = |said: &str| {
                        let unnamed: Vec<String> =
                            language.goals().flat_map(|words| words.unnamed.clone()).collect();
                        let all: Vec<(i64, String)> =
                            self.known.all().into_iter().map(|goal| (goal.id, goal.name)).collect();
                        names::meant(&all, said, &unnamed)
                    };
                    several(text("goal")) != NamedGoal::None
                }
            },
        };
        is_meant.then_some(arguments)
    }

    fn deed(&self, arguments: &Arguments) -> String {
        goal::deed(arguments)
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        goal::values(arguments)
    }

    fn cues(&self) -> &[&str] {
        &["goal", "goals", "project", "vorhaben", "projekt", "help me plan"]
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let say = &language.sentences().goals;
        let sentence = match text("action") {
            "new" => &say.ask_open,
            "say" => &say.ask_say,
            "work" => &say.ask_work,
            "leave" => &say.ask_leave,
            "end" => &say.ask_end,
            _ => &say.ask_look,
        };
        fill(sentence, &[("name", text("goal"))])
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.perform(call).boxed()
    }
}

/// The beginning of the day of `call`.
fn midnight(call: &Call<'_>) -> Timestamp {
    let start = call.now.start_of_day().map(|start| start.timestamp());
    start.unwrap_or_else(|_| call.now.timestamp() - SignedDuration::from_hours(24))
}
