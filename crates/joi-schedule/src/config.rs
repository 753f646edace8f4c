//! `[timers]`: how they ring. Immutable after start.

use std::path::Path;

use serde::{Deserialize, Serialize};

use joi_base::problem::Problem;

/// The value of `timers.ring_sound` that is no file.
const BUILT_IN: &str = "built-in";

/// How timers, alarms and reminders ring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimersConfig {
    /// Least loudness of a ring in percent, 10 to 100, whatever the volume is. Higher wakes deeper sleepers.
    pub least_volume: u8,
    /// What rings: "built-in", or the absolute path of a WAV file of any rate and number of channels; after ten seconds
    /// it is cut. While the file can't be read, the built-in sound rings.
    pub ring_sound: String,
    /// Minutes that a ring nobody answers lasts, 1 to 60.
    pub ring_min: u32,
    /// Minutes until a ring that is snoozed comes back, 1 to 60.
    pub snooze_min: u32,
}

impl Default for TimersConfig {
    fn default() -> Self {
        Self { least_volume: 50, ring_sound: BUILT_IN.to_owned(), ring_min: 15, snooze_min: 10 }
    }
}

impl TimersConfig {
    /// The file that rings; nothing for the built-in sound.
    pub fn ring_file(&self) -> Option<&Path> {
        (self.ring_sound != BUILT_IN).then(|| Path::new(&self.ring_sound))
    }

    /// Returns the problem of `ring_sound`; `why` is the reason.
    pub fn ring_problem(&self, why: impl std::fmt::Display) -> Problem {
        let allowed = "\"built-in\", or the absolute path of a WAV file with something to hear in it";
        Problem::new("timers.ring_sound", format!("{:?}", self.ring_sound), allowed).remedy(format!(
            "{why}. Write \"built-in\", or a path such as \"/home/anna/ring.wav\"; `sox in.mp3 ring.wav` makes a WAV file"
        ))
    }

    /// All values that can't be used.
    pub fn check(&self) -> Vec<Problem> {
        let outside = |key: &str, value: u32, low: f64, high: f64, unit: &str| {
            Problem::outside(&format!("timers.{key}"), f64::from(value), low..=high, unit)
        };
        let relative = self.ring_file().filter(|path| !path.is_absolute());
        [
            relative.map(|_| self.ring_problem("This is not an absolute path")),
            outside("least_volume", u32::from(self.least_volume), 10.0, 100.0, "percent"),
            outside("ring_min", self.ring_min, 1.0, 60.0, "minutes"),
            outside("snooze_min", self.snooze_min, 1.0, 60.0, "minutes"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_built_in_or_an_absolute_path() {
        let with =
            |ring_sound: &str| TimersConfig { ring_sound: ring_sound.into(), ..TimersConfig::default() };
        assert_eq!(TimersConfig::default().ring_file(), None);
        assert_eq!(with("/srv/bell.wav").ring_file(), Some(Path::new("/srv/bell.wav")));
        assert_eq!(with("/srv/bell.wav").check(), []);
        let told = with("bell.wav").check().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        for part in
            ["timers.ring_sound is \"bell.wav\"", "allowed: \"built-in\", or the absolute path", "Write"]
        {
            assert!(told.contains(part), "{part} in {told}");
        }
    }
}
