//! The machine under her: memory, disk, clock, data folder.

use std::path::Path;
use std::process::Command;

use super::{Row, existing};
use crate::cli::show;
use crate::machine::MemoryRoom;
use crate::paths::Paths;

/// Less free memory than this, in bytes, and the models don't fit.
const LEAST_MEMORY: u64 = 700_000_000;
/// Less free disk than this, in bytes, and dialogue may not be stored.
const LEAST_DISK: u64 = 200_000_000;
/// A clock before this year was never set.
const LEAST_YEAR: i16 = 2026;

pub(super) fn checks(paths: &Paths) -> Vec<Row> {
    vec![memory(), disk(&paths.data), clock()]
}

fn memory() -> Row {
    let Some(MemoryRoom { free, total }) = MemoryRoom::now() else {
        return Row::fair("memory", "the system does not tell", "");
    };
    let told = format!("{} of {} free", show::bytes(free), show::bytes(total));
    if free < LEAST_MEMORY {
        let need = show::bytes(LEAST_MEMORY);
        return Row::fair("memory", told, format!("{need} are wanted; end other programs"));
    }
    Row::good("memory", told)
}

fn disk(data: &Path) -> Row {
    let place = existing(data);
    match rustix::fs::statvfs(place) {
        Err(error) => Row::bad("disk", format!("{}: {error}", place.display()), "mend the disk"),
        Ok(stat) => {
            let free = stat.f_bavail * stat.f_frsize;
            let told = format!("{} free for {}", show::bytes(free), data.display());
            if stat.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY) {
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

/// What systemd says; nothing where there is none.
fn synchronised() -> Option<bool> {
    let asked = Command::new("timedatectl").args(["show", "--property=NTPSynchronized", "--value"]).output();
    let answer = asked.ok().filter(|output| output.status.success())?;
    match String::from_utf8_lossy(&answer.stdout).trim() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}
