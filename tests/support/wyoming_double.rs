//! A Wyoming satellite as people own them, over TCP: it describes itself, runs when it is told to, sends its microphone in
//! real time, plays what it gets and says when it has sounded. What is said in front of it is up to the test.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::program::FOR_EVER;
use super::speech::pause;

/// Samples of a chunk of sound.
const CHUNK: usize = 1_024;
/// Its length.
const CHUNK_TIME: Duration = Duration::from_millis(64);

/// A satellite that waits for a connection.
pub(crate) struct SatelliteDouble {
    listener: TcpListener,
}

/// An event that came.
#[derive(Debug, Clone)]
pub(crate) struct Came {
    pub(crate) kind: String,
    pub(crate) data: Value,
    /// Bytes of its payload.
    pub(crate) bytes: usize,
    pub(crate) at: Instant,
}

/// What the threads of a connection share.
struct Shared {
    writer: Mutex<TcpStream>,
    /// What is about to be said in front of it.
    said: Mutex<VecDeque<f32>>,
    /// Its microphone is being sent.
    streams: Mutex<bool>,
    /// It has called, and waits for the words.
    called: Mutex<Option<()>>,
}

/// A connection on which it runs.
pub(crate) struct RunningDouble {
    shared: Arc<Shared>,
    came: Receiver<Came>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SatelliteDouble {
    pub(crate) fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    pub(crate) fn address(&self) -> String {
        self.listener.local_addr().unwrap().to_string()
    }

    /// Waits for a connection that makes it run.
    pub(crate) fn running(&self) -> RunningDouble {
        let (stream, _) = self.listener.accept().unwrap();
        let reader = stream.try_clone().unwrap();
        let shared = Arc::new(Shared {
            writer: Mutex::new(stream),
            said: Mutex::default(),
            streams: Mutex::new(false),
            called: Mutex::default(),
        });
        let (sender, came) = channel();
        let of = Arc::clone(&shared);
        std::thread::spawn(move || read(reader, &of, &sender));
        let of = Arc::clone(&shared);
        std::thread::spawn(move || stream_microphone(&of));
        let running = RunningDouble { shared, came };
        running.until("run-satellite");
        running
    }
}

impl RunningDouble {
    pub(crate) fn send(&self, kind: &str, data: &Value) {
        send(&self.shared, kind, data, &[]);
    }

    /// Has heard its own wake phrase: sends its microphone until it gets a transcript.
    pub(crate) fn calls(&self) {
        *locked(&self.shared.called) = Some(());
        self.send("detection", &json!({ "name": "hey_jarvis" }));
        self.send(
            "run-pipeline",
            &json!({ "start_stage": "asr", "end_stage": "tts", "restart_on_end": false }),
        );
        *locked(&self.shared.streams) = true;
    }

    /// Sends its microphone from here on.
    pub(crate) fn streams(&self) {
        self.send(
            "run-pipeline",
            &json!({ "start_stage": "wake", "end_stage": "tts", "restart_on_end": true }),
        );
        *locked(&self.shared.streams) = true;
    }

    /// Somebody says this in front of it.
    pub(crate) fn hears(&self, samples: &[f32]) {
        locked(&self.shared.said).extend(samples);
    }

    /// The next event of `kind`; those before it are skipped, and their sound is counted, in bytes.
    #[track_caller]
    pub(crate) fn until(&self, kind: &str) -> (Came, usize) {
        let mut sound = 0;
        loop {
            let came = self.came.recv_timeout(FOR_EVER).unwrap_or_else(|error| panic!("{kind}: {error}"));
            if came.kind == kind {
                return (came, sound);
            }
            sound += came.bytes;
        }
    }

    /// Whatever came by now.
    pub(crate) fn so_far(&self) -> Vec<Came> {
        self.came.try_iter().collect()
    }

    /// The power goes.
    pub(crate) fn cut(self) {
        // It may be gone already.
        let _ = locked(&self.shared.writer).shutdown(std::net::Shutdown::Both);
    }
}

fn send(shared: &Shared, kind: &str, data: &Value, payload: &[u8]) {
    let data = data.to_string();
    let header = json!({ "type": kind, "data_length": data.len(), "payload_length": payload.len() });
    let bytes = [format!("{header}\n{data}").as_bytes(), payload].concat();
    // The other end may be gone.
    let _ = locked(&shared.writer).write_all(&bytes);
}

/// Reads events to the end, and answers those that every satellite answers.
fn read(mut stream: TcpStream, shared: &Shared, came: &Sender<Came>) -> Option<()> {
    loop {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            let mut byte = [0];
            stream.read_exact(&mut byte).ok()?;
            line.push(byte[0]);
        }
        let header: Value = serde_json::from_slice(&line).unwrap();
        let length = |key: &str| header[key].as_u64().unwrap_or_default() as usize;
        let mut data = vec![0; length("data_length")];
        stream.read_exact(&mut data).ok()?;
        let mut payload = vec![0; length("payload_length")];
        stream.read_exact(&mut payload).ok()?;
        let data = if data.is_empty() { json!({}) } else { serde_json::from_slice(&data).unwrap() };
        let kind = header["type"].as_str().unwrap().to_owned();
        match kind.as_str() {
            "describe" => send(shared, "info", &info(), &[]),
            "ping" => send(shared, "pong", &json!({ "text": null }), &[]),
            // Its own wake phrase is waited for again.
            "transcript" if locked(&shared.called).take().is_some() => *locked(&shared.streams) = false,
            "audio-stop" => send(shared, "played", &json!({}), &[]),
            _ => {}
        }
        let bytes = payload.len();
        came.send(Came { kind, data, bytes, at: Instant::now() }).ok()?;
    }
}

/// Sends what is said, or a quiet room, in real time, until nobody else knows of the connection.
fn stream_microphone(shared: &Arc<Shared>) {
    let quiet = pause(CHUNK as f64 / f64::from(joi_audio::RATE));
    let mut next = Instant::now();
    while Arc::strong_count(shared) > 1 {
        let chunk: Vec<f32> = {
            let mut said = locked(&shared.said);
            let count = CHUNK.min(said.len());
            said.drain(..count).chain(quiet.iter().copied().skip(count)).collect()
        };
        if *locked(&shared.streams) {
            let sample = |it: &f32| ((it * 32_767.0) as i16).to_le_bytes();
            let pcm: Vec<u8> = chunk.iter().flat_map(sample).collect();
            send(shared, "audio-chunk", &json!({ "rate": 16_000, "width": 2, "channels": 1 }), &pcm);
        }
        next += CHUNK_TIME;
        std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
    }
}

fn info() -> Value {
    let attribution = json!({ "name": "a double", "url": "" });
    let satellite = json!({
        "name": "Double", "attribution": attribution, "installed": true, "description": null, "version": null,
        "area": null, "has_vad": false, "active_wake_words": [], "max_active_wake_words": 1, "supports_trigger": false,
    });
    json!({ "asr": [], "tts": [], "wake": [], "handle": [], "intent": [], "mic": [], "snd": [], "satellite": satellite })
}
