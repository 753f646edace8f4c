//! `joi doctor --acknowledge`: what a damaged database has cost is known.

use std::process::ExitCode;

use crate::cli::context::CliContext;
use crate::cli::show;
use joi_store::Store;

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
