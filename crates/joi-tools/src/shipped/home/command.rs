//! `homeCommand`: one command to one item of the house.
//!
//! In: an item and a command in the model's words. Out: what became of it, read back. Only a state that followed, is on
//! its way, or has none to show counts as done; anything else is said at once and ends the turn.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{named_value, no_such, seen, things_said, view, which, written};
use crate::form::FormSource;
use crate::{Arguments, Call, Effect, HouseCall, Output, Tool, ToolError, schema};
use joi_home::house::{Caution, FoundItem, House, Item, ItemCommand, Ordered, typed};
use joi_home::{CommandOutcome, FOLLOWS_WITHIN, Home, SendFault};
use joi_language::values::deed::{CallValue, ValueKind};
use joi_language::{Language, capital, fill};
use joi_understand::house::unreached;

/// The name of the tool.
pub(crate) const NAME: &str = "homeCommand";
/// After this long nobody knows what became of a command; shorter than the limit of any tool.
const KNOWN_WITHIN: Duration = Duration::from_secs(15);

/// The tool.
pub(crate) struct HomeCommandTool(Arc<dyn Home>);

/// A command that may be sent.
struct CheckedCommand<'a> {
    item: &'a Item,
    command: ItemCommand,
    ordered: Ordered,
}

impl HomeCommandTool {
    /// Commands to `home`.
    pub(crate) fn new(home: Arc<dyn Home>) -> Self {
        Self(home)
    }

    async fn perform(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let view = seen(&*self.0, call.language)?;
        let CheckedCommand { item, command, ordered } = checked(call.arguments, &view.house)?;
        if ordered.caution != Caution::None && call.effect != Effect::Risks {
            // The house was changed since the gate has looked.
            return Err(ToolError::TellModel("the owner has to be asked first; call again".to_owned()));
        }
        let sent = joi_home::command(&*self.0, &ordered, FOLLOWS_WITHIN);
        let outcome = timeout(KNOWN_WITHIN, sent).await.ok();
        reported(outcome.as_ref(), (item, &command), call.language)
    }
}

impl Tool for HomeCommandTool {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "command one thing of the house: on, off, up, down, stop, 40 %, 21.5"
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "item": { "type": "string", "maxLength": 80 },
            "command": { "type": "string", "maxLength": 60 },
        });
        schema::object(properties, &["item", "command"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let things = things_said(said, &view(&*self.0).house);
        if things.is_empty() {
            return Vec::new();
        }
        let command = match said.has_number() {
            true => json!({ "type": "string", "maxLength": 12 }),
            false => json!({ "enum": ["on", "off", "up", "down", "stop"] }),
        };
        vec![schema::object(json!({ "item": { "enum": things }, "command": command }), &["item", "command"])]
    }

    fn effect(&self, arguments: &Arguments) -> Effect {
        match checked(arguments, &view(&*self.0).house) {
            Ok(checked) if checked.ordered.caution == Caution::None => Effect::Changes,
            Ok(_) => Effect::Risks,
            // It will come to nothing.
            Err(_) => Effect::Changes,
        }
    }

    fn deed(&self, arguments: &Arguments) -> String {
        let view = view(&*self.0);
        let deed = match checked(arguments, &view.house) {
            Ok(checked) => deed(&checked.command),
            Err(_) => "set",
        };
        format!("{NAME} {deed}")
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        let numbers = CallValue { kind: ValueKind::Numbers, text: written(arguments, "command").to_owned() };
        named_value(arguments, &view(&*self.0).house).into_iter().chain([numbers]).collect()
    }

    fn house_call(&self, arguments: &Arguments) -> Option<HouseCall> {
        let view = view(&*self.0);
        let CheckedCommand { item, command, ordered } =
            checked(arguments, &view.house).ok().filter(|_| view.link.is_up())?;
        let title = item.title().to_owned();
        Some(HouseCall { ordered, command, title, before: view.house.clone() })
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let view = view(&*self.0);
        let say = &language.sentences().tools;
        let (thing, value) = match checked(arguments, &view.house) {
            Ok(CheckedCommand { item, command, .. }) => {
                (item.title().to_owned(), spoken(&command, written(arguments, "command"), language))
            }
            Err(_) => (written(arguments, "item").to_owned(), written(arguments, "command").to_owned()),
        };
        fill(&say.ask_home_command, &[("thing", &thing), ("value", &value)])
    }

    fn time_limit(&self) -> Duration {
        Duration::from_secs(20)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.perform(call).boxed()
    }
}

