//! `[agents.NAME.sensors.NAME]`: where readings come from, which fields they update, and what is worth a notification.
//!
//! In: a table as it is written. Out: a sensor that can be used, or one problem that says why it can't.
//! Pure: no I/O, no clock.

use std::collections::BTreeMap;

use joi_base::problem::Problem;
use joi_language::values::WatchTest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entry::unusable_name;

/// The keys that name a source, of which a sensor has exactly one.
const SOURCES: &str = "tool, url, path, sse, websocket, house";

/// One sensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SensorEntry {
    /// Tool that is called at an interval, also one of a server of tools.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Address that is read at an interval.
    pub url: String,
    /// File or folder whose changes are watched.
    pub path: String,
    /// Address of a stream of server-sent events.
    pub sse: String,
    /// Address of a WebSocket: ws:// or wss://.
    pub websocket: String,
    /// Item of the house whose states are followed.
    pub house: String,
    /// JSON pointer of the value in what comes; "": all of it.
    pub pointer: String,
    /// Time between two readings of a tool or address, and first pause after a failure, in seconds, 1 to 86400.
    pub interval_s: u32,
    /// Fields that a reading is written to.
    pub updates: Vec<String>,
    /// Whether what comes are words of yours. Otherwise it may be anybody's, and the agent changes nothing without a yes
    /// while it is in its state.
    pub trusted: bool,
    /// Conditions that are worth a notification, by name.
    pub signals: BTreeMap<String, SignalEntry>,
}

impl Default for SensorEntry {
    fn default() -> Self {
        let [tool, url, path, sse, websocket, house, pointer] = std::array::from_fn(|_| String::new());
        let (arguments, updates, trusted, signals) = Default::default();
        Self {
            tool,
            arguments,
            url,
            path,
            sse,
            websocket,
            house,
            pointer,
            interval_s: 60,
            updates,
            trusted,
            signals,
        }
    }
}

/// A notification: when a reading is worth one, and its words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignalEntry {
    /// What has to become true of an item of the house, as watches have it: "open", "on", "done", or
    /// { below = { value = 5, unit = "°C" } }. No model is asked then.
    pub is: Option<WatchTest>,
    /// What a model is asked about a reading, to be answered with a number from 0 to 1; "": every changed reading is 1.
    pub prompt: String,
    /// Model that is asked; "": the one that answers.
    pub model: String,
    /// Score above which it fires, 0 to 1.
    pub threshold: f64,
    /// The words of the notification; "": the reading itself.
    pub notify: String,
    /// Shortest time between two of them, in seconds, 0 to 86400.
    pub cooldown_s: u32,
    /// Whether a reading that does not fire is not written either.
    pub gates_write: bool,
}

impl Default for SignalEntry {
    fn default() -> Self {
        let (is, prompt, model, notify, gates_write) = Default::default();
        Self { is, prompt, model, threshold: 0.5, notify, cooldown_s: 0, gates_write }
    }
}

