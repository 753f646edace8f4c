//! Posts what happens in the running program on the status board, and passes it to the front end.
//!
//! In: news of the conversation, changes of the microphone's switch. Out: each is posted on the status board
//! and handed to the front end's one function. It decides nothing about how things look.

use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::sync::mpsc::Receiver;

use super::daemon::{Service, ServiceContext};
use super::outside;
use crate::control::{ShownState, StatusBoard};
use crate::metrics::Metrics;
use joi_base::message::Activity;
use joi_channels::voice::News;

/// An event of the running program.
pub enum Shown {
    /// Something about the start, in one sentence.
    Remark(String),
    /// Something that does not work, in one sentence.
    Fault(String),
    /// The microphone is switched off.
    Muted,
    /// The microphone is switched on again.
    Unmuted,
    /// Everything is about to run.
    Ready {
        /// The wake phrase to be said first; nothing where none is configured.
        wake_phrase: Option<String>,
    },
    /// Something happens in the conversation.
    News(News),
}

/// The front end's function. It is called from several tasks and must not wait.
pub type Show = Arc<dyn Fn(Shown) + Send + Sync>;

/// Returns the service that shows when the microphone is switched off and on.
pub(super) fn mute_display(board: &StatusBoard, show: &Show) -> Service {
    let (board, show) = (board.clone(), Arc::clone(show));
    let run = move |context: ServiceContext| {
        let (mut changes, show) = (board.subscribe(), Arc::clone(&show));
        async move {
            let mut was_muted = changes.now.state == ShownState::from(Activity::Muted);
            loop {
                // Both arms are cancel-safe.
                let change = tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    change = changes.next() => change?,
                };
                let is_muted = change.state == ShownState::from(Activity::Muted);
                match (std::mem::replace(&mut was_muted, is_muted), is_muted) {
                    (false, true) => show(Shown::Muted),
                    (true, false) => show(Shown::Unmuted),
                    (true, true) | (false, false) => {}
                }
            }
        }
    };
    Service::new("mute display", "the terminal does not show that the microphone is switched off", run)
}

/// Returns the service that posts and shows what happens in the conversation, until that is over.
pub(super) fn news_display(
    news: Receiver<News>,
    board: &StatusBoard,
    metrics: &Metrics,
    show: &Show,
) -> Service {
    // Locked by the one task that runs, so that another can follow one that failed.
    let (news, board, show) = (Arc::new(Mutex::new(news)), board.clone(), Arc::clone(show));
    let metrics = metrics.clone();
    let run = move |context: ServiceContext| {
        let (news, board, show) = (Arc::clone(&news), board.clone(), Arc::clone(&show));
        let metrics = metrics.clone();
        async move {
            let mut news = news.lock().await;
            loop {
                // Both arms are cancel-safe.
                let next = tokio::select! {
                    biased;
                    next = news.recv() => next,
                    () = context.stop.cancelled() => return Ok(()),
                };
                let Some(next) = next else {
                    // The conversation is over, and with it the daemon.
                    context.stop.cancelled().await;
                    return Ok(());
                };
                outside::post(&board, &next);
                match &next {
                    News::Turn(turn) => metrics.answered(turn),
                    News::Dismissed(turn) => metrics.ignored(turn),
                    _ => {}
                }
                show(Shown::News(next));
            }
        }
    };
    Service::new("display", "the state that is shown may be wrong", run)
}
