//! `joi mute`, `joi unmute`, `joi toggle`: the microphone's switch, whether joi runs or not.

use std::process::ExitCode;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::control::{Client, MuteCommand, PersistentMute, wire::ControlRequest};

pub(crate) const MUTE_EXAMPLES: &str = "\
Examples:
  joi mute                            the microphone is off until `joi unmute`, also after a restart
  joi mute && joi status              and shows it";

pub(crate) const UNMUTE_EXAMPLES: &str = "\
Examples:
  joi unmute                          the microphone is on again
  joi unmute && joi run               before the start, when joi was muted before";

pub(crate) const TOGGLE_EXAMPLES: &str = "\
Examples:
  joi toggle                          for one button
  pkill -USR1 -x joi                  the same, without the program joi at hand";

/// Turns the switch, through the running program or else where its position is kept.
pub(crate) fn run(order: MuteCommand, context: &CliContext) -> anyhow::Result<ExitCode> {
    let ask = match order {
        MuteCommand::Mute => ControlRequest::Mute,
        MuteCommand::Unmute => ControlRequest::Unmute,
        MuteCommand::Toggle => ControlRequest::Toggle,
    };
    if let Some(mut client) = Client::connect(&context.paths.runtime)? {
        let (muted, warning) = client.turn(ask)?;
        show::line(if muted { "muted" } else { "not muted" })?;
        if let Some(warning) = warning {
            show::remark(format!("{} {warning}", show::coloured(Tone::Fair, "!")));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (kept, _) = PersistentMute::read(&context.paths.data);
    let turned = kept.turn(order);
    if let Some(fault) = turned.fault {
        return Err(fault.into());
    }
    let position = if turned.muted { "muted" } else { "not muted" };
    show::line(format!("{position}; joi is not running, this holds from its next start"))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns whether the owner has switched the microphone off.
pub(super) fn is_muted(context: &CliContext) -> bool {
    let running = Client::connect(&context.paths.runtime).ok().flatten();
    match running.and_then(|mut client| client.status().ok()) {
        Some(status) => status.muted,
        None => PersistentMute::read(&context.paths.data).0.switch().is_muted(),
    }
}
