//! A double of the signal-cli daemon for the program as it is started: a unix socket, one JSON value per line.
//!
//! Threads of its own. It answers every request, keeps every message that it was asked to send from the moment its line is
//! read, and tells each of them on a channel.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The owner that the double's account answers to.
pub(crate) const OWNER: &str = "5e7f0000-1111-4222-8333-444455556666";

/// What the phone scans to link a device.
pub(crate) const LINK: &str =
    "sgnl://linkdevice?uuid=aaaaaaaaaaaaaaaaaaaaaa&pub_key=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// What the double sees of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The request is read and not answered yet.
    Asked,
    /// It is answered.
    Answered,
}

/// A running double; its threads end with the tests.
pub(crate) struct SignalDouble {
    path: PathBuf,
    shared: Arc<Mutex<DoubleState>>,
    /// What happens to messages, in order.
    pub(crate) seen: Receiver<Seen>,
}

#[derive(Default)]
struct DoubleState {
    sent: Vec<(i64, String)>,
    clients: Vec<UnixStream>,
    attachment: String,
}

impl SignalDouble {
    /// Listens in `folder`.
    pub(crate) fn start(folder: &Path) -> Self {
        let path = folder.join("signal.sock");
        let listener = UnixListener::bind(&path).expect("a socket");
        let shared: Arc<Mutex<DoubleState>> = Arc::default();
        let (tell, seen) = channel();
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, tell) = (Arc::clone(&serving), tell.clone());
                shared.lock().expect("no panic").clients.push(stream.try_clone().expect("a stream"));
                thread::spawn(move || serve(stream, &shared, &tell));
            }
        });
        Self { path, shared, seen }
    }

    /// Settings of the program for this daemon.
    pub(crate) fn settings(&self) -> [String; 2] {
        [format!("signal.daemon=unix:{}", self.path.display()), format!("signal.owner={OWNER}")]
    }

    /// The texts of all messages so far, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.shared.lock().expect("no panic").sent.iter().map(|(_, text)| text.clone()).collect()
    }

    /// The name of the first message that holds `text`.
    pub(crate) fn stamp_of(&self, text: &str) -> Option<i64> {
        let shared = self.shared.lock().expect("no panic");
        shared.sent.iter().find(|(_, sent)| sent.contains(text)).map(|(stamp, _)| *stamp)
    }

    /// What attachments hold from now on.
    pub(crate) fn attach(&self, bytes: &[u8]) {
        self.shared.lock().expect("no panic").attachment = STANDARD.encode(bytes);
    }

    /// The owner writes, or puts a sign to a message: the keys of a `dataMessage`.
    /// To how many programs.
    pub(crate) fn owner_sends(&self, data: &Value) -> usize {
        let now = jiff::Timestamp::now().as_millisecond();
        let mut data = data.clone();
        data["timestamp"] = json!(now);
        let params = json!({ "account": "+491701", "envelope": {
            "source": null, "sourceNumber": null, "sourceUuid": OWNER, "sourceName": "Anna", "sourceDevice": 1,
            "timestamp": now, "serverReceivedTimestamp": now, "serverDeliveredTimestamp": now, "dataMessage": data } });
        let line = json!({ "jsonrpc": "2.0", "method": "receive", "params": params }).to_string() + "\n";
        // Connections of programs that have ended are closed.
        let clients = &mut self.shared.lock().expect("no panic").clients;
        clients.retain_mut(|client| client.write_all(line.as_bytes()).is_ok());
        clients.len()
    }
}

fn serve(stream: UnixStream, shared: &Mutex<DoubleState>, tell: &Sender<Seen>) {
    let mut writer = stream.try_clone().expect("a stream");
    for line in BufReader::new(stream).lines() {
        // A program that is killed leaves half a line.
        let Ok(Ok(request)) = line.map(|line| serde_json::from_str::<Value>(&line)) else { return };
        let result = match request["method"].as_str() {
            Some("version") => json!({ "version": "0.14.6" }),
            Some("send") => {
                let text = request["params"]["message"].as_str().unwrap_or_default().to_owned();
                let mut shared = shared.lock().expect("no panic");
                let stamp = 1_763_719_200_000 + shared.sent.len() as i64;
                shared.sent.push((stamp, text));
                // Whoever listens may be gone.
                let _ = tell.send(Seen::Asked);
                json!({ "timestamp": stamp, "results": [{ "type": "SUCCESS" }] })
            }
            Some("listAccounts") => json!([{ "number": "+491701" }]),
            Some("startLink") => json!({ "deviceLinkUri": LINK }),
            Some("finishLink") if request["params"]["deviceLinkUri"] == LINK => {
                json!({ "number": "+491701" })
            }
            Some("getAttachment") => json!({ "data": shared.lock().expect("no panic").attachment }),
            _ => json!({}),
        };
        let is_send = request["method"] == "send";
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string() + "\n";
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
        if is_send {
            let _ = tell.send(Seen::Answered);
        }
    }
}
