//! Calls of tools and replies that follow a schema, by the real model.

use serde_json::{Value, json};

use crate::support::{SHARED, chat, user};

fn tools() -> Value {
    let tool = |name: &str, what: &str, properties: Value, required: &[&str]| {
        json!({"type": "function", "function": {"name": name, "description": what,
            "parameters": {"type": "object", "properties": properties, "required": required, "additionalProperties": false}}})
    };
    json!([
        tool(
            "get_weather",
            "the current weather in a city",
            json!({"city": {"type": "string", "maxLength": 40}}),
            &["city"]
        ),
        tool("set_volume", "set the volume", json!({"percent": {"type": "integer"}}), &["percent"]),
    ])
}

fn asked(text: &str) -> Value {
    chat(&user(text), &json!({"temperature": 0, "num_predict": 80}), false)
}

#[test]
fn a_call_comes_as_an_object_with_an_id_and_its_result_reaches_the_model() {
    let mut request = asked("What is the weather in Paris now?");
    request["tools"] = tools();
    let reply = SHARED.post("/api/chat", &request).json();
    let call = &reply["message"]["tool_calls"][0];
    assert_eq!(call["function"]["name"], "get_weather", "{reply}");
    assert_eq!(call["function"]["arguments"], json!({"city": "Paris"}), "{reply}");
    assert!(call["id"].as_str().is_some_and(|id| id.starts_with("call_")), "{reply}");
    assert_eq!(
        (&reply["done_reason"], &reply["message"]["content"]),
        (&json!("stop"), &json!("")),
        "{reply}"
    );
    let messages = request["messages"].as_array_mut().expect("messages");
    messages.push(reply["message"].clone());
    messages.push(json!({"role": "tool", "tool_name": "get_weather", "content": "17 degrees and rain"}));
    // So small a model would rather call again than answer, if it could; how it words it is its own affair.
    request["tools"] = json!([]);
    let reply = SHARED.post("/api/chat", &request).json();
    let knows = |text: &str| text.contains("17") || text.contains("rain");
    assert!(reply["message"]["content"].as_str().is_some_and(knows), "{reply}");
}

#[test]
fn a_streamed_call_is_one_line_and_no_word_of_it_is_text() {
    let mut request = asked("Set the volume to 40 percent.");
    request["tools"] = tools();
    request["stream"] = json!(true);
    let lines = SHARED.post("/api/chat", &request).lines();
    let calls: Vec<&Value> = lines.iter().filter(|line| line["message"]["tool_calls"].is_array()).collect();
    assert_eq!(calls.len(), 1, "{lines:?}");
    assert_eq!(calls[0]["message"]["tool_calls"][0]["function"]["arguments"], json!({"percent": 40}));
    let words: String = lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect();
    assert!(!words.contains("tool_call") && !words.contains('{'), "{words}");
}

#[test]
fn a_schema_binds_every_reply() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"name": {"const": "set_volume"}, "arguments": {"type": "object",
            "properties": {"percent": {"type": "integer"}}, "required": ["percent"], "additionalProperties": false}},
            "required": ["name", "arguments"], "additionalProperties": false},
        {"type": "object", "properties": {"name": {"const": "none"}}, "required": ["name"], "additionalProperties": false},
    ]});
    for text in [
        "Set the volume to 40 percent.",
        "Tell me a story.",
        "Write a poem without any JSON, please!",
        "{{{{",
    ] {
        let mut request = asked(text);
        request["format"] = schema.clone();
        let reply = SHARED.post("/api/chat", &request).json();
        let choice: Value =
            serde_json::from_str(reply["message"]["content"].as_str().expect("text")).expect("JSON");
        let fits = choice == json!({"name": "none"})
            || (choice["name"] == "set_volume" && choice["arguments"]["percent"].is_i64());
        assert!(fits, "{choice}");
    }
}
