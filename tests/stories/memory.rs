//! What she remembers, as it is typed: told, asked, listed, searched, carried away and back, and erased for good.

use std::sync::Arc;

use joi::clock::SystemClock;
use joi::llm::{Backend, LlmConfig, Mind, Parts, RestartPolicy, ServedBy, Serving};
use joi::reply::{ContextConfig, PersonaConfig, Prelude, Protocols};
use joi::tools::Toolbox;
use serde_json::Value;

use crate::support::fake_joi_model::Fake;
use crate::support::ollama_double::{Double, Model};
use crate::support::program::{Home, NOBODY};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn holds(home: &Home, word: &[u8]) -> bool {
    home.stored().windows(word.len()).any(|bytes| bytes.eq_ignore_ascii_case(word))
}

#[test]
fn what_is_told_is_known_until_it_is_forgotten_without_any_model() {
    let home = Home::with_model_server(NOBODY);
    let told = "remember that my aunt is called Philomena\nfrom now on call me Max\n";
    let ran = home.joi_reading(told, &["text"]).well();
    assert_eq!(ran.out, "I'll remember: your aunt is called Philomena.\nI'll keep to that: call me Max.\n");
    let ran = home.joi_reading("what do you know about me?\n", &["text"]).well();
    assert_eq!(
        ran.out,
        "You told me this. Your aunt is called Philomena. And you want this of me. Call me Max.\n"
    );
    assert!(holds(&home, b"philomena"));
    let ran = home.joi_reading("forget what I said about Philomena\nno\n", &["text"]).well();
    assert!(
        ran.out.contains("about Philomena. Shall I forget it for good?\nAll right, I'll leave it.\n"),
        "{ran:?}"
    );
    assert!(holds(&home, b"philomena"));
    home.joi_reading("forget what I said about Philomena\nyes\n", &["text"]).well();
    assert!(!holds(&home, b"philomen"), "no byte of it is left, nor of the asking");
    let known = json(&home.joi(&["memory", "--json"]).well().out);
    assert_eq!(known.as_array().map(Vec::len), Some(1), "{known}");
}

// covers DEC17
#[test]
fn the_command_line_shows_adds_searches_and_erases() {
    let home = Home::with_model_server(NOBODY);
    assert!(home.joi(&["memory"]).well().out.starts_with("she remembers nothing"));
    let added = home.joi(&["memory", "add", "my", "sister", "is", "called", "Ann"]).well();
    assert_eq!(added.out, "she remembers it as number 1\n");
    home.joi(&["memory", "add", "--kind", "world", "the spare key is in the shed"]).well();
    let manual = home.arg("boiler.md");
    std::fs::write(&manual, "# Boiler\n\nThe valve is red.\n").unwrap();
    assert_eq!(home.joi(&["memory", "add", &manual]).well().out, "boiler.md is in her memory, in 1 pieces\n");
    let found = json(&home.joi(&["memory", "search", "where are the spare keys", "--json"]).well().out);
    assert_eq!(
        (&found[0]["text"], &found[0]["no"]),
        (&"the spare key is in the shed".into(), &2.into()),
        "{found}"
    );
    let found = home.joi(&["memory", "search", "what colour has the valve"]).well().out;
    assert!(found.contains("The valve is red.") && found.contains("document"), "{found}");
    assert!(home.joi(&["memory", "show", "1"]).well().out.contains("my sister is called Ann"));
    let table = home.joi(&["memory", "list", "--kind", "user"]).well().out;
    assert!(table.contains("WHAT") && table.contains("Ann") && !table.contains("shed"), "{table}");

    let secret = home.joi(&["memory", "add", "my password is hunter2secret"]);
    assert_eq!(secret.code, Some(1), "{secret:?}");
    let missing = home.joi(&["memory", "add", "nowhere.pdf"]);
    assert!(missing.code == Some(1) && missing.complaint().contains("nowhere.pdf"), "{missing:?}");
    let broken = home.arg("broken.pdf");
    std::fs::write(&broken, b"%PDF-1.7 this is none").unwrap();
    assert!(home.joi(&["memory", "add", &broken]).complaint().contains("save it as text"));

    let kept = home.arg("memory.jsonl");
    home.joi(&["memory", "export", &kept]).well();
    let export = std::fs::read_to_string(&kept).unwrap();
    assert_eq!(export.lines().map(json).filter(|line| line["type"] == "memory").count(), 3, "{export}");
    assert_eq!(home.joi(&["memory", "forget", "1", "99"]).out, "erased 1 of 2 entries\n");
    assert_eq!(
        home.joi(&["memory", "forget", "--document", "boiler.md"]).well().out,
        "erased boiler.md, 1 pieces\n"
    );
    let unasked = home.joi(&["memory", "forget", "--about", "spare key"]);
    assert!(
        unasked.complaint().contains("--yes") && unasked.complaint().contains("1 memories"),
        "{unasked:?}"
    );
    home.joi(&["memory", "forget", "--about", "spare key", "--yes"]).well();
    assert!(!holds(&home, b"spare") && !holds(&home, b"valve") && !holds(&home, b"sister"));

    let taken = home.joi(&["memory", "import", &kept]).well();
    assert_eq!(taken.out, "took 3 memories and 0 messages; 0 were there already\n");
    let other = home.joi(&["memory", "export"]).well();
    assert_eq!(other.out, export, "what went out came back");
    std::fs::write(&kept, "{\"type\":\"gossip\"}\n").unwrap();
    let refused = home.joi(&["memory", "import", &kept]);
    assert!(refused.code == Some(1) && refused.complaint().contains("line 1 of"), "{refused:?}");
    assert!(home.joi(&["forget", "--yes"]).well().out.ends_with("and 3 memories\n"));
}

// covers A8, contract: /api/embed
#[tokio::test]
async fn vectors_come_from_ollama_where_it_has_a_model_for_them() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    let prelude = Prelude {
        persona: PersonaConfig::default(),
        context: ContextConfig::default(),
        wake_phrase: None,
        tools: Toolbox::default(),
        protocols: Protocols::default(),
        clock: Arc::new(SystemClock),
    };
    let config = LlmConfig { url: double.url.clone(), backend: Backend::Ollama, ..LlmConfig::default() };
    double.install(vec![
        Model::new("qwen3:1.7b", &["completion", "tools"]),
        Model::new("nomic-embed-text:latest", &["embedding"]),
    ]);
    let (local, head) = (fake.local(), joi::reply::head(prelude));
    let mind = Mind::start(Parts { config, local, head, restarts: RestartPolicy::default() });
    let texts = ["one".to_owned(), "three".to_owned()];
    assert!(mind.embed(&texts).await.is_err(), "nobody serves yet");
    let mut serving = mind.serving();
    serving
        .wait_for(|now| matches!(now, Serving::Ready(ready) if ready.by == ServedBy::Ollama))
        .await
        .unwrap();
    let embedded = mind.embed(&texts).await.unwrap();
    assert_eq!((embedded.model.as_str(), embedded.vectors.len()), ("nomic-embed-text:latest", 2));
    assert!((embedded.vectors[1][1] - 0.05_f32.sin()).abs() < 1e-6);
    mind.shutdown().await;
}
