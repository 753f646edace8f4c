//! The client against a double that refuses what the API refuses.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::*;
use crate::testing::anthropic::events;
use crate::testing::{Double, Script};
use crate::wire::{ChatEvent, DoneReason, FunctionCall, Message, Role, Think, ToolCall};
use crate::{LlmConfig, Threads};

const CHAT: &str = "POST /v1/messages";
const KEY: &str = "sk-ant-test";

fn client(double: &Double) -> Anthropic {
    Anthropic::new(&double.url, Some(Private(KEY.to_owned()))).unwrap()
}

fn request(messages: Vec<Message>) -> ChatRequest {
    let config = LlmConfig { threads: Threads::Count(1), temperature: 0.0, ..LlmConfig::default() };
    ChatRequest {
        model: "claude-double-1".to_owned(),
        messages,
        tools: Vec::new(),
        format: None,
        options: config.options(),
        keep_alive: -1,
        think: Think::Off,
    }
}

/// Reads a reply to its end: its events, the last of which is `Done`, or how it failed.
async fn answer(client: &Anthropic, request: &ChatRequest) -> Result<Vec<ChatEvent>, LlmError> {
    let mut reply = client.chat(request).await?;
    let mut events = Vec::new();
    while let Some(event) = reply.next().await {
        events.push(event?);
    }
    assert!(matches!(events.last(), Some(ChatEvent::Done(_))), "{events:?}");
    Ok(events)
}

