//! Checks of this machine and of what is stored on it: for `joi doctor`, and for the page while joi runs.
//!
//! Any thread that may block; each reads files and starts nothing that lasts.

mod machine;
mod models;
mod row;
mod stored;

use crate::config::Config;
use joi_base::paths::Paths;

pub(crate) use machine::checks as machine;
pub(crate) use models::{models, speech_model, wake_phrases};
pub(crate) use row::{PATIENCE, Row};
pub(crate) use stored::checks as stored;

/// Returns the findings of all checks that need neither a device nor a running part.
pub(crate) fn at_rest(config: &Config, paths: &Paths) -> Vec<Row> {
    let mut rows = models(config, paths).unwrap_or_else(|error| {
        vec![Row::bad("models", format!("can't be checked: {error:#}"), "correct that and ask again")]
    });
    rows.push(speech_model(config, paths));
    rows.push(wake_phrases(config, paths));
    rows.extend(stored(paths));
    rows.extend(machine(paths));
    rows
}
