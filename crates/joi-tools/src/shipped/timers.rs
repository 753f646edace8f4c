//! `timers`: timers, alarms and reminders, for what no quick command says.
//!
//! In: what to do, with times in words as a person would say them. Out: what the schedule says once it is durable.
//! Nothing is reported as set, changed or cancelled that is not on the disk; what is not clear goes back to the model.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::form::FormSource;
use crate::{Arguments, Call, Effect, Output, Source, Tool, ToolError, WayBack, fence, schema};
use joi_language::values::deed::{self, CallValue, ValueKind};
use joi_language::{Language, ToolSentences, fill};
use joi_schedule::words::{self, reported};
use joi_schedule::{
    Bias, EntryKind, Many, NewEntry, OrderReport, Schedule, ScheduleOrder, ScheduleQuestion, When, Which,
};

/// Most characters of a question which one is meant, where a stranger has named one of them.
const LONGEST_WHICH: usize = 1_500;

/// Most words of a name that stands in a request.
const NAME_WORDS: usize = 5;

/// Reads "nine minutes" and "tomorrow at noon".
pub type ReadsWhen = fn(&Language, &str) -> Option<When>;

/// The name of the tool.
pub(super) const NAME: &str = "timers";

/// The tool.
pub(super) struct Timers {
    schedule: Option<Schedule>,
    reads: ReadsWhen,
}

impl Timers {
    /// A tool for what `schedule` holds; without one every call fails honestly.
    pub(super) fn new(schedule: Option<Schedule>, reads: ReadsWhen) -> Self {
        Self { schedule, reads }
    }

    fn order(&self, call: Call<'_>) -> Result<ScheduleOrder, ToolError> {
        let (kind, name) = (kind(call.arguments), name(call.arguments));
        let is_all = call.text("action") == "cancelAll";
        let many = if is_all { Many::All } else { Many::One };
        Ok(match call.text("action") {
            "set" => {
                let when = self.when(call)?.ok_or_else(|| no_time(kind, name.is_some()))?;
                let kind = kind.unwrap_or(if matches!(when, When::In(_)) {
                    EntryKind::Timer
                } else {
                    EntryKind::Alarm
                });
                if kind == EntryKind::Reminder && name.is_none() {
                    return Err(model_error("name is missing: what to remind of"));
                }
                let is_reminder = kind == EntryKind::Reminder;
                let name = name.filter(|name| is_reminder || !is_request(name, call.text("when")));
                let bias = if is_reminder { Bias::ByDay } else { Bias::Next };
                let is_foreign = call.source == Source::Foreign && name.is_some();
                ScheduleOrder::Set(NewEntry { kind, name, when: Some(when), bias, is_foreign })
            }
            "change" => {
                let when = self.when(call)?.ok_or_else(|| no_time(kind, true))?;
                ScheduleOrder::Move { which: Which { name, ..Which::of(kind) }, when: Some(when) }
            }
            "cancel" | "cancelAll" => ScheduleOrder::Cancel(Which { many, name, ..Which::of(kind) }),
            _ => ScheduleOrder::List(kind),
        })
    }

    /// Returns the time of a call, if it names one.
    fn when(&self, call: Call<'_>) -> Result<Option<When>, ToolError> {
        let said = call.text("when");
        if said.is_empty() {
            return Ok(None);
        }
        let when = (self.reads)(call.language, said).ok_or_else(|| {
            model_error(format!(
                "when: \"{said}\" is no length and no time; say for example \"10 minutes\", \"6:30 am on weekdays\" or \
                 \"tomorrow at noon\""
            ))
        })?;
        Ok(Some(when))
    }

    async fn perform(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let order = self.order(call)?;
        let schedule = self.schedule.as_ref().ok_or_else(|| lost(call.language, "there is no database"))?;
        let done = schedule.obey(order).await.map_err(|error| lost(call.language, &error.to_string()))?;
        let sentence = reported(&done.report, &done.at, call.language);
        let is_foreign = done.report.is_foreign();
        let back = match &done.report {
            OrderReport::Set(entry) => Some(WayBack::Cancel(entry.id)),
            _ => None,
        };
        match done.report {
            report if report.is_done() => {
                let source = if is_foreign { Source::Foreign } else { Source::Own };
                Ok(Output::of(source, sentence.clone()).saying(sentence).undone_by(back))
            }
            OrderReport::Ask(ScheduleQuestion::Which(_)) => {
                let told = format!("{sentence} Call again with the name of one, or ask the user.");
                Err(model_error(if is_foreign { fence::wrap(&told, LONGEST_WHICH) } else { told }))
            }
            OrderReport::Ask(ScheduleQuestion::Length | ScheduleQuestion::Moment) => {
                Err(no_time(kind(call.arguments), true))
            }
            _ => Err(model_error(sentence)),
        }
    }
}

fn lost(language: &Language, why: &str) -> ToolError {
    tracing::warn!(%why, "timers can't be kept");
    ToolError::EndTurn(language.sentences().tools.no_timers.clone())
}

