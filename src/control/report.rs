//! Words for the status: the sections that `joi status` prints, as plain data with a tone for each piece.
//!
//! In: a [`Status`]. Out: a [`StatusReport`], which a reader shows without words of its own.
//! Pure: no I/O, no clock.

use serde::Serialize;

use super::status::{
    BackupStatus, CarrierRow, DelayStatus, DeviceStatus, HomeStatus, MessagesStatus, RoomConnection,
    RoomStatus, SatellitesStatus, ServiceRow, ServiceState, StageRow, Status, ToolServerRow,
};
use joi_base::machine::MachineHealth;
pub use text::{ReportText, TextPiece, Tone};
pub use units::bytes;
use units::{seconds, uptime};

mod text;
mod units;

#[cfg(test)]
mod tests;

/// The status for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusReport {
    /// Each fact with its name.
    pub facts: Vec<(String, ReportText)>,
    /// Services and stages.
    pub tables: Vec<ReportTable>,
    /// The newest warnings and errors, below a heading.
    pub journal: Option<(&'static str, Vec<String>)>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportTable {
    /// The names of its columns.
    pub head: Vec<&'static str>,
    /// As many cells in each row.
    pub rows: Vec<Vec<ReportText>>,
}

impl StatusReport {
    /// Words a status. `processor` names the processor of a machine that is not a known board.
    pub fn of(status: &Status, processor: &str) -> Self {
        let mut facts = of_program(status, processor);
        facts.extend(status.messages.iter().flat_map(messages));
        let troubles = status.machine.iter().flat_map(MachineHealth::troubles);
        facts.extend(troubles.map(|it| ("trouble".to_owned(), ReportText::bad(it.description()))));
        facts.extend(status.losses.iter().map(|loss| {
            let told = format!("{loss}; `joi doctor --acknowledge` when you know");
            ("stored data".to_owned(), ReportText::bad(told))
        }));
        let services = ReportTable {
            head: vec!["SERVICE", "STATE"],
            rows: status.services.iter().map(|row| vec![row.name.clone().into(), service(row)]).collect(),
        };
        let stages = ReportTable {
            head: vec!["STAGE", "DOES", "FOR", "LIMIT"],
            rows: status.stages.iter().map(stage).collect(),
        };
        let entry = |entry: &super::JournalEntry| {
            let times = if entry.times > 1 { format!(" ({} times)", entry.times) } else { String::new() };
            format!("{} {} {}{times}", entry.at, entry.level, entry.told)
        };
        let journal: Vec<String> = status.errors.iter().map(entry).collect();
        let journal = (!journal.is_empty()).then_some(("warnings and errors, newest last:", journal));
        Self { facts, tables: vec![services, stages], journal }
    }
}

fn of_program(status: &Status, processor: &str) -> Vec<(String, ReportText)> {
    let delays = status.delays.unwrap_or_default();
    let microphone = match status.muted {
        true => ReportText::bad("switched off").and("; `joi unmute` switches it on"),
        false => device(&status.microphone).and(late(delays.microphone)),
    };
    let queues: Vec<_> =
        status.queues.iter().map(|q| format!("{} {} of {}", q.name, q.length, q.capacity)).collect();
    let mut rows: Vec<(&str, ReportText)> = vec![
        ("state", state(status)),
        ("microphone", microphone),
        ("speaker", device(&status.speaker).and(late(delays.speaker))),
        ("echo", status.echo.map_or_else(|| "not known yet".into(), |echo| echo.summary().into())),
        ("speech", status.models.whisper.clone().into()),
        ("voice", status.models.voice.clone().into()),
        ("chat model", status.models.chat.clone().into()),
    ];
    rows.extend(status.models.uses.iter().map(|of| (of.purpose.as_str(), of.told.clone().into())));
    rows.extend([
        ("house", house(status.home.as_ref())),
        ("tools", tools(&status.tool_servers)),
        ("satellites", served(status.satellites.as_ref())),
        ("rooms", rooms(&status.rooms)),
        ("machine", status.machine.as_ref().map_or_else(ReportText::default, |it| machine(it, processor))),
        ("backups", backups(status.backups.as_ref())),
        ("alarms", alarms(status.alarms)),
        ("queues", queues.join(", ").into()),
        ("counted", counted(status)),
        (
            "running",
            format!("joi {}, process {}, {}", status.version, status.pid, uptime(status.uptime_s)).into(),
        ),
    ]);
    rows.into_iter().map(|(what, told)| (what.to_owned(), told)).collect()
}

