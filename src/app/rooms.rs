//! Makes the service that talks in other rooms, through a satellite in each, and shows the rooms on the status board.
//!
//! In: configuration, what conversations by voice share, the speech models of the local conversation. Out: a service, off
//! until a room is configured. Each room has ears, a voice and a conversation of its own, on threads of its own, and the same
//! path of a spoken turn as the local devices; the weights of the speech models are shared. One task for each room, so that
//! none waits for another: a room that cannot be made is tried again by itself.

mod timers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::brain::Brain;
use super::daemon::{Service, ServiceContext};
use super::ears::quickest_whisper;
use super::readers::{LentReaders, LoadWhisper, sibling};
use super::voice::{Conversing, OpenedSound, converse_beside};
use super::voice_brain::VoiceBrain;
use crate::config::Config;
use crate::control::{RoomConnection, RoomStatus, StatusBoard};
use crate::metrics::Metrics;
use joi_audio::{AudioConfig, MuteSwitch, Player, RemoteMicrophone, Volume};
use joi_base::message::Place;
use joi_base::paths::Paths;
use joi_channels::voice::News;
use joi_hear::whisper::{SttConfig, SttError};
use joi_language::{SentenceField, SentenceName, SentenceTemplate};
use joi_satellites::{
    RoomEntry, RoomFigures, RoomLink, RoomLinkState, RoomMeter, RoomNotice, RoomSignal, RoomTimes,
    follow_room,
};
use joi_schedule::announce::{
    Announcement, AnnouncementId, AnnouncementOrigin, AnnouncementPriority, Announcer,
};

/// Signals that a satellite has not got. When full, further ones are dropped: its lights may be wrong.
const SIGNALS: usize = 64;
/// Notices of a room that nobody has taken.
const NOTICES: usize = 4;
/// A room that could not be made, or has ended, is made again after this.
const AGAIN: Duration = Duration::from_secs(10);
/// A loss that could not be announced within this time is not announced any more.
const FRESH: Duration = Duration::from_secs(600);
/// The end waits for the threads of every room.
const END_WITHIN: Duration = Duration::from_secs(15);

/// What all rooms share.
#[derive(Clone)]
struct RoomParts {
    config: Arc<Config>,
    paths: Paths,
    brain: VoiceBrain,
    readers: LentReaders,
    mute: MuteSwitch,
    metrics: Metrics,
    /// For a satellite that names no wake phrase.
    phrase: String,
}

/// One room.
#[derive(Clone)]
struct SatelliteRoom {
    name: String,
    entry: RoomEntry,
    meter: RoomMeter,
    turns: Arc<AtomicU64>,
}

/// Returns the service; nothing where no room is configured.
pub(super) fn rooms(
    (config, paths): (&Config, &Paths),
    (brain, board, metrics): (&Brain, &StatusBoard, &Metrics),
    readers: LentReaders,
) -> Option<Service> {
    if config.satellites.rooms.is_empty() {
        return None;
    }
    let room = |(name, entry): (&String, &RoomEntry)| SatelliteRoom {
        name: name.clone(),
        entry: entry.clone(),
        meter: RoomMeter::default(),
        turns: Arc::default(),
    };
    let all: Vec<SatelliteRoom> = config.satellites.rooms.iter().map(room).collect();
    let shown = all.clone();
    board.rooms(move || shown.iter().map(status).collect());
    let parts = RoomParts {
        config: Arc::new(config.clone()),
        paths: paths.clone(),
        brain: brain.for_voice(),
        readers,
        mute: board.mute().clone(),
        metrics: metrics.clone(),
        phrase: super::first_phrase(config, paths).unwrap_or_default(),
    };
    // Announcements for a room wait for it from the start on, and are heard elsewhere until it is there.
    for room in &all {
        let place = Place::named(&room.name);
        brain.announcer.attend(&place);
        brain.announcer.set_heard(&place, false);
    }
    let run = move |context: ServiceContext| {
        let (all, parts) = (all.clone(), parts.clone());
        async move {
            let mut running = JoinSet::new();
            for room in all {
                running.spawn(keep(room, parts.clone(), context.stop.clone()));
            }
            while running.join_next().await.is_some() {}
            Ok(())
        }
    };
    let service = Service::new("rooms", "nobody listens in the rooms with satellites", run);
    Some(service.end_within(END_WITHIN))
}

