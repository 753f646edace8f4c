//! What the server says about itself and its model.

use serde_json::{Value, json};

use crate::support::{NAME, SHARED, Server};

fn details() -> Value {
    json!({"parent_model": "", "format": "gguf", "family": "qwen2", "families": ["qwen2"],
        "parameter_size": "630.17M", "quantization_level": "Q4_K_M", "context_length": 32768,
        "embedding_length": 896})
}

#[test]
fn it_is_alive_and_has_a_version() {
    let alive = SHARED.send("GET", "/", "", "");
    assert!(alive.head.contains("content-type: text/plain"), "{}", alive.head);
    assert_eq!(alive.text(), "Ollama is running");
    for path in ["/", "/api/version", "/api/tags"] {
        let head = SHARED.send("HEAD", path, "", "");
        assert_eq!((head.status, head.text().as_str()), (200, ""));
    }
    assert_eq!(SHARED.get("/api/version"), json!({"version": "0.32.15"}));
}

#[test]
fn tags_lists_the_one_model() {
    let mut tags = SHARED.get("/api/tags");
    let model = &mut tags["models"][0];
    let digest = model["digest"].take();
    assert!(digest.as_str().is_some_and(|d| d.len() == 64 && d.chars().all(|c| c.is_ascii_hexdigit())));
    assert!(model["modified_at"].take().as_str().is_some_and(|t| t.parse::<jiff::Timestamp>().is_ok()));
    let expected = json!({"models": [{"name": NAME, "model": NAME, "modified_at": null, "size": 491_400_064_u64,
        "digest": null, "details": details(), "capabilities": ["completion", "tools"]}]});
    assert_eq!(tags, expected);
}

#[test]
fn show_lists_what_the_model_can_do() {
    for key in ["model", "name"] {
        let show = SHARED.post("/api/show", &json!({key: NAME})).json();
        assert_eq!((&show["capabilities"], &show["details"]), (&json!(["completion", "tools"]), &details()));
        let info = &show["model_info"];
        assert_eq!(info["general.architecture"], json!("qwen2"));
        assert_eq!(info["general.parameter_count"], json!(630_167_424_u64));
        assert_eq!(info["qwen2.context_length"], json!(32768));
        assert!(show["template"].as_str().unwrap().contains("<|im_start|>"));
    }
}

#[test]
fn ps_shows_what_is_in_memory_and_for_how_long() {
    let server = Server::open(&["--ctx", "512"]);
    let mut ps = server.get("/api/ps");
    let until: jiff::Timestamp = ps["models"][0]["expires_at"].take().as_str().unwrap().parse().unwrap();
    assert!(
        until > "2300-01-01T00:00:00Z".parse().unwrap(),
        "nothing was said about when it may go: {until}"
    );
    ps["models"][0]["digest"].take();
    let expected = json!({"models": [{"name": NAME, "model": NAME, "size": 491_400_064_u64, "digest": null,
        "details": details(), "expires_at": null, "size_vram": 0, "context_length": 512}]});
    assert_eq!(ps, expected);
}
