//! The machine under the program: its processor and what it computes, the memory that is free for more, its health.
//!
//! Any thread; reads small files below /proc and /sys/fs/cgroup, and keeps nothing. Out: plain values, or nothing
//! where the system does not report them. A limit that a container or a service manager sets counts like memory that is
//! not there.

mod allocator;
#[cfg(any(test, feature = "testing"))]
pub mod alone;
mod health;
mod signals;

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use allocator::give_back_memory;
pub use health::{DiskRoom, LEAST_DISK, MachineHealth, MachineTrouble, PowerHealth, board};
pub use signals::ignore_buttons;

/// Where control groups are mounted; the memory of the first version in a folder of its own.
const GROUPS: &str = "/sys/fs/cgroup";

/// Returns the processor's name and how many cores of it there are: what a measured speed holds for.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = |key: &str| info.lines().rfind(|line| line.starts_with(key));
    let line = named("Model").or_else(|| named("model name")).unwrap_or("unknown processor");
    let name = line.split_once(':').map_or(line, |(_, name)| name.trim());
    format!("{name}, {} cores", available_parallelism().map_or(1, usize::from))
}

/// Returns the CPU time of the process `pid` over all cores, in ticks of 10 ms; nothing if there is no such process.
pub fn cpu_time(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything, and ends with the last bracket.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    let (user, system) = (fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some(Duration::from_millis(user.checked_add(system)?.checked_mul(10)?))
}

/// Returns the CPU time of this process, over all its threads.
pub fn own_cpu_time() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(spent).unwrap_or_default()
}

/// Returns the resident memory of the process `pid` in bytes; nothing if there is no such process.
pub fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Has the kernel end the process `pid` before others when memory runs out: 0 (as any) to 1000 (before all).
///
/// # Errors
/// There is no such process, or it is another user's.
pub fn end_first(pid: u32, before_others: u16) -> std::io::Result<()> {
    std::fs::write(format!("/proc/{pid}/oom_score_adj"), before_others.min(1000).to_string())
}

/// Returns the running children of the process `pid` with their names.
pub fn children(pid: u32) -> Vec<(u32, String)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let child = |entry: std::fs::DirEntry| -> Option<(u32, String)> {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name of the program may hold anything, and ends with the last bracket.
        let (head, tail) = stat.rsplit_once(") ")?;
        let parent: u32 = tail.split(' ').nth(1)?.parse().ok()?;
        (parent == pid).then(|| (id, head.split_once('(').map_or("", |(_, name)| name).to_owned()))
    };
    entries.filter_map(child).collect()
}

/// Memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRoom {
    /// Memory that new programs may take without swapping.
    pub free: u64,
    /// All memory.
    pub total: u64,
}

impl MemoryRoom {
    /// Reads the current values; nothing where the system does not report them.
    pub fn now() -> Option<Self> {
        let info = std::fs::read_to_string("/proc/meminfo").ok()?;
        let groups = own_groups().into_iter().filter_map(|folder| GroupFiles::read(&folder));
        Self::within(&info, &groups.collect::<Vec<_>>())
    }

    /// What `info`, the text of /proc/meminfo, and the limits of `groups` leave.
    fn within(info: &str, groups: &[GroupFiles]) -> Option<Self> {
        let bytes = |key: &str| -> Option<u64> {
            let line = info.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
        };
        let whole = Self { free: bytes("MemAvailable")?, total: bytes("MemTotal")? };
        Some(groups.iter().filter_map(GroupFiles::room).fold(whole, |room, group| Self {
            free: room.free.min(group.free),
            total: room.total.min(group.total),
        }))
    }
}

/// The texts of a control group's files.
struct GroupFiles {
    max: String,
    current: String,
    stat: String,
}

impl GroupFiles {
    fn read(folder: &Path) -> Option<Self> {
        // The second names are those of the first version.
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        Some(Self {
            max: text("memory.max").or_else(|| text("memory.limit_in_bytes"))?,
            current: text("memory.current").or_else(|| text("memory.usage_in_bytes"))?,
            stat: text("memory.stat").unwrap_or_default(),
        })
    }

    /// Nothing where it has no limit ("max").
    fn room(&self) -> Option<MemoryRoom> {
        let total: u64 = self.max.trim().parse().ok()?;
        let used: u64 = self.current.trim().parse().ok()?;
        // Files that were read count as used, and give way at once.
        let gives_way = self.stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok());
        let used = used.saturating_sub(gives_way.unwrap_or(0));
        Some(MemoryRoom { free: total.saturating_sub(used), total })
    }
}

