//! Figures for Prometheus: counted while the program runs, read together with the status board when somebody asks.
//!
//! Any thread counts, under a short lock. In: records of turns. Out: the text of a scrape, in the format OpenMetrics 1.0.
//! No figure and no label ever holds what was said. `docs/user/metrics.md` lists all of them.

mod config;
mod endpoint;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

pub use config::MetricsConfig;
pub use endpoint::serve;

use crate::control::{DeviceStatus, LogCounts, ServiceState, Status};
use joi_base::machine;
use joi_base::trace::TurnRecord;

/// Upper ends of the buckets of a turn's times, in seconds.
const BUCKETS: [f64; 13] = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0];

type MetricLabels = Vec<(&'static str, String)>;
type MetricCounters = Family<MetricLabels, Counter>;
type MetricNumber = Gauge<f64, AtomicU64>;

fn label(name: &'static str, value: impl Into<String>) -> MetricLabels {
    vec![(name, value.into())]
}

/// The counters. Clones share them.
#[derive(Debug, Clone)]
pub struct Metrics {
    turns: MetricCounters,
    times: Family<MetricLabels, Histogram, fn() -> Histogram>,
    model_calls: MetricCounters,
    model_tokens: MetricCounters,
    tool_calls: MetricCounters,
}

impl Default for Metrics {
    fn default() -> Self {
        let turns = MetricCounters::default();
        for outcome in ["answered", "ignored"] {
            turns.get_or_create(&label("outcome", outcome)).inc_by(0);
        }
        Self {
            turns,
            times: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            model_calls: MetricCounters::default(),
            model_tokens: MetricCounters::default(),
            tool_calls: MetricCounters::default(),
        }
    }
}

impl Metrics {
    /// A turn is over and was answered.
    pub fn answered(&self, turn: &TurnRecord) {
        self.turns.get_or_create(&label("outcome", "answered")).inc();
        // Marks before the end of speech, as that of the wake phrase, are not latencies.
        for mark in turn.marks.iter().filter(|mark| mark.ms > 0.0) {
            let stage = mark.stage.name().replace(' ', "_");
            self.times.get_or_create(&label("stage", stage)).observe(mark.ms / 1e3);
        }
        self.spent(turn);
    }

    /// Something was heard and not answered.
    pub fn ignored(&self, turn: &TurnRecord) {
        self.turns.get_or_create(&label("outcome", "ignored")).inc();
        self.spent(turn);
    }

    fn spent(&self, turn: &TurnRecord) {
        for call in &turn.model_use {
            self.model_calls.get_or_create(&label("backend", call.backend.as_str())).inc();
            let tokens = |kind: &str, count: u64| {
                self.model_tokens.get_or_create(&label("kind", kind)).inc_by(count);
            };
            tokens("prompt", call.prompt_tokens);
            tokens("reply", call.reply_tokens);
        }
        for call in &turn.tool_use {
            self.tool_calls.get_or_create(&label("outcome", call.outcome.as_str())).inc();
        }
    }

    /// Returns the text of a scrape: what was counted, and how the program is.
    ///
    /// # Errors
    /// None that a text in memory has.
    pub fn scrape(&self, status: &Status, logged: LogCounts) -> Result<String, std::fmt::Error> {
        let mut registry = Registry::with_prefix("joi");
        self.add_turns(&mut registry);
        add_program(&mut registry, status, logged);
        add_parts(&mut registry, status);
        add_machine(&mut registry, status);
        let mut text = String::new();
        encode(&mut text, &registry)?;
        Ok(text)
    }

    fn add_turns(&self, registry: &mut Registry) {
        let told = "Utterances that were answered, or ignored because they were not meant for her";
        registry.register("turns", told, self.turns.clone());
        let told = "Seconds from the end of speech until a turn passed the stage";
        registry.register_with_unit("turn_stage", told, Unit::Seconds, self.times.clone());
        registry.register("model_calls", "Calls of the language model", self.model_calls.clone());
        registry.register("model_tokens", "Tokens of these calls", self.model_tokens.clone());
        registry.register("tool_calls", "Tool calls of the model, by outcome", self.tool_calls.clone());
    }
}

/// A registry that takes single figures.
trait MetricFigures {
    fn number(&mut self, name: &str, told: &str, unit: Option<Unit>, value: f64);
    fn numbers(&mut self, name: &str, told: &str, unit: Option<Unit>, values: Vec<(MetricLabels, f64)>);
    fn counts(&mut self, name: &str, told: &str, values: Vec<(MetricLabels, u64)>);
}

impl MetricFigures for Registry {
    fn number(&mut self, name: &str, told: &str, unit: Option<Unit>, value: f64) {
        let gauge = MetricNumber::default();
        gauge.set(value);
        match unit {
            Some(unit) => self.register_with_unit(name, told, unit, gauge),
            None => self.register(name, told, gauge),
        }
    }

    fn numbers(&mut self, name: &str, told: &str, unit: Option<Unit>, values: Vec<(MetricLabels, f64)>) {
        let family = Family::<MetricLabels, MetricNumber>::default();
        for (labels, value) in values {
            family.get_or_create(&labels).set(value);
        }
        match unit {
            Some(unit) => self.register_with_unit(name, told, unit, family),
            None => self.register(name, told, family),
        }
    }

    fn counts(&mut self, name: &str, told: &str, values: Vec<(MetricLabels, u64)>) {
        let family = MetricCounters::default();
        for (labels, value) in values {
            family.get_or_create(&labels).inc_by(value);
        }
        self.register(name, told, family);
    }
}

fn yes(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

fn add_program(registry: &mut Registry, status: &Status, logged: LogCounts) {
    let version = vec![(label("version", status.version.as_str()), 1.0)];
    registry.numbers("build", "The version that runs; always 1", None, version);
    registry.number("uptime", "Seconds since the start", Some(Unit::Seconds), status.uptime_s);
    registry.number("muted", "Whether the microphone is switched off", None, yes(status.muted));
    let counts = vec![(label("level", "warning"), logged.warnings), (label("level", "error"), logged.errors)];
    registry.counts("log_messages", "Warnings and errors that were logged", counts);
    let delays = status.delays.unwrap_or_default();
    let delays = [("microphone", delays.microphone), ("speaker", delays.speaker)];
    let delays =
        delays.into_iter().filter_map(|(name, delay)| Some((label("device", name), delay?.last_ms / 1e3)));
    let told = "How late a device was with its newest block";
    registry.numbers("device_delay", told, Some(Unit::Seconds), delays.collect());
    if let Some(lost) = status.counters.sound_lost_s {
        registry.number("sound_lost", "Seconds of sound that were lost", Some(Unit::Seconds), lost);
    }
    let mut resident = vec![("joi".to_owned(), machine::resident(status.pid))];
    let children = machine::children(status.pid).into_iter();
    resident.extend(children.map(|(pid, name)| (name, machine::resident(pid))));
    let held = resident
        .into_iter()
        .filter_map(|(name, bytes)| Some((label("process", name), bytes? as f64)))
        .collect();
    registry.numbers("resident_memory", "Memory of the program and its children", Some(Unit::Bytes), held);
}

fn add_parts(registry: &mut Registry, status: &Status) {
    let services = || status.services.iter();
    let restarts = services().map(|one| (label("service", one.name.as_str()), u64::from(one.restarts)));
    registry.counts("service_restarts", "How often a service was started again", restarts.collect());
    let running =
        services().map(|one| (label("service", one.name.as_str()), yes(one.state == ServiceState::Running)));
    registry.numbers("service_running", "Whether a service runs", None, running.collect());
    let stages = status.stages.iter().map(|one| (label("stage", one.name.as_str()), yes(one.fresh)));
    registry.numbers("stage_alive", "Whether a stage works as it should", None, stages.collect());
    let queues = || status.queues.iter();
    let lengths = queues().map(|one| (label("queue", one.name.as_str()), one.length as f64));
    registry.numbers("queue_length", "What waits in a queue", None, lengths.collect());
    let most = queues().map(|one| (label("queue", one.name.as_str()), one.capacity as f64));
    registry.numbers("queue_capacity", "How much may wait in it", None, most.collect());
    let devices = [("microphone", &status.microphone), ("speaker", &status.speaker)];
    let works =
        devices.map(|(name, device)| (label("device", name), yes(matches!(device, DeviceStatus::Device(_)))));
    registry.numbers("device_working", "Whether a sound device works", None, works.into());
    registry.number(
        "model_ready",
        "Whether a chat model answers",
        None,
        yes(status.models.answering.is_some()),
    );
    let events = status.agent_events.iter().map(|(name, count)| (label("event", name.as_str()), *count));
    registry.counts("agent_events", "Events of agents", events.collect());
    if let Some(home) = &status.home {
        registry.number("house_connected", "Whether the house is connected", None, yes(home.is_up));
    }
    if let Some(messages) = &status.messages {
        registry.number(
            "messages_waiting",
            "Messages that wait or are underway",
            None,
            messages.waiting.into(),
        );
    }
    if let Some(backups) = &status.backups {
        registry.number(
            "backups_working",
            "Whether automatic backups can be made",
            None,
            yes(backups.is_well),
        );
        let newest = backups.newest.as_ref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
        if let Some(at) = newest {
            let told = "When the newest automatic backup was made, in seconds since 1970";
            registry.number("backup_newest_timestamp", told, Some(Unit::Seconds), at.as_second() as f64);
        }
    }
}

fn add_machine(registry: &mut Registry, status: &Status) {
    let Some(machine) = &status.machine else { return };
    if let Some(degrees) = machine.temperature_c {
        registry.number("temperature", "Of the processor", Some(Unit::Celsius), degrees.into());
    }
    if let Some(power) = machine.power {
        let states = |now: bool, before: bool| {
            vec![(label("when", "now"), yes(now)), (label("when", "since_boot"), yes(before))]
        };
        let told = "Whether the voltage is, or was since the machine was started, too low";
        registry.numbers("undervolted", told, None, states(power.undervolted, power.was_undervolted));
        let told = "Whether the processor is, or was since the machine was started, slowed down";
        registry.numbers("throttled", told, None, states(power.throttled, power.was_throttled));
    }
    if let Some(memory) = machine.memory {
        registry.number("memory_free", "Memory for further programs", Some(Unit::Bytes), memory.free as f64);
        registry.number("memory_total", "All memory", Some(Unit::Bytes), memory.total as f64);
    }
    if let Some(disk) = machine.disk {
        registry.number("disk_free", "Free on the disk of the data", Some(Unit::Bytes), disk.free as f64);
        registry.number("disk_total", "All of that disk", Some(Unit::Bytes), disk.total as f64);
    }
}
