//! One line of the terminal that is not shown while it is typed or pasted.

use std::io;

use rustix::stdio::stdin;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Reads a line. Where the terminal's echo cannot be switched off, the line is shown as any other.
pub(super) fn line() -> io::Result<String> {
    let _silent = Silent::begin();
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line)
}

/// A terminal that shows nothing but the end of the line, until this is dropped.
struct Silent(Termios);

impl Silent {
    fn begin() -> Option<Self> {
        let before = tcgetattr(stdin()).ok()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(stdin(), OptionalActions::Now, &silent).ok()?;
        Some(Self(before))
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing either.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}
