//! Who serves: chosen, started, watched, changed between turns. The child is a real process.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use joi_agent::model::{ChatModel as _, ModelState};
use joi_agent::{ContextConfig, PersonaConfig, Prelude, Protocols};
use joi_base::clock::SystemClock;
use joi_language::{Language, Languages};
use joi_llm::{
    Ask, Backend, ChatEvent, HeadMaker, Length, LlmConfig, LlmError, LocalModels, Message, Mind, MindParts,
    OLLAMA, Options, ReadyServer, RestartPolicy, ServedBy, Serving, Think, ThinkRule,
};
use joi_tools::ToolRegistry;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::fake_joi_model::Fake;
use crate::support::ollama_double::{Double, Model, Script};
use crate::support::{listed, local_model};

const NOBODY: &str = "http://127.0.0.1:1";

fn ask(messages: Vec<Message>) -> Ask {
    Ask { messages, ..Ask::default() }
}

pub(super) fn head() -> HeadMaker {
    Arc::new(|model, size, _| {
        vec![ask(vec![Message::system(format!("You run on {model}, which is {size:?}."))])]
    })
}

pub(super) fn parts(url: &str, backend: Backend, fake: &Fake) -> MindParts {
    let config = LlmConfig { url: url.into(), backend, ..LlmConfig::default() };
    let restarts =
        RestartPolicy { first_wait: Duration::from_millis(1), give_up_after: 3, ..RestartPolicy::default() };
    MindParts { config, local: fake.local(), head: head(), restarts }
}

fn mind(url: &str, backend: Backend, fake: &Fake) -> Mind {
    Mind::start(parts(url, backend, fake))
}

pub(super) async fn until(mind: &Mind, what: impl Fn(&ReadyServer) -> bool) -> ReadyServer {
    let mut serving = mind.serving();
    let now =
        serving.wait_for(|now| matches!(now, Serving::Ready(ready) if what(ready))).await.unwrap().clone();
    match now {
        Serving::Ready(ready) => ready,
        other => panic!("{other:?}"),
    }
}

pub(super) async fn until_down(mind: &Mind) -> LlmError {
    let mut serving = mind.serving();
    match serving.wait_for(|now| matches!(now, Serving::Down(_))).await.unwrap().clone() {
        Serving::Down(error) => error,
        other => panic!("{other:?}"),
    }
}

/// The answer's words, or how it failed.
pub(super) async fn answer(mind: &Mind, question: &str) -> Result<String, LlmError> {
    let mut reply = mind.chat(ask(vec![Message::user(question)])).await?;
    let mut words = String::new();
    loop {
        match reply.next().await.expect("a reply ends with Done or an error")? {
            ChatEvent::Text(text) => words.push_str(&text),
            ChatEvent::Thinking(_) | ChatEvent::ToolCall(_) => {}
            ChatEvent::Done(_) => return Ok(words),
        }
    }
}

fn with_model(double: &Double) {
    double.install(vec![Model::new("qwen3:1.7b", &["completion", "tools"])]);
}

#[tokio::test]
async fn ollama_serves_where_it_has_a_model_and_every_call_has_the_same_options() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    with_model(&double);
    let mind = mind(&double.url, Backend::Auto, &fake);
    let ready = mind.ready().await.unwrap();
    assert_eq!(
        (ready.by, ready.model.as_str(), ready.has_tools),
        (ServedBy::Server(&OLLAMA), "qwen3:1.7b", Some(true))
    );
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "You said, as I heard it: Hello.");
    let read_ahead = Ask { length: Length::OneToken, ..ask(vec![Message::user("later")]) };
    drop(mind.chat(read_ahead).await.unwrap());
    mind.shutdown().await;

    let mut options = LlmConfig::default().options();
    let as_sent = |options: &Options| serde_json::from_str(&serde_json::to_string(options).unwrap()).unwrap();
    let whole: Value = as_sent(&options);
    options.num_predict = 1;
    let one: Value = as_sent(&options);
    let sent: Vec<(Value, Value)> = double
        .chats()
        .into_iter()
        .map(|body| (body["messages"][0]["content"].clone(), body["options"].clone()))
        .collect();
    let first = json!("You run on qwen3:1.7b, which is Small.");
    assert_eq!(sent, [(first, one.clone()), (json!("Hello."), whole), (json!("later"), one)]);
    assert_eq!(fake.starts(), 0);
}

