//! The client against the double, or against the server that `JOI_TEST_OPENAI_SERVER` names (`mod any_server`).

use std::sync::Arc;

use proptest::prelude::*;
use tokio::sync::Notify;

use super::*;
use crate::testing::openai::{delta, finish, usage};
use crate::testing::{Double, Model, Script};
use crate::wire::{ChatEvent, DoneReason, Message, Role, Think};
use crate::{LlmConfig, Threads};

mod any_server;
mod chunks;

const CHAT: &str = "POST /v1/chat/completions";
const MODEL: &str = "double-1b";

fn client(double: &Double) -> OpenAi {
    OpenAi::new(&double.url, None).unwrap()
}

/// Returns a request that every run answers alike.
fn request(messages: Vec<Message>) -> ChatRequest {
    let config = LlmConfig { threads: Threads::Count(1), temperature: 0.0, ..LlmConfig::default() };
    ChatRequest {
        model: MODEL.to_owned(),
        messages,
        tools: Vec::new(),
        format: None,
        options: config.options(),
        keep_alive: -1,
        think: Think::Off,
    }
}

fn hello() -> ChatRequest {
    request(vec![Message::user("Hello.")])
}

/// Reads a reply to its end: its events, the last of which is `Done`, or how it failed.
async fn read(mut reply: ChatStream) -> Result<Vec<ChatEvent>, LlmError> {
    let mut events = Vec::new();
    while let Some(event) = reply.next().await {
        events.push(event?);
    }
    assert!(matches!(events.last(), Some(ChatEvent::Done(_))), "{events:?}");
    Ok(events)
}

