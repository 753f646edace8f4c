//! `joi models measure`: loads each chat model once and has it write a little.
//!
//! On a runtime of its own, beside a program that runs. What was measured is kept for every later choice.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;

use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use joi_base::machine::MemoryRoom;
use joi_llm::{
    Ask, Backend, FileExaminer, FileState, LlmConfig, LocalModels, Mind, MindParts, ModelCandidate,
    PassedOver, RestartPolicy,
};

pub(super) fn run(names: &[String], context: &CliContext) -> anyhow::Result<ExitCode> {
    let models = app::local_models(context.config(), &context.paths)?;
    let config = &context.config().llm;
    let known = |name: &String| models.chat.iter().any(|one| one.name == *name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        bail!("there is no chat model \"{name}\"; `joi models` shows all");
    }
    let is_wanted = |one: &ModelCandidate| match &one.state {
        FileState::Missing => names.contains(&one.name),
        FileState::Damaged { .. }
        | FileState::Unfit { .. }
        | FileState::Fails { .. }
        | FileState::TooLarge { .. }
        | FileState::There { .. } => names.is_empty() || names.contains(&one.name),
    };
    let mut has_failed = false;
    for candidate in FileExaminer::default().examine(&models, config).iter().filter(|one| is_wanted(one)) {
        let told = context.block_on(async { Ok(measure(candidate, &models, config).await) })?;
        has_failed |= told.is_err();
        let (mood, sign) = if told.is_ok() { (Tone::Good, "✓") } else { (Tone::Bad, "✗") };
        let told = told.unwrap_or_else(|told| told);
        show::line(format!("{} {told}", show::coloured(mood, sign)))?;
    }
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Measures `candidate` and prints how fast it is, or why it was not measured.
async fn measure(
    candidate: &ModelCandidate,
    models: &LocalModels,
    config: &LlmConfig,
) -> Result<String, String> {
    let ModelCandidate { name, remedy, .. } = candidate;
    if let Some(obstacle) = PassedOver::of(candidate, MemoryRoom::now(), false) {
        return Err(obstacle.explained(name, remedy).to_string());
    }
    let FileState::There { sha256, .. } = &candidate.state else {
        return Err(format!("{name} is not there"));
    };
    let threads = config.threads.count();
    if let Err(error) = models.speeds.forget(sha256, threads) {
        show::remark(format!("what was measured can't be kept ({error})"));
    }
    let alone = LocalModels {
        chat: models.chat.iter().filter(|one| one.name == *name).cloned().collect(),
        ..models.clone()
    };
    let config = LlmConfig { backend: Backend::Local, local: name.clone(), ..config.clone() };
    let restarts = RestartPolicy { give_up_after: 1, ..RestartPolicy::default() };
    let head = Arc::new(|_: &str, _, _| vec![Ask::default()]);
    let mind = Mind::start(MindParts { config, local: alone, head, restarts });
    // It is measured before it is ready, since nobody asks it anything.
    let ready = mind.ready().await;
    mind.shutdown().await;
    ready.map_err(|error| error.to_string())?;
    let Some(speed) = models.speeds.of(sha256, threads) else {
        return Err(format!("{name} wrote too little to be measured"));
    };
    let measured = ModelCandidate { tokens_per_s: Some(speed), ..candidate.clone() };
    let slow = PassedOver::of(&measured, None, true);
    Ok(match slow {
        Some(slow) => slow.explained(name, remedy).to_string(),
        None => format!("{name} writes {speed:.1} tokens/s here"),
    })
}
