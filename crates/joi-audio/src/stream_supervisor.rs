//! Keeps one device open: a thread that opens, monitors, closes and retries.
//!
//! The stream itself lives on a disposable thread of its own, because opening and closing may block for ever
//! when a sound server dies; such a thread is abandoned. In: a [`DeviceAccess`] to the device and the
//! callback's [`CallbackStats`]. Out: [`DeviceNotice`]s. Refuses to abandon more than eight threads: then it
//! reports that and waits.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::DeviceFault;
pub(super) use super::liveness::LivenessLimits;
use super::liveness::{DeviceEvent, Liveness, Observation, StreamAction};

mod callback_stats;
mod log_limiter;

pub(super) use callback_stats::{CallbackStats, ErrorSeverity};
use log_limiter::LogLimiter;

/// How often the callback's counts are checked.
const TICK: Duration = Duration::from_millis(250);

/// How often while a stream is being opened.
const OPENING_TICK: Duration = Duration::from_millis(50);

/// This many hung threads may be abandoned.
const MAX_HUNG: usize = 8;

/// An open stream.
pub(super) struct OpenedStream<L> {
    /// The device's name.
    pub(super) device: String,
    /// Identity of the device.
    pub(super) which: DeviceIdentity,
    /// Must stay alive, and is dropped on the thread that opened it.
    pub(super) stream: Box<dyn Any>,
    /// The end of the ring that goes to the device's user.
    pub(super) link: L,
}

/// Identity of the device a stream uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeviceIdentity {
    /// As the sound system names it.
    pub(super) id: String,
    /// Its place in the order of preference, from 0.
    pub(super) rank: usize,
}

/// The result of listing the system's devices while one of them is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survey {
    /// No change, or the list is not conclusive.
    Same,
    /// A device that is preferred to the present one has appeared, and switching is allowed.
    Better,
    /// The present one is not listed, though its stream continues: the sound system has moved the stream
    /// elsewhere.
    Missing,
}

/// Opens a stream; runs on a disposable thread and may block.
pub(super) type Opener<L> =
    Arc<dyn Fn(&Arc<CallbackStats>) -> Result<OpenedStream<L>, DeviceFault> + Send + Sync>;

/// The two operations on a device.
pub(super) struct DeviceAccess<L> {
    /// Opens it.
    pub(super) open: Opener<L>,
    /// Lists the system's devices. Runs on a disposable thread and may block.
    pub(super) survey: Arc<dyn Fn(&DeviceIdentity) -> Survey + Send + Sync>,
}

/// Reports to the device's user.
pub(super) enum DeviceNotice<L> {
    /// A new stream is open; whatever came from an older one is void.
    Up(L),
    /// The stream that was open is closed.
    Down,
    /// The device is missing from here on.
    Gone(DeviceFault),
    /// The device delivers.
    Back {
        /// Its name.
        device: String,
    },
}

/// Dropping it ends the thread, and with it the stream.
pub(super) struct StreamSupervisor {
    _stop: mpsc::Sender<()>,
}

