//! Defines the protocol of the control socket: requests and answers, one JSON line each.
//!
//! `docs/user/control.md` describes them byte by byte. An invalid request is answered by one line with the reason.
//! Pure: no I/O, no clock.

use joi_mcp::serve::{CallAnswer, ServedList};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::status::{StateEvent, Status};
use joi_autonomy::agent::lines::{AgentRest, AgentRow};
use joi_autonomy::agent::news::AgentEvent;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum ControlRequest {
    /// The present state, then every change of it, until the connection ends.
    Events,
    /// The full status.
    Status,
    /// Mute the microphone.
    Mute,
    /// Unmute the microphone.
    Unmute,
    /// Toggle the mute switch.
    Toggle,
    /// Listen now, without the wake phrase.
    Listen,
    /// Timers were changed: read them again.
    Timers,
    /// Try the alarm.
    Alarm,
    /// All alarms were heard.
    Acknowledge,
    /// Servers of tools were changed: read them again.
    Servers,
    /// A link that signs a browser in to the page; with `out` all browsers are signed out in its place.
    Page {
        /// Sign all browsers out.
        #[serde(default)]
        out: bool,
    },
    /// What other programs may call.
    Tools,
    /// Call one of these tools for another program; closing the connection cancels the call.
    Call {
        /// Its name.
        tool: String,
        /// Its arguments.
        #[serde(default)]
        arguments: Map<String, Value>,
    },
    /// What the agents do.
    Agents,
    /// Talk with an agent; closing the connection does not end its answer.
    Say {
        /// Its name.
        agent: String,
        /// The words.
        text: String,
    },
    /// Decide about a call of an agent that waits for a yes.
    Decide {
        /// Its name.
        agent: String,
        /// The number of the call.
        approval: u32,
        /// A yes.
        yes: bool,
    },
    /// Have an agent rest until it is resumed, or go on.
    Rest {
        /// The agent.
        agent: String,
        /// `pause` or `resume`.
        rest: AgentRest,
    },
    /// Every event of the agents from now on, until the connection ends.
    Follow {
        /// Whether the words of the events are sent as well, not only names and numbers.
        #[serde(default)]
        words: bool,
    },
}

impl ControlRequest {
    /// Returns whether it is about the agents.
    pub(super) fn is_about_agents(&self) -> bool {
        matches!(
            self,
            Self::Agents | Self::Say { .. } | Self::Decide { .. } | Self::Rest { .. } | Self::Follow { .. }
        )
    }

    /// Returns whether it must work however many connections are open: it silences, or shows what goes on.
    pub(super) fn is_urgent(&self) -> bool {
        match self {
            Self::Status | Self::Mute | Self::Unmute | Self::Toggle | Self::Timers | Self::Acknowledge => {
                true
            }
            Self::Events
            | Self::Listen
            | Self::Alarm
            | Self::Servers
            | Self::Page { .. }
            | Self::Tools
            | Self::Call { .. }
            | Self::Agents
            | Self::Say { .. }
            | Self::Decide { .. }
            | Self::Rest { .. }
            | Self::Follow { .. } => false,
        }
    }
}

