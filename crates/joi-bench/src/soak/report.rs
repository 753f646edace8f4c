//! Reports what each hour of a soak left behind and which limits it broke, as a table and as JSON.

use std::time::Duration;

use joi::cli::show;
use joi_base::machine;
use serde_json::{Value, json};

/// Memory may grow by so much from the second hour to the last.
const MOST_GROWTH: f64 = 0.05;
/// Of the commands so many may be missed: synthetic voices in a noisy room.
const MOST_MISSED: f64 = 0.25;

/// What a process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// Bytes of memory.
    pub(super) resident: u64,
    pub(super) threads: usize,
    pub(super) descriptors: usize,
}

impl Held {
    /// What `pid` holds; nothing when there is no such process.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let count = |what: &str| Some(std::fs::read_dir(format!("/proc/{pid}/{what}")).ok()?.count());
        Some(Self { resident: machine::resident(pid)?, threads: count("task")?, descriptors: count("fd")? })
    }
}

/// An hour.
#[derive(Debug)]
pub(super) struct HourOfSoak {
    pub(super) held: Held,
    /// On all cores together.
    pub(super) computed: Duration,
    /// Commands that were said to joi.
    pub(super) said: usize,
    /// How many of them became a turn.
    pub(super) answered: usize,
    /// The words heard in turns that nobody asked for.
    pub(super) unasked: Vec<String>,
}

/// All of them.
#[derive(Debug)]
pub(super) struct SoakReport {
    pub(super) seed: u64,
    /// Minutes of each hour.
    pub(super) every: u32,
    pub(super) hours: Vec<HourOfSoak>,
}

impl SoakReport {
    /// What everything was loaded at: the second hour, or of two the first.
    fn base(&self) -> Option<&HourOfSoak> {
        if self.hours.len() > 2 { self.hours.get(1) } else { self.hours.first() }
    }

    /// How much the memory has grown, as a share.
    fn growth(&self) -> f64 {
        let (Some(base), Some(last)) = (self.base(), self.hours.last()) else { return 0.0 };
        last.held.resident as f64 / base.held.resident as f64 - 1.0
    }

    /// Returns the faults, a sentence each.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let (Some(base), Some(last)) = (self.base(), self.hours.last()) else { return faults };
        let growth = self.growth();
        if growth > MOST_GROWTH {
            faults.push(format!(
                "memory grew by {:.1} %, more than {:.0} %",
                growth * 100.0,
                MOST_GROWTH * 100.0
            ));
        }
        for (what, before, after) in [
            ("threads", base.held.threads, last.held.threads),
            ("descriptors", base.held.descriptors, last.held.descriptors),
        ] {
            if after > before {
                faults.push(format!("{after} {what} at the end, {before} before"));
            }
        }
        for heard in self.hours.iter().flat_map(|hour| &hour.unasked) {
            faults.push(format!("a turn that nobody asked for: \"{heard}\""));
        }
        let sum = |of: fn(&HourOfSoak) -> usize| self.hours.iter().map(of).sum::<usize>();
        let (said, answered) = (sum(|hour| hour.said), sum(|hour| hour.answered));
        if (said - answered.min(said)) as f64 > said as f64 * MOST_MISSED {
            faults.push(format!("of {said} commands only {answered} were answered"));
        }
        faults
    }

    pub(super) fn table(&self) -> String {
        let mut table = show::table([
            "until",
            "memory",
            "threads",
            "descriptors",
            "CPU",
            "commands",
            "answered",
            "unasked",
        ]);
        for (n, hour) in self.hours.iter().enumerate() {
            let minutes = (n + 1) * self.every as usize;
            table.add_row([
                format!("{}:{:02}", minutes / 60, minutes % 60),
                show::bytes(hour.held.resident),
                hour.held.threads.to_string(),
                hour.held.descriptors.to_string(),
                format!("{:.0} s", hour.computed.as_secs_f64()),
                hour.said.to_string(),
                hour.answered.to_string(),
                hour.unasked.len().to_string(),
            ]);
        }
        format!("{table}\n\nmemory: {:+.1} % since the second hour", self.growth() * 100.0)
    }

    pub(super) fn json(&self) -> Value {
        let hours = self.hours.iter().map(|hour| {
            json!({
                "resident": hour.held.resident,
                "threads": hour.held.threads,
                "descriptors": hour.held.descriptors,
                "cpu_s": hour.computed.as_secs_f64(),
                "said": hour.said,
                "answered": hour.answered,
                "unasked": hour.unasked,
            })
        });
        json!({
            "seed": self.seed,
            "every_min": self.every,
            "growth": self.growth(),
            "hours": hours.collect::<Vec<_>>(),
            "faults": self.faults(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(hours: &[(u64, usize, usize)]) -> SoakReport {
        let hour = |(resident, threads, descriptors): &(u64, usize, usize)| HourOfSoak {
            held: Held { resident: *resident, threads: *threads, descriptors: *descriptors },
            computed: Duration::from_secs(9),
            said: 4,
            answered: 3,
            unasked: Vec::new(),
        };
        SoakReport { seed: 1, every: 60, hours: hours.iter().map(hour).collect() }
    }

    #[test]
    fn what_grows_from_the_second_hour_on_is_reported_and_what_was_loaded_in_the_first_is_not() {
        assert_eq!(report(&[(100, 8, 8), (300, 12, 20), (300, 12, 20), (314, 12, 20)]).faults(), [""; 0]);
        let grown = report(&[(100, 8, 8), (300, 12, 20), (316, 13, 21)]).faults();
        assert_eq!(
            grown,
            [
                "memory grew by 5.3 %, more than 5 %",
                "13 threads at the end, 12 before",
                "21 descriptors at the end, 20 before"
            ]
        );
    }

    #[test]
    fn turns_that_nobody_asked_for_and_too_many_missed_commands_are_reported() {
        let mut report = report(&[(100, 8, 8), (100, 8, 8)]);
        report.hours[0].unasked.push("Turn it off.".into());
        report.hours[1].answered = 2;
        let faults = report.faults();
        assert_eq!(
            faults,
            ["a turn that nobody asked for: \"Turn it off.\"", "of 8 commands only 5 were answered"]
        );
    }

    #[test]
    fn this_process_holds_something() {
        let held = Held::of(std::process::id()).unwrap();
        assert!(held.resident > 0 && held.threads > 0 && held.descriptors > 0, "{held:?}");
        assert_eq!(Held::of(0), None);
    }

    #[test]
    fn the_table_has_a_row_for_each_hour() {
        let table = report(&[(100_000_000, 8, 8), (102_000_000, 8, 8)]).table();
        assert!(table.contains("1:00") && table.contains("2:00") && table.contains("+2.0 %"), "{table}");
    }
}