fn state(status: &Status) -> ReportText {
    let shown = &status.shown;
    let note = shown.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    ReportText::toned(shown.state.tone(), shown.state.name()).and(format!("{note} since {}", shown.at))
}

fn counted(status: &Status) -> ReportText {
    let heard = |ms: f64| format!(", the newest answer heard {:.2} s after the last word", ms / 1e3);
    let heard = status.counters.audible_ms.map(heard).unwrap_or_default();
    let lost = status.counters.sound_lost_s.map(|s| format!(", {s:.2} s of sound lost")).unwrap_or_default();
    format!("{} spoken turns{heard}{lost}", status.counters.turns).into()
}

/// Returns the state of a service, and why it does not run.
fn service(service: &ServiceRow) -> ReportText {
    let why = service.why.as_deref().unwrap_or_default();
    let loss = service.degraded.as_deref().unwrap_or_default();
    match service.state {
        ServiceState::Running if service.restarts == 0 => "running".into(),
        ServiceState::Running => {
            let again = format!("running; restarted {} times, the last time because {why}", service.restarts);
            ReportText::toned(Tone::Fair, again)
        }
        ServiceState::Restarting => {
            ReportText::bad(format!("restarting ({}) because {why}; {loss}", service.restarts + 1))
        }
        ServiceState::GivenUp => ReportText::bad(format!("given up because {why}; {loss}")),
        ServiceState::Ending => "ending".into(),
        ServiceState::Ended => "ended".into(),
        ServiceState::LeftBehind => ReportText::bad("did not end in time"),
    }
}

fn stage(stage: &StageRow) -> Vec<ReportText> {
    let does = stage.doing.name();
    let does = if stage.fresh { does.into() } else { ReportText::bad(format!("{does}, stuck")) };
    vec![stage.name.clone().into(), does, seconds(stage.for_s).into(), seconds(stage.limit_s).into()]
}

fn alarms(count: usize) -> ReportText {
    match count {
        0 => "none rings".into(),
        count => ReportText::bad(format!("{count} not heard; `joi alert acknowledge` silences all")),
    }
}

fn house(home: Option<&HomeStatus>) -> ReportText {
    match home {
        None => ReportText::quiet("none; `joi home connect` connects one"),
        Some(home) if home.is_up => format!("{}, {} items", home.told, home.items).into(),
        Some(home) => ReportText::bad(&home.told),
    }
}

/// Returns the servers of tools: those that do not work with their reasons.
fn tools(servers: &[ToolServerRow]) -> ReportText {
    if servers.is_empty() {
        return ReportText::quiet("none of other programs; `joi mcp add` adds a server");
    }
    let server = |row: &ToolServerRow| {
        let told = format!("{} {}", row.name, row.told);
        if row.is_well { told.into() } else { ReportText::bad(told) }
    };
    ReportText::joined(servers.iter().map(server), ", ")
}

/// Returns where other rooms are served. Whether the service runs is in the table of services.
fn served(satellites: Option<&SatellitesStatus>) -> ReportText {
    let Some(SatellitesStatus { address, connections, requests, refused }) = satellites else {
        return ReportText::quiet("other rooms are not served; satellites.wyoming.listen serves them");
    };
    let text = ReportText::from(format!("{address}, {connections} connections, {requests} requests"));
    if *refused > 0 { text.then(Tone::Fair, format!(", {refused} refused")) } else { text }
}

