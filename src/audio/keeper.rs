//! Keeps one device open: a thread that opens, watches, lets go and tries again.
//!
//! The session itself (whatever the sound system calls a stream) lives on a disposable thread of its
//! own, because opening and closing may hang for ever when a sound server dies; such a thread is left
//! behind. In: an [`Access`] to the device and the callback's [`Vitals`]. Out: [`Notice`]s. Refuses to
//! leave more than eight hung threads behind: then it says so and waits.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::DeviceFault;
pub(super) use super::liveness::Limits;
use super::liveness::{Act, Liveness, News, Seen};

mod hush;
mod vitals;

use hush::Hush;
pub(super) use vitals::{Vitals, Weight};

/// How often the counts are looked at.
const TICK: Duration = Duration::from_millis(100);

/// So many hung sessions may be left behind.
const MAX_HUNG: usize = 8;

/// An open session.
pub(super) struct Opened<L> {
    /// The device's name.
    pub(super) device: String,
    /// Which one it is.
    pub(super) which: Which,
    /// What must stay alive, and is dropped on the thread that opened it.
    pub(super) stream: Box<dyn Any>,
    /// The end of the ring that goes to the device's user.
    pub(super) link: L,
}

/// Which of the system's devices a session uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Which {
    /// As the sound system names it.
    pub(super) id: String,
    /// Its place in the order of preference, from 0.
    pub(super) rank: usize,
}

/// What a look at the system's devices brings while one of them is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survey {
    /// All is as it should be, or nothing can be said.
    Same,
    /// A device that is preferred to the present one is there, and may be changed to.
    Better,
    /// The present one is not there, though its session goes on: the sound system has moved it elsewhere.
    Missing,
}

/// Opens a session; runs on a disposable thread and may hang.
pub(super) type Opener<L> = Arc<dyn Fn(&Arc<Vitals>) -> Result<Opened<L>, DeviceFault> + Send + Sync>;

/// The two things a keeper can do about a device.
pub(super) struct Access<L> {
    /// Opens it.
    pub(super) open: Opener<L>,
    /// Looks at the system's devices. Runs on a disposable thread and may hang.
    pub(super) survey: Arc<dyn Fn(&Which) -> Survey + Send + Sync>,
}

/// What the device's user is told.
pub(super) enum Notice<L> {
    /// A new session is open; what came from an older one is over.
    Up(L),
    /// The session that was up is over.
    Down,
    /// The device is missing from here on.
    Gone(DeviceFault),
    /// The device delivers.
    Back {
        /// Its name.
        device: String,
    },
}

/// Dropping it ends the thread, and with it the session.
pub(super) struct Keeper {
    _stop: mpsc::Sender<()>,
}

