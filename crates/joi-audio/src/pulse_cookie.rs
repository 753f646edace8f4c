//! The authentication cookie of the PulseAudio protocol, created for the first client of an account.
//!
//! Any thread, before a connection is made. Servers, PipeWire's too, close a connection whose cookie is not
//! 256 bytes long, even where they require no authentication. libpulse creates the file when it is missing;
//! the pure-Rust client only reads it, so a fresh account would have no sound. Never touches an existing
//! file, and does nothing where `PULSE_COOKIE` names one that exists.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Its length in bytes, fixed by the protocol.
const LENGTH: usize = 256;

/// Creates the cookie of this account if there is none. A failure is only logged: the server may accept a
/// client without one.
pub(super) fn ensure() {
    let Some(home) = home(|name| std::env::var_os(name)) else { return };
    if let Err(error) = ensure_in(&home) {
        tracing::debug!(%error, "could not create the PulseAudio cookie");
    }
}

/// Returns the directory with the cookie; nothing where `PULSE_COOKIE` names a file.
fn home(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if var("PULSE_COOKIE").is_some_and(|named| Path::new(&named).exists()) {
        return None;
    }
    var("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

fn ensure_in(home: &Path) -> io::Result<()> {
    let cookie = home.join(".config/pulse/cookie");
    if cookie.exists() || home.join(".pulse-cookie").exists() {
        return Ok(());
    }
    if let Some(folder) = cookie.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut random = [0; LENGTH];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&cookie);
    match made {
        Ok(mut file) => file.write_all(&random),
        // Another client created it in the meantime.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_fresh_account_gets_a_cookie_of_its_own_and_keeps_it() {
        let home = tempfile::tempdir().expect("a folder");
        ensure_in(home.path()).expect("made");
        let file = home.path().join(".config/pulse/cookie");
        let made = std::fs::read(&file).expect("a cookie");
        assert_eq!(made.len(), LENGTH);
        assert!(made.iter().any(|&byte| byte != made[0]), "random");
        assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        ensure_in(home.path()).expect("nothing to do");
        assert_eq!(std::fs::read(&file).expect("a cookie"), made);
    }

    #[test]
    fn an_older_cookie_and_a_named_one_are_left_alone() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join(".pulse-cookie"), [1; LENGTH]).expect("written");
        ensure_in(home.path()).expect("nothing to do");
        assert!(!home.path().join(".config").exists());
        let cookie = home.path().join(".pulse-cookie");
        let named = |name: &str| match name {
            "PULSE_COOKIE" => Some(cookie.clone().into()),
            _ => Some("/home/somebody".into()),
        };
        assert_eq!(super::home(named), None);
        let missing = |name: &str| (name == "HOME").then(|| "/home/somebody".into());
        assert_eq!(super::home(missing), Some("/home/somebody".into()));
    }
}
