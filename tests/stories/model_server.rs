//! The client against any server of Ollama's API: the double, or the one that
//! `JOI_TEST_MODEL_SERVER` (`http://…` or `unix:/path`) names, with the model `JOI_TEST_MODEL`.
//!
//! `scripts/test-ollama.sh` runs this against the real Ollama and `joi-model`.

use joi_llm::{
    ChatEvent, ChatRequest, ChatStats, ChatStream, DoneReason, Endpoint, LlmConfig, LlmError, Message,
    ModelSize, Ollama, PullProgress, Think,
};
use serde_json::json;

use crate::support::ollama_double::{Double, Model, Script};

/// A server with a chat model.
struct Server {
    client: Ollama,
    model: String,
    double: Option<Double>,
}

async fn server() -> Server {
    let Ok(address) = std::env::var("JOI_TEST_MODEL_SERVER") else {
        let double = Double::start().await;
        let client = Ollama::new(&Endpoint::Http { url: double.url.clone() }, None).unwrap();
        return Server { client, model: "double:1b".into(), double: Some(double) };
    };
    let endpoint = match address.strip_prefix("unix:") {
        Some(path) => Endpoint::Unix { path: path.into() },
        None => Endpoint::Http { url: address },
    };
    let client = Ollama::new(&endpoint, None).unwrap();
    let model = match std::env::var("JOI_TEST_MODEL") {
        Ok(model) => model,
        Err(_) => client.tags().await.unwrap().remove(0).name,
    };
    Server { client, model, double: None }
}

impl Server {
    /// A request that every run answers alike, in at most `num_predict` tokens.
    fn ask(&self, messages: Vec<Message>, num_predict: u32) -> ChatRequest {
        let mut options = LlmConfig { temperature: 0.0, ..LlmConfig::default() }.options();
        (options.num_predict, options.seed) = (num_predict, Some(1));
        ChatRequest {
            model: self.model.clone(),
            messages,
            tools: Vec::new(),
            format: None,
            options,
            keep_alive: -1,
            think: Think::Off,
        }
    }
}

/// The whole reply: its words and how it ended.
async fn read(mut reply: ChatStream) -> (String, Result<ChatStats, LlmError>) {
    let mut text = String::new();
    while let Some(event) = reply.next().await {
        match event {
            Ok(ChatEvent::Text(piece)) => text.push_str(&piece),
            Ok(ChatEvent::Thinking(_) | ChatEvent::ToolCall(_)) => {}
            Ok(ChatEvent::Done(stats)) => {
                assert_eq!(reply.next().await, None, "nothing follows the end");
                return (text, Ok(stats));
            }
            Err(error) => {
                assert_eq!(reply.next().await, None, "nothing follows an error");
                return (text, Err(error));
            }
        }
    }
    panic!("a reply ended without Done and without an error");
}

#[tokio::test]
async fn the_server_shows_its_version_and_its_models() {
    let server = server().await;
    assert!(!server.client.version().await.unwrap().is_empty());
    let installed = server.client.tags().await.unwrap();
    assert!(installed.iter().any(|model| model.name == server.model), "{installed:?}");
    let info = server.client.show(&server.model).await.unwrap();
    assert_eq!((info.can("completion"), info.size), (Some(true), ModelSize::Small));
    assert!(info.parameter_count.unwrap() > 100_000_000 && info.context_length.unwrap() >= 2048, "{info:?}");
}

#[tokio::test]
async fn a_reply_streams_and_ends_with_its_counters() {
    let server = server().await;
    let messages =
        vec![Message::system("Answer in one short sentence."), Message::user("Why is the sky blue?")];
    let (text, stats) = read(server.client.chat(&server.ask(messages, 60)).await.unwrap()).await;
    let stats = stats.unwrap();
    assert!(text.trim().len() > 10 && !text.contains('\u{fffd}'), "{text}");
    assert!(
        stats.prompt_eval_count > 5 && stats.eval_count > 3 && !stats.eval_duration.is_zero(),
        "{stats:?}"
    );
}

#[tokio::test]
async fn what_was_said_before_is_part_of_the_question() {
    let server = server().await;
    let messages = vec![
        Message::user("My name is Ada."),
        Message::assistant("Nice to meet you, Ada."),
        Message::user("What is my name? Answer with the name only."),
    ];
    let (text, stats) = read(server.client.chat(&server.ask(messages, 30)).await.unwrap()).await;
    assert!(stats.is_ok() && text.contains("Ada"), "{text}");
}

// The limit is the server's to keep, and the client tells that it was reached.
#[tokio::test]
async fn a_reply_that_reaches_its_limit_says_so() {
    let server = server().await;
    let messages = vec![Message::user("Count from one to one hundred in words.")];
    let (text, stats) = read(server.client.chat(&server.ask(messages, 4)).await.unwrap()).await;
    let stats = stats.unwrap();
    assert_eq!((stats.done_reason, stats.eval_count), (DoneReason::Length, 4), "{text}");
}

#[tokio::test]
async fn a_reply_ends_before_a_stop_string() {
    let server = server().await;
    let mut request = server.ask(vec![Message::user("Count in digits: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10")], 60);
    request.options.stop = vec![",".into()];
    let (text, stats) = read(server.client.chat(&request).await.unwrap()).await;
    assert_eq!(stats.unwrap().done_reason, DoneReason::Stop);
    assert!(!text.is_empty() && !text.contains(','), "{text}");
}

