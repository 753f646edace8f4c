//! Every shape a model server's answer can have on the wire, scripted byte by byte.

use std::sync::Arc;

use joi_base::message::Private;
use joi_llm::{
    ChatEvent, ChatRequest, ChatStats, DoneReason, Endpoint, FunctionCall, LlmConfig, LlmError, Message,
    Ollama, Options, PullProgress, Think, ToolCall,
};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::support::ollama_double::{Double, Model, Script};

fn client(url: &str) -> Ollama {
    Ollama::new(&Endpoint::Http { url: url.into() }, None).unwrap()
}

fn request() -> ChatRequest {
    let options = Options { num_thread: Some(3), ..LlmConfig::default().options() };
    let (model, messages) = ("double:1b".into(), vec![Message::system("Be kind."), Message::user("Hi.")]);
    ChatRequest {
        model,
        messages,
        tools: Vec::new(),
        format: None,
        options,
        keep_alive: -1,
        think: Think::Off,
    }
}

fn text(content: &str) -> Value {
    json!({ "model": "m", "message": { "role": "assistant", "content": content }, "done": false })
}

fn done() -> Value {
    json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
        "total_duration": 4_000, "prompt_eval_count": 169, "eval_count": 15 })
}

fn stats() -> ChatEvent {
    let total_duration = std::time::Duration::from_nanos(4_000);
    ChatEvent::Done(ChatStats {
        prompt_eval_count: 169,
        eval_count: 15,
        total_duration,
        ..ChatStats::default()
    })
}

fn says(words: &str) -> ChatEvent {
    ChatEvent::Text(words.into())
}

/// All that comes of a chat that is answered by `script`.
async fn outcome(script: Script) -> Vec<Result<ChatEvent, LlmError>> {
    let double = Double::start().await;
    double.script("POST /api/chat", script);
    let mut events = Vec::new();
    match client(&double.url).chat(&request()).await {
        Err(error) => events.push(Err(error)),
        Ok(mut reply) => {
            while let Some(event) = reply.next().await {
                events.push(event);
            }
        }
    }
    events
}

#[tokio::test]
async fn the_request_is_what_the_contract_asks_for() {
    let double = Double::start().await;
    client(&double.url).chat(&request()).await.unwrap();
    assert_eq!(
        double.chats(),
        [json!({
            "model": "double:1b",
            "messages": [{ "role": "system", "content": "Be kind." }, { "role": "user", "content": "Hi." }],
            "options": { "num_ctx": 4096, "num_thread": 3, "num_predict": 500, "temperature": 0.5, "repeat_penalty": 1.1 },
            "keep_alive": -1, "think": false, "stream": true,
        })]
    );
}

#[tokio::test]
async fn where_the_network_cuts_the_bytes_makes_no_difference() {
    let lines = [text("Grüße, "), text("Zoë 🙂"), done()];
    let whole = [Ok(says("Grüße, ")), Ok(says("Zoë 🙂")), Ok(stats())];
    for size in [1, 2, 3, 7, 64, 10_000] {
        assert_eq!(outcome(Script::lines(&lines).in_pieces_of(size)).await, whole, "pieces of {size}");
    }
}

#[tokio::test]
async fn tool_calls_are_found_in_every_line_that_may_hold_them() {
    let call = |id: Option<&str>, index: Option<u32>, room: &str| {
        let arguments = Map::from_iter([("room".to_owned(), room.into())]);
        let function = FunctionCall { index, name: "set_light".into(), arguments };
        ToolCall { id: id.map(str::to_owned), function }
    };
    let (kitchen, hall, bath) =
        (call(Some("c1"), Some(0), "kitchen"), call(None, None, "hall"), call(None, None, "bath"));
    let script = Script::lines(&[
        text("One moment."),
        json!({ "message": { "role": "assistant", "content": "", "tool_calls": [kitchen, hall] }, "done": false }),
        json!({ "message": { "role": "assistant", "tool_calls": [bath] }, "done": true, "done_reason": "stop",
            "total_duration": 4_000, "prompt_eval_count": 169, "eval_count": 15 }),
    ]);
    let calls = [kitchen, hall, bath].map(|call| Ok(ChatEvent::ToolCall(call)));
    assert_eq!(
        outcome(script).await,
        [vec![Ok(says("One moment."))], calls.into(), vec![Ok(stats())]].concat()
    );
}

