//! Toy services, as a new one would be written: one function that describes it.

use std::future::pending;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

use super::{Log, POLICY};
use crate::app::daemon::{RestartRule, Service, ServiceContext};

/// Time limit for the end of [`hangs`].
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// Runs until it is to end.
pub(super) fn fine(name: &'static str, log: &Log) -> Service {
    let log = log.clone();
    Service::new(name, "a toy is missing", move |context: ServiceContext| {
        log.note(format!("{name} starts"));
        let log = log.clone();
        async move {
            context.stop.cancelled().await;
            log.note(format!("{name} ends"));
            Ok(())
        }
    })
}

/// Panics at its first two starts.
pub(super) fn panics_twice(log: &Log) -> Service {
    let (log, mut starts) = (log.clone(), 0);
    let run = move |context: ServiceContext| {
        log.note("bells starts");
        starts += 1;
        let is_broken = starts <= 2;
        async move {
            assert!(!is_broken, "what was said: never to be shown");
            context.stop.cancelled().await;
            Ok(())
        }
    };
    Service::new("bells", "no bell rings", run).restart(RestartRule::OnFailure(POLICY))
}

/// Fails at every start, and holds on to something.
pub(super) fn fails(held: mpsc::Sender<()>, log: &Log) -> Service {
    let log = log.clone();
    let run = move |_: ServiceContext| {
        log.note("mail starts");
        let _held = held.clone();
        async { anyhow::bail!("the letter box is shut") }
    };
    Service::new("mail", "no mail comes", run).restart(RestartRule::OnFailure(POLICY))
}

/// Does not end when it is asked to.
pub(super) fn hangs() -> Service {
    Service::new("mule", "nothing is carried", |_| pending()).end_within(PATIENCE)
}

/// Gives one heartbeat at each start, and no other.
pub(super) fn gets_stuck_always(log: &Log) -> Service {
    let log = log.clone();
    let run = move |context: ServiceContext| {
        log.note("clock starts");
        async move {
            context.heart.beat();
            pending().await
        }
    };
    Service::new("clock", "no clock ticks", run).heartbeat(Duration::from_secs(10))
}

/// Gives no heartbeat after its first start.
pub(super) fn gets_stuck_once(log: &Log) -> Service {
    let (log, mut is_first) = (log.clone(), true);
    let run = move |context: ServiceContext| {
        log.note("clock starts");
        let is_stuck = std::mem::replace(&mut is_first, false);
        async move {
            loop {
                context.heart.beat();
                let rest = if is_stuck { Duration::MAX } else { Duration::from_secs(5) };
                tokio::select! {
                    () = context.stop.cancelled() => return Ok(()),
                    () = sleep(rest) => {}
                }
            }
        }
    };
    Service::new("clock", "no clock ticks", run)
        .heartbeat(Duration::from_secs(10))
        .restart(RestartRule::OnFailure(POLICY))
}
