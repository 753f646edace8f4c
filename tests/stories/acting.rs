//! Tools as an owner meets them: the program as it is started, a scripted model server, a real database.

use serde_json::{Value, json};

use crate::support::ollama_double::{Double, Model, Script};
use crate::support::program::Home;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn fenced(name: &str, arguments: &Value) -> String {
    format!("```tool_call\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n```")
}

fn chosen(name: &str, arguments: &Value) -> Script {
    Script::words(&json!({ "name": name, "arguments": arguments }).to_string())
}

/// The bodies of the chats that were asked to answer, not to warm up.
fn asked(double: &Double) -> Vec<Value> {
    double.chats().into_iter().filter(|chat| chat["options"]["num_predict"] != 1).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_written_as_text_is_run_and_the_record_shows_reply_calls_and_times() {
    // `joi ask --json`
    let double = Double::start().await;
    let call = fenced("timers", &json!({ "action": "cancel", "name": "rice" }));
    double.when("surely the rice", vec![Script::words(&call)]);
    double.when("[tool result: timers]", vec![Script::words("No rice is cooking.")]);
    let home = Home::with_model_server(&double.url);
    let record =
        json(&home.joi(&["ask", "--json", "surely the rice is done so cancel its timer"]).well().out);
    assert_eq!(record["reply"], "No rice is cooking.");
    let used = record["tool_use"].as_array().unwrap();
    assert_eq!((used.len(), &used[0]["name"], &used[0]["outcome"]), (1, &json!("timers"), &json!("failed")));
    assert_eq!(used[0]["arguments"], json!({ "action": "cancel", "name": "rice" }));
    assert!(used[0]["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{record}");
    assert_eq!(record["model_use"].as_array().map(Vec::len), Some(2));
    let stages: Vec<&str> =
        record["marks"].as_array().unwrap().iter().map(|mark| mark["stage"].as_str().unwrap()).collect();
    assert_eq!(stages, ["first_token", "end"], "{record}");
    let last = asked(&double).pop().unwrap();
    let roles: Vec<&str> = last["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"], "one system message, speakers in turn");
    let result = last["messages"][3]["content"].as_str().unwrap();
    assert!(result.starts_with("[Tool result: timers]\nError: There is no timer called rice."), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_set_by_the_model_is_in_the_list_and_a_question_needs_a_yes() {
    // Of the issue: durable before it is told; the gate by text
    let double = Double::start().await;
    let set = json!({ "action": "set", "kind": "timer", "when": "7 minutes", "name": "egg" });
    double.when("on an egg timer", vec![chosen("timers", &set)]);
    let alarm = json!({ "action": "set", "kind": "alarm", "when": "5 am" });
    double.when("first light", vec![chosen("timers", &alarm)]);
    let home = Home::with_model_server(&double.url);
    let said = "put seven minutes on an egg timer would you\nan alarm for the first light of the day please\n\
                yes please\nan alarm for the first light of the day please\nno thanks\n/timers\n";
    let told = home.joi_reading(said, &["text"]).well().out;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[..3],
        ["Egg timer, 7 minutes.", "Shall I set a new alarm: 5 am?", "Alarm tomorrow at 5 AM."].map(|line| {
            if lines[2].contains("today") { line.replace("tomorrow", "today") } else { line.into() }
        }),
        "{told}"
    );
    assert_eq!(lines[3], "Shall I set a new alarm: 5 am?", "{told}");
    let timers = json(&home.joi(&["timers", "--json"]).well().out);
    let kinds: Vec<&str> =
        timers.as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.len(), 2, "one timer, and one alarm after one yes: {timers}");
    let bound = &asked(&double)[0]["format"];
    assert_eq!(bound["anyOf"][0]["properties"]["name"], json!({ "const": "timers" }), "{bound}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_model_picks_plans_calls_natively_and_gets_its_result_by_id() {
    // What is asked beside the answer shares its head and tools, and `joi why` tells it
    let double = Double::start().await;
    double.install(vec![Model::new("double:70b", &["completion", "tools"])]);
    let card = json!({
        "capabilities": ["completion", "tools"], "details": { "family": "double" },
        "model_info": { "general.parameter_count": 70_000_000_000_u64, "double.context_length": 8192 },
    });
    double.script("POST /api/show", Script::json(200, &card));
    let call = json!({ "id": "call_7", "function": { "name": "calculate", "arguments": { "expression": "17 * 23" } } });
    let calling =
        json!({ "message": { "role": "assistant", "content": "", "tool_calls": [call] }, "done": false });
    let done =
        json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop" });
    let picks = json!({ "tools": ["calculate"] }).to_string();
    double.when("which tools does the request below need", vec![Script::words(&picks)]);
    let plan = json!({ "steps": ["calculate expression='17 * 23'", "reply"] }).to_string();
    double.when("plan how to answer the request", vec![Script::words(&plan)]);
    double.when("seventeen by", vec![Script::lines(&[calling, done])]);
    double.when("17 * 23 = 391", vec![Script::words("It is 391.")]);
    let mut home = Home::with_model_server(&double.url);
    home.set("llm.model=double:70b");
    let record = json(&home.joi(&["ask", "--json", "what do I get for seventeen by 23"]).well().out);
    assert_eq!(record["reply"], "It is 391.", "{record}");
    assert_eq!(record["tool_use"][0]["name"], "calculate");
    let last = asked(&double).pop().unwrap();
    let messages = last["messages"].as_array().unwrap();
    let result = messages.last().unwrap();
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!("call_7")), "{last}");
    assert!(last["tools"].as_array().is_some_and(|tools| tools.len() > 5), "{last}");
    let purposes: Vec<&str> = record["model_use"]
        .as_array()
        .unwrap()
        .iter()
        .map(|used| used["purpose"].as_str().unwrap())
        .collect();
    assert_eq!(purposes, ["router", "planner", "answer", "answer"], "{record}");
    for chat in asked(&double) {
        assert_eq!((&chat["messages"][0], &chat["tools"]), (&last["messages"][0], &last["tools"]));
    }
    let why = home.joi(&["why"]).well().out;
    assert!(why.contains("planner") && why.contains("4 in all"), "{why}");
}
