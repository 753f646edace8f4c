//! `joi restore`: a backup back into its place, after everything in it was checked.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use super::context::Wants;
use super::{show, stoppable};
use crate::backup::{self, RestoreTarget, RestoredBackup, VerifiedBackup};
use crate::control::Client;
use joi_base::clock::{Clock as _, SystemClock};
use joi_base::paths::Paths;

const EXAMPLES: &str = "\
Examples:
  joi restore joi-backup-20261124T120000Z.tar.gz --dry-run   checks it, and shows what would be restored
  joi restore joi-backup-20261124T120000Z.tar.gz             restores it; stop joi first
  joi restore safe.tar.gz --json

Nothing is deleted: what was there is kept in a folder before-restore-DATE beside it. On another machine paths
below the home directory are mapped; `joi models fetch` brings the models.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RestoreArgs {
    /// The backup, as `joi backup` has written it
    file: PathBuf,
    /// Only check it, and show what would be restored
    #[arg(long)]
    dry_run: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: RestoreArgs, wants: Wants) -> anyhow::Result<ExitCode> {
    // The configuration of this machine is not read: there may be none yet, or a broken one.
    let mut paths = Paths::discover()?;
    if let Some(file) = wants.config {
        paths.config = std::path::absolute(file)?;
    }
    if !args.dry_run && Client::connect(&paths.runtime)?.is_some() {
        anyhow::bail!(
            "joi is running; stop it (`systemctl --user stop joi`, or Ctrl-C in its terminal), then restore again"
        );
    }
    let home = std::env::home_dir();
    let file = args.file.clone();
    let verified = stoppable::run(move |stop| backup::verify(&file, RestoreTarget { paths, home, stop }))?;
    let (places, remarks) = (verified.places(), verified.remarks().to_vec());
    let made = summary(&verified);
    let restored = match args.dry_run {
        true => None,
        false => Some(verified.restore(SystemClock.now().timestamp())?),
    };
    if args.json {
        let files: Vec<_> =
            places.iter().map(|(name, place)| json!({ "name": name, "place": place })).collect();
        let kept = restored.as_ref().map(|restored| restored.kept.clone()).unwrap_or_default();
        let told =
            json!({ "restored": restored.is_some(), "files": files, "kept": kept, "remarks": remarks });
        show::line(serde_json::to_string_pretty(&told)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    show::line(made)?;
    let verb = if restored.is_some() { "restored" } else { "would restore" };
    for (name, place) in &places {
        show::line(format!("{verb} {name} as {}", place.display()))?;
    }
    if let Some(RestoredBackup { kept, .. }) = &restored {
        for folder in kept {
            show::line(format!("what was there is in {}", folder.display()))?;
        }
    }
    remarks.iter().for_each(show::remark);
    Ok(ExitCode::SUCCESS)
}

fn summary(verified: &VerifiedBackup) -> String {
    let manifest = verified.manifest();
    let secrets = if manifest.with_secrets { "with secrets" } else { "without secrets" };
    format!("a sound backup of joi {}, made at {}, {secrets}", manifest.joi, manifest.made_at)
}
