//! The program of a server: started with an environment of its own, in a process group of its own.
//!
//! Any task. In: the entry of a server. Out: a command; and [`ProcessGroup`], which ends whatever is left of the group when it
//! is dropped, so that a program that has started others leaves none behind. What the program writes to stderr is read
//! to its end, so that it never blocks, and logged at debug, the first lines of it.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::config::ServerEntry;
use crate::secrets::{SecretFault, Secrets};

/// Variables that every program gets, as far as they are set here.
const PASSED: [&str; 4] = ["PATH", "HOME", "LANG", "TZ"];
/// Bytes of stderr that are logged.
const LOGGED: usize = 4 * 1024;

/// Has Node interpret: a service of systemd with `MemoryDenyWriteExecute` ends whatever makes code at run time.
const INTERPRETED: &str = "--jitless";

/// Returns whether this is a service of systemd whose system calls are filtered, by its `/proc/self/status`.
fn is_confined(is_service: bool, status: &str) -> bool {
    is_service && status.lines().any(|line| line.split_whitespace().eq(["Seccomp:", "2"]))
}

/// Returns the command of a server.
///
/// # Errors
/// A secret is missing.
pub(crate) fn command(entry: &ServerEntry, secrets: &Secrets) -> Result<Command, SecretFault> {
    let mut command = Command::new(&entry.command);
    for arg in &entry.args {
        command.arg(secrets.filled(arg)?);
    }
    command.env_clear();
    command.envs(PASSED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if is_confined(std::env::var_os("INVOCATION_ID").is_some(), &status) {
        command.env("NODE_OPTIONS", INTERPRETED);
    }
    for (name, value) in &entry.env {
        command.env(name, secrets.filled(value)?);
    }
    let home = std::env::var_os("HOME");
    let folder =
        if entry.cwd.is_empty() { home.as_deref().map(Path::new) } else { Some(Path::new(&entry.cwd)) };
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    // A group of its own: a signal for this program's group does not reach it, and all of it can be ended.
    command.process_group(0);
    Ok(command)
}

/// The process group of a program; whatever is left of it is ended when this is dropped.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// The group whose first process has this id.
    pub(crate) fn of(id: Option<u32>) -> Self {
        Self(id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0.take() {
            // Mostly nobody is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Reads stderr to its end.
pub(crate) async fn drain(server: String, mut stderr: impl AsyncRead + Unpin) {
    let (mut left, mut buffer) = (LOGGED, [0; 4096]);
    loop {
        match stderr.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                let shown = &buffer[..count.min(left)];
                left -= shown.len();
                if !shown.is_empty() {
                    tracing::debug!(%server, text = %String::from_utf8_lossy(shown).trim_end(), "a server writes");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_service_with_a_filter_of_its_own_is_confined() {
        let filtered = "Name:\tjoi\nSeccomp:\t2\nSeccomp_filters:\t9\n";
        assert!(is_confined(true, filtered));
        assert!(!is_confined(false, filtered), "a container");
        assert!(!is_confined(true, "Name:\tjoi\nSeccomp:\t0\n"), "a terminal");
        assert!(!is_confined(true, ""));
    }
}
