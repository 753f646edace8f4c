//! Makes the services that show and control the running program from outside: control socket, signals, systemd, metrics.
//!
//! They are started before anything that takes long, so that the user can switch the microphone off at any moment.

use std::path::Path;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::daemon::{Service, ServiceContext};
use crate::control::{ControlServer, DeviceStatus, MuteCommand, StatusBoard, watchdog};
use crate::metrics::{self, Metrics, MetricsConfig};
use joi_base::message::{Channel, OutsideRequest, Private};
use joi_base::secret;
use joi_base::trace::Stage;
use joi_channels::voice::News;
use joi_page::LiveEvent;
use joi_serve::EndpointRules;

/// Returns the service that reports the program's state to systemd; `ending` is cancelled as soon as the program ends.
pub(super) fn systemd(board: &StatusBoard, ending: CancellationToken) -> Service {
    let board = board.clone();
    let run = move |context: ServiceContext| {
        let watch = watchdog::watch(board.clone(), ending.clone(), context.stop);
        async move {
            watch.await;
            Ok(())
        }
    };
    Service::new("systemd", "systemd is not told how the program is", run)
}

/// Returns the service of the control socket.
pub(super) fn control_socket(board: &StatusBoard, door: ControlServer) -> Service {
    let (board, door) = (board.clone(), Arc::new(door));
    let run = move |context: ServiceContext| {
        let serve = Arc::clone(&door).serve(board.clone(), context.stop);
        async move { Ok(serve.await?) }
    };
    Service::new("control socket", "`joi status`, `joi mute` and the like are not answered", run)
}

/// Returns the service of metrics for Prometheus; nothing where no address is configured.
pub(super) fn metrics(config: &MetricsConfig, metrics: &Metrics, board: &StatusBoard) -> Option<Service> {
    let (address, token_file) = (config.address()?, config.token_file.clone());
    let (metrics, board) = (metrics.clone(), board.clone());
    let run = move |context: ServiceContext| {
        let (metrics, board, token_file) = (metrics.clone(), board.clone(), token_file.clone());
        let scrape = move || metrics.scrape(&board.status(), board.logged()).ok();
        async move {
            let rules = EndpointRules { token: token_of(&token_file)?, ..EndpointRules::default() };
            Ok(metrics::serve(address, rules, scrape, context.stop).await?)
        }
    };
    Some(Service::new("metrics", "no figures are served to Prometheus", run))
}

/// Returns the token in `file` that requests must bring; nothing where no file is configured.
pub(super) fn token_of(file: &str) -> anyhow::Result<Option<Private<String>>> {
    let file = file.trim();
    if file.is_empty() {
        return Ok(None);
    }
    secret::read_token(Path::new(file))
        .map(Some)
        .map_err(|why| anyhow::anyhow!("the token in {file} can't be used: {why}"))
}

/// Returns the service that toggles the microphone's switch on SIGUSR1 and starts listening on SIGUSR2.
pub(super) fn buttons(board: &StatusBoard) -> Service {
    let board = board.clone();
    let run = move |context: ServiceContext| {
        // Watched before this returns, so that none is missed from now on.
        let signals = (signal(SignalKind::user_defined1()), signal(SignalKind::user_defined2()));
        let board = board.clone();
        async move {
            let (mut toggle, mut listen) = (signals.0?, signals.1?);
            loop {
                // Every arm is cancel-safe.
                tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    () = came(&mut toggle) => {
                        let board = board.clone();
                        tokio::task::spawn_blocking(move || board.turn_mute(MuteCommand::Toggle)).await?;
                    }
                    () = came(&mut listen) => start_listening(&board),
                }
            }
        }
    };
    Service::new("buttons", "SIGUSR1 and SIGUSR2 do nothing", run)
}

/// The next signal; never, when the system delivers none any more. Cancel-safe.
async fn came(signal: &mut Signal) {
    if signal.recv().await.is_none() {
        std::future::pending().await
    }
}

/// Starts listening, whatever goes on, unless the microphone is muted.
fn start_listening(board: &StatusBoard) {
    if board.mute().is_muted() {
        tracing::warn!("she was asked to listen, and is muted; `joi unmute` switches the microphone on");
    } else if !board.request(OutsideRequest::Listen) {
        tracing::warn!("she was asked to listen, and can't yet");
    }
}

/// Cancels `stop` on Ctrl-C and on SIGTERM, from the moment this returns.
pub fn end_on_signal(stop: CancellationToken) {
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let stop = stop.clone();
        match signal(kind) {
            Ok(mut signal) => drop(tokio::spawn(async move {
                if signal.recv().await.is_some() {
                    stop.cancel();
                }
            })),
            Err(error) => tracing::warn!(%error, "a signal can't be watched"),
        }
    }
}

/// Keeps SIGHUP from ending the program, from the moment this returns. Nothing is reloaded: the configuration is read
/// once, at the start, which the log says.
pub fn ignore_hangup() {
    match signal(SignalKind::hangup()) {
        Ok(mut signal) => drop(tokio::spawn(async move {
            while signal.recv().await.is_some() {
                tracing::warn!("SIGHUP reloads nothing; restart joi to read the configuration again");
            }
        })),
        Err(error) => tracing::warn!(%error, "SIGHUP can't be watched"),
    }
}

/// Shows on `board` what happens in the conversation. Never waits.
pub(super) fn post(board: &StatusBoard, news: &News) {
    live(board, news);
    match news {
        News::Activity(activity) => board.does(*activity),
        News::Deaf(fault) => board.microphone(DeviceStatus::Fault(fault.clone())),
        News::Hears(device) => board.microphone(DeviceStatus::Device(device.clone())),
        News::Speechless(fault) => board.speaker(DeviceStatus::Fault(fault.clone())),
        News::Speaks(device) => board.speaker(DeviceStatus::Device(device.clone())),
        News::Turn(record) => board.turn_over(record.moment(Stage::Audible)),
        News::Woke(_)
        | News::Asked
        | News::Begins
        | News::Understood(_)
        | News::Words(_)
        | News::Dismissed(_)
        | News::Rests(_)
        | News::Rings(_)
        | News::Told(_)
        | News::Remark(_) => {}
    }
}

/// Sends news of the conversation by voice to whoever follows what goes on.
fn live(board: &StatusBoard, news: &News) {
    let channel = Channel::Voice;
    let event = || {
        Some(match news {
            News::Woke(phrase) => LiveEvent::Woke { phrase: phrase.clone() },
            News::Asked => LiveEvent::Called,
            News::Understood(text) => LiveEvent::Heard { channel, text: text.0.clone() },
            News::Words(text) => LiveEvent::Words { channel, text: text.0.clone() },
            News::Turn(record) => LiveEvent::Answered { channel: record.channel, turn: record.id.0 },
            News::Dismissed(record) => {
                let why = record.decisions.last().map(|decision| decision.reason.clone()).unwrap_or_default();
                LiveEvent::Ignored { turn: record.id.0, why }
            }
            News::Rings(text) => LiveEvent::Rings { text: text.0.clone() },
            News::Told(text) => LiveEvent::Announced { text: text.0.clone() },
            News::Remark(text) => LiveEvent::Aside { channel, text: text.clone() },
            News::Begins
            | News::Rests(_)
            | News::Deaf(_)
            | News::Hears(_)
            | News::Speechless(_)
            | News::Speaks(_)
            | News::Activity(_) => return None,
        })
    };
    board.goes_on(event);
}
