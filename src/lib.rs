//! Joi: a private voice companion that runs on a Raspberry Pi.
//!
//! The way of a spoken turn; `docs/architecture.md` has the whole picture, with threads, queues, state and where to
//! change what:
//!
//! ```text
//!  microphone ─► ring ─► resample 16 kHz ─► echo canceller ─► wake word, VAD ─► endpointer ─► Utterance
//!                                                  ▲                                              │
//!                                        what was really played                 whisper, speculative in a pause
//!                                                  │                                              ▼
//!  loudspeaker ◄─ ring ◄─ resample ◄─ Piper        │             transcript filter, judge, second look
//!       └──────────────────────────────┼───────────┘                                              │
//!                                      │                                                          ▼
//!                         sentences, speakable text    redact ─► open question ─► quick command ─► split requests
//!                                      ▲                                    action, │             │ everything
//!                                      ├──────────────────────────────────sentence──┘             ▼ else
//!                                output filter                                      dialogue, coverage
//!                                      ▲                                                          ▼
//!                                      └─ tool loop on the model ◄─ prompt ◄─ memory ◄─ planner ◄─ router
//! ```
//!
//! Speech during playback may interrupt it (barge-in), an answer is followed by a window for follow-ups, and what is
//! said unasked goes through the queue of [`announce`].
//!
//! [`app`] wires the stages together; no other module imports it but [`cli`].

pub mod clock;
pub mod english;
pub mod language;
pub mod message;
pub mod paths;
pub mod problem;
pub mod pulse;
pub mod restart;
pub mod trace;

pub mod announce;
pub mod audio;
pub mod channels;
pub mod control;

pub mod hear;
pub mod llm;
pub mod models;
pub mod reply;
pub mod schedule;
pub mod speak;
pub mod store;
pub mod tools;

pub mod app;
pub mod cli;
pub mod config;

/// How many times as long the prepared work takes for four times the size: about 4 where it is linear, 16 where it is
/// quadratic. Measured as CPU time of this thread, the best of three, so that a busy machine makes no difference.
#[cfg(test)]
pub(crate) fn growth<W: FnMut()>(prepare: impl Fn(usize) -> W) -> f64 {
    let cpu = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let best = |size: usize| {
        let took = |_| {
            let mut work = prepare(size);
            let begun = cpu();
            work();
            cpu() - begun
        };
        (0..3).map(took).fold(f64::INFINITY, f64::min)
    };
    best(4) / best(1).max(1e-6)
}
