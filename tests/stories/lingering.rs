//! Our own server stays for the next command: found again, never started twice, never taken for another one. The
//! server is the real one, its model a tiny one of the family of Qwen3.

use std::path::{Path, PathBuf};
use std::time::Duration;

use joi_llm::{
    Ask, Backend, ChatEvent, LlmConfig, LlmError, LocalModels, Message, Mind, MindParts, ServedBy,
};
use tempfile::TempDir;
use tokio::time::timeout;

use super::mind::{answer, head, kill, parts, until, until_down};
use crate::support::fake_joi_model::Fake;
use crate::support::program::{FOR_EVER, Home, NOBODY};
use crate::support::{listed, local_model};
use crate::tiny::Tiny;

/// Long enough for the next command of a test, and soon over behind it.
const STAYS: Duration = Duration::from_secs(5);

/// A machine with a model.
struct Machine {
    fake: Fake,
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { fake: Fake::that_serves(), folder: TempDir::new().unwrap() };
        Tiny::default().write(machine.folder.path());
        machine
    }

    fn local(&self, outlives: Option<Duration>) -> LocalModels {
        let chat = vec![listed("tiny", self.folder.path().join("tiny-qwen3.gguf"))];
        let embed_gguf = self.folder.path().join("none.gguf");
        LocalModels { chat, embed_gguf, outlives, ..local_model(&self.fake) }
    }

    /// What a command that ends uses.
    fn command(&self) -> Mind {
        self.command_with(LlmConfig::default())
    }

    fn command_with(&self, config: LlmConfig) -> Mind {
        self.start(config, Some(STAYS))
    }

    /// What a service uses.
    fn service(&self) -> Mind {
        self.start(LlmConfig::default(), None)
    }

    fn start(&self, config: LlmConfig, outlives: Option<Duration>) -> Mind {
        let parts = parts(NOBODY, Backend::Local, &self.fake);
        let config = LlmConfig { backend: Backend::Local, url: NOBODY.to_owned(), ..config };
        Mind::start(MindParts { config, local: self.local(outlives), ..parts })
    }

    fn sockets(&self) -> usize {
        let entries = std::fs::read_dir(self.fake.runtime_dir()).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|e| e == "sock"))
            .count()
    }
}

/// The process that serves.
async fn pid(mind: &Mind) -> u32 {
    let ready = mind.ready().await.unwrap();
    assert_eq!(ready.by, ServedBy::Local);
    ready.pid.unwrap()
}

/// Waits until the process has ended.
async fn until_ended(pid: Option<u32>) {
    let stat = format!("/proc/{}/stat", pid.unwrap());
    let ended = async {
        // Nobody may have asked for its exit status yet.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::task::yield_now().await;
        }
    };
    timeout(FOR_EVER, ended).await.expect("it ends");
}

fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn the_next_command_finds_the_model_loaded_and_the_head_read() {
    let machine = Machine::new();
    let first = machine.command();
    let server = pid(&first).await;
    assert_eq!(answer(&first, "Hello.").await.unwrap(), "Hi");
    first.shutdown().await;
    assert!(is_running(server), "it waits");

    let second = machine.command();
    assert_eq!(pid(&second).await, server);
    let ready = second.ready().await.unwrap();
    let mut messages = head()(&ready.model, ready.size, None).remove(0).messages;
    messages.push(Message::user("Hello."));
    let mut reply = second.chat(Ask { messages, ..Ask::default() }).await.unwrap();
    let stats = loop {
        match reply.next().await.expect("a reply ends with Done").unwrap() {
            ChatEvent::Done(stats) => break stats,
            ChatEvent::Text(_) | ChatEvent::Thinking(_) | ChatEvent::ToolCall(_) => {}
        }
    };
    assert!(stats.prompt_cached_count.is_some_and(|cached| cached > 20), "{stats:?}");
    second.shutdown().await;
    kill(Some(server));
}

#[tokio::test]
async fn two_commands_at_once_start_one_server() {
    let machine = Machine::new();
    let (one, other) = (machine.command(), machine.command());
    let (first, second) = tokio::join!(pid(&one), pid(&other));
    assert_eq!((first, machine.sockets()), (second, 1));
    one.shutdown().await;
    assert_eq!(answer(&other, "Still there?").await.unwrap(), "Hi");
    other.shutdown().await;
    kill(Some(first));
}

#[tokio::test]
async fn a_server_that_was_killed_is_replaced_for_who_uses_it_and_for_the_next_command() {
    let machine = Machine::new();
    let mind = machine.command();
    let first = pid(&mind).await;
    kill(Some(first));
    let second = until(&mind, |ready| ready.pid != Some(first)).await.pid;
    mind.shutdown().await;
    kill(second);
    assert_eq!(machine.sockets(), 1, "a killed server leaves its socket");
    let mind = machine.command();
    let third = pid(&mind).await;
    assert!(Some(third) != second);
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "Hi");
    mind.shutdown().await;
    kill(Some(third));
}

