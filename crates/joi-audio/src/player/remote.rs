//! A player whose loudspeaker is at the other end of a connection.
//!
//! Any thread. In: sinks, as connections come and go. Out: notices for the feeder, as of a device that comes and goes.

use std::sync::Arc;

use tokio::sync::mpsc::Receiver;

use super::{PlayEvent, Player, PlayerState};
use crate::remote::RemoteSpeaker;
use crate::sink::AudioSink;
use crate::stream_supervisor::DeviceNotice;
use crate::{DeviceFault, Volume};

/// Passes what becomes of a connection to the feeder.
pub(crate) struct RemoteOutlet(Arc<PlayerState>);

impl Player {
    /// Returns a player whose loudspeaker is not connected yet, its events, and the handle for the connection.
    pub fn remote(volume: Volume) -> (Self, Receiver<PlayEvent>, RemoteSpeaker) {
        let shared = PlayerState::new(volume);
        let speaker = RemoteSpeaker::new(RemoteOutlet(Arc::clone(&shared)));
        let (player, events) = Self::start(shared, None, None);
        (player, events, speaker)
    }
}

impl RemoteOutlet {
    pub(crate) fn up(&self, sink: Box<dyn AudioSink>, device: &str) {
        let device = device.to_owned();
        self.0.change(|queue| queue.notices.extend([DeviceNotice::Up(sink), DeviceNotice::Back { device }]));
    }

    pub(crate) fn gone(&self, fault: DeviceFault) {
        self.0.change(|queue| queue.notices.extend([DeviceNotice::Down, DeviceNotice::Gone(fault)]));
    }
}
