//! The tool on a real database and by a clock of its own.

use std::sync::Arc;

use super::*;
use crate::testing::clock;
use crate::{gate, run};
use joi_language::testing::{english, in_english};
use joi_schedule::{ClockSaid, Day, Exactness, Said, ScheduleParts, TimersConfig};
use joi_store::Store;

/// Returns a reader that knows three times.
fn reads(_: &Language, said: &str) -> Option<When> {
    let at = |hour, day| {
        let clock = ClockSaid { hour, minute: 0, exactness: Exactness::Exact };
        When::At(Said { clock: Some(clock), day, ..Said::default() })
    };
    match said {
        "10 minutes" => Some(When::In(600)),
        "7 am" => Some(at(7, None)),
        "tomorrow at noon" => Some(at(12, Some(Day::Ahead(1)))),
        _ => None,
    }
}

fn timers(store: &Store) -> Timers {
    let schedule = Schedule::new(ScheduleParts {
        store: store.clone(),
        clock: clock(),
        config: TimersConfig::default(),
        languages: in_english(),
        is_synchronised: || true,
        wake_up: None,
    });
    Timers::new(Some(schedule), reads)
}

async fn call(tool: &Timers, arguments: Value) -> Result<Output, ToolError> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let arguments = schema::checked(&tool.schema(), &arguments).expect("good arguments");
    run(
        tool,
        Call {
            arguments: &arguments,
            effect: tool.effect(&arguments),
            now: &clock().now(),
            source: crate::Source::Own,
            language: english(),
            conversation: "",
        },
    )
    .await
}

#[tokio::test]
async fn the_whole_of_a_request_is_no_name_of_a_timer_and_may_be_what_to_remind_of() {
    let store = Store::in_memory().unwrap();
    let tool = timers(&store);
    let told = async |arguments| call(&tool, arguments).await.unwrap().sentence.unwrap();
    let request = "Set it to timer for 10 Minutes";
    let set = json!({ "action": "set", "when": "10 minutes", "name": request });
    assert_eq!(told(set).await, "Timer, 10 minutes.");
    let remind = json!({ "action": "set", "kind": "reminder", "when": "10 minutes", "name": "stop the 10 minutes timer" });
    assert!(told(remind).await.contains("stop the 10 minutes timer"));
}

#[tokio::test]
async fn an_entry_reported_as_set_changed_or_cancelled_is_in_the_database() {
    let store = Store::in_memory().unwrap();
    let tool = timers(&store);
    let told = async |arguments| call(&tool, arguments).await.unwrap().sentence.unwrap();
    let set = json!({ "action": "set", "when": "10 minutes", "name": "pasta" });
    assert_eq!(told(set).await, "Pasta timer, 10 minutes.");
    assert_eq!(told(json!({ "action": "set", "when": "7 am" })).await, "Alarm tomorrow at 7 AM.");
    let remind =
        json!({ "action": "set", "kind": "reminder", "when": "tomorrow at noon", "name": "call Ann" });
    assert_eq!(told(remind).await, "Reminder tomorrow at noon: call Ann.");
    let change = json!({ "action": "change", "kind": "alarm", "when": "tomorrow at noon" });
    assert_eq!(told(change).await, "Alarm tomorrow at noon.");
    assert_eq!(told(json!({ "action": "list", "kind": "timer" })).await, "Pasta timer: 10 minutes left.");
    assert_eq!(told(json!({ "action": "cancel", "name": "pasta" })).await, "Pasta timer cancelled.");
    assert_eq!(told(json!({ "action": "cancelAll" })).await, "All 2 cancelled.");
    assert_eq!(told(json!({ "action": "list" })).await, "There are no timers, alarms or reminders.");
    // A second program sees the same.
    assert_eq!(
        call(&timers(&store), json!({ "action": "list" })).await.unwrap().text,
        "There are no timers, alarms or reminders."
    );
}

#[tokio::test]
async fn what_is_not_clear_goes_back_to_the_model() {
    let store = Store::in_memory().unwrap();
    let tool = timers(&store);
    let refused = async |arguments| match call(&tool, arguments).await {
        Err(ToolError::TellModel(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(json!({ "action": "set" })).await,
        "when is missing: for example \"10 minutes\"; ask the user if it was not said"
    );
    assert_eq!(
        refused(json!({ "action": "set", "when": "soonish" })).await,
        "when: \"soonish\" is no length and no time; say for example \"10 minutes\", \"6:30 am on weekdays\" or \
         \"tomorrow at noon\""
    );
    let nameless = json!({ "action": "set", "kind": "reminder", "when": "7 am" });
    assert_eq!(refused(nameless).await, "name is missing: what to remind of");
    let none = json!({ "action": "cancel", "kind": "timer", "name": "rice" });
    assert_eq!(refused(none).await, "There is no timer called rice.");
    for name in ["tea", "rice"] {
        call(&tool, json!({ "action": "set", "when": "10 minutes", "name": name })).await.unwrap();
    }
    assert_eq!(
        refused(json!({ "action": "cancel", "kind": "timer" })).await,
        "Which one: the tea timer or the rice timer? Call again with the name of one, or ask the user."
    );
}

#[tokio::test]
async fn what_can_not_be_stored_ends_the_turn_and_is_not_confirmed() {
    let lost = ToolError::EndTurn("I can't get at my timers just now, so nothing was changed.".into());
    let set = || json!({ "action": "set", "when": "10 minutes" });
    assert_eq!(call(&Timers::new(None, reads), set()).await, Err(lost.clone()));
    let store = Store::in_memory().unwrap();
    let tool = timers(&store);
    store.break_timers().await;
    assert_eq!(call(&tool, set()).await, Err(lost));
}

#[test]
fn only_listing_is_without_effect_and_every_call_can_be_asked_about() {
    let tool = Timers::new(None, reads);
    let arguments = |value: Value| value.as_object().cloned().unwrap();
    let list = arguments(json!({ "action": "list" }));
    assert_eq!(tool.effect(&list), Effect::Looks);
    for (call, words) in [
        (json!({ "action": "set", "when": "10 minutes" }), "set a new timer: 10 minutes"),
        (
            json!({ "action": "set", "when": "10 minutes", "name": "pasta" }),
            "set a new timer called pasta: 10 minutes",
        ),
        (
            json!({ "action": "set", "kind": "reminder", "when": "7 am", "name": "call Ann" }),
            "remind you, 7 am: call Ann",
        ),
        (json!({ "action": "change", "kind": "alarm", "when": "7 am" }), "change the alarm: 7 am"),
        (json!({ "action": "cancel", "name": "pasta" }), "cancel the pasta timer"),
        (json!({ "action": "cancelAll", "kind": "alarm" }), "cancel every alarm"),
        (json!({ "action": "cancelAll" }), "cancel all timers, alarms and reminders"),
    ] {
        let call = arguments(call);
        assert_eq!(tool.effect(&call), Effect::Changes);
        assert_eq!(tool.in_words(&call, english()), words);
        let facts = gate::CallFacts {
            tool: "timers",
            effect: tool.effect(&call),
            taint: gate::Taint::Tainted,
            address: gate::Address::Named,
            permission: gate::ToolPermission::Allow,
            handed: gate::Handed::Nothing,
            wish: gate::Wish::Act,
            refused: false,
            consent: gate::Consent::NotAsked,
            lately: 0,
        };
        assert!(matches!(gate::judge(&facts, &crate::ToolsConfig::default()), gate::GateVerdict::Ask(_)));
    }
    let _: Arc<dyn Tool> = Arc::new(tool);
}