/// Where the readings of a sensor come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensorSource<'a> {
    /// A tool, called at an interval.
    Tool(&'a str),
    /// An address, read at an interval.
    Url(&'a str),
    /// A file or folder.
    Path(&'a str),
    /// A stream of server-sent events.
    Sse(&'a str),
    /// A WebSocket.
    WebSocket(&'a str),
    /// An item of the house.
    House(&'a str),
}

impl SensorEntry {
    /// Reads the table of `key`.
    ///
    /// # Errors
    /// The first thing about it that can't be used.
    pub fn read(key: &str, table: &toml::Table) -> Result<Self, Box<Problem>> {
        let read: Result<Self, _> = table.clone().try_into();
        let sensor = read.map_err(|error| {
            let why = error.message().trim().to_owned();
            Box::new(
                Problem::new(key, "as written", why)
                    .remedy("docs/user/agents.md lists the keys of a sensor."),
            )
        })?;
        match sensor.check(key).into_iter().next() {
            Some(problem) => Err(Box::new(problem)),
            None => Ok(sensor),
        }
    }

    /// Returns where its readings come from; nothing where none or several are named.
    pub fn source(&self) -> Option<SensorSource<'_>> {
        let mut named = self.sources();
        named.next().filter(|_| named.next().is_none())
    }

    fn sources(&self) -> impl Iterator<Item = SensorSource<'_>> {
        let named = |name: &String| !name.trim().is_empty();
        let all = [
            named(&self.tool).then(|| SensorSource::Tool(self.tool.trim())),
            named(&self.url).then(|| SensorSource::Url(self.url.trim())),
            named(&self.path).then(|| SensorSource::Path(self.path.trim())),
            named(&self.sse).then(|| SensorSource::Sse(self.sse.trim())),
            named(&self.websocket).then(|| SensorSource::WebSocket(self.websocket.trim())),
            named(&self.house).then(|| SensorSource::House(self.house.trim())),
        ];
        all.into_iter().flatten()
    }

    fn check(&self, key: &str) -> Vec<Problem> {
        let interval = f64::from(self.interval_s);
        let mut problems: Vec<Problem> =
            Problem::outside(&format!("{key}.interval_s"), interval, 1.0..=86_400.0, "s")
                .into_iter()
                .collect();
        let Some(source) = self.source() else {
            let named = self.sources().count();
            let problem = Problem::new(
                key,
                format!("a sensor with {named} sources"),
                format!("exactly one of {SOURCES}"),
            );
            problems.push(problem.remedy("Write one of them, and a sensor of its own for each other one."));
            return problems;
        };
        let address = match source {
            SensorSource::Url(url) => Some(("url", url, ["http://", "https://"])),
            SensorSource::Sse(url) => Some(("sse", url, ["http://", "https://"])),
            SensorSource::WebSocket(url) => Some(("websocket", url, ["ws://", "wss://"])),
            SensorSource::Tool(_) | SensorSource::Path(_) | SensorSource::House(_) => None,
        };
        problems.extend(
            address.filter(|(_, url, begins)| !begins.iter().any(|begin| url.starts_with(begin))).map(
                |(name, url, [plain, secure])| {
                    Problem::new(
                        format!("{key}.{name}"),
                        format!("\"{url}\""),
                        format!("an address that begins with {plain} or {secure}"),
                    )
                },
            ),
        );
        if let SensorSource::Path(path) = source
            && !path.starts_with('/')
        {
            problems.push(Problem::new(
                format!("{key}.path"),
                format!("\"{path}\""),
                "a whole path, from / on",
            ));
        }
        if !self.pointer.is_empty() && !self.pointer.starts_with('/') {
            let pointer = format!("\"{}\"", self.pointer);
            problems.push(Problem::new(
                format!("{key}.pointer"),
                pointer,
                "a JSON pointer such as \"/temperature\"",
            ));
        }
        if self.updates.is_empty() && self.signals.is_empty() {
            let problem = Problem::new(
                format!("{key}.updates"),
                "[]",
                "at least one field, where there are no signals",
            );
            problems.push(problem.remedy("Name the fields that it updates."));
        }
        for (name, signal) in &self.signals {
            problems.extend(unusable_name(&format!("{key}.signals"), name));
            problems.extend(signal.check(&format!("{key}.signals.{name}"), source));
        }
        problems
    }
}

impl SignalEntry {
    fn check(&self, key: &str, source: SensorSource<'_>) -> Vec<Problem> {
        let cooldown = f64::from(self.cooldown_s);
        let rows = [
            Problem::outside(&format!("{key}.threshold"), self.threshold, 0.0..=1.0, ""),
            Problem::outside(&format!("{key}.cooldown_s"), cooldown, 0.0..=86_400.0, "s"),
        ];
        let mut problems: Vec<Problem> = rows.into_iter().flatten().collect();
        if self.is.is_some() && !matches!(source, SensorSource::House(_)) {
            let problem = Problem::new(format!("{key}.is"), "set", "only for a sensor with house");
            problems.push(problem.remedy("Ask a model with prompt instead."));
        }
        if self.is.is_some() && !self.prompt.is_empty() {
            let problem = Problem::new(format!("{key}.prompt"), "set", "\"\" where is is set");
            problems.push(problem.remedy("Take one of them out."));
        }
        problems
    }
}
