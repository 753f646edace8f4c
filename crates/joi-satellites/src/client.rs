//! Asks a Wyoming server what it serves.
//!
//! One task. In: an address and a time limit. Out: what it offers, counted; or why that is not known. Events that nobody
//! asked for are skipped. What the server calls its models is not shown: it may be anybody.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::wire::{WireError, WireEvent, WireReader};

/// What a server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedPrograms {
    /// Models of speech to text.
    pub hearing: usize,
    /// Voices.
    pub voices: usize,
    /// Wake phrases.
    pub phrases: usize,
    /// Models that answer words.
    pub conversations: usize,
    /// Whether it is a satellite.
    pub is_satellite: bool,
}

/// What a server offers is not known.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// Nothing listens there, or the connection broke: check that the server runs.
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// It did not answer in time: something else may listen there.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Silent(Duration),
    /// It sent something else than the protocol: another program listens there.
    #[error("no Wyoming server: {0}")]
    Foreign(String),
}

impl From<WireError> for DescribeError {
    fn from(error: WireError) -> Self {
        Self::Foreign(error.to_string())
    }
}

impl fmt::Display for ServedPrograms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let parts = [
            count(self.hearing, "model of speech to text", "models of speech to text"),
            count(self.voices, "voice", "voices"),
            count(self.phrases, "wake phrase", "wake phrases"),
            (self.conversations > 0).then(|| "conversation".to_owned()),
            self.is_satellite.then(|| "a satellite".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { f.write_str("nothing") } else { f.write_str(&parts.join(", ")) }
    }
}

/// Asks the server at `address` what it serves.
///
/// # Errors
/// It can't be reached, does not answer within `within`, or is no Wyoming server.
pub async fn describe_wyoming(
    address: SocketAddr,
    within: Duration,
) -> Result<ServedPrograms, DescribeError> {
    timeout(within, describe(address)).await.map_err(|_| DescribeError::Silent(within))?
}

async fn describe(address: SocketAddr) -> Result<ServedPrograms, DescribeError> {
    let mut stream = TcpStream::connect(address).await?;
    let mut question = Vec::new();
    WireEvent::new("describe", json!({})).write(&mut question);
    stream.write_all(&question).await?;
    let (mut reader, mut buffer) = (WireReader::default(), vec![0; 16 * 1024]);
    loop {
        while let Some(event) = reader.next()? {
            if event.kind == "info" {
                return Ok(ServedPrograms::of(&event.data.into()));
            }
        }
        match stream.read(&mut buffer).await? {
            0 => return Err(DescribeError::Foreign("it closed the connection".to_owned())),
            count => reader.push(&buffer[..count]),
        }
    }
}

impl ServedPrograms {
    /// Counts what is installed.
    fn of(info: &Value) -> Self {
        let is_there = |it: &&Value| it["installed"] == true;
        let count = |programs: &str, parts: &str| {
            let programs = info[programs].as_array().into_iter().flatten().filter(is_there);
            programs.flat_map(|it| it[parts].as_array().into_iter().flatten()).filter(is_there).count()
        };
        Self {
            hearing: count("asr", "models"),
            voices: count("tts", "voices"),
            phrases: count("wake", "models"),
            conversations: count("handle", "models") + count("intent", "models"),
            is_satellite: info["satellite"]["installed"] == true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_installed_counts_and_strange_answers_are_nothing() {
        let model = |installed: bool| json!({ "name": "x", "installed": installed });
        let program = |parts: &str, installed| json!([{ "installed": installed, parts: [model(true), model(false), model(true)] }]);
        let info = json!({ "asr": program("models", true), "tts": program("voices", false),
                           "handle": program("models", true), "satellite": model(true) });
        let served = ServedPrograms::of(&info);
        assert_eq!(served.to_string(), "2 models of speech to text, conversation, a satellite");
        for strange in [json!(null), json!({ "asr": 7, "tts": [1, null], "wake": [{ "models": {} }] })] {
            assert_eq!(ServedPrograms::of(&strange).to_string(), "nothing");
        }
    }

    /// Answers one connection with `bytes`.
    async fn answered(bytes: Vec<u8>) -> Result<ServedPrograms, String> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 64]).await.unwrap();
            stream.write_all(&bytes).await.unwrap();
        };
        let (served, ()) = tokio::join!(describe_wyoming(address, Duration::from_secs(60)), serving);
        served.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn events_before_the_answer_are_skipped_and_other_programs_are_known_as_such() {
        let mut bytes = WireEvent::new("pong", json!({ "text": "x".repeat(40_000) })).bytes();
        WireEvent::new("info", json!({ "tts": [] })).write(&mut bytes);
        assert_eq!(answered(bytes).await.map(|served| served.to_string()), Ok("nothing".into()));
        let web = answered(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()).await;
        assert_eq!(web, Err("no Wyoming server: the header line is not a JSON object in UTF-8".into()));
        assert_eq!(answered(Vec::new()).await, Err("no Wyoming server: it closed the connection".into()));
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_break_who_counts_what_a_server_offers(
            info in joi_base::testing::damaged_json(&json!({
                "asr": [{ "installed": true, "models": [{ "installed": true }] }], "satellite": { "installed": true }
            })),
        ) {
            prop_assert!(ServedPrograms::of(&info).hearing <= 2);
        }
    }
}
