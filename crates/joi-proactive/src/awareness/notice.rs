//! Alerts that others send, through an item or over HTTP: JSON or plain text.
//!
//! In: foreign text of any kind. Out: a [`ReceivedNotice`] with a text that can be read aloud, or nothing. It never fails
//! on damaged input, and keeps at most [`MOST_CHARS`] signs. `priority=high` in a plain text makes it urgent. A priority
//! that is not known counts as a normal one: the text is announced all the same.
//! Pure: no I/O, no clock.

use serde::Deserialize;

use super::event::{CriticalId, Happening, HouseEvent};
use jiff::Timestamp;

/// Signs of a text that are announced.
const MOST_CHARS: usize = 200;

/// How urgent its sender thinks it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoticePriority {
    /// It is state only.
    Low,
    /// It is worth a word.
    #[default]
    Normal,
    /// It is announced at once.
    High,
}

impl NoticePriority {
    /// As others write it.
    fn named(name: &str) -> Self {
        match name.trim().to_lowercase().as_str() {
            "high" | "critical" | "urgent" => Self::High,
            "low" => Self::Low,
            _ => Self::Normal,
        }
    }
}

/// An alert as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedNotice {
    /// Its text; may be empty where there is an id.
    pub text: String,
    /// How urgent.
    pub priority: NoticePriority,
    /// Which danger, where it names one.
    pub id: Option<CriticalId>,
}

#[derive(Deserialize)]
struct NoticeJson {
    #[serde(default, alias = "type", alias = "event")]
    id: String,
    #[serde(default, alias = "message")]
    text: String,
    #[serde(default)]
    priority: serde_json::Value,
}

impl ReceivedNotice {
    /// Reads one; nothing for what is empty, unreadable JSON, or says nothing.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.starts_with('{') {
            let NoticeJson { id, text, priority } = serde_json::from_str(text).ok()?;
            let priority = priority.as_str().map(NoticePriority::named).unwrap_or_default();
            let (name, id, text) = (id.trim(), CriticalId::named(id.trim()), speakable(&text));
            // A kind of danger that is not known is announced by its name.
            let is_named_only = id.is_none() && text.is_empty();
            let text = if is_named_only { speakable(&name.replace('_', " ")) } else { text };
            return (id.is_some() || !text.is_empty()).then_some(Self { text, priority, id });
        }
        if let Some(id) = CriticalId::named(text) {
            return Some(Self { text: String::new(), priority: NoticePriority::High, id: Some(id) });
        }
        let mut priority = NoticePriority::Normal;
        let mut words = Vec::new();
        for word in text.split_whitespace() {
            match word.split_once('=').filter(|(key, _)| key.eq_ignore_ascii_case("priority")) {
                Some((_, value)) => priority = NoticePriority::named(value.trim_end_matches([',', ';', '.'])),
                None => words.push(word),
            }
        }
        let text = speakable(&words.join(" "));
        (!text.is_empty()).then_some(Self { text, priority, id: None })
    }

    /// As an event.
    pub fn event(&self, item: &str, at: Timestamp) -> HouseEvent {
        let happening = match (self.id, self.priority) {
            (Some(id), _) => Happening::Critical { id },
            (None, NoticePriority::Low) => Happening::Other { kind: "notice".to_owned() },
            (None, priority) => {
                Happening::Notice { text: self.text.clone(), is_high: priority == NoticePriority::High }
            }
        };
        HouseEvent { happening, what: self.text.clone(), item: item.to_owned(), at }
    }
}

/// One line without signs that steer, not too long, without its full stop.
fn speakable(text: &str) -> String {
    let kept = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign });
    let line: String = kept.take(4 * MOST_CHARS).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MOST_CHARS).collect();
    short.trim_end_matches(['.', ' ']).to_owned()
}
