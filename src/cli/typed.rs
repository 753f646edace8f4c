//! Turns that are typed: shared by `joi ask`, `joi text` and a terminal in front of `joi run`.

use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::show;
use crate::app::Brain;
use crate::channels::console::Printer;
use crate::channels::turn::{self, Teller};
use crate::message::{Channel, Private, TurnId};
use crate::reply::{Ended, TurnInput};
use crate::trace::{Stage, Trace, TurnRecord};

/// Asks typed questions one after the other.
pub(crate) struct Typist<'a> {
    brain: &'a Brain,
    last: TurnId,
}

/// What became of a typed question.
pub(crate) struct Answered {
    pub(crate) record: TurnRecord,
    pub(crate) ended: Ended,
    /// The user wants nothing more.
    pub(crate) is_over: bool,
}

impl<'a> Typist<'a> {
    pub(crate) async fn new(brain: &'a Brain) -> Self {
        Self { brain, last: brain.last_turn().await }
    }

    /// Asks, and prints the answer while it comes. Ctrl-C stops the answer.
    pub(crate) async fn ask(&mut self, text: &str) -> Answered {
        let mut printer = Printer::new(anstream::stdout(), anstream::stderr());
        let mut answered = self.ask_through(text, &mut printer).await;
        answered.is_over = printer.ended;
        answered
    }

    /// Asks, and tells the answer through `teller`.
    pub(crate) async fn ask_through(&mut self, text: &str, teller: &mut impl Teller) -> Answered {
        self.last = TurnId(self.last.0 + 1);
        let input = TurnInput { id: self.last, channel: Channel::Console, text: Private(text.to_owned()) };
        let cancel = CancellationToken::new();
        let interrupted = cancel.clone();
        let watch = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                interrupted.cancel();
            }
        });
        let trace = Trace::starting(Instant::now());
        let mut end = turn::run(&self.brain.engine, input, trace, teller, cancel).await;
        watch.abort();
        end.trace.mark(Stage::End, Instant::now());
        let ended = end.outcome.ended;
        let record = end.record(self.last, Channel::Console, &*self.brain.clock);
        if let Some(store) = &self.brain.store
            && let Err(error) = store.save_turn(&record).await
        {
            show::remark(format!("the turn was not recorded: {error}"));
        }
        Answered { record, ended, is_over: false }
    }
}

/// Cancels `stop` on Ctrl-C and on SIGTERM, from the moment this returns.
pub(crate) fn end_on_signal(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let stop = stop.clone();
        match signal(kind) {
            Ok(mut signal) => drop(tokio::spawn(async move {
                if signal.recv().await.is_some() {
                    stop.cancel();
                }
            })),
            Err(error) => tracing::warn!(%error, "a signal can't be watched"),
        }
    }
}
