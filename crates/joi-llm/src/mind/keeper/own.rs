//! The embedded server: which of its models runs, how fast each is, what becomes of those that can't be run.
//!
//! Part of the keeper's task. The model that serves goes on until a better one is warm and no turn runs. A model that
//! fails gives way to the next best; only the last one is started again. Measuring gives way to whoever asks.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};
use tracing::{error, warn};

use crate::choose::{LocalChoice, LocalWish, choose_local};
use crate::error::LlmError;
use crate::local::Server;
use crate::local_models::{FileExaminer, FileStamp, FileState, LocalModels, ModelCandidate, stamp};
use crate::mind::shared::MindShared;
use joi_base::machine::MemoryRoom;
use joi_base::restart::{Restart, RestartPolicy, Restarts};

/// Time to find out whether a server that failed has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// A model that found too little memory is not tried again before.
const MEMORY_RESTS: Duration = Duration::from_secs(60);

/// An embedded server and the model it runs.
pub(super) struct RunningServer {
    pub(super) name: String,
    pub(super) gguf: PathBuf,
    pub(super) server: Server,
}

pub(super) struct OwnServers {
    pub(super) models: LocalModels,
    examiner: FileExaminer,
    pub(super) running: Option<RunningServer>,
    /// The one that is to take its place, and is not warm yet.
    pub(super) next: Option<RunningServer>,
    /// Files that could not be run.
    failed: HashMap<PathBuf, FailedFile>,
    /// Models that wrote too little to be measured, by checksum.
    pub(super) unmeasurable: HashSet<String>,
    restarts: Restarts,
    /// Why the last one is not started any more, and its file as it was then.
    gave_up: Option<(PathBuf, Option<FileStamp>, LlmError)>,
    /// None is started before.
    from: Instant,
    /// Whether the choice may be another one now.
    pub(super) is_due: bool,
}

/// The models as they are, and the choice among them.
pub(super) struct LocalOutlook {
    pub(super) candidates: Vec<ModelCandidate>,
    pub(super) choice: LocalChoice,
}

impl LocalOutlook {
    /// Returns whether another model than `name` may be tried.
    pub(super) fn has_other(&self, name: &str) -> bool {
        let is_there = |one: &ModelCandidate| matches!(one.state, FileState::There { .. });
        self.candidates.iter().any(|one| one.name != name && is_there(one))
    }
}

/// A file that could not be run, as it was then.
struct FailedFile {
    stamp: FileStamp,
    state: FileState,
    /// When it may be tried again although it is the same.
    until: Option<Instant>,
}

impl FailedFile {
    fn of(gguf: &Path, error: &LlmError) -> Option<Self> {
        let stamp = stamp(gguf)?;
        let (state, until) = match error {
            LlmError::TooLittleMemory { why } => {
                (FileState::TooLarge { why: why.clone() }, Some(Instant::now() + MEMORY_RESTS))
            }
            LlmError::Down { why, .. } | LlmError::CannotRun { why } => {
                (FileState::Fails { why: why.clone() }, None)
            }
            error => (FileState::Fails { why: error.to_string() }, None),
        };
        Some(Self { stamp, state, until })
    }

    /// Returns the state of the file at `gguf`, if it is unchanged and its time has not come.
    fn state(&self, gguf: &Path) -> Option<FileState> {
        let still = self.until.is_none_or(|until| Instant::now() < until) && stamp(gguf) == Some(self.stamp);
        still.then(|| self.state.clone())
    }
}

/// A model that could not be run.
pub(super) struct RunFailure {
    pub(super) error: LlmError,
    pub(super) ran: Duration,
}

impl OwnServers {
    pub(super) fn new(models: LocalModels, restarts: RestartPolicy) -> Self {
        Self {
            models,
            examiner: FileExaminer::default(),
            running: None,
            next: None,
            failed: HashMap::new(),
            unmeasurable: HashSet::new(),
            restarts: Restarts::new(restarts),
            gave_up: None,
            from: Instant::now(),
            is_due: false,
        }
    }

    /// Ends all servers. They stay in `self` until they have ended: this may be dropped and called again.
    pub(super) async fn stop(&mut self) {
        for server in [&mut self.running, &mut self.next] {
            stop(server).await;
        }
    }

