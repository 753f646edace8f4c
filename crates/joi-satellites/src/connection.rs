//! One connection of the Wyoming server: its requests in order, and what is replied.
//!
//! One task. In: bytes of a client. Out: events. `describe` and `ping` are answered at once, everything else in the order in
//! which it came; several requests may follow one another. A client that sends too fast is read more slowly, one that does
//! not read is given up, and whatever is wrong is said in an event `error` before the connection is closed: clients wait
//! for ever where an error leaves it open.

mod hearing;
mod speaking;

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};

use joi_base::message::Private;
use joi_serve::ConnectionPlace;

use self::hearing::SatelliteHearing;
use self::speaking::SatelliteSpeaking;
use super::ears::EarTask;
use super::parts::{AnswerFuture, WyomingServer, error_event};
use super::request::{RequestError, WyomingRequest};
use super::wire::{WireError, WireEvent, WireReader};

/// Requests that wait for the one before them. When full, the client is not read.
const PENDING: usize = 64;
/// Bytes read at once.
const READ: usize = 16 * 1024;

/// How long a client may take to read why the connection is closed.
const LINGER: Duration = Duration::from_millis(500);

/// Why a connection ends before its client ends it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TalkError {
    /// The client is gone, or does not read.
    #[error("{0}")]
    Lost(#[from] io::Error),
    /// The bytes are no events.
    #[error("{0}")]
    Wire(#[from] WireError),
    /// A request can't be done; the client hears why.
    #[error("{text}")]
    Refused { text: String, code: &'static str },
}

impl TalkError {
    pub(crate) fn refused(code: &'static str, text: impl ToString) -> Self {
        Self::Refused { text: text.to_string(), code }
    }

    /// Returns the event for the client; nothing where it gets none.
    fn event(&self) -> Option<Vec<u8>> {
        match self {
            Self::Refused { text, code } => Some(error_event(text, code)),
            Self::Wire(error) if error.is_limit() => Some(error_event(&error.to_string(), "too-large")),
            Self::Wire(_) | Self::Lost(_) => None,
        }
    }
}

impl From<RequestError> for TalkError {
    fn from(error: RequestError) -> Self {
        Self::refused("invalid", error)
    }
}

/// One connection.
pub(crate) struct WyomingTalk<'s> {
    server: &'s WyomingServer,
    stream: TcpStream,
    place: &'s ConnectionPlace,
    reader: WireReader,
    pending: VecDeque<WyomingRequest>,
    /// What sound is for, until another request says otherwise.
    purpose: EarTask,
    hearing: Option<SatelliteHearing>,
    speaking: SatelliteSpeaking,
    /// The answer to words that is awaited.
    answer: Option<AnswerFuture>,
    /// Bytes for the client.
    out: Vec<u8>,
    /// When the newest bytes came.
    read_at: Instant,
}

/// What happens next on a connection.
enum TalkEvent {
    Bytes(usize),
    Heard(Option<super::ears::EarReply>),
    Spoken(Option<Result<super::voice::VoiceChunk, String>>),
    Answered(Result<String, String>),
    Idle,
}

impl<'s> WyomingTalk<'s> {
    pub(crate) fn new(server: &'s WyomingServer, stream: TcpStream, place: &'s ConnectionPlace) -> Self {
        Self {
            server,
            stream,
            place,
            reader: WireReader::default(),
            pending: VecDeque::new(),
            purpose: EarTask::Transcribe,
            hearing: None,
            speaking: SatelliteSpeaking::new(server.voices.clone()),
            answer: None,
            out: Vec::new(),
            read_at: Instant::now(),
        }
    }

    /// Serves the connection until the client ends it.
    ///
    /// # Errors
    /// It had to be closed. The client was sent why, where it could be.
    pub(crate) async fn run(mut self) -> Result<(), TalkError> {
        let ended = self.serve().await;
        if let Err(event) = ended.as_ref().map_err(TalkError::event)
            && let Some(event) = event
        {
            self.out.extend_from_slice(&event);
            // The reason of the end is in `ended`.
            let _ = self.flush().await;
            let _ = timeout(LINGER, self.drain()).await;
        }
        ended
    }

    /// Reads what the client still sends: unread bytes would take the reason with them when the connection is closed.
    async fn drain(&mut self) -> io::Result<()> {
        self.stream.shutdown().await?;
        let mut buffer = [0; 4096];
        while self.stream.read(&mut buffer).await? > 0 {}
        Ok(())
    }

    async fn serve(&mut self) -> Result<(), TalkError> {
        let mut buffer = vec![0; READ];
        loop {
            // Requests that were taken make room for events that have come already.
            self.take_requests().await?;
            while self.take_events()? {
                self.take_requests().await?;
            }
            self.speaking.go_on(self.server, &mut self.out).await?;
            self.flush().await?;
            let is_busy = self.hearing.is_some() || self.speaking.is_busy() || self.answer.is_some();
            if is_busy {
                self.place.has_request()
            } else {
                self.place.request_is_over()
            }
            match self.next(&mut buffer).await? {
                TalkEvent::Bytes(0) => return Ok(()),
                TalkEvent::Bytes(count) => {
                    self.read_at = Instant::now();
                    self.reader.push(&buffer[..count]);
                }
                TalkEvent::Heard(reply) => self.heard(reply)?,
                TalkEvent::Spoken(chunk) => self.speaking.chunk(chunk, &mut self.out)?,
                TalkEvent::Answered(answer) => {
                    self.answer = None;
                    self.answered(answer);
                }
                TalkEvent::Idle => {
                    let idle = self.server.parts.times.idle;
                    return Err(TalkError::refused(
                        "timeout",
                        format!("nothing came for {} s", idle.as_secs()),
                    ));
                }
            }
        }
    }

    /// Waits for the next event. Every arm is cancel-safe; the answer is kept where it is.
    async fn next(&mut self, buffer: &mut [u8]) -> Result<TalkEvent, TalkError> {
        let idle = self.idle_limit().map(|limit| self.read_at + limit);
        // Requests that are not taken yet stop the reading; then the client waits for this side.
        let reads = self.pending.len() < PENDING;
        Ok(tokio::select! {
            read = self.stream.read(buffer), if reads => TalkEvent::Bytes(read?),
            reply = reply_of(&mut self.hearing) => TalkEvent::Heard(reply),
            chunk = self.speaking.next_chunk() => TalkEvent::Spoken(chunk),
            answer = answer_of(&mut self.answer) => TalkEvent::Answered(answer),
            () = until(idle) => TalkEvent::Idle,
        })
    }

    /// Returns how long the next bytes may take; nothing where the client owes none.
    fn idle_limit(&self) -> Option<Duration> {
        let is_heard = self.hearing.as_ref().is_some_and(|hearing| !hearing.is_finished());
        let owes = self.reader.is_within_event() || is_heard || self.speaking.is_open();
        (owes && self.pending.len() < PENDING).then_some(self.server.parts.times.idle)
    }

    /// Takes whole events, as many as may wait. Returns whether there were any.
    fn take_events(&mut self) -> Result<bool, TalkError> {
        let mut has_any = false;
        while self.pending.len() < PENDING {
            let Some(event) = self.reader.next()? else { break };
            has_any = true;
            match WyomingRequest::try_from(event)? {
                WyomingRequest::Describe => self.out.extend_from_slice(&self.server.info),
                WyomingRequest::Ping(text) => self.send("pong", json!({ "text": text })),
                WyomingRequest::Ignored => {}
                request => self.pending.push_back(request),
            }
        }
        Ok(has_any)
    }

    /// Takes requests in order, until one has to wait for another.
    async fn take_requests(&mut self) -> Result<(), TalkError> {
        while let Some(request) = self.pending.front() {
            let is_heard = self.hearing.as_ref().is_some_and(SatelliteHearing::is_finished);
            let waits = match request {
                WyomingRequest::Transcribe
                | WyomingRequest::Detect(_)
                | WyomingRequest::AudioStart(_)
                | WyomingRequest::AudioChunk(_)
                | WyomingRequest::AudioStop => is_heard,
                WyomingRequest::Handle(_) => self.answer.is_some(),
                WyomingRequest::Describe
                | WyomingRequest::Ping(_)
                | WyomingRequest::Synthesize { .. }
                | WyomingRequest::SynthesizeStart(_)
                | WyomingRequest::SynthesizeChunk(_)
                | WyomingRequest::SynthesizeStop
                | WyomingRequest::Recognize(_)
                | WyomingRequest::Ignored => false,
            };
            if waits {
                return Ok(());
            }
            if let Some(request) = self.pending.pop_front() {
                self.take(request).await?;
            }
        }
        Ok(())
    }

    async fn take(&mut self, request: WyomingRequest) -> Result<(), TalkError> {
        let refused = |error: super::speech::SpeechError| TalkError::refused("invalid", error);
        match request {
            WyomingRequest::Transcribe => self.purpose_is(EarTask::Transcribe),
            WyomingRequest::Detect(names) => self.detect(&names)?,
            WyomingRequest::AudioStart(format) => self.audio_start(format).await?,
            WyomingRequest::AudioChunk(piece) => self.audio_chunk(piece).await?,
            WyomingRequest::AudioStop => self.audio_stop().await,
            WyomingRequest::Synthesize { text, voice } => {
                self.begins();
                self.speaking.queue.whole(&text, &voice).map_err(refused)?;
            }
            WyomingRequest::SynthesizeStart(voice) => {
                self.begins();
                self.speaking.queue.start(&voice).map_err(refused)?;
            }
            WyomingRequest::SynthesizeChunk(text) => self.speaking.queue.piece(&text).map_err(refused)?,
            WyomingRequest::SynthesizeStop => self.speaking.queue.stop(),
            WyomingRequest::Handle(text) => self.handle(text),
            WyomingRequest::Recognize(mut data) => {
                data.retain(|key, _| ["text", "context"].contains(&key.as_str()));
                self.send("not-recognized", data.into());
            }
            WyomingRequest::Describe | WyomingRequest::Ping(_) | WyomingRequest::Ignored => {}
        }
        Ok(())
    }

    fn handle(&mut self, text: String) {
        self.begins();
        match &self.server.parts.answerer {
            Some(answerer) => self.answer = Some(answerer(Private(text))),
            None => {
                let why =
                    "the conversation is switched off; satellites.wyoming.conversation = true switches it on";
                self.answered(Err(why.to_owned()));
            }
        }
    }

    fn answered(&mut self, answer: Result<String, String>) {
        match answer {
            Ok(text) => self.send("handled", json!({ "text": text })),
            Err(text) => self.send("not-handled", json!({ "text": text })),
        }
    }

    /// A request begins.
    fn begins(&self) {
        self.server.parts.meter.request();
    }

    fn send(&mut self, kind: &str, data: Value) {
        WireEvent::new(kind, data).write(&mut self.out);
    }

    async fn flush(&mut self) -> Result<(), TalkError> {
        if self.out.is_empty() {
            return Ok(());
        }
        let written = timeout(self.server.parts.times.write, self.stream.write_all(&self.out)).await;
        written.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        self.out.clear();
        Ok(())
    }
}

async fn reply_of(hearing: &mut Option<SatelliteHearing>) -> Option<super::ears::EarReply> {
    match hearing {
        Some(hearing) => hearing.reply().await,
        None => pending().await,
    }
}

async fn answer_of(answer: &mut Option<AnswerFuture>) -> Result<String, String> {
    match answer {
        Some(answer) => answer.await,
        None => pending().await,
    }
}

/// Waits until `then`; for ever without it.
async fn until(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => pending().await,
    }
}
