//! A child process that stands in for `joi-model`: `fake-joi-model.sh` takes its orders from the
//! "model file" it is given, and may become this test binary again, serving the double.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use joi::llm::LocalModel;
use tempfile::TempDir;

use super::ollama_double::{Double, Model};

/// A folder with a fake model in it.
pub(crate) struct Fake {
    folder: TempDir,
}

impl Fake {
    /// A child that serves until its standard input ends.
    pub(crate) fn that_serves() -> Self {
        let binary = std::env::current_exe().unwrap();
        Self::that_does(&format!(
            "export FAKE_ARGS=\"$*\"; exec '{}' --exact support::fake_joi_model::child_process --nocapture",
            binary.display()
        ))
    }

    /// A child that runs these shell commands.
    pub(crate) fn that_does(commands: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let starts = folder.path().join("starts");
        std::fs::write(
            folder.path().join("fake-0.5b.gguf"),
            format!("echo >> '{}'\n{commands}", starts.display()),
        )
        .unwrap();
        Self { folder }
    }

    /// Where it is.
    pub(crate) fn local(&self) -> LocalModel {
        LocalModel {
            binary: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-joi-model.sh"),
            gguf: self.folder.path().join("fake-0.5b.gguf"),
            embed_gguf: self.folder.path().join("fake-minilm.gguf"),
            fetch: "joi models fetch fake".into(),
            runtime_dir: self.runtime_dir(),
        }
    }

    /// The folder of its socket.
    pub(crate) fn runtime_dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// How often it was started.
    pub(crate) fn starts(&self) -> usize {
        std::fs::read_to_string(self.folder.path().join("starts")).map_or(0, |starts| starts.lines().count())
    }
}

/// What the fake child does in its own process; nothing anywhere else.
#[tokio::test]
async fn child_process() {
    let Ok(args) = std::env::var("FAKE_ARGS") else { return };
    let args: Vec<&str> = args.split(' ').collect();
    let after = |name: &str| args[args.iter().position(|arg| *arg == name).unwrap() + 1];
    assert!(args.contains(&"--parent-stdin") && after("--ctx") == "4096", "{args:?}");
    let double = Double::on_socket(Path::new(after("--socket")));
    double.install(vec![Model::new(after("--name"), &["completion"])]);
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await.unwrap().unwrap();
}
