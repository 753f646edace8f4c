//! The worker thread "whisper": transcribes the newest utterance and drops older ones.
//!
//! In: [`SttJob`]s, at most one speculative, one that is put off, and one final of the newest revision. Out: [`SttEvent`]s,
//! bounded(4); when that is full the worker waits. An older (generation, revision) is void from the moment a
//! newer one is known: its jobs are dropped, its running decode is aborted, its late result is dropped. A thread that
//! loads its model itself takes jobs meanwhile, and does them afterwards.

mod lender;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

pub use self::lender::Lender;
use self::lender::ModelTask;
use super::{SttError, Whisper};
use joi_base::message::{Transcript, Utterance};
use joi_base::pulse::Heart;

/// Room for the two results an utterance can have, and for those of the one before it.
const EVENTS: usize = 4;

/// Whether the result is urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeUrgency {
    /// The speaker paused and may go on.
    Speculative,
    /// The utterance has ended. When the same revision was already transcribed speculatively, that
    /// result is the answer: the two differ in trailing silence only.
    Final,
}

/// An utterance to transcribe.
#[derive(Debug, Clone)]
pub struct SttJob {
    /// The audio with its generation and revision.
    pub utterance: Utterance,
    /// Whether the result is urgent.
    pub urgency: DecodeUrgency,
}

/// The result of a job that was still valid.
#[derive(Debug, Clone, PartialEq)]
pub struct SttEvent {
    /// Of the utterance.
    pub generation: u64,
    /// Of the utterance.
    pub revision: u32,
    /// Of the job.
    pub urgency: DecodeUrgency,
    /// The words, or why there are none.
    pub result: Result<Transcript, SttError>,
}

/// The (generation, revision) of an utterance; the larger one is newer.
type JobKey = (u64, u32);

/// Turns audio into words; [`Whisper`] outside the tests of the worker.
pub(super) trait Transcriber: Send + 'static {
    fn understand(&mut self, utterance: &Utterance, abort: &AtomicBool) -> Result<Transcript, SttError>;

    /// After how long without work it rests.
    fn rest_after(&self) -> Duration {
        REST_AFTER
    }

    /// Nothing was to be done for as long as that.
    fn rest(&mut self) {}
}

impl Transcriber for Whisper {
    fn understand(&mut self, utterance: &Utterance, abort: &AtomicBool) -> Result<Transcript, SttError> {
        Self::understand(self, utterance, abort)
    }

    fn rest_after(&self) -> Duration {
        if self.seen.is_overdue() { Duration::ZERO } else { REST_AFTER }
    }

    fn rest(&mut self) {
        self.give_back();
    }
}

/// After this long without work the model may free the memory of a long utterance.
const REST_AFTER: Duration = Duration::from_secs(5);

/// Handle of the worker thread. Dropping it ends the thread and waits for that, five seconds at most: a
/// program that exits while whisper.cpp computes frees the memory it works on.
pub struct Stt<T = Whisper> {
    desk: Arc<WorkerQueue<T>>,
}

/// The longest wait for the thread: a few encoder runs, within which no abort is polled.
const PATIENCE: Duration = Duration::from_secs(5);

impl Stt {
    /// Puts `whisper` on a thread of its own, which reports its work to `heart`. Events stop when the handle
    /// is dropped.
    pub fn spawn(whisper: Whisper, heart: Heart) -> Result<(Self, mpsc::Receiver<SttEvent>), SttError> {
        spawn_loading(move || Some(whisper), heart)
    }

    /// The same for a model that `load` gives on the thread: what is submitted and lent meanwhile waits for it. Nothing
    /// from `load` ends the thread; `load` itself reports the reason.
    pub fn loading(
        load: impl FnOnce() -> Option<Whisper> + Send + 'static,
        heart: Heart,
    ) -> Result<(Self, mpsc::Receiver<SttEvent>), SttError> {
        spawn_loading(load, heart)
    }
}

/// Puts the transcriber that `load` gives on a thread of its own.
pub(super) fn spawn_loading<T: Transcriber>(
    load: impl FnOnce() -> Option<T> + Send + 'static,
    heart: Heart,
) -> Result<(Stt<T>, mpsc::Receiver<SttEvent>), SttError> {
    let (events, receiver) = mpsc::channel(EVENTS);
    let desk = Arc::new(WorkerQueue::default());
    let worker = Arc::clone(&desk);
    std::thread::Builder::new()
        .name("whisper".into())
        .spawn(move || {
            let _present = ModelGuard(Arc::clone(&worker));
            match load() {
                Some(transcriber) => work(&worker, transcriber, &heart, &events),
                None => worker.close(),
            }
        })
        .map_err(|e| SttError::NoWorker(e.to_string()))?;
    Ok((Stt { desk }, receiver))
}

