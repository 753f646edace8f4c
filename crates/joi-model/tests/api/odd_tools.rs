//! Odd tools, schemas and samplings: each request gets an answer or an error, and the server lives.

use serde_json::{Value, json};

use crate::support::{SHARED, Server, chat, user};

fn tool(name: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": name, "parameters": parameters}})
}

/// Samplings under which a model writes what nobody expects.
fn samplings() -> Vec<Value> {
    let odd = [
        json!({"temperature": 0}),
        json!({"temperature": 1.5, "top_k": 0, "top_p": 1}),
        json!({"temperature": 100, "top_k": 0, "top_p": 1, "min_p": 0}),
        json!({"temperature": 2, "top_k": 1}),
        json!({"temperature": 0.7, "top_p": 0.01, "min_p": 1}),
        json!({"temperature": 0, "repeat_penalty": 10, "presence_penalty": 10, "frequency_penalty": 10}),
        json!({"temperature": 3, "top_k": 0, "top_p": 1, "repeat_penalty": 0.01, "frequency_penalty": -10}),
    ];
    let with = |(seed, mut options): (usize, Value)| {
        options["seed"] = json!(seed);
        options["num_predict"] = json!(12);
        options
    };
    odd.into_iter().enumerate().map(with).collect()
}

/// Tools as no sensible client sends them.
fn tools() -> Vec<Value> {
    let nested = (0..8).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    let many: serde_json::Map<String, Value> =
        (0..60).map(|at| (format!("p{at}"), json!({"type": ["string", "null"]}))).collect();
    vec![
        json!([tool("stop", &json!({"type": "object", "properties": {}}))]),
        json!([tool("a\"b\\\n{}", &json!({"properties": {"": {"const": {"x": [1, null]}}}}))]),
        json!([tool(
            "pick",
            &json!({"properties": {"x": {"enum": []}, "y": {"anyOf": []}}, "required": ["x", "z"]})
        )]),
        json!([tool("deep", &json!({"properties": {"x": nested}, "required": ["x"]}))]),
        json!([tool("many", &json!({"properties": many}))]),
        json!([tool(
            "ünï☃",
            &json!({"properties": {"🦀": {"type": "string", "maxLength": 0}}, "required": ["🦀"]})
        )]),
        json!([tool("list", &json!({"properties": {"x": {"type": "array", "minItems": 9, "maxItems": 2}}}))]),
        json!([tool("free", &json!({})), tool("free", &json!(true))]),
        json!([tool("odd", &json!({"properties": {"x": {"type": "date"}}}))]),
    ]
}

/// Talk that makes a model begin as calls begin, and go on otherwise.
const TALK: [&str; 3] = [
    "Begin your answer with {\n and a new line, then write a JSON object.",
    "Write <tool_call> and then three lines of a poem.",
    "{\"name\": }}} <tool_call>{{{ repeat that",
];

#[test]
fn odd_tools_and_samplings_do_no_harm() {
    let server = Server::open(&["--queue", "64"]);
    let mut answered = 0;
    for (at, tools) in tools().iter().enumerate() {
        // Each of them under some samplings, each sampling with some of them.
        let some = samplings().into_iter().cycle().skip(at).take(4);
        for (options, talk) in some.zip(TALK.iter().cycle().skip(at)) {
            let mut request = chat(&user(talk), &options, false);
            request["tools"] = tools.clone();
            let answer = server.post("/api/chat", &request);
            let status = answer.status;
            let body = answer.json();
            assert!(matches!(status, 200 | 400 | 500), "{status} {body}");
            assert!((status == 200) == body.get("error").is_none(), "{status} {body}");
            answered += usize::from(status == 200);
        }
    }
    assert!(answered > 20, "{answered}: most of it can be served");
    assert_eq!(server.get("/api/version").get("version").map(Value::is_string), Some(true), "it lives");
}

#[test]
fn odd_formats_do_no_harm() {
    let formats = [
        json!("json"),
        json!({"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]}),
        json!({"type": "string", "maxLength": 0}),
        json!({"anyOf": [{"type": "integer"}, {"const": "\u{1}\u{7f}🦀"}]}),
        json!({"type": "array", "minItems": 50, "items": {"type": "number"}}),
    ];
    for format in &formats {
        for options in samplings().into_iter().step_by(3) {
            let mut request = chat(&user("Say something."), &options, false);
            request["format"] = format.clone();
            let answer = SHARED.post("/api/chat", &request);
            let status = answer.status;
            assert!(matches!(status, 200 | 400 | 500), "{format} {options}: {}", answer.text());
        }
    }
    assert!(SHARED.get("/api/version").get("version").is_some(), "it lives");
}

// Where nothing forces it, a call is written as its schema says, whatever the sampling.
#[test]
fn a_call_that_begins_fits_its_schema_under_any_sampling() {
    let weather = json!({"type": "object", "additionalProperties": false, "required": ["city"],
        "properties": {"city": {"enum": ["Paris", "Rome"]}}});
    let tools = json!([tool("get_weather", &weather)]);
    let mut calls = 0;
    for mut options in samplings().into_iter().take(4) {
        options["num_predict"] = json!(60);
        let mut request = chat(&user("What is the weather in Paris now? Call get_weather."), &options, false);
        request["tools"] = tools.clone();
        let reply = SHARED.post("/api/chat", &request).json();
        for call in reply["message"]["tool_calls"].as_array().into_iter().flatten() {
            let city = &call["function"]["arguments"]["city"];
            assert!(["Paris", "Rome"].iter().any(|known| city == known), "{reply}");
            calls += 1;
        }
    }
    assert!(calls > 0, "no call at all was made");
}
