//! Turns that are typed: shared by `joi ask`, `joi text` and a terminal in front of `joi run`.

use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::show;
use crate::app::Brain;
use joi_agent::{Ended, Session, TurnInput};
use joi_base::message::{ConversationId, Private, TurnId};
use joi_base::trace::{Stage, Trace, TurnRecord};
use joi_channels::console::Printer;
use joi_channels::turn::{self, Reporter};

/// Returns a line of typed or piped text. One that is not UTF-8 is left out and reported with its number.
pub(crate) fn line(bytes: Vec<u8>, number: usize) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(line) => Some(line),
        Err(_) => {
            show::remark(format!(
                "line {number} is no UTF-8 text and was left out; convert it, for example with `iconv -f latin1 -t utf-8`"
            ));
            None
        }
    }
}

/// Asks typed questions one after the other.
pub(crate) struct Typist<'a> {
    brain: &'a Brain,
    /// The session of this terminal.
    pub(crate) session: Session,
    last: TurnId,
}

/// The outcome of a typed question.
pub(crate) struct Answered {
    pub(crate) record: TurnRecord,
    pub(crate) ended: Ended,
    /// The user wants nothing more.
    pub(crate) is_over: bool,
}

impl<'a> Typist<'a> {
    pub(crate) async fn new(brain: &'a Brain) -> Self {
        Self { brain, session: Session::new(ConversationId::console()), last: brain.last_turn().await }
    }

    /// Asks, and prints the answer while it comes. Ctrl-C stops the answer.
    pub(crate) async fn ask(&mut self, text: &str) -> Answered {
        let mut printer = Printer::new(anstream::stdout(), anstream::stderr());
        let mut answered = self.ask_through(text, &mut printer).await;
        answered.is_over = printer.ended;
        answered
    }

    /// Asks, and passes the answer to `reporter`.
    pub(crate) async fn ask_through(&mut self, text: &str, reporter: &mut impl Reporter) -> Answered {
        self.last = TurnId(self.last.0 + 1);
        let input =
            TurnInput { id: self.last, text: Private(text.to_owned()), language: None, is_unsure: false };
        let cancel = CancellationToken::new();
        let interrupted = cancel.clone();
        let watch = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                interrupted.cancel();
            }
        });
        let trace = Trace::starting(Instant::now());
        let mut end = turn::run((&self.brain.engine, &self.session), input, trace, reporter, cancel).await;
        watch.abort();
        end.trace.mark(Stage::End, Instant::now());
        let ended = end.outcome.ended;
        let record = end.record(self.last, self.session.id().channel, &*self.brain.clock);
        if let Some(store) = &self.brain.store
            && let Err(error) = store.save_turn(&record).await
        {
            show::remark(format!("the turn was not recorded: {error}"));
        }
        Answered { record, ended, is_over: false }
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_that_is_no_text_costs_only_itself() {
        let given: Vec<Vec<u8>> = vec![b"one".to_vec(), b"gr\xfc\xdf".to_vec(), "grüß".into()];
        let taken: Vec<Option<String>> =
            (1..).zip(given).map(|(number, bytes)| line(bytes, number)).collect();
        assert_eq!(taken, [Some("one".into()), None, Some("grüß".into())]);
    }
}