impl<T> Stt<T> {
    /// Borrows the model for other work.
    pub fn lender(&self) -> Lender<T> {
        Lender(Arc::clone(&self.desk))
    }

    /// Queues a job and returns at once. A job older than one already queued, or than what was given to
    /// [`Stt::cancel_before`], is dropped; a newer one makes everything older void.
    pub fn submit(&self, job: SttJob) {
        self.queue(job.utterance, |pile, utterance| match job.urgency {
            DecodeUrgency::Speculative => pile.speculative = Some(utterance),
            // An urgent job replaces a deferred one.
            DecodeUrgency::Final => (pile.put_off, pile.last) = (None, Some(utterance)),
        });
    }

    /// The same for a speculative job that is not begun before `then`, and not at all when it is void by then.
    pub fn submit_later(&self, utterance: Utterance, then: Instant) {
        self.queue(utterance, |pile, utterance| pile.put_off = Some((then, utterance)));
    }

    fn queue(&self, utterance: Utterance, put: impl FnOnce(&mut PendingJobs<T>, Utterance)) {
        let key = (utterance.generation, utterance.revision);
        let mut pile = self.desk.pile();
        if key < pile.oldest_wanted {
            tracing::debug!(generation = key.0, revision = key.1, "dropped a stale utterance");
            return;
        }
        self.desk.want_only_from(&mut pile, key);
        put(&mut pile, utterance);
        drop(pile);
        self.desk.changed.notify_one();
    }

    /// Makes everything older than this revision void, for example when speech goes on after a pause.
    /// `(generation + 1, 0)` cancels an utterance altogether. Returns at once.
    pub fn cancel_before(&self, generation: u64, revision: u32) {
        let mut pile = self.desk.pile();
        if (generation, revision) > pile.oldest_wanted {
            self.desk.want_only_from(&mut pile, (generation, revision));
        }
    }

    /// Nobody waits for this revision: what is queued of it is dropped, and what runs is aborted. It may be submitted
    /// again. Returns at once.
    pub fn abandon(&self, generation: u64, revision: u32) {
        let mut pile = self.desk.pile();
        if pile.oldest_wanted == (generation, revision) {
            self.desk.drop_jobs(&mut pile);
        }
    }
}

impl<T> Drop for Stt<T> {
    fn drop(&mut self) {
        self.desk.close();
        if !self.desk.is_gone_within(PATIENCE) {
            tracing::warn!("the whisper thread does not end; it is abandoned");
        }
    }
}

/// Held by the thread as long as it has its model.
struct ModelGuard<T>(Arc<WorkerQueue<T>>);

impl<T> Drop for ModelGuard<T> {
    fn drop(&mut self) {
        self.0.pile().gone = true;
        self.0.changed.notify_all();
    }
}

/// State shared by the handle and the worker.
struct WorkerQueue<T> {
    pile: Mutex<PendingJobs<T>>,
    changed: Condvar,
    abort: AtomicBool,
}

impl<T> Default for WorkerQueue<T> {
    fn default() -> Self {
        let pile = PendingJobs {
            oldest_wanted: JobKey::default(),
            speculative: None,
            put_off: None,
            last: None,
            errands: VecDeque::new(),
            rest: None,
            closed: false,
            gone: false,
        };
        Self { pile: Mutex::new(pile), changed: Condvar::new(), abort: AtomicBool::new(false) }
    }
}

/// The next work of the thread.
enum WorkerTask<T> {
    Transcribe(SttJob),
    Lend(ModelTask<T>),
    Rest,
}

struct PendingJobs<T> {
    oldest_wanted: JobKey,
    speculative: Option<Utterance>,
    /// A speculative job, and when it becomes one.
    put_off: Option<(Instant, Utterance)>,
    /// The job of [`DecodeUrgency::Final`].
    last: Option<Utterance>,
    errands: VecDeque<ModelTask<T>>,
    /// When the model may rest; nothing while it works, and once it has rested.
    rest: Option<Instant>,
    closed: bool,
    /// The thread has ended.
    gone: bool,
}