/// Returns the command of a call, checked; or what the model gets.
fn checked<'a>(arguments: &Arguments, house: &'a House) -> Result<CheckedCommand<'a>, ToolError> {
    let (name, text) = (written(arguments, "item"), written(arguments, "command"));
    let order = |item: &'a Item| {
        let command = typed::command(text, item)?;
        let ordered = house.order(&item.name, &command)?;
        Ok(CheckedCommand { item, command, ordered })
    };
    match house.meant(name) {
        FoundItem::Nothing => Err(no_such(name)),
        FoundItem::One(item) => {
            order(item).map_err(|refused: joi_home::house::Refused| ToolError::TellModel(refused.to_string()))
        }
        FoundItem::Several(several) => {
            // Of a lamp and its colour only one may take this.
            let mut able = several.iter().filter_map(|item| order(item).ok());
            match (able.next(), able.next()) {
                (Some(one), None) => Ok(one),
                _ => Err(which(&several, house)),
            }
        }
    }
}

/// Returns the deed of a command, as the tool names it.
pub fn house_deed(command: &ItemCommand) -> String {
    format!("{NAME} {}", deed(command))
}

/// Returns which deed a command is, by the words that ask for it.
fn deed(command: &ItemCommand) -> &'static str {
    match command {
        ItemCommand::On | ItemCommand::Play => "on",
        ItemCommand::Off | ItemCommand::Pause | ItemCommand::Stop => "off",
        ItemCommand::Up | ItemCommand::Increase => "up",
        ItemCommand::Down | ItemCommand::Decrease => "down",
        ItemCommand::Percent(_)
        | ItemCommand::Number(_)
        | ItemCommand::Quantity(..)
        | ItemCommand::Colour(..)
        | ItemCommand::Text(_)
        | ItemCommand::Moment(_)
        | ItemCommand::Position(..)
        | ItemCommand::Move
        | ItemCommand::Next
        | ItemCommand::Previous
        | ItemCommand::FastForward
        | ItemCommand::Rewind => "set",
    }
}

/// Returns a command as it is asked about.
fn spoken(command: &ItemCommand, written: &str, language: &Language) -> String {
    let Some(words) = language.house() else { return written.to_owned() };
    match command {
        ItemCommand::On => words.say.is_on.clone(),
        ItemCommand::Off => words.say.is_off.clone(),
        ItemCommand::Up => words.say.is_open.clone(),
        ItemCommand::Down => words.say.is_closed.clone(),
        _ => written.to_owned(),
    }
}

/// Returns what became of it; no outcome is known where there is none.
fn reported(
    outcome: Option<&CommandOutcome>,
    (item, command): (&Item, &ItemCommand),
    language: &Language,
) -> Result<Output, ToolError> {
    let (title, house) = (item.title(), language.house());
    let say = |sentence: fn(&joi_language::HouseSentences) -> &String| {
        house.map(|words| capital(&fill(sentence(&words.say), &[("thing", title), ("things", title)])))
    };
    let done = |text: String, sentence: Option<String>| {
        let output = Output::own(text);
        Ok(sentence.map_or(output.clone(), |sentence| output.saying(sentence)))
    };
    let over = |sentence: Option<String>, text: &str| {
        Err(sentence.map_or_else(|| ToolError::TellModel(text.to_owned()), ToolError::EndTurn))
    };
    match outcome {
        Some(CommandOutcome::Done(state)) => {
            let sentence = match command {
                ItemCommand::On | ItemCommand::Off if item.caution == Caution::None => {
                    house.map(|words| words.switched(title, *command == ItemCommand::On))
                }
                _ => say(|say| &say.done),
            };
            done(format!("done; {title} is {state} now"), sentence)
        }
        Some(CommandOutcome::Underway(state)) => {
            done(format!("{title} is on its way, at {state} now"), say(|say| &say.underway))
        }
        Some(CommandOutcome::Sent) => {
            done(format!("sent to {title}; no state tells whether it was done"), say(|say| &say.sent))
        }
        Some(CommandOutcome::NotConfirmed(_)) => {
            over(say(|say| &say.not_confirmed), "it was sent, but nothing has changed; tell the user so")
        }
        Some(CommandOutcome::Failed(SendFault::NotSent(fault))) => {
            let why = house.and_then(|words| unreached::cause(fault, &words.say)).cloned();
            over(why.or_else(|| say(|say| &say.not_sent)), "it was not sent: the house can't be reached")
        }
        Some(CommandOutcome::Failed(SendFault::OutcomeUnknown(_))) | None => over(
            say(|say| &say.outcome_unknown),
            "nobody knows whether it arrived; tell the user so and do not call again",
        ),
    }
}
