//! Holds the connection to one satellite: connects, passes on what comes and goes, and connects again when it is lost.
//!
//! One task for each room, so that no room waits for another. In: events of the satellite, [`RoomSignal`]s, parts of the
//! room's loudspeaker. Out: sound and calls for the room's microphone, events for the satellite, and [`RoomNotice`]s once a
//! room is lost for long. What events mean is decided in `talk`. A satellite that does not answer, does not read or sends what
//! cannot be used is lost; the wait before the next attempt grows to a limit.

mod backoff;
mod connected;

use std::io;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use joi_audio::{DeviceFault, MicrophoneFeed, MuteSwitch, RemoteSpeaker};

use self::backoff::Backoff;
use self::connected::OpenLink;
use super::entry::RoomAddress;
use super::state::RoomMeter;
use super::{RoomSignal, RoomTimer};
use crate::peer::is_private;
use crate::sound::FormatError;
use crate::wire::WireError;

/// A connection of this length has worked: after a shorter one the wait goes on growing.
const LASTING: Duration = Duration::from_secs(10);

/// What becomes of a room, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomNotice {
    /// It was connected, and is not for a while now.
    Lost,
    /// It is connected again, after that was reported.
    Back,
}

/// Time limits of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoomTimes {
    /// For the connection, and for the first answer.
    pub connect: Duration,
    /// For the satellite to take what it is sent.
    pub write: Duration,
    /// Interval between two questions whether it is there.
    pub ask_every: Duration,
    /// Longest silence of a satellite.
    pub silent: Duration,
    /// Wait before the second attempt, and the longest one.
    pub again: (Duration, Duration),
    /// A room is reported as lost after this.
    pub lost: Duration,
}

impl Default for RoomTimes {
    fn default() -> Self {
        let s = Duration::from_secs;
        Self {
            connect: s(5),
            write: s(5),
            ask_every: s(2),
            silent: s(8),
            again: (Duration::from_millis(500), s(30)),
            lost: s(15),
        }
    }
}

/// One room and its satellite.
pub struct RoomLink {
    /// The name of the room.
    pub name: String,
    /// Where the satellite listens.
    pub address: RoomAddress,
    /// The wake phrase of a satellite that names none.
    pub phrase: String,
    /// The room's microphone.
    pub microphone: MicrophoneFeed,
    /// The room's loudspeaker.
    pub speaker: RemoteSpeaker,
    /// Switches all microphones off.
    pub mute: MuteSwitch,
    /// Shows the state.
    pub meter: RoomMeter,
    /// Timers that were set in the room.
    pub timers: watch::Receiver<Vec<RoomTimer>>,
    /// Time limits.
    pub times: RoomTimes,
    /// Receives what becomes of the room. When full, notices are dropped.
    pub notices: Sender<RoomNotice>,
}

/// Why there is no connection to a satellite: it is tried again in every case.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    /// It can't be reached, or the connection broke.
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// The address belongs to no private network: sound of a room is not sent there.
    #[error("its address is not in a private network")]
    Public,
    /// It did not answer, or has fallen silent.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Silent(Duration),
    /// It does not read.
    #[error("it takes nothing for {} s", .0.as_secs_f32())]
    SlowReader(Duration),
    /// It ended the connection: it may belong to another program.
    #[error("it closed the connection; another program may be connected to it")]
    Closed,
    /// It sent something else than the protocol.
    #[error("it does not speak the Wyoming protocol: {0}")]
    Foreign(#[from] WireError),
    /// It serves something, but has no microphone.
    #[error("it is no satellite")]
    NoSatellite,
    /// Its sound can't be used.
    #[error("{0}")]
    Format(#[from] FormatError),
    /// The program ends.
    #[error("the program ends")]
    Ending,
}

/// Keeps the room connected until `stop`. `signals` are what happens in its conversation; what comes while it is not connected
/// is dropped.
pub async fn follow_room(link: RoomLink, mut signals: Receiver<RoomSignal>, stop: CancellationToken) {
    let mut backoff = Backoff::new(link.times.again);
    let mut lost = LossReport::default();
    loop {
        let why = match link.connect(&stop).await {
            Ok(mut connected) => {
                lost.back(&link);
                while signals.try_recv().is_ok() {}
                let began = Instant::now();
                let why = connected.run(&link, &mut signals, &stop).await;
                if began.elapsed() >= LASTING {
                    backoff.worked();
                }
                why
            }
            Err(why) => why,
        };
        if matches!(why, LinkError::Ending) {
            return;
        }
        link.lost(&why);
        let until = Instant::now() + backoff.wait();
        while Instant::now() < until {
            lost.look(&link);
            let wait = lost.due(&link).map_or(until, |due| due.min(until));
            // Both arms are cancel-safe.
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(wait.saturating_duration_since(Instant::now())) => {}
            }
        }
        lost.look(&link);
    }
}

impl RoomLink {
    /// Connects, and asks whether it is a satellite.
    async fn connect(&self, stop: &CancellationToken) -> Result<OpenLink, LinkError> {
        let RoomAddress { host, port } = &self.address;
        let connecting = async {
            let stream = TcpStream::connect((host.as_str(), *port)).await?;
            if !is_private(stream.peer_addr()?.ip()) {
                return Err(LinkError::Public);
            }
            // Small events are to be sent at once; where that can't be set, they come later.
            let _ = stream.set_nodelay(true);
            OpenLink::greet(stream).await
        };
        // Both arms are dropped for good when the other one is taken.
        tokio::select! {
            () = stop.cancelled() => Err(LinkError::Ending),
            connected = timeout(self.times.connect, connecting) => {
                connected.map_err(|_| LinkError::Silent(self.times.connect))?
            }
        }
    }

    /// There is no connection: reports it once, and to whoever waits for sound.
    fn lost(&self, why: &LinkError) {
        let is_news = self.meter.lost(why.to_string());
        if is_news {
            tracing::warn!(room = self.name, %why, "a room is not connected; it is tried again");
            let fault = DeviceFault::Unreachable { device: self.name.clone(), why: why.to_string() };
            self.speaker.lost(fault.clone());
            self.microphone.gone(fault);
        }
    }
}

/// Reports a room that is lost for long, and that it is back.
#[derive(Debug, Default)]
struct LossReport {
    /// Since when, for a room that was connected before.
    since: Option<Instant>,
    was_connected: bool,
    is_reported: bool,
}

impl LossReport {
    fn back(&mut self, link: &RoomLink) {
        if std::mem::take(&mut self.is_reported) {
            // Full: nobody listens.
            let _ = link.notices.try_send(RoomNotice::Back);
        }
        (self.since, self.was_connected) = (None, true);
    }

    fn due(&self, link: &RoomLink) -> Option<Instant> {
        let since = self.since.filter(|_| !self.is_reported)?;
        Some(since + link.times.lost)
    }

    fn look(&mut self, link: &RoomLink) {
        if self.was_connected {
            self.since.get_or_insert_with(Instant::now);
        }
        if self.due(link).is_some_and(|due| due <= Instant::now()) {
            self.is_reported = true;
            let _ = link.notices.try_send(RoomNotice::Lost);
        }
    }
}
