//! `joi alert`: try the alarm, list alarms, acknowledge them.

use std::process::ExitCode;

use serde_json::json;

use super::context::CliContext;
use super::exit::{EXIT_FAILED, not_running};
use super::show;
use crate::control::Client;
use crate::control::wire::ControlRequest;
use joi_proactive::alert::Alert;
use joi_store::Store;

const EXAMPLES: &str = "\
Examples:
  joi alert                          the last alarms, and who has heard them
  joi alert test                     try it: it is announced as a test, until you say \"stop\"
  joi alert ack                      all alarms were heard
  joi alert list --json | jq '.[] | select(.acknowledged == null)'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AlertArgs {
    #[command(subcommand)]
    action: Option<AlertCommand>,
    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum AlertCommand {
    /// The last alarms, newest first
    #[command(after_help = EXAMPLES)]
    List,
    /// Try the alarm: it says that it is a test
    #[command(after_help = EXAMPLES)]
    Test,
    /// All alarms were heard
    #[command(after_help = EXAMPLES, visible_alias = "ack")]
    Acknowledge,
}

pub(crate) fn run(args: AlertArgs, context: &CliContext) -> anyhow::Result<ExitCode> {
    match args.action.unwrap_or(AlertCommand::List) {
        AlertCommand::List => list(args.json, context),
        AlertCommand::Test => test(context),
        AlertCommand::Acknowledge => acknowledge(args.json, context),
    }
}

fn ask(request: ControlRequest, context: &CliContext) -> anyhow::Result<Option<usize>> {
    let mut client = Client::connect(&context.paths.runtime)?.ok_or_else(not_running)?;
    Ok(client.alarm(request)?)
}

fn test(context: &CliContext) -> anyhow::Result<ExitCode> {
    ask(ControlRequest::Alarm, context)?;
    Ok(ExitCode::SUCCESS)
}

fn acknowledge(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let heard = ask(ControlRequest::Acknowledge, context)?;
    if as_json {
        show::line(json!({ "heard": heard }))?;
        return Ok(ExitCode::SUCCESS);
    }
    show::line(match heard {
        Some(0) => "no alarm rings".to_owned(),
        Some(1) => "one alarm was acknowledged".to_owned(),
        Some(count) => format!("{count} alarms were acknowledged"),
        None => "the alarms are silent; the database does not answer".to_owned(),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn list(as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let file = context.paths.database();
    let rows = if file.exists() {
        context.block_on(async {
            let store = tokio::task::spawn_blocking(move || Store::open(&file)).await??;
            let rows = store.alerts(50).await?;
            store.close().await?;
            Ok(rows)
        })?
    } else {
        Vec::new()
    };
    let alerts = rows.into_iter().filter_map(|row| serde_json::from_str::<Alert>(&row.json).ok());
    let alerts: Vec<Alert> = alerts.collect();
    if as_json {
        show::line(json!(alerts))?;
        return Ok(ExitCode::SUCCESS);
    }
    if alerts.is_empty() {
        show::line("there was no alarm; `joi alert test` tries it")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (language, now) = (context.languages()?.get(), jiff::Zoned::now());
    let mut table = show::table(["WHEN", "ALARM", "SAID", "HEARD"]);
    for alert in &alerts {
        let heard = match (alert.acknowledged, alert.by) {
            (Some(at), Some(by)) => {
                format!("{} by {}", local(at, &now), json!(by).as_str().unwrap_or_default())
            }
            _ if alert.repeats() => "not yet".to_owned(),
            _ => String::new(),
        };
        let said = alert.sentence().sentence(&language, &now);
        table.add_row([local(alert.at, &now), alert.kind.name().to_owned(), said, heard]);
    }
    show::line(table)?;
    let is_open = alerts.iter().any(|alert| alert.acknowledged.is_none() && alert.repeats());
    Ok(if is_open { ExitCode::from(EXIT_FAILED) } else { ExitCode::SUCCESS })
}

fn local(at: jiff::Timestamp, now: &jiff::Zoned) -> String {
    at.to_zoned(now.time_zone().clone()).strftime("%d %b %H:%M:%S").to_string()
}
