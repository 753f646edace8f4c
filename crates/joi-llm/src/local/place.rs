//! Where the embedded model server is found, so that one model is loaded once, whoever needs it.
//!
//! Tokio tasks; small files only. A socket is named after program, models and options, so that no other server is
//! taken for it; a server that ends with its starter has the starter's process id in the name as well. One starts at
//! a time: whoever starts a server holds the lock of its place, a server that lingers as long as it lives.
//! A command leaves a server that lingers. A program that runs on uses that where it is there, and else starts one;
//! either ends with it. Files of servers that were killed are removed.

use std::fs::{DirBuilder, File, OpenOptions, remove_file};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::{Pid, test_kill_process};
use tokio::time::{Instant, sleep};

use super::child::ChildServer;
use super::launch::{ENDING, KNOCK_EVERY, command, not_started, spawn};
use super::lingering::{self, Afterwards, LingeringServer, last_words};
use super::model::LocalModel;
use super::process::ServerProcess;
use crate::config::LlmConfig;
use crate::error::LlmError;
use crate::kinds::ollama::Ollama;

/// Longest path of a unix socket that Linux takes, in bytes.
const SOCKET_PATH_MAX: usize = 107;
/// A server listens before it loads its model. One that has the lock for so long and does not listen is not waited for.
const LISTENS_WITHIN: Duration = Duration::from_secs(10);
/// How the names of all files of servers begin.
const PREFIX: &str = "joi-model-";

/// The place of the server for one model with its options.
pub(super) struct ServerPlace<'a> {
    model: &'a LocalModel,
    config: &'a LlmConfig,
    identity: String,
}

impl<'a> ServerPlace<'a> {
    pub(super) fn of(model: &'a LocalModel, config: &'a LlmConfig) -> Self {
        Self { model, config, identity: identity(model, config) }
    }

    /// Uses a server that runs, or starts one.
    pub(super) async fn find_or_start(&self) -> Result<(ServerProcess, Ollama), LlmError> {
        self.make_folder()?;
        let until = Instant::now() + LISTENS_WITHIN;
        loop {
            if let Some(found) = self.found().await? {
                return Ok(found);
            }
            let lock = self.lock()?;
            if lock.is_none() && Instant::now() < until {
                // Somebody else is starting one, or one is ending.
                sleep(KNOCK_EVERY).await;
                continue;
            }
            self.tidy();
            let started = match (lock, self.model.outlives) {
                (Some(log), Some(stays)) => self.start_lingering(&log, stays).await?,
                (lock, _) => {
                    let socket = self.socket(&format!("{}-", std::process::id()))?;
                    let command = command(self.model, self.config, &socket);
                    let started = ChildServer::start(command, socket).await;
                    if lock.is_some() {
                        let _ = remove_file(self.path("", "log"));
                    }
                    let (child, client) = started?;
                    Some((ServerProcess::Child(child), client))
                }
            };
            if let Some(started) = started {
                // One is enough; who uses another one goes on with it.
                self.dismiss_others().await;
                return Ok(started);
            }
        }
    }

    /// Returns whether a server of this place listens. Blocks for a moment.
    pub(super) fn is_taken(&self) -> bool {
        self.sockets().iter().any(|socket| StdUnixStream::connect(socket).is_ok())
    }

    /// Has servers of other models and options end, where nobody uses them, and waits for it. Whether one ended.
    pub(super) async fn free_memory(&self) -> bool {
        let dismissed = self.dismiss_others().await;
        let is_there = |pid: &Pid| test_kill_process(*pid).is_ok();
        let until = Instant::now() + ENDING;
        while dismissed.iter().any(is_there) && Instant::now() < until {
            sleep(KNOCK_EVERY).await;
        }
        !dismissed.iter().all(is_there)
    }

    async fn dismiss_others(&self) -> Vec<Pid> {
        let mut dismissed = Vec::new();
        for (file, kind) in self.files() {
            if kind == (FileKind::Socket { starter: None }) && !self.is_ours(&file) {
                dismissed.extend(lingering::dismiss(&file).await);
            }
        }
        dismissed
    }

