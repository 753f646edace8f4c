//! `joi status`: prints the state of the running program, its services, stages and devices.
//!
//! Main thread. In: the control socket, and the database for losses. Out: lines or JSON on stdout. Needs the running program.

mod wait;

use std::process::ExitCode;
use std::time::Duration;

use super::context::CliContext;
use super::events;
use super::exit::not_running;
use super::show::{self, Tone};
use crate::control::{
    BackupStatus, CarrierRow, Client, DelayStatus, DeviceStatus, HomeStatus, MessagesStatus, ServiceRow,
    ServiceState, Status, ToolServerRow,
};
use joi_base::machine::{MachineHealth, processor};
use joi_llm::{self as llm, LONGEST_LINGERING};
use joi_store::{self as store, Loss};

const EXAMPLES: &str = "\
Examples:
  joi status
  joi status --wait                wait until joi listens; 60 s at most
  joi status --wait 120 --json     the same for at most 120 s, then the status as JSON
  joi status --json | jq .state
  joi status --json | jq -e 'all(.stages[]; .fresh)' >/dev/null && echo well";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatusArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Wait until joi is ready, for at most so many seconds [default: 60]; fails when it is not ready by then
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60")]
    wait: Option<u32>,
}

pub(crate) fn run(args: StatusArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let runtime = &context.paths.runtime;
    let mut status = match args.wait {
        Some(seconds) => wait::until_ready(runtime, Duration::from_secs(seconds.into()))?,
        None => {
            let client = Client::connect(runtime)?;
            client.ok_or_else(|| nobody(llm::has_lingering_server(runtime)))?.status()?
        }
    };
    let losses = store::unacknowledged(&context.paths.database());
    status.losses = losses.iter().map(Loss::summary).collect();
    if args.json {
        show::line(serde_json::to_string_pretty(&status)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (what, told) in facts(&status) {
        show::line(format!("{what:12} {told}"))?;
    }
    for (what, told) in status.messages.iter().flat_map(messages) {
        show::line(format!("{what:12} {told}"))?;
    }
    for trouble in status.machine.iter().flat_map(MachineHealth::troubles) {
        show::line(format!("{:12} {}", "trouble", show::coloured(Tone::Bad, trouble.description())))?;
    }
    for loss in &status.losses {
        let told = format!("{loss}; `joi doctor --acknowledge` when you know");
        show::line(format!("{:12} {}", "stored data", show::coloured(Tone::Bad, told)))?;
    }
    let mut services = show::table(["\nSERVICE", "\nSTATE"]);
    for service in &status.services {
        services.add_row([service.name.clone(), doing(service)]);
    }
    show::line(services)?;
    let mut stages = show::table(["\nSTAGE", "\nDOES", "\nFOR", "\nLIMIT"]);
    for stage in &status.stages {
        let does = if stage.fresh {
            stage.doing.name().to_owned()
        } else {
            show::coloured(Tone::Bad, format!("{}, stuck", stage.doing.name()))
        };
        stages.add_row([stage.name.clone(), does, seconds(stage.for_s), seconds(stage.limit_s)]);
    }
    show::line(stages)?;
    if !status.errors.is_empty() {
        show::line("\nwarnings and errors, newest last:")?;
    }
    for entry in &status.errors {
        let times = if entry.times > 1 { format!(" ({} times)", entry.times) } else { String::new() };
        show::line(format!("  {} {} {}{times}", entry.at, entry.level, entry.told))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the error where joi does not run; the model server of an earlier command may.
fn nobody(is_loaded: bool) -> anyhow::Error {
    if !is_loaded {
        return not_running();
    }
    let stays = LONGEST_LINGERING.as_secs();
    anyhow::anyhow!("{}; the model of a command stays loaded for at most {stays} s after it", not_running())
}

/// Returns the state of a service, and why it does not run.
fn doing(service: &ServiceRow) -> String {
    let why = service.why.as_deref().unwrap_or_default();
    let loss = service.degraded.as_deref().unwrap_or_default();
    match service.state {
        ServiceState::Running if service.restarts == 0 => "running".to_owned(),
        ServiceState::Running => {
            let again = format!("running; restarted {} times, the last time because {why}", service.restarts);
            show::coloured(Tone::Fair, again)
        }
        ServiceState::Restarting => {
            show::coloured(Tone::Bad, format!("restarting ({}) because {why}; {loss}", service.restarts + 1))
        }
        ServiceState::GivenUp => show::coloured(Tone::Bad, format!("given up because {why}; {loss}")),
        ServiceState::Ending => "ending".to_owned(),
        ServiceState::Ended => "ended".to_owned(),
        ServiceState::LeftBehind => show::coloured(Tone::Bad, "did not end in time"),
    }
}

fn facts(status: &Status) -> Vec<(&'static str, String)> {
    let queues: Vec<_> =
        status.queues.iter().map(|q| format!("{} {} of {}", q.name, q.length, q.capacity)).collect();
    let heard = |ms: f64| format!(", the newest answer heard {:.2} s after the last word", ms / 1e3);
    let heard = status.counters.audible_ms.map(heard).unwrap_or_default();
    let delays = status.delays.unwrap_or_default();
    let lost = status.counters.sound_lost_s.map(|s| format!(", {s:.2} s of sound lost")).unwrap_or_default();
    vec![
        ("state", format!("{} since {}", state(status), status.shown.at)),
        (
            "microphone",
            if status.muted { muted() } else { device(&status.microphone) + &late(delays.microphone) },
        ),
        ("speaker", device(&status.speaker) + &late(delays.speaker)),
        ("echo", status.echo.map_or_else(|| "not known yet".to_owned(), |echo| echo.summary())),
        ("speech", status.models.whisper.clone()),
        ("voice", status.models.voice.clone()),
        ("chat model", status.models.chat.clone()),
        ("house", status.home.as_ref().map_or_else(no_house, house)),
        ("tools", tools(&status.tool_servers)),
        ("machine", status.machine.as_ref().map_or_else(String::new, machine)),
        ("backups", status.backups.as_ref().map_or_else(no_backups, backups)),
        ("alarms", alarms(status.alarms)),
        ("queues", queues.join(", ")),
        ("counted", format!("{} spoken turns{heard}{lost}", status.counters.turns)),
        ("running", format!("joi {}, process {}, {}", status.version, status.pid, uptime(status.uptime_s))),
    ]
}

fn state(status: &Status) -> String {
    let shown = &status.shown;
    let note = shown.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    format!("{}{note}", show::coloured(events::mood(shown.state), shown.state.name()))
}

fn alarms(count: usize) -> String {
    match count {
        0 => "none rings".to_owned(),
        count => {
            show::coloured(Tone::Bad, format!("{count} not heard; `joi alert acknowledge` silences all"))
        }
    }
}

fn house(home: &HomeStatus) -> String {
    match home.is_up {
        true => format!("{}, {} items", home.told, home.items),
        false => show::coloured(Tone::Bad, &home.told),
    }
}

/// Returns the servers of tools: those that do not work with their reasons.
fn tools(servers: &[ToolServerRow]) -> String {
    if servers.is_empty() {
        return show::coloured(Tone::Quiet, "none of other programs; `joi mcp add` adds a server");
    }
    let server = |row: &ToolServerRow| match row.is_well {
        true => format!("{} {}", row.name, row.told),
        false => show::coloured(Tone::Bad, format!("{} {}", row.name, row.told)),
    };
    servers.iter().map(server).collect::<Vec<_>>().join(", ")
}

/// Returns the board or processor, its temperature, and what is free.
fn machine(machine: &MachineHealth) -> String {
    let mut told = vec![machine.board.clone().unwrap_or_else(processor)];
    told.extend(machine.temperature_c.map(|degrees| format!("{degrees:.0} °C")));
    let free = |free, total| format!("{} of {}", show::bytes(free), show::bytes(total));
    told.extend(machine.memory.map(|memory| format!("{} memory free", free(memory.free, memory.total))));
    told.extend(machine.disk.map(|disk| format!("{} disk free", free(disk.free, disk.total))));
    told.join(", ")
}

fn backups(backups: &BackupStatus) -> String {
    let newest = backups.newest.as_ref().map(|at| format!("the newest of {at}, ")).unwrap_or_default();
    let told = format!("{newest}{}", backups.told);
    match backups.is_well {
        true => format!("{told}, in {}", backups.folder.display()),
        false => show::coloured(Tone::Bad, told),
    }
}

fn no_backups() -> String {
    show::coloured(
        Tone::Quiet,
        "none are made by itself; backup.folder names a folder, `joi backup` makes one",
    )
}

/// Returns who carries messages, and how many there are.
fn messages(messages: &MessagesStatus) -> Vec<(String, String)> {
    let carrier = |carrier: &CarrierRow| {
        let told =
            if carrier.is_up { carrier.told.clone() } else { show::coloured(Tone::Bad, &carrier.told) };
        (carrier.name.clone(), told)
    };
    let mut rows: Vec<_> = messages.carriers.iter().map(carrier).collect();
    let MessagesStatus { waiting, last_hour, given_up, strangers, .. } = messages;
    let lost = match given_up {
        0 => String::new(),
        count => show::coloured(Tone::Bad, format!(", {count} given up")),
    };
    let told =
        format!("{waiting} wait, {last_hour} in the last hour{lost}; {strangers} of strangers ignored");
    rows.push(("messages".to_owned(), told));
    rows
}

fn no_house() -> String {
    show::coloured(Tone::Quiet, "none; `joi home connect` connects one")
}

fn muted() -> String {
    format!("{}; `joi unmute` switches it on", show::coloured(Tone::Bad, "switched off"))
}

fn device(device: &DeviceStatus) -> String {
    match device {
        DeviceStatus::Pending => show::coloured(Tone::Quiet, "being opened"),
        DeviceStatus::Device(name) => name.clone(),
        DeviceStatus::Fault(why) => show::coloured(Tone::Bad, why),
    }
}

/// Returns how late a device is.
fn late(delay: Option<DelayStatus>) -> String {
    let told =
        |delay: DelayStatus| format!(", {:.0} ms late (at most {:.0})", delay.last_ms, delay.highest_ms);
    delay.map(told).unwrap_or_default()
}

fn seconds(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.1} s") } else { uptime(seconds) }
}

/// `3 d 4 h`, `5 min 2 s`: the two largest units.
fn uptime(seconds: f64) -> String {
    let all = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    let parts = [(all / 86_400, "d"), (all / 3600 % 24, "h"), (all / 60 % 60, "min"), (all % 60, "s")];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(3).min(2);
    let told = parts[first..first + 2].iter().map(|(count, unit)| format!("{count} {unit}"));
    told.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{DelayStatus, ServiceRow, ServiceState, ToolServerRow, doing, late, tools, uptime};

    #[test]
    fn servers_of_tools_are_shown_on_one_line() {
        let row = |name: &str, is_well, told: &str| ToolServerRow {
            name: name.into(),
            is_well,
            told: told.into(),
            tools: 0,
        };
        let plain = |rows: &[ToolServerRow]| anstream::adapter::strip_str(&tools(rows)).to_string();
        assert!(plain(&[]).starts_with("none of other programs"));
        let rows = [row("time", true, "2 tools"), row("files", false, "down: it ended")];
        assert_eq!(plain(&rows), "time 2 tools, files down: it ended");
    }

    #[test]
    fn a_device_is_shown_with_its_newest_and_its_highest_delay() {
        let delay = DelayStatus { last_ms: 21.6, highest_ms: 1043.2 };
        assert_eq!(late(Some(delay)), ", 22 ms late (at most 1043)");
        assert_eq!(late(None), "");
    }

    #[test]
    fn a_service_is_shown_with_its_reason_and_what_is_missing() {
        let told = |state, restarts, why: Option<&str>, degraded: Option<&str>| {
            let (why, degraded) = (why.map(Into::into), degraded.map(Into::into));
            let told = doing(&ServiceRow { name: "timers".into(), state, restarts, why, degraded });
            anstream::adapter::strip_str(&told).to_string()
        };
        let (why, loss) = (Some("it panicked"), Some("no timer rings"));
        assert_eq!(told(ServiceState::Running, 0, None, None), "running");
        let again = "running; restarted 2 times, the last time because it panicked";
        assert_eq!(told(ServiceState::Running, 2, why, None), again);
        let waits = "restarting (3) because it panicked; no timer rings";
        assert_eq!(told(ServiceState::Restarting, 2, why, loss), waits);
        let given_up = "given up because it panicked; no timer rings";
        assert_eq!(told(ServiceState::GivenUp, 7, why, loss), given_up);
    }

    #[test]
    fn times_read_naturally() {
        let told: Vec<_> = [0.2, 59.0, 60.0, 3_725.0, 273_600.0].map(uptime).into();
        assert_eq!(told, ["0 min 0 s", "0 min 59 s", "1 min 0 s", "1 h 2 min", "3 d 4 h"]);
    }
}
