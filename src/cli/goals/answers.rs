//! Waits for what a goal answers: the events of the running program say when, the thread says what.
//!
//! A thread of its own reads the control socket. In: events. Out: the messages of the thread since the words were said.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::cli::context::CliContext;
use crate::cli::show;
use crate::control::{Client, ControlError};
use joi_autonomy::agent::news::AgentNews;
use joi_store::Store;

/// Events that are not read yet. When full, the reader of the socket waits.
const UNREAD: usize = 64;
/// The longest wait: a goal is tried again for some minutes where the model fails.
const WAITS: Duration = Duration::from_secs(15 * 60);

/// What happens to a goal.
pub(super) struct GoalEvent {
    work: i64,
    is_over: bool,
}

/// Follows the events of the running program from now on; nothing where none runs.
pub(super) fn follow(context: &CliContext) -> anyhow::Result<Option<mpsc::Receiver<GoalEvent>>> {
    let Some(mut client) = Client::connect(&context.paths.runtime)? else { return Ok(None) };
    let (send, events) = mpsc::channel(UNREAD);
    let read = move || {
        let followed = client.follow(false, |event| -> Result<(), ControlError> {
            let event = match event.news {
                AgentNews::GoalMessage { work } => GoalEvent { work, is_over: false },
                AgentNews::GoalRunCompleted { work, ref ending, .. } => {
                    // A run that was interrupted or failed is tried again.
                    GoalEvent { work, is_over: ending == "finished" || ending == "given up" }
                }
                _ => return Ok(()),
            };
            let is_heard = send.blocking_send(event).is_ok();
            if is_heard { Ok(()) } else { Err(ControlError::Refused("nobody waits any more".into())) }
        });
        if let Err(error) = followed {
            tracing::debug!(%error, "the events of goals have ended");
        }
    };
    std::thread::Builder::new().name("joi-follow".into()).spawn(read)?;
    Ok(Some(events))
}

/// Shows what a goal answers to the message `said`, until its run is over.
pub(super) async fn wait(
    mut events: mpsc::Receiver<GoalEvent>,
    (store, work): (&Store, i64),
    said: i64,
) -> anyhow::Result<()> {
    let mut last = said;
    let working = show::working("thinking");
    let ended = timeout(WAITS, async {
        while let Some(event) = events.recv().await {
            if event.work != work {
                continue;
            }
            for cell in store.cells(work, last, 20).await? {
                last = cell.id;
                if cell.author != "user" && cell.kind == "text" {
                    working.suspend(|| show::line(&cell.text))?;
                }
            }
            if event.is_over {
                return Ok(true);
            }
        }
        anyhow::Ok(false)
    });
    let ended = ended.await;
    working.finish_and_clear();
    match ended {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => anyhow::bail!("joi has ended; the words wait in the thread"),
        Ok(Err(error)) => Err(error),
        Err(_) => {
            anyhow::bail!("no answer within {} min; `joi goals show` shows the thread", WAITS.as_secs() / 60)
        }
    }
}