#[tokio::test]
async fn thinking_unknown_fields_and_missing_counters_are_taken_as_they_are() {
    let script = Script::lines(&[
        json!({ "message": { "role": "assistant", "content": "", "thinking": "Hm." }, "done": false, "new": [{}] }),
        json!({ "message": { "role": "assistant", "content": "Yes.", "mood": 1 } }),
        json!({ "done": true, "done_reason": "length" }),
    ]);
    let end = ChatEvent::Done(ChatStats { done_reason: DoneReason::Length, ..ChatStats::default() });
    assert_eq!(outcome(script).await, [Ok(ChatEvent::Thinking("Hm.".into())), Ok(says("Yes.")), Ok(end)]);
}

#[tokio::test]
async fn load_and_unload_replies_are_one_object_without_a_line_end() {
    for (reason, expected) in [("load", DoneReason::Load), ("unload", DoneReason::Unload)] {
        let body =
            json!({ "message": { "role": "assistant", "content": "" }, "done_reason": reason, "done": true });
        let end = ChatEvent::Done(ChatStats { done_reason: expected, ..ChatStats::default() });
        assert_eq!(outcome(Script::json(200, &body)).await, [Ok(end)]);
    }
}

#[tokio::test]
async fn a_refused_question_is_one_error() {
    let rows = [
        (
            Script::error(503, "server busy, please try again.  maximum pending requests exceeded"),
            LlmError::Busy,
        ),
        (Script::body(403, "text/plain", ""), LlmError::Refused { status: 403 }),
        (
            Script::error(500, "model runner has unexpectedly stopped"),
            LlmError::Server { status: 500, text: "model runner has unexpectedly stopped".into() },
        ),
        (
            Script::json(302, &json!({})).header("Location: http://example.invalid/"),
            LlmError::Server { status: 302, text: "{}".into() },
        ),
    ];
    for (script, expected) in rows {
        assert_eq!(outcome(script).await, [Err(expected)]);
    }
}

#[tokio::test]
async fn an_embedding_model_is_no_partner() {
    let double = Double::start().await;
    double.install(vec![Model::new("nomic-embed-text", &["embedding"])]);
    let model = "nomic-embed-text".to_owned();
    let request = ChatRequest { model: model.clone(), ..request() };
    assert_eq!(client(&double.url).chat(&request).await.unwrap_err(), LlmError::NoChat { model });
}

#[tokio::test]
async fn an_error_in_mid_reply_ends_it_and_keeps_what_came_before() {
    let told = "an error was encountered while running the model: unexpected EOF";
    let after = [text("Once "), json!({ "error": told }), text("never")];
    assert_eq!(
        outcome(Script::lines(&after)).await,
        [Ok(says("Once ")), Err(LlmError::MidStream(told.into()))]
    );
    assert_eq!(outcome(Script::lines(&after[1..])).await, [Err(LlmError::MidStream(told.into()))]);
}

#[tokio::test]
async fn an_end_that_nobody_announced_is_a_broken_reply() {
    let once = [text("Once ")];
    for script in [Script::lines(&once), Script::lines(&once).then_death()] {
        assert_eq!(outcome(script).await, [Ok(says("Once ")), Err(LlmError::Broken)]);
    }
    assert_eq!(outcome(Script::lines(&[])).await, [Err(LlmError::Broken)]);
    assert_eq!(outcome(Script::raw("")).await, [Err(LlmError::Broken)]);
}

#[tokio::test]
async fn what_is_no_model_server_is_garbage() {
    let garbage = |told: &str| [Err(LlmError::Garbage(told.into()))];
    let page = Script::body(200, "text/html", "<html>\nWelcome to your router</html>");
    assert_eq!(outcome(page).await, garbage("it sent a web page"));
    let broken = Script::body(200, "application/x-ndjson", "{\"message\":\n");
    assert_eq!(outcome(broken).await, garbage("it sent a broken line of 11 bytes"));
    let endless = Script::body(200, "application/x-ndjson", vec![b' '; 5 << 20]);
    assert_eq!(outcome(endless).await, garbage("its line has no end"));
    assert!(matches!(
        &outcome(Script::raw("SSH-2.0-OpenSSH_9.2\r\n")).await[..],
        [Err(LlmError::Garbage(_))]
    ));
}