fn text_of(events: &[ChatEvent]) -> String {
    let text = |event: &ChatEvent| match event {
        ChatEvent::Text(text) => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn stats_of(events: &[ChatEvent]) -> ChatStats {
    match events.last() {
        Some(ChatEvent::Done(stats)) => stats.clone(),
        other => panic!("{other:?}"),
    }
}

async fn scripted(script: Script) -> Result<Vec<ChatEvent>, LlmError> {
    let double = Double::anthropic().await;
    double.script(CHAT, script);
    answer(&client(&double), &request(vec![Message::user("Hello.")])).await
}

#[tokio::test]
async fn the_key_goes_with_every_call_and_is_never_shown() {
    let double = Double::anthropic().await;
    for url in [format!("{}/v1/", double.url), double.url.clone()] {
        let client = Anthropic::new(&url, Some(Private(KEY.to_owned()))).unwrap();
        assert_eq!(client.address(), double.url);
        let said = answer(&client, &request(vec![Message::user("Hello.")])).await.unwrap();
        assert_eq!(text_of(&said), "You said, as I heard it: Hello.");
        assert_eq!(client.models().await.unwrap()[0].name, "claude-double-1");
        assert!(!format!("{client:?}").contains(KEY));
    }
    assert!(double.seen().iter().all(|seen| seen.authorization.is_none()));
    let keyless = Anthropic::new(&double.url, None).unwrap();
    assert_eq!(keyless.models().await, Err(LlmError::KeyRefused { at: double.url.clone(), status: 401 }));
    assert!(matches!(Anthropic::new("nowhere", None), Err(LlmError::Garbage(_))));
}

#[tokio::test]
async fn a_conversation_with_tools_is_taken_and_its_calls_come_whole() {
    let double = Double::anthropic().await;
    let arguments = json!({ "place": "Tōkyō", "days": [1, 2] });
    let reply = events("I look. ", &[("weather", arguments.clone()), ("clock", json!({}))], (41, 12));
    for size in [1, 7, 4096] {
        double.script(CHAT, Script::events(&reply).in_pieces_of(size));
        let said = answer(&client(&double), &request(vec![Message::user("And Tokyo?")])).await.unwrap();
        let call = |index: u32, name: &str, arguments: &Value| {
            let Value::Object(arguments) = arguments.clone() else { panic!("{arguments}") };
            let function = FunctionCall { index: Some(index), name: name.into(), arguments };
            ChatEvent::ToolCall(ToolCall { id: Some(format!("toolu_{index}")), function })
        };
        let calls = [call(0, "weather", &arguments), call(1, "clock", &json!({}))];
        assert_eq!(said[said.len() - 3..said.len() - 1], calls, "{said:?}");
        assert_eq!(text_of(&said), "I look. ");
        let stats = stats_of(&said);
        assert_eq!(
            (stats.prompt_eval_count, stats.eval_count, stats.done_reason),
            (41, 12, DoneReason::Stop)
        );
    }
    let mut asked = Message::assistant("I look.");
    asked.tool_calls = vec![
        ToolCall {
            id: Some("toolu_0".into()),
            function: serde_json::from_value(json!({ "name": "weather", "arguments": {} })).unwrap(),
        };
        1
    ];
    let mut result = Message::new(Role::Tool, "It rains.");
    result.tool_call_id = Some("toolu_0".into());
    let conversation = vec![Message::system("Be kind."), Message::user("And Tokyo?"), asked, result];
    let said = answer(&client(&double), &request(conversation)).await.unwrap();
    assert_eq!(text_of(&said), "You said, as I heard it: And Tokyo?");
}

#[tokio::test]
async fn a_limit_of_tokens_ends_a_reply_and_a_call_that_it_cuts_off_is_left_out() {
    let double = Double::anthropic().await;
    let mut short = request(vec![Message::user("Hello.")]);
    short.options.num_predict = 2;
    let said = answer(&client(&double), &short).await.unwrap();
    assert_eq!((text_of(&said).as_str(), stats_of(&said).done_reason), ("You said, ", DoneReason::Length));
    let mut reply = events("", &[("weather", json!({ "place": "Tokyo" }))], (1, 1));
    let last = reply.len() - 2;
    reply[last]["delta"]["stop_reason"] = json!("max_tokens");
    // The second half of the arguments never comes.
    reply.remove(5);
    let said = scripted(Script::events(&reply)).await.unwrap();
    assert!(!said.iter().any(|event| matches!(event, ChatEvent::ToolCall(_))), "{said:?}");
}

#[tokio::test]
async fn each_failure_has_its_own_error() {
    let failed = Script::anthropic_error;
    let at_double = |error: LlmError| match error {
        LlmError::KeyRefused { status, .. } => LlmError::KeyRefused { at: String::new(), status },
        LlmError::NotAnthropic { found, .. } => LlmError::NotAnthropic { at: String::new(), found },
        error => error,
    };
    let begun = || events("Good morning", &[], (1, 1))[..4].to_vec();
    let breaks = |kind: &str| {
        let error = json!({ "type": "error", "error": { "type": kind, "message": "oh no" } });
        Script::events(&[begun(), vec![error]].concat())
    };
    for (script, expected) in [
        (
            failed(401, "authentication_error", "invalid"),
            LlmError::KeyRefused { at: String::new(), status: 401 },
        ),
        (failed(429, "rate_limit_error", "slow down"), LlmError::TooManyRequests),
        (failed(529, "overloaded_error", "Overloaded"), LlmError::Busy),
        (
            failed(500, "api_error", "oh no"),
            LlmError::Server { status: 500, text: "oh no [api_error]".into() },
        ),
        (
            failed(400, "invalid_request_error", "prompt is too long: 9 > 8"),
            LlmError::ContextTooLong("prompt is too long: 9 > 8 [invalid_request_error]".into()),
        ),
        (
            Script::body(200, "text/html; charset=utf-8", "<html>"),
            LlmError::NotAnthropic { at: String::new(), found: "it sends a web page".into() },
        ),
        (Script::raw("").then_death(), LlmError::Broken),
        (breaks("overloaded_error"), LlmError::Busy),
        (breaks("api_error"), LlmError::MidStream("oh no [api_error]".into())),
        (Script::events(&begun()), LlmError::Broken),
        (Script::events(&begun()).then_death(), LlmError::Broken),
        (
            Script::body(200, "text/event-stream", "data: {nonsense}\n\n"),
            LlmError::Garbage("it sent a broken line of 10 bytes".into()),
        ),
    ] {
        assert_eq!(scripted(script).await.map_err(at_double), Err(expected));
    }
    let double = Double::anthropic().await;
    let unknown = ChatRequest { model: "claude-9".into(), ..request(vec![Message::user("Hello.")]) };
    let error = answer(&client(&double), &unknown).await.unwrap_err();
    assert!(matches!(error, LlmError::ModelUnknown { .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_that_is_refused_is_left_out_from_then_on() {
    let double = Double::anthropic().await;
    let refusal = "`temperature` is deprecated for this model.";
    double.script(CHAT, Script::anthropic_error(400, "invalid_request_error", refusal));
    let client = client(&double);
    for _ in 0..2 {
        answer(&client, &request(vec![Message::user("Hello.")])).await.unwrap();
    }
    let sent: Vec<bool> = double.chats().iter().map(|body| body.get("temperature").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn a_reply_that_is_dropped_closes_its_connection() {
    let double = Double::anthropic().await;
    let begun = events("Good morning", &[], (1, 1))[..4].to_vec();
    double.script(CHAT, Script::events(&begun).waiting_at(4, &Arc::new(Notify::new())));
    let client = client(&double);
    let mut reply = client.chat(&request(vec![Message::user("Hello.")])).await.unwrap();
    assert_eq!(reply.next().await, Some(Ok(ChatEvent::Text("Good ".into()))));
    drop(reply);
    double.until_abort().await;
}

/// Returns messages as they may stand in a conversation, in any order.
fn any_message() -> impl Strategy<Value = Message> {
    let text = prop_oneof![Just(String::new()), Just(" \n".to_owned()), "[a-z<>|/]{1,9}"];
    let id = prop_oneof![Just(None), "[a-c]".prop_map(Some)];
    (0..4_usize, text, id).prop_map(|(role, text, id)| {
        let role = [Role::System, Role::User, Role::Assistant, Role::Tool][role];
        let mut message = Message::new(role, text);
        match role {
            Role::Assistant if id.is_some() => {
                let function = serde_json::from_value(json!({ "name": "clock", "arguments": {} })).unwrap();
                message.tool_calls = vec![ToolCall { id, function }];
            }
            Role::Tool => (message.tool_name, message.tool_call_id) = (Some("clock".into()), id),
            Role::System | Role::User | Role::Assistant => {}
        }
        message
    })
}

proptest! {
    #[test]
    fn every_conversation_is_written_as_the_api_takes_it(all in prop::collection::vec(any_message(), 0..9)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let said = runtime.block_on(async {
            let double = Double::anthropic().await;
            answer(&client(&double), &request(all)).await
        });
        prop_assert!(said.is_ok(), "{said:?}");
    }
}
