//! How much softer the echo becomes by what is foretold of it, early in joi's first answer and later.
//!
//! In: what the microphone captured beside what is left of it, while only joi speaks. Out: decibels. Nothing is
//! suppressed in what is left, so that it shows what the filter alone is worth (the echo return loss enhancement, ERLE,
//! of ITU-T G.168).
//! Pure: no I/O, no clock.

use joi_audio::{RATE, Tracks};

/// When the spans end that are measured separately, in seconds of joi's voice; the first second is for learning the
/// room.
const ENDS: [u64; 3] = [1, 2, 4];

/// The energy so far.
#[derive(Debug, Clone, Copy, Default)]
struct Energy {
    captured: f64,
    left: f64,
}

/// The rest of the echo.
#[derive(Debug, Clone, Default)]
pub(super) struct Residue {
    spans: [Energy; ENDS.len() + 1],
    /// Samples so far.
    heard: u64,
}

impl Residue {
    /// The next samples, in which nobody else talks.
    pub(super) fn observe(&mut self, tracks: Tracks<'_>) {
        for (captured, left) in tracks.captured.iter().zip(tracks.whole) {
            let second = self.heard / u64::from(RATE);
            let span = ENDS.iter().filter(|end| second >= **end).count();
            self.spans[span].captured += f64::from(captured * captured);
            self.spans[span].left += f64::from(left * left);
            self.heard += 1;
        }
    }

    /// How much softer it became in the second second, from then to the fourth, and later, in dB; nothing where
    /// nothing was heard.
    pub(super) fn softer_db(&self) -> [Option<f64>; ENDS.len()] {
        let [_, spans @ ..] = self.spans;
        spans.map(|Energy { captured, left }| {
            (captured > 0.0 && left > 0.0).then(|| 10.0 * (captured / left).log10())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_span_has_its_own_figure() {
        let mut residue = Residue::default();
        assert_eq!(residue.softer_db(), [None; 3]);
        let second = RATE as usize;
        let captured = vec![0.5; second];
        for factor in [1.0, 0.1, 0.1, 0.1, 0.01] {
            let whole = vec![0.5 * factor; second];
            residue.observe(Tracks { captured: &captured, whole: &whole });
        }
        let rounded = residue.softer_db().map(|db| db.map(|db| db.round() as i32));
        assert_eq!(rounded, [Some(20), Some(20), Some(40)]);
    }
}
