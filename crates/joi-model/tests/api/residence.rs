//! Loading, freeing, and how long the model stays.

use serde_json::{Value, json};

use crate::support::{NAME, Server, chat, user};
use crate::tiny::Tiny;

fn without_time(mut object: Value) -> Value {
    object.as_object_mut().expect("an object").remove("created_at").expect("a time");
    object
}

#[test]
fn the_model_is_loaded_and_freed_on_request() {
    let server = Server::open(&[]);
    let told = |path: &str, body: Value| {
        let answer = server.post(path, &body);
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
        without_time(answer.json())
    };
    let in_memory = || server.get("/api/ps")["models"].as_array().unwrap().len();
    let message = json!({"role": "assistant", "content": ""});

    let loaded = json!({"model": NAME, "message": message, "done": true, "done_reason": "load"});
    assert_eq!(told("/api/chat", json!({"model": NAME})), loaded);
    assert_eq!(told("/api/chat", json!({"model": NAME, "messages": [], "keep_alive": -1})), loaded);
    assert_eq!(in_memory(), 1);

    let freed = json!({"model": NAME, "message": message, "done": true, "done_reason": "unload"});
    assert_eq!(told("/api/chat", json!({"model": NAME, "messages": [], "keep_alive": 0})), freed);
    assert_eq!(in_memory(), 0);

    let loaded = json!({"model": NAME, "response": "", "done": true, "done_reason": "load"});
    assert_eq!(told("/api/generate", json!({"model": NAME, "prompt": ""})), loaded);
    assert_eq!(in_memory(), 1);

    // A reply may be the model's last one, and the next question brings it back.
    let mut last = chat(&user("Hi"), &json!({"num_predict": 2}), false);
    last["keep_alive"] = json!("0s");
    assert_eq!(server.post("/api/chat", &last).json()["done"], json!(true));
    let back = server.chat(&user("Hi"), &json!({"num_predict": 2}));
    assert!(back["load_duration"].as_u64().unwrap() > 10_000_000, "{back}");
}

#[test]
fn the_model_leaves_memory_when_its_time_is_over() {
    let mut server = Server::open(&[]);
    let answer = server.post("/api/chat", &json!({"model": NAME, "keep_alive": "20ms"}));
    assert_eq!(answer.json()["done_reason"], json!("load"));
    server.wait_for_log("model unloaded");
    assert_eq!(server.get("/api/ps"), json!({"models": []}));
}

#[test]
fn another_window_is_taken_over_and_reported() {
    let server = Server::open(&[]);
    let window = || server.get("/api/ps")["models"][0]["context_length"].clone();
    assert_eq!(window(), json!(4096));
    server.chat(&user("Hi"), &json!({"num_predict": 1, "num_ctx": 1024, "num_thread": 1}));
    assert_eq!(window(), json!(1024));
    server.chat(&user("Hi"), &json!({"num_predict": 1, "num_ctx": 10_000_000}));
    assert_eq!(window(), json!(32768), "no longer than it was trained for");
    server.chat(&user("Hi"), &json!({"num_predict": 1}));
    assert_eq!(window(), json!(4096));
}

#[test]
fn a_server_that_outlives_its_starter_ends_when_nobody_has_come_for_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let (model, socket) = (Tiny::default().write(folder.path()), folder.path().join("model.sock"));
    let path = socket.to_str().expect("a path of text");
    let server = Server::of(&model, &["--socket", path, "--idle-exit", "1"], None);
    assert_eq!(server.chat(&user("Hi"), &json!({"temperature": 0}))["message"]["content"], json!("Hi"));
    assert_eq!(server.wait().code(), Some(0));
    assert!(!socket.exists());
}

#[test]
fn a_server_that_ends_leaves_the_socket_of_its_successor() {
    let folder = tempfile::tempdir().unwrap();
    let (model, socket) = (Tiny::default().write(folder.path()), folder.path().join("model.sock"));
    let args = ["--socket", socket.to_str().expect("a path of text")];
    let first = Server::of(&model, &args, None);
    std::fs::remove_file(&socket).unwrap();
    let second = Server::of(&model, &args, None);
    assert_eq!(first.terminate().code(), Some(0));
    assert_eq!(second.get("/api/version"), json!({"version": "0.32.15"}));
}

#[test]
fn a_server_whose_log_nobody_reads_any_more_answers_and_ends_with_its_starter() {
    let folder = tempfile::tempdir().unwrap();
    let model = Tiny::default().write(folder.path());
    let mut server = Server::of(&model, &["--listen", "127.0.0.1:0", "--open"], None);
    server.leave_log();
    assert_eq!(server.chat(&user("Hi"), &json!({"temperature": 0}))["message"]["content"], json!("Hi"));
    assert_eq!(server.let_go().code(), Some(0));
}
