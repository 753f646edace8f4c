//! Checks the servers of tools: as the running program reports them, else by starting them.
//!
//! In: what it reports at the control socket, the configuration, the file of servers. Out: a row for each server.

use tokio_util::sync::CancellationToken;

use crate::app;
use crate::app::ToolSources;
use crate::app::checks::Row;
use crate::cli::context::CliContext;
use crate::control::{Client, ToolServerRow};
use joi_mcp::McpServers;
use joi_tools::ToolRegistry;

const WHAT: &str = "tool servers";

/// Returns a row for each program that is used; none is not a fault.
pub(super) fn checks(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    let sources = ToolSources::new(context.config(), &context.paths, &ToolRegistry::default());
    let file = McpServers::file(&context.config().mcp, &context.paths.config);
    let remedy = format!("correct {}", file.display());
    let remarks = sources.remarks.iter();
    let mut rows: Vec<Row> = remarks.map(|told| Row::fair(WHAT, told, remedy.clone())).collect();
    let running = Client::connect(&context.paths.runtime).ok().flatten();
    let reported = match running.and_then(|mut client| client.status().ok()) {
        Some(status) => status.tool_servers,
        None if sources.is_empty() => Vec::new(),
        None => context.block_on(started(&sources))?,
    };
    rows.extend(reported.iter().map(|server| row(server, &sources.remedy(&server.name))));
    if rows.is_empty() {
        rows.push(Row::good(WHAT, "none; `joi mcp add` connects tools of other programs"));
    }
    Ok(rows)
}

/// Starts the programs, and ends them when each has its tools or has failed. A signal ends them too.
async fn started(sources: &ToolSources) -> anyhow::Result<Vec<ToolServerRow>> {
    let stop = CancellationToken::new();
    app::end_on_signal(stop.clone());
    let running = tokio::spawn(sources.clone().run(stop.clone()));
    // Both arms are cancel-safe.
    let is_stopped = tokio::select! {
        () = sources.settled(None) => false,
        () = stop.cancelled() => true,
    };
    let rows = sources.rows();
    stop.cancel();
    running.await?;
    if is_stopped {
        anyhow::bail!("stopped");
    }
    Ok(rows)
}

fn row(server: &ToolServerRow, remedy: &str) -> Row {
    let ToolServerRow { name, is_well, told, .. } = server;
    let told = format!("{name}: {told}");
    if *is_well { Row::good(WHAT, told) } else { Row::bad(WHAT, told, remedy) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_does_not_work_is_a_fault_with_its_remedy() {
        let well = ToolServerRow { name: "time".into(), is_well: true, told: "2 tools".into(), tools: 2 };
        let row = |server: &ToolServerRow| {
            let row = row(server, "joi mcp test time");
            (row.verdict(), row.told, row.remedy)
        };
        assert_eq!(row(&well), ("good", "time: 2 tools".to_owned(), String::new()));
        let down = ToolServerRow { is_well: false, told: "down: it ended".into(), tools: 0, ..well };
        assert_eq!(row(&down), ("bad", "time: down: it ended".to_owned(), "joi mcp test time".to_owned()));
    }
}
