//! Reads the replies of Ollama's API: bytes → JSON lines → events.
//!
//! Polled by the task that reads the reply. In: the body of an HTTP response. Out: [`ChatEvent`]s or [`PullProgress`],
//! or one error after which nothing follows. The end of the body is not the end of a reply: only its last line says so.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde::de::DeserializeOwned;

use super::error::{LlmError, quoted};
use super::lines::Splitter;
use super::stream::ChatStream;
use super::wire::{ChatEvent, ChatLine, PullLine, PullProgress};

type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, reqwest::Error>> + Send>>;

/// The JSON lines of a body.
struct JsonLines<T> {
    body: ByteStream,
    splitter: Splitter,
    lines: VecDeque<Vec<u8>>,
    is_over: bool,
    line: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> JsonLines<T> {
    fn new(body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static) -> Self {
        let (splitter, lines) = (Splitter::default(), VecDeque::new());
        Self { body: Box::pin(body), splitter, lines, is_over: false, line: PhantomData }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, LlmError>>> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                let garbage = |_| LlmError::Garbage(format!("it sent {}", shape_of(&line)));
                return Poll::Ready(Some(serde_json::from_slice(&line).map_err(garbage)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            let Self { body, splitter, lines, .. } = self;
            match ready!(body.poll_next_unpin(cx)) {
                Some(Ok(piece)) => {
                    if splitter.push(&piece, |line| lines.push_back(line.to_vec())).is_err() {
                        self.is_over = true;
                        return Poll::Ready(Some(Err(LlmError::Garbage("its line has no end".to_owned()))));
                    }
                }
                // A connection that is torn down counts like one that is closed: the last line decides.
                Some(Err(_)) | None => {
                    splitter.finish(|line| lines.push_back(line.to_vec()));
                    self.is_over = true;
                }
            }
        }
    }
}

/// What a line that is not JSON looks like, without quoting it: it may hold what somebody said.
fn shape_of(line: &[u8]) -> String {
    match line.first() {
        Some(b'<') => "a web page".to_owned(),
        Some(b'{') => format!("a broken line of {} bytes", line.len()),
        Some(_) | None => format!("{} bytes that are no JSON object", line.len()),
    }
}

/// The reply in `body`.
pub(super) fn chat_stream(
    body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
) -> ChatStream {
    ChatStream::new(ChatLines { lines: JsonLines::new(body), events: VecDeque::new() })
}

/// The events of a reply.
struct ChatLines {
    lines: JsonLines<ChatLine>,
    events: VecDeque<ChatEvent>,
}

impl Stream for ChatLines {
    type Item = Result<ChatEvent, LlmError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(line) = ready!(self.lines.poll_next(cx)) else { return Poll::Ready(None) };
            let line = match line {
                Err(error) => return Poll::Ready(Some(Err(error))),
                Ok(ChatLine { error: Some(text), .. }) => {
                    return Poll::Ready(Some(Err(LlmError::MidStream(quoted(&text)))));
                }
                Ok(line) => line,
            };
            let said = |text: Option<String>| text.filter(|text| !text.is_empty());
            let calls = line.message.tool_calls.unwrap_or_default();
            self.events.extend(said(line.message.thinking).map(ChatEvent::Thinking));
            self.events.extend(said(line.message.content).map(ChatEvent::Text));
            self.events.extend(calls.into_iter().map(ChatEvent::ToolCall));
            self.events.extend(line.done.then_some(ChatEvent::Done(line.stats)));
        }
    }
}

/// A pull as it goes on. It is complete when an item's status is `success`.
pub struct PullStream {
    lines: JsonLines<PullLine>,
    is_over: bool,
}

impl std::fmt::Debug for PullStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PullStream").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}

impl PullStream {
    /// The pull in `body`.
    pub(super) fn new(body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static) -> Self {
        Self { lines: JsonLines::new(body), is_over: false }
    }

    /// The next piece of progress; nothing after the end. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<PullProgress, LlmError>> {
        StreamExt::next(self).await
    }
}

impl Stream for PullStream {
    type Item = Result<PullProgress, LlmError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let item = match ready!(this.lines.poll_next(cx)) {
            None => Err(LlmError::Broken),
            Some(Err(error)) => Err(error),
            Some(Ok(PullLine { error: Some(text), .. })) => Err(LlmError::MidStream(quoted(&text))),
            Some(Ok(PullLine { progress, .. })) => Ok(progress),
        };
        this.is_over = item.as_ref().map_or(true, |progress| progress.status == "success");
        Poll::Ready(Some(item))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REPLY: &str = concat!(
        r#"{"model":"m","message":{"role":"assistant","thinking":"hm","content":"Hi \u00e4"},"done":false}"#,
        "\n",
        r#"{"message":{"content":"","tool_calls":[{"function":{"name":"clock","arguments":{"a":[1]}}}]},"done":false}"#,
        "\n",
        r#"{"message":{"content":""},"done":true,"eval_count":7,"eval_duration":5}"#,
        "\n",
    );

    proptest! {
        #[test]
        fn foreign_bytes_in_a_reply_end_it_and_never_break_it(
            body in joi_base::testing::damaged(REPLY.as_bytes()),
            size in 1_usize..40,
        ) {
            let pieces: Vec<_> = body.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            let mut stream = chat_stream(futures_util::stream::iter(pieces));
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let events = runtime.block_on(async {
                let mut events = 0;
                while let Some(event) = stream.next().await {
                    events += 1;
                    let is_last = matches!(event, Err(_) | Ok(ChatEvent::Done(_)));
                    assert!(!is_last || stream.next().await.is_none(), "nothing follows the end");
                }
                events
            });
            prop_assert!(events > 0, "an end or an error comes");
        }
    }
}
