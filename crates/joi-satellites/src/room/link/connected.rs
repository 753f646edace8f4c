//! One connection to a satellite that has said that it is one.
//!
//! One task. In: bytes of the satellite, [`RoomSignal`]s, parts of the loudspeaker, the mute switch. Out: bytes, sound and
//! calls. A satellite that answers pings is pinged, another one is asked to describe itself: one that says nothing for too
//! long is lost. It runs until the connection ends, and says why.

use std::future::pending;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use joi_audio::SpeakerPart;

use super::{LinkError, RoomLink};
use crate::room::RoomSignal;
use crate::room::outgoing::OutgoingSound;
use crate::room::talk::{RoomAct, RoomTalk};
use crate::room::timers::changes;
use crate::wire::{WireEvent, WireReader};

/// Bytes read at once.
const READ: usize = 16 * 1024;
/// Longest name of a satellite that is shown.
const LONGEST_NAME: usize = 40;

/// An open connection.
pub(super) struct OpenLink {
    stream: TcpStream,
    reader: WireReader,
    /// What the satellite calls itself.
    name: String,
    out: Vec<u8>,
    sound: OutgoingSound,
    /// It answers pings.
    pongs: bool,
    heard_at: Instant,
}

/// What happens next.
enum OpenLinkEvent {
    Read(usize),
    Signal(RoomSignal),
    Part(Option<SpeakerPart>),
    SoundEnds,
    Timers,
    Tick,
    Stop,
}

impl OpenLink {
    /// Asks what is there.
    pub(super) async fn greet(mut stream: TcpStream) -> Result<Self, LinkError> {
        let mut question = Vec::new();
        WireEvent::new("describe", json!({})).write(&mut question);
        stream.write_all(&question).await?;
        let (mut reader, mut buffer) = (WireReader::default(), vec![0; READ]);
        loop {
            while let Some(event) = reader.next()? {
                if event.kind == "info" {
                    let (out, sound, heard_at) = (Vec::new(), OutgoingSound::default(), Instant::now());
                    let name = name_of(&event.data.into())?;
                    return Ok(Self { stream, reader, name, out, sound, pongs: false, heard_at });
                }
            }
            match stream.read(&mut buffer).await? {
                0 => return Err(LinkError::Closed),
                count => reader.push(&buffer[..count]),
            }
        }
    }

    /// Serves the connection; returns why it has ended.
    pub(super) async fn run(
        &mut self,
        link: &RoomLink,
        signals: &mut Receiver<RoomSignal>,
        stop: &CancellationToken,
    ) -> LinkError {
        link.meter.connected(&self.name);
        tracing::info!(room = link.name, satellite = self.name, "a room is connected");
        link.microphone.back(&self.name);
        let mut parts = link.speaker.connected(&self.name);
        match self.serve(link, signals, &mut parts, stop).await {
            Ok(()) => LinkError::Ending,
            Err(why) => why,
        }
    }