    async fn found(&self) -> Result<Option<(ServerProcess, Ollama)>, LlmError> {
        let own = self.path("", "sock");
        let afterwards = if self.model.outlives.is_some() { Afterwards::Stays } else { Afterwards::Ends };
        for socket in self.sockets() {
            let log = (socket == own).then(|| self.path("", "log"));
            if let Some((server, client)) = LingeringServer::at(socket, log, afterwards).await? {
                return Ok(Some((ServerProcess::Lingering(server), client)));
            }
        }
        Ok(None)
    }

    /// The sockets of servers that may be used: a program that runs on uses none that may end before it.
    fn sockets(&self) -> Vec<PathBuf> {
        let may_be_used = |file: &Path, kind: FileKind| match kind {
            FileKind::Socket { starter } => {
                self.is_ours(file) && (starter.is_none() || self.model.outlives.is_some())
            }
            FileKind::Log => false,
        };
        let fit = self.files().into_iter().filter(|(file, kind)| may_be_used(file, *kind));
        fit.map(|(file, _)| file).collect()
    }

    /// Starts a server that outlives us; nothing where it ends after somebody else's was found.
    async fn start_lingering(
        &self,
        log: &File,
        stays: Duration,
    ) -> Result<Option<(ServerProcess, Ollama)>, LlmError> {
        log.set_len(0).map_err(|error| self.refused(&error))?;
        let mut command = command(self.model, self.config, &self.socket("")?);
        command.args(["--idle-exit", &stays.as_secs().max(1).to_string()]);
        if std::env::var_os("JOI_MODEL_LOG").is_none() {
            // Nobody reads it but for its last words.
            command.env("JOI_MODEL_LOG", "warn");
        }
        // The folder somebody stands in is not kept busy.
        command.current_dir(&self.model.runtime_dir);
        command.stdin(Stdio::null()).stderr(log.try_clone().map_err(|error| self.refused(&error))?);
        let mut child = spawn(command)?;
        let listening = async {
            loop {
                sleep(KNOCK_EVERY).await;
                if let Some(found) = self.found().await? {
                    return Ok(found);
                }
            }
        };
        tokio::select! {
            found = listening => found.map(Some),
            status = child.wait() => match self.found().await? {
                Some(found) => Ok(Some(found)),
                None => {
                    let how = status.as_ref().map_or_else(ToString::to_string, ToString::to_string);
                    Err(not_started(status.ok(), last_words(&self.path("", "log"), &how)))
                }
            },
        }
    }

    /// The log of the server that lingers, locked; nothing while somebody else has it. The server inherits it.
    fn lock(&self) -> Result<Option<File>, LlmError> {
        locked(&self.path("", "log")).map_err(|error| self.refused(&error))
    }

    /// Removes the files of servers that were killed.
    fn tidy(&self) {
        for (file, kind) in self.files() {
            match kind {
                FileKind::Log if !self.is_ours(&file) => {
                    if let Ok(Some(_lock)) = locked(&file) {
                        let _ = remove_file(file.with_extension("sock"));
                        let _ = remove_file(file);
                    }
                }
                FileKind::Socket { starter: Some(pid) }
                    if !Path::new("/proc").join(pid.to_string()).exists() =>
                {
                    let _ = remove_file(file);
                }
                FileKind::Log | FileKind::Socket { .. } => {}
            }
        }
    }

