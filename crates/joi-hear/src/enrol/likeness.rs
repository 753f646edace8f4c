//! Compares recordings of one phrase as templates of each other: which belong together, and from which likeness on the
//! phrase counts as said.
//!
//! Pure: no I/O, no clock.

/// A recording this much less like the others than is usual among them is an outlier.
const OUTLYING: f32 = 0.12;
/// Recordings less alike than this are not of one phrase.
const LEAST_ALIKE: f32 = 0.5;
/// The least distance between the likest other sound and the recording that is least like the others.
const LEAST_GAP: f32 = 0.04;
/// Where between the two the likeness lies that is asked for: nearer to the other sound, since nobody will say the
/// phrase in the room as near and as clearly as for a recording.
const FROM_OTHERS: f32 = 0.4;

/// Why each recording is refused, where it is. `alike` holds how like each is to all the others.
pub fn refusals(alike: &[f32]) -> Vec<Option<String>> {
    let usual = super::median(alike).unwrap_or(0.0);
    let refusal = |likeness: &f32| {
        let is_fit = *likeness >= LEAST_ALIKE.max(usual - OUTLYING);
        (!is_fit)
            .then(|| format!("it is like the others by {likeness:.2}, they among themselves by {usual:.2}"))
    };
    alike.iter().map(refusal).collect()
}

/// From which likeness on the phrase counts as said, where `alike` are the recordings and `likest` is the most that other
/// sound was like them. Nothing if no likeness separates the two.
pub fn counts_from(alike: &[f32], likest: f32) -> Option<f32> {
    let worst = alike.iter().copied().reduce(f32::min)?;
    let likest = likest.max(LEAST_ALIKE - LEAST_GAP);
    (worst - likest >= LEAST_GAP).then(|| ((likest + FROM_OTHERS * (worst - likest)) * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unlike_the_others_is_refused_with_the_figures() {
        let told = refusals(&[0.70, 0.68, 0.55, 0.72, 0.66]);
        let refused: Vec<bool> = told.iter().map(Option::is_some).collect();
        assert_eq!(refused, [false, false, true, false, false]);
        assert_eq!(told[2].as_deref(), Some("it is like the others by 0.55, they among themselves by 0.68"));
        assert_eq!(refusals(&[0.45, 0.46]).iter().flatten().count(), 2, "they are of no one phrase");
        assert_eq!(refusals(&[]), []);
    }

    #[test]
    fn it_counts_from_between_other_sound_and_the_worst_recording() {
        assert_eq!(counts_from(&[0.70, 0.66, 0.72], 0.56), Some(0.60));
        assert_eq!(
            counts_from(&[0.70, 0.66, 0.72], 0.30),
            Some(0.54),
            "other sound is never taken to be quite unlike"
        );
        assert_eq!(counts_from(&[0.70, 0.58], 0.55), None, "too near");
        assert_eq!(counts_from(&[], 0.2), None);
    }
}
