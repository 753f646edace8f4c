//! Which message is sent next, or dropped, or how long there is nothing to do.
//!
//! In: the messages, which carriers can send, which are busy, the limits, the time. Out: one [`Step`]. What is more
//! urgent comes first; a carrier has a lane for alerts, so that none waits behind an answer. Answers stay in their order:
//! one that waits holds up those behind it.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::config::OutboundConfig;
use super::letter::{Letter, LetterState};
use super::rates::{Allowance, RecentlySent};
use super::{CarrierName, OutgoingId, Urgency};

/// No wait is longer: one that ends later was made by a clock that was ahead.
pub(super) const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(2 * 60 * 60);

/// One message at a time goes through a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CarrierLane {
    carrier: CarrierName,
    is_for_alerts: bool,
}

impl CarrierLane {
    pub(super) fn of(letter: &Letter) -> Self {
        let is_for_alerts = matches!(letter.urgency, Urgency::Critical | Urgency::Escalated);
        Self { carrier: letter.carrier, is_for_alerts }
    }
}

/// All that counts.
pub(super) struct OutboxView<'a> {
    pub(super) letters: &'a [(OutgoingId, Letter)],
    /// Carriers that can send.
    pub(super) up: &'a [CarrierName],
    /// Lanes in which a message is underway.
    pub(super) busy: &'a [CarrierLane],
    pub(super) limits: &'a OutboundConfig,
    pub(super) now: Timestamp,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SendStep {
    /// Hand this one to its carrier; with a moment, it is to say that further answers come from then on.
    Send(OutgoingId, Option<Timestamp>),
    /// This one was worth sending until now.
    Expire(OutgoingId),
    /// Nothing, until that moment or until something changes.
    Wait(Option<Timestamp>),
}

/// Returns the next step.
pub(super) fn next(view: &OutboxView<'_>) -> SendStep {
    let waiting = || view.letters.iter().filter(|(_, letter)| letter.state == LetterState::Waiting);
    if let Some((id, _)) = waiting().find(|(_, letter)| is_over(letter, view.now)) {
        return SendStep::Expire(*id);
    }
    let sent = RecentlySent::of(view.letters.iter().map(|(_, letter)| letter), view.now);
    let mut order: Vec<&(OutgoingId, Letter)> = waiting().collect();
    order.sort_by_key(|(id, letter)| (letter.urgency, letter.posted, *id));
    let (mut held, mut due) = (Vec::new(), None);
    for (id, letter) in order {
        let lane = (CarrierLane::of(letter), letter.urgency);
        note(&mut due, letter.expires);
        if held.contains(&lane) || !view.up.contains(&letter.carrier) || view.busy.contains(&lane.0) {
            continue;
        }
        let allowed = match wait_of(letter, view.now) {
            Some(until) => Allowance::Not(until),
            None => sent.allows(letter.urgency, letter.carrier, view.limits),
        };
        match allowed {
            Allowance::Free => return SendStep::Send(*id, None),
            Allowance::Last(until) => {
                let is_answer = letter.urgency == Urgency::Direct;
                return SendStep::Send(*id, is_answer.then_some(until));
            }
            Allowance::Not(until) => {
                note(&mut due, Some(until));
                if matches!(letter.urgency, Urgency::Direct | Urgency::Proactive) {
                    held.push(lane);
                }
            }
        }
    }
    SendStep::Wait(due)
}

/// Keeps the earlier moment.
fn note(due: &mut Option<Timestamp>, moment: Option<Timestamp>) {
    *due = match (*due, moment) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}

fn is_over(letter: &Letter, now: Timestamp) -> bool {
    letter.expires.is_some_and(|end| end <= now)
}

