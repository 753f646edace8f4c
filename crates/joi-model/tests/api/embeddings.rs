//! The second model: vectors of texts.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::{NAME, Server, chat, fetched, program, ran, user};

const VECTORS: &str = "all-minilm";

fn embed_model() -> String {
    let path = fetched("embed-all-minilm-l6-v2", "all-minilm-l6-v2-q8_0.gguf");
    path.to_str().expect("a path of text").to_owned()
}

/// A server with both models.
static BOTH: LazyLock<Server> =
    LazyLock::new(|| Server::open(&["--embed-model", &embed_model(), "--embed-name", VECTORS]));

fn embedded(input: &Value) -> Value {
    let answer = BOTH.post("/api/embed", &json!({"model": VECTORS, "input": input}));
    assert_eq!(answer.status, 200);
    answer.json()
}

fn numbers(vector: &Value) -> Vec<f64> {
    let numbers = vector.as_array().expect("a vector").iter();
    numbers.map(|number| number.as_f64().expect("a number")).collect()
}

fn product(one: &Value, other: &Value) -> f64 {
    numbers(one).iter().zip(numbers(other)).map(|(a, b)| a * b).sum()
}

#[test]
fn texts_become_vectors_in_order_as_near_as_their_meanings_are() {
    let told = "Mimi sleeps on the sofa";
    let made = embedded(&json!([told, "the kitten naps upon a couch", "Taxes are due in March.", told]));
    let vectors = made["embeddings"].as_array().unwrap();
    assert_eq!((vectors.len(), made["model"].as_str()), (4, Some(VECTORS)));
    assert!(made["total_duration"].as_u64() > Some(0) && made["load_duration"] == json!(0));
    assert!(made["prompt_eval_count"].as_u64() > Some(20), "{}", made["prompt_eval_count"]);
    for vector in vectors {
        assert!(numbers(vector).len() == 384 && (product(vector, vector) - 1.0).abs() < 1e-4);
    }
    let near = |other: usize| product(&vectors[0], &vectors[other]);
    assert!(near(1) > 0.45 && near(2) < 0.15, "{} {}", near(1), near(2));
    assert!(near(3) > 0.9999, "the same text, the same vector");
}

#[test]
fn a_vector_is_the_one_that_the_published_weights_give() {
    let made = embedded(&json!("This is an example sentence"));
    // By a plain implementation in 64-bit floats; ours has 8-bit weights.
    let exact = [0.067_656_9, 0.063_495_9, 0.048_713_1, 0.079_304_98, 0.037_448_05];
    let vector = numbers(&made["embeddings"][0]);
    for (number, exact) in vector.iter().zip(exact) {
        assert!((number - exact).abs() < 0.005, "{:?}", &vector[..5]);
    }
}

#[test]
fn nothing_gives_nothing_and_what_is_no_text_is_refused() {
    for nothing in [json!([]), json!(""), Value::Null] {
        assert_eq!(embedded(&nothing)["embeddings"], json!([]), "{nothing}");
    }
    for wrong in [json!(5), json!({"a": "b"}), json!(["a", 5])] {
        let told = BOTH.post("/api/embed", &json!({"model": VECTORS, "input": wrong})).error();
        assert_eq!(told, (400, "invalid input type".to_owned()), "{wrong}");
    }
}

#[test]
fn a_text_longer_than_the_window_is_cut_unless_that_is_ruled_out() {
    let long = "the cat sat on the mat and ".repeat(200);
    let made = embedded(&json!([long]));
    assert_eq!(made["prompt_eval_count"], json!(512));
    let whole = json!({"model": VECTORS, "input": long, "truncate": false});
    let told = BOTH.post("/api/embed", &whole).error();
    assert_eq!(told, (400, "the input length exceeds the context length".to_owned()));
}

#[test]
fn fewer_numbers_are_the_first_ones_at_length_one() {
    let asked = json!({"model": VECTORS, "input": "hello", "dimensions": 32});
    let short = BOTH.post("/api/embed", &asked).json()["embeddings"][0].take();
    let whole = embedded(&json!("hello"))["embeddings"][0].take();
    assert!(numbers(&short).len() == 32 && (product(&short, &short) - 1.0).abs() < 1e-4);
    let scale = numbers(&short)[0] / numbers(&whole)[0];
    assert!((numbers(&short)[31] - scale * numbers(&whole)[31]).abs() < 1e-5);
}

#[test]
fn the_older_path_gives_one_vector() {
    let one = BOTH.post("/api/embeddings", &json!({"model": VECTORS, "prompt": "hello"})).json();
    let same = embedded(&json!("hello"));
    assert!((product(&one["embedding"], &same["embeddings"][0]) - 1.0).abs() < 1e-3);
    let none = BOTH.post("/api/embeddings", &json!({"model": VECTORS})).json();
    assert_eq!(none, json!({"embedding": []}));
}

