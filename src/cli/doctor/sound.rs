//! Checks microphone and speaker: as the running program reports them, else by opening them.
//!
//! A card that is not shared can be opened by one program only, so what a running one holds is left alone. In: what it
//! reports at the control socket. Out: a row for each, and one for the echo between them.

use std::time::{Duration, Instant};

use super::echo;
use crate::app::checks::{PATIENCE, Row};
use crate::cli::context::CliContext;
use crate::cli::mute;
use crate::control::{Client, DeviceStatus};
use joi_audio::{AudioSource, LevelMeter, Microphone, MuteSwitch, PlayEvent, Player, SourceEvent, tone};

/// Duration of the level meter.
const METER: Duration = Duration::from_secs(3);
/// A microphone that is at full scale for longer clips.
const CLIPPED: Duration = Duration::from_millis(20);
/// A microphone below this level hears nothing, in dBFS.
const SILENCE_DB: f32 = -70.0;

/// Returns the rows of microphone, speaker and echo. Without `is_quiet` the level is drawn while it is measured.
pub(super) fn checks(context: &CliContext, is_quiet: bool) -> Vec<Row> {
    let running = Client::connect(&context.paths.runtime).ok().flatten();
    let status = running.and_then(|mut client| client.status().ok());
    let is_muted = status.as_ref().map_or_else(|| mute::is_muted(context), |status| status.muted);
    let mut rows = vec![match &status {
        _ if is_muted => muted(),
        Some(status) => as_used("microphone", &status.microphone),
        None => microphone(context, is_quiet),
    }];
    rows.push(match &status {
        Some(status) => as_used("speaker", &status.speaker),
        None => speaker(context),
    });
    if !is_muted {
        rows.push(echo::check(context));
    }
    rows
}

/// Returns the finding about a device that the running program reports.
fn as_used(what: &'static str, device: &DeviceStatus) -> Row {
    match device {
        DeviceStatus::Device(name) => Row::good(what, format!("{name}, as the running joi uses it")),
        DeviceStatus::Fault(why) => Row::bad(what, why, "joi devices"),
        DeviceStatus::Pending => {
            Row::fair(what, "the running joi is still opening it", "ask again in a minute")
        }
    }
}

/// It is not opened: the owner has said so.
fn muted() -> Row {
    Row::fair("microphone", "switched off by its owner", "joi unmute")
}

/// Opens it and measures how loud it is.
fn microphone(context: &CliContext, is_quiet: bool) -> Row {
    let mut microphone = Microphone::open(&context.config().audio, &MuteSwitch::default());
    let meter = microphone.meter();
    let (mut device, mut samples, mut loudest) = (None, Vec::new(), f32::NEG_INFINITY);
    let (opened, mut since) = (Instant::now(), None);
    loop {
        match microphone.read(&mut samples) {
            SourceEvent::Back { device: name } => device = Some(name),
            SourceEvent::Gone(fault) => return Row::bad("microphone", fault.to_string(), "joi devices"),
            SourceEvent::Samples(_) => {
                since.get_or_insert_with(Instant::now);
                loudest = loudest.max(meter.level_db());
                if !is_quiet {
                    draw(&meter);
                }
            }
            SourceEvent::Nothing
            | SourceEvent::Called { .. }
            | SourceEvent::Muted
            | SourceEvent::Unmuted
            | SourceEvent::End => {}
        }
        samples.clear();
        if since.is_some_and(|since: Instant| since.elapsed() > METER) {
            break;
        }
        if opened.elapsed() > PATIENCE {
            return Row::bad(
                "microphone",
                "it delivers nothing",
                "plug it in again; `joi devices` lists them",
            );
        }
    }
    let gain = context.config().audio.input_gain_db;
    let gain = if gain == 0.0 { String::new() } else { format!(", gain {gain:+} dB") };
    let told = format!("{}, loudest {loudest:.0} dBFS{gain}", device.unwrap_or_default());
    if meter.clipped() > CLIPPED {
        return Row::fair(
            "microphone",
            format!("{told}, clips"),
            "lower audio.input_gain_db, or its level with alsamixer",
        );
    }
    if loudest < SILENCE_DB {
        return Row::fair(
            "microphone",
            told,
            "it hears nothing: is it muted? raise its level, for example with alsamixer, or audio.input_gain_db",
        );
    }
    Row::good("microphone", told)
}

/// The level as a bar that is drawn over itself; nothing where stderr is not a terminal.
fn draw(meter: &LevelMeter) {
    use std::io::{IsTerminal, Write};
    if !std::io::stderr().is_terminal() {
        return;
    }
    let level = meter.level_db().clamp(-60.0, 0.0);
    let width = ((level + 60.0) / 60.0 * 40.0) as usize;
    let bar = format!("\r  speak: [{}{}] {level:4.0} dBFS ", "#".repeat(width), " ".repeat(40 - width));
    let _ = write!(std::io::stderr(), "{bar}").and_then(|()| std::io::stderr().flush());
}

/// Plays a tone.
fn speaker(context: &CliContext) -> Row {
    let (player, mut events) = Player::open(&context.config().audio);
    let (rate, tag) = (48_000, 0);
    if player.play_now(tag, rate, tone::acknowledge(rate)).is_err() {
        return Row::bad("speaker", "it takes no sound", "joi devices");
    }
    let mut device = String::new();
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        match events.try_recv() {
            Ok(PlayEvent::Back { device: name }) => device = name,
            Ok(PlayEvent::Finished { .. }) => {
                return Row::good("speaker", format!("{device}, a tone was played"));
            }
            Ok(PlayEvent::Gone(fault)) => return Row::bad("speaker", fault.to_string(), "joi devices"),
            Ok(PlayEvent::Started { .. } | PlayEvent::Dropped { .. } | PlayEvent::Idle) => {}
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    Row::bad("speaker", "it does not play", "plug it in again; `joi devices` lists them")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_the_running_program_is_the_finding() {
        let row = |device| {
            let row = as_used("speaker", &device);
            (row.verdict(), row.told, row.remedy)
        };
        let told = |verdict, told: &str, remedy: &str| (verdict, told.to_owned(), remedy.to_owned());
        assert_eq!(
            row(DeviceStatus::Device("USB Audio".into())),
            told("good", "USB Audio, as the running joi uses it", "")
        );
        assert_eq!(
            row(DeviceStatus::Fault("USB Audio was lost".into())),
            told("bad", "USB Audio was lost", "joi devices")
        );
        assert_eq!(row(DeviceStatus::Pending).0, "fair");
    }
}
