//! Measurements made once on a machine, at the end of `joi models fetch` or else at the first start, and remembered.
//!
//! In: the places where it may be remembered, how it is measured. Out: what holds here.

use std::path::PathBuf;

use crate::config::Config;
use joi_base::paths::Paths;
use joi_hear::{Measurable, Measurement};
use joi_models::ModelLibrary;

/// Returns where a measurement may be remembered: the cache, which is written, then beside the models, where whoever
/// installs a service for the machine puts it.
pub(super) fn places(paths: &Paths, library: &ModelLibrary, name: &str) -> [PathBuf; 2] {
    [paths.cache.join(name), library.root().join(name)]
}

/// Returns what is remembered in one of `places`, else what `measure` finds, which is remembered in the first one.
///
/// # Errors
/// It can't be measured.
pub(super) fn measured_once<T: Measurable>(
    places: &[PathBuf],
    config: &Config,
    what: &'static str,
    measure: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let (stt, is_busy) = (&config.hear.stt, is_busy());
    let mut remembered = places.iter().filter_map(|place| Measurement::<T>::remembered(place, stt));
    if let Some(measurement) = remembered.find(|measurement| measurement.holds(is_busy)) {
        return Ok(measurement.of);
    }
    tracing::info!(what, "measuring what this machine is fast enough for");
    let measurement = Measurement::new(measure()?, stt, is_busy);
    if measurement.was_busy {
        tracing::info!(what, "the machine is busy; it is measured again at a start at which it is not");
    }
    if let Some(Err(error)) = places.first().map(|place| measurement.remember(place)) {
        tracing::warn!(%error, what, "the measurement could not be remembered and is repeated next time");
    }
    Ok(measurement.of)
}

/// Returns what is remembered in one of `places`; nothing where it was not measured yet.
pub(super) fn remembered<T: Measurable>(places: &[PathBuf], config: &Config) -> Option<T> {
    let all = places.iter().filter_map(|place| Measurement::<T>::remembered(place, &config.hear.stt));
    // One that was taken beside other work counts only where there is no other.
    all.min_by_key(|measurement| measurement.was_busy).map(|measurement| measurement.of)
}

/// Returns whether others compute here so much that a measurement would be too slow.
fn is_busy() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    is_above_half(&load, cores)
}

/// Returns whether the load of the last minute, the first number of `load`, takes more than half of the cores.
fn is_above_half(load: &str, cores: usize) -> bool {
    let last_minute: Option<f64> = load.split_whitespace().next().and_then(|number| number.parse().ok());
    last_minute.is_some_and(|load| load > cores as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use joi_hear::score::ScorerTime;

    #[test]
    fn it_is_measured_once_and_what_was_put_beside_the_models_holds_too() {
        let folder = tempfile::tempdir().unwrap();
        let places = ["cache/time.json", "models/time.json"].map(|name| folder.path().join(name));
        let config = Config::default();
        let ask =
            |millis| measured_once(&places, &config, "a test", || Ok(ScorerTime { millis })).unwrap().millis;
        assert_eq!((ask(5), ask(6)), (5, 5));
        std::fs::create_dir(folder.path().join("models")).unwrap();
        std::fs::rename(&places[0], &places[1]).unwrap();
        assert_eq!(ask(7), 5);
        assert!(!places[0].exists());
        std::fs::write(&places[1], "{half").unwrap();
        assert_eq!(ask(8), 8);
        std::fs::remove_file(&places[0]).unwrap();
        let failed = measured_once::<ScorerTime>(&places, &config, "a test", || anyhow::bail!("no model"));
        assert_eq!(failed.unwrap_err().to_string(), "no model");
        assert!(!places[0].exists());
    }

    #[test]
    fn a_machine_is_busy_when_more_than_half_of_it_is() {
        assert!(is_above_half("1.20 0.90 0.10 1/123 456", 2));
        assert!(!is_above_half("1.20 0.90 0.10 1/123 456", 4));
        assert!(!is_above_half("", 4), "nothing is known");
    }
}
