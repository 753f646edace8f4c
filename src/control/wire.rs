//! PURE. The lines of the control socket: what may be asked, and how answers look.
//!
//! `docs/control.md` describes them byte by byte. A request that can't be read is answered by one line
//! that says why.

use serde::{Deserialize, Serialize};

use super::status::{StateEvent, Status};

/// What may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Ask {
    /// The present state, then every change of it, until the connection ends.
    Events,
    /// How everything is.
    Status,
    /// Switch the microphone off.
    Mute,
    /// Switch it on.
    Unmute,
    /// Switch it to the other position.
    Toggle,
    /// Listen now, without the wake phrase.
    Listen,
    /// Timers were changed: look again.
    Timers,
}

/// The names of [`Ask`], for people.
const NAMES: [&str; 7] = ["events", "status", "mute", "unmute", "toggle", "listen", "timers"];

/// What is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// A state event.
    State(Event),
    /// How everything is.
    Status(Box<Status>),
    /// Where the switch is now.
    Muted {
        /// Whether the microphone is switched off.
        muted: bool,
        /// Why the position may not hold over a restart; one sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
    },
    /// She was asked to listen.
    Listening {
        /// Always true.
        listening: bool,
    },
    /// The timers are looked at.
    Timers {
        /// Always true.
        timers: bool,
    },
    /// Why nothing was done; one sentence.
    Error {
        /// The sentence.
        error: String,
    },
}

/// An event, marked by its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The state has changed, or is told for the first time.
    State(StateEvent),
}

impl Answer {
    /// An answer that says why nothing was done.
    pub fn error(why: impl ToString) -> Self {
        Self::Error { error: why.to_string() }
    }

    /// The answer as a line, its end included.
    pub fn line(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text + "\n",
            Err(error) => format!("{{\"error\":\"the answer can't be written: {error:?}\"}}\n"),
        }
    }
}

/// Reads one request.
///
/// # Errors
/// The answer to a line that is none.
pub fn read(line: &[u8]) -> Result<Ask, Answer> {
    let value: serde_json::Value = serde_json::from_slice(line).map_err(|_| {
        Answer::error("a request is one JSON object in one line, for example {\"do\":\"status\"}")
    })?;
    serde_json::from_value(value).map_err(|_| Answer::error(format!("\"do\" is one of {}", NAMES.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Activity;

    #[test]
    fn every_request_is_read_and_anything_else_is_explained() {
        let asks = [Ask::Events, Ask::Status, Ask::Mute, Ask::Unmute, Ask::Toggle, Ask::Listen, Ask::Timers];
        for (name, ask) in NAMES.into_iter().zip(asks) {
            assert_eq!(read(format!("{{\"do\":\"{name}\"}}").as_bytes()), Ok(ask));
        }
        for nonsense in ["", "mute", "[1,2", "{\"do\":\"status\"", "\u{0}", "\"mute\" {}"] {
            let Err(Answer::Error { error }) = read(nonsense.as_bytes()) else { panic!("{nonsense}") };
            assert!(error.contains("one JSON object"), "{error}");
        }
        for unknown in ["{}", "{\"do\":\"sing\"}", "{\"do\":7}", "[]", "\"mute\"", "7"] {
            let Err(Answer::Error { error }) = read(unknown.as_bytes()) else { panic!("{unknown}") };
            assert_eq!(error, "\"do\" is one of events, status, mute, unmute, toggle, listen, timers");
        }
        assert!(read(&[0xff, 0xfe, b'\n']).is_err());
    }

    #[test]
    fn answers_are_written_as_documented() {
        let state = StateEvent {
            state: Activity::Error,
            at: "2026-03-01T12:00:00.5Z".into(),
            note: Some("no microphone".into()),
        };
        let quiet = StateEvent { state: Activity::Idle, note: None, ..state.clone() };
        let lines = [
            (
                Answer::State(Event::State(state)),
                r#"{"event":"state","state":"error","at":"2026-03-01T12:00:00.5Z","note":"no microphone"}"#,
            ),
            (
                Answer::State(Event::State(quiet)),
                r#"{"event":"state","state":"idle","at":"2026-03-01T12:00:00.5Z"}"#,
            ),
            (Answer::Muted { muted: true, warning: None }, r#"{"muted":true}"#),
            (Answer::Listening { listening: true }, r#"{"listening":true}"#),
            (Answer::error("why \"not\""), r#"{"error":"why \"not\""}"#),
        ];
        let documentation = include_str!("../../docs/control.md");
        for (answer, line) in lines {
            assert_eq!(answer.line(), format!("{line}\n"));
            assert_eq!(serde_json::from_str::<Answer>(line).ok(), Some(answer));
        }
        for promised in [r#"{"muted":true}"#, r#"{"listening":true}"#, "\"do\" is one of events"] {
            assert!(documentation.replace('\\', "").contains(promised), "{promised}");
        }
    }
}
