//! `joi backup`: everything that can't be made or fetched again, in one file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::context::CliContext;
use super::{show, stoppable};
use crate::app::backups;
use crate::backup::{self, BackupSecrets, WrittenBackup};
use joi_base::clock::{Clock as _, SystemClock};

const EXAMPLES: &str = "\
Examples:
  joi backup                            joi-backup-DATE.tar.gz in the present folder
  joi backup /media/stick               the same on a stick
  joi backup --with-secrets safe.tar.gz with tokens and passwords: keep it as you keep those
  joi backup --json | jq -r .file
  tar -tzf joi-backup-*.tar.gz          what is in one

Database, configuration, own languages and wake phrases are in it, models are not. `joi run` may go on
meanwhile. `joi restore FILE` brings it back, on another machine too. Automatic backups: [backup] of the
configuration.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BackupArgs {
    /// The new file, or a folder for it [default: joi-backup-DATE.tar.gz here]
    file: Option<PathBuf>,
    /// Tokens and passwords too: of the house, of ntfy, and addresses with a login
    #[arg(long)]
    with_secrets: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: BackupArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    let now = SystemClock.now().timestamp();
    let file = destination(args.file.as_deref(), &backup::file_name(now));
    let mut source = backups::source(&context.paths);
    if args.with_secrets {
        source.secrets = BackupSecrets::Kept(backup::secret_files(context.config()));
    }
    let written = stoppable::run(move |stop| {
        source.stop = stop;
        backup::write(&source, &file, now)
    })?;
    if args.json {
        show::line(serde_json::to_string_pretty(&as_json(&written))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let WrittenBackup { file, bytes, manifest } = written;
    let names: Vec<&str> = manifest.members.iter().map(backup::ArchivedFile::name).collect();
    show::line(format!("wrote {} ({}): {}", file.display(), show::bytes(bytes), names.join(", ")))?;
    if manifest.with_secrets {
        show::remark("it holds tokens and passwords: keep it as you keep those");
    } else if !manifest.left_out.is_empty() {
        let left_out = manifest.left_out.join(", ");
        show::remark(format!("left out as secrets: {left_out}; --with-secrets keeps them"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the file that is meant: a folder gets one of the usual name.
fn destination(named: Option<&Path>, usual: &str) -> PathBuf {
    match named {
        None => PathBuf::from(usual),
        Some(folder) if folder.is_dir() => folder.join(usual),
        Some(file) => file.to_owned(),
    }
}

fn as_json(written: &WrittenBackup) -> serde_json::Value {
    let WrittenBackup { file, bytes, manifest } = written;
    json!({
        "file": file,
        "bytes": bytes,
        "made_at": manifest.made_at,
        "schema": manifest.schema,
        "with_secrets": manifest.with_secrets,
        "left_out": manifest.left_out,
        "members": manifest.members,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gets_a_file_of_the_usual_name() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(destination(None, "usual"), PathBuf::from("usual"));
        assert_eq!(destination(Some(folder.path()), "usual"), folder.path().join("usual"));
        let file = folder.path().join("mine.tar.gz");
        assert_eq!(destination(Some(&file), "usual"), file);
    }
}
