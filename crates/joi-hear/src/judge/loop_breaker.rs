//! Ends a conversation that nobody takes part in.
//!
//! In: the loudness of each follow-up that is about to be answered, and wake phrases. Out: whether to answer.
//! An echo or a television that passes every other rule makes the assistant answer itself again and again;
//! after some answers without a human voice it stays silent until the next wake phrase.
//! Pure: no I/O, no clock.

/// A voice this much above echo and background is a person's, in dB.
const MARGIN_DB: f32 = 6.0;

/// How loud a follow-up was, beside echo and background.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FollowUpLoudness {
    /// Level of its voiced part in dBFS.
    pub voice_db: f32,
    /// Level of the background in dBFS.
    pub room_db: f32,
    /// Level of the echo in the microphone in dBFS, if it was measured.
    pub echo_db: Option<f32>,
    /// Whether it began during playback.
    pub overlaps_playback: bool,
}

impl FollowUpLoudness {
    /// Returns whether a person must have said it.
    pub(crate) fn is_human(&self) -> bool {
        let above = |level: f32| self.voice_db >= level + MARGIN_DB;
        !self.overlaps_playback && above(self.room_db) && self.echo_db.is_none_or(above)
    }
}

/// Counts answers to nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopBreaker {
    limit: u32,
    in_a_row: u32,
}

impl LoopBreaker {
    /// Lets `limit` answers in a row pass (`hear.judge.answers_to_nobody`).
    pub fn new(limit: u32) -> Self {
        Self { limit, in_a_row: 0 }
    }

    /// A wake phrase was said, or listening was requested: somebody is there.
    pub fn woken(&mut self) {
        self.in_a_row = 0;
    }

    /// Returns whether a follow-up that was this loud is to be answered.
    pub fn may_answer(&mut self, loudness: &FollowUpLoudness) -> bool {
        if loudness.is_human() {
            self.in_a_row = 0;
            return true;
        }
        let may = !self.is_silent();
        self.in_a_row = self.in_a_row.saturating_add(1);
        may
    }

    /// Returns whether nothing is answered until the next wake phrase: then no window for follow-ups is opened.
    pub fn is_silent(&self) -> bool {
        self.in_a_row >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PERSON: FollowUpLoudness =
        FollowUpLoudness { voice_db: -25.0, room_db: -55.0, echo_db: Some(-40.0), overlaps_playback: false };
    const ECHO: FollowUpLoudness = FollowUpLoudness { voice_db: -38.0, ..PERSON };

    #[test]
    fn a_person_is_louder_than_the_room_and_than_the_echo_and_does_not_speak_over_playback() {
        assert!(PERSON.is_human());
        assert!(FollowUpLoudness { echo_db: None, ..ECHO }.is_human());
        assert!(!ECHO.is_human());
        assert!(!FollowUpLoudness { room_db: -28.0, echo_db: None, ..PERSON }.is_human());
        assert!(!FollowUpLoudness { overlaps_playback: true, ..PERSON }.is_human());
    }

    #[test]
    fn three_answers_to_nobody_are_enough() {
        let mut breaker = LoopBreaker::new(3);
        let answered: Vec<bool> = (0..5).map(|_| breaker.may_answer(&ECHO)).collect();
        assert_eq!(answered, [true, true, true, false, false]);
        assert!(breaker.is_silent());
        breaker.woken();
        assert_eq!(breaker, LoopBreaker::new(3));
        assert!(breaker.may_answer(&ECHO));
    }

    #[test]
    fn a_person_among_them_begins_the_count_anew() {
        let mut breaker = LoopBreaker::new(2);
        let answered: Vec<bool> =
            [ECHO, PERSON, ECHO, ECHO, ECHO, PERSON, ECHO].iter().map(|l| breaker.may_answer(l)).collect();
        assert_eq!(answered, [true, true, true, true, false, true, true]);
    }

    proptest! {
        #[test]
        fn never_more_answers_to_nobody_in_a_row_than_allowed(limit in 1_u32..6, human in proptest::collection::vec(any::<bool>(), 0..60)) {
            let mut breaker = LoopBreaker::new(limit);
            let mut in_a_row = 0;
            for is_human in human {
                let answered = breaker.may_answer(if is_human { &PERSON } else { &ECHO });
                prop_assert!(answered || !is_human);
                in_a_row = if is_human { 0 } else { in_a_row + u32::from(answered) };
                prop_assert!(in_a_row <= limit);
            }
        }
    }
}
