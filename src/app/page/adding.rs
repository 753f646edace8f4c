//! Has `joi wake add` compare a phrase with other speech, and keep it.
//!
//! A process of its own, which lets everything else go first. In: a phrase and recordings. Out: the score from which on the
//! voice counts, or why it is not kept. The recordings are files only as long as it runs, which nobody else may read.

use std::fs::{DirBuilder, remove_dir_all};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

use joi_audio::{RATE, write_wav};
use joi_base::paths::Paths;
use joi_hear::wake::PhraseBook;

const THIS_PROGRAM: &str = "/proc/self/exe";
/// Whose voice it is.
const USER: &str = "owner";
/// On a slow machine.
const WITHIN: Duration = Duration::from_secs(15 * 60);
/// Whatever hears and speaks goes first.
const NICENESS: i32 = 10;
/// Characters of a reason that are shown.
const LONGEST_REASON: usize = 300;

/// The task that waits for the process; dropped, it ends both.
pub(super) struct PhraseAddition(JoinSet<Result<f32, String>>);

/// A folder that is gone with this.
struct RecordingFolder(PathBuf);

impl Drop for RecordingFolder {
    fn drop(&mut self) {
        if let Err(error) = remove_dir_all(&self.0) {
            tracing::warn!(%error, "recordings of a wake phrase could not be removed");
        }
    }
}

impl PhraseAddition {
    /// Starts it.
    ///
    /// # Errors
    /// The recordings can't be written, or the process can't be started.
    pub(super) async fn begin(phrase: String, sounds: Vec<Vec<f32>>, paths: &Paths) -> io::Result<Self> {
        let place = paths.runtime.join("recorded phrase");
        let folder = tokio::task::spawn_blocking(move || written(&sounds, place))
            .await
            .map_err(io::Error::other)??;
        let child = started(&phrase, &folder, paths)?;
        let file = PhraseBook::file(&paths.data);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let ended = ended(child).await;
            drop(folder);
            ended?;
            let book = tokio::task::spawn_blocking(move || PhraseBook::read(&file)).await;
            let book = book.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            let kept = book.get(&phrase).ok_or("it is not among the phrases")?;
            Ok(kept.asked())
        });
        Ok(Self(task))
    }

    /// Waits for its end. Returns the score from which on the voice counts. Cancel-safe.
    ///
    /// # Errors
    /// The phrase is not kept, for this reason.
    pub(super) async fn end(&mut self) -> Result<f32, String> {
        let ended = self.0.join_next().await.ok_or("it was given up")?;
        ended.map_err(|error| error.to_string())?
    }
}

/// Writes the recordings. Blocks.
fn written(sounds: &[Vec<f32>], place: PathBuf) -> io::Result<RecordingFolder> {
    // Left behind by a program that was killed.
    if place.exists() {
        remove_dir_all(&place)?;
    }
    DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
    let folder = RecordingFolder(place);
    for (at, sound) in sounds.iter().enumerate() {
        write_wav(folder.0.join(format!("{}.wav", at + 1)), RATE, sound).map_err(io::Error::other)?;
    }
    Ok(folder)
}

fn started(phrase: &str, folder: &RecordingFolder, paths: &Paths) -> io::Result<Child> {
    let mut program = Command::new(THIS_PROGRAM);
    program
        .args(["wake", "add", phrase, "--user", USER, "--from"])
        .arg(&folder.0)
        .env("JOI_CONFIG", &paths.config)
        .env("JOI_DATA", &paths.data)
        .env("JOI_RUNTIME", &paths.runtime)
        .env("JOI_MODELS", &paths.models)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let child = program.spawn()?;
    let id = child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    if let Err(error) = rustix::process::setpriority_process(id, NICENESS) {
        tracing::debug!(%error, "the priority of a process can't be set");
    }
    Ok(child)
}

/// Waits for its end.
async fn ended(child: Child) -> Result<(), String> {
    let output = timeout(WITHIN, child.wait_with_output()).await;
    let output = output.map_err(|_| "it took too long".to_owned())?.map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(reason(&output)) }
}

/// Returns the last line that says why.
fn reason(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line =
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason was given");
    let line = line.trim_start_matches(['✗', '!', ' ']);
    line.strip_prefix("joi: ").unwrap_or(line).chars().take(LONGEST_REASON).collect()
}
