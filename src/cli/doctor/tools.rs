//! Checks the servers of tools: as the running program reports them, else by starting them.
//!
//! In: what it reports at the control socket, the configuration, the file of servers. Out: a row for each server.

use crate::app::checks::Row;
use crate::app::mcp;
use crate::cli::context::CliContext;
use crate::cli::mcp::ServerTrial;
use crate::control::{Client, ToolServerRow};
use joi_mcp::McpServers;

const WHAT: &str = "tool servers";

/// Returns a row for each server that is used; none is not a fault.
pub(super) fn checks(context: &CliContext) -> anyhow::Result<Vec<Row>> {
    let McpServers { all, remarks } = mcp::mcp_servers(context.config(), &context.paths);
    let file = McpServers::file(&context.config().mcp, &context.paths.config);
    let remedy = format!("correct {}", file.display());
    let mut rows: Vec<Row> = remarks.into_iter().map(|told| Row::fair(WHAT, told, remedy.clone())).collect();
    let running = Client::connect(&context.paths.runtime).ok().flatten();
    let reported = match running.and_then(|mut client| client.status().ok()) {
        Some(status) => status.tool_servers,
        None => {
            let used = all.into_iter().filter(|server| !server.entry.disabled).collect();
            started(used, context)?
        }
    };
    rows.extend(reported.iter().map(row));
    if rows.is_empty() {
        rows.push(Row::good(WHAT, "none; `joi mcp add` connects tools of other programs"));
    }
    Ok(rows)
}

fn started(used: Vec<joi_mcp::McpServer>, context: &CliContext) -> anyhow::Result<Vec<ToolServerRow>> {
    if used.is_empty() {
        return Ok(Vec::new());
    }
    context.block_on(async {
        let trial = ServerTrial::start(used, context).await?;
        let rows = trial.status().iter().map(mcp::status_row).collect();
        trial.end().await;
        Ok(rows)
    })
}

fn row(server: &ToolServerRow) -> Row {
    let ToolServerRow { name, is_well, told, .. } = server;
    let told = format!("{name}: {told}");
    match is_well {
        true => Row::good(WHAT, told),
        false => Row::bad(WHAT, told, format!("joi mcp test {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_does_not_work_is_a_fault_with_its_remedy() {
        let well = ToolServerRow { name: "time".into(), is_well: true, told: "2 tools".into(), tools: 2 };
        let row = |server: &ToolServerRow| {
            let row = row(server);
            (row.verdict(), row.told, row.remedy)
        };
        assert_eq!(row(&well), ("good", "time: 2 tools".to_owned(), String::new()));
        let down = ToolServerRow { is_well: false, told: "down: it ended".into(), tools: 0, ..well };
        assert_eq!(row(&down), ("bad", "time: down: it ended".to_owned(), "joi mcp test time".to_owned()));
    }
}
