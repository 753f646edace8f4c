//! `joi events`: what she is doing, as a stream that ends with the program.

use std::process::ExitCode;

use super::context::CliContext;
use super::show::{self, Tone};
use crate::control::wire::{ControlAnswer, ControlEvent};
use crate::control::{Client, StateEvent};
use joi_base::message::Activity;

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
    let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(super::not_running)?;
    client.events(|event| -> anyhow::Result<()> {
        let line = if args.human { told(event) } else { json(event) };
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

/// A state for people.
pub(super) fn told(event: &StateEvent) -> String {
    let time = event.at.parse::<jiff::Timestamp>().map_or_else(
        |_| event.at.clone(),
        |at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string(),
    );
    let state = show::coloured(mood(event.state), event.state.name());
    let note = event.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    format!("{time} {state}{note}")
}

/// The colour of a state.
pub(super) fn mood(state: Activity) -> Tone {
    match state {
        Activity::Idle => Tone::Quiet,
        Activity::Listening | Activity::Speaking => Tone::Good,
        Activity::Thinking | Activity::Timer => Tone::Fair,
        Activity::Muted | Activity::Error => Tone::Bad,
    }
}