/// Until when it waits before the next try, if it does.
fn wait_of(letter: &Letter, now: Timestamp) -> Option<Timestamp> {
    letter.not_before.filter(|at| now < *at && at.duration_since(now) <= LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{letter, minutes};
    use super::*;

    const LIMITS: OutboundConfig =
        OutboundConfig { direct_per_hour: 60, proactive_until: 55, escalated_per_hour: 120 };

    fn numbered(letters: Vec<Letter>) -> Vec<(OutgoingId, Letter)> {
        letters.into_iter().enumerate().map(|(n, letter)| (OutgoingId(n as i64), letter)).collect()
    }

    fn step(letters: Vec<Letter>, busy: &[CarrierLane], now: Timestamp) -> SendStep {
        let up = [CarrierName::Signal];
        next(&OutboxView { letters: &numbered(letters), up: &up, busy, limits: &LIMITS, now })
    }

    #[test]
    fn an_alert_goes_before_everything_and_does_not_wait_behind_an_answer() {
        let all = || vec![letter(Urgency::Proactive), letter(Urgency::Direct), letter(Urgency::Critical)];
        assert_eq!(step(all(), &[], minutes(1)), SendStep::Send(OutgoingId(2), None));
        let answering = CarrierLane::of(&letter(Urgency::Direct));
        assert_eq!(step(all(), &[answering], minutes(1)), SendStep::Send(OutgoingId(2), None));
        let alerting = CarrierLane::of(&letter(Urgency::Critical));
        assert_eq!(step(all(), &[alerting], minutes(1)), SendStep::Send(OutgoingId(1), None));
    }

    #[test]
    fn nothing_is_handed_to_a_carrier_that_is_down() {
        let to_ntfy = Letter { carrier: CarrierName::Ntfy, ..letter(Urgency::Critical) };
        assert_eq!(step(vec![to_ntfy.clone()], &[], minutes(1)), SendStep::Wait(to_ntfy.expires));
    }

    #[test]
    fn answers_keep_their_order_and_an_alert_that_waits_holds_up_no_other() {
        let later = Some(minutes(5));
        let first = |urgency| Letter { not_before: later, ..letter(urgency) };
        let answers = vec![first(Urgency::Direct), letter(Urgency::Direct)];
        assert_eq!(step(answers, &[], minutes(1)), SendStep::Wait(later));
        let alerts = vec![first(Urgency::Critical), letter(Urgency::Critical)];
        assert_eq!(step(alerts, &[], minutes(1)), SendStep::Send(OutgoingId(1), None));
    }

    #[test]
    fn the_last_answer_of_the_hour_says_when_the_next_ones_come_and_they_come_then() {
        let mut all: Vec<Letter> = (0..59)
            .map(|n| Letter { state: LetterState::Sent, handed: Some(minutes(n)), ..letter(Urgency::Direct) })
            .collect();
        all.push(letter(Urgency::Direct));
        assert_eq!(step(all.clone(), &[], minutes(59)), SendStep::Send(OutgoingId(59), Some(minutes(60))));
        all[59] = Letter { state: LetterState::Sent, handed: Some(minutes(59)), ..letter(Urgency::Direct) };
        all.push(letter(Urgency::Direct));
        assert_eq!(step(all.clone(), &[], minutes(59)), SendStep::Wait(Some(minutes(60))));
        assert_eq!(step(all.clone(), &[], minutes(60)), SendStep::Send(OutgoingId(60), Some(minutes(61))));
        all[59].tells_limit = true;
        assert_eq!(step(all.clone(), &[], minutes(60)), SendStep::Send(OutgoingId(60), None), "told once");
        all.push(letter(Urgency::Critical));
        assert_eq!(step(all, &[], minutes(59)), SendStep::Send(OutgoingId(61), None));
    }

    #[test]
    fn what_is_worth_nothing_any_more_is_dropped_to_the_minute() {
        let short = Letter { expires: Some(minutes(10)), ..letter(Urgency::Direct) };
        assert_eq!(step(vec![short.clone()], &[], minutes(9)), SendStep::Send(OutgoingId(0), None));
        assert_eq!(step(vec![short], &[], minutes(10)), SendStep::Expire(OutgoingId(0)));
    }

    #[test]
    fn a_wait_that_a_wrong_clock_made_is_no_wait() {
        let far = Letter { not_before: Some(minutes(24 * 60)), ..letter(Urgency::Critical) };
        assert_eq!(step(vec![far], &[], minutes(1)), SendStep::Send(OutgoingId(0), None));
    }
}