    /// All files of servers, of whatever model.
    fn files(&self) -> Vec<(PathBuf, FileKind)> {
        let entries = std::fs::read_dir(&self.model.runtime_dir).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some((entry.path(), FileKind::of(&entry.path())?))).collect()
    }

    fn is_ours(&self, file: &Path) -> bool {
        file.file_stem()
            .and_then(|stem| stem.to_str())
            .is_some_and(|stem| stem.strip_suffix(&self.identity).is_some_and(|rest| rest.ends_with('-')))
    }

    fn path(&self, starter: &str, extension: &str) -> PathBuf {
        self.model.runtime_dir.join(format!("{PREFIX}{starter}{}.{extension}", self.identity))
    }

    fn socket(&self, starter: &str) -> Result<PathBuf, LlmError> {
        let socket = self.path(starter, "sock");
        if socket.as_os_str().len() > SOCKET_PATH_MAX {
            let why = format!("{} is too long for a socket", socket.display());
            return Err(LlmError::down(why, "set JOI_RUNTIME to a shorter path"));
        }
        Ok(socket)
    }

    /// Makes the folder, for this user alone.
    fn make_folder(&self) -> Result<(), LlmError> {
        let folder = &self.model.runtime_dir;
        let refused = |why: String| {
            LlmError::down(format!("{} {why}", folder.display()), "set JOI_RUNTIME to a folder of yours")
        };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        let about = made.and_then(|()| std::fs::metadata(folder));
        let about = about.map_err(|error| refused(format!("cannot be made ({error})")))?;
        if about.uid() != rustix::process::geteuid().as_raw() || about.mode() & 0o022 != 0 {
            return Err(refused("can be written by other users".to_owned()));
        }
        Ok(())
    }

    fn refused(&self, error: &io::Error) -> LlmError {
        let why = format!("{} cannot be written ({error})", self.path("", "log").display());
        LlmError::down(why, "set JOI_RUNTIME to a folder of yours")
    }
}

/// A file of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// Its socket.
    Socket {
        /// The process it ends with; nothing where it lingers.
        starter: Option<u32>,
    },
    /// The log and lock of one that lingers.
    Log,
}

impl FileKind {
    fn of(file: &Path) -> Option<Self> {
        let (stem, extension) = (file.file_stem()?.to_str()?, file.extension()?.to_str()?);
        let rest = stem.strip_prefix(PREFIX)?;
        match (extension, rest.split_once('-')) {
            ("sock", Some((pid, _))) => Some(Self::Socket { starter: Some(pid.parse().ok()?) }),
            ("sock", None) => Some(Self::Socket { starter: None }),
            ("log", None) => Some(Self::Log),
            _ => None,
        }
    }
}

/// Returns whether a server that lingers, or one that is used and outlives its starter, has its files in the folder
/// `runtime_dir`. It is not disturbed, and its time does not begin anew.
pub fn has_lingering_server(runtime_dir: &Path) -> bool {
    let entries = std::fs::read_dir(runtime_dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_locked = |log: PathBuf| {
        let lock = |log: File| flock(&log, FlockOperation::NonBlockingLockShared);
        File::open(log).is_ok_and(|log| lock(log) == Err(rustix::io::Errno::WOULDBLOCK))
    };
    entries.filter(|file| FileKind::of(file) == Some(FileKind::Log)).any(is_locked)
}

/// The file, which is made when missing, and locked; nothing while somebody else has the lock.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .mode(0o600)
        .custom_flags(no_link)
        .open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    // It may have been removed meanwhile, and then locks nothing.
    let locked = file.metadata()?;
    let is_there = std::fs::symlink_metadata(path)
        .is_ok_and(|now| (now.dev(), now.ino()) == (locked.dev(), locked.ino()));
    Ok(is_there.then_some(file))
}

/// Identifies a server: program and models as they are now, and how they are run.
fn identity(model: &LocalModel, config: &LlmConfig) -> String {
    let mut identity = DefaultHasher::new();
    for file in [Some(&model.binary), model.gguf.as_ref(), Some(&model.embed_gguf)] {
        let about = file.and_then(|file| std::fs::metadata(file).ok());
        let about = about.map(|about| (about.len(), about.mtime(), about.mtime_nsec()));
        (file, about).hash(&mut identity);
    }
    (config.threads.count(), config.num_ctx).hash(&mut identity);
    // Short, since a socket's path may not be long.
    format!("{:08x}", identity.finish() as u32)
}