    async fn serve(
        &mut self,
        link: &RoomLink,
        signals: &mut Receiver<RoomSignal>,
        parts: &mut Receiver<SpeakerPart>,
        stop: &CancellationToken,
    ) -> Result<(), LinkError> {
        let mut talk = RoomTalk::new(&link.phrase);
        let mut is_muted = link.mute.is_muted();
        self.act(talk.run(is_muted), link);
        let mut ticks = interval(link.times.ask_every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut buffer, mut timers, mut shown) = (vec![0; READ], link.timers.clone(), Vec::new());
        timers.mark_changed();
        loop {
            if std::mem::replace(&mut is_muted, link.mute.is_muted()) != is_muted {
                self.act(talk.run(is_muted), link);
            }
            self.flush(link).await?;
            let event = {
                let ends_at = self.sound.ends_at();
                // Every arm is cancel-safe.
                tokio::select! {
                    biased;
                    () = stop.cancelled() => OpenLinkEvent::Stop,
                    part = parts.recv() => OpenLinkEvent::Part(part),
                    Some(signal) = signals.recv() => OpenLinkEvent::Signal(signal),
                    read = self.stream.read(&mut buffer) => OpenLinkEvent::Read(read?),
                    () = until(ends_at) => OpenLinkEvent::SoundEnds,
                    Ok(()) = timers.changed() => OpenLinkEvent::Timers,
                    _ = ticks.tick() => OpenLinkEvent::Tick,
                }
            };
            match event {
                OpenLinkEvent::Stop => return Ok(()),
                OpenLinkEvent::Read(0) => return Err(LinkError::Closed),
                OpenLinkEvent::Read(count) => {
                    self.heard_at = Instant::now();
                    self.reader.push(&buffer[..count]);
                    while let Some(event) = self.reader.next()? {
                        let acts = talk.event(event)?;
                        acts.into_iter().for_each(|act| self.act(act, link));
                    }
                }
                OpenLinkEvent::Signal(signal) => {
                    talk.signal(signal).into_iter().for_each(|act| self.act(act, link));
                }
                OpenLinkEvent::Part(Some(part)) => {
                    if matches!(part, SpeakerPart::Sound { .. }) && !self.sound.is_open() {
                        talk.sounds().iter().for_each(|event| event.write(&mut self.out));
                    }
                    self.send_all(|sound| sound.part(part));
                }
                // The room's player is gone, and with it the room.
                OpenLinkEvent::Part(None) => return Ok(()),
                OpenLinkEvent::Timers => {
                    let now = timers.borrow_and_update().clone();
                    let before = std::mem::replace(&mut shown, now);
                    changes(&before, &shown).iter().for_each(|event| event.write(&mut self.out));
                }
                OpenLinkEvent::SoundEnds => self.send_all(|sound| sound.end()),
                OpenLinkEvent::Tick => self.ask(link)?,
            }
        }
    }

    fn send_all<E: IntoIterator<Item = WireEvent>>(&mut self, events: impl FnOnce(&mut OutgoingSound) -> E) {
        for event in events(&mut self.sound) {
            event.write(&mut self.out);
        }
    }

    fn act(&mut self, act: RoomAct, link: &RoomLink) {
        match act {
            RoomAct::Send(event) => event.write(&mut self.out),
            RoomAct::Called(phrase) => {
                link.meter.called();
                link.microphone.called(phrase);
            }
            RoomAct::Sound(samples) => link.microphone.sound(samples),
            RoomAct::Ended => link.microphone.ended(),
            RoomAct::Played => link.speaker.played(),
            RoomAct::Alive => self.pongs = true,
        }
    }

    /// Asks whether it is there; one that has said nothing for too long is not.
    fn ask(&mut self, link: &RoomLink) -> Result<(), LinkError> {
        if self.heard_at.elapsed() >= link.times.silent {
            return Err(LinkError::Silent(link.times.silent));
        }
        WireEvent::new("ping", json!({ "text": null })).write(&mut self.out);
        if !self.pongs {
            WireEvent::new("describe", json!({})).write(&mut self.out);
        }
        Ok(())
    }

    async fn flush(&mut self, link: &RoomLink) -> Result<(), LinkError> {
        if self.out.is_empty() {
            return Ok(());
        }
        let written = timeout(link.times.write, self.stream.write_all(&self.out)).await;
        written.map_err(|_| LinkError::SlowReader(link.times.write))??;
        self.out.clear();
        Ok(())
    }
}

/// Returns what a satellite calls itself.
fn name_of(info: &Value) -> Result<String, LinkError> {
    let satellite = &info["satellite"];
    if !satellite.is_object() || satellite["installed"] == false {
        return Err(LinkError::NoSatellite);
    }
    let name = satellite["name"].as_str().unwrap_or("satellite");
    Ok(name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect())
}

/// Waits until `then`; for ever without it.
async fn until(then: Option<std::time::Instant>) {
    match then {
        Some(then) => sleep_until(then.into()).await,
        None => pending().await,
    }
}
