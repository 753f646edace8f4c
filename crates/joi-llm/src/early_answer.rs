//! Starts an answer before it is certain that the question is complete.
//!
//! A task of its own asks the model and buffers the words; the turn takes them over if it asks for exactly the same.
//! Input: the request to the model and its words. Output: the same words, on demand. Nothing is spoken, done or stored
//! before a turn takes them over; dropping the receiver aborts the generation.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt};
use tokio::sync::{mpsc, oneshot};

use crate::{Ask, ChatEvent, LlmError};

type BegunWord = Result<ChatEvent, LlmError>;

/// An answer that is being begun, where it comes to that.
#[derive(Debug)]
pub struct EarlyAnswer(oneshot::Receiver<(Ask, BegunWords)>);

/// The words of an answer from its beginning. Dropping it aborts the generation.
#[derive(Debug)]
pub struct BegunWords(mpsc::UnboundedReceiver<BegunWord>);

/// The sending end, which receives the request to the model.
#[derive(Debug)]
pub struct EarlyAnswerSource(oneshot::Sender<(Ask, BegunWords)>);

/// Before it is known what the model is asked.
pub fn early_answer() -> (EarlyAnswerSource, EarlyAnswer) {
    let (source, head) = oneshot::channel();
    (EarlyAnswerSource(source), EarlyAnswer(head))
}

impl EarlyAnswer {
    /// Its words, where it is the answer to `ask`; waits until that is known. Who began it is as far as who asks, and
    /// further.
    pub async fn into_words(self, ask: &Ask) -> Option<BegunWords> {
        let (begun, words) = self.0.await.ok()?;
        (begun == *ask).then_some(words)
    }
}

impl EarlyAnswerSource {
    /// Whether nobody wants it any more.
    pub async fn closed(&mut self) {
        self.0.closed().await;
    }

    /// Passes on what comes in answer to `ask`, to its end, or until nobody wants it any more. An answer is short: as
    /// much as there is of it may wait.
    pub async fn pass_on<W>(self, ask: Ask, mut answer: W, mut look: impl FnMut(&ChatEvent))
    where
        W: Stream<Item = BegunWord> + Unpin,
    {
        let (words, begun) = mpsc::unbounded_channel();
        if self.0.send((ask, BegunWords(begun))).is_err() {
            return;
        }
        loop {
            let word = tokio::select! {
                () = words.closed() => return,
                word = answer.next() => word,
            };
            let Some(word) = word else { return };
            word.iter().for_each(&mut look);
            if words.send(word).is_err() {
                return;
            }
        }
    }
}

impl Stream for BegunWords {
    type Item = BegunWord;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<BegunWord>> {
        self.0.poll_recv(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, stream};

    use super::*;
    use crate::{ChatStats, Message};

    fn asks(text: &str) -> Ask {
        Ask { messages: vec![Message::user(text)], ..Ask::default() }
    }

    fn wrote() -> Vec<ChatEvent> {
        vec![ChatEvent::Text("Paris".into()), ChatEvent::Done(ChatStats::default())]
    }

    #[tokio::test]
    async fn only_whoever_asks_the_same_gets_the_words_and_all_of_them() {
        let ask = asks("the capital of France?");
        for (wanted, is_same) in [(ask.clone(), true), (asks("the capital of Italy?"), false)] {
            let (source, head) = early_answer();
            let mut seen = Vec::new();
            let passing = source
                .pass_on(ask.clone(), stream::iter(wrote().into_iter().map(Ok)), |e| seen.push(e.clone()));
            let taking = async {
                let words = head.into_words(&wanted).await?;
                Some(words.map(Result::unwrap).collect::<Vec<_>>().await)
            };
            let ((), taken) = tokio::join!(passing, taking);
            assert_eq!(taken, is_same.then(wrote));
            assert!(!is_same || seen == wrote());
        }
    }

    #[tokio::test]
    async fn who_asks_before_it_is_known_waits_and_learns_where_it_comes_to_nothing() {
        let (source, head) = early_answer();
        let ask = asks("why?");
        let mut waiting = Box::pin(head.into_words(&ask));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(source);
        assert!(waiting.now_or_never().unwrap().is_none());
    }

    #[tokio::test]
    async fn a_generation_ends_once_nobody_wants_it() {
        let (mut source, head) = early_answer();
        let ask = asks("why?");
        drop(head);
        assert!(source.closed().now_or_never().is_some(), "before it is begun");
        let (source, head) = early_answer();
        let mut passing = Box::pin(source.pass_on(ask.clone(), stream::pending(), |_| {}));
        assert!(passing.as_mut().now_or_never().is_none(), "it waits for words");
        let words = head.into_words(&ask).await.unwrap();
        assert!(passing.as_mut().now_or_never().is_none());
        drop(words);
        assert!(passing.now_or_never().is_some());
    }
}