#[tokio::test]
async fn a_model_thinks_as_its_family_is_configured_and_our_own_never() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    double.install(vec![Model::new("gpt-oss:20b", &["completion", "tools", "thinking"])]);
    let config = LlmConfig {
        model: "gpt-oss:20b".into(),
        ..parts(&double.url, Backend::Server(&OLLAMA), &fake).config
    };
    let mind = Mind::start(MindParts { config, ..parts(&double.url, Backend::Server(&OLLAMA), &fake) });
    answer(&mind, "Hello.").await.unwrap();
    mind.shutdown().await;
    let sent: Vec<Value> = double.chats().into_iter().map(|body| body["think"].clone()).collect();
    assert_eq!(sent, [json!("low"), json!("low")], "reading the head, and the question");

    let thinks = ThinkRule { model: "*".into(), think: Think::On };
    let config = LlmConfig { think: vec![thinks], ..parts(NOBODY, Backend::Local, &fake).config };
    let mind = Mind::start(MindParts { config, ..parts(NOBODY, Backend::Local, &fake) });
    let ready = mind.ready().await.unwrap();
    assert_eq!((ready.by, answer(&mind, "Hello.").await.is_ok()), (ServedBy::Local, true));
    mind.shutdown().await;
}

#[tokio::test]
async fn our_own_server_is_started_where_nobody_answers_and_ends_with_us() {
    let fake = Fake::that_serves();
    let mind = mind(NOBODY, Backend::Auto, &fake);
    let ready = mind.ready().await.unwrap();
    assert_eq!((ready.by, ready.model.as_str(), ready.note.clone()), (ServedBy::Local, "fake-0.5b", None));
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "You said, as I heard it: Hello.");
    let process = std::path::PathBuf::from(format!("/proc/{}", ready.pid.unwrap()));
    let stat = std::fs::read_to_string(process.join("stat")).unwrap();
    let niceness: i32 = stat.rsplit_once(") ").unwrap().1.split(' ').nth(16).unwrap().parse().unwrap();
    assert!(niceness >= 5, "{stat}");
    mind.shutdown().await;
    assert!(!process.exists());
    assert_eq!(std::fs::read_dir(fake.runtime_dir()).unwrap().count(), 0);
    assert_eq!(answer(&mind, "Still there?").await, Err(LlmError::ShutDown));
}

#[tokio::test]
async fn an_ollama_without_the_model_names_what_to_pull() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    let mind = mind(&double.url, Backend::Auto, &fake);
    let ready = mind.ready().await.unwrap();
    assert_eq!(ready.by, ServedBy::Local);
    assert!(ready.note.unwrap().contains("ollama pull qwen3:1.7b"));
    double.install(Vec::new());
    mind.shutdown().await;
}

#[tokio::test]
async fn a_server_that_comes_takes_over_between_two_turns_only() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    let mind = mind(&double.url, Backend::Auto, &fake);
    let local = until(&mind, |ready| ready.by == ServedBy::Local).await;
    let gate = Arc::new(Notify::new());
    let head_read = Script::lines(&[json!({ "done": true })]).waiting_at(0, &gate);
    double.script("POST /api/chat", head_read);
    with_model(&double);
    mind.look_again();
    double.until_chats(1).await;
    let turn = mind.hold();
    gate.notify_one();
    assert_eq!(answer(&mind, "Who?").await.unwrap(), "You said, as I heard it: Who?");
    assert_eq!(double.chats().len(), 1, "the turn's question went to our own server");
    drop(turn);
    let ollama = until(&mind, |ready| ready.by == ServedBy::Server(&OLLAMA)).await;
    assert_eq!(ollama.model, "qwen3:1.7b");
    mind.shutdown().await;
    assert!(!std::path::Path::new(&format!("/proc/{}", local.pid.unwrap())).exists());
}