impl Tool for Timers {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "timers, alarms, reminders; when is e.g. 10 minutes, 6:30 am, tomorrow at noon"
    }

    fn schema(&self) -> Value {
        let properties = json!({
            "action": { "type": "string", "enum": ["set", "list", "change", "cancel", "cancelAll"] },
            "kind": { "type": "string", "enum": ["timer", "alarm", "reminder"] },
            "when": { "type": "string", "maxLength": 60 },
            "name": { "type": "string", "maxLength": 100 },
        });
        schema::object(properties, &["action"])
    }

    fn forms(&self, said: &FormSource<'_>) -> Vec<Value> {
        let name = said.text(NAME_WORDS);
        let call = |action: Value, kind: Value, when: Option<&str>, name: Option<(&Value, bool)>| {
            let mut properties = json!({ "action": action, "kind": kind });
            let mut required = vec!["action", "kind"];
            if let Some(when) = when {
                properties["when"] = json!({ "const": when });
                required.push("when");
            }
            if let Some((name, is_needed)) = name {
                properties["name"] = name.clone();
                required.extend(is_needed.then_some("name"));
            }
            schema::object(properties, &required)
        };
        let optional = name.as_ref().map(|name| (name, false));
        let Some((when, means)) = said.time() else {
            let kinds = json!({ "enum": ["timer", "alarm", "reminder"] });
            let actions = ["list", "cancel"].map(|action| json!({ "const": action }));
            let [list, cancel] = actions;
            return vec![call(list, kinds.clone(), None, None), call(cancel, kinds, None, optional)];
        };
        let set = json!({ "const": "set" });
        let first = match means {
            When::In(_) => call(set.clone(), json!({ "const": "timer" }), Some(when), optional),
            _ => call(set.clone(), json!({ "const": "alarm" }), Some(when), None),
        };
        let reminder = name
            .as_ref()
            .map(|name| call(set, json!({ "const": "reminder" }), Some(when), Some((name, true))));
        [Some(first), reminder].into_iter().flatten().collect()
    }

    fn effect(&self, arguments: &Arguments) -> Effect {
        match arguments.get("action").and_then(Value::as_str) {
            Some("list") => Effect::Looks,
            _ => Effect::Changes,
        }
    }

    fn deed(&self, arguments: &Arguments) -> String {
        deed::named(self.name(), arguments, "action")
    }

    fn values(&self, arguments: &Arguments) -> Vec<CallValue> {
        let kind = ValueKind::Choice("kind");
        let mut values = deed::values_of(
            arguments,
            &[("when", ValueKind::When), ("name", ValueKind::Words), ("kind", kind)],
        );
        if arguments.get("action").and_then(Value::as_str) == Some("cancelAll")
            && !arguments.contains_key("kind")
        {
            // Of every kind: then none of them may have been named.
            values.push(CallValue { kind, text: "every".to_owned() });
        }
        values
    }

    fn in_words(&self, arguments: &Arguments, language: &Language) -> String {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let (say, schedule) = (&language.sentences().tools, &language.sentences().schedule);
        let of = kind(arguments);
        let kind = words::kind(of.unwrap_or(EntryKind::Timer), language);
        let named = match text("name") {
            "" => format!("{} {}", kind.the, kind.one),
            name => {
                format!("{} {}", kind.the, fill(&schedule.named, &[("name", name), ("kind", &kind.one)]))
            }
        };
        let values = [
            ("kind", kind.one.as_str()),
            ("kinds", &kind.many),
            ("name", text("name")),
            ("named", &named),
            ("when", text("when")),
        ];
        fill(asked(say, (text("action"), text("name")), of), &values)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        self.perform(call).boxed()
    }
}

fn kind(arguments: &Arguments) -> Option<EntryKind> {
    let named = arguments.get("kind").and_then(Value::as_str)?;
    [EntryKind::Timer, EntryKind::Alarm, EntryKind::Reminder].into_iter().find(|kind| kind.name() == named)
}

fn name(arguments: &Arguments) -> Option<String> {
    let name = arguments.get("name").and_then(Value::as_str)?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns whether a name is the whole of a request, as small models write it. A name does not show the time again.
fn is_request(name: &str, when: &str) -> bool {
    name.to_lowercase().contains(&when.trim().to_lowercase())
}

fn no_time(kind: Option<EntryKind>, is_named: bool) -> ToolError {
    let example = match kind {
        Some(EntryKind::Alarm) => "6:30 am tomorrow",
        Some(EntryKind::Reminder) => "tomorrow at noon",
        Some(EntryKind::Timer | EntryKind::House) | None => "10 minutes",
    };
    let more = if is_named || kind != Some(EntryKind::Reminder) { "" } else { "; name is missing too" };
    model_error(format!("when is missing: for example \"{example}\"{more}; ask the user if it was not said"))
}

fn model_error(why: impl Into<String>) -> ToolError {
    ToolError::TellModel(why.into())
}

/// Returns the sentence for a call with this action and name.
fn asked<'a>(say: &'a ToolSentences, call: (&str, &str), kind: Option<EntryKind>) -> &'a str {
    match call {
        ("set", "") => &say.ask_set,
        ("set", _) if kind == Some(EntryKind::Reminder) => &say.ask_remind,
        ("set", _) => &say.ask_set_named,
        ("change", _) => &say.ask_change,
        ("cancel", _) => &say.ask_cancel,
        ("cancelAll", _) if kind.is_some() => &say.ask_cancel_every,
        ("cancelAll", _) => &say.ask_cancel_all,
        _ => &say.ask_timers,
    }
}

#[cfg(test)]
mod tests;