/// Returns the folders of our control group and of those above it.
fn own_groups() -> Vec<PathBuf> {
    folders(&std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default())
}

/// The same of the text of /proc/self/cgroup: lines of a number, what is controlled (nothing in the second version) and
/// a path.
fn folders(groups: &str) -> Vec<PathBuf> {
    let own = groups.lines().filter_map(|line| {
        let (controlled, path) = line.split_once(':')?.1.split_once(":/")?;
        let mount = match controlled {
            "" => PathBuf::from(GROUPS),
            some if some.split(',').any(|one| one == "memory") => Path::new(GROUPS).join("memory"),
            _ => return None,
        };
        // The path of the uppermost group is empty.
        Some((mount.join(path).components().collect(), mount))
    });
    let with_those_above = |(own, mount): (PathBuf, PathBuf)| -> Vec<PathBuf> {
        own.ancestors().take_while(|folder| folder.starts_with(&mount)).map(Path::to_path_buf).collect()
    };
    own.flat_map(with_those_above).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = "MemTotal:        4000 kB\nMemFree:          100 kB\nMemAvailable:    3000 kB\n";

    fn group(max: &str, current: &str, stat: &str) -> GroupFiles {
        GroupFiles { max: max.into(), current: current.into(), stat: stat.into() }
    }

    #[test]
    fn the_tightest_limit_counts_and_files_that_were_read_do_not() {
        let room = |groups: &[GroupFiles]| MemoryRoom::within(INFO, groups);
        let kilobytes = |free: u64, total: u64| Some(MemoryRoom { free: free * 1024, total: total * 1024 });
        assert_eq!(room(&[]), kilobytes(3000, 4000));
        assert_eq!(room(&[group("max\n", "1\n", "")]), kilobytes(3000, 4000), "no limit");
        let tight = || group("2048000\n", "1024000\n", "anon 5\ninactive_file 512000\nactive_file 7\n");
        assert_eq!(room(&[tight()]), kilobytes(1500, 2000));
        assert_eq!(room(&[group("max", "5", ""), tight(), group("3072000", "0", "")]), kilobytes(1500, 2000));
        assert_eq!(room(&[group("1024", "4096", "")]), kilobytes(0, 1), "more is used than is allowed");
    }

    #[test]
    fn the_groups_above_limit_too_in_either_version() {
        let paths = |text: &str| -> Vec<String> {
            folders(text).iter().map(|folder| folder.display().to_string()).collect()
        };
        assert_eq!(
            paths("0::/user.slice/joi.service\n"),
            ["/sys/fs/cgroup/user.slice/joi.service", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"]
        );
        let first = "9:name=systemd:/\n4:cpu,memory:/pod/a\n3:cpuset:/\n0::/\nnonsense\n";
        assert_eq!(
            paths(first),
            [
                "/sys/fs/cgroup/memory/pod/a",
                "/sys/fs/cgroup/memory/pod",
                "/sys/fs/cgroup/memory",
                "/sys/fs/cgroup"
            ]
        );
    }

    #[test]
    fn values_that_the_system_does_not_report_are_not_guessed() {
        assert_eq!(MemoryRoom::within("", &[]), None);
        assert_eq!(MemoryRoom::within("MemTotal: 5 kB\nMemAvailable: lots\n", &[]), None);
        assert_eq!(MemoryRoom::within("MemTotal: 5 kB\nMemAvailableX: 4 kB\n", &[]), None);
    }

    #[test]
    fn this_machine_reports_its_memory() {
        let room = MemoryRoom::now().unwrap();
        assert!(room.free > 0 && room.free <= room.total, "{room:?}");
        assert!(processor().ends_with(" cores"));
        let (before, _) =
            (cpu_time(std::process::id()).unwrap(), (0..3_000_000_u64).map(|n| n ^ 7).sum::<u64>());
        assert!(cpu_time(std::process::id()).unwrap() >= before);
        assert_eq!(cpu_time(0), None);
        assert!(resident(std::process::id()).unwrap() > 1 << 20);
        assert_eq!(resident(0), None);
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert!(children(std::process::id()).iter().any(|(pid, _)| *pid == child.id()));
        end_first(child.id(), 800).unwrap();
        let kept = std::fs::read_to_string(format!("/proc/{}/oom_score_adj", child.id())).unwrap();
        assert_eq!(kept.trim(), "800");
        assert!(end_first(0, 800).is_err());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!own_groups().is_empty());
    }
}
