//! Every refusal of the contract, in its words and with its status.

use serde_json::{Value, json};

use crate::support::{NAME, SHARED};

fn refused(path: &str, body: &Value) -> (u16, String) {
    SHARED.post(path, body).error()
}

fn chat_with(key: &str, value: Value) -> Value {
    json!({"model": NAME, "messages": [{"role": "user", "content": "Hi"}], key: value, "stream": false})
}

#[test]
fn another_model_is_not_found() {
    for path in ["/api/chat", "/api/generate", "/api/show", "/api/embed"] {
        let expected = (404, "model 'llama9:1b' not found".to_owned());
        assert_eq!(refused(path, &json!({"model": "llama9:1b"})), expected, "{path}");
        assert_eq!(refused(path, &json!({})), (400, "model is required".to_owned()), "{path}");
        assert_eq!(refused(path, &json!({"model": "a b"})), (400, "invalid model name".to_owned()), "{path}");
    }
}

#[test]
fn bodies_that_are_no_requests_are_bad() {
    assert_eq!(SHARED.send("POST", "/api/chat", "", "").error(), (400, "missing request body".to_owned()));
    for body in ["{", "[]", "\"x\"", r#"{"model": 5}"#, r#"{"model":"m","messages":"hi"}"#, "\u{0}"] {
        assert_eq!(SHARED.send("POST", "/api/chat", "", body).error().0, 400, "{body}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(SHARED.send("POST", "/api/chat", "", &deep).error().0, 400);
    assert_eq!(SHARED.post("/api/chat", &chat_with("options", json!("x"))).error().0, 400);
}

#[test]
fn what_the_model_cannot_do_is_said() {
    let nameless = json!([{"type": "function", "function": {"parameters": {}}}]);
    let told = (400, "a tool has no function.name".to_owned());
    assert_eq!(refused("/api/chat", &chat_with("tools", nameless)), told);
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/b"}}});
    let told = (400, "the schema uses $ref, which joi-model does not support".to_owned());
    assert_eq!(refused("/api/chat", &chat_with("format", schema)), told);
    assert_eq!(SHARED.post("/api/chat", &with_limit(chat_with("tools", json!([])))).status, 200);
    let thinking = (400, format!("{NAME:?} does not support thinking"));
    assert_eq!(refused("/api/chat", &chat_with("think", json!(true))), thinking);
    assert_eq!(refused("/api/chat", &chat_with("think", json!("high"))), thinking);
    let bad = r#"invalid think value: "x" (must be "high", "medium", "low", "max", true, or false)"#;
    assert_eq!(refused("/api/chat", &chat_with("think", json!("x"))), (400, bad.to_owned()));
    let bad = r#"think must be a boolean or string ("high", "medium", "low", "max", true, or false)"#;
    assert_eq!(refused("/api/chat", &chat_with("think", json!(1))), (400, bad.to_owned()));
    let bad = r#"invalid format: "xml"; expected "json" or a valid JSON Schema object"#;
    assert_eq!(refused("/api/chat", &chat_with("format", json!("xml"))), (500, bad.to_owned()));
    let images = json!([{"role": "user", "content": "Hi", "images": ["aGk="]}]);
    assert_eq!(refused("/api/chat", &chat_with("messages", images)).0, 400);
    let role = json!([{"role": "user\nsystem", "content": "Hi"}]);
    assert_eq!(refused("/api/chat", &chat_with("messages", role)).0, 400);
    let embeddings = (400, format!("{NAME:?} does not support embeddings"));
    assert_eq!(refused("/api/embed", &json!({"model": NAME, "input": "x"})), embeddings);
    let insert = format!("registry.ollama.ai/library/{NAME} does not support insert");
    assert_eq!(
        refused("/api/generate", &json!({"model": NAME, "prompt": "a", "suffix": "b"})),
        (400, insert)
    );
}

fn with_limit(mut request: Value) -> Value {
    request["options"] = json!({"num_predict": 1});
    request
}

#[test]
fn options_of_a_wrong_type_are_refused_and_unknown_ones_ignored() {
    let options = json!({"num_ctx": "4096"});
    let expected = (500, r#"option "num_ctx" must be of type integer"#.to_owned());
    assert_eq!(refused("/api/chat", &chat_with("options", options)), expected);
    let keep = (400, r#"time: invalid duration "soon""#.to_owned());
    assert_eq!(refused("/api/chat", &chat_with("keep_alive", json!("soon"))), keep);
    let mut odd = chat_with("never_heard_of", json!({"a": [1]}));
    odd["options"] = json!({"num_predict": 1, "flux": 3, "temperature": null, "num_batch": 64});
    assert_eq!(SHARED.post("/api/chat", &odd).status, 200);
}

/// Numbers that would make llama.cpp abort the whole process, were they passed on.
#[test]
fn mad_numbers_do_no_harm() {
    for options in [
        json!({"repeat_penalty": 0, "presence_penalty": 1e300, "num_predict": 2}),
        json!({"repeat_penalty": -1, "frequency_penalty": -1e300, "num_predict": 2}),
        json!({"top_k": -1, "top_p": 0, "min_p": 7, "temperature": 1e300, "num_predict": 2}),
        json!({"num_thread": -4, "num_ctx": -1, "num_predict": 2, "seed": -1, "repeat_last_n": -1}),
        json!({"num_thread": 100_000, "top_k": 1e300, "num_predict": 2, "stop": ["", "\u{1F642}"]}),
    ] {
        assert_eq!(SHARED.post("/api/chat", &chat_with("options", options.clone())).status, 200, "{options}");
    }
    let odd = json!([{"role": "user", "content": "\u{0}\u{FFFD}\u{202E}🙂\u{1F468}\u{200D}\u{1F469}"}]);
    assert_eq!(SHARED.post("/api/chat", &with_limit(chat_with("messages", odd))).status, 200);
    let empty = json!([{"role": "user", "content": null}, {"role": "tool"}]);
    assert_eq!(SHARED.post("/api/chat", &with_limit(chat_with("messages", empty))).status, 200);
}

#[test]
fn the_model_file_stays_as_it_is() {
    let other = SHARED.post("/api/pull", &json!({"model": "llama9:1b"}));
    assert_eq!(other.status, 200);
    let text = "pull model manifest: joi-model serves the model files it was given and downloads none";
    assert_eq!(other.lines(), [json!({"status": "pulling manifest"}), json!({"error": text})]);
    let whole = json!({"model": "llama9:1b", "stream": false});
    assert_eq!(refused("/api/pull", &whole), (500, text.to_owned()));
    let ours = SHARED.post("/api/pull", &json!({"model": NAME})).lines();
    assert_eq!(ours, [json!({"status": "pulling manifest"}), json!({"status": "success"})]);
    let delete = SHARED.send("DELETE", "/api/delete", "", &json!({"model": NAME}).to_string()).error();
    assert_eq!(delete, (400, "joi-model serves the model files it was given and deletes none".to_owned()));
}

#[test]
fn paths_that_do_not_exist_are_not_found() {
    let answer = SHARED.send("GET", "/v1/models", "", "");
    assert_eq!((answer.status, answer.text().as_str()), (404, "404 page not found"));
    assert_eq!(SHARED.send("GET", "/api/chat", "", "").status, 405);
}

#[test]
fn a_body_beyond_measure_is_refused() {
    // One byte too many: the server has read everything when it refuses, so that the answer arrives.
    let huge = " ".repeat((2 << 20) + 1);
    assert_eq!(SHARED.send("POST", "/api/chat", "", &huge).error().0, 413);
}
