//! Signals that end a program by default, and do not end this one.
//!
//! Called once, on the main thread, before anything waits for a signal. rustix sets no dispositions.

/// Has the signals of buttons do nothing from here on, instead of ending the program: `pkill -USR1 -x joi` reaches each
/// that runs, also one that only shows something or is not listening yet. A program that this one starts inherits it.
pub fn ignore_buttons() {
    for button in [libc::SIGUSR1, libc::SIGUSR2] {
        // SAFETY: to be ignored is a disposition of both, and runs no code of ours.
        unsafe { libc::signal(button, libc::SIG_IGN) };
    }
}
