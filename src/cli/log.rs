//! Formats the log on stderr: short lines with a time, a level, a category and what happened, never what was said.
//!
//! Started once, on the main thread, before a command runs. In: a filter by category, module or level. Out:
//! lines such as `12:00:07 warn voice: device missing fault=…`. Categories are the areas that users know:
//! `voice`, `memory`, `profile`, `planning`, `model`; everything else is `joi`. Where stderr is the journal of systemd, which
//! has times of its own, a line begins with its priority instead (`<4>voice: …`; sd-daemon(3)), so that
//! `journalctl -p warning` finds it.

use std::fmt;

use jiff::Zoned;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The modules behind each category. The first that fits counts.
const CATEGORIES: [(&str, &[&str]); 5] = [
    ("voice", &["joi_audio", "joi_hear", "joi_speak", "joi_channels::voice"]),
    ("memory", &["joi_store", "joi_agent::prompt::dialogue", "joi_agent::memory"]),
    ("profile", &["joi_agent::prompt::profile"]),
    ("planning", &["joi_agent", "joi_understand", "joi_answer"]),
    ("model", &["joi_llm", "joi_model"]),
];

/// Libraries that write whole messages at the level trace, tokens among them; the second is what the first logs through.
const INDISCREET: [&str; 3] = ["tungstenite", "log", "tokio_tungstenite"];

/// Libraries that log what they also return as an error: a device that is looked for every other second would
/// fill the log.
const TALKATIVE: &str = "pulseaudio";

/// Logs a missing device, which every command that opens one shows itself.
const SHOWN_ANYWAY: &str = "joi_audio::stream_supervisor";

/// Returns the filter where none is given: warnings, and with `voice_debug` everything about sound. A terminal shows a
/// missing device once, as the command words it; the journal keeps the line with its priority.
pub(super) fn default_filter(voice_debug: bool, is_journal: bool) -> String {
    match (voice_debug, is_journal) {
        (true, _) => "warn,voice=debug".to_owned(),
        (false, true) => "warn".to_owned(),
        (false, false) => format!("warn,{SHOWN_ANYWAY}=error"),
    }
}

/// Returns the category of a module.
fn category(target: &str) -> &'static str {
    let is_in = |module: &&str| {
        target.strip_prefix(*module).is_some_and(|rest| matches!(rest.chars().next(), None | Some(':')))
    };
    let of = CATEGORIES.iter().find(|(_, modules)| modules.iter().any(&is_in));
    of.map_or("joi", |(name, _)| name)
}

/// Returns the filter with categories written out as modules: `voice=debug` and plain `voice` too. Talkative
/// libraries are heard only when they are named.
pub(super) fn written_out(filter: &str) -> String {
    let parts = filter.split(',').map(|part| {
        let (name, level) = part.split_once('=').unwrap_or((part, "debug"));
        match CATEGORIES.iter().find(|(category, _)| *category == name.trim()) {
            Some((_, modules)) => {
                modules.iter().map(|module| format!("{module}={level}")).collect::<Vec<_>>().join(",")
            }
            None => discreet(part),
        }
    });
    let mut parts: Vec<String> = parts.collect();
    if parts.iter().any(|part| is_trace(part)) {
        parts.extend(INDISCREET.map(|name| format!("{name}=debug")));
    }
    if !filter.contains(TALKATIVE) {
        parts.push(format!("{TALKATIVE}=off"));
    }
    parts.join(",")
}

/// Returns a part of the filter; an indiscreet library is never heard at the level trace.
fn discreet(part: &str) -> String {
    let (name, level) = part.split_once('=').unwrap_or((part, "trace"));
    let library = name.trim().split(':').next().unwrap_or_default();
    match INDISCREET.contains(&library) && is_trace(level) {
        true => format!("{name}=debug"),
        false => part.to_owned(),
    }
}

fn is_trace(level: &str) -> bool {
    matches!(&*level.trim().to_lowercase(), "trace" | "5")
}

/// Returns whether stderr goes to the journal: systemd passes the device and inode of its stream.
pub(super) fn is_journal() -> bool {
    let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    let stderr = || rustix::fs::fstat(std::io::stderr()).ok();
    !stream.is_empty() && stderr().is_some_and(|is| stream == format!("{}:{}", is.st_dev, is.st_ino))
}

/// Returns how a line for the journal carries its priority.
fn priority(level: Level) -> &'static str {
    match level {
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        _ => "<7>",
    }
}

/// `text` with this in front of each of its lines: the journal takes each for one of its own.
pub(super) fn with_priority(text: &str, level: Level) -> String {
    text.lines().map(|line| format!("{}{line}", priority(level))).collect::<Vec<_>>().join("\n")
}

