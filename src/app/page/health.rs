//! How the parts are, for the page.
//!
//! In: the status board. Out: views; the checks block on a thread of their own.

use super::host::{RunningHost, device};
use crate::app::checks::{self, Row};
use crate::app::ears::measured_speech;
use crate::app::local_models;
use crate::control::{ServiceRow, ServiceState, Status, Tone};
use joi_llm::{FileState, ModelCandidate};
use joi_page::{
    CheckTone, CheckView, HealthHost, HealthView, LogView, ModelSpeed, ModelView, PageFault, PartView,
    ServiceView,
};

impl HealthHost for RunningHost {
    fn health(&self) -> HealthView {
        let status = self.board.status();
        let machine = status.machine.as_ref();
        HealthView {
            version: status.version.clone(),
            uptime_s: status.uptime_s as u64,
            services: status.services.iter().map(service).collect(),
            microphone: device(&status.microphone),
            speaker: device(&status.speaker),
            speech: status.models.whisper.clone(),
            voice: status.models.voice.clone(),
            chat: status.models.chat.clone(),
            has_chat: status.models.answering.is_some(),
            parts: parts(&status),
            queues: status.queues.iter().map(|one| (one.name.clone(), one.length, one.capacity)).collect(),
            temperature_c: machine.and_then(|machine| machine.temperature_c),
            memory: machine.and_then(|machine| machine.memory).map(|room| (room.free, room.total)),
            disk: machine.and_then(|machine| machine.disk).map(|room| (room.free, room.total)),
            log: status.errors.iter().rev().map(log).collect(),
            backups: status.backups.map(|backups| {
                let part = PartView { name: String::new(), is_well: backups.is_well, text: backups.told };
                (part, backups.newest)
            }),
        }
    }

    async fn models(&self) -> Result<Vec<ModelView>, PageFault> {
        let (config, paths, examiner) = (self.config.clone(), self.paths.clone(), self.examiner.clone());
        let models = move || {
            let speech = measured_speech(&config, &paths).unwrap_or_default();
            let speech = speech.into_iter().map(|(name, ms)| ModelView {
                name: name.to_owned(),
                speed: Some(ModelSpeed::SpeechMs(ms)),
                fault: None,
            });
            let chat = local_models(&config, &paths).map(|models| examiner.examine(&models, &config.llm));
            speech.chain(chat.unwrap_or_default().into_iter().map(chat_model)).collect()
        };
        tokio::task::spawn_blocking(models).await.map_err(PageFault::of)
    }

    async fn checks(&self) -> Result<Vec<CheckView>, PageFault> {
        let (config, paths) = (self.config.clone(), self.paths.clone());
        let rows = tokio::task::spawn_blocking(move || checks::at_rest(&config, &paths)).await;
        Ok(rows.map_err(PageFault::of)?.into_iter().map(check).collect())
    }
}

fn chat_model(model: ModelCandidate) -> ModelView {
    let fault = match model.state {
        FileState::There { .. } => None,
        FileState::Missing => Some(model.remedy),
        FileState::Damaged { why }
        | FileState::Unfit { why }
        | FileState::Fails { why }
        | FileState::TooLarge { why } => Some(why),
    };
    ModelView { name: model.name, speed: model.tokens_per_s.map(ModelSpeed::TokensPerSecond), fault }
}

fn service(row: &ServiceRow) -> ServiceView {
    let state = match row.state {
        ServiceState::Running => "running",
        ServiceState::Restarting => "restarting",
        ServiceState::GivenUp => "given_up",
        ServiceState::Ending => "ending",
        ServiceState::Ended => "ended",
        ServiceState::LeftBehind => "left_behind",
    };
    let missing = row.degraded.as_ref().map(|loss| match &row.why {
        Some(why) => format!("{loss} ({why})"),
        None => loss.clone(),
    });
    let note = missing.or_else(|| row.why.clone());
    ServiceView { name: row.name.clone(), state: state.to_owned(), restarts: row.restarts, note }
}

fn parts(status: &Status) -> Vec<PartView> {
    let house = status.home.iter().map(|home| PartView {
        name: "house".to_owned(),
        is_well: home.is_up,
        text: home.told.clone(),
    });
    let tools = status.tool_servers.iter().map(|server| PartView {
        name: server.name.clone(),
        is_well: server.is_well,
        text: server.told.clone(),
    });
    let carriers = status.messages.iter().flat_map(|messages| &messages.carriers).map(|carrier| PartView {
        name: carrier.name.clone(),
        is_well: carrier.is_up,
        text: carrier.told.clone(),
    });
    house.chain(tools).chain(carriers).collect()
}

fn log(entry: &crate::control::JournalEntry) -> LogView {
    LogView {
        at: entry.at.clone(),
        is_error: entry.level == "error",
        from: entry.from.clone(),
        text: entry.told.clone(),
        times: entry.times,
    }
}

fn check(row: Row) -> CheckView {
    let tone = match row.mood {
        Tone::Good | Tone::Quiet => CheckTone::Good,
        Tone::Fair => CheckTone::Fair,
        Tone::Bad => CheckTone::Bad,
    };
    CheckView { what: row.what.to_owned(), tone, text: row.told, remedy: row.remedy }
}
