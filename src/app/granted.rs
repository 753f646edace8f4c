//! Runs a call that the owner has granted.
//!
//! Future of the caller. The gate judges it once more: what no yes opens stays closed.

use joi_agent::Engine;
use joi_agent::model::ChatModel;
use joi_base::clock::Clock;
use joi_tools::gate::{AgentCall, Consent, GateVerdict, StandingPermission, Taint, judge_agent};
use joi_tools::{self as tools, Arguments, Call, Source};

/// Runs the tool `name`; returns its text and whose words that is.
///
/// # Errors
/// There is no such tool any more, the gate forbids it, or it failed; one sentence.
pub(super) async fn granted<M: ChatModel>(
    engine: &Engine<M>,
    clock: &dyn Clock,
    (name, arguments): (&str, &Arguments),
) -> Result<(String, Source), String> {
    let snapshot = engine.parts.tools.snapshot();
    let tool = snapshot.toolbox.get(name).ok_or("there is no such tool any more")?;
    // What strangers may have wanted was not asked about where no yes counts.
    let (standing, consent) = (StandingPermission::None, Consent::Given);
    let call = AgentCall { tool: &**tool, arguments, taint: Taint::Clean, standing, consent };
    let verdict = judge_agent(&call, &engine.parts.tool_rules);
    if verdict != GateVerdict::Allow {
        return Err(verdict.reason().to_owned());
    }
    let (now, language) = (&clock.now(), &*engine.language());
    let effect = tool.effect(arguments);
    match tools::run(
        &**tool,
        Call { arguments, effect, now, source: Source::Own, language, conversation: "" },
    )
    .await
    {
        Ok(output) => Ok((output.text, output.source)),
        Err(error) => Err(error.to_string()),
    }
}
