//! The console channel: answers appear as text while they are written.
//!
//! Runs in the task of the turn. In: the engine's words. Out: a writer, normally stdout; what is no
//! answer goes to a second one, normally stderr. Markdown stays as it is.

use std::io::Write;
use std::time::Instant;

use super::turn::Reporter;
use joi_agent::Action;

/// Reports an answer by writing it.
pub struct Printer<O, E> {
    out: O,
    remarks: E,
    wrote: bool,
    /// The user wants nothing more.
    pub ended: bool,
}

impl<O: Write + Send, E: Write + Send> Printer<O, E> {
    /// Writes answers to `out` and everything else to `remarks`.
    pub fn new(out: O, remarks: E) -> Self {
        Self { out, remarks, wrote: false, ended: false }
    }

    /// On a line of its own, also on a terminal that shows both.
    fn remark(&mut self, sentence: &str) {
        self.end_line();
        // Remarks are a courtesy; an answer must not fail because stderr is closed.
        let _ = writeln!(self.remarks, "{sentence}");
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.wrote) {
            let _ = writeln!(self.out);
        }
    }
}

impl<O: Write + Send, E: Write + Send> Reporter for Printer<O, E> {
    async fn words(&mut self, words: &str) {
        self.wrote = true;
        // A reader that went away shows at the next prompt; the answer is remembered all the same.
        let _ = write!(self.out, "{words}").and_then(|()| self.out.flush());
    }

    async fn aside(&mut self, sentence: &str) {
        self.remark(sentence);
    }

    async fn offer(&mut self, question: &str) {
        self.remark(question);
    }

    fn notice(&mut self, sentence: &str) {
        self.remark(sentence);
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Volume(_) => self.remark("(the volume belongs to the voice: `joi run` changes it)"),
            Action::EndConversation => self.ended = true,
            Action::StopSpeaking => {}
        }
    }

    async fn end(&mut self) -> Option<Instant> {
        self.end_line();
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[tokio::test]
    async fn the_answer_goes_out_and_everything_else_beside_it() {
        let (mut out, mut remarks) = (Vec::new(), Vec::new());
        let mut printer = Printer::new(&mut out, &mut remarks);
        printer.aside("One moment.").await;
        printer.words("It is **nine**").await;
        printer.words(" o'clock.").await;
        printer.notice("The disk is full.");
        printer.end().await;
        assert_eq!(String::from_utf8(out).expect("utf-8"), "It is **nine** o'clock.\n");
        assert_eq!(String::from_utf8(remarks).expect("utf-8"), "One moment.\nThe disk is full.\n");
    }

    #[tokio::test]
    async fn a_remark_behind_an_answer_does_not_stand_on_its_line() {
        let mut both = Both::default();
        let mut printer = Printer::new(both.clone(), both.clone());
        printer.words("Timer, 9 minutes.").await;
        printer.notice("(it rings later)");
        printer.end().await;
        assert_eq!(both.take(), "Timer, 9 minutes.\n(it rings later)\n");
    }

    /// A terminal that shows both.
    #[derive(Clone, Default)]
    struct Both(Arc<Mutex<Vec<u8>>>);

    impl Both {
        fn take(&mut self) -> String {
            String::from_utf8(std::mem::take(&mut self.0.lock().expect("no panic"))).expect("utf-8")
        }
    }

    impl Write for Both {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn an_empty_answer_writes_nothing() {
        let (mut out, mut remarks) = (Vec::new(), Vec::new());
        let mut printer = Printer::new(&mut out, &mut remarks);
        printer.act(Action::EndConversation);
        printer.end().await;
        assert!(printer.ended);
        assert!(out.is_empty() && remarks.is_empty());
    }
}
