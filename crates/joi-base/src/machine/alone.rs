//! A test that needs a process of its own: what it measures is shared by all tests of a process.

#![allow(clippy::unwrap_used, reason = "in a test, what was not expected ends it")]

/// Set in the process in which nothing else runs.
const ALONE: &str = "JOI_TEST_ALONE";

/// Returns whether this is the process in which the test `name` of `module` runs alone; else it has run there, and
/// passed.
pub fn is_alone(module: &str, name: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let module = module.split_once("::").map_or(module, |(_, module)| module);
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    let ran = again.args(["--exact", &format!("{module}::{name}")]).env(ALONE, "1").output().unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && told.contains("1 passed"), "{told}");
    false
}
