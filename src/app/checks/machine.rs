//! Checks the machine: memory, disk, clock, data folder.

use std::path::Path;
use std::process::Command;

use super::row::Row;
use crate::control::bytes;
use joi_base::machine::{DiskRoom, LEAST_DISK, MachineHealth, MachineTrouble, MemoryRoom};
use joi_base::paths::Paths;

/// Less free memory than this, in bytes, and the models don't fit.
const LEAST_MEMORY: u64 = 700_000_000;
/// A clock before this year was never set.
const LEAST_YEAR: i16 = 2026;

/// Returns how memory, disk, clock, power and heat are.
pub(crate) fn checks(paths: &Paths) -> Vec<Row> {
    let mut rows = vec![memory(), disk(&paths.data), clock()];
    rows.extend(power_and_heat(&MachineHealth::read(Path::new("/"), &paths.data)));
    rows
}

/// Returns what the board says of its power supply and of heat; nothing where it says nothing.
fn power_and_heat(health: &MachineHealth) -> Vec<Row> {
    let ours = [MachineTrouble::Undervolted, MachineTrouble::Throttled, MachineTrouble::Hot];
    let troubles: Vec<_> = health.troubles().into_iter().filter(|trouble| ours.contains(trouble)).collect();
    let degrees = health.temperature_c.map(|degrees| format!("{degrees:.0} °C"));
    if troubles.is_empty() {
        let what = if health.power.is_some() { "power and heat" } else { "temperature" };
        return degrees.map(|told| Row::good(what, told)).into_iter().collect();
    }
    let row = |trouble: MachineTrouble| {
        // The sentence ends with what to do.
        let (told, remedy) = trouble.description().split_once("; ").unwrap_or((trouble.description(), ""));
        let degrees = degrees.as_ref().map(|degrees| format!(" ({degrees})")).unwrap_or_default();
        Row::fair("power and heat", format!("{told}{degrees}"), remedy)
    };
    troubles.into_iter().map(row).collect()
}

fn memory() -> Row {
    let Some(MemoryRoom { free, total }) = MemoryRoom::now() else {
        return Row::fair("memory", "the system does not tell", "");
    };
    let told = format!("{} of {} free", bytes(free), bytes(total));
    if free < LEAST_MEMORY {
        let need = bytes(LEAST_MEMORY);
        return Row::fair("memory", told, format!("{need} are wanted; end other programs"));
    }
    Row::good("memory", told)
}

fn disk(data: &Path) -> Row {
    match DiskRoom::of(data) {
        Err(error) => Row::bad("disk", format!("{}: {error}", data.display()), "mend the disk"),
        Ok(DiskRoom { free, read_only, .. }) => {
            let told = format!("{} free for {}", bytes(free), data.display());
            if read_only {
                return Row::bad("disk", format!("{told}, read-only"), "mount it writable, or set JOI_DATA");
            }
            if free < LEAST_DISK {
                return Row::bad("disk", told, "free some space, or set JOI_DATA to another disk");
            }
            Row::good("disk", told)
        }
    }
}

fn clock() -> Row {
    let now = jiff::Zoned::now();
    let told = now.strftime("%Y-%m-%d %H:%M %Q").to_string();
    if now.year() < LEAST_YEAR {
        return Row::bad("clock", told, "set it: sudo timedatectl set-ntp true");
    }
    match synchronised() {
        Some(false) => {
            Row::fair("clock", format!("{told}, not synchronised"), "sudo timedatectl set-ntp true")
        }
        Some(true) | None => Row::good("clock", told),
    }
}

/// Returns what systemd says; nothing where there is none.
fn synchronised() -> Option<bool> {
    let asked = Command::new("timedatectl").args(["show", "--property=NTPSynchronized", "--value"]).output();
    let answer = asked.ok().filter(|output| output.status.success())?;
    match String::from_utf8_lossy(&answer.stdout).trim() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Tone;
    use joi_base::machine::PowerHealth;

    fn findings(health: &MachineHealth) -> Vec<(bool, String, bool)> {
        let rows = power_and_heat(health).into_iter();
        rows.map(|row| (row.mood == Tone::Good, row.told, row.remedy.is_empty())).collect()
    }

    #[test]
    fn a_weak_power_supply_is_one_row_with_its_remedy() {
        assert_eq!(findings(&MachineHealth::default()), []);
        let well = MachineHealth { temperature_c: Some(48.3), ..MachineHealth::default() };
        assert_eq!(findings(&well), [(true, "48 °C".to_owned(), true)]);
        let power = Some(PowerHealth { was_undervolted: true, ..PowerHealth::default() });
        let rows = findings(&MachineHealth { power, ..well });
        let [(false, sentence, false)] = &rows[..] else { panic!("{rows:?}") };
        assert!(sentence.starts_with("the power supply is too weak"), "{sentence}");
        assert!(sentence.ends_with("(48 °C)"), "{sentence}");
    }
}