/// Returns how each room with a satellite is connected.
fn rooms(rooms: &[RoomStatus]) -> ReportText {
    if rooms.is_empty() {
        return ReportText::quiet("no satellites; satellites.rooms.NAME.address adds one");
    }
    let room = |RoomStatus { name, state, about, turns, .. }: &RoomStatus| match state {
        RoomConnection::Connected => format!("{name} connected to {about}, {turns} turns").into(),
        RoomConnection::Connecting if about.is_empty() => format!("{name} connecting").into(),
        RoomConnection::Connecting => ReportText::bad(format!("{name} not reached ({about})")),
        RoomConnection::Lost => ReportText::bad(format!("{name} lost ({about})")),
    };
    ReportText::joined(rooms.iter().map(room), ", ")
}

/// Returns the board or processor, its temperature, and what is free.
fn machine(machine: &MachineHealth, processor: &str) -> ReportText {
    let mut told = vec![machine.board.clone().unwrap_or_else(|| processor.to_owned())];
    told.extend(machine.temperature_c.map(|degrees| format!("{degrees:.0} °C")));
    let free = |free, total| format!("{} of {}", bytes(free), bytes(total));
    told.extend(machine.memory.map(|memory| format!("{} memory free", free(memory.free, memory.total))));
    told.extend(machine.disk.map(|disk| format!("{} disk free", free(disk.free, disk.total))));
    told.join(", ").into()
}

fn backups(backups: Option<&BackupStatus>) -> ReportText {
    let Some(backups) = backups else {
        let none = "none are made by itself; backup.folder names a folder, `joi backup` makes one";
        return ReportText::quiet(none);
    };
    let newest = backups.newest.as_ref().map(|at| format!("the newest of {at}, ")).unwrap_or_default();
    let told = format!("{newest}{}", backups.told);
    match backups.is_well {
        true => format!("{told}, in {}", backups.folder.display()).into(),
        false => ReportText::bad(told),
    }
}

/// Returns who carries messages, and how many there are.
fn messages(messages: &MessagesStatus) -> Vec<(String, ReportText)> {
    let carrier = |carrier: &CarrierRow| {
        let told = &carrier.told;
        let told = if carrier.is_up { told.clone().into() } else { ReportText::bad(told) };
        (carrier.name.clone(), told)
    };
    let mut rows: Vec<_> = messages.carriers.iter().map(carrier).collect();
    let MessagesStatus { waiting, last_hour, given_up, strangers, .. } = messages;
    let mut told = ReportText::from(format!("{waiting} wait, {last_hour} in the last hour"));
    if *given_up > 0 {
        told = told.then(Tone::Bad, format!(", {given_up} given up"));
    }
    rows.push(("messages".to_owned(), told.and(format!("; {strangers} of strangers ignored"))));
    rows
}

fn device(device: &DeviceStatus) -> ReportText {
    match device {
        DeviceStatus::Pending => ReportText::quiet("being opened"),
        DeviceStatus::Device(name) => name.clone().into(),
        DeviceStatus::Fault(why) => ReportText::bad(why),
    }
}

/// Returns how late a device is.
fn late(delay: Option<DelayStatus>) -> String {
    let told =
        |delay: DelayStatus| format!(", {:.0} ms late (at most {:.0})", delay.last_ms, delay.highest_ms);
    delay.map(told).unwrap_or_default()
}

impl super::ShownState {
    /// Returns how the state is meant.
    pub fn tone(self) -> Tone {
        use joi_base::message::Activity;
        match self {
            Self::Starting => Tone::Fair,
            Self::Activity(activity) => match activity {
                Activity::Idle => Tone::Quiet,
                Activity::Listening | Activity::Speaking => Tone::Good,
                Activity::Thinking | Activity::Timer => Tone::Fair,
                Activity::Muted | Activity::Error => Tone::Bad,
            },
        }
    }
}