#[tokio::test]
async fn a_server_that_dies_in_mid_reply_is_replaced_before_the_next_question() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    with_model(&double);
    let mind = mind(&double.url, Backend::Auto, &fake);
    until(&mind, |ready| ready.by == ServedBy::Server(&OLLAMA)).await;
    let word = json!({ "message": { "role": "assistant", "content": "Once " }, "done": false });
    double.script("POST /api/chat", Script::lines(&[word]).then_death());
    double.install(Vec::new());
    assert_eq!(answer(&mind, "Tell me a story.").await, Err(LlmError::Broken));
    assert_eq!(answer(&mind, "Again.").await.unwrap(), "You said, as I heard it: Again.");
    assert_eq!(mind.ready().await.unwrap().by, ServedBy::Local);
    drop(double);
    mind.shutdown().await;
}

#[tokio::test]
async fn an_ollama_that_was_started_anew_reads_the_head_again() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    with_model(&double);
    let mind = mind(&double.url, Backend::Server(&OLLAMA), &fake);
    mind.ready().await.unwrap();
    double.script("GET /api/ps", Script::json(200, &json!({ "models": [] })));
    mind.look_again();
    double.until_chats(2).await;
    assert_eq!(double.chats()[0], double.chats()[1]);
    mind.shutdown().await;
}

#[tokio::test]
async fn a_child_that_dies_is_started_anew() {
    let fake = Fake::that_serves();
    let mind = mind(NOBODY, Backend::Local, &fake);
    let before = mind.ready().await.unwrap().pid;
    kill(before);
    let after = until(&mind, |ready| ready.pid != before).await;
    assert_eq!((after.by, fake.starts()), (ServedBy::Local, 2));
    mind.shutdown().await;
}

#[tokio::test]
async fn a_child_that_cannot_start_is_given_up_loudly_with_its_last_words() {
    let fake = Fake::that_does("echo 'joi-model: error: the model file is cut short' >&2; exit 1");
    let mind = mind(NOBODY, Backend::Auto, &fake);
    let told = until_down(&mind).await.to_string();
    assert!(told.contains("the model file is cut short") && told.contains("joi models verify"), "{told}");
    assert_eq!(fake.starts(), 3);
    assert!(matches!(answer(&mind, "Anybody?").await, Err(LlmError::Down { .. })));
    mind.shutdown().await;
}

#[tokio::test]
async fn a_missing_model_names_the_command_that_fetches_it() {
    let fake = Fake::that_serves();
    std::fs::remove_file(&fake.local().chat[0].gguf).unwrap();
    let mind = mind(NOBODY, Backend::Auto, &fake);
    let told = until_down(&mind).await.to_string();
    assert!(told.contains("run `joi models fetch fake`"), "{told}");
    mind.shutdown().await;
}

#[tokio::test]
async fn who_wants_ollama_only_learns_when_it_does_not_run() {
    let fake = Fake::that_serves();
    let mind = mind(NOBODY, Backend::Server(&OLLAMA), &fake);
    assert!(matches!(until_down(&mind).await, LlmError::Unreachable { at, .. } if at == NOBODY));
    assert_eq!(fake.starts(), 0);
    mind.shutdown().await;
}

// A question during warm-up is answered when the model is ready.
#[tokio::test]
async fn a_question_during_warm_up_waits_for_its_answer() {
    let (double, fake, gate) = (Double::start().await, Fake::that_serves(), Arc::new(Notify::new()));
    with_model(&double);
    double.script("POST /api/chat", Script::lines(&[json!({ "done": true })]).waiting_at(0, &gate));
    let mind = mind(&double.url, Backend::Auto, &fake);
    double.until_chats(1).await;
    assert!(matches!(&*mind.serving().borrow(), Serving::Warming { .. }));
    let question = answer(&mind, "Are you awake?");
    let release = async {
        tokio::task::yield_now().await;
        assert_eq!(double.chats().len(), 1, "the question waits");
        gate.notify_one();
    };
    assert_eq!(tokio::join!(question, release).0.unwrap(), "You said, as I heard it: Are you awake?");
    mind.shutdown().await;
}