impl StreamSupervisor {
    /// Starts a thread `name` that keeps the device open and reports its state.
    pub(super) fn spawn<L: Send + 'static>(
        name: &'static str,
        access: DeviceAccess<L>,
        limits: LivenessLimits,
        mut tell: impl FnMut(DeviceNotice<L>) + Send + 'static,
    ) -> Self {
        let (stop, stopped) = mpsc::channel();
        let keep = move || {
            let mut watch = StreamSupervision::new(name, access);
            let mut liveness = Liveness::new(limits, Instant::now());
            loop {
                watch.step(&mut liveness, &mut tell);
                match stopped.recv_timeout(watch.tick()) {
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        if thread::Builder::new().name(name.to_owned()).spawn(keep).is_err() {
            tracing::error!(device = name, "could not start the thread that keeps the device open");
        }
        Self { _stop: stop }
    }
}

struct StreamSupervision<L> {
    name: &'static str,
    access: DeviceAccess<L>,
    session: Option<StreamSession<L>>,
    /// A pending list of the system's devices.
    survey: Option<mpsc::Receiver<Survey>>,
    /// Another one is wanted behind it.
    is_survey_due: bool,
    /// Disposable threads that have not ended, the present one included.
    threads: Arc<AtomicUsize>,
    log_limiter: LogLimiter,
}

struct StreamSession<L> {
    opened: mpsc::Receiver<Result<OpeningReply<L>, DeviceFault>>,
    stats: Arc<CallbackStats>,
    /// Set when it is up.
    which: Option<DeviceIdentity>,
    /// Dropping it makes the disposable thread close the stream.
    _hold: mpsc::Sender<()>,
}

/// The disposable thread's report of the stream it has opened.
struct OpeningReply<L> {
    device: String,
    which: DeviceIdentity,
    link: L,
}

impl<L: Send + 'static> StreamSupervision<L> {
    fn new(name: &'static str, access: DeviceAccess<L>) -> Self {
        Self {
            name,
            access,
            session: None,
            survey: None,
            is_survey_due: false,
            threads: Arc::default(),
            log_limiter: LogLimiter::default(),
        }
    }

    fn tick(&self) -> Duration {
        let is_up = self.session.as_ref().is_some_and(|session| session.which.is_some());
        if is_up { TICK } else { OPENING_TICK }
    }

    fn step(&mut self, liveness: &mut Liveness, tell: &mut impl FnMut(DeviceNotice<L>)) {
        let seen = self.see(tell);
        let now = Instant::now();
        let verdict = liveness.step(seen, now);
        match verdict.act {
            Some(StreamAction::Open) => self.open(),
            Some(StreamAction::Close) => self.close(tell),
            Some(StreamAction::Reopen) => {
                self.close(tell);
                self.open();
            }
            Some(StreamAction::Survey) => self.survey(),
            None => {}
        }
        match verdict.event {
            Some(DeviceEvent::Gone(fault)) => {
                if let Some(suppressed) = self.log_limiter.may_log(&fault, now) {
                    tracing::warn!(device = self.name, %fault, suppressed, "device missing");
                }
                tell(DeviceNotice::Gone(fault));
            }
            Some(DeviceEvent::Back(device)) => {
                if self.log_limiter.may_log_recovery(now) {
                    tracing::info!(device = self.name, name = device, "device in use");
                }
                tell(DeviceNotice::Back { device });
            }
            None => {}
        }
    }

    fn see(&mut self, tell: &mut impl FnMut(DeviceNotice<L>)) -> Observation {
        let Some(session) = &mut self.session else { return Observation::Nothing };
        match session.opened.try_recv() {
            Ok(Ok(OpeningReply { device, which, link })) => {
                let rank = which.rank;
                session.which = Some(which);
                tell(DeviceNotice::Up(link));
                Observation::Opened { device, rank }
            }
            Ok(Err(fault)) => Observation::Failed(fault),
            Err(_) => {
                let counts = session.stats.counts();
                self.see_survey().unwrap_or(Observation::Counts(counts))
            }
        }
    }

    /// What a survey has found that is over; nothing if all is as before.
    fn see_survey(&mut self) -> Option<Observation> {
        let answer = match self.survey.as_ref()?.try_recv() {
            Err(mpsc::TryRecvError::Empty) => return None,
            answer => answer,
        };
        self.survey = None;
        if std::mem::take(&mut self.is_survey_due) {
            self.survey();
        }
        match answer {
            Ok(Survey::Better) => Some(Observation::Better),
            Ok(Survey::Missing) => Some(Observation::Missing),
            Ok(Survey::Same) | Err(_) => None,
        }
    }

    fn open(&mut self) {
        // A list requested for the last stream says nothing about the next one.
        (self.survey, self.is_survey_due) = (None, false);
        let (answer, opened) = mpsc::channel();
        let (hold, held) = mpsc::channel();
        let stats = Arc::<CallbackStats>::default();
        self.session = Some(StreamSession { opened, stats: Arc::clone(&stats), which: None, _hold: hold });
        if self.threads.load(Ordering::Acquire) >= MAX_HUNG {
            let _ = answer.send(Err(DeviceFault::Stuck));
            return;
        }
        let opener = Arc::clone(&self.access.open);
        // If no thread can be started, the reply's sender is gone and opening times out.
        self.dispose(move || match opener(&stats) {
            Ok(OpenedStream { device, which, stream, link }) => {
                // A supervisor that gave up on this attempt has dropped the receiver: close at once.
                if answer.send(Ok(OpeningReply { device, which, link })).is_ok() {
                    let _: Result<(), mpsc::RecvError> = held.recv();
                }
                drop(stream);
            }
            Err(fault) => {
                let _ = answer.send(Err(fault));
            }
        });
    }

    fn survey(&mut self) {
        let Some(which) = self.session.as_ref().and_then(|session| session.which.clone()) else { return };
        if self.survey.is_some() {
            self.is_survey_due = true;
            return;
        }
        if self.threads.load(Ordering::Acquire) >= MAX_HUNG {
            return;
        }
        let (answer, survey) = mpsc::channel();
        self.survey = Some(survey);
        let look = Arc::clone(&self.access.survey);
        self.dispose(move || {
            // The receiver is gone if the stream was lost meanwhile.
            let _ = answer.send(look(&which));
        });
    }

    /// Runs a call that may block on a thread that may be abandoned.
    fn dispose(&self, what: impl FnOnce() + Send + 'static) {
        self.threads.fetch_add(1, Ordering::AcqRel);
        let threads = Arc::clone(&self.threads);
        let own = move || {
            what();
            threads.fetch_sub(1, Ordering::AcqRel);
        };
        if thread::Builder::new().name(format!("{}-session", self.name)).spawn(own).is_err() {
            self.threads.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn close(&mut self, tell: &mut impl FnMut(DeviceNotice<L>)) {
        if let Some(session) = self.session.take() {
            let errors = session.stats.counts().errors;
            if errors > 0 {
                tracing::debug!(device = self.name, errors, "errors reported during the stream");
            }
            if session.which.is_some() {
                tell(DeviceNotice::Down);
            }
        }
    }
}

#[cfg(test)]
mod tests;
