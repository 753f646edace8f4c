//! Keeps one device open: a thread that opens, watches, lets go and tries again.
//!
//! The session itself (whatever the sound system calls a stream) lives on a disposable thread of its
//! own, because opening and closing may hang for ever when a sound server dies; such a thread is left
//! behind. In: an opener and the callback's [`Vitals`]. Out: [`Notice`]s. Refuses to leave more than
//! eight hung threads behind: then it says so and waits.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::DeviceFault;
pub(super) use super::liveness::Limits;
use super::liveness::{Act, Counts, Liveness, News, Seen};

/// How often the counts are looked at.
const TICK: Duration = Duration::from_millis(100);

/// So many hung sessions may be left behind.
const MAX_HUNG: usize = 8;

/// What a device's callbacks count; they write nothing else.
#[derive(Debug, Default)]
pub(super) struct Vitals {
    callbacks: AtomicU64,
    zero_frames: AtomicU64,
    rate: AtomicU32,
    lost: AtomicBool,
    errors: AtomicU64,
}

impl Vitals {
    /// The session runs at `rate` frames a second.
    pub(super) fn runs_at(&self, rate: u32) {
        self.rate.store(rate, Ordering::Relaxed);
    }

    /// The data callback ran; the last `zeros` frames of all so far were zero.
    pub(super) fn beat(&self, zeros: u64) {
        self.zero_frames.store(zeros, Ordering::Relaxed);
        self.callbacks.fetch_add(1, Ordering::Relaxed);
    }

    /// The error callback ran.
    pub(super) fn error(&self, weight: Weight) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        if weight == Weight::Fatal {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    fn counts(&self) -> Counts {
        let rate = self.rate.load(Ordering::Relaxed).max(1);
        let zeros = self.zero_frames.load(Ordering::Relaxed) as f64 / f64::from(rate);
        Counts {
            callbacks: self.callbacks.load(Ordering::Relaxed),
            zeros: Duration::from_secs_f64(zeros),
            lost: self.lost.load(Ordering::Relaxed),
        }
    }
}

/// Whether a session survives an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// It goes on.
    Passing,
    /// It must be opened anew.
    Fatal,
}

/// An open session.
pub(super) struct Opened<L> {
    /// The device's name.
    pub(super) device: String,
    /// What must stay alive, and is dropped on the thread that opened it.
    pub(super) stream: Box<dyn Any>,
    /// The end of the ring that goes to the device's user.
    pub(super) link: L,
}

/// Opens a session; runs on a disposable thread and may hang.
pub(super) type Opener<L> = Arc<dyn Fn(&Arc<Vitals>) -> Result<Opened<L>, DeviceFault> + Send + Sync>;

/// What the device's user is told.
pub(super) enum Notice<L> {
    /// A new session is open; what came from an older one is over.
    Up(L),
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
        opener: Opener<L>,
        limits: Limits,
        mut tell: impl FnMut(Notice<L>) + Send + 'static,
    ) -> Self {
        let (stop, stopped) = mpsc::channel();
        let keep = move || {
            let mut watch = Watch { name, opener, session: None, threads: Arc::default() };
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
    opener: Opener<L>,
    session: Option<Session<L>>,
    /// Disposable threads that have not ended, the present one included.
    threads: Arc<AtomicUsize>,
}

struct Session<L> {
    opened: mpsc::Receiver<Result<(String, L), DeviceFault>>,
    vitals: Arc<Vitals>,
    /// Dropping it lets the disposable thread close the stream.
    _hold: mpsc::Sender<()>,
}

impl<L: Send + 'static> Watch<L> {
    fn step(&mut self, liveness: &mut Liveness, tell: &mut impl FnMut(Notice<L>)) {
        let seen = self.look(tell);
        let verdict = liveness.step(seen, Instant::now());
        match verdict.act {
            Some(Act::Open) => self.open(),
            Some(Act::Close) => self.close(),
            None => {}
        }
        match verdict.news {
            Some(News::Gone(fault)) => {
                tracing::warn!(device = self.name, %fault, "device missing");
                tell(Notice::Gone(fault));
            }
            Some(News::Back(device)) => {
                tracing::info!(device = self.name, name = device, "device in use");
                tell(Notice::Back { device });
            }
            None => {}
        }
    }

    fn look(&mut self, tell: &mut impl FnMut(Notice<L>)) -> Seen {
        let Some(session) = &self.session else { return Seen::Nothing };
        match session.opened.try_recv() {
            Ok(Ok((device, link))) => {
                tell(Notice::Up(link));
                Seen::Opened(device)
            }
            Ok(Err(fault)) => Seen::Failed(fault),
            Err(_) => Seen::Counts(session.vitals.counts()),
        }
    }

    fn open(&mut self) {
        let (answer, opened) = mpsc::channel();
        let (hold, held) = mpsc::channel();
        let vitals = Arc::<Vitals>::default();
        self.session = Some(Session { opened, vitals: Arc::clone(&vitals), _hold: hold });
        if self.threads.load(Ordering::Acquire) >= MAX_HUNG {
            let _ = answer.send(Err(DeviceFault::Stuck));
            return;
        }
        self.threads.fetch_add(1, Ordering::AcqRel);
        let (opener, threads) = (Arc::clone(&self.opener), Arc::clone(&self.threads));
        let own = move || {
            match opener(&vitals) {
                Ok(Opened { device, stream, link }) => {
                    // A keeper that gave up on this attempt no longer listens; then close at once.
                    if answer.send(Ok((device, link))).is_ok() {
                        let _: Result<(), mpsc::RecvError> = held.recv();
                    }
                    drop(stream);
                }
                Err(fault) => {
                    let _ = answer.send(Err(fault));
                }
            }
            threads.fetch_sub(1, Ordering::AcqRel);
        };
        // When no thread can be had, the answer's sender is gone and opening times out.
        if thread::Builder::new().name(format!("{}-session", self.name)).spawn(own).is_err() {
            self.threads.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn close(&mut self) {
        if let Some(session) = self.session.take() {
            let errors = session.vitals.errors.load(Ordering::Relaxed);
            if errors > 0 {
                tracing::debug!(device = self.name, errors, "errors of the session");
            }
        }
    }
}

#[cfg(test)]
mod tests;
