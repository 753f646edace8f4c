//! The place of the control socket: its folder, the lock file beside it, the socket itself.
//!
//! Blocks while a few files are made. A stale socket is replaced; the lock says whether one is.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

/// Returns the lock file, in a directory that is accessible to this user only.
pub(super) fn lock(runtime: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(runtime)?;
    let mode = fs::metadata(runtime)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(runtime, Permissions::from_mode(0o700))?;
    }
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(runtime.join("joi.lock"))
}

/// Binds the socket, accessible to this user only.
pub(super) fn bind(socket: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(0o600))?;
    Ok(listener)
}
