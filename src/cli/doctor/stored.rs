//! Checks the stored data: what a damaged database has cost, and which snapshots there are.
//!
//! Reads the database and its folder; `--acknowledge` is the only thing here that writes.

use std::process::ExitCode;

use super::row::Row;
use crate::cli::context::CliContext;
use crate::cli::show;
use joi_base::paths::Paths;
use joi_store::{self as store, Store};

pub(super) fn checks(paths: &Paths) -> Vec<Row> {
    let database = paths.database();
    let remedy = "`joi doctor --acknowledge` when you know; the damaged file stays where it is";
    let mut rows: Vec<Row> = store::unacknowledged(&database)
        .iter()
        .map(|loss| match loss.is_loss() {
            true => Row::bad("stored data", loss.summary(), remedy),
            false => Row::fair("stored data", loss.summary(), remedy),
        })
        .collect();
    let snapshots = store::snapshots(&database);
    rows.push(match snapshots.first() {
        Some(newest) => {
            let told = format!("{} kept, the newest of {}", snapshots.len(), store::snapshot_day(newest));
            Row::good("snapshots", told)
        }
        None => Row::good("snapshots", "none yet; `joi run` takes one a day"),
    });
    rows
}

pub(super) fn acknowledge(context: &CliContext) -> anyhow::Result<ExitCode> {
    let file = context.paths.database();
    if !file.exists() {
        show::line("there is nothing to acknowledge")?;
        return Ok(ExitCode::SUCCESS);
    }
    context.block_on(async {
        let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
        let count = store.acknowledge_losses().await?;
        store.close().await?;
        show::line(match count {
            0 => "there is nothing to acknowledge".to_owned(),
            1 => "acknowledged; the damaged file stays where it is".to_owned(),
            many => format!("acknowledged {many} losses; the damaged files stay where they are"),
        })?;
        Ok(ExitCode::SUCCESS)
    })
}
