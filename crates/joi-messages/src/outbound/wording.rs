//! The remarks of a message: that it may be the second one, that it is late, that the next ones wait.
//!
//! In: the message, the language, the present moment. Out: the words as they are sent.
//! Pure: no I/O, no clock.

use jiff::{SignedDuration, Timestamp, Zoned};

use super::Urgency;
use super::letter::Letter;
use joi_language::{Language, fill, times};

/// A message that is older says when it was meant to be read.
const LATE: SignedDuration = SignedDuration::from_secs(10 * 60);

/// Returns the words of `letter` as they are sent at `now`; `rest_from` is when further answers come.
pub(super) fn worded(
    letter: &Letter,
    rest_from: Option<Timestamp>,
    language: &Language,
    now: &Zoned,
) -> String {
    let words = &language.sentences().messages;
    let local = |at: Timestamp| at.to_zoned(now.time_zone().clone());
    let mut before = Vec::new();
    if letter.doubts > 0 {
        before.push(words.perhaps_again.clone());
    }
    let is_late = now.timestamp().duration_since(letter.posted) > LATE;
    if is_late && letter.urgency != Urgency::Proactive {
        let at = times::moment(local(letter.posted).datetime(), now, language);
        before.push(fill(&words.late, &[("at", &at)]));
    }
    let mut text = letter.text.clone();
    if !before.is_empty() {
        text = format!("{} {text}", before.join(" "));
    }
    if let Some(from) = rest_from {
        let time = times::time_of_day(local(from).time(), language);
        text = format!("{text}\n\n{}", fill(&words.last, &[("time", &time)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::{english, letter, minutes};
    use super::*;

    fn now(at: Timestamp) -> Zoned {
        at.to_zoned(jiff::tz::TimeZone::UTC)
    }

    #[test]
    fn a_message_that_may_be_the_second_one_or_is_late_says_so_and_others_are_left_as_they_are() {
        let alert = Letter { text: "Smoke in the kitchen.".into(), ..letter(Urgency::Critical) };
        let told = |letter: &Letter, at| worded(letter, None, &english(), &now(minutes(at)));
        assert_eq!(told(&alert, 10), "Smoke in the kitchen.");
        assert_eq!(told(&alert, 11), "(From today at midnight.) Smoke in the kitchen.");
        let doubted = Letter { doubts: 1, ..alert };
        assert_eq!(told(&doubted, 1), "(You may have had this already.) Smoke in the kitchen.");
    }

    #[test]
    fn the_last_answer_of_the_hour_says_when_the_next_ones_come() {
        let answer = Letter { text: "Yes.".into(), ..letter(Urgency::Direct) };
        let told = worded(&answer, Some(minutes(75)), &english(), &now(minutes(1)));
        assert_eq!(told, "Yes.\n\n(That was my last message for now; the next ones come from 1:15 AM on.)");
    }
}