#[tokio::test]
async fn nobody_listening_is_reported_with_the_address() {
    let double = Double::start().await;
    let url = double.url.clone();
    drop(double);
    // The port is free once the double's task has run.
    while std::net::TcpListener::bind(url.trim_start_matches("http://")).is_err() {
        tokio::task::yield_now().await;
    }
    let error = client(&url).chat(&request()).await.unwrap_err();
    assert!(matches!(&error, LlmError::Unreachable { at, .. } if *at == url), "{error}");
}

#[tokio::test]
async fn a_slow_first_word_is_waited_for_and_an_impatient_caller_is_noticed() {
    let (double, gate) = (Double::start().await, Arc::new(Notify::new()));
    double.script("POST /api/chat", Script::lines(&[text("At last."), done()]).waiting_at(0, &gate));
    let (client, request) = (client(&double.url), request());
    let mut slow = Box::pin(client.chat(&request));
    tokio::select! {
        biased;
        _ = &mut slow => panic!("nothing was sent yet"),
        () = double.until_chats(1) => {}
    }
    gate.notify_one();
    assert_eq!(slow.await.unwrap().next().await, Some(Ok(says("At last."))));

    double.script("POST /api/chat", Script::lines(&[]).waiting_at(0, &gate));
    tokio::select! {
        _ = client.chat(&request) => panic!("nothing was sent yet"),
        () = double.until_chats(2) => {}
    }
    double.until_abort().await;
}

#[tokio::test]
async fn a_token_goes_with_every_request_and_into_no_log() {
    let double = Double::start().await;
    let bearer = Some(Private("s3cret".to_owned()));
    let client = Ollama::new(&Endpoint::Http { url: double.url.clone() }, bearer).unwrap();
    client.version().await.unwrap();
    client.chat(&request()).await.unwrap();
    let tokens: Vec<_> = double.seen().into_iter().map(|seen| seen.authorization).collect();
    assert_eq!(tokens, vec![Some("Bearer s3cret".to_owned()); 2]);
    assert!(!format!("{client:?}").contains("s3cret"));
}

#[tokio::test]
async fn a_unix_socket_serves_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.sock");
    let _double = Double::on_socket(&path);
    let client = Ollama::new(&Endpoint::Unix { path }, None).unwrap();
    assert_eq!(client.version().await.unwrap(), "0.32.15");
}

#[tokio::test]
async fn a_pull_shows_how_far_it_is() {
    let double = Double::start().await;
    let script = Script::lines(&[
        json!({ "status": "pulling manifest" }),
        json!({ "status": "pulling 8eeb52dfb3bb", "digest": "sha256:8eeb", "total": 10 }),
        json!({ "status": "pulling 8eeb52dfb3bb", "digest": "sha256:8eeb", "total": 10, "completed": 7 }),
        json!({ "status": "success" }),
    ]);
    double.script("POST /api/pull", script.in_pieces_of(5));
    let mut pull = client(&double.url).pull("m").await.unwrap();
    let mut all = Vec::new();
    while let Some(progress) = pull.next().await {
        all.push(progress.unwrap());
    }
    let plain = |status: &str| PullProgress { status: status.into(), ..PullProgress::default() };
    let part = |completed| {
        let digest = Some("sha256:8eeb".into());
        PullProgress { status: "pulling 8eeb52dfb3bb".into(), digest, total: 10, completed }
    };
    assert_eq!(all, [plain("pulling manifest"), part(0), part(7), plain("success")]);

    double.script("POST /api/pull", Script::lines(&[json!({ "status": "pulling manifest" })]));
    let mut pull = client(&double.url).pull("m").await.unwrap();
    assert_eq!(pull.next().await, Some(Ok(plain("pulling manifest"))));
    assert_eq!((pull.next().await, pull.next().await), (Some(Err(LlmError::Broken)), None));
}