/// Has somebody listen in the room until `stop`.
async fn keep(room: SatelliteRoom, parts: RoomParts, stop: CancellationToken) {
    loop {
        // A task of its own: where it panics, the others go on.
        let talked = tokio::spawn(talk(room.clone(), parts.clone(), stop.clone())).await;
        if stop.is_cancelled() {
            return;
        }
        match talked {
            Ok(Ok(())) => tracing::warn!(room = room.name, "a room has ended and is made again"),
            Ok(Err(error)) => tracing::error!(room = room.name, "a room can't be made: {error:#}"),
            Err(_) => tracing::error!(room = room.name, "a room has panicked and is made again"),
        }
        // Both arms are cancel-safe.
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Makes the room and talks in it until `stop`, or until it has failed.
async fn talk(room: SatelliteRoom, parts: RoomParts, stop: CancellationToken) -> anyhow::Result<()> {
    let address = room.entry.address().context("the address can't be used")?;
    let (player, events, speaker) = Player::remote(Volume::percent(room.entry.volume));
    let (source, microphone) = RemoteMicrophone::new(&parts.mute);
    let config = parts.config_of(&room.entry);
    let sound = OpenedSound::of_room((player, events), Box::new(source), parts.loader()?);
    let place = Place::named(&room.name);
    let conversing = converse_beside(sound, place.clone(), &config, &parts.paths, &parts.brain).await?;
    let Conversing { conversation, news, requests, player, .. } = conversing;
    let (signals, taken) = channel(SIGNALS);
    let (notices, noticed) = channel(NOTICES);
    let (timers, set) = watch::channel(Vec::new());
    let link = RoomLink {
        name: room.name.clone(),
        address,
        phrase: parts.phrase.clone(),
        microphone,
        speaker,
        mute: parts.mute.clone(),
        meter: room.meter.clone(),
        timers: set,
        times: RoomTimes::default(),
        notices,
    };
    // Each ends with the conversation, which ends with `stop`, or when its listener has failed.
    let over = stop.child_token();
    let talking = async {
        conversation.run(stop.clone()).await;
        over.cancel();
        // Held as long as somebody may ask, or play.
        drop((requests, player));
    };
    let shown = show(news, signals, (room.clone(), parts.metrics.clone()));
    let reported = report(noticed, &room.name, &parts.brain.announcer);
    let set = timers::follow(&parts.brain, &place, timers);
    // The timers are followed as long as the rest goes on.
    tokio::select! {
        _ = async { tokio::join!(talking, shown, reported, follow_room(link, taken, over.clone())) } => {}
        () = set => {}
    }
    Ok(())
}

impl RoomParts {
    /// Returns the configuration in a room: tones are its own choice.
    fn config_of(&self, entry: &RoomEntry) -> Config {
        let config = Config::clone(&self.config);
        Config { audio: AudioConfig { tone: entry.tones, ..config.audio }, ..config }
    }

    /// Returns what gives a room its speech models: siblings of the local ones.
    fn loader(&self) -> anyhow::Result<LoadWhisper> {
        let quickest: PathBuf = quickest_whisper(&self.config, &super::library(&self.config, &self.paths)?)?;
        let readers = self.readers.clone();
        let load = move |path: &Path, _: &SttConfig| {
            let is_quickest = !readers.are_one && path == quickest;
            let lender = if is_quickest { &readers.quickest } else { &readers.chosen };
            sibling(lender).map_err(|error| SttError::NoWorker(format!("{error:#}")))
        };
        Ok(Arc::new(load))
    }
}

/// Passes on what happens in the conversation: to the satellite, and into the figures.
async fn show(
    mut news: Receiver<News>,
    signals: Sender<RoomSignal>,
    (room, metrics): (SatelliteRoom, Metrics),
) {
    while let Some(news) = news.recv().await {
        match &news {
            News::Turn(turn) => {
                room.turns.fetch_add(1, Ordering::Relaxed);
                metrics.answered(turn);
            }
            News::Dismissed(turn) => metrics.ignored(turn),
            News::Remark(remark) => tracing::info!(room = room.name, remark, "a remark in a room"),
            _ => {}
        }
        if let Some(signal) = signal(news) {
            // A satellite that is not connected needs none.
            let _ = signals.try_send(signal);
        }
    }
}

/// Returns what a satellite may know of the news.
fn signal(news: News) -> Option<RoomSignal> {
    Some(match news {
        News::Woke(phrase) => RoomSignal::Woke(phrase),
        News::Begins => RoomSignal::Begins,
        News::Understood(text) => RoomSignal::Understood(text),
        News::Words(words) => RoomSignal::Words(words),
        News::Rests(_) => RoomSignal::Rests,
        News::Activity(activity) => RoomSignal::Activity(activity),
        _ => return None,
    })
}

/// Announces a room that is lost for long, in another one.
async fn report(mut notices: Receiver<RoomNotice>, room: &str, announcer: &Announcer) {
    let mut announced: Option<AnnouncementId> = None;
    while let Some(notice) = notices.recv().await {
        match notice {
            RoomNotice::Lost => {
                let field = SentenceField::Words(room.to_owned());
                let wording = SentenceTemplate::from(SentenceName::RoomLost).with("room", field);
                let (origin, priority) = (AnnouncementOrigin::Device, AnnouncementPriority::Notice);
                let expires = announcer.moment_after(FRESH);
                let lost = Announcement { expires, ..Announcement::new(origin, priority, wording) };
                announced = Some(announcer.announce(lost).await);
            }
            RoomNotice::Back => {
                if let Some(id) = announced.take() {
                    announcer.withdraw(id).await;
                }
            }
        }
    }
}

fn status(room: &SatelliteRoom) -> RoomStatus {
    let RoomFigures { state, since, connections, .. } = room.meter.figures();
    let (state, about) = match state {
        RoomLinkState::Connecting(why) => (RoomConnection::Connecting, why.unwrap_or_default()),
        RoomLinkState::Connected { name } => (RoomConnection::Connected, name),
        RoomLinkState::Lost(why) => (RoomConnection::Lost, why),
    };
    RoomStatus {
        name: room.name.clone(),
        address: room.entry.address.clone(),
        state,
        about,
        for_s: since.elapsed().as_secs(),
        connections,
        turns: room.turns.load(Ordering::Relaxed),
    }
}
