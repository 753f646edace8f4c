//! Profiles: keys that differ from the defaults on small and on large machines, and which one a machine gets.
//!
//! In: the facts of a machine. Out: a profile with the reason, and the commented default file with its values in it. A
//! profile only changes keys that exist; `joi config init` is the only one to use it: a running program knows no profile.
//! Pure: no I/O, no clock.

use std::time::Duration;

use serde::Serialize;
use toml::{Table, Value};

use super::{DEFAULT_FILE, leaves};

/// A kind of machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum MachineProfile {
    /// Less than 1 GB of memory, as a Raspberry Pi Zero 2 W.
    Zero2,
    /// Slow, or less than 4 GB, as a Raspberry Pi 4.
    Pi4,
    /// As a Raspberry Pi 5.
    Pi5,
    /// At least 4 cores and 8 GB.
    Pc,
}

/// The facts that decide about the profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineFacts {
    /// The board's name in the device tree; a PC has none.
    pub board: Option<String>,
    /// Cores of the processor.
    pub cores: usize,
    /// All memory, in bytes.
    pub memory: u64,
    /// Time to transcribe three seconds of speech here with the quickest model, where that was measured.
    pub transcription: Option<Duration>,
}

/// A machine that takes longer for three seconds of speech is slow, whatever it is called.
const SLOW: Duration = Duration::from_millis(1500);
/// Boards by what their name contains; the first that fits counts.
const BOARDS: [(&str, MachineProfile); 10] = [
    ("Raspberry Pi Zero", MachineProfile::Zero2),
    ("Raspberry Pi 5", MachineProfile::Pi5),
    ("Compute Module 5", MachineProfile::Pi5),
    ("Raspberry Pi 500", MachineProfile::Pi5),
    ("Raspberry Pi 4", MachineProfile::Pi4),
    ("Compute Module 4", MachineProfile::Pi4),
    ("Raspberry Pi 3", MachineProfile::Pi4),
    ("Compute Module 3", MachineProfile::Pi4),
    ("Raspberry Pi 2", MachineProfile::Pi4),
    ("Raspberry Pi", MachineProfile::Pi4),
];

const GB: u64 = 1_000_000_000;

