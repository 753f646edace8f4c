//! A child process that stands in for `joi-model`: `fake-joi-model.sh` takes its orders from a file beside
//! the "model file" it is given, and may become this test binary again, serving the double.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use joi_llm::{LocalChatModel, LocalModels, SpeedLog};
use serde_json::json;
use tempfile::TempDir;
use tokio::net::UnixStream;

use super::listed;
use super::ollama_double::{Double, Model, Script};

/// What a model is asked when it is measured begins so.
const MEASURED: &str = "count in words";

/// A folder with fake models in it.
pub(crate) struct Fake {
    folder: TempDir,
    chat: Vec<LocalChatModel>,
}

impl Fake {
    /// A child that serves until its standard input ends.
    pub(crate) fn that_serves() -> Self {
        Self::that_does(&serving())
    }

    /// A child that runs these shell commands.
    pub(crate) fn that_does(commands: &str) -> Self {
        Self { folder: TempDir::new().unwrap(), chat: Vec::new() }.and("fake", "fake-0.5b", commands)
    }

    /// A further model, before the others, whose child runs these shell commands.
    pub(crate) fn with_better(mut self, name: &str, commands: &str) -> Self {
        self = self.and(name, name, commands);
        self.chat.rotate_right(1);
        self
    }

    fn and(mut self, name: &str, file: &str, commands: &str) -> Self {
        let gguf = self.folder.path().join(format!("{file}.gguf"));
        std::fs::write(&gguf, GGUF_HEAD).unwrap();
        let starts = self.folder.path().join("starts");
        let orders = format!("echo {name} >> '{}'\n{commands}", starts.display());
        std::fs::write(gguf.with_extension("gguf.sh"), orders).unwrap();
        self.chat.push(LocalChatModel { sha256: Some(name.to_owned()), ..listed(name, gguf) });
        self
    }

    /// Its models.
    pub(crate) fn local(&self) -> LocalModels {
        LocalModels {
            binary: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-joi-model.sh"),
            chat: self.chat.clone(),
            embed_gguf: self.folder.path().join("fake-minilm.gguf"),
            runtime_dir: self.runtime_dir(),
            outlives: None,
            speeds: SpeedLog::kept_in(Some(self.folder.path().join("speeds.json"))),
        }
    }

    /// The folder of its socket.
    pub(crate) fn runtime_dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The models that were started, in order.
    pub(crate) fn started(&self) -> Vec<String> {
        let starts = std::fs::read_to_string(self.folder.path().join("starts")).unwrap_or_default();
        starts.lines().map(str::to_owned).collect()
    }

    /// How often one was started.
    pub(crate) fn starts(&self) -> usize {
        self.started().len()
    }

    /// Has a model for vectors, whose child runs these shell commands.
    pub(crate) fn with_vectors(self, commands: &str) -> Self {
        let mut all = self.and("vectors", "fake-minilm", commands);
        all.chat.pop();
        all
    }
}

/// Has the child serve until its standard input ends.
pub(crate) fn serving() -> String {
    let binary = std::env::current_exe().unwrap();
    format!(
        "export FAKE_ARGS=\"$*\"; exec '{}' --exact support::fake_joi_model::child_process --nocapture",
        binary.display()
    )
}

/// The same; it writes so many tokens a second when it is measured.
pub(crate) fn serving_at(tokens_per_s: f32) -> String {
    format!("export FAKE_SPEED={tokens_per_s}; {}", serving())
}

/// The same; it is never done with what it is to write when it is measured, and connects to `socket` when that begins.
pub(crate) fn serving_without_end(socket: &Path) -> String {
    format!("export FAKE_MEASURED='{}'; {}", socket.display(), serving())
}

/// The same; what it answers to a question about this begins, and has no end.
pub(crate) fn serving_that_holds(about: &str) -> String {
    format!("export FAKE_HOLDS='{about}'; {}", serving())
}

/// The least that is a chat model: a template, and no tensors.
const GGUF_HEAD: &[u8] = b"GGUF\x03\0\0\0\
    \0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\
    \x17\0\0\0\0\0\0\0tokenizer.chat_template\x08\0\0\0\x02\0\0\0\0\0\0\0{}\
    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// What the fake child does in its own process; nothing anywhere else.
#[tokio::test]
async fn child_process() {
    let Ok(args) = std::env::var("FAKE_ARGS") else { return };
    let args: Vec<&str> = args.split(' ').collect();
    let after = |name: &str| args.iter().position(|arg| *arg == name).map(|at| args[at + 1]);
    assert!(args.contains(&"--parent-stdin") && after("--ctx") == Some("4096"), "{args:?}");
    let double = Double::on_socket(Path::new(after("--socket").unwrap()));
    let chat = after("--name").map(|name| Model::new(name, &["completion"]));
    let vectors = after("--embed-name").map(|name| Model::new(name, &["embedding"]));
    double.install(chat.into_iter().chain(vectors).collect());
    if let Ok(speed) = std::env::var("FAKE_SPEED") {
        let nanoseconds = 24e9 / speed.parse::<f64>().unwrap();
        let done = json!({ "done": true, "eval_count": 24, "eval_duration": nanoseconds as u64 });
        double.when(MEASURED, vec![Script::lines(&[done])]);
    }
    if let Ok(about) = std::env::var("FAKE_HOLDS") {
        double.when(&about, vec![Script::first_words("Once upon a time ").then_silence()]);
    }
    if let Ok(socket) = std::env::var("FAKE_MEASURED") {
        double.when(MEASURED, vec![Script::first_words("one two").then_silence()]);
        // The head is read first.
        double.until_chats(2).await;
        UnixStream::connect(socket).await.unwrap();
    }
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await.unwrap().unwrap();
}
