//! Whether a model and its window fit into the memory that is free: asked before anything is loaded, for afterwards
//! the system ends some process, and not always this one.
//!
//! Engine thread. Free is what the system calls available, and what the control groups of this process leave. Where
//! neither is known, everything fits.

mod header;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use header::Header;

/// What a model needs beside its weights and its window: the vocabulary, and what is computed with, in bytes.
const WORKING: u64 = 128 << 20;

/// What a model will need.
#[derive(Debug)]
pub(crate) struct Needs {
    file: u64,
    header: Header,
}

/// More is needed than there is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortage {
    pub(crate) needed: u64,
    pub(crate) free: u64,
}

impl Needs {
    /// Reads what `model` will need; nothing of a file that can't be read, which loading it will report.
    pub(crate) fn of(model: &Path) -> Self {
        let file = std::fs::metadata(model).map_or(0, |about| about.len());
        let header = File::open(model).ok().and_then(|file| Header::read(BufReader::new(file)));
        Self { file, header: header.unwrap_or_default() }
    }

    /// Whether weights and window fit.
    pub(crate) fn check(&self, num_ctx: u32) -> Result<(), Shortage> {
        fits(self.file.saturating_add(self.header.window(num_ctx)).saturating_add(WORKING), free())
    }

    /// Whether a window fits beside what is loaded.
    pub(crate) fn check_window(&self, num_ctx: u32) -> Result<(), Shortage> {
        fits(self.header.window(num_ctx), free())
    }
}

fn fits(needed: u64, free: Option<u64>) -> Result<(), Shortage> {
    match free {
        Some(free) if needed > free => Err(Shortage { needed, free }),
        Some(_) | None => Ok(()),
    }
}

/// Bytes that may still be taken.
fn free() -> Option<u64> {
    let system = std::fs::read_to_string("/proc/meminfo").ok().and_then(|told| available(&told));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let left = folders(&groups).into_iter().filter_map(|folder| {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        // The second names are those of the first version of control groups.
        let limit = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?;
        let used = read("memory.current").or_else(|| read("memory.usage_in_bytes"))?;
        left_of(&limit, &used, &read("memory.stat").unwrap_or_default())
    });
    system.into_iter().chain(left).min()
}

/// Available bytes, from `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The folders of the control groups that limit this process, from `/proc/self/cgroup`.
fn folders(groups: &str) -> Vec<PathBuf> {
    let root = |controllers: &str| match controllers {
        "" => Some("/sys/fs/cgroup"),
        list if list.split(',').any(|one| one == "memory") => Some("/sys/fs/cgroup/memory"),
        _ => None,
    };
    let of_line = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        Some((root(controllers)?, path.trim_start_matches('/').to_owned()))
    };
    // A limit anywhere above counts as well.
    let with_parents = |(root, path): (&'static str, String)| {
        let all = Path::new(&path).ancestors().map(|path| Path::new(root).join(path)).collect::<Vec<_>>();
        all.into_iter()
    };
    groups.lines().filter_map(of_line).flat_map(with_parents).collect()
}

/// What a control group leaves; nothing where it has no limit. Pages of files can be dropped at any time.
fn left_of(limit: &str, used: &str, stat: &str) -> Option<u64> {
    let limit: u64 = limit.trim().parse().ok()?;
    let used: u64 = used.trim().parse().ok()?;
    let pages = |line: &str| {
        let (name, bytes) = line.split_once(' ')?;
        ["inactive_file", "active_file"].contains(&name).then(|| bytes.trim().parse::<u64>().ok()).flatten()
    };
    let dropped: u64 = stat.lines().filter_map(pages).sum();
    Some(limit.saturating_sub(used.saturating_sub(dropped)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_available_is_read_in_bytes() {
        let told = "MemTotal:        4000 kB\nMemFree:          100 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(available(told), Some(2_048_000));
        assert_eq!(available("MemTotal: 4000 kB\n"), None);
    }

    #[test]
    fn every_group_above_may_limit() {
        let places = |groups: &str| -> Vec<String> {
            folders(groups).iter().map(|folder| folder.display().to_string()).collect()
        };
        let unified =
            ["/sys/fs/cgroup/user.slice/joi.service", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup/"];
        assert_eq!(places("0::/user.slice/joi.service\n"), unified);
        let first = "5:cpu,cpuacct:/x\n4:memory:/docker/1\n";
        let expected =
            ["/sys/fs/cgroup/memory/docker/1", "/sys/fs/cgroup/memory/docker", "/sys/fs/cgroup/memory/"];
        assert_eq!(places(first), expected);
    }

    #[test]
    fn a_group_leaves_its_limit_without_what_is_used_and_cannot_be_dropped() {
        let stat = "anon 600\nfile 300\ninactive_file 200\nactive_file 100\n";
        assert_eq!(left_of("1000\n", "900\n", stat), Some(400));
        assert_eq!(left_of("1000\n", "1200\n", ""), Some(0));
        assert_eq!(left_of("max\n", "900\n", stat), None);
    }

    #[test]
    fn what_is_needed_has_to_be_there_where_that_is_known() {
        assert_eq!(fits(10, Some(10)), Ok(()));
        assert_eq!(fits(11, Some(10)), Err(Shortage { needed: 11, free: 10 }));
        assert_eq!(fits(11, None), Ok(()));
    }
}
