//! A reply of a chat model as it arrives, from whichever server.
//!
//! Polled by the task that reads the reply. In: the events of a server's client. Out: [`ChatEvent`]s, or one error after
//! which nothing follows. Dropping a stream closes its connection. Events that end without [`ChatEvent::Done`] are a
//! reply that broke off, and so is one that is longer than any answer. How long it may take is the reader's affair.

use std::any::Any;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt};

use super::error::LlmError;
use super::wire::ChatEvent;

/// Gets to see how a reply failed.
type OnFailure = Box<dyn FnOnce(&LlmError) + Send>;
type ReplyEvents = Pin<Box<dyn Stream<Item = Result<ChatEvent, LlmError>> + Send>>;

/// Most bytes of words and thinking in one reply: far more than a context holds.
const MOST_BYTES: usize = 4 << 20;
/// Pieces that may come in a row before the reader's other work has its turn.
const MOST_IN_A_ROW: u32 = 64;

/// A reply as it arrives. After [`ChatEvent::Done`] or an error it is over.
pub struct ChatStream {
    events: ReplyEvents,
    is_over: bool,
    bytes: usize,
    in_a_row: u32,
    on_failure: Option<OnFailure>,
    hold: Option<Box<dyn Any + Send>>,
}

impl std::fmt::Debug for ChatStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatStream").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}

impl ChatStream {
    /// The reply that consists of `events`, the last of which is [`ChatEvent::Done`] or an error.
    pub fn new(events: impl Stream<Item = Result<ChatEvent, LlmError>> + Send + 'static) -> Self {
        Self { events: Box::pin(events), is_over: false, bytes: 0, in_a_row: 0, on_failure: None, hold: None }
    }

    /// The same reply; `on_failure` gets to see its failure, and `hold` lives as long as the reply.
    #[must_use]
    pub(super) fn watched(
        mut self,
        on_failure: impl FnOnce(&LlmError) + Send + 'static,
        hold: impl Send + 'static,
    ) -> Self {
        self.on_failure = Some(Box::new(on_failure));
        self.hold = Some(Box::new(hold));
        self
    }

    /// The next piece; nothing after the end. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<ChatEvent, LlmError>> {
        StreamExt::next(self).await
    }

    /// Ends it: connection and hold go at once, not when the owner drops the stream.
    fn end(&mut self) {
        self.is_over = true;
        self.hold = None;
        self.events = Box::pin(futures_util::stream::empty());
    }
}

impl Stream for ChatStream {
    type Item = Result<ChatEvent, LlmError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        if this.in_a_row >= MOST_IN_A_ROW {
            this.in_a_row = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Poll::Ready(item) = this.events.poll_next_unpin(cx) else {
            this.in_a_row = 0;
            return Poll::Pending;
        };
        this.in_a_row += 1;
        let mut item = item.unwrap_or(Err(LlmError::Broken));
        if let Ok(ChatEvent::Text(text) | ChatEvent::Thinking(text)) = &item {
            this.bytes += text.len();
            if this.bytes > MOST_BYTES {
                item = Err(LlmError::MidStream("the reply has no end".to_owned()));
            }
        }
        match &item {
            Ok(ChatEvent::Done(_)) => this.end(),
            Err(error) => {
                if let Some(on_failure) = this.on_failure.take() {
                    on_failure(error);
                }
                this.end();
            }
            Ok(ChatEvent::Text(_) | ChatEvent::Thinking(_) | ChatEvent::ToolCall(_)) => {}
        }
        Poll::Ready(Some(item))
    }
}
