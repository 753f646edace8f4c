//! An answer that the model has begun while it was not certain yet that the question is over.
//!
//! A task of its own asks for it and passes its words on; the turn of the question takes them over where it asks for
//! the very same, and then they are its own from the first one on. In: what the model is asked, and its words. Out: the
//! same words, as late as they are wanted. Nothing of them is told, done or kept before a turn takes them; whoever drops
//! this ends the generation.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::llm::{Ask, ChatEvent, LlmError};

type Word = Result<ChatEvent, LlmError>;

/// What the model was asked, and what it has written since.
#[derive(Debug)]
pub(crate) struct HeadStart {
    ask: Ask,
    words: BegunWords,
    is_complete: Arc<AtomicBool>,
}

/// The words of an answer from its beginning. Dropping it aborts the generation.
#[derive(Debug)]
pub(crate) struct BegunWords(UnboundedReceiver<Word>);

/// The end at which words come in.
#[derive(Debug)]
pub(crate) struct WordSource {
    words: UnboundedSender<Word>,
    is_complete: Arc<AtomicBool>,
}

/// An answer to `ask`, before its first word. An answer is short: as much as there is of it may wait.
pub(crate) fn head_start(ask: Ask) -> (WordSource, HeadStart) {
    let (sender, words) = mpsc::unbounded_channel();
    let is_complete = Arc::new(AtomicBool::new(false));
    let source = WordSource { words: sender, is_complete: Arc::clone(&is_complete) };
    (source, HeadStart { ask, words: BegunWords(words), is_complete })
}

impl HeadStart {
    /// Its words, where it is the answer to `ask` and its task has not been given up.
    pub(crate) fn into_words(self, ask: &Ask) -> Option<BegunWords> {
        let is_given_up = self.words.0.is_closed() && !self.is_complete.load(Ordering::Acquire);
        (self.ask == *ask && !is_given_up).then_some(self.words)
    }
}

impl WordSource {
    /// Passes on what comes, to its end, or until nobody wants it any more.
    pub(crate) async fn pass_on<W>(self, mut answer: W, mut look: impl FnMut(&ChatEvent))
    where
        W: Stream<Item = Word> + Unpin,
    {
        loop {
            let word = tokio::select! {
                () = self.words.closed() => return,
                word = answer.next() => word,
            };
            let Some(word) = word else { break };
            word.iter().for_each(&mut look);
            if self.words.send(word).is_err() {
                return;
            }
        }
        self.is_complete.store(true, Ordering::Release);
    }
}

impl Stream for BegunWords {
    type Item = Word;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Word>> {
        self.0.poll_recv(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, stream};

    use super::*;
    use crate::llm::{ChatStats, Message};

    fn asks(text: &str) -> Ask {
        Ask { messages: vec![Message::user(text)], ..Ask::default() }
    }

    fn wrote() -> Vec<ChatEvent> {
        vec![ChatEvent::Text("Paris".into()), ChatEvent::Done(ChatStats::default())]
    }

    #[tokio::test]
    async fn only_whoever_asks_the_same_gets_the_words_and_all_of_them() {
        let (source, head) = head_start(asks("the capital of France?"));
        let mut seen = Vec::new();
        source.pass_on(stream::iter(wrote().into_iter().map(Ok)), |event| seen.push(event.clone())).await;
        let words: Vec<_> = head.into_words(&asks("the capital of France?")).unwrap().collect().await;
        assert_eq!(words.into_iter().map(Result::unwrap).collect::<Vec<_>>(), wrote());
        assert_eq!(seen, wrote());
        let (_source, head) = head_start(asks("the capital of France?"));
        assert!(head.into_words(&asks("the capital of Italy?")).is_none());
    }

    #[tokio::test]
    async fn what_was_given_up_half_way_is_no_answer() {
        let (source, head) = head_start(asks("why?"));
        let endless = stream::iter([Ok(ChatEvent::Text("Because".into()))]).chain(stream::pending());
        let mut passing = Box::pin(source.pass_on(endless, |_| {}));
        assert!(passing.as_mut().now_or_never().is_none());
        drop(passing);
        assert!(head.into_words(&asks("why?")).is_none());
    }

    #[tokio::test]
    async fn a_generation_ends_once_nobody_wants_it() {
        let (source, head) = head_start(asks("why?"));
        let mut passing = Box::pin(source.pass_on(stream::pending(), |_| {}));
        assert!(passing.as_mut().now_or_never().is_none(), "it waits for words");
        drop(head);
        assert!(passing.now_or_never().is_some());
    }
}
