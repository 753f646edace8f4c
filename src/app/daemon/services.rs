//! Lists every service of `joi run` in the order of their start; they end in the reverse order.
//!
//! A new service is a function that makes a [`Service`](super::Service), in a file of its own, and one line here.
//! Runs once, on the task of the command. It refuses to start beside another program with the same directories.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use super::{Daemon, Service, ServiceContext};
use crate::app::{self, Brain, Conversing, DataLock, DataLockError, Show, Shown, Sound};
use crate::app::{
    agents, alerts, awake, awareness, backups, brain, diary, display, goals, home, impulse, loading, machine,
    messages, outside, page, programs, rooms, satellites, timers, tool_sources, upkeep, watches, weather,
};
use crate::config::Config;
use crate::control::{
    ControlError, ControlServer, DelayStatus, DeviceDelays, Journal, PersistentMute, SoundStatus,
    StatusBoard, StatusBoardParts,
};
use crate::metrics::Metrics;
use joi_agent::ConnectedHome;
use joi_autonomy::watch::Watches;
use joi_base::clock::SystemClock;
use joi_base::message::Place;
use joi_base::paths::Paths;
use joi_base::pulse::Pulse;
use joi_channels::voice::Conversation;
use joi_home::{Follower, Home as _, HomeServer};
use joi_llm::{Mind, ModelServer};

/// A program whose services run.
pub struct Started {
    /// Supervises and ends them.
    pub daemon: Daemon,
    /// Database, model server and engine, to be shut down after the daemon has ended.
    pub brain: Brain,
    /// Keeps other programs off the data directory until all of it has ended.
    pub lock: Option<DataLock>,
}

/// Starts all services, and shows what happens through `show`.
///
/// # Errors
/// Another program runs already, or a part that the conversation needs cannot be made.
pub async fn start(config: &Config, paths: &Paths, journal: Journal, show: Show) -> anyhow::Result<Started> {
    let door = open_door(&paths.runtime, &show)?;
    let lock = lock_data(&paths.data, &show)?;
    app::ignore_hangup();
    let board = status_board(&paths.data, journal, &show);
    let (mut daemon, metrics) = (Daemon::new(board.clone()), Metrics::default());

    // Before the models are loaded, which may take minutes: the microphone can be switched off meanwhile.
    let early = [
        Some(outside::systemd(&board, daemon.ending())),
        door.map(|door| outside::control_socket(&board, door)),
        Some(outside::buttons(&board)),
        Some(display::mute_display(&board, &show)),
        Some(machine::machine(paths, &board)),
        outside::metrics(&config.metrics, &metrics, &board),
    ];
    daemon.start_all(early);

    show(Shown::Remark("waking up …".to_owned()));
    let house = house(config, paths, &show);
    let spoken_to = house.as_ref().map(|(house, _)| home::spoken_to(house, config));
    let made = daemon.supervise(make(config, paths, &board, spoken_to, &show)).await;
    let (brain, server, talk) = made.context("ended before everything was loaded")??;
    app::end_on_signal(daemon.ending());
    let (messages, remarks) = messages::messages(config, paths, &brain);
    remarks.into_iter().for_each(|remark| show(Shown::Remark(remark)));
    let (notices, received) = awareness::notices();
    let watched = house.as_ref().map(|(house, _)| house.watch());
    show(Shown::Ready { wake_phrase: app::first_phrase(config, paths) });

    let loaded = CancellationToken::new();
    let (player, meter) = (talk.player.clone(), talk.meter.clone());
    let (readers, wake, tap) = (talk.readers.clone(), talk.wake, talk.tap);
    let sound = page::PageSound { player, meter, readers, wake, tap };
    let page = page::page(config, paths, &brain, &board, sound).await.unwrap_or_else(|error| {
        show(Shown::Remark(format!("the page is not served: {error:#}")));
        Vec::new()
    });
    let (questions, answering) = programs::questions(&brain);
    let tool_endpoint = programs::programs(config, &brain, &board, questions.clone());
    let is_asked = config.mcp.serve.enabled || config.satellites.wyoming.conversation;
    let lent = (talk.readers, talk.model);
    let rooms = rooms::rooms((config, paths), (&brain, &board, &metrics), lent.0.clone());
    let wyoming = satellites::wyoming((config, paths), (&brain, &board), lent, questions);
    let goals = goals::goals(&brain, config);
    board.has_agents(brain.agents.clone());
    let late = [
        Some(loading::loading(talk.loading, loaded.clone())),
        Some(brain::model_server(server).behind(&loaded)),
        talk.ringer.map(timers::ringer),
        talk.rings.map(|rings| timers::ring_light(rings, &board)),
        diary::diary(&brain, &config.store).map(|diary| diary.behind(&loaded)),
        awake::awake(&brain, &board, &config.announce),
        upkeep::upkeep(&brain).map(|upkeep| upkeep.behind(&loaded)),
        backups::backups(config, paths, &board).map(|backups| backups.behind(&loaded)),
        Some(alerts::alerts(&brain.alerts, &board)),
        alerts::endpoint(&config.alert, notices).map(|endpoint| endpoint.behind(&loaded)),
        Some(awareness::awareness(&brain, config, watched, received)),
        impulse::impulse(&brain, config).map(|impulse| impulse.behind(&loaded)),
        weather::weather(&brain, config).map(|weather| weather.behind(&loaded)),
        agents::agents(&brain, config, house.as_ref().map(|(house, _)| house))
            .map(|agents| agents.behind(&loaded)),
        goals.map(|goals| goals.behind(&loaded)),
        watches::watches(&brain, house.as_ref().map(|(house, _)| house)),
        house.map(|(house, follower)| home::follow(&house, follower, &board)),
        is_asked.then_some(answering),
        tool_endpoint.map(|endpoint| endpoint.behind(&loaded)),
        wyoming.map(|wyoming| wyoming.behind(&loaded)),
        rooms.map(|rooms| rooms.behind(&loaded)),
        tool_sources::service(config, paths, &brain.engine.parts.tools, &board)
            .map(|sources| sources.behind(&loaded)),
        Some(display::news_display(talk.news, &board, &metrics, &show)),
        Some(conversation(talk.conversation)),
    ];
    daemon.start_all(late);
    daemon.start_all(messages.services(&board).into_iter().map(Some));
    daemon.start_all(page.into_iter().map(Some));
    board.started();
    Ok(Started { daemon, brain, lock })
}

