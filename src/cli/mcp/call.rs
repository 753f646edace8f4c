//! `joi mcp call`: calls a tool once, and prints its result.
//!
//! Main thread; starts the server. The owner asks for the call, so that nothing is confirmed; a tool that is denied is not
//! called. Arguments are checked as those of a model are.

use std::process::ExitCode;

use jiff::Zoned;
use serde_json::{Value, json};

use super::look;
use super::trial::ServerTrial;
use crate::cli::context::CliContext;
use crate::cli::show;
use joi_mcp::{McpServer, ServerStatus};
use joi_tools::{Arguments, Call, Source, fence};

#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// Which server
    server: String,
    /// Which tool, as the server calls it
    tool: String,
    /// Arguments: one JSON object, or NAME=VALUE each; a value that is JSON is taken as such
    arguments: Vec<String>,
}

pub(super) fn run(args: &CallArgs, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let server = look::named(&args.server, context)?;
    let arguments = arguments(&args.arguments)?;
    let result = context.block_on(async {
        let trial = ServerTrial::start(vec![server.clone()], context).await?;
        // Both arms are cancel-safe: a call that is dropped is cancelled at the server.
        let result = tokio::select! {
            result = called(&trial, &server, &args.tool, &arguments, context) => result,
            () = trial.stop().cancelled() => Err(anyhow::anyhow!("stopped; whether it did anything is not known")),
        };
        trial.end().await;
        result
    })?;
    let (text, code) = match &result {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(why) => (why, ExitCode::FAILURE),
    };
    if as_json {
        show::line(json!({ "failed": result.is_err(), "text": text }))?;
    } else if result.is_ok() {
        show::line(text)?;
    } else {
        show::remark(text);
    }
    Ok(code)
}

/// Returns the result of a call, or why the tool failed.
async fn called(
    trial: &ServerTrial,
    server: &McpServer,
    tool: &str,
    arguments: &Arguments,
    context: &CliContext,
) -> anyhow::Result<Result<String, String>> {
    let status = trial.status();
    let name = offered(status.first(), server, tool)?;
    let tools = trial.tools();
    let Some(tool) = tools.toolbox.get(&name) else { anyhow::bail!("{tool} is denied by the configuration") };
    let (now, language) = (Zoned::now(), context.language()?);
    let effect = tool.effect(arguments);
    let call =
        Call { arguments, effect, now: &now, source: Source::Own, language: &language, conversation: "" };
    let done = joi_tools::run(&**tool, call).await;
    let plain = |text: &str| text.replace(fence::BEGIN, "").replace(fence::END, "").trim().to_owned();
    Ok(done.map(|output| output.text).map_err(|error| plain(&error.to_string())))
}

/// Returns the name of a tool in the registry.
fn offered(status: Option<&ServerStatus>, server: &McpServer, tool: &str) -> anyhow::Result<String> {
    let name = &server.name;
    let Some(status) = status.filter(|status| status.is_up()) else {
        let about = status.map(|status| format!("{} {}", status.state, status.about)).unwrap_or_default();
        anyhow::bail!("{name} does not work: {}", about.trim());
    };
    match status.tools.iter().find(|row| row.tool == tool || row.name == tool) {
        Some(row) => Ok(row.name.clone()),
        None => {
            let known: Vec<&str> = status.tools.iter().map(|row| row.tool.as_str()).collect();
            anyhow::bail!("{name} has no tool {tool}; it has: {}", known.join(", "))
        }
    }
}

/// Returns the arguments of a line.
fn arguments(given: &[String]) -> anyhow::Result<Arguments> {
    if let [only] = given
        && let Ok(Value::Object(all)) = serde_json::from_str(only)
    {
        return Ok(all);
    }
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            Ok((name.to_owned(), value))
        }
        _ => Err(anyhow::anyhow!("{text} is neither NAME=VALUE nor a JSON object")),
    };
    given.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_mcp::ServerEntry;

    #[test]
    fn arguments_are_an_object_or_pairs() {
        let read = |given: &[&str]| arguments(&given.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        let told = |given: &[&str]| Value::Object(read(given).unwrap());
        assert_eq!(told(&[]), json!({}));
        assert_eq!(told(&[r#"{"a": [1]}"#]), json!({ "a": [1] }));
        assert_eq!(
            told(&["a=5", "b=Rome", "c=true", "d=x=y"]),
            json!({ "a": 5, "b": "Rome", "c": true, "d": "x=y" })
        );
        assert!(read(&["Rome"]).unwrap_err().to_string().starts_with("Rome is neither"));
    }

    #[test]
    fn a_tool_that_is_not_there_is_answered_with_those_that_are() {
        let server = McpServer { id: "t".into(), name: "t".into(), entry: ServerEntry::default() };
        let down = ServerStatus {
            name: "t".into(),
            id: "t".into(),
            state: "down".into(),
            about: "it ended".into(),
            tools: Vec::new(),
        };
        let fault = |status: Option<&ServerStatus>| offered(status, &server, "x").unwrap_err().to_string();
        assert_eq!(fault(Some(&down)), "t does not work: down it ended");
        let up = ServerStatus { state: "up".into(), ..down };
        assert_eq!(fault(Some(&up)), "t has no tool x; it has: ");
    }
}
