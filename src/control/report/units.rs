//! Sizes and times as people read them.
//!
//! Pure: no I/O, no clock.

use std::time::Duration;

/// `12.3 MB`: decimal units, as disks and downloads are sold.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `12.3 s`, from a minute on as [`uptime`].
pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 60.0 { format!("{seconds:.1} s") } else { uptime(seconds) }
}

/// `3 d 4 h`, `5 min 2 s`: the two largest units.
pub(super) fn uptime(seconds: f64) -> String {
    let all = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    let parts = [(all / 86_400, "d"), (all / 3600 % 24, "h"), (all / 60 % 60, "min"), (all % 60, "s")];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(3).min(2);
    let told = parts[first..first + 2].iter().map(|(count, unit)| format!("{count} {unit}"));
    told.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_naturally() {
        let told: Vec<_> = [0, 999, 1000, 999_949, 999_950, 491_400_064, 2_500_000_000].map(bytes).into();
        assert_eq!(told, ["0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "491.4 MB", "2.5 GB"]);
    }

    #[test]
    fn times_read_naturally() {
        let told: Vec<_> = [0.2, 59.0, 60.0, 3_725.0, 273_600.0].map(uptime).into();
        assert_eq!(told, ["0 min 0 s", "0 min 59 s", "1 min 0 s", "1 h 2 min", "3 d 4 h"]);
        assert_eq!([0.24, 61.0].map(seconds), ["0.2 s", "1 min 1 s"]);
    }
}