#[tokio::test]
async fn a_model_is_loaded_read_ahead_and_unloaded() {
    let server = server().await;
    let nothing = server.client.load(&server.ask(Vec::new(), 60)).await.unwrap();
    assert_eq!((nothing.done_reason, nothing.eval_count), (DoneReason::Load, 0));
    assert!(server.client.ps().await.unwrap().iter().any(|running| running.name == server.model));
    let head = vec![Message::system("You are a lighthouse keeper and speak of nothing but the sea.")];
    let read_ahead =
        server.client.load(&server.ask([head, vec![Message::user("Hello.")]].concat(), 60)).await.unwrap();
    assert!(read_ahead.prompt_eval_count > 5 && read_ahead.eval_count <= 1, "{read_ahead:?}");
    server.client.unload(&server.model).await.unwrap();
}

#[tokio::test]
async fn a_model_the_server_lacks_is_named_with_its_remedy() {
    let server = server().await;
    let request = ChatRequest { model: "nobody:1b".into(), ..server.ask(vec![Message::user("hi")], 5) };
    let missing = LlmError::ModelMissing { model: "nobody:1b".into() };
    assert_eq!(server.client.chat(&request).await.unwrap_err(), missing);
    assert_eq!(server.client.show("nobody:1b").await.unwrap_err(), missing);
    assert!(missing.to_string().contains("ollama pull nobody:1b"));
}

#[tokio::test]
async fn a_model_without_tools_refuses_them_by_an_error_of_its_own() {
    let server = server().await;
    let mut request = server.ask(vec![Message::user("Turn on the light.")], 60);
    let room =
        json!({ "type": "object", "required": ["room"], "properties": { "room": { "type": "string" } } });
    request.tools = vec![json!({ "type": "function", "function": {
        "name": "set_light", "description": "Turns a light on", "parameters": room } })];
    match server.client.show(&server.model).await.unwrap().can("tools") {
        Some(true) => assert!(read(server.client.chat(&request).await.unwrap()).await.1.is_ok()),
        Some(false) | None => {
            let refusal = server.client.chat(&request).await.unwrap_err();
            assert_eq!(refusal, LlmError::NoTools { model: server.model.clone() });
        }
    }
}

#[tokio::test]
async fn dropping_a_reply_frees_the_server_for_the_next_question() {
    let server = server().await;
    if let Some(double) = &server.double {
        let word = json!({ "message": { "role": "assistant", "content": "One" }, "done": false });
        double.script("POST /api/chat", Script::lines(&[word]).then_silence());
    }
    let long = server.ask(vec![Message::user("Write a very long story about the sea.")], 500);
    let mut reply = server.client.chat(&long).await.unwrap();
    assert!(matches!(reply.next().await, Some(Ok(ChatEvent::Text(_)))));
    drop(reply);
    if let Some(double) = &server.double {
        double.until_abort().await;
    }
    let (text, stats) =
        read(server.client.chat(&server.ask(vec![Message::user("Say hello.")], 10)).await.unwrap()).await;
    assert!(stats.is_ok() && !text.is_empty());
}

// Contract: /api/embed
#[tokio::test]
async fn texts_become_vectors_of_length_one_while_the_model_that_talks_stays() {
    let server = server().await;
    if let Some(double) = &server.double {
        double.install(vec![Model::new("double:1b", &["completion"]), Model::new("vectors", &["embedding"])]);
    }
    let model = std::env::var("JOI_TEST_EMBED_MODEL").unwrap_or_else(|_| "vectors".to_owned());
    let options = server.ask(Vec::new(), 60).options;
    let texts = ["The cat sleeps.", "Where is the spare key?", "The cat sleeps."].map(str::to_owned);
    let vectors = server.client.embed(&model, &texts, (&options, -1)).await.unwrap();
    let product = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    assert_eq!(vectors.len(), 3);
    for vector in &vectors {
        assert!(vector.len() > 30 && (product(vector, vector) - 1.0).abs() < 1e-3, "{}", vector.len());
    }
    let (same, other) = (product(&vectors[0], &vectors[2]), product(&vectors[0], &vectors[1]));
    assert!(same > 0.999 && other < 0.5, "in order: {same} {other}");
    assert_eq!(server.client.embed(&model, &[], (&options, -1)).await.unwrap(), Vec::<Vec<f32>>::new());
    if server.double.is_none() {
        let ours = include_str!("../recall/sleeps.txt").lines().map(|line| line.parse().unwrap());
        let ours: Vec<f32> = ours.collect();
        assert!(product(&ours, &vectors[0]) > 0.999, "the servers agree: {}", product(&ours, &vectors[0]));
    }
    let refused =
        server.client.chat(&ChatRequest { model, ..server.ask(vec![Message::user("Hi")], 1) }).await;
    assert!(
        matches!(refused, Err(LlmError::Server { status: 400, .. } | LlmError::NoChat { .. })),
        "{refused:?}"
    );
    // The model that talks is still the one in memory, and goes on to talk.
    let (text, stats) =
        read(server.client.chat(&server.ask(vec![Message::user("Say hello.")], 10)).await.unwrap()).await;
    assert!(stats.is_ok() && !text.is_empty());
}

#[tokio::test]
async fn a_pull_of_an_unknown_model_fails_in_the_servers_words() {
    let server = server().await;
    let error = match server.client.pull("nobody.invalid/nobody:1b").await {
        Err(error) => error,
        Ok(mut pull) => loop {
            match pull.next().await.expect("a pull ends with success or an error") {
                Ok(progress) => {
                    assert_ne!(progress, PullProgress { status: "success".into(), ..Default::default() })
                }
                Err(error) => break error,
            }
        },
    };
    match (error, &server.double) {
        (LlmError::MidStream(text), Some(_)) => assert_eq!(text, "pull model manifest: file does not exist"),
        (LlmError::MidStream(_) | LlmError::Server { .. }, None) => {}
        (error, _) => panic!("{error}"),
    }
}
