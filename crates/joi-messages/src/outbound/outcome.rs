//! What becomes of a message after it was handed to a carrier.
//!
//! In: the message, what the carrier says, the time. Out: the message as it stands then. An alert is not given up before
//! its time is over, whatever the carrier says; a group that takes none is replaced by the owner.
//! Pure: no I/O, no clock.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::decide::LONGEST_WAIT;
use super::letter::{Letter, LetterState};
use super::{Audience, CarryFault, MessageStamp, Urgency};

/// Between a refused alert and its next try.
const AFTER_REFUSAL: SignedDuration = SignedDuration::from_secs(60);
/// Before something that may have arrived is sent again, in seconds; doubled with each further time, up to half an hour.
const AFTER_DOUBT: i64 = 5;
const LONGEST_AFTER_DOUBT: i64 = 30 * 60;
/// Where a server takes no more and does not say for how long.
const AFTER_LIMIT: SignedDuration = SignedDuration::from_secs(60);
/// A passing fault doubles the wait up to this.
const LONGEST_PAUSE: i64 = 60;

/// Returns the message once its carrier has said what became of it.
pub(super) fn after(
    letter: Letter,
    outcome: &Result<Option<MessageStamp>, CarryFault>,
    now: Timestamp,
) -> Letter {
    match outcome {
        Ok(stamp) => Letter { stamp: *stamp, ..letter.ended(LetterState::Sent) },
        Err(CarryFault::Unsent(_)) => {
            let pause = 2_i64.saturating_pow(letter.tries.min(6)).min(LONGEST_PAUSE);
            let not_sent = Letter { handed: None, ..letter };
            again(not_sent, SignedDuration::from_secs(pause), now)
        }
        Err(CarryFault::RateLimited { after, .. }) => {
            let not_sent = Letter { handed: None, ..letter };
            again(not_sent, after.map_or(AFTER_LIMIT, signed), now)
        }
        Err(CarryFault::Unknown(_)) => in_doubt(letter, now),
        Err(CarryFault::Refused(_)) => match (letter.urgency, letter.audience) {
            (Urgency::Critical | Urgency::Escalated, Audience::Group) => {
                let to_owner = Letter { audience: Audience::Owner, handed: None, ..letter };
                again(to_owner, SignedDuration::ZERO, now)
            }
            (Urgency::Critical, Audience::Owner) => {
                again(Letter { handed: None, ..letter }, AFTER_REFUSAL, now)
            }
            _ => letter.ended(LetterState::GivenUp),
        },
    }
}

/// Returns the message when it was underway and nobody can say whether it arrived: also what is found underway at the
/// start.
pub(super) fn in_doubt(letter: Letter, now: Timestamp) -> Letter {
    let doubted = Letter { doubts: letter.doubts.saturating_add(1), ..letter };
    if doubted.doubts > doubts_borne(doubted.urgency) {
        return doubted.ended(LetterState::GivenUp);
    }
    let pause = AFTER_DOUBT.saturating_mul(2_i64.saturating_pow((doubted.doubts - 1).min(16)));
    again(doubted, SignedDuration::from_secs(pause.min(LONGEST_AFTER_DOUBT)), now)
}

fn again(letter: Letter, pause: SignedDuration, now: Timestamp) -> Letter {
    let pause = pause.clamp(SignedDuration::ZERO, LONGEST_WAIT);
    let not_before = now.checked_add(pause).ok();
    Letter { state: LetterState::Waiting, tries: letter.tries.saturating_add(1), not_before, ..letter }
}

/// Returns how often something is sent again that may have arrived.
fn doubts_borne(urgency: Urgency) -> u32 {
    match urgency {
        // Until its time is over.
        Urgency::Critical => u32::MAX - 1,
        Urgency::Escalated | Urgency::Direct => 1,
        Urgency::Proactive => 0,
    }
}

fn signed(after: Duration) -> SignedDuration {
    SignedDuration::try_from(after).unwrap_or(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{letter, minutes};
    use super::*;

    fn underway(urgency: Urgency) -> Letter {
        Letter { state: LetterState::Underway, handed: Some(minutes(1)), ..letter(urgency) }
    }

    fn unsent() -> Result<Option<MessageStamp>, CarryFault> {
        Err(CarryFault::Unsent("down".into()))
    }

    #[test]
    fn what_was_sent_keeps_no_word_and_counts_on() {
        let sent = after(underway(Urgency::Direct), &Ok(Some(MessageStamp(7))), minutes(1));
        assert_eq!((sent.state, sent.text.as_str(), sent.handed), (LetterState::Sent, "", Some(minutes(1))));
        assert_eq!(sent.stamp, Some(MessageStamp(7)));
    }

    #[test]
    fn what_was_not_sent_is_tried_again_with_growing_waits_and_counts_for_nothing() {
        let mut letter = underway(Urgency::Direct);
        let mut waits = Vec::new();
        for _ in 0..8 {
            letter = after(letter, &unsent(), minutes(1));
            waits.push(letter.not_before.unwrap().duration_since(minutes(1)).as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!((letter.state, letter.handed), (LetterState::Waiting, None));
    }

    #[test]
    fn a_server_that_limits_is_left_alone_for_as_long_as_it_wants() {
        let limited = |after| Err(CarryFault::RateLimited { why: String::new(), after });
        let waits = |told| after(underway(Urgency::Critical), &limited(told), minutes(1)).not_before;
        assert_eq!(waits(Some(Duration::from_secs(300))), Some(minutes(6)));
        assert_eq!(waits(None), Some(minutes(2)));
        assert_eq!(waits(Some(Duration::MAX)), minutes(1).checked_add(LONGEST_WAIT).ok());
    }

    #[test]
    fn what_may_have_arrived_is_sent_again_with_a_mark_but_nothing_of_her_own_accord() {
        let unknown = Err(CarryFault::Unknown("no answer".into()));
        let tries = |urgency| {
            let mut letter = underway(urgency);
            let mut tries = 0;
            while letter.is_open() && tries < 50 {
                letter = after(letter, &unknown, minutes(1));
                tries += 1;
            }
            tries
        };
        let all = [Urgency::Critical, Urgency::Escalated, Urgency::Direct, Urgency::Proactive];
        assert_eq!(all.map(tries), [50, 2, 2, 1]);
        let doubted = after(underway(Urgency::Critical), &unknown, minutes(1));
        assert_eq!(doubted.doubts, 1);
        let often = after(Letter { doubts: 20, ..doubted }, &unknown, minutes(1));
        assert_eq!(often.not_before, Some(minutes(31)), "not more often than each half hour");
    }

    #[test]
    fn an_alert_that_a_group_refuses_goes_to_the_owner_and_is_never_given_up() {
        let refused = Err(CarryFault::Refused("not a member".into()));
        let to_group = Letter { audience: Audience::Group, ..underway(Urgency::Critical) };
        let to_owner = after(to_group, &refused, minutes(1));
        assert_eq!((to_owner.audience, to_owner.not_before), (Audience::Owner, Some(minutes(1))));
        let again = after(to_owner, &refused, minutes(1));
        assert_eq!((again.state, again.not_before), (LetterState::Waiting, Some(minutes(2))));
        let answer = after(underway(Urgency::Direct), &refused, minutes(1));
        assert_eq!(answer.state, LetterState::GivenUp);
    }
}