#[tokio::test]
async fn when_memory_runs_out_the_model_ends_before_the_ears_and_is_started_again() {
    let machine = Machine::new();
    let mind = machine.command();
    let first = pid(&mind).await;
    let ends_first = |process: &str| -> i32 {
        let score = std::fs::read_to_string(format!("/proc/{process}/oom_score_adj")).unwrap();
        score.trim().parse().unwrap()
    };
    assert!(ends_first("self") < ends_first(&first.to_string()));
    // As the kernel does then.
    kill(Some(first));
    let second = until(&mind, |ready| ready.pid != Some(first)).await.pid;
    assert_eq!(answer(&mind, "Hello.").await.unwrap(), "Hi");
    assert_eq!(ends_first(&second.unwrap().to_string()), 800);
    mind.shutdown().await;
    kill(second);
}

#[tokio::test]
async fn a_server_with_other_options_or_another_model_is_not_used() {
    let machine = Machine::new();
    let first = machine.command();
    let narrow = machine.command_with(LlmConfig { num_ctx: 2048, ..LlmConfig::default() });
    let (wide_pid, narrow_pid) = tokio::join!(pid(&first), pid(&narrow));
    assert_ne!(wide_pid, narrow_pid);
    narrow.shutdown().await;
    first.shutdown().await;
    Tiny { script: &["\n", "H", "o", "<|im_end|>"], ..Tiny::default() }.write(machine.folder.path());
    let changed = machine.command();
    let changed_pid = pid(&changed).await;
    assert!(changed_pid != wide_pid && answer(&changed, "Hello.").await.unwrap() == "Ho");
    // One in memory is enough.
    until_ended(Some(wide_pid)).await;
    until_ended(Some(narrow_pid)).await;
    changed.shutdown().await;
    kill(Some(changed_pid));
}

#[tokio::test]
async fn a_command_uses_the_server_of_the_running_service_and_its_own_once_that_has_ended() {
    let machine = Machine::new();
    let service = machine.service();
    let of_service = pid(&service).await;
    let command = machine.command();
    assert_eq!(pid(&command).await, of_service);
    service.shutdown().await;
    assert!(!is_running(of_service), "it ends with the service");
    let own = until(&command, |ready| ready.pid != Some(of_service)).await.pid;
    assert_eq!(answer(&command, "Hello.").await.unwrap(), "Hi");
    command.shutdown().await;
    // A service that starts later does not load the model a second time, and leaves nothing behind.
    let service = machine.service();
    assert_eq!(service.ready().await.unwrap().pid, own);
    assert_eq!(answer(&service, "Hello.").await.unwrap(), "Hi");
    assert_eq!(machine.sockets(), 1);
    service.shutdown().await;
    until_ended(own).await;
}

#[tokio::test]
async fn a_model_too_large_for_the_memory_is_reported_as_such() {
    let machine = Machine::new();
    Tiny { layers: 1 << 30, ..Tiny::default() }.write(machine.folder.path());
    let mind = machine.command();
    let error = until_down(&mind).await;
    assert!(matches!(error, LlmError::TooLittleMemory { .. }) && !error.is_passing(), "{error:?}");
    let told = error.to_string();
    assert!(told.contains("MB of memory and") && told.contains("choose a smaller model"), "{told}");
    mind.shutdown().await;
}

#[tokio::test]
async fn a_model_that_cannot_be_run_is_reported_in_one_sentence_whoever_starts_the_server() {
    let machine = Machine::new();
    Tiny { architecture: "unheard-of", ..Tiny::default() }.write(machine.folder.path());
    for mind in [machine.service(), machine.command()] {
        let error = until_down(&mind).await;
        assert!(matches!(error, LlmError::CannotRun { .. }) && !error.is_passing(), "{error:?}");
        let told = error.to_string();
        assert!(told.starts_with("the model can't be used: ") && told.contains("tiny-qwen3.gguf"), "{told}");
        mind.shutdown().await;
    }
}

/// What is wrong with a model before the good one, and the sentence about it.
struct Flaw {
    make: fn(&Path) -> PathBuf,
    begins: &'static str,
    remedy: &'static str,
}