/// The names of [`ControlRequest`], for error messages.
const NAMES: [&str; 18] = [
    "events",
    "status",
    "mute",
    "unmute",
    "toggle",
    "listen",
    "timers",
    "alarm",
    "acknowledge",
    "servers",
    "page",
    "tools",
    "call",
    "agents",
    "say",
    "decide",
    "rest",
    "follow",
];

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ControlAnswer {
    /// A state event.
    State(ControlEvent),
    /// An event of an agent.
    AgentEvent(AgentEvent),
    /// What the agents do.
    Agents {
        /// Each of them.
        agents: Vec<AgentRow>,
    },
    /// What an agent answered.
    Said {
        /// The words.
        said: String,
    },
    /// A call of an agent was decided about.
    Decided {
        /// Always true.
        decided: bool,
    },
    /// An agent rests, or goes on.
    Rested {
        /// Whether it rests.
        rested: bool,
    },
    /// Events of agents follow.
    Following {
        /// Always true.
        following: bool,
    },
    /// The full status.
    Status(Box<Status>),
    /// The position of the mute switch.
    Muted {
        /// Whether the microphone is muted.
        muted: bool,
        /// Why the position may not hold over a restart; one sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
    },
    /// Listening was requested.
    Listening {
        /// Always true.
        listening: bool,
    },
    /// The timers are being read again.
    Timers {
        /// Always true.
        timers: bool,
    },
    /// The servers of tools were read again.
    Servers {
        /// Always true.
        servers: bool,
    },
    /// A browser can sign in.
    PageLink {
        /// The address to open; it works once, within ten minutes.
        link: String,
    },
    /// Browsers were signed out.
    SignedOut {
        /// How many.
        signed_out: usize,
    },
    /// The request about alarms was taken.
    Alarm {
        /// Always true.
        alarm: bool,
        /// Number of acknowledged alarms, where that was asked and is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<usize>,
    },
    /// What other programs may call.
    Tools {
        /// The tools, and those that are off.
        served: ServedList,
    },
    /// What came of a call.
    Called {
        /// The outcome.
        called: CallAnswer,
    },
    /// Why the request was not executed; one sentence.
    Error {
        /// The sentence.
        error: String,
    },
}

/// An event, marked by its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum ControlEvent {
    /// The state has changed, or is sent for the first time.
    State(StateEvent),
}

impl ControlAnswer {
    /// An error answer.
    pub fn error(why: impl ToString) -> Self {
        Self::Error { error: why.to_string() }
    }

    /// Returns the answer as a line, its end included.
    pub fn line(&self) -> String {
        match serde_json::to_string(self) {
            Ok(text) => text + "\n",
            Err(error) => format!("{{\"error\":\"the answer can't be written: {error:?}\"}}\n"),
        }
    }
}

/// Reads one request.
/// # Errors
/// The answer to an invalid line.
pub fn read(line: &[u8]) -> Result<ControlRequest, ControlAnswer> {
    let value: serde_json::Value = serde_json::from_slice(line).map_err(|_| {
        ControlAnswer::error("a request is one JSON object in one line, for example {\"do\":\"status\"}")
    })?;
    let wanted = value["do"].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(value).map_err(|_| match wanted.as_str() {
        "call" => ControlAnswer::error("a call names a \"tool\", and its \"arguments\" as an object"),
        "say" => ControlAnswer::error("say names an \"agent\" and a \"text\""),
        "decide" => ControlAnswer::error(
            "decide names an \"agent\", an \"approval\" by number, and \"yes\": true or false",
        ),
        "follow" => ControlAnswer::error("follow takes \"words\": true or false"),
        _ => ControlAnswer::error(format!("\"do\" is one of {}", NAMES.join(", "))),
    })
}

#[cfg(test)]
mod tests {
    use super::super::status::ShownState;
    use super::*;
    use joi_base::message::Activity;

