//! The Qwen3 family: its template without thoughts, and thoughts that come nevertheless.

use serde_json::{Value, json};

use crate::support::{Server, chat, user};
use crate::tiny::Tiny;

/// A server with a tiny model that follows `script`.
fn server(script: &[&str]) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    let path = Tiny { script, ..Tiny::default() }.write(folder.path());
    Server::of(&path, &["--listen", "127.0.0.1:0", "--open"], None)
}

const GREEDY: fn() -> Value = || json!({"temperature": 0, "num_predict": 12});

#[test]
fn a_model_of_the_family_is_loaded_and_answers_without_a_thought() {
    let server = server(&["\n", "H", "i", "<|im_end|>"]);
    let reply = server.chat(&user("Hi"), &GREEDY());
    assert_eq!(reply["message"], json!({"role": "assistant", "content": "Hi"}));
    assert_eq!((&reply["done_reason"], &reply["eval_count"]), (&json!("stop"), &json!(2)));
    // "<|im_start|>", "user", "\n", "Hi", "<|im_end|>", "\n", "<|im_start|>", "assistant", "\n", and the empty thought.
    assert_eq!(reply["prompt_eval_count"], json!(1 + 4 + 1 + 2 + 1 + 1 + 1 + 9 + 1 + 1 + 2 + 1 + 2));
    let shown = server.get("/api/tags");
    assert_eq!(shown["models"][0]["details"]["family"], json!("qwen3"));
    assert_eq!(shown["models"][0]["capabilities"], json!(["completion", "tools"]));
}

#[test]
fn a_thought_that_comes_nevertheless_is_no_part_of_the_answer() {
    let server = server(&["\n", "<think>", "h", "m", "</think>", "H", "i", "<|im_end|>"]);
    let whole = server.chat(&user("Hi"), &GREEDY());
    assert_eq!(whole["message"], json!({"role": "assistant", "content": "Hi", "thinking": "hm"}));

    let lines = server.post("/api/chat", &chat(&user("Hi"), &GREEDY(), true)).lines();
    let said =
        |key: &str| -> String { lines.iter().filter_map(|line| line["message"][key].as_str()).collect() };
    assert_eq!((said("content").as_str(), said("thinking").as_str()), ("Hi", "hm"), "{lines:?}");

    let asked = json!({"model": crate::support::NAME, "prompt": "Hi", "stream": false, "options": GREEDY()});
    let generated = server.post("/api/generate", &asked).json();
    assert_eq!((&generated["response"], &generated["thinking"]), (&json!("Hi"), &json!("hm")));
}

#[test]
fn a_thought_without_an_end_leaves_the_answer_empty() {
    let server = server(&["\n", "<think>", "h", "h"]);
    let reply = server.chat(&user("Hi"), &GREEDY());
    assert_eq!((&reply["message"]["content"], &reply["done_reason"]), (&json!(""), &json!("length")));
    assert_eq!(reply["message"]["thinking"], json!("h".repeat(11)));
}

#[test]
fn its_prompts_stay_in_memory_as_well() {
    let server = server(&["\n", "H", "i", "<|im_end|>"]);
    let head = "You are Joi. ".repeat(20);
    let turn = |question: &str, tools: &Value| {
        let messages = json!([{"role": "system", "content": head}, {"role": "user", "content": question}]);
        let mut request = chat(&messages, &GREEDY(), false);
        request["tools"] = tools.clone();
        let reply = server.post("/api/chat", &request).json();
        let number = |key: &str| reply[key].as_u64().unwrap_or(0);
        (number("prompt_eval_count"), number("prompt_eval_count") - number("prompt_cached_count"))
    };
    let lamp = json!([{"type": "function", "function": {"name": "lamp", "description": "A lamp"}}]);
    for (n, question) in ["a", "b", "c"].into_iter().enumerate() {
        for tools in [&json!([]), &lamp] {
            let (whole, evaluated) = turn(question, tools);
            assert!(n == 0 || evaluated * 10 <= whole, "{evaluated} of {whole} in round {n}");
        }
    }
}
