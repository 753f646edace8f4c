//! ONNX Runtime for every engine that runs networks: one environment for the process, and sessions that leave the other
//! cores free.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use crate::SpeakError;

/// What ONNX Runtime asks for before it makes an identifier of this machine and a database of what it would report.
const NO_TELEMETRY: &str = "ORT_DISABLE_TELEMETRY";

/// Switches off ONNX Runtime's telemetry before it is loaded. Its own function for that comes too late: by then the
/// identifier and the database are in the user's cache.
///
/// # Safety
/// No other thread of the process may run yet: it changes the environment.
pub unsafe fn refuse_telemetry() {
    // SAFETY: passed on to the caller.
    unsafe { std::env::set_var(NO_TELEMETRY, "1") };
}

/// ONNX Runtime's environment; a process can make only one, so it is kept until the end.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Returns the process-wide environment, made by the first voice.
pub(crate) fn environment(library: &Path) -> Result<Environment, SpeakError> {
    let mut made = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = made.as_ref() {
        return Ok(environment.clone());
    }
    let unusable = |why: String| SpeakError::Runtime { path: library.to_owned(), why };
    let library = library.canonicalize().map_err(|e| unusable(e.to_string()))?;
    let builder = ort::init_from(&library).map_err(|e| unusable(e.to_string()))?;
    let environment =
        builder.with_name("joi").with_telemetry(false).build().map_err(|e| unusable(e.to_string()))?;
    Ok(made.insert(environment).clone())
}

/// Returns a session that leaves the other cores free: one thread pool, no spinning between runs. It keeps no plan of
/// the memory for each length of a sentence that it has seen.
pub(crate) fn session(environment: &Environment, network: &[u8], threads: usize) -> ort::Result<Session> {
    Session::builder(environment)?
        .with_intra_threads(threads)?
        .with_inter_threads(1)?
        .with_intra_op_spinning(false)?
        .with_optimization_level(GraphOptimizationLevel::Level3)?
        .with_memory_pattern(false)?
        .commit_from_memory(network)
}
