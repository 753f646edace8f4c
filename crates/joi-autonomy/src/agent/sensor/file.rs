//! A file or folder whose changes are watched by the system (inotify).
//!
//! The system's notices arrive on a thread of the library `notify`; one slot holds that something has changed. In: notices.
//! Out: the text of a file, or the names in a folder, at once the first time and after each change. A file that is replaced
//! or not there yet is seen by watching its folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{MOST_BYTES, Sensor, SensorFault, SensorReading, author, value_at};

/// Changes that follow one another within this time are one.
const SETTLES: Duration = Duration::from_millis(100);
/// Most names of a folder in a reading.
const MOST_NAMES: usize = 200;

/// The sensor.
pub struct FileSensor {
    path: PathBuf,
    pointer: String,
    is_trusted: bool,
    watched: Option<(RecommendedWatcher, mpsc::Receiver<()>)>,
}

impl FileSensor {
    /// Watches `path`. Nothing is opened yet.
    pub fn new(path: &str, pointer: String, is_trusted: bool) -> Self {
        Self { path: PathBuf::from(path), pointer, is_trusted, watched: None }
    }

    fn watch(&mut self) -> Result<(), SensorFault> {
        let (changed, changes) = mpsc::channel(1);
        let path = self.path.clone();
        let notice = move |event: notify::Result<notify::Event>| {
            let is_ours = |event: &notify::Event| {
                !event.kind.is_access()
                    && event.paths.iter().any(|at| at.starts_with(&path) || path.starts_with(at))
            };
            if event.as_ref().map_or(true, is_ours) {
                // A full slot says the same.
                let _ = changed.try_send(());
            }
        };
        let folder =
            if self.path.is_dir() { &self.path } else { self.path.parent().unwrap_or(Path::new("/")) };
        let failed = |error: notify::Error| {
            SensorFault::Unreadable(format!("cannot watch {}: {error}", folder.display()))
        };
        let mut watcher = notify::recommended_watcher(notice).map_err(failed)?;
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
        self.watched = Some((watcher, changes));
        Ok(())
    }

    async fn changed(&mut self) -> Result<(), SensorFault> {
        let Some((_, changes)) = &mut self.watched else { return self.watch() };
        changes.recv().await.ok_or(SensorFault::Ended("the watch of the file"))?;
        tokio::time::sleep(SETTLES).await;
        while changes.try_recv().is_ok() {}
        Ok(())
    }

    async fn read(&self) -> Result<SensorReading, SensorFault> {
        let (path, pointer) = (self.path.clone(), self.pointer.clone());
        let reading = tokio::task::spawn_blocking(move || contents(&path, &pointer));
        let value = reading.await.map_err(|_| SensorFault::Ended("the program"))??;
        Ok(SensorReading::of(value, author(self.is_trusted)))
    }
}

impl Sensor for FileSensor {
    fn next(&mut self) -> BoxFuture<'_, Result<SensorReading, SensorFault>> {
        async move {
            self.changed().await?;
            let read = self.read().await;
            if read.is_err() {
                // What can't be read is watched anew: it may have become a folder, or its folder another one.
                self.watched = None;
            }
            read
        }
        .boxed()
    }
}

fn contents(path: &Path, pointer: &str) -> Result<Value, SensorFault> {
    use std::io::Read as _;
    let failed =
        |error: std::io::Error| SensorFault::Unreadable(format!("cannot read {}: {error}", path.display()));
    if path.is_dir() {
        let names = std::fs::read_dir(path).map_err(failed)?.filter_map(Result::ok);
        let mut names: Vec<String> =
            names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names.truncate(MOST_NAMES);
        return Ok(names.into());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MOST_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
    value_at(&String::from_utf8_lossy(&bytes), pointer)
}
