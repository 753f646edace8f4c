//! How many messages may be sent within any 60 minutes.
//!
//! In: when messages were handed to a carrier, and the limits. Out: whether one more may be, and when at the earliest.
//! Alerts of sensors count nowhere. A clock that was set back neither frees nor blocks anything for longer than an hour.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp};

use super::config::OutboundConfig;
use super::letter::Letter;
use super::{CarrierName, Urgency};

/// The window of all rates.
const WINDOW: SignedDuration = SignedDuration::from_secs(60 * 60);

/// The verdict of the rate limit on one more message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowance {
    /// It may.
    Free,
    /// It may, and is the last one before this moment.
    Last(Timestamp),
    /// Not before this moment.
    Not(Timestamp),
}

/// Messages of the last hour.
#[derive(Debug, Default)]
pub(super) struct RecentlySent {
    direct: Vec<Timestamp>,
    escalated: Vec<(CarrierName, Timestamp)>,
    /// One of them has said that no more come for a while.
    has_told: bool,
}

impl RecentlySent {
    /// Those among `letters` that count at `now`.
    pub(super) fn of<'a>(letters: impl Iterator<Item = &'a Letter>, now: Timestamp) -> Self {
        let mut sent = Self::default();
        for letter in letters {
            let Some(at) = letter.handed.filter(|at| now.duration_since(*at).abs() < WINDOW) else {
                continue;
            };
            sent.has_told |= letter.tells_limit;
            match letter.urgency {
                Urgency::Critical => {}
                Urgency::Escalated => sent.escalated.push((letter.carrier, at)),
                Urgency::Direct | Urgency::Proactive => sent.direct.push(at),
            }
        }
        sent
    }

    /// Returns how many messages went to the owner.
    pub(super) fn direct(&self) -> u32 {
        u32::try_from(self.direct.len()).unwrap_or(u32::MAX)
    }

    /// Returns how many the model took for urgent.
    pub(super) fn escalated(&self) -> u32 {
        u32::try_from(self.escalated.len()).unwrap_or(u32::MAX)
    }

    /// Returns whether one more of this urgency may be sent by `carrier`.
    pub(super) fn allows(
        &self,
        urgency: Urgency,
        carrier: CarrierName,
        limits: &OutboundConfig,
    ) -> Allowance {
        match urgency {
            Urgency::Critical => Allowance::Free,
            Urgency::Escalated => {
                let sent = self.escalated.iter().filter(|(by, _)| *by == carrier).map(|(_, at)| *at);
                below(sent.collect(), limits.escalated_per_hour)
            }
            Urgency::Direct => match below(self.direct.clone(), limits.direct_per_hour) {
                Allowance::Last(_) if self.has_told => Allowance::Free,
                allowed => allowed,
            },
            Urgency::Proactive => match below(self.direct.clone(), limits.proactive_until) {
                Allowance::Last(_) => Allowance::Free,
                allowed => allowed,
            },
        }
    }
}

fn below(mut sent: Vec<Timestamp>, limit: u32) -> Allowance {
    sent.sort_unstable();
    let (count, limit) = (sent.len(), limit as usize);
    // Room comes when so many are older than the window that one less than the limit is left.
    let free_at = |index: usize| sent.get(index).and_then(|at| at.checked_add(WINDOW).ok());
    match count {
        _ if count >= limit => Allowance::Not(free_at(count - limit).unwrap_or(Timestamp::MAX)),
        _ if count + 1 == limit => free_at(0).map_or(Allowance::Free, Allowance::Last),
        _ => Allowance::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{letter, minutes};
    use super::*;

    const LIMITS: OutboundConfig =
        OutboundConfig { direct_per_hour: 60, proactive_until: 55, escalated_per_hour: 120 };

    /// So many messages, one at each of the first minutes' seconds.
    fn sent(urgency: Urgency, count: i64, now: Timestamp) -> RecentlySent {
        let letters: Vec<Letter> =
            (0..count).map(|n| Letter { handed: Some(minutes(n)), ..letter(urgency) }).collect();
        RecentlySent::of(letters.iter(), now)
    }

    #[test]
    fn sixty_messages_to_the_owner_go_out_within_any_sixty_minutes() {
        let allows = |count, urgency| {
            sent(Urgency::Direct, count, minutes(59)).allows(urgency, CarrierName::Signal, &LIMITS)
        };
        assert_eq!(allows(58, Urgency::Direct), Allowance::Free);
        assert_eq!(allows(59, Urgency::Direct), Allowance::Last(minutes(60)));
        assert_eq!(allows(60, Urgency::Direct), Allowance::Not(minutes(60)));
        let hour_over = sent(Urgency::Direct, 60, minutes(60));
        assert_eq!(hour_over.direct(), 59, "the first one is an hour old");
        assert_eq!(allows(54, Urgency::Proactive), Allowance::Free);
        assert_eq!(allows(55, Urgency::Proactive), Allowance::Not(minutes(60)));
        assert_eq!(allows(60, Urgency::Critical), Allowance::Free);
        assert_eq!(allows(60, Urgency::Escalated), Allowance::Free);
    }

    #[test]
    fn alerts_are_never_counted_and_what_the_model_escalates_has_a_limit_for_each_carrier() {
        let alerts = sent(Urgency::Critical, 59, minutes(59));
        assert_eq!((alerts.direct(), alerts.escalated()), (0, 0));
        let urgent = |count: i64| {
            let one = |n| Letter { handed: Some(minutes(n % 60)), ..letter(Urgency::Escalated) };
            let letters: Vec<Letter> = (0..count).map(one).collect();
            RecentlySent::of(letters.iter(), minutes(59))
        };
        let by = |count, carrier| urgent(count).allows(Urgency::Escalated, carrier, &LIMITS);
        assert_eq!(by(118, CarrierName::Signal), Allowance::Free);
        assert_eq!(by(120, CarrierName::Signal), Allowance::Not(minutes(60)));
        assert_eq!(by(120, CarrierName::Ntfy), Allowance::Free);
        assert_eq!(urgent(120).direct(), 0);
    }

    #[test]
    fn a_clock_that_jumps_by_a_day_blocks_nothing() {
        for jump in [-24 * 60, 24 * 60] {
            let later = sent(Urgency::Direct, 60, minutes(59 + jump));
            let allowed = later.allows(Urgency::Direct, CarrierName::Signal, &LIMITS);
            assert_eq!(allowed, Allowance::Free, "{jump}");
        }
    }
}