    #[test]
    fn every_request_is_read_and_anything_else_is_explained() {
        let asks = [
            ControlRequest::Events,
            ControlRequest::Status,
            ControlRequest::Mute,
            ControlRequest::Unmute,
            ControlRequest::Toggle,
            ControlRequest::Listen,
            ControlRequest::Timers,
            ControlRequest::Alarm,
            ControlRequest::Acknowledge,
            ControlRequest::Servers,
            ControlRequest::Page { out: false },
            ControlRequest::Tools,
        ];
        for (name, ask) in NAMES.into_iter().zip(asks) {
            assert_eq!(read(format!("{{\"do\":\"{name}\"}}").as_bytes()), Ok(ask));
        }
        let call = ControlRequest::Call { tool: "status".into(), arguments: Map::new() };
        assert_eq!(read(br#"{"do":"call","tool":"status"}"#), Ok(call));
        for half in [r#"{"do":"call"}"#, r#"{"do":"call","tool":"say","arguments":[]}"#] {
            let Err(ControlAnswer::Error { error }) = read(half.as_bytes()) else { panic!("{half}") };
            assert!(error.starts_with("a call names a \"tool\""), "{error}");
        }
        for (line, ask) in [
            (r#"{"do":"agents"}"#, ControlRequest::Agents),
            (r#"{"do":"follow"}"#, ControlRequest::Follow { words: false }),
            (
                r#"{"do":"say","agent":"a","text":"b"}"#,
                ControlRequest::Say { agent: "a".into(), text: "b".into() },
            ),
            (
                r#"{"do":"decide","agent":"a","approval":3,"yes":false}"#,
                ControlRequest::Decide { agent: "a".into(), approval: 3, yes: false },
            ),
        ] {
            assert_eq!(read(line.as_bytes()), Ok(ask), "{line}");
        }
        for half in [r#"{"do":"say"}"#, r#"{"do":"decide","agent":"a"}"#, r#"{"do":"follow","words":3}"#] {
            let Err(ControlAnswer::Error { error }) = read(half.as_bytes()) else { panic!("{half}") };
            assert!(!error.contains("is one of"), "{error}");
        }
        for nonsense in ["", "mute", "[1,2", "{\"do\":\"status\"", "\u{0}", "\"mute\" {}"] {
            let Err(ControlAnswer::Error { error }) = read(nonsense.as_bytes()) else { panic!("{nonsense}") };
            assert!(error.contains("one JSON object"), "{error}");
        }
        for unknown in ["{}", "{\"do\":\"sing\"}", "{\"do\":7}", "[]", "\"mute\"", "7"] {
            let Err(ControlAnswer::Error { error }) = read(unknown.as_bytes()) else { panic!("{unknown}") };
            assert_eq!(
                error,
                "\"do\" is one of events, status, mute, unmute, toggle, listen, timers, alarm, acknowledge, servers, page, tools, call, agents, say, decide, rest, follow"
            );
        }
        assert!(read(&[0xff, 0xfe, b'\n']).is_err());
    }

    #[test]
    fn answers_are_written_as_documented() {
        let state = StateEvent {
            state: Activity::Error.into(),
            at: "2026-03-01T12:00:00.5Z".into(),
            note: Some("no microphone".into()),
        };
        let quiet = StateEvent { state: Activity::Idle.into(), note: None, ..state.clone() };
        let starting = StateEvent { state: ShownState::Starting, ..quiet.clone() };
        let lines = [
            (
                ControlAnswer::State(ControlEvent::State(starting)),
                r#"{"event":"state","state":"starting","at":"2026-03-01T12:00:00.5Z"}"#,
            ),
            (
                ControlAnswer::State(ControlEvent::State(state)),
                r#"{"event":"state","state":"error","at":"2026-03-01T12:00:00.5Z","note":"no microphone"}"#,
            ),
            (
                ControlAnswer::State(ControlEvent::State(quiet)),
                r#"{"event":"state","state":"idle","at":"2026-03-01T12:00:00.5Z"}"#,
            ),
            (ControlAnswer::Muted { muted: true, warning: None }, r#"{"muted":true}"#),
            (ControlAnswer::Listening { listening: true }, r#"{"listening":true}"#),
            (ControlAnswer::Alarm { alarm: true, heard: None }, r#"{"alarm":true}"#),
            (ControlAnswer::Alarm { alarm: true, heard: Some(2) }, r#"{"alarm":true,"heard":2}"#),
            (ControlAnswer::error("why \"not\""), r#"{"error":"why \"not\""}"#),
        ];
        let documentation = include_str!("../../docs/user/control.md");
        for (answer, line) in lines {
            assert_eq!(answer.line(), format!("{line}\n"));
            assert_eq!(serde_json::from_str::<ControlAnswer>(line).ok(), Some(answer));
        }
        for promised in [
            r#"{"muted":true}"#,
            r#"{"listening":true}"#,
            r#"{"alarm":true,"heard":2}"#,
            "\"do\" is one of events",
            "| `starting` |",
            "\"ready\": true",
            "joi status --wait",
        ] {
            assert!(documentation.replace('\\', "").contains(promised), "{promised}");
        }
    }

    proptest::proptest! {
        #[test]
        fn foreign_bytes_never_break_the_reader_of_requests(
            line in joi_base::testing::damaged(br#"{"do":"mute","events":["state"],"text":"\u00e4"}"#),
        ) {
            let _ = read(&line);
        }
    }
}
