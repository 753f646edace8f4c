//! Turns the body of a streamed reply into events: bytes → lines → [`ReplyReader`].
//!
//! Polled by the task that reads the reply. In: the body of an HTTP response, cut anywhere. Out: [`ChatEvent`]s; the last is
//! [`ChatEvent::Done`] or an error, unless the connection broke off. A line beyond the limit of [`Splitter`] ends it.
//! Times that the server does not report are measured here.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::time::Instant;

use super::reply::ReplyReader;
use crate::error::LlmError;
use crate::lines::Splitter;
use crate::wire::{ChatEvent, ChatStats};

type SseBody = Pin<Box<dyn Stream<Item = Result<Bytes, reqwest::Error>> + Send>>;

/// The events of a reply.
pub(super) struct SseReply {
    body: SseBody,
    splitter: Splitter,
    reader: ReplyReader,
    events: VecDeque<ChatEvent>,
    /// Why the reply ends behind `events`.
    failure: Option<LlmError>,
    is_over: bool,
    began: Instant,
    first: Option<Instant>,
}

impl SseReply {
    /// Creates the reply in `body` to a request that was sent at `began`.
    pub(super) fn new(
        body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
        began: Instant,
    ) -> Self {
        Self {
            body: Box::pin(body),
            splitter: Splitter::default(),
            reader: ReplyReader::default(),
            events: VecDeque::new(),
            failure: None,
            is_over: false,
            began,
            first: None,
        }
    }

    /// Takes a piece of the body, or its end.
    fn take(&mut self, piece: Option<Bytes>) {
        let Self { splitter, reader, events, failure, .. } = self;
        let mut each = |line: &[u8]| {
            if failure.is_none() {
                *failure = reader.line(line, events).err();
            }
        };
        let is_too_long = match &piece {
            Some(piece) => splitter.push(piece, &mut each).is_err(),
            None => {
                splitter.finish(&mut each);
                false
            }
        };
        if is_too_long && failure.is_none() {
            *failure = Some(LlmError::Garbage("its line has no end".to_owned()));
        }
        if piece.is_none() && failure.is_none() {
            *failure = reader.end(events).err();
        }
        self.is_over |= piece.is_none() || self.failure.is_some();
    }

    /// Adds the times that were measured to those that the server reported.
    fn timed(&self, mut stats: ChatStats) -> ChatStats {
        let now = Instant::now();
        let first = self.first.unwrap_or(now);
        if stats.eval_duration.is_zero() && stats.prompt_eval_duration.is_zero() {
            stats.prompt_eval_duration = first.duration_since(self.began);
            stats.eval_duration = now.duration_since(first);
        }
        stats.total_duration = now.duration_since(self.began);
        stats
    }
}

impl Stream for SseReply {
    type Item = Result<ChatEvent, LlmError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                if self.first.is_none() {
                    self.first = Some(Instant::now());
                }
                return Poll::Ready(Some(Ok(match event {
                    ChatEvent::Done(stats) => ChatEvent::Done(self.timed(stats)),
                    event => event,
                })));
            }
            if let Some(error) = self.failure.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            // A connection that is torn down counts like one that is closed: the last line decides.
            let piece = ready!(self.body.poll_next_unpin(cx)).and_then(Result::ok);
            SseReply::take(&mut self, piece);
        }
    }
}
