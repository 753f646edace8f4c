//! Reports to systemd that the program is ready, what it does, and that it is alive: as long as every stage is.
//!
//! One task. While a stage is late or broken no keep-alive is sent, so that systemd starts the program again where that
//! goes on for its limit. What is late at two looks in a row is logged, once until it is well again; without systemd only
//! these lines remain. It repairs nothing: a service that may be restarted is the daemon's affair.

use std::collections::BTreeMap;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::board::StatusBoard;
use super::status::StateEvent;
use joi_base::pulse::{Beat, Vital};

/// A stage is reported as late when it is late at this many looks in a row: one look may fall into a busy moment.
const REPORTED_AT: u32 = 2;
/// Interval between two looks where systemd does not ask for a shorter one.
const ROUND: Duration = Duration::from_secs(5);

/// The health of the program, by its stages.
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

/// Counts at how many looks in a row each stage was late. Pure.
#[derive(Debug, Default)]
struct LateLooks(BTreeMap<&'static str, u32>);

/// The result of a look at the stages.
#[derive(Debug, Default, PartialEq, Eq)]
struct StageNews {
    /// Stages that are now reported as late.
    late: Vec<Vital>,
    /// Reported as late before, and well again.
    recovered: Vec<&'static str>,
}

impl LateLooks {
    /// Takes in a look. What is not among `vitals` any more is whose who took it over.
    fn look(&mut self, vitals: &[Vital]) -> StageNews {
        let late = || vitals.iter().filter(|vital| !vital.is_fresh());
        let looks: BTreeMap<_, _> = late()
            .map(|vital| {
                (vital.stage, self.0.get(vital.stage).copied().unwrap_or_default().saturating_add(1))
            })
            .collect();
        let was_told = |stage: &str| self.0.get(stage).is_some_and(|looks| *looks >= REPORTED_AT);
        let is_well = |vital: &&Vital| !looks.contains_key(vital.stage);
        let recovered =
            vitals.iter().filter(is_well).map(|vital| vital.stage).filter(|stage| was_told(stage));
        let news = StageNews {
            late: late().filter(|vital| looks.get(vital.stage) == Some(&REPORTED_AT)).copied().collect(),
            recovered: recovered.collect(),
        };
        self.0 = looks;
        news
    }
}

/// Returns what is wrong with a stage that is late, and since when. Pure.
fn lateness(vital: &Vital) -> String {
    let (age, limit) = (vital.age.as_secs_f32(), vital.limit.as_secs_f32());
    match vital.beat {
        Beat::Broken => format!("{} has panicked {age:.1} s ago", vital.stage),
        Beat::Working => format!("{} has worked for {age:.1} s; {limit:.1} s are its limit", vital.stage),
        Beat::Beating | Beat::Resting | Beat::Ended => {
            format!("{} has given no sign of life for {age:.1} s; {limit:.1} s are its limit", vital.stage)
        }
    }
}

/// Reports the result of a look to the log and to systemd.
fn report(news: &StageNews, board: &StatusBoard) {
    for vital in &news.late {
        let late = lateness(vital);
        tracing::warn!("{late}; the watchdog is not fed meanwhile");
        notify(&[NotifyState::Status(&late)]);
    }
    for stage in &news.recovered {
        tracing::info!(stage, "not late any more");
    }
    if !news.recovered.is_empty() {
        notify(&[NotifyState::Status(&sentence(&board.subscribe().now))]);
    }
}

/// Watches over `board` until `stop`, and says as soon as `ending` that the program ends.
pub async fn watch(board: StatusBoard, ending: CancellationToken, stop: CancellationToken) {
    // Three keep-alives within the watchdog's limit, so that one may come late.
    let round = sd_notify::watchdog_enabled().map_or(ROUND, |limit| (limit / 3).min(ROUND));
    let mut ticks = tokio::time::interval(round.max(Duration::from_millis(10)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut changes = board.subscribe();
    let mut late = LateLooks::default();
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
                let vitals = board.pulse().vitals();
                if judge(&vitals) == Health::Alive {
                    notify(&[NotifyState::Watchdog]);
                }
                report(&late.look(&vitals), &board);
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

/// Returns one line for `systemctl status`.
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
    use joi_base::testing::manual_pulse as manual;

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
    fn a_stage_is_reported_at_the_second_late_look_and_once_until_it_recovers() {
        let (pulse, passed) = manual();
        let listener = pulse.heart("listener", Duration::from_secs(2));
        let mut late = LateLooks::default();
        // A look every five seconds: whether it has beaten since the one before, and what is reported.
        let mut look = |beats: bool| {
            passed.fetch_add(5_000, Ordering::Relaxed);
            if beats {
                listener.beat();
            }
            let news = late.look(&pulse.vitals());
            let told = news.late.iter().map(lateness);
            told.chain(news.recovered.iter().map(|stage| format!("{stage} is well"))).collect::<Vec<_>>()
        };
        let nothing = Vec::<String>::new();
        assert_eq!(look(true), nothing);
        assert_eq!(look(false), nothing, "one look may fall into a moment of much work");
        assert_eq!(look(true), nothing, "and what was not told has not recovered");
        assert_eq!(look(false), nothing);
        let told = "listener has given no sign of life for 10.0 s; 2.0 s are its limit";
        assert_eq!(look(false), [told]);
        for _ in 0..9 {
            assert_eq!(look(false), nothing, "it is told already");
        }
        assert_eq!(look(true), ["listener is well"]);
        assert_eq!(look(true), nothing);
        assert_eq!(look(false), nothing);
        assert_eq!(look(false), [told]);
    }

    #[test]
    fn each_stage_is_reported_by_itself_and_one_that_was_taken_over_has_not_recovered() {
        let (pulse, passed) = manual();
        let whisper = pulse.heart("whisper", Duration::from_secs(60));
        let timers = pulse.heart("timers", Duration::from_secs(10));
        let mut late = LateLooks::default();
        let mut look = |seconds: u64| {
            passed.fetch_add(seconds * 1_000, Ordering::Relaxed);
            let news = late.look(&pulse.vitals());
            (news.late.iter().map(lateness).collect::<Vec<_>>(), news.recovered)
        };
        timers.beat();
        let working = whisper.work();
        assert!(look(59).0.is_empty());
        let no_sign = "timers has given no sign of life for 64.0 s; 10.0 s are its limit".to_owned();
        assert_eq!(look(5), (vec![no_sign], vec![]));
        pulse.forget("timers");
        let has_worked = "whisper has worked for 69.0 s; 60.0 s are its limit".to_owned();
        assert_eq!(look(5), (vec![has_worked], vec![]), "the daemon tells what becomes of the timers");
        drop(working);
        assert_eq!(look(5), (vec![], vec!["whisper"]));
    }

    #[test]
    fn the_line_for_systemd_is_one_line() {
        let shown = StateEvent {
            state: joi_base::message::Activity::Error.into(),
            at: String::new(),
            note: Some("no microphone;\nplug one in".into()),
        };
        assert_eq!(sentence(&shown), "error: no microphone; plug one in");
    }
}