/// Loads the database and what the ears need, opens the devices, and shows them on `board`.
async fn make(
    config: &Config,
    paths: &Paths,
    board: &StatusBoard,
    spoken_to: Option<ConnectedHome>,
    show: &Show,
) -> anyhow::Result<(Brain, ModelServer, Conversing)> {
    // Sound systems take their time, which the database is opened in.
    let sound = app::open_sound(config, Sound::Devices { mute: board.mute().clone() })?;
    let (brain, server) = Brain::for_daemon(config, paths, board.pulse().clone(), spoken_to).await?;
    for remark in &brain.remarks {
        show(Shown::Remark(remark.clone()));
    }
    board.chat_model(brain.serving_now());
    let place = Place::named(&config.audio.room);
    let mut talk = app::converse_over(sound, place, config, paths, &brain).await?;
    board.queues(std::mem::take(&mut talk.gauges));
    if let Some(meter) = talk.meter.clone() {
        let speaker = talk.player.delay();
        board.sound(move || SoundStatus {
            lost_s: meter.lost().as_secs_f64(),
            delays: DeviceDelays {
                microphone: DelayStatus::of(meter.delay()),
                speaker: DelayStatus::of(&speaker),
            },
        });
    }
    if let Some(echo) = talk.echo.take() {
        board.echo(echo);
    }
    board.takes_requests(talk.requests.clone());
    if let Some(schedule) = brain.schedule.clone() {
        let (watches, goals) = (brain.watches.clone(), brain.goals.clone());
        board.takes_timers(move || {
            schedule.look_again();
            goals.look_again();
            watches.iter().for_each(Watches::look_again);
        });
    }
    let voice = app::voice_choice(config, paths, &brain.languages.get());
    let voice = voice.map_or_else(|_| config.speak.voice.clone(), |choice| choice.name);
    board.models(app::whisper_model(talk.model).to_owned(), voice);
    Ok((brain, server, talk))
}

/// Returns the service of the conversation by voice. Its devices and threads are made once: it cannot be restarted alone.
fn conversation(conversation: Conversation<Mind>) -> Service {
    let run = |context: ServiceContext| async move {
        conversation.run(context.stop).await;
        Ok(())
    };
    Service::essential("conversation", "nobody listens", run).end_within(Duration::from_secs(10))
}

/// Returns the house and its follower; nothing where none is configured, and a remark where it cannot be used.
fn house(config: &Config, paths: &Paths, show: &Show) -> Option<(HomeServer, Follower)> {
    match home::home(config, paths) {
        Ok(found) => found,
        Err(fault) => {
            show(Shown::Remark(format!("{fault}. {}", fault.remedy())));
            None
        }
    }
}

/// Opens the control socket; where that fails, shows why and returns nothing.
fn open_door(runtime: &Path, show: &Show) -> Result<Option<ControlServer>, ControlError> {
    match ControlServer::open(runtime) {
        Ok(door) => Ok(Some(door)),
        Err(error @ ControlError::Running { .. }) => Err(error),
        Err(error) => {
            show(Shown::Remark(error.to_string()));
            Ok(None)
        }
    }
}

/// Locks the data directory; where that can't be done, shows why and returns nothing.
fn lock_data(data: &Path, show: &Show) -> Result<Option<DataLock>, DataLockError> {
    match DataLock::take(data) {
        Ok(lock) => Ok(Some(lock)),
        Err(error @ DataLockError::Held { .. }) => Err(error),
        Err(error) => {
            show(Shown::Remark(error.to_string()));
            Ok(None)
        }
    }
}

/// Makes the status board, with the microphone's switch at its stored position.
fn status_board(data: &Path, journal: Journal, show: &Show) -> StatusBoard {
    let (mute, fault) = PersistentMute::read(data);
    if let Some(fault) = fault {
        show(Shown::Fault(fault.to_string()));
    } else if mute.switch().is_muted() {
        show(Shown::Muted);
    }
    StatusBoard::new(StatusBoardParts {
        mute,
        pulse: Pulse::default(),
        journal,
        clock: Arc::new(SystemClock),
    })
}
