//! What shows and steers a running conversation from outside: the control socket, SIGUSR1 and SIGUSR2, systemd.
//!
//! Started before anything that takes long, so that the owner can switch the microphone off at any
//! moment. Four tasks; they end before the database is closed.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::channels::voice::News;
use crate::control::{Board, Device, Door, Turn, warden};
use crate::message::Request;
use crate::schedule::ringer::Ring;

/// The running tasks.
pub struct Outside {
    tasks: JoinSet<()>,
    stop: CancellationToken,
}

impl Outside {
    /// Serves `board` at `door`, if there is one, turns its switch on SIGUSR1, has her listen on SIGUSR2, and tells systemd.
    ///
    /// # Errors
    /// The system does not let the signal be watched.
    pub fn start(board: &Board, door: Option<Door>) -> io::Result<Self> {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let toggle = signal(SignalKind::user_defined1())?;
        tasks.spawn(toggle_on(toggle, board.clone(), stop.clone()));
        let listen = signal(SignalKind::user_defined2())?;
        tasks.spawn(listen_on(listen, board.clone(), stop.clone()));
        tasks.spawn(warden::watch(board.clone(), stop.clone()));
        if let Some(door) = door {
            let (board, stop) = (board.clone(), stop.clone());
            tasks.spawn(async move {
                if let Err(error) = door.serve(board, stop).await {
                    tracing::error!(%error, "no orders are taken from outside any more");
                }
            });
        }
        Ok(Self { tasks, stop })
    }

    /// Tells systemd that she ends, closes the socket, and waits for that.
    pub async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Turns the switch at every signal.
async fn toggle_on(mut toggle: Signal, board: Board, stop: CancellationToken) {
    loop {
        // Both arms are cancel-safe.
        tokio::select! {
            () = stop.cancelled() => break,
            came = toggle.recv() => {
                let board = board.clone();
                if came.is_none() || tokio::task::spawn_blocking(move || board.turn_mute(Turn::Other)).await.is_err() {
                    break;
                }
            }
        }
    }
}

/// Has her listen at every signal, whatever she does; a microphone that its owner has switched off stays so.
async fn listen_on(mut listen: Signal, board: Board, stop: CancellationToken) {
    loop {
        // Both arms are cancel-safe.
        tokio::select! {
            () = stop.cancelled() => break,
            came = listen.recv() => {
                if came.is_none() {
                    break;
                }
                if board.mute().is_muted() {
                    tracing::warn!("she was asked to listen, and is muted; `joi unmute` switches the microphone on");
                } else if !board.request(Request::Listen) {
                    tracing::warn!("she was asked to listen, and can't yet");
                }
            }
        }
    }
}

/// Shows on `board` whether something rings, until nobody can tell any more.
pub async fn show_rings(rings: Option<watch::Receiver<Vec<Ring>>>, board: Board) {
    let Some(mut rings) = rings else { return };
    loop {
        let is_ringing = !rings.borrow_and_update().is_empty();
        board.rings(is_ringing);
        if rings.changed().await.is_err() {
            break;
        }
    }
}

/// Shows on `board` what happens in the conversation. Never waits.
pub fn post(board: &Board, news: &News) {
    match news {
        News::Activity(activity) => board.does(*activity),
        News::Deaf(fault) => board.microphone(Device::Fault(fault.clone())),
        News::Hears(device) => board.microphone(Device::Device(device.clone())),
        News::Speechless(fault) => board.speaker(Device::Fault(fault.clone())),
        News::Speaks(device) => board.speaker(Device::Device(device.clone())),
        News::Turn(_) => board.turn_over(),
        News::Woke(_)
        | News::Asked
        | News::Understood(_)
        | News::Words(_)
        | News::Dismissed(_)
        | News::Rests(_)
        | News::Rings(_)
        | News::Told(_)
        | News::Remark(_) => {}
    }
}
