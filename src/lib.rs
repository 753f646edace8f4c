//! Joi: a private voice companion that runs on a Raspberry Pi.
//!
//! The way of a spoken turn; `docs/dev/architecture.md` has the whole picture, with threads, queues, state and where to
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
//! said unasked goes through the announcement queue.
//!
//! [`app`] wires the stages together; no other module imports it but [`cli`].

pub mod app;
pub mod backup;
pub mod cli;
pub mod config;
pub mod control;
pub mod metrics;
