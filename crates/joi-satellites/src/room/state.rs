//! How a room is connected, for whoever shows it. Its task writes, any task reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The connection to a satellite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomLinkState {
    /// It has not been reached since the start; why, once that is known.
    Connecting(Option<String>),
    /// It is connected.
    Connected {
        /// What it calls itself.
        name: String,
    },
    /// It was connected; why it is not any more.
    Lost(String),
}

/// A room's figures since the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomFigures {
    /// The connection.
    pub state: RoomLinkState,
    /// Since when it is so.
    pub since: Instant,
    /// How often it was connected.
    pub connections: u64,
    /// How often somebody called there.
    pub calls: u64,
}

/// Shows the figures of a room. Clones show the same.
#[derive(Debug, Clone)]
pub struct RoomMeter(Arc<Mutex<RoomFigures>>);

impl Default for RoomMeter {
    fn default() -> Self {
        let state = RoomLinkState::Connecting(None);
        Self(Arc::new(Mutex::new(RoomFigures { state, since: Instant::now(), connections: 0, calls: 0 })))
    }
}

impl RoomMeter {
    /// Returns the present figures.
    pub fn figures(&self) -> RoomFigures {
        self.shared().clone()
    }

    pub(crate) fn connected(&self, name: &str) {
        let mut figures = self.shared();
        figures.connections += 1;
        (figures.state, figures.since) = (RoomLinkState::Connected { name: name.to_owned() }, Instant::now());
    }

    /// It is not connected, for this reason; returns whether that is news.
    pub(crate) fn lost(&self, why: String) -> bool {
        let mut figures = self.shared();
        let is_news =
            matches!(figures.state, RoomLinkState::Connected { .. } | RoomLinkState::Connecting(None));
        let since = match &figures.state {
            RoomLinkState::Connected { .. } => Instant::now(),
            RoomLinkState::Connecting(_) | RoomLinkState::Lost(_) => figures.since,
        };
        let is_known = figures.connections > 0;
        figures.state =
            if is_known { RoomLinkState::Lost(why) } else { RoomLinkState::Connecting(Some(why)) };
        figures.since = since;
        is_news
    }

    pub(crate) fn called(&self) {
        self.shared().calls += 1;
    }

    fn shared(&self) -> MutexGuard<'_, RoomFigures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_that_was_never_reached_is_not_a_lost_one() {
        let meter = RoomMeter::default();
        assert!(meter.lost("refused".into()) && !meter.lost("refused".into()));
        assert_eq!(meter.figures().state, RoomLinkState::Connecting(Some("refused".into())));
        meter.connected("Kitchen");
        meter.lost("gone".into());
        let since = meter.figures().since;
        meter.lost("refused".into());
        let figures = meter.figures();
        assert_eq!((figures.state, figures.since), (RoomLinkState::Lost("refused".into()), since));
        assert_eq!(figures.connections, 1);
    }
}
