//! PURE. The house in at most 300 signs, for the prompt.
//!
//! In: the context state. Out: one line: who is at home, rooms out of their range, what is open, the weather, what is
//! being talked about. What does not fit is left out from the end, whole parts only.

use super::config::AwarenessConfig;
use super::state::{ContextState, HomePresence};

/// Most signs of a summary.
pub const SUMMARY_CHARS: usize = 300;
/// Things of a kind that are named.
const NAMED: usize = 4;

/// The summary; empty where nothing is known.
pub fn home_summary(state: &ContextState, rules: &AwarenessConfig, topic: Option<&str>) -> String {
    let mut parts = Vec::new();
    match state.presence {
        HomePresence::Home { .. } => parts.push("somebody is home".to_owned()),
        HomePresence::Away { .. } => parts.push("nobody is home".to_owned()),
        HomePresence::Unknown => {}
    }
    let dangers: Vec<&str> = state.dangers().take(NAMED).collect();
    if !dangers.is_empty() {
        parts.push(format!("alarm: {}", dangers.join(", ")));
    }
    let rooms = state.uncomfortable(rules);
    let rooms: Vec<String> =
        rooms.iter().take(NAMED).map(|(what, celsius)| format!("{what} {celsius:.0} °C")).collect();
    if !rooms.is_empty() {
        parts.push(rooms.join(", "));
    }
    let open: Vec<&str> = state.open_doors().take(NAMED).collect();
    if !open.is_empty() {
        parts.push(format!("open: {}", open.join(", ")));
    }
    parts.extend(weather.map(|weather| format!("weather: {weather}")));
    parts.extend(topic.map(|topic| format!("just mentioned: {topic}")));
    let mut line = String::new();
    for part in parts {
        let joint = if line.is_empty() { "" } else { "; " };
        if line.chars().count() + joint.len() + part.chars().count() <= SUMMARY_CHARS {
            line.push_str(joint);
            line.push_str(&part);
        }
    }
    line
}
