//! Slash commands: questions about the last answer, the timers, the tools and the model.
//!
//! In: a line. Out: what it asks for is printed; any other line belongs to the conversation.

use super::show::{self, Tone};
use super::{timers, why};
use crate::app::Brain;
use joi_agent::Session;
use joi_base::trace::TurnRecord;
use joi_schedule::ScheduleOrder;

/// The commands, with what they show.
const COMMANDS: [(&str, &str); 5] = [
    ("/why", "what was decided about the last answer, and where its time went"),
    ("/timers", "what is set, what rings, what was missed"),
    ("/tools", "what joi can do beside talking"),
    ("/model", "who thinks, and how"),
    ("/help", "these commands"),
];

/// Whether a line was a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slash {
    /// It was, and it is done.
    Done,
    /// An unknown command, which was reported.
    Unknown,
    /// It belongs to the conversation.
    NotOne,
}

/// Does what `line` commands. `last` is the last answer's record, if there was one since the start.
pub(crate) async fn run(
    line: &str,
    (brain, session): (&Brain, &Session),
    last: Option<&TurnRecord>,
) -> anyhow::Result<Slash> {
    let command = line.trim();
    if !command.starts_with('/') {
        return Ok(Slash::NotOne);
    }
    match command {
        "/why" => match last.cloned().or(earlier(brain).await?) {
            Some(turn) => why::show_turn(&turn)?,
            None => show::line("there was no answer yet")?,
        },
        "/timers" => match &brain.schedule {
            Some(schedule) => {
                timers::table(&schedule.obey(ScheduleOrder::List(None)).await?, &brain.languages.get())?
            }
            None => show::remark("there are no timers without a database; `joi doctor` tells why"),
        },
        "/tools" => {
            let mut table = show::table(["TOOL", "WHAT FOR"]);
            for (name, what) in brain.engine.tools(session) {
                table.add_row([name, what]);
            }
            show::line(table)?;
        }
        "/model" => {
            show::line(brain.engine.model())?;
            show::line(show::coloured(Tone::Quiet, brain.serving()))?;
        }
        "/help" => {
            for (name, what) in COMMANDS {
                show::line(format!("{name:<8} {what}"))?;
            }
        }
        unknown => {
            let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
            show::remark(format!("{unknown} is no command; there are {}", names.join(", ")));
            return Ok(Slash::Unknown);
        }
    }
    Ok(Slash::Done)
}

/// Returns the last turn of an earlier run.
async fn earlier(brain: &Brain) -> anyhow::Result<Option<TurnRecord>> {
    match &brain.store {
        Some(store) => Ok(store.last_turn().await?),
        None => Ok(None),
    }
}
