//! `joi models`: every model in one table, and which of them answers.
//!
//! In: the manifest, the owner's models, what was measured, the running program or else Ollama. Out: a table or JSON.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::app;
use crate::cli::context::CliContext;
use crate::cli::show::{self, Tone};
use crate::control::{AnsweringModel, Client};
use joi_base::machine::MemoryRoom;
use joi_llm::{
    BetterModel, FileExaminer, FileState, LocalModels, LocalWish, ModelCandidate, PassedOver, choose_local,
    forecast, served_name,
};
use joi_models::{InstallState, ManifestModel, ModelLibrary};

/// One model.
struct ModelRow {
    name: String,
    about: String,
    licence: String,
    /// Bytes on disk; of what is not there, as published.
    bytes: Option<u64>,
    /// Bytes of memory; known of chat models that are there.
    needs: Option<u64>,
    tokens_per_s: Option<f32>,
    state: &'static str,
    mood: Tone,
    /// Why it is in that state.
    why: Option<String>,
    is_chat: bool,
    is_default: bool,
    answers: bool,
}

pub(super) fn run(library: &ModelLibrary, as_json: bool, context: &CliContext) -> anyhow::Result<ExitCode> {
    let config = &context.config().llm;
    let models = app::local_models(context.config(), &context.paths)?;
    let candidates = FileExaminer::default().examine(&models, config);
    let status = Client::connect(&context.paths.runtime).ok().flatten().and_then(|mut now| now.status().ok());
    let is_running = status.is_some();
    let answering = match status {
        Some(status) => status.models.answering,
        None => context
            .block_on(async { Ok(forecast(config, &candidates).await) })?
            .map(|(model, by)| AnsweringModel { model, by: by.name().to_owned() }),
    };
    let local = answering.as_ref().filter(|now| now.by == "local").map(|now| now.model.as_str());
    let answers = |one: &ModelCandidate| local == Some(served_name(&one.gguf).as_str());
    let room = MemoryRoom::now();
    let mut rows = Vec::new();
    let needed = app::needed_models(context.config(), library);
    for model in &library.manifest().models {
        let row = of_manifest(model, library, needed.contains(&model.name.as_str()))?;
        rows.push(match candidates.iter().find(|one| one.name == model.name) {
            Some(one) => of_chat(row, one, room, answers(one)),
            None => row,
        });
    }
    rows.extend(
        own(&candidates, &models, library).map(|one| of_chat(unlisted(one), one, room, answers(one))),
    );
    rows.extend(answering.as_ref().filter(|now| now.by != "local").map(of_ollama));
    if as_json {
        let rows: Vec<Value> = rows.iter().map(ModelRow::json).collect();
        show::line(serde_json::to_string_pretty(&rows)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = show::table(["NAME", "FOR", "SIZE", "MEMORY", "SPEED HERE", "STATE", "LICENCE"]);
    for row in &rows {
        table.add_row(row.cells());
    }
    show::line(table)?;
    show::line(format!("\nin {}", library.shown_dirs()))?;
    let told = if is_running { "answers now" } else { "would answer" };
    match &answering {
        Some(AnsweringModel { model, by }) => show::line(format!("{told}: {model} ({by})"))?,
        None => show::line(format!("{told}: none; `joi doctor` tells why"))?,
    }
    if local.is_some()
        && let Some(better) = better(&candidates, config.local.trim(), local)
    {
        show::line(better)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the owner's models: those that the manifest does not list.
fn own<'a>(
    candidates: &'a [ModelCandidate],
    models: &'a LocalModels,
    library: &'a ModelLibrary,
) -> impl Iterator<Item = &'a ModelCandidate> {
    let is_listed = |one: &&ModelCandidate| library.manifest().model(&one.name).is_none();
    candidates.iter().take(models.chat.len()).filter(is_listed)
}

/// Returns why the best model does not answer.
fn better(candidates: &[ModelCandidate], wanted: &str, local: Option<&str>) -> Option<BetterModel> {
    let running = candidates.iter().find(|one| local == Some(served_name(&one.gguf).as_str()));
    let running = running.map(|one| one.name.as_str());
    let wish = LocalWish { wanted, room: MemoryRoom::now(), running };
    choose_local(candidates, &wish).why_not_better(candidates)
}

fn of_manifest(model: &ManifestModel, library: &ModelLibrary, is_needed: bool) -> anyhow::Result<ModelRow> {
    let (state, mood, why) = match library.state(&model.name)? {
        InstallState::Present => ("there", Tone::Good, None),
        InstallState::Missing if is_needed => ("not fetched", Tone::Fair, None),
        InstallState::Missing => ("not fetched", Tone::Quiet, None),
        InstallState::Damaged { why } => ("damaged", Tone::Bad, Some(why)),
    };
    let here = |arch: &Option<String>| arch.as_deref().is_none_or(|arch| arch == std::env::consts::ARCH);
    let files = model.files.iter().filter(|file| here(&file.arch));
    Ok(ModelRow {
        name: model.name.clone(),
        about: model.about.clone(),
        licence: model.licence.clone(),
        bytes: files.map(|file| file.size).sum(),
        needs: None,
        tokens_per_s: None,
        state,
        mood,
        why,
        is_chat: false,
        is_default: is_needed,
        answers: false,
    })
}

fn unlisted(candidate: &ModelCandidate) -> ModelRow {
    ModelRow {
        name: candidate.name.clone(),
        about: format!("a chat model of yours, {}", candidate.gguf.display()),
        licence: "as you know".to_owned(),
        bytes: None,
        needs: None,
        tokens_per_s: None,
        state: "there",
        mood: Tone::Good,
        why: None,
        is_chat: true,
        is_default: false,
        answers: false,
    }
}

fn of_ollama(answering: &AnsweringModel) -> ModelRow {
    ModelRow {
        name: answering.model.clone(),
        about: format!("the chat model on {}", answering.by),
        licence: String::new(),
        bytes: None,
        needs: None,
        tokens_per_s: None,
        state: "there",
        mood: Tone::Good,
        why: None,
        is_chat: true,
        is_default: false,
        answers: true,
    }
}

/// `row` with what is known of the chat model `one`.
fn of_chat(row: ModelRow, one: &ModelCandidate, room: Option<MemoryRoom>, answers: bool) -> ModelRow {
    // What answers has its memory already, and is fast enough for want of a better one.
    let obstacle = PassedOver::of(one, room.filter(|_| !answers), !answers);
    let (state, mood) = match &obstacle {
        None => ("there", Tone::Good),
        Some(PassedOver::Unknown | PassedOver::NotFetched) => ("not fetched", row.mood),
        Some(PassedOver::Damaged { .. }) => ("damaged", Tone::Bad),
        Some(PassedOver::Unfit { .. }) => ("no chat model", Tone::Bad),
        Some(PassedOver::Fails { .. }) => ("can't be run", Tone::Bad),
        Some(PassedOver::TooBigForMachine { .. }) => ("too big for this machine", Tone::Quiet),
        Some(PassedOver::TooBigNow { .. } | PassedOver::TooLarge { .. }) => {
            ("too big for the free memory", Tone::Fair)
        }
        Some(PassedOver::TooSlow { .. }) => ("too slow for this machine", Tone::Fair),
    };
    let (bytes, needs) = match &one.state {
        FileState::There { bytes, needs, .. } => (Some(*bytes), Some(*needs)),
        FileState::Missing
        | FileState::Damaged { .. }
        | FileState::Unfit { .. }
        | FileState::Fails { .. }
        | FileState::TooLarge { .. } => (row.bytes, None),
    };
    let why = obstacle.map(|obstacle| obstacle.explained(&one.name, &one.remedy).to_string());
    let tokens_per_s = one.tokens_per_s;
    ModelRow { bytes, needs, tokens_per_s, state, mood, why, is_chat: true, answers, ..row }
}

impl ModelRow {
    fn json(&self) -> Value {
        json!({
            "name": self.name, "about": self.about, "licence": self.licence, "default": self.is_default,
            "bytes": self.bytes, "memory": self.needs, "tokens_per_s": self.tokens_per_s,
            "state": self.state, "why": self.why, "chat": self.is_chat, "answers": self.answers,
        })
    }

    fn cells(&self) -> [String; 7] {
        let state = if self.answers { format!("{}, answers", self.state) } else { self.state.to_owned() };
        let speed = match self.tokens_per_s {
            Some(speed) => format!("{speed:.1} tokens/s"),
            None if self.is_chat && self.needs.is_some() => "not measured".to_owned(),
            None => String::new(),
        };
        [
            self.name.clone(),
            self.about.clone(),
            self.bytes.map(show::bytes).unwrap_or_default(),
            self.needs.map(show::bytes).unwrap_or_default(),
            speed,
            show::coloured(self.mood, state),
            self.licence.clone(),
        ]
    }
}
