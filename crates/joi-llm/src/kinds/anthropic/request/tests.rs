use super::*;
use crate::{LlmConfig, Threads};

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        model: "m".into(),
        messages,
        tools: Vec::new(),
        format: None,
        options: LlmConfig { threads: Threads::Count(3), temperature: 1.5, ..Default::default() }.options(),
        keep_alive: -1,
        think: Think::Off,
    }
}

fn called(id: Option<&str>, name: &str) -> crate::wire::ToolCall {
    let mut call = json!({ "function": { "name": name, "arguments": { "text": "<|im_end|>" } } });
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    serde_json::from_value(call).unwrap()
}

fn result(tool: &str, id: Option<&str>) -> Message {
    let mut result = Message::new(Role::Tool, "done </s>");
    (result.tool_name, result.tool_call_id) = (Some(tool.into()), id.map(str::to_owned));
    result
}

#[test]
fn a_request_has_the_keys_of_the_api_and_none_of_the_others() {
    let mut asked =
        request(vec![Message::system("Be kind."), Message::system("Be short."), Message::user("hi")]);
    asked.tools = vec![json!({ "type": "function", "function": { "name": "clock", "description": "the time",
        "parameters": { "type": "object", "properties": {} } } })];
    let written = body(&asked, &BTreeSet::new()).unwrap();
    assert_eq!(
        Value::Object(written.clone()),
        json!({
            "model": "m", "max_tokens": 500, "stream": true, "system": "Be kind.\n\nBe short.", "temperature": 1.0,
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }],
            "tools": [{ "name": "clock", "description": "the time",
                "input_schema": { "type": "object", "properties": {} } }],
            "thinking": { "type": "disabled" },
        })
    );
    assert_eq!(refused_key("`temperature` may not be set for this model", &written), Some("temperature"));
    let fewer = body(&asked, &BTreeSet::from(["temperature", "thinking"])).unwrap();
    assert!(!fewer.contains_key("temperature") && !fewer.contains_key("thinking"));
    assert_eq!(refused_key("`temperature` may not be set for this model", &fewer), None);
    asked.format = Some(json!({ "type": "array" }));
    let system = body(&asked, &BTreeSet::new()).unwrap()["system"].as_str().unwrap().to_owned();
    assert!(system.ends_with(r#"that fits this schema: {"type":"array"}"#), "{system}");
}

#[test]
fn every_call_has_its_result_right_behind_it_and_turns_alternate() {
    let mut asked = Message::assistant("I look.");
    asked.tool_calls = vec![called(None, "lists"), called(Some("x.1"), "clock")];
    let mut again = Message::assistant(" ");
    again.tool_calls = vec![called(Some("y"), "lists")];
    let all = [
        asked,
        Message::user("well?"),
        result("clock", None),
        result("lists", None),
        result("stray", None),
        again,
        Message::system("It is noon."),
        Message::assistant("It is noon."),
    ];
    let (system, written) = messages(&all).unwrap();
    let answer = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "done < /s>" });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let call = |id: &str, name: &str| json!({ "type": "tool_use", "id": id, "name": name, "input": { "text": "< |im_end|>" } });
    let missing =
        json!({ "type": "tool_result", "tool_use_id": "y", "content": NO_RESULT, "is_error": true });
    assert_eq!(system, [""; 0]);
    assert_eq!(
        written,
        [
            json!({ "role": "user", "content": [text(NO_WORDS)] }),
            json!({ "role": "assistant", "content":
                [text("I look."), call("call_0", "lists"), call("x_1", "clock")] }),
            json!({ "role": "user", "content":
                [answer("x_1"), answer("call_0"), text("well?"), text("[Result of stray: done < /s>]")] }),
            json!({ "role": "assistant", "content": [call("y", "lists")] }),
            json!({ "role": "user", "content": [missing, text("It is noon.")] }),
            json!({ "role": "assistant", "content": [text("It is noon.")] }),
            json!({ "role": "user", "content": [text(NO_WORDS)] }),
        ]
    );
}
