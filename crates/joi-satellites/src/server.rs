//! The Wyoming server: one task accepts, one task each serves a connection.
//!
//! In: a bound listener, what is offered, the threads behind it. Out: figures. Peers outside of private networks are
//! refused. Where all places are taken, a new connection gets that of the oldest one without a request. The protocol has no
//! password: its words and its sound are a stranger's.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use joi_serve::{ConnectionPlace, ConnectionPlaces};

use super::connection::WyomingTalk;
use super::parts::{WyomingParts, WyomingServer, error_event};
use super::peer::is_private;

/// Time limit for a refusal.
const REFUSAL: Duration = Duration::from_millis(200);
/// Pause after a connection could not be accepted: there are too many open files, most likely.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves on `listener` until `stop`.
pub async fn serve_wyoming(listener: TcpListener, parts: WyomingParts, stop: CancellationToken) {
    let mut info = Vec::new();
    parts.offer.info().write(&mut info);
    let voices = parts.offer.voices.clone().into();
    let places = ConnectionPlaces::new(parts.connections.0, parts.connections.1);
    let server = Arc::new(WyomingServer { parts, info, voices });
    let mut connections = JoinSet::new();
    loop {
        // Every arm is cancel-safe.
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((_, peer)) if !is_private(peer.ip()) => {
                    server.parts.meter.refuse();
                    tracing::warn!("a peer outside of private networks was refused at the Wyoming server");
                }
                Ok((stream, peer)) => {
                    let place = places.take(peer.ip());
                    connections.spawn(connection(Arc::clone(&server), stream, peer, place));
                }
                Err(error) => {
                    tracing::debug!(%error, "could not accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            },
        }
    }
    connections.shutdown().await;
}

/// Serves one connection, or refuses it where it has no place.
async fn connection(
    server: Arc<WyomingServer>,
    mut stream: TcpStream,
    peer: SocketAddr,
    place: Option<ConnectionPlace>,
) {
    let meter = &server.parts.meter;
    let Some(place) = place else {
        meter.refuse();
        tracing::debug!(%peer, "too many connections, one was refused");
        let text = "too many connections; close one, or raise satellites.wyoming.connections";
        // A peer that does not read gets no reason.
        let _ = timeout(REFUSAL, stream.write_all(&error_event(text, "busy"))).await;
        return;
    };
    let _open = meter.open();
    // Small events are to be sent at once; where that can't be set, they come later.
    let _ = stream.set_nodelay(true);
    // Whatever runs for the connection ends with it.
    tokio::select! {
        () = place.given_away() => tracing::debug!(%peer, "a connection without a request gave up its place"),
        ended = WyomingTalk::new(&server, stream, &place).run() => {
            if let Err(why) = ended {
                tracing::debug!(%peer, %why, "a connection was closed");
            }
        }
    }
}