    /// Waits for the server's end and returns its last words. Cancel-safe.
    pub(super) async fn ended(&mut self) -> String {
        match &mut self.running {
            Some(running) => running.server.ended().await,
            None => std::future::pending().await,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Returns whether the next round is to come at once.
    pub(super) fn is_due(&mut self) -> bool {
        std::mem::take(&mut self.is_due)
    }

    /// How long to wait before the next start; nothing where one is due.
    pub(super) fn until_start(&self) -> Option<Duration> {
        Some(self.from.saturating_duration_since(Instant::now())).filter(|wait| !wait.is_zero())
    }

    pub(super) fn forget_failures(&mut self) {
        self.restarts.forget();
        self.gave_up = None;
    }

    pub(super) async fn outlook(&self, shared: &MindShared) -> LocalOutlook {
        let (models, examiner, config) = (self.models.clone(), self.examiner.clone(), shared.config.clone());
        let has_own = self.running.is_some();
        let examined = spawn_blocking(move || {
            let candidates = examiner.examine(&models, &config);
            let is_served = |one: &&ModelCandidate| models.server_for(Some(one)).is_served(&config);
            let served = candidates.iter().filter(|_| !has_own).find(is_served).map(|one| one.name.clone());
            (candidates, served)
        });
        let (mut candidates, served) = examined.await.unwrap_or_default();
        for candidate in &mut candidates {
            let failed = self.failed.get(&candidate.gguf);
            if let Some(state) = failed.and_then(|failed| failed.state(&candidate.gguf)) {
                candidate.state = state;
            }
        }
        let wish = LocalWish {
            wanted: shared.config.local.trim(),
            room: MemoryRoom::now(),
            running: self.running.as_ref().map(|running| running.name.as_str()).or(served.as_deref()),
        };
        let choice = choose_local(&candidates, &wish);
        LocalOutlook { candidates, choice }
    }

    /// Passes over `candidate` until its file is another one, or there may be memory for it.
    pub(super) fn pass_over(&mut self, candidate: &ModelCandidate, error: &LlmError) {
        warn!(%error, model = candidate.name, "the model can't be run, and the next best is");
        if let Some(failed) = FailedFile::of(&candidate.gguf, error) {
            self.failed.insert(candidate.gguf.clone(), failed);
        }
    }

    /// The server that was started last.
    pub(super) fn newest(&mut self) -> &mut Option<RunningServer> {
        if self.next.is_some() { &mut self.next } else { &mut self.running }
    }

    /// Ends the server that was started last and could not be warmed.
    pub(super) async fn give_up_newest(&mut self, error: LlmError) -> RunFailure {
        let newest = self.newest();
        let Some(failed) = newest else { return RunFailure { error, ran: Duration::ZERO } };
        let ended = timeout(LAST_WORDS, failed.server.ended()).await;
        let error = ended.map_or_else(|_| error, |why| ended_error(&why));
        let ran = failed.server.ran();
        stop(newest).await;
        RunFailure { error, ran }
    }

    /// Why `gguf` is not started now, or that its time has not come.
    pub(super) fn refuses(&mut self, gguf: &Path) -> Option<Result<(), LlmError>> {
        if let Some((given_up, was, error)) = &self.gave_up {
            if given_up == gguf && stamp(gguf) == *was {
                return Some(Err(error.clone()));
            }
            self.forget_failures();
        }
        self.until_start().map(|_| Ok(()))
    }

    /// Sets when the last model is started anew, or gives up.
    pub(super) fn failed(
        &mut self,
        gguf: &Path,
        RunFailure { error, ran }: RunFailure,
    ) -> Result<(), LlmError> {
        let restart = match &error {
            // Another process may give memory back.
            LlmError::TooLittleMemory { .. } => {
                self.from = Instant::now() + MEMORY_RESTS;
                return Err(error);
            }
            LlmError::CannotRun { .. } => Restart::GiveUp,
            _ => self.restarts.failed(ran),
        };
        match restart {
            Restart::After(wait) => {
                warn!(%error, wait_s = wait.as_secs_f32(), "the local model is started anew");
                self.from = Instant::now() + wait;
                Ok(())
            }
            Restart::GiveUp => {
                error!(%error, "the local model failed too often and is given up");
                self.gave_up = Some((gguf.to_path_buf(), stamp(gguf), error.clone()));
                Err(error)
            }
        }
    }
}

/// Ends a server, which stays in its place until it has ended.
pub(super) async fn stop(place: &mut Option<RunningServer>) {
    if let Some(running) = place {
        running.server.stop().await;
        *place = None;
    }
}

pub(super) fn ended_error(why: &str) -> LlmError {
    LlmError::Down {
        why: format!("joi-model ended: {why}"),
        remedy: "`joi models verify` checks its model".to_owned(),
    }
}
