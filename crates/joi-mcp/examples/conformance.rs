//! A client for the official conformance suite: `conformance client --command target/…/examples/conformance`.
//!
//! The suite starts it once for each scenario, with the address of its server as the last argument and the scenario in
//! the environment. It connects as joi does, lists the tools, and calls them: those that the suite names, else all.

use std::process::ExitCode;
use std::time::Duration;

use joi_mcp::{Beginning, InputAnswers, ListedTool, McpConnection, Secrets, ServerEntry};
use serde_json::{Map, Value, json};

/// Time limit of a call, without progress and with it.
const LIMITS: (Duration, Duration) = (Duration::from_secs(15), Duration::from_secs(15));

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let Some(url) = std::env::args().next_back() else { return ExitCode::FAILURE };
    let scenario = variable("MCP_CONFORMANCE_SCENARIO");
    let version = variable("MCP_CONFORMANCE_PROTOCOL_VERSION");
    match run(url, &scenario, &version, &variable("MCP_CONFORMANCE_CONTEXT")).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{scenario}: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: String, scenario: &str, version: &str, context: &str) -> Result<(), String> {
    let entry = ServerEntry { url, ..ServerEntry::default() };
    let beginning = match (scenario, version) {
        // Its server speaks the newest revision, and takes a handshake alone.
        ("json-schema-ref-no-deref", _) => Beginning::Initialize,
        (_, "2026-07-28") => Beginning::Discover,
        _ => Beginning::Initialize,
    };
    let answers = if scenario.starts_with("elicitation") || scenario.starts_with("sep-2322") {
        InputAnswers::Defaults
    } else {
        InputAnswers::Nothing
    };
    let secrets = Secrets::default();
    let connection = McpConnection::once(entry, secrets, beginning, answers).await;
    let connection = connection.map_err(|fault| fault.why().to_owned())?;
    let tools = connection.list().await?;
    for (name, arguments) in calls(scenario, context, &tools) {
        // A refusal is an answer too.
        match connection.call(&name, arguments, LIMITS).await {
            Ok(result) => println!("{name}: {result}"),
            Err(fault) => println!("{name}: {fault}"),
        }
    }
    connection.close().await;
    Ok(())
}

/// Returns the calls of a scenario.
fn calls(scenario: &str, context: &str, tools: &[ListedTool]) -> Vec<(String, Map<String, Value>)> {
    let context: Value = serde_json::from_str(context).unwrap_or_default();
    let object = |value: &Value| value.as_object().cloned().unwrap_or_default();
    if let Some(wanted) = context["toolCalls"].as_array() {
        let call = |call: &Value| {
            let name = call["name"].as_str().unwrap_or_default().to_owned();
            (name, object(&call["arguments"]))
        };
        return wanted.iter().map(call).collect();
    }
    let arguments = match scenario {
        "tools_call" => json!({ "a": 5, "b": 3 }),
        "json-schema-ref-no-deref" => return Vec::new(),
        // The schema goes back as it came.
        "json-schema-2020-12-preservation" => {
            let schema = tools
                .iter()
                .find(|tool| tool.described.name == "json_schema_2020_12_tool")
                .map(|tool| &tool.described.schema);
            return vec![("json_schema_echo".to_owned(), object(&json!({ "schema": schema })))];
        }
        _ => json!({}),
    };
    tools.iter().map(|tool| (tool.described.name.clone(), object(&arguments))).collect()
}
