//! Where PulseAudio, or PipeWire's stand-in for it, listens: looked up as libpulse does.
//!
//! The pure-Rust client looks in fewer places, and takes `PULSE_RUNTIME_PATH` for the directory above the one it is.
//! Where it would look in vain joi would fall back to ALSA's plug-in for the same server, which is later and breaks off
//! under load. To be called before any thread runs.

use std::ffi::OsString;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Names the server in the environment, for the client.
const SERVER: &str = "PULSE_SERVER";

/// Sets the server's address for the client, unless the environment has one.
///
/// # Safety
/// No other thread of the process may run yet: it changes the environment.
pub unsafe fn set_for_client() {
    let is_socket = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if let Some(server) = server(|name| std::env::var_os(name), is_socket) {
        // SAFETY: passed on to the caller.
        unsafe { std::env::set_var(SERVER, server) };
    }
}

/// What the environment has to name, if it does not.
fn server(var: impl Fn(&str) -> Option<OsString>, is_socket: impl Fn(&Path) -> bool) -> Option<OsString> {
    let unix = |path: &Path| {
        let mut server = OsString::from("unix:");
        server.push(path);
        server
    };
    if let Some(named) = var(SERVER).filter(|named| !named.is_empty()) {
        // libpulse takes a bare path for a socket.
        let path = Path::new(&named);
        return (path.is_absolute() && is_socket(path)).then(|| unix(path));
    }
    let in_dir = |name, below: &str| var(name).map(|dir| PathBuf::from(dir).join(below));
    let places = [
        in_dir("PULSE_RUNTIME_PATH", "native"),
        in_dir("XDG_RUNTIME_DIR", "pulse/native"),
        Some(PathBuf::from("/run/pulse/native")),
    ];
    places.into_iter().flatten().find(|path| is_socket(path)).map(|path| unix(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(vars: &[(&str, &str)], sockets: &[&str]) -> Option<String> {
        let var = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        let is_socket = |path: &Path| sockets.iter().any(|socket| path == Path::new(socket));
        server(var, is_socket).map(|server| server.into_string().unwrap())
    }

    #[test]
    fn the_server_is_where_libpulse_would_look() {
        let runtime = ("XDG_RUNTIME_DIR", "/run/user/1");
        let own = ("PULSE_RUNTIME_PATH", "/tmp/p");
        let both = ["/run/user/1/pulse/native", "/tmp/p/native"];
        assert_eq!(found(&[runtime], &both).as_deref(), Some("unix:/run/user/1/pulse/native"));
        assert_eq!(found(&[runtime, own], &both).as_deref(), Some("unix:/tmp/p/native"));
        assert_eq!(found(&[own, runtime], &both[..1]).as_deref(), Some("unix:/run/user/1/pulse/native"));
        assert_eq!(
            found(&[runtime], &["/run/pulse/native"]).as_deref(),
            Some("unix:/run/pulse/native"),
            "system mode"
        );
        assert_eq!(found(&[runtime], &[]), None);
    }

    #[test]
    fn what_the_environment_names_counts() {
        let all = ["/run/user/1/pulse/native", "/tmp/socket"];
        let runtime = ("XDG_RUNTIME_DIR", "/run/user/1");
        assert_eq!(found(&[(SERVER, "unix:/elsewhere"), runtime], &all), None, "as it is");
        assert_eq!(found(&[(SERVER, "tcp:kitchen:4713"), runtime], &all), None, "as it is");
        assert_eq!(found(&[(SERVER, "/tmp/socket"), runtime], &all).as_deref(), Some("unix:/tmp/socket"));
    }
}