impl<T> PendingJobs<T> {
    /// Returns the task that is due at `now`. A deferred utterance becomes a job when its time has come.
    fn next(&mut self, now: Instant) -> Option<WorkerTask<T>> {
        if let Some((_, utterance)) = self.put_off.take_if(|(then, _)| *then <= now) {
            self.speculative = Some(utterance);
        }
        let job = match self.speculative.take() {
            Some(utterance) => Some(SttJob { utterance, urgency: DecodeUrgency::Speculative }),
            None => self.last.take().map(|utterance| SttJob { utterance, urgency: DecodeUrgency::Final }),
        };
        job.map(WorkerTask::Transcribe)
            .or_else(|| self.errands.pop_front().map(WorkerTask::Lend))
            .or_else(|| self.rest.take_if(|then| *then <= now).map(|_| WorkerTask::Rest))
    }

    /// Returns when there will be something to do by itself.
    fn due(&self) -> Option<Instant> {
        self.put_off.as_ref().map(|(then, _)| *then).into_iter().chain(self.rest).min()
    }
}

impl<T> WorkerQueue<T> {
    fn pile(&self) -> MutexGuard<'_, PendingJobs<T>> {
        self.pile.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn want_only_from(&self, pile: &mut PendingJobs<T>, key: JobKey) {
        if key == pile.oldest_wanted {
            return;
        }
        pile.oldest_wanted = key;
        // Whatever runs now was started for an older key.
        self.drop_jobs(pile);
    }

    fn drop_jobs(&self, pile: &mut PendingJobs<T>) {
        pile.speculative = None;
        pile.put_off = None;
        pile.last = None;
        self.abort.store(true, Ordering::Relaxed);
    }

    fn close(&self) {
        let mut pile = self.pile();
        pile.closed = true;
        let undone = std::mem::take(&mut pile.errands);
        drop(pile);
        drop(undone); // an errand may hold anything
        self.abort.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn is_gone_within(&self, limit: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.pile(), limit, |pile| !pile.gone);
        waited.map_or_else(|poisoned| poisoned.into_inner().0.gone, |(pile, _)| pile.gone)
    }

    /// Waits for a task; nothing once the handle is gone. After work the model rests after a while.
    fn take(&self, rest_after: Option<Duration>) -> Option<WorkerTask<T>> {
        let mut pile = self.pile();
        pile.rest = rest_after.map(|pause| Instant::now() + pause);
        loop {
            if pile.closed {
                return None;
            }
            let now = Instant::now();
            if let Some(task) = pile.next(now) {
                if matches!(task, WorkerTask::Transcribe(_)) {
                    // Under the lock, so that no abort meant for this job is lost.
                    self.abort.store(false, Ordering::Relaxed);
                }
                return Some(task);
            }
            pile = self.wait(pile, now);
        }
    }

    /// Until something changes, or something is due.
    fn wait<'a>(&self, pile: MutexGuard<'a, PendingJobs<T>>, now: Instant) -> MutexGuard<'a, PendingJobs<T>> {
        let Some(then) = pile.due() else {
            return self.changed.wait(pile).unwrap_or_else(PoisonError::into_inner);
        };
        self.changed
            .wait_timeout(pile, then.saturating_duration_since(now))
            .map_or_else(|poisoned| poisoned.into_inner().0, |(pile, _)| pile)
    }

    fn still_wanted(&self, key: JobKey) -> bool {
        let pile = self.pile();
        !pile.closed && key >= pile.oldest_wanted
    }
}

fn work<T: Transcriber>(
    desk: &WorkerQueue<T>,
    mut transcriber: T,
    heart: &Heart,
    events: &mpsc::Sender<SttEvent>,
) {
    let mut known: Option<(JobKey, Transcript)> = None;
    let mut has_worked = false;
    while let Some(task) = desk.take(has_worked.then(|| transcriber.rest_after())) {
        let _working = heart.work();
        has_worked = !matches!(task, WorkerTask::Rest);
        let SttJob { utterance, urgency } = match task {
            WorkerTask::Transcribe(job) => job,
            WorkerTask::Rest => {
                transcriber.rest();
                continue;
            }
            WorkerTask::Lend(errand) => {
                errand(&mut transcriber);
                continue;
            }
        };
        let key = (utterance.generation, utterance.revision);
        let result = match known.take() {
            Some((of, transcript)) if of == key => Ok(transcript),
            _ => transcriber.understand(&utterance, &desk.abort),
        };
        if !desk.still_wanted(key) || result == Err(SttError::Aborted) {
            tracing::debug!(generation = key.0, revision = key.1, "dropped a late transcript");
            continue;
        }
        known = result.as_ref().ok().map(|transcript| (key, transcript.clone()));
        let event = SttEvent { generation: key.0, revision: key.1, urgency, result };
        if events.blocking_send(event).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