impl Keeper {
    /// Starts a thread `name` that keeps the device open and tells about it.
    pub(super) fn spawn<L: Send + 'static>(
        name: &'static str,
        access: Access<L>,
        limits: Limits,
        mut tell: impl FnMut(Notice<L>) + Send + 'static,
    ) -> Self {
        let (stop, stopped) = mpsc::channel();
        let keep = move || {
            let mut watch = Watch::new(name, access);
            let mut liveness = Liveness::new(limits, Instant::now());
            loop {
                watch.step(&mut liveness, &mut tell);
                match stopped.recv_timeout(TICK) {
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        if thread::Builder::new().name(name.to_owned()).spawn(keep).is_err() {
            tracing::error!(device = name, "no thread to keep the device open");
        }
        Self { _stop: stop }
    }
}

struct Watch<L> {
    name: &'static str,
    access: Access<L>,
    session: Option<Session<L>>,
    /// An answer to come.
    survey: Option<mpsc::Receiver<Survey>>,
    /// Disposable threads that have not ended, the present one included.
    threads: Arc<AtomicUsize>,
    hush: Hush,
}

struct Session<L> {
    opened: mpsc::Receiver<Result<Opening<L>, DeviceFault>>,
    vitals: Arc<Vitals>,
    /// Set when it is up.
    which: Option<Which>,
    /// Dropping it lets the disposable thread close the stream.
    _hold: mpsc::Sender<()>,
}

/// What the disposable thread says of the session it has opened.
struct Opening<L> {
    device: String,
    which: Which,
    link: L,
}

impl<L: Send + 'static> Watch<L> {
    fn new(name: &'static str, access: Access<L>) -> Self {
        Self { name, access, session: None, survey: None, threads: Arc::default(), hush: Hush::default() }
    }

    fn step(&mut self, liveness: &mut Liveness, tell: &mut impl FnMut(Notice<L>)) {
        let seen = self.see(tell);
        let now = Instant::now();
        let verdict = liveness.step(seen, now);
        match verdict.act {
            Some(Act::Open) => self.open(),
            Some(Act::Close) => self.close(tell),
            Some(Act::Reopen) => {
                self.close(tell);
                self.open();
            }
            Some(Act::Survey) => self.survey(),
            None => {}
        }
        match verdict.news {
            Some(News::Gone(fault)) => {
                if let Some(unsaid) = self.hush.may_say(&fault, now) {
                    tracing::warn!(device = self.name, %fault, unsaid, "device missing");
                }
                tell(Notice::Gone(fault));
            }
            Some(News::Back(device)) => {
                if self.hush.may_say_back(now) {
                    tracing::info!(device = self.name, name = device, "device in use");
                }
                tell(Notice::Back { device });
            }
            None => {}
        }
    }

    fn see(&mut self, tell: &mut impl FnMut(Notice<L>)) -> Seen {
        let Some(session) = &mut self.session else { return Seen::Nothing };
        match session.opened.try_recv() {
            Ok(Ok(Opening { device, which, link })) => {
                let rank = which.rank;
                session.which = Some(which);
                tell(Notice::Up(link));
                Seen::Opened { device, rank }
            }
            Ok(Err(fault)) => Seen::Failed(fault),
            Err(_) => match self.survey.as_ref().map(mpsc::Receiver::try_recv) {
                None | Some(Err(mpsc::TryRecvError::Empty)) => Seen::Counts(session.vitals.counts()),
                Some(answer) => {
                    self.survey = None;
                    match answer {
                        Ok(Survey::Better) => Seen::Better,
                        Ok(Survey::Missing) => Seen::Missing,
                        Ok(Survey::Same) | Err(_) => Seen::Counts(session.vitals.counts()),
                    }
                }
            },
        }
    }

    fn open(&mut self) {
        // What was asked about the last session says nothing about the next one.
        self.survey = None;
        let (answer, opened) = mpsc::channel();
        let (hold, held) = mpsc::channel();
        let vitals = Arc::<Vitals>::default();
        self.session = Some(Session { opened, vitals: Arc::clone(&vitals), which: None, _hold: hold });
        if self.threads.load(Ordering::Acquire) >= MAX_HUNG {
            let _ = answer.send(Err(DeviceFault::Stuck));
            return;
        }
        let opener = Arc::clone(&self.access.open);
        // When no thread can be had, the answer's sender is gone and opening times out.
        self.dispose(move || match opener(&vitals) {
            Ok(Opened { device, which, stream, link }) => {
                // A keeper that gave up on this attempt no longer listens; then close at once.
                if answer.send(Ok(Opening { device, which, link })).is_ok() {
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
        if self.survey.is_some() || self.threads.load(Ordering::Acquire) >= MAX_HUNG {
            return;
        }
        let (answer, survey) = mpsc::channel();
        self.survey = Some(survey);
        let look = Arc::clone(&self.access.survey);
        self.dispose(move || {
            // Nobody waits any more when the session was lost meanwhile.
            let _ = answer.send(look(&which));
        });
    }

    /// Runs what may hang on a thread that may be left behind.
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

    fn close(&mut self, tell: &mut impl FnMut(Notice<L>)) {
        if let Some(session) = self.session.take() {
            let errors = session.vitals.counts().errors;
            if errors > 0 {
                tracing::debug!(device = self.name, errors, "errors of the session");
            }
            if session.which.is_some() {
                tell(Notice::Down);
            }
        }
    }
}

#[cfg(test)]
mod tests;
