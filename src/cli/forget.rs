//! `joi forget`: erase all stored dialogue, the records of turns, and everything she remembers.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use super::session::Session;
use super::show;
use crate::store::Store;

const EXAMPLES: &str = "\
Examples:
  joi forget            asks first
  joi forget --yes      does not ask
  joi memory forget WORDS erases what is about something only";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Don't ask
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(args: Args, session: &Session) -> anyhow::Result<ExitCode> {
    let file = session.paths.database();
    if !file.exists() {
        show::line("there is nothing to forget")?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        anyhow::ensure!(
            std::io::stdin().is_terminal(),
            "say --yes to erase all dialogue without being asked"
        );
        if !is_confirmed()? {
            show::line("nothing was erased")?;
            return Ok(ExitCode::FAILURE);
        }
    }
    session.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let erased = store.forget_all().await?;
        store.close().await?;
        let history = session.paths.data.join("history.txt");
        if history.exists() {
            std::fs::remove_file(history)?;
        }
        let memories = match erased.memories {
            0 => String::new(),
            count => format!(" and {count} memories"),
        };
        show::line(format!(
            "erased {} messages and {} turn records{memories}",
            erased.messages, erased.turns
        ))?;
        Ok(ExitCode::SUCCESS)
    })
}

fn is_confirmed() -> anyhow::Result<bool> {
    write!(anstream::stderr(), "Erase all stored dialogue and everything she remembers? [y/N] ")?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