const FLAWS: [Flaw; 4] = [
    Flaw {
        make: |folder| Tiny { architecture: "unheard-of", ..Tiny::default() }.write(folder),
        begins: "best can't be run (",
        remedy: "): run `joi models fetch best`",
    },
    Flaw {
        make: |folder| Tiny { layers: 1 << 30, ..Tiny::default() }.write(folder),
        begins: "best does not fit into the free memory (it needs ",
        remedy: "): end other programs, or lower llm.num_ctx",
    },
    Flaw {
        make: |folder| {
            let path = Tiny::default().write(folder);
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
            path
        },
        begins: "best is damaged (it has ",
        remedy: "): run `joi models fetch best`",
    },
    Flaw {
        make: |folder| Tiny { template: None, ..Tiny::default() }.write(folder),
        begins: "best is no chat model (it has no chat template",
        remedy: "): take the file of an instruct model",
    },
];

#[tokio::test]
async fn the_next_best_model_answers_where_the_best_cannot_and_one_sentence_shows_why() {
    for Flaw { make, begins, remedy } in FLAWS {
        let (machine, folder) = (Machine::new(), TempDir::new().unwrap());
        for outlives in [None, Some(STAYS)] {
            let mut local = machine.local(outlives);
            local.chat.insert(0, listed("best", make(folder.path())));
            let mind = Mind::start(MindParts { local, ..parts(NOBODY, Backend::Local, &machine.fake) });
            assert_eq!(answer(&mind, "Hello.").await.unwrap(), "Hi", "{begins}");
            let told = mind.ready().await.unwrap().why_not_better.unwrap().to_string();
            assert!(told.starts_with(begins) && told.ends_with(remedy), "{told}");
            assert!(!told.contains('\n') && !told.contains(". "), "one sentence: {told}");
            mind.shutdown().await;
        }
    }
}

#[tokio::test]
async fn a_server_that_finds_too_little_memory_gives_way_to_the_next_model() {
    let fake =
        Fake::that_serves().with_better("best", "echo 'joi-model: best needs 9 MB of memory' >&2; exit 4");
    let mind = Mind::start(parts(NOBODY, Backend::Local, &fake));
    let ready = mind.ready().await.unwrap();
    assert_eq!((ready.model.as_str(), fake.started()), ("fake-0.5b", vec!["best".into(), "fake".into()]));
    let told = ready.why_not_better.unwrap();
    let expected = "best does not fit into the free memory (best needs 9 MB of memory): end other programs, or \
                    lower llm.num_ctx";
    assert_eq!((told.to_string().as_str(), told.is_fault), (expected, false));
    mind.shutdown().await;
}

#[tokio::test]
async fn a_model_that_cannot_be_run_is_not_tried_again() {
    let fake = Fake::that_does("echo 'joi-model: fake-0.5b.gguf is of an unknown kind' >&2; exit 3");
    let mind = Mind::start(parts(NOBODY, Backend::Local, &fake));
    let why = "fake-0.5b.gguf is of an unknown kind".to_owned();
    assert_eq!(until_down(&mind).await, LlmError::CannotRun { why });
    mind.look_again();
    assert!(answer(&mind, "Anybody?").await.is_err());
    mind.shutdown().await;
    assert_eq!(fake.starts(), 1);
}

/// The processes that listen on a socket in `folder`.
fn servers_in(folder: &Path) -> Vec<u32> {
    let socket = format!("--socket {}/", folder.display());
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).replace('\0', " ").contains(&socket) {
            found.extend(process.file_name().to_str().and_then(|pid| pid.parse::<u32>().ok()));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn two_questions_in_a_row_load_the_model_once_and_what_stays_is_reported() {
    let mut home = Home::with_model_server(NOBODY);
    let model = Tiny::default().write(&home.path(""));
    home.set("llm.backend=local").set("llm.local=tiny").set("llm.keep_alive=60");
    home.set(&format!("llm.local_models=[{{ name = \"tiny\", path = \"{}\" }}]", model.display()));
    let ask = || home.joi(&["ask", "what do you think of the sea?"]);
    let first = ask();
    let server = servers_in(&home.path("run"));
    assert!(server.len() == 1, "{first:?}");
    let status = home.joi(&["status"]);
    let stays = "the model of a command stays loaded for at most 300 s after it";
    assert!(status.code == Some(1) && status.complaint().ends_with(stays), "{status:?}");
    let doctor = home.joi(&["doctor", "--quick"]);
    assert!(doctor.out.contains("loaded until 60 s after the last command"), "{doctor:?}");
    ask();
    assert_eq!(servers_in(&home.path("run")), server);
    kill(server.first().copied());
    until_ended(server.first().copied()).await;
    // Its files alone are no server. The lock is given up with its last thread, a moment after the process counts as ended.
    let gone = async {
        while home.joi(&["status"]).complaint().contains("stays loaded") {
            tokio::task::yield_now().await;
        }
    };
    timeout(FOR_EVER, gone).await.expect("it is not told of for ever");
}
