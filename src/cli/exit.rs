//! Exit codes, and the error of a command that needs the running program.
//!
//! Pure: no I/O, no clock.

/// Exit code for wrong usage or an unusable configuration.
pub(super) const EXIT_USAGE: u8 = 2;
/// Exit code for every other failure.
pub(super) const EXIT_FAILED: u8 = 1;

/// Returns the error of a command that needs the running program where none runs.
pub(super) fn not_running() -> anyhow::Error {
    anyhow::anyhow!(
        "joi is not running; start it with `joi run`, or as a service with `systemctl --user start joi`"
    )
}
