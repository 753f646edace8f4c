//! Checks the models that are needed: whether they are there, which of them hear, and by what the wake phrases are known.
//!
//! Reads files.

use super::row::Row;
use crate::app;
use crate::config::Config;
use joi_base::paths::Paths;
use joi_models::InstallState;

/// Returns whether the models are there; a row for each that is not.
pub(crate) fn models(config: &Config, paths: &Paths) -> anyhow::Result<Vec<Row>> {
    let library = app::library(config, paths)?;
    let (mut faults, mut replaced) = (Vec::new(), 0);
    let needed = app::needed_models(config, &library);
    for name in &needed {
        match library.state(name)? {
            InstallState::Present => {}
            // The row of its replacement says more.
            InstallState::Missing if library.stand_in(name).is_some() => replaced += 1,
            InstallState::Missing => {
                faults.push(Row::bad(
                    "models",
                    format!("{name} is missing"),
                    format!("joi models fetch {name}"),
                ));
            }
            InstallState::Damaged { why } => {
                faults.push(Row::bad("models", why, format!("joi models fetch {name}")))
            }
        }
    }
    if faults.is_empty() {
        let told = match replaced {
            0 => format!("all {}", needed.len()),
            _ => format!("{} of {}", needed.len() - replaced, needed.len()),
        };
        faults.push(Row::good("models", format!("{told} are there, in {}", library.shown_dirs())));
    }
    Ok(faults)
}

/// Returns which model hears, and why.
pub(crate) fn speech_model(config: &Config, paths: &Paths) -> Row {
    match app::chosen_whisper(config, paths) {
        Ok((model, _)) => {
            let how = match app::measured_whisper(config, paths) {
                Some(measured) => format!(" ({measured})"),
                None if !config.hear.stt.is_english() => " (the others know English only)".into(),
                None => " (configured)".into(),
            };
            Row::good("speech to text", format!("{}{how}", app::whisper_model(model)))
        }
        Err(error) => Row::bad("speech to text", format!("{error:#}"), "joi models fetch"),
    }
}

/// Returns a row with the wake phrases, their means, and the reason for these.
pub(crate) fn wake_phrases(config: &Config, paths: &Paths) -> Row {
    match app::wake_setup(config, paths) {
        Ok(means) if means.unheard().next().is_none() => Row::good("wake phrases", app::wake_summary(&means)),
        Ok(means) => Row::fair(
            "wake phrases",
            app::wake_summary(&means),
            "set hear.wake.mode = \"scored\" to hear all of them in spite of that",
        ),
        Err(error) => Row::bad("wake phrases", format!("{error:#}"), "joi models fetch"),
    }
}
