//! `joi forget`: erase dialogue and memory, notes and lists, timers, or all of it, so that no byte of it stays.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use super::context::CliContext;
use super::show;
use crate::app;
use crate::backup::newest_in;
use joi_store::{Deleted, Forget, Store};

const EXAMPLES: &str = "\
Examples:
  joi forget                    the dialogue, goals, the records of turns, the memory and what was typed; asks first
  joi forget --notes            notes and lists
  joi forget --notes --timers   notes, lists, timers, alarms and reminders
  joi forget --all --yes        all of it, without being asked
  joi memory forget --about WORDS  what is about something only";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ForgetArgs {
    /// The dialogue, goals, the records of turns and what was typed; so if nothing else is named
    #[arg(long)]
    dialogue: bool,
    /// Notes and lists
    #[arg(long)]
    notes: bool,
    /// Timers, alarms and reminders
    #[arg(long)]
    timers: bool,
    /// All of it
    #[arg(long, conflicts_with_all = ["dialogue", "notes", "timers"])]
    all: bool,
    /// Don't ask
    #[arg(long)]
    yes: bool,
}

impl ForgetArgs {
    fn what(&self) -> Forget {
        let is_bare = !(self.notes || self.timers);
        Forget {
            dialogue: self.dialogue || self.all || is_bare,
            notes: self.notes || self.all,
            timers: self.timers || self.all,
        }
    }
}

pub(crate) fn run(args: ForgetArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let file = context.paths.database();
    if !file.exists() {
        show::line("there is nothing to forget")?;
        return Ok(ExitCode::SUCCESS);
    }
    let what = args.what();
    if !args.yes {
        anyhow::ensure!(
            std::io::stdin().is_terminal(),
            "say --yes to erase all {} without being asked",
            summary(what)
        );
        if !is_confirmed(what)? {
            show::line("nothing was erased")?;
            return Ok(ExitCode::FAILURE);
        }
    }
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let working = show::working("erasing");
        let erased = store.forget(what).await;
        working.finish_and_clear();
        let erased = erased?;
        store.close().await?;
        let history = context.paths.data.join("history.txt");
        if what.dialogue && history.exists() {
            std::fs::remove_file(history)?;
        }
        if what.timers {
            // What rings must stop; the program may not run.
            let wake_up = app::timers::wake_up(&context.paths);
            tokio::task::spawn_blocking(move || wake_up()).await?;
        }
        show::line(format!("erased {}", counted(what, erased)))?;
        if let Some(folder) = context.config().backup.folder().filter(|folder| newest_in(folder).is_some()) {
            show::remark(format!("backups in {} still hold it; remove them by hand", folder.display()));
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn parts(what: Forget) -> impl Iterator<Item = &'static str> {
    let named = [(what.dialogue, "dialogue"), (what.notes, "notes and lists"), (what.timers, "timers")];
    named.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, name)| name)
}

fn summary(what: Forget) -> String {
    parts(what).collect::<Vec<_>>().join(", ")
}

fn counted(what: Forget, erased: Deleted) -> String {
    let Deleted { messages, turns, notes, timers, memories, goals } = erased;
    let memories = if memories == 0 { String::new() } else { format!(" and {memories} memories") };
    let goals = if goals == 0 { String::new() } else { format!(" and {goals} goals and tasks") };
    let dialogue =
        what.dialogue.then(|| format!("{messages} messages and {turns} turn records{memories}{goals}"));
    let notes = what.notes.then(|| format!("{notes} notes and entries of lists"));
    let timers = what.timers.then(|| format!("{timers} timers"));
    [dialogue, notes, timers].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn is_confirmed(what: Forget) -> anyhow::Result<bool> {
    write!(anstream::stderr(), "Erase all stored {}? [y/N] ", summary(what))?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
