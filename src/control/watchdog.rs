//! Tells systemd that the program is ready, what it does, and that it is alive: as long as every stage is.
//!
//! One task. A stage that is stuck or broken is logged once, and from then on no keep-alive is sent, so
//! that systemd starts the program again. Without systemd only the log line remains. It repairs nothing: a service
//! that may be restarted is the daemon's affair.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::board::StatusBoard;
use super::status::StateEvent;
use crate::pulse::Vital;

/// How often the stages are looked at when systemd does not ask for more.
const ROUND: Duration = Duration::from_secs(5);

/// What the stages tell of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// Every stage is well: send a keep-alive.
    Alive,
    /// These are not: let the watchdog end the program.
    Stuck(Vec<&'static str>),
}

/// Judges the stages.
pub fn judge(vitals: &[Vital]) -> Health {
    let stuck: Vec<_> = vitals.iter().filter(|vital| !vital.is_fresh()).map(|vital| vital.stage).collect();
    if stuck.is_empty() { Health::Alive } else { Health::Stuck(stuck) }
}

/// Watches over `board` until `stop`, and says as soon as `ending` that the program ends.
pub async fn watch(board: StatusBoard, ending: CancellationToken, stop: CancellationToken) {
    // Three keep-alives within the watchdog's limit, so that one may come late.
    let round = sd_notify::watchdog_enabled().map_or(ROUND, |limit| (limit / 3).min(ROUND));
    let mut ticks = tokio::time::interval(round.max(Duration::from_millis(10)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changes = board.subscribe();
    let mut told = Health::Alive;
    let (mut is_ready, mut is_ending) = (false, false);
    loop {
        // Every arm is cancel-safe.
        tokio::select! {
            () = stop.cancelled() => break,
            () = ending.cancelled(), if !is_ending => {
                is_ending = true;
                notify_ending();
            }
            () = board.settled(), if !is_ready => {
                is_ready = true;
                let line = sentence(&board.subscribe().now);
                notify(&[NotifyState::Ready, NotifyState::Status(&line)]);
            }
            change = changes.next() => match change {
                Ok(_) if is_ending => {}
                Ok(event) => notify(&[NotifyState::Status(&sentence(&event))]),
                Err(_) => changes = board.subscribe(),
            },
            _ = ticks.tick() => {
                let health = judge(&board.pulse().vitals());
                match &health {
                    Health::Alive => notify(&[NotifyState::Watchdog]),
                    Health::Stuck(stages) if health != told => {
                        let fault = stages.join(", ");
                        tracing::error!(%fault, "stuck; a watchdog would start the program again now");
                        notify(&[NotifyState::Status(&format!("stuck: {fault}"))]);
                    }
                    Health::Stuck(_) => {}
                }
                told = health;
            }
        }
    }
    if !is_ending {
        notify_ending();
    }
}

fn notify_ending() {
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
        assert_eq!(judge(&pulse.vitals()), Health::Alive);
        let decoding = whisper.work();
        for _ in 0..59 {
            listener.beat();
            passed.fetch_add(1_000, Ordering::Relaxed);
            assert_eq!(judge(&pulse.vitals()), Health::Alive);
        }
        listener.beat();
        passed.fetch_add(1_000, Ordering::Relaxed);
        assert_eq!(judge(&pulse.vitals()), Health::Stuck(vec!["whisper"]));
        passed.fetch_add(1_000, Ordering::Relaxed);
        assert_eq!(judge(&pulse.vitals()), Health::Stuck(vec!["whisper", "listener"]));
        drop(decoding);
        listener.beat();
        assert_eq!(judge(&pulse.vitals()), Health::Alive, "a stage that comes back is well again");
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
