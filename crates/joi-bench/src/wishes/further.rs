//! Tools of programs that are not there, among which a request has to find the right one.
//!
//! Plain data from `tests/data/wishes/further.toml`; each answers that it ran.

use std::sync::Arc;
use std::time::Duration;

use joi_tools::foreign::{
    Approval, DescribedTool, ForeignCall, ForeignFault, ForeignProgram, ForeignTool, ToolAllowance,
};
use joi_tools::{Arguments, Tool};
use serde::Deserialize;
use serde_json::json;

const FURTHER: &str = include_str!("../../../../tests/data/wishes/further.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FurtherTools {
    tool: Vec<FurtherTool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FurtherTool {
    program: String,
    name: String,
    description: String,
}

/// Says that it ran.
struct Ran;

impl ForeignCall for Ran {
    fn call<'a>(
        &'a self,
        _: &'a Arguments,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<String, ForeignFault>> + Send + 'a>> {
        Box::pin(async { Ok("done".to_owned()) })
    }

    fn time_limit(&self) -> Duration {
        Duration::from_secs(1)
    }
}

/// Returns the first `count` of them; each takes one text.
pub(super) fn tools(count: usize) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let FurtherTools { tool } = toml::from_str(FURTHER)?;
    let allow = ["*".to_owned()];
    let made = tool.into_iter().take(count).flat_map(|FurtherTool { program, name, description }| {
        let schema = json!({
            "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"],
        });
        let described = DescribedTool { name, description, schema, ..DescribedTool::default() };
        let allowance = ToolAllowance { allow: &allow, ..ToolAllowance::default() };
        let program = ForeignProgram { id: &program, name: &program, allowance, cues: &[] };
        let call: Arc<dyn ForeignCall> = Arc::new(Ran);
        ForeignTool::all(&program, vec![(described, Approval::Same, call)])
    });
    Ok(made.map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect())
}
