//! `joi events`: prints every change of the shown state, until the program ends.
//!
//! Main thread. In: the control socket. Out: one line for each change on stdout.

use std::process::ExitCode;

use super::context::CliContext;
use super::show;
use crate::control::wire::{ControlAnswer, ControlEvent};
use crate::control::{Client, StateEvent};

const EXAMPLES: &str = "\
Examples:
  joi events                          one JSON object for each change of the state
  joi events --human                  the same for people
  joi events | jq --unbuffered -r .state";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EventsArgs {
    /// One readable line instead of JSON
    #[arg(long)]
    human: bool,
}

pub(crate) fn run(args: EventsArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(super::exit::not_running)?;
    client.events(|event| -> anyhow::Result<()> {
        let line = if args.human { readable(event) } else { json(event) };
        // Stdout keeps lines back when it is a pipe.
        show::line(line)?;
        show::flush()?;
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn json(event: &StateEvent) -> String {
    ControlAnswer::State(ControlEvent::State(event.clone())).line().trim_end().to_owned()
}

/// Returns a state as a line for people.
fn readable(event: &StateEvent) -> String {
    let time = event.at.parse::<jiff::Timestamp>().map_or_else(
        |_| event.at.clone(),
        |at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string(),
    );
    let state = show::coloured(event.state.tone(), event.state.name());
    let note = event.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    format!("{time} {state}{note}")
}
