//! Tells systemd that she is ready, what she does, and that she is alive: as long as every stage is.
//!
//! One task. A stage that is stuck or broken is logged once, and from then on the watchdog is not fed, so
//! that systemd starts the program anew. Without systemd only the log line remains. It mends nothing.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::board::Board;
use super::status::StateEvent;
use crate::pulse::Vital;

/// How often the stages are looked at when systemd does not ask for more.
const ROUND: Duration = Duration::from_secs(5);

/// Whether the program may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every stage is well: feed the watchdog.
    Alive,
    /// These are not: let the watchdog bite.
    Stuck(Vec<&'static str>),
}

/// Judges the stages.
pub fn judge(vitals: &[Vital]) -> Verdict {
    let stuck: Vec<_> = vitals.iter().filter(|vital| !vital.is_fresh()).map(|vital| vital.stage).collect();
    if stuck.is_empty() { Verdict::Alive } else { Verdict::Stuck(stuck) }
}

/// Watches over `board` until `stop`.
pub async fn watch(board: Board, stop: CancellationToken) {
    // Three meals in the time after which the watchdog bites, so that one may come late.
    let round = sd_notify::watchdog_enabled().map_or(ROUND, |limit| (limit / 3).min(ROUND));
    let mut ticks = tokio::time::interval(round.max(Duration::from_millis(10)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changes = board.subscribe();
    let mut told = Verdict::Alive;
    let mut is_ready = false;
    loop {
        // Every arm is cancel-safe.
        tokio::select! {
            () = stop.cancelled() => break,
            () = board.settled(), if !is_ready => {
                is_ready = true;
                let line = sentence(&board.subscribe().now);
                notify(&[NotifyState::Ready, NotifyState::Status(&line)]);
            }
            change = changes.next() => match change {
                Ok(event) => notify(&[NotifyState::Status(&sentence(&event))]),
                Err(_) => changes = board.subscribe(),
            },
            _ = ticks.tick() => {
                let verdict = judge(&board.pulse().vitals());
                match &verdict {
                    Verdict::Alive => notify(&[NotifyState::Watchdog]),
                    Verdict::Stuck(stages) if verdict != told => {
                        let fault = stages.join(", ");
                        tracing::error!(%fault, "stuck; a watchdog would start her again now");
                        notify(&[NotifyState::Status(&format!("stuck: {fault}"))]);
                    }
                    Verdict::Stuck(_) => {}
                }
                told = verdict;
            }
        }
    }
    notify(&[NotifyState::Stopping, NotifyState::Status("ending")]);
}

/// One line for `systemctl status`.
fn sentence(shown: &StateEvent) -> String {
    match &shown.note {
        Some(note) => format!("{}: {}", shown.state.name(), note.replace('\n', " ")),
        None => shown.state.name().to_owned(),
    }
}

fn notify(news: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(news) {
        tracing::debug!(%error, "systemd was not told");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::pulse::tests::manual;

    #[test]
    fn the_watchdog_is_fed_while_every_stage_is_fresh_and_only_then() {
        let (pulse, passed) = manual();
        let whisper = pulse.heart("whisper", Duration::from_secs(60));
        let listener = pulse.heart("listener", Duration::from_secs(2));
        assert_eq!(judge(&pulse.vitals()), Verdict::Alive);
        let decoding = whisper.work();
        for _ in 0..59 {
            listener.beat();
            passed.fetch_add(1_000, Ordering::Relaxed);
            assert_eq!(judge(&pulse.vitals()), Verdict::Alive);
        }
        listener.beat();
        passed.fetch_add(1_000, Ordering::Relaxed);
        assert_eq!(judge(&pulse.vitals()), Verdict::Stuck(vec!["whisper"]));
        passed.fetch_add(1_000, Ordering::Relaxed);
        assert_eq!(judge(&pulse.vitals()), Verdict::Stuck(vec!["whisper", "listener"]));
        drop(decoding);
        listener.beat();
        assert_eq!(judge(&pulse.vitals()), Verdict::Alive, "a stage that comes back is well again");
    }

    #[test]
    fn the_line_for_systemd_is_one_line() {
        let shown = StateEvent {
            state: crate::message::Activity::Error,
            at: String::new(),
            note: Some("no microphone;\nplug one in".into()),
        };
        assert_eq!(sentence(&shown), "error: no microphone; plug one in");
    }
}
