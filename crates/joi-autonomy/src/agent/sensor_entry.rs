//! `[agents.NAME.sensors.NAME]`: where readings come from, which fields they update, and what is worth a notification.
//!
//! In: a table as it is written. Out: a sensor that can be used, or one problem that says why it can't. Nothing is opened.

use std::collections::BTreeMap;
use std::time::Duration;

use joi_base::problem::Problem;
use joi_language::values::WatchTest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entry::unusable_name;
use super::sensor::{
    FileSensor, HouseSensor, PollSensor, Sensor, SensorFault, SensorWorld, SseSensor, WebSocketSensor,
};

/// The kinds of sources, of which a sensor has exactly one.
const SOURCES: &[SourceKind] = &[
    SourceKind {
        key: "tool",
        named: |entry| &entry.tool,
        begins: ANY,
        make: |entry, name, world| {
            let tool = world.polled(name, &entry.arguments);
            Ok(Box::new(PollSensor::tool(tool, entry.pointer.clone(), entry.interval(), entry.trusted)))
        },
    },
    SourceKind {
        key: "url",
        named: |entry| &entry.url,
        begins: HTTP,
        make: |entry, url, _| {
            Ok(Box::new(PollSensor::url(url, entry.pointer.clone(), entry.interval(), entry.trusted)?))
        },
    },
    SourceKind {
        key: "path",
        named: |entry| &entry.path,
        begins: (&["/"], "a whole path, from / on"),
        make: |entry, path, _| Ok(Box::new(FileSensor::new(path, entry.pointer.clone(), entry.trusted))),
    },
    SourceKind {
        key: "sse",
        named: |entry| &entry.sse,
        begins: HTTP,
        make: |entry, url, _| Ok(Box::new(SseSensor::new(url, entry.pointer.clone(), entry.trusted)?)),
    },
    SourceKind {
        key: "websocket",
        named: |entry| &entry.websocket,
        begins: (&["ws://", "wss://"], "an address that begins with ws:// or wss://"),
        make: |entry, url, _| Ok(Box::new(WebSocketSensor::new(url, entry.pointer.clone(), entry.trusted))),
    },
    SourceKind {
        key: HOUSE,
        named: |entry| &entry.house,
        begins: ANY,
        make: |entry, item, world| match world.house() {
            Some((view, events)) => Ok(Box::new(HouseSensor::new(item, entry.trusted, view, events))),
            None => Err(SensorFault::Unreadable("no house is connected; set home.url".to_owned())),
        },
    },
];

/// The key of the source that is an item of the house.
const HOUSE: &str = "house";

/// How the value of a source may begin, and how that is said.
type Beginnings = (&'static [&'static str], &'static str);
const ANY: Beginnings = (&[""], "");
const HTTP: Beginnings = (&["http://", "https://"], "an address that begins with http:// or https://");

/// Makes the sensor of an entry from the value of its source. Nothing is opened yet.
type MakeSensor = fn(&SensorEntry, &str, &dyn SensorWorld) -> Result<Box<dyn Sensor>, SensorFault>;

/// A kind of source.
#[derive(Debug)]
struct SourceKind {
    /// Its key.
    key: &'static str,
    named: fn(&SensorEntry) -> &String,
    begins: Beginnings,
    make: MakeSensor,
}

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
#[derive(Debug, Clone, Copy)]
struct SensorSource<'a> {
    kind: &'static SourceKind,
    value: &'a str,
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

    /// Makes the sensor; nothing is opened yet.
    ///
    /// # Errors
    /// It has no source, or one that can't be used here.
    pub fn sensor(&self, world: &dyn SensorWorld) -> Result<Box<dyn Sensor>, SensorFault> {
        let SensorSource { kind, value } =
            self.source().ok_or_else(|| SensorFault::Unreadable("it names no source".to_owned()))?;
        (kind.make)(self, value, world)
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(u64::from(self.interval_s))
    }

    /// Returns where its readings come from; nothing where none or several are named.
    fn source(&self) -> Option<SensorSource<'_>> {
        let mut named = self.sources();
        named.next().filter(|_| named.next().is_none())
    }

    fn sources(&self) -> impl Iterator<Item = SensorSource<'_>> {
        let all = SOURCES.iter().map(|kind| SensorSource { kind, value: (kind.named)(self).trim() });
        all.filter(|source| !source.value.is_empty())
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
                format!(
                    "exactly one of {}",
                    SOURCES.iter().map(|kind| kind.key).collect::<Vec<_>>().join(", ")
                ),
            );
            problems.push(problem.remedy("Write one of them, and a sensor of its own for each other one."));
            return problems;
        };
        let (begins, allowed) = source.kind.begins;
        if !begins.iter().any(|begin| source.value.starts_with(begin)) {
            let key = format!("{key}.{}", source.kind.key);
            problems.push(Problem::new(key, format!("\"{}\"", source.value), allowed));
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
        if self.is.is_some() && source.kind.key != HOUSE {
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
