//! Reads events of the server: a new state, a changed house, a step of its start.
//!
//! Only an item's own change and its group's count. Predictions, commands and raw updates are no states. What can't be
//! read is nothing.
//! Pure: no I/O, no clock.

use serde::Deserialize;

use super::frames::SseFrame;
use crate::backend::ServerEvent;

#[derive(Deserialize)]
struct EventRow {
    topic: String,
    #[serde(default)]
    payload: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct ValueRow {
    #[serde(rename = "type", default)]
    kind: String,
    value: String,
}

#[derive(Deserialize)]
struct StartLevelRow {
    startlevel: u32,
}

/// Reads a frame. None: it can't be read.
pub(super) fn read(frame: &SseFrame) -> Option<ServerEvent> {
    if frame.event == "alive" {
        return Some(ServerEvent::Alive);
    }
    let row: EventRow = serde_json::from_str(&frame.data).ok()?;
    let value = || serde_json::from_str::<ValueRow>(&row.payload).ok();
    let parts: Vec<_> = row.topic.strip_prefix("openhab/")?.split('/').collect();
    Some(match (row.kind.as_str(), parts.as_slice()) {
        ("ItemStateChangedEvent", ["items", item, "statechanged"])
        | ("GroupItemStateChangedEvent", ["items", item, _, "statechanged"]) => {
            let ValueRow { kind, value: text } = value()?;
            if kind == "Raw" {
                return Some(ServerEvent::Other);
            }
            ServerEvent::State { item: (*item).to_owned(), text }
        }
        ("ItemCommandEvent", ["items", item, "command"]) => {
            ServerEvent::Commanded { item: (*item).to_owned(), text: value()?.value }
        }
        ("ItemAddedEvent" | "ItemRemovedEvent" | "ItemUpdatedEvent", _) => ServerEvent::Layout,
        ("StartlevelEvent", _) => {
            ServerEvent::StartLevel(serde_json::from_str::<StartLevelRow>(&row.payload).ok()?.startlevel)
        }
        _ => ServerEvent::Other,
    })
}
