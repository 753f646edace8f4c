//! Counts the connections of an endpoint, and decides which one gives up its place to a new one.
//!
//! Any thread; a short lock, no I/O. In: the address of a new peer. Out: a place, which is free again when it is
//! dropped. A connection that has sent its request keeps its place.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// The places of one endpoint.
#[derive(Debug, Clone)]
pub struct ConnectionPlaces(Arc<Mutex<PlaceList>>);

#[derive(Debug)]
struct PlaceList {
    all: usize,
    of_a_peer: usize,
    next: u64,
    /// In the order of their arrival.
    taken: Vec<TakenPlace>,
}

#[derive(Debug)]
struct TakenPlace {
    id: u64,
    peer: IpAddr,
    has_request: bool,
    given_away: CancellationToken,
}

/// A place, taken until it is dropped or given away.
#[derive(Debug)]
pub struct ConnectionPlace {
    places: ConnectionPlaces,
    id: u64,
    given_away: CancellationToken,
}

impl ConnectionPlaces {
    /// ConnectionPlaces for so many connections, and for so many of one peer.
    pub fn new(all: usize, of_a_peer: usize) -> Self {
        Self(Arc::new(Mutex::new(PlaceList { all, of_a_peer, next: 0, taken: Vec::new() })))
    }

    /// Takes a place for `peer`; nothing where all of them are taken by connections that have sent their request.
    pub fn take(&self, peer: IpAddr) -> Option<ConnectionPlace> {
        let (id, given_away) = self.with(|list| {
            let of_peer = list.taken.iter().filter(|place| place.peer == peer).count();
            if of_peer >= list.of_a_peer && !list.give_away(|place| place.peer == peer) {
                return None;
            }
            if list.taken.len() >= list.all && !list.give_away(|_| true) {
                return None;
            }
            let (id, given_away) = (list.next, CancellationToken::new());
            list.next += 1;
            let token = given_away.clone();
            list.taken.push(TakenPlace { id, peer, has_request: false, given_away: token });
            Some((id, given_away))
        })?;
        Some(ConnectionPlace { places: self.clone(), id, given_away })
    }

    /// Gives away the places of all connections that have not sent their request.
    pub fn end_unfinished(&self) {
        self.with(|list| while list.give_away(|_| true) {});
    }

    fn with<T>(&self, work: impl FnOnce(&mut PlaceList) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PlaceList {
    /// Takes the place of the oldest connection without a request that `may` name; whether there was one.
    fn give_away(&mut self, may: impl Fn(&TakenPlace) -> bool) -> bool {
        let oldest = self.taken.iter().position(|place| !place.has_request && may(place));
        oldest.map(|at| self.taken.remove(at).given_away.cancel()).is_some()
    }
}

impl ConnectionPlace {
    /// The connection has sent its request, and keeps its place.
    pub fn has_request(&self) {
        self.set(true);
    }

    /// The request is answered: the place may go to a new connection again.
    pub fn request_is_over(&self) {
        self.set(false);
    }

    fn set(&self, has_request: bool) {
        self.places.with(|list| {
            if let Some(place) = list.taken.iter_mut().find(|place| place.id == self.id) {
                place.has_request = has_request;
            }
        });
    }

    /// Waits until the place is given to another connection.
    pub async fn given_away(&self) {
        self.given_away.cancelled().await;
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.places.with(|list| list.taken.retain(|place| place.id != self.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_without_a_request_gives_its_place_and_one_with_a_request_keeps_it() {
        let places = ConnectionPlaces::new(3, 2);
        let peer = |last: u8| IpAddr::from([192, 168, 1, last]);
        let first = places.take(peer(1)).unwrap();
        let second = places.take(peer(1)).unwrap();
        first.has_request();
        // The peer has both of its places: its own half connection goes.
        let third = places.take(peer(1)).unwrap();
        assert!(second.given_away.is_cancelled() && !first.given_away.is_cancelled());
        third.has_request();
        assert!(places.take(peer(1)).is_none());
        let fourth = places.take(peer(2)).unwrap();
        let fifth = places.take(peer(3)).unwrap();
        assert!(fourth.given_away.is_cancelled());
        fifth.has_request();
        assert!(places.take(peer(4)).is_none());
        drop(first);
        drop(second);
        let sixth = places.take(peer(4)).unwrap();
        sixth.has_request();
        assert!(places.take(peer(5)).is_none());
        third.request_is_over();
        assert!(places.take(peer(5)).is_some() && third.given_away.is_cancelled());
    }
}
