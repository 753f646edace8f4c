//! Turns the body of a reply of server-sent events into [`ChatEvent`]s: bytes → lines → [`ReplyLines`].
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

use crate::error::LlmError;
use crate::lines::Splitter;
use crate::wire::{ChatEvent, ChatStats};

/// Puts a reply together from its lines.
pub(super) trait ReplyLines: Send + Unpin {
    /// Takes the next line, which is not blank, and adds its events to `events`.
    ///
    /// # Errors
    /// The server reports an error, or the line is not one of a reply.
    fn line(&mut self, line: &[u8], events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError>;

    /// Takes the end of the body, which is the end of the reply where the server said why it ended.
    ///
    /// # Errors
    /// As for [`Self::line`].
    fn end(&mut self, events: &mut VecDeque<ChatEvent>) -> Result<(), LlmError>;
}

type SseBody = Pin<Box<dyn Stream<Item = Result<Bytes, reqwest::Error>> + Send>>;

/// The events of a reply.
pub(super) struct SseReply<R> {
    body: SseBody,
    splitter: Splitter,
    reader: R,
    events: VecDeque<ChatEvent>,
    /// Why the reply ends behind `events`.
    failure: Option<LlmError>,
    is_over: bool,
    began: Instant,
    first: Option<Instant>,
}

impl<R: ReplyLines + Default> SseReply<R> {
    /// Creates the reply in `body` to a request that was sent at `began`.
    pub(super) fn new(
        body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
        began: Instant,
    ) -> Self {
        Self {
            body: Box::pin(body),
            splitter: Splitter::default(),
            reader: R::default(),
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

impl<R: ReplyLines + Default> Stream for SseReply<R> {
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
            Self::take(&mut self, piece);
        }
    }
}

/// Returns the data of a line of server-sent events, or a JSON object of a server that does not stream; nothing for a
/// comment, any other field, and data without content.
///
/// # Errors
/// The line is none of these.
pub(super) fn data_of(line: &[u8]) -> Result<Option<&[u8]>, LlmError> {
    let data = match line.strip_prefix(b"data:") {
        Some(data) => data.trim_ascii(),
        None if line.starts_with(b"{") => line,
        None if is_other_field(line) => return Ok(None),
        None if line.starts_with(b"<") => return Err(LlmError::Garbage("it sent a web page".to_owned())),
        None => return Err(LlmError::Garbage(format!("it sent {} bytes of no reply", line.len()))),
    };
    Ok(Some(data).filter(|data| !data.is_empty()))
}

/// Returns whether `line` is a comment or a field of server-sent events other than `data`.
fn is_other_field(line: &[u8]) -> bool {
    [&b":"[..], b"event:", b"id:", b"retry:"].iter().any(|start| line.starts_with(start))
}