impl MachineProfile {
    /// All of them, from the smallest machine to the largest.
    pub const ALL: [Self; 4] = [Self::Zero2, Self::Pi4, Self::Pi5, Self::Pc];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero2 => "zero2",
            Self::Pi4 => "pi4",
            Self::Pi5 => "pi5",
            Self::Pc => "pc",
        }
    }

    /// Its file: what differs from the defaults.
    pub fn text(self) -> &'static str {
        match self {
            Self::Zero2 => include_str!("../../config/zero2.toml"),
            Self::Pi4 => include_str!("../../config/pi4.toml"),
            Self::Pi5 => include_str!("../../config/pi5.toml"),
            Self::Pc => include_str!("../../config/pc.toml"),
        }
    }

    /// Returns the profile of a machine, and why that one.
    pub fn of(machine: &MachineFacts) -> (Self, String) {
        let memory = format!("{:.1} GB of memory", machine.memory as f64 / GB as f64);
        let board = machine.board.as_deref().unwrap_or_default();
        // What a board calls 1 or 4 GB is less by what its firmware takes.
        if machine.memory < GB * 9 / 10 {
            return (Self::Zero2, memory);
        }
        if let Some((_, profile)) = BOARDS.iter().find(|(name, _)| board.contains(name)) {
            let is_small = *profile == Self::Pi5 && machine.memory < GB * 36 / 10;
            let profile = if is_small { Self::Pi4 } else { *profile };
            return (profile, format!("{board}, {memory}"));
        }
        if let Some(took) = machine.transcription.filter(|took| *took > SLOW) {
            return (Self::Pi4, format!("3 s of speech took {} ms to transcribe here", took.as_millis()));
        }
        let has = format!("{} cores, {memory}", machine.cores);
        match (machine.cores, machine.memory) {
            (4.., memory) if memory >= GB * 75 / 10 => (Self::Pc, has),
            (3.., memory) if memory >= GB * 36 / 10 => (Self::Pi5, has),
            _ => (Self::Pi4, has),
        }
    }

    /// Returns the commented default file with the values of this profile in it.
    pub fn file(self) -> String {
        let differ = self.text().parse::<Table>().map(|table| leaves(&table)).unwrap_or_default();
        let (mut section, mut file) = (String::new(), String::with_capacity(DEFAULT_FILE.len() + 200));
        for (number, line) in DEFAULT_FILE.lines().enumerate() {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                name.clone_into(&mut section);
            }
            let key = line.split_once(" = ").filter(|_| !line.starts_with('#')).map(|(key, _)| key);
            let value = key.and_then(|key| Some((key, differ.get(&format!("{section}.{key}"))?)));
            match value {
                Some((key, value)) => file.push_str(&self.changed(key, value)),
                None => {
                    file.push_str(line);
                    file.push('\n');
                }
            }
            if number == 0 {
                file.push_str(&format!(
                    "# Values of the profile {} are marked with its name.\n",
                    self.name()
                ));
            }
        }
        file
    }

    fn changed(self, key: &str, value: &Value) -> String {
        format!("{key} = {value} # {}\n", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, load_text};

    fn table(text: &str) -> std::collections::BTreeMap<String, Value> {
        leaves(&text.parse::<Table>().unwrap())
    }

    #[test]
    fn every_profile_changes_only_keys_that_exist_to_values_that_are_allowed() {
        let default = leaves(&Table::try_from(Config::default()).unwrap());
        for profile in MachineProfile::ALL {
            let differ = table(profile.text());
            assert!(!differ.is_empty());
            for (key, value) in &differ {
                let before = default.get(key).unwrap_or_else(|| panic!("{}: no key {key}", profile.name()));
                assert_ne!(before, value, "{}: {key} is at its default", profile.name());
            }
            let loaded = load_text(profile.text(), profile.name(), &[]).unwrap();
            assert_eq!(loaded.origins.len(), differ.len());
            let threads: Vec<&String> = differ.keys().filter(|key| key.ends_with("threads")).collect();
            assert!(threads.is_empty(), "{}: machines of other core counts get it too", profile.name());
        }
    }

    #[test]
    fn the_file_of_a_profile_is_the_default_one_but_for_its_keys() {
        for profile in MachineProfile::ALL {
            let mut expected = table(DEFAULT_FILE);
            expected.extend(table(profile.text()));
            let file = profile.file();
            assert_eq!(table(&file), expected, "{}", profile.name());
            load_text(&file, profile.name(), &[]).unwrap();
            let marked =
                file.lines().filter(|line| line.ends_with(&format!(" # {}", profile.name()))).count();
            assert_eq!(marked, table(profile.text()).len());
        }
    }

    #[test]
    fn a_machine_gets_the_profile_of_its_board_its_speed_or_its_size() {
        let of = |board: Option<&str>, cores, gb: f64, ms: Option<u64>| {
            let facts = MachineFacts {
                board: board.map(str::to_owned),
                cores,
                memory: (gb * GB as f64) as u64,
                transcription: ms.map(Duration::from_millis),
            };
            MachineProfile::of(&facts).0
        };
        assert_eq!(of(Some("Raspberry Pi Zero 2 W Rev 1.0"), 4, 0.43, None), MachineProfile::Zero2);
        assert_eq!(of(Some("Raspberry Pi 3 Model B Rev 1.2"), 4, 0.95, None), MachineProfile::Pi4);
        assert_eq!(of(Some("Raspberry Pi 3 Model A Plus"), 4, 0.43, None), MachineProfile::Zero2);
        assert_eq!(of(Some("Raspberry Pi 4 Model B Rev 1.5"), 4, 8.0, None), MachineProfile::Pi4);
        assert_eq!(of(Some("Raspberry Pi 400 Rev 1.0"), 4, 3.9, None), MachineProfile::Pi4);
        assert_eq!(of(Some("Raspberry Pi 5 Model B Rev 1.0"), 4, 8.4, None), MachineProfile::Pi5);
        assert_eq!(of(Some("Raspberry Pi 5 Model B Rev 1.1"), 4, 2.0, None), MachineProfile::Pi4);
        assert_eq!(of(Some("Radxa ROCK 5B"), 8, 16.0, None), MachineProfile::Pc);
        assert_eq!(of(None, 8, 16.0, None), MachineProfile::Pc);
        assert_eq!(of(None, 8, 16.0, Some(400)), MachineProfile::Pc);
        assert_eq!(of(None, 8, 16.0, Some(2000)), MachineProfile::Pi4);
        assert_eq!(of(None, 4, 4.0, None), MachineProfile::Pi5);
        assert_eq!(of(None, 2, 16.0, None), MachineProfile::Pi4);
        assert_eq!(of(None, 16, 0.5, None), MachineProfile::Zero2);
    }
}
