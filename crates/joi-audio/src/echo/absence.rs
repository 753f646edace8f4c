//! Detects that no echo reaches the microphone: headphones, or a speaker in another room.
//!
//! In: near and far end, frame by frame. Out: whether there is any echo to cancel. A canceller that looks for
//! an echo where there is none mistakes a talker for it. Absence is established when the microphone stays
//! silent during playback for longer than any pause within speech, and is withdrawn once the filter predicts
//! an echo.
//! Pure: no I/O, no clock.

use super::frame::FRAME;

/// A microphone below this power is silent: −60 dBFS.
const STILL: f32 = 1e-6;

/// Playback above this power is audible: −45 dBFS.
const PLAYED: f32 = 3e-5;

/// Frames in a row in which the microphone is silent: 600 ms, longer than pauses within speech and any echo's
/// delay.
const RUN: u32 = 60;

/// Frames among them in which something was played.
const LEAST: u32 = 35;

/// Decides whether the echo is absent.
#[derive(Debug, Default)]
pub(super) struct Absence {
    still: u32,
    played: u32,
    is_sure: bool,
}

impl Absence {
    /// One frame of both; `is_predicted` says that the filter predicts an echo.
    pub(super) fn look(&mut self, near: &[f32; FRAME], far: &[f32; FRAME], is_predicted: bool) -> bool {
        if power(near) >= STILL {
            (self.still, self.played) = (0, 0);
        } else {
            self.still += 1;
            self.played += u32::from(power(far) > PLAYED);
        }
        if self.still >= RUN {
            self.is_sure |= self.played >= LEAST;
            (self.still, self.played) = (0, 0);
        }
        self.is_sure &= !is_predicted;
        self.is_sure
    }

    /// Returns the last result.
    pub(super) fn is_sure(&self) -> bool {
        self.is_sure
    }
}

fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many frames of a level of the microphone and of the speaker.
    fn look(absence: &mut Absence, frames: u32, near: f32, far: f32) -> bool {
        (0..frames).map(|_| absence.look(&[near; FRAME], &[far; FRAME], false)).last().unwrap_or_default()
    }

    #[test]
    fn a_microphone_that_stays_still_while_she_speaks_hears_nothing_of_her() {
        let mut absence = Absence::default();
        assert!(!look(&mut absence, RUN - 1, 1e-4, 0.1));
        assert!(look(&mut absence, 1, 1e-4, 0.1));
        assert!(look(&mut absence, 500, 0.2, 0.1), "a talker changes nothing");
    }

    #[test]
    fn her_pauses_and_a_silent_speaker_prove_nothing() {
        let mut absence = Absence::default();
        for _ in 0..100 {
            assert!(!look(&mut absence, 50, 0.05, 0.1), "an echo");
            assert!(!look(&mut absence, 40, 1e-4, 0.0), "a pause, with a delay at its beginning");
        }
        assert!(!look(&mut absence, 1000, 1e-4, 0.0), "nobody speaks");
    }

    #[test]
    fn an_echo_that_is_predicted_is_there() {
        let mut absence = Absence::default();
        assert!(look(&mut absence, RUN, 1e-4, 0.1));
        assert!(!absence.look(&[0.05; FRAME], &[0.1; FRAME], true), "the volume was turned up");
        assert!(!absence.is_sure());
    }
}