async fn answer(client: &OpenAi, request: &ChatRequest) -> Result<Vec<ChatEvent>, LlmError> {
    read(client.chat(request).await?).await
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

/// Answers one chat by `script` and returns what became of it.
async fn scripted(script: Script) -> Result<Vec<ChatEvent>, LlmError> {
    let double = Double::openai().await;
    double.script(CHAT, script);
    answer(&client(&double), &hello()).await
}

#[tokio::test]
async fn an_address_may_end_with_the_version_and_the_key_goes_with_every_call() {
    let double = Double::openai().await;
    for url in [format!("{}/v1/", double.url), format!(" {}/v1", double.url), double.url.clone()] {
        let client = OpenAi::new(&url, Some(Private("sk-test".to_owned()))).unwrap();
        assert_eq!(client.address(), double.url);
        assert!(answer(&client, &hello()).await.is_ok());
        assert_eq!(client.models().await.unwrap()[0].name, MODEL);
        assert!(!format!("{client:?}").contains("sk-test"));
    }
    let all = double.seen();
    assert!(all.iter().all(|seen| seen.authorization.as_deref() == Some("Bearer sk-test")), "{all:?}");
    let paths: Vec<&str> = all.iter().map(|seen| seen.call.as_str()).collect();
    assert_eq!(paths[..3], [CHAT, "GET /v1/models", "GET /"]);
    assert!(matches!(OpenAi::new("nowhere", None), Err(LlmError::Garbage(_))));
}

#[tokio::test]
async fn each_failure_of_a_chat_has_its_own_error() {
    let failed = |status, text: &str| Script::openai_error(status, text, "");
    let at_double = |error: LlmError| match error {
        LlmError::KeyRefused { status, .. } => LlmError::KeyRefused { at: String::new(), status },
        LlmError::NotOpenAi { found, .. } => LlmError::NotOpenAi { at: String::new(), found },
        error => error,
    };
    for (script, expected) in [
        (failed(401, "Incorrect API key"), LlmError::KeyRefused { at: String::new(), status: 401 }),
        (failed(429, "Rate limit reached"), LlmError::TooManyRequests),
        (
            failed(500, "oh no"),
            LlmError::Server { status: 500, text: "oh no [invalid_request_error]".into() },
        ),
        (failed(503, "Loading model"), LlmError::Loading),
        (failed(503, "overloaded"), LlmError::Busy),
        (
            Script::body(200, "text/html; charset=utf-8", "<html>"),
            LlmError::NotOpenAi { at: String::new(), found: "it sends a web page".into() },
        ),
        (Script::raw("SSH-2.0-OpenSSH\r\n"), LlmError::Garbage("invalid HTTP version parsed".into())),
        (Script::raw("").then_death(), LlmError::Broken),
        (Script::chunks(&[json!({ "error": { "message": "oh no" } })]), LlmError::MidStream("oh no".into())),
        (Script::first_chunks(&[delta(&json!({ "content": "Good" }))]), LlmError::Broken),
        (Script::first_chunks(&[delta(&json!({ "content": "Good" }))]).then_death(), LlmError::Broken),
        (
            Script::body(200, "text/event-stream", vec![b'x'; crate::lines::LINE_MAX + 1]),
            LlmError::Garbage("its line has no end".into()),
        ),
    ] {
        assert_eq!(scripted(script).await.map_err(at_double), Err(expected));
    }
    let double = Double::openai().await;
    let stranger = ChatRequest { model: "gpt-9".into(), ..hello() };
    let error = answer(&client(&double), &stranger).await.unwrap_err();
    assert!(matches!(&error, LlmError::ModelUnknown { model, .. } if model == "gpt-9"), "{error}");
    let nobody = OpenAi::new("http://127.0.0.1:1", None).unwrap();
    assert!(matches!(answer(&nobody, &hello()).await, Err(LlmError::Unreachable { .. })));
}

#[tokio::test]
async fn a_model_that_cannot_call_tools_says_so() {
    let double = Double::openai().await;
    double.install(vec![Model::new(MODEL, &["completion"])]);
    let tool =
        json!({ "type": "function", "function": { "name": "clock", "parameters": { "type": "object" } } });
    let with_tool = ChatRequest { tools: vec![tool], ..hello() };
    let error = answer(&client(&double), &with_tool).await.unwrap_err();
    assert_eq!(error, LlmError::NoTools { model: MODEL.into() });
    assert_eq!(double.chats()[0]["tool_choice"], "auto");
}

#[tokio::test]
async fn a_result_goes_back_under_the_id_of_its_call() {
    let double = Double::openai().await;
    let pieces = json!({ "tool_calls": [{ "index": 0, "id": "c1", "function": { "name": "clock", "arguments": "{}" } }] });
    double.script(CHAT, Script::chunks(&[delta(&pieces), finish("tool_calls")]));
    let client = client(&double);
    let events = answer(&client, &hello()).await.unwrap();
    let Some(ChatEvent::ToolCall(call)) = events.first() else { panic!("{events:?}") };
    let mut called = Message::assistant("");
    called.tool_calls = vec![call.clone()];
    let mut result = Message::new(Role::Tool, "12:00");
    result.tool_name = Some("clock".into());
    let messages = vec![Message::user("What time is it?"), called, result];
    assert!(
        answer(&client, &request(messages)).await.is_ok(),
        "the double refuses a result without its call"
    );
    let sent = double.chats().pop().unwrap();
    assert_eq!(sent["messages"][2], json!({ "role": "tool", "tool_call_id": "c1", "content": "12:00" }));
}

#[tokio::test]
async fn refused_keys_are_left_out_of_this_request_and_the_next() {
    let double = Double::openai().await;
    double.script(CHAT, Script::openai_error(400, "Unrecognized request argument: chat_template_kwargs", ""));
    double.script(CHAT, Script::json(500, &json!({ "detail": [{ "loc": ["body", "repeat_penalty"] }] })));
    let client = client(&double);
    assert!(answer(&client, &hello()).await.is_ok());
    assert!(answer(&client, &hello()).await.is_ok());
    let has = |key: &str| double.chats().iter().map(|body| body.get(key).is_some()).collect::<Vec<_>>();
    assert_eq!(has("chat_template_kwargs"), [true, false, false, false]);
    assert_eq!(has("repeat_penalty"), [true, true, false, false]);
    assert_eq!(has("temperature"), [true; 4]);
    double.script(CHAT, Script::openai_error(400, "messages must alternate", ""));
    assert!(matches!(answer(&client, &hello()).await, Err(LlmError::Server { status: 400, .. })));
}

#[tokio::test]
async fn a_dropped_reply_closes_its_connection_before_and_after_its_first_word() {
    let double = Double::openai().await;
    double.script(CHAT, Script::first_chunks(&[delta(&json!({ "content": "Good " }))]).then_silence());
    let client = client(&double);
    let mut reply = client.chat(&hello()).await.unwrap();
    assert_eq!(reply.next().await, Some(Ok(ChatEvent::Text("Good ".into()))));
    drop(reply);
    double.until_aborts(1).await;

    double.script(CHAT, Script::chunks(&[finish("stop")]).waiting_at(0, &Arc::new(Notify::new())));
    let (client, hello) = (client, hello());
    let waits = client.chat(&hello);
    tokio::select! {
        biased;
        _ = waits => panic!("nothing was sent"),
        () = double.until_chats(2) => {}
    }
    double.until_aborts(2).await;
}

#[tokio::test]
async fn times_are_measured_where_the_server_reports_none() {
    let gate = Arc::new(Notify::new());
    let double = Double::openai().await;
    let chunks = [delta(&json!({ "content": "Hi" })), finish("stop"), usage(4, 1)];
    double.script(CHAT, Script::chunks(&chunks).waiting_at(1, &gate));
    let mut reply = client(&double).chat(&hello()).await.unwrap();
    assert_eq!(reply.next().await, Some(Ok(ChatEvent::Text("Hi".into()))));
    gate.notify_one();
    let stats = stats_of(&read(reply).await.unwrap());
    assert_eq!((stats.prompt_eval_count, stats.eval_count), (4, 1));
    assert!(stats.total_duration >= stats.prompt_eval_duration + stats.eval_duration);
    assert!(!stats.prompt_eval_duration.is_zero() && !stats.eval_duration.is_zero(), "{stats:?}");
}

#[tokio::test]
async fn a_head_is_read_with_one_token_and_loading_alone_sends_nothing() {
    let double = Double::openai().await;
    let client = client(&double);
    assert_eq!(client.load(&request(Vec::new())).await, Ok(ChatStats::default()));
    assert_eq!(double.chats().len(), 0);
    let stats = client.load(&hello()).await.unwrap();
    assert_eq!((stats.eval_count, stats.done_reason), (1, DoneReason::Length));
    assert_eq!(double.chats()[0]["max_tokens"], 1);
    assert_eq!(client.is_loaded(MODEL).await, Ok(true));
}

#[tokio::test]
async fn a_list_shows_what_servers_know_of_their_models() {
    let double = Double::openai().await;
    let listed = json!({ "object": "list", "data": [
        { "id": "plain" },
        { "id": "of-llama-server", "meta": { "n_params": 70_000_000_000_u64, "n_ctx_train": 8192 } },
        { "id": "of-vllm", "max_model_len": 4096 },
    ] });
    let client = client(&double);
    for (name, parameters, context) in [
        ("plain", None, None),
        ("of-llama-server", Some(70_000_000_000), Some(8192)),
        ("of-vllm", None, Some(4096)),
        ("unlisted", None, None),
    ] {
        double.script("GET /v1/models", Script::json(200, &listed));
        let info = client.show(name).await.unwrap();
        assert_eq!((info.parameter_count, info.context_length), (parameters, context), "{name}");
        assert_eq!((info.size, info.can("tools")), (size_of(name, parameters), None));
    }
    double.script("GET /v1/models", Script::json(200, &json!({ "data": null })));
    assert_eq!(client.models().await, Ok(Vec::new()));
}

#[tokio::test]
async fn another_service_at_the_address_is_named() {
    let ollama = Double::start().await;
    let double = Double::openai().await;
    double.script("GET /v1/models", Script::json(200, &json!({ "data": [{ "id": "x" }] })));
    double.script("GET /", Script::body(200, "text/plain", "Ollama is running"));
    for (url, found) in [
        (&ollama.url, "it is Ollama, for which llm.backend is \"ollama\""),
        (&double.url, "it is Ollama, for which llm.backend is \"ollama\""),
    ] {
        let error = OpenAi::new(url, None).unwrap().models().await.unwrap_err();
        assert_eq!(error, not_openai(url, found));
    }
    for (script, found) in [
        (Script::json(200, &json!([1])), "its answer has not the form of that API"),
        (Script::body(200, "text/html", "<html>"), "it sends a web page"),
        (Script::json(302, &json!({})), "it answers HTTP 302, which leads elsewhere"),
    ] {
        double.script("GET /v1/models", script);
        assert_eq!(client(&double).models().await, Err(not_openai(&double.url, found)));
    }
}

#[tokio::test]
async fn vectors_come_in_the_order_of_their_texts() {
    let double = Double::openai().await;
    double.install(vec![Model::new("vectors", &["embedding"]), Model::new(MODEL, &["completion"])]);
    let client = client(&double);
    let texts = ["a", "bb", "a"].map(str::to_owned);
    let options = LlmConfig::default().options();
    let vectors = client.embed("vectors", &texts, &options, -1).await.unwrap();
    assert_eq!((vectors.len(), &vectors[0], vectors[0] == vectors[1]), (3, &vectors[2], false));
    let sent = double.seen().pop().unwrap().body;
    assert_eq!(sent, json!({ "model": "vectors", "input": texts, "encoding_format": "float" }));
    let error = client.embed(MODEL, &texts, &options, -1).await.unwrap_err();
    assert!(matches!(error, LlmError::Server { status: 400, .. }), "{error}");
}
