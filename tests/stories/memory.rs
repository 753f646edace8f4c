//! What joi remembers, as it is typed: told, asked, listed, searched, carried away and back, and erased for good.

use std::sync::Arc;

use joi_agent::model::Room;
use joi_agent::{
    ContextConfig, Engine, EngineParts, MemoryConfig, MemoryDigest, PersonaConfig, Prelude, Protocols,
    ReplyConfig, ReplyEvent, Session, TurnInput, memory_question, reply,
};
use joi_base::clock::{Clock, SystemClock};
use joi_base::message::{ConversationId, Private, TurnId};
use joi_language::{Language, Languages};
use joi_llm::{Backend, LlmConfig, LlmError, Mind, MindParts, OLLAMA, RestartPolicy};
use joi_store::{Embedding, MemoryKind, MemoryQuery, NewMemory, Store};
use joi_tools::{ToolRegistry, ToolsConfig};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

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
fn what_is_reported_is_known_until_it_is_forgotten_without_any_model() {
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

/// An Ollama with a model for talk and one for vectors: the double, or the one that `JOI_TEST_MODEL_SERVER` names, with
/// the models `JOI_TEST_MODEL` and `JOI_TEST_EMBED_MODEL`.
struct Vectors {
    url: String,
    model: String,
    embed_model: String,
    _double: Option<Double>,
}

async fn vectors() -> Vectors {
    let real = std::env::var("JOI_TEST_MODEL_SERVER").ok().filter(|address| address.starts_with("http"));
    if let Some(url) = real {
        let model = |key| std::env::var(key).unwrap();
        let (model, embed_model) = (model("JOI_TEST_MODEL"), model("JOI_TEST_EMBED_MODEL"));
        return Vectors { url, model, embed_model, _double: None };
    }
    let double = Double::start().await;
    double.install(vec![
        Model::new("qwen3:1.7b", &["completion", "tools"]),
        Model::new("nomic-embed-text:latest", &["embedding"]),
    ]);
    let (url, model, embed_model) = (double.url.clone(), "auto".into(), "auto".into());
    Vectors { url, model, embed_model, _double: Some(double) }
}

impl Vectors {
    /// A mind that makes vectors with `embed_model`, once it is ready.
    async fn mind(&self, fake: &Fake, embed_model: &str) -> Arc<Mind> {
        let prelude = Prelude {
            persona: PersonaConfig::default(),
            context: ContextConfig::default(),
            wake_phrase: None,
            tools: ToolRegistry::default(),
            protocols: Protocols::default(),
            clock: Arc::new(SystemClock),
            languages: Languages::new(Language::load("en").unwrap()),
        };
        let config = LlmConfig {
            url: self.url.clone(),
            backend: Backend::Server(&OLLAMA),
            model: self.model.clone(),
            embed_model: embed_model.to_owned(),
            ..LlmConfig::default()
        };
        let (local, head) = (fake.local(), joi_agent::head(prelude));
        let mind = Mind::start(MindParts { config, local, head, restarts: RestartPolicy::default() });
        assert!(matches!(mind.embed(&[]).await, Err(LlmError::NoVectors { .. })), "nobody serves yet");
        mind.ready().await.unwrap();
        Arc::new(mind)
    }
}

/// An engine that remembers in `store` and thinks with `mind`.
fn engine(mind: &Arc<Mind>, store: &Store) -> Engine<Mind> {
    Engine::new(EngineParts {
        agents: None,
        home: None,
        initiative: joi_agent::Initiative::default(),
        reply: ReplyConfig::default(),
        persona: PersonaConfig::default(),
        context: ContextConfig::default(),
        memory: MemoryConfig { digest: MemoryDigest::Never, ..MemoryConfig::default() },
        wake_phrase: None,
        model: Arc::clone(mind),
        room: Room::from(&LlmConfig::default()),
        store: Some(store.clone()),
        schedule: None,
        clock: Arc::new(SystemClock),
        tools: ToolRegistry::default(),
        tool_rules: ToolsConfig::default(),
        protocols: Protocols::default(),
        languages: Languages::new(Language::load("en").unwrap()),
    })
}

/// What was decided about the recall of a turn that asks `asked`.
async fn recall(engine: &Engine<Mind>, asked: &str) -> Vec<String> {
    let (events, mut received) = mpsc::channel(1_000);
    let turn = TurnInput { id: TurnId(1), text: Private(asked.to_owned()), language: None, is_unsure: false };
    let session = Session::new(ConversationId::console());
    reply(engine, &session, turn, events, CancellationToken::new()).await;
    let mut verdicts = Vec::new();
    while let Ok(event) = received.try_recv() {
        if let ReplyEvent::Decided(decision) = event
            && decision.stage == "recall"
        {
            verdicts.push(decision.verdict);
        }
    }
    verdicts
}

// Contract: /api/embed; stored, made in the background, found by the vector alone
#[tokio::test]
async fn vectors_of_ollama_find_what_shares_no_word_with_the_question() {
    let (server, fake, store) = (vectors().await, Fake::that_serves(), Store::in_memory().unwrap());
    let mind = server.mind(&fake, &server.embed_model).await;
    let engine = engine(&mind, &store);
    let told = NewMemory {
        kind: MemoryKind::World,
        at: SystemClock.now().timestamp(),
        text: Private("Miezi sleeps on the old sofa".into()),
        source: "said".into(),
    };
    store.remember(vec![told]).await.unwrap();
    let asked = "the kitten naps upon a couch";
    let by_words = MemoryQuery { limit: 3, ..memory_question(asked, &SystemClock.now()) };
    assert_eq!(store.search(by_words.clone()).await.unwrap(), [], "no word of it is the same");
    engine.consolidate().await.unwrap();
    let embedded = mind.embed(&[asked.to_owned()]).await.unwrap();
    assert_eq!(store.unembedded(&embedded.model, 9).await.unwrap(), [], "all of it has a vector");
    let vector = Embedding { model: embedded.model, value: embedded.vectors[0].clone(), everyday: 0.1 };
    let found = store.search(MemoryQuery { vector: Some(vector), ..by_words }).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(recall(&engine, asked).await, ["found"]);
    mind.shutdown().await;
}

// A model that is not there, or can't, costs the vectors and nothing else
#[tokio::test]
async fn without_a_model_that_can_the_words_of_a_question_still_find_it() {
    let (server, fake, store) = (vectors().await, Fake::that_serves(), Store::in_memory().unwrap());
    let told = NewMemory {
        kind: MemoryKind::World,
        at: SystemClock.now().timestamp(),
        text: Private("the spare key is in the shed".into()),
        source: "said".into(),
    };
    store.remember(vec![told]).await.unwrap();
    let mut wanted = vec![("nobody-embed", "nobody-embed; run `ollama pull nobody-embed`"), ("", "is empty")];
    if server._double.is_some() {
        wanted.push(("qwen3:1.7b", "qwen3:1.7b can't; choose another llm.embed_model"));
    }
    for (embed_model, why) in wanted {
        let mind = server.mind(&fake, embed_model).await;
        let error = mind.embed(&["one".to_owned()]).await.unwrap_err();
        assert!(matches!(error, LlmError::NoVectors { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
        let engine = engine(&mind, &store);
        engine.consolidate().await.unwrap();
        assert_eq!(store.unembedded(embed_model, 9).await.unwrap().len(), 1);
        assert_eq!(recall(&engine, "where is the spare key").await, ["found"]);
        mind.shutdown().await;
    }
}