#[test]
fn both_models_are_listed_shown_and_in_memory_and_each_refuses_what_the_other_does() {
    let names = |path: &str| {
        let listed = BOTH.get(path);
        let models = listed["models"].as_array().unwrap().clone();
        models.iter().map(|model| model["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let both = [NAME.to_owned(), format!("{VECTORS}:latest")];
    assert_eq!((names("/api/tags"), names("/api/ps")), (both.to_vec(), both.to_vec()));
    let shown = BOTH.post("/api/show", &json!({"model": VECTORS})).json();
    assert_eq!(shown["capabilities"], json!(["embedding"]));
    assert_eq!(shown["details"]["embedding_length"], json!(384));
    assert_eq!(shown["model_info"]["bert.pooling_type"], json!(1));
    let refused = |path: &str, body: Value| BOTH.post(path, &body).error();
    let messages = json!([{"role": "user", "content": "Hi"}]);
    assert_eq!(
        refused("/api/chat", json!({"model": VECTORS, "messages": messages})),
        (400, format!("{VECTORS:?} does not support chat"))
    );
    assert_eq!(
        refused("/api/generate", json!({"model": VECTORS, "prompt": "Hi"})),
        (400, format!("{VECTORS:?} does not support generate"))
    );
    assert_eq!(
        refused("/api/embed", json!({"model": NAME, "input": "Hi"})),
        (400, format!("{NAME:?} does not support embeddings"))
    );
    let pulled = BOTH.post("/api/pull", &json!({"model": VECTORS, "stream": false})).json();
    assert_eq!(pulled, json!({"status": "success"}));
}

#[test]
fn vectors_do_not_wait_for_a_reply() {
    let mut reply = BOTH.endless();
    assert_eq!(embedded(&json!("hello"))["embeddings"].as_array().unwrap().len(), 1);
    assert_eq!(reply.line().expect("it goes on")["done"], json!(false));
}

#[test]
fn without_its_file_there_are_no_vectors_and_talking_goes_on() {
    let chat = crate::support::model();
    let wrong = [("/nowhere/m.gguf", "/nowhere/m.gguf"), (chat.to_str().unwrap(), "no model for vectors")];
    for (path, why) in wrong {
        let mut server = Server::open(&["--embed-model", path, "--embed-name", VECTORS]);
        server.wait_for_log("embeddings are unavailable");
        let told = server.post("/api/embed", &json!({"model": VECTORS, "input": "x"})).error();
        assert_eq!(told, (404, format!("model '{VECTORS}' not found")), "{why}");
        assert_eq!(server.get("/api/tags")["models"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_model_for_vectors_is_no_partner_and_two_models_have_two_names() {
    let ran = |args: &[&str]| {
        let ran = ran(args);
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let embed = embed_model();
    let (code, told) = ran(&["--model", &embed, "--listen", "127.0.0.1:0", "--open"]);
    // Another model may do.
    assert!(code == Some(3) && told.contains("is not a chat model"), "{told}");
    let both = ["--model", &embed, "--embed-model", &embed, "--listen", "127.0.0.1:0", "--open"];
    let (code, told) = ran(&both);
    assert!(code == Some(1) && told.contains("both models are called"), "{told}");
}

#[test]
fn without_a_chat_model_vectors_are_served_alone() {
    let embed = embed_model();
    let open = ["--listen", "127.0.0.1:0", "--open"];
    let only =
        Server::run(program(&[&["--embed-model", &embed, "--embed-name", VECTORS], &open[..]].concat()));
    let tags = only.get("/api/tags");
    assert_eq!(
        (tags["models"].as_array().map(Vec::len), &tags["models"][0]["name"]),
        (Some(1), &json!("all-minilm:latest"))
    );
    let made = only.post("/api/embed", &json!({"model": VECTORS, "input": "hello"})).json();
    let beside = embedded(&json!("hello"));
    assert!(product(&made["embeddings"][0], &beside["embeddings"][0]) > 0.9999);
    let refused = only.post("/api/chat", &chat(&user("Hi."), &json!({}), false)).error();
    assert_eq!(refused, (404, format!("model '{NAME}' not found")));
    assert!(only.let_go().success());
}

#[test]
fn alone_it_has_to_be_a_model_for_vectors() {
    let talks = crate::support::model();
    let ended = ran(&["--embed-model", talks.to_str().expect("text"), "--listen", "127.0.0.1:0", "--open"]);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("is no model for vectors"), "{said}");
}
