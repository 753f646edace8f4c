//! Listening on a unix socket of mode 0600 or a loopback port, and graceful shutdown.
//!
//! Refuses an address that another process serves. A stale socket file is replaced.

use std::convert::Infallible;
use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener as StdUnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::{IncomingStream, Listener, ListenerExt as _};
use axum::{Extension, Router};
use rustix::fs::Mode;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;
use tower::{Layer as _, service_fn};

use crate::cli::ListenAddress;
use crate::idle::Connections;

/// How long open requests may take to end at shutdown.
const GRACE: Duration = Duration::from_secs(2);

/// Why the server can't listen; the program ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    /// Another program serves there.
    #[error("{0} is in use by another program: stop it, or choose another place")]
    InUse(String),
    /// There is a file that is no socket.
    #[error("{0} exists and is not a socket: move it away, or choose another path")]
    NotASocket(PathBuf),
    /// Any other error.
    #[error("can't listen on {place}: {source}")]
    Bind {
        /// Where.
        place: String,
        /// Why.
        source: io::Error,
    },
    /// Accepting failed.
    #[error("serving ended: {0}")]
    Serve(#[source] io::Error),
}

/// A bound address. The socket file is removed when this is dropped.
#[derive(Debug)]
pub(crate) enum Bound {
    /// A unix socket.
    Socket(UnixListener, SocketFile),
    /// A port.
    Port(TcpListener, SocketAddr),
}

/// A socket file as it was made: path, device and inode, time of its last change. Inodes are given out again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SocketIdentity {
    path: PathBuf,
    made: (u64, u64, i64, i64),
}

impl SocketIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        let about = std::fs::symlink_metadata(path)?;
        let made = (about.dev(), about.ino(), about.ctime(), about.ctime_nsec());
        Ok(Self { path: path.to_owned(), made })
    }

    /// Whether clients that look there still find this server.
    pub(crate) fn is_there(&self) -> bool {
        Self::of(&self.path).is_ok_and(|now| now == *self)
    }
}

/// Removes the socket file when the server ends.
#[derive(Debug)]
pub(crate) struct SocketFile(SocketIdentity);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // By now it may be another server's.
        if self.0.is_there()
            && let Err(error) = std::fs::remove_file(&self.0.path)
        {
            tracing::debug!(%error, "the socket file is gone already");
        }
    }
}

impl Bound {
    /// Binds `place`. Call it inside a Tokio runtime.
    pub(crate) async fn bind(place: &ListenAddress) -> Result<Self, ServeError> {
        match place {
            ListenAddress::Socket(path) => bind_socket(path),
            ListenAddress::Port(address) => {
                let listener = TcpListener::bind(address).await.map_err(|e| bind_error(address, e))?;
                let address = listener.local_addr().map_err(|e| bind_error(address, e))?;
                Ok(Self::Port(listener, address))
            }
        }
    }

    /// Its address, as a client would write it.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Socket(_, file) => format!("unix:{}", file.0.path.display()),
            Self::Port(_, address) => format!("http://{address}"),
        }
    }

    /// Returns the identity of the socket file, which shows whether clients can still find the server.
    pub(crate) fn address(&self) -> Option<SocketIdentity> {
        match self {
            Self::Socket(_, file) => Some(file.0.clone()),
            Self::Port(..) => None,
        }
    }

    /// Serves until `end`, then waits a moment for open requests. Each connection is one of `connections`.
    pub(crate) async fn serve(
        self,
        router: Router,
        connections: Connections,
        end: CancellationToken,
    ) -> Result<(), ServeError> {
        let ended = end.clone().cancelled_owned();
        let overdue = async {
            end.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let serving = async {
            match self {
                Self::Socket(listener, file) => {
                    let ended = async move {
                        ended.await;
                        // Whoever comes from now on looks elsewhere.
                        drop(file);
                    };
                    serve_on(listener, router, connections, ended).await
                }
                Self::Port(listener, _) => {
                    // Nagle's algorithm would delay each word until the one before is acknowledged.
                    let listener = listener.tap_io(|stream| {
                        if let Err(error) = stream.set_nodelay(true) {
                            tracing::debug!(%error, "TCP_NODELAY refused");
                        }
                    });
                    serve_on(listener, router, connections, ended).await
                }
            }
        };
        tokio::select! {
            served = serving => served.map_err(ServeError::Serve),
            () = overdue => Ok(()),
        }
    }
}

async fn serve_on<L>(
    listener: L,
    router: Router,
    connections: Connections,
    ended: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()>
where
    L: Listener,
    L::Addr: Debug,
{
    let each = service_fn(move |_: IncomingStream<'_, L>| {
        let service = Extension(Arc::new(connections.enter())).layer(router.clone());
        std::future::ready(Ok::<_, Infallible>(service))
    });
    axum::serve(listener, each).with_graceful_shutdown(ended).await
}

fn bind_socket(path: &Path) -> Result<Bound, ServeError> {
    let shown = path.display();
    remove_stale(path)?;
    // The mode must be right from the first moment: a chmod afterwards would leave a gap.
    let before = rustix::process::umask(Mode::from_raw_mode(0o177));
    let bound = StdUnixListener::bind(path);
    rustix::process::umask(before);
    let listener = bound.map_err(|e| bind_error(&shown, e))?;
    let file = SocketFile(SocketIdentity::of(path).map_err(|e| bind_error(&shown, e))?);
    listener.set_nonblocking(true).map_err(|e| bind_error(&shown, e))?;
    let listener = UnixListener::from_std(listener).map_err(|e| bind_error(&shown, e))?;
    Ok(Bound::Socket(listener, file))
}

/// Removes the socket of a server that has ended.
fn remove_stale(path: &Path) -> Result<(), ServeError> {
    let Ok(about) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if !about.file_type().is_socket() {
        return Err(ServeError::NotASocket(path.to_owned()));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(|e| bind_error(&path.display(), e))
        }
        Ok(_) | Err(_) => Err(ServeError::InUse(path.display().to_string())),
    }
}

fn bind_error(place: &impl ToString, source: io::Error) -> ServeError {
    let place = place.to_string();
    match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse(place),
        _ => ServeError::Bind { place, source },
    }
}