/// What the reply engine sees of it.
#[tokio::test]
async fn the_engine_gets_words_and_their_end() {
    let (double, fake) = (Double::start().await, Fake::that_serves());
    with_model(&double);
    let head = joi_agent::head(Prelude {
        persona: PersonaConfig::default(),
        context: ContextConfig::default(),
        wake_phrase: Some("hey friday".into()),
        tools: ToolRegistry::default(),
        protocols: Protocols::default(),
        clock: Arc::new(SystemClock),
        languages: Languages::new(Language::load("en").unwrap()),
    });
    let mind = Mind::start(MindParts { head, ..parts(&double.url, Backend::Auto, &fake) });
    let ModelState::Ready(served) = mind.settled().await else { panic!("{:?}", mind.state()) };
    assert_eq!((served.model.as_str(), served.by), ("qwen3:1.7b", ServedBy::Server(&OLLAMA)));
    assert!(double.chats()[0]["messages"][0]["content"].as_str().unwrap().contains("Friday"));
    let question = ask(vec![Message::user("Hello.")]);
    let one = Ask { length: Length::OneToken, ..question.clone() };
    let words: Vec<_> = mind.ask(one).await.unwrap().collect().await;
    assert_eq!(words[0], Ok(ChatEvent::Text("You ".into())));
    assert!(matches!(words[1..], [Ok(ChatEvent::Done(_))]), "{words:?}");
    double.script("POST /api/chat", Script::error(400, "no"));
    assert!(matches!(mind.ask(question).await, Err(LlmError::Server { status: 400, .. })));
    mind.shutdown().await;
    assert!(matches!(mind.settled().await, ModelState::Down(_)));
}

/// The real `joi-model` with the real model.
#[tokio::test]
async fn joi_model_is_started_answers_from_what_it_has_read_and_survives_a_crash() {
    let fake = Fake::that_serves();
    let local = local_model(&fake);
    let mind = Mind::start(MindParts { local, ..parts(NOBODY, Backend::Local, &fake) });
    let before = mind.ready().await.unwrap();
    assert_eq!((before.by, before.model.as_str()), (ServedBy::Local, "qwen2.5-coder-0.5b-instruct-q4_k_m"));
    let socket = std::fs::read_dir(fake.runtime_dir()).unwrap().next().unwrap().unwrap();
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let Ask { mut messages, .. } = head()(&before.model, before.size, None).remove(0);
    messages.push(Message::user("What is the capital of France?"));
    let mut reply = mind.chat(ask(messages)).await.unwrap();
    let (mut words, mut cached) = (String::new(), 0);
    while let Some(event) = reply.next().await {
        match event.unwrap() {
            ChatEvent::Text(text) => words.push_str(&text),
            ChatEvent::Thinking(_) | ChatEvent::ToolCall(_) => {}
            ChatEvent::Done(stats) => cached = stats.prompt_cached_count.unwrap_or_default(),
        }
    }
    assert!(words.contains("Paris") && cached > 5, "{cached} tokens known: {words}");

    kill(before.pid);
    let after = until(&mind, |ready| ready.pid != before.pid).await;
    assert!(answer(&mind, "Say hello.").await.is_ok());
    mind.shutdown().await;
    assert!(!std::path::Path::new(&format!("/proc/{}", after.pid.unwrap())).exists());
}

#[tokio::test]
async fn a_model_file_that_was_cut_short_is_reported_in_one_sentence() {
    let fake = Fake::that_serves();
    let whole = local_model(&fake);
    let gguf = fake.runtime_dir().with_file_name("cut.gguf");
    let mut head = Vec::new();
    std::fs::File::open(&whole.chat[0].gguf).unwrap().take(1 << 20).read_to_end(&mut head).unwrap();
    std::fs::write(&gguf, head).unwrap();
    let mind = Mind::start(MindParts {
        local: LocalModels { chat: vec![listed("cut", gguf)], ..whole },
        ..parts(NOBODY, Backend::Local, &fake)
    });
    let told = until_down(&mind).await.to_string();
    let expected = "no model is available: cut is damaged (truncated header); run `joi models fetch cut`";
    assert_eq!(told, expected);
    mind.shutdown().await;
}

pub(super) fn kill(pid: Option<u32>) {
    let pid = rustix::process::Pid::from_raw(pid.unwrap().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}