/// The format of a line.
pub(super) struct LogFormat {
    /// It goes to the journal.
    pub(super) is_journal: bool,
}

impl<S, N> FormatEvent<S, N> for LogFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        if self.is_journal {
            let mut told = format!("{}: ", category(about.target()));
            context.field_format().format_fields(Writer::new(&mut told), event)?;
            return writeln!(writer, "{}", with_priority(&told, *about.level()));
        }
        let level = about.level().as_str().to_lowercase();
        write!(writer, "{} {level:5} {}: ", Zoned::now().strftime("%H:%M:%S"), category(about.target()))?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_has_its_category() {
        let of = [
            "joi_hear::whisper",
            "joi_channels::voice",
            "joi_agent::prompt::dialogue",
            "joi_agent::agent::ask",
        ];
        assert_eq!(of.map(category), ["voice", "voice", "memory", "planning"]);
        let of = [
            "joi_agent::memory::extractor",
            "joi_agent::prompt::profile",
            "joi_agent::agent::planner",
            "joi_agent",
        ];
        assert_eq!(of.map(category), ["memory", "profile", "planning", "planning"]);
        assert_eq!(["joi_llm::mind", "joi_hearing", "hyper"].map(category), ["model", "joi", "joi"]);
    }

    #[test]
    fn lines_for_the_journal_begin_with_their_priority_and_others_with_the_time() {
        let lines = |is_journal: bool| {
            let file = tempfile::NamedTempFile::new().unwrap();
            let (log, to) = (tracing_subscriber::fmt(), file.reopen().unwrap());
            let log =
                log.with_max_level(Level::TRACE).with_ansi(false).event_format(LogFormat { is_journal });
            tracing::subscriber::with_default(log.with_writer(std::sync::Mutex::new(to)).finish(), || {
                tracing::error!(target: "joi_store", "full");
                tracing::warn!(target: "joi_hear", card = 2, "gone");
                tracing::info!(target: "joi::app", "well");
                tracing::debug!(target: "joi_llm", "slow\nand steady");
            });
            std::fs::read_to_string(file.path()).unwrap()
        };
        assert_eq!(
            lines(true),
            "<3>memory: full\n<4>voice: gone card=2\n<6>joi: well\n<7>model: slow\n<7>and steady\n"
        );
        let plain = lines(false);
        let first = plain.lines().next().unwrap();
        assert_eq!(&first[8..], " error memory: full", "{plain}");
        assert!(first[..8].chars().all(|c| c.is_ascii_digit() || c == ':'), "{plain}");
    }

    #[test]
    fn a_filter_may_name_categories() {
        let memory = "warn,joi_store=info,joi_agent::prompt::dialogue=info,joi_agent::memory=info,\
                      pulseaudio=off";
        assert_eq!(written_out("warn,memory=info"), memory);
        assert_eq!(
            written_out("planning"),
            "joi_agent=debug,joi_understand=debug,joi_answer=debug,pulseaudio=off"
        );
        assert_eq!(written_out("joi_hear=trace"), "joi_hear=trace,pulseaudio=off");
        assert_eq!(written_out("warn,pulseaudio=debug"), "warn,pulseaudio=debug");
        let trace = "trace,tungstenite=debug,log=debug,tokio_tungstenite=debug,pulseaudio=off";
        assert_eq!(written_out("trace"), trace);
        for named in ["tungstenite", "tungstenite=trace", "tungstenite=TRACE"] {
            let written = written_out(&format!("warn,{named}"));
            assert_eq!(written, "warn,tungstenite=debug,pulseaudio=off", "{named}");
        }
        assert_eq!(
            written_out("warn,tungstenite::protocol=trace"),
            "warn,tungstenite::protocol=debug,pulseaudio=off"
        );
    }

    #[test]
    fn a_terminal_shows_a_missing_device_once_and_every_other_warning() {
        let logged = |filter: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            let filter = tracing_subscriber::EnvFilter::try_new(written_out(filter)).unwrap();
            let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).without_time();
            let log = log.with_writer(std::sync::Mutex::new(file.reopen().unwrap())).finish();
            tracing::subscriber::with_default(log, || {
                tracing::warn!(target: "joi_audio::stream_supervisor", "device missing");
                tracing::warn!(target: "joi_audio::microphone", "too loud");
                tracing::error!(target: "joi_audio::stream_supervisor", "no thread");
            });
            let text = std::fs::read_to_string(file.path()).unwrap();
            ["device missing", "too loud", "no thread"].map(|line| text.contains(line))
        };
        assert_eq!(logged(&default_filter(false, false)), [false, true, true]);
        assert_eq!(logged(&default_filter(false, true)), [true; 3]);
        assert_eq!(logged(&default_filter(true, false)), [true; 3]);
    }
}
