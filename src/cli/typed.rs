//! Turns that are typed: shared by `joi ask`, `joi text` and a terminal in front of `joi run`.

use tokio_util::sync::CancellationToken;

use super::show;
use crate::app::{Brain, TypedTurns};
use joi_agent::{Ended, Session};
use joi_base::message::{ConversationId, Private};
use joi_base::trace::TurnRecord;
use joi_channels::console::Printer;
use joi_channels::turn::Reporter;

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

/// Asks typed questions one after the other, and prints the answers.
pub(crate) struct Typist(TypedTurns);

/// The outcome of a typed question.
pub(crate) struct Answered {
    pub(crate) record: TurnRecord,
    pub(crate) ended: Ended,
    /// The user wants nothing more.
    pub(crate) is_over: bool,
}

impl Typist {
    pub(crate) async fn new(brain: &Brain) -> Self {
        Self(TypedTurns::new(brain, ConversationId::console()).await)
    }

    /// Returns the session of this terminal.
    pub(crate) fn session(&self) -> &Session {
        &self.0.session
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
        let cancel = CancellationToken::new();
        let interrupted = cancel.clone();
        let watch = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                interrupted.cancel();
            }
        });
        let turn = self.0.answer(Private(text.to_owned()), reporter, cancel).await;
        watch.abort();
        if let Some(error) = turn.unsaved {
            show::remark(format!("the turn was not recorded: {error}"));
        }
        Answered { record: turn.record, ended: turn.ended, is_over: false }
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
