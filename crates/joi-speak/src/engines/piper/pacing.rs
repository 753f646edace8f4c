//! Decides how much of a sentence is decoded at once.
//!
//! In: how many frames are left, how much sound bridges the time until they are ready, and how long decoding takes.
//! Out: the frames of the next chunk. The first one is short, so that it sounds soon; each further one is computed
//! while the one before is played, with a wide margin, so that there is no gap within a word. A machine that can't
//! promise that decodes whole sentences.
//! Pure: no I/O, no clock.

/// Frames of the first chunk at least: 0.28 s of a voice at 22 kHz.
const FIRST: usize = 24;
/// Decoding may take this many times longer than it took lately.
const MARGIN: f64 = 3.0;
/// Least frames of a further chunk; with less in time there is none.
const SHORTEST: usize = 12;
/// Frames of a chunk at most, as a multiple of those that it looks at on one side: what they take in memory is held while
/// joi speaks, tens of MB for a long sentence at once. Eight times took 8 MB more, and an eighth less of a core.
const LONGEST: usize = 5;
/// How much a measurement counts against those before.
const WEIGHT: f64 = 0.3;
/// From this share of the time on, whole sentences are decoded.
const TOO_SLOW: f64 = 0.85;

/// Measurements of the decoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChunkPacing {
    /// How many frames it looks at before and behind those that it decodes.
    reach: usize,
    /// Time of decoding by time of sound, once it was measured.
    effort: Option<f64>,
    /// How much a further measurement counts.
    weight: f64,
}

impl ChunkPacing {
    /// Creates the pacing of a decoder that has not decoded yet.
    pub(super) fn untried(reach: usize) -> Self {
        Self { reach, effort: None, weight: WEIGHT }
    }

    /// Creates a fixed pacing, which ignores measurements.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn steady(reach: usize, effort: f64) -> Self {
        Self { reach, effort: Some(effort), weight: 0.0 }
    }

    pub(super) fn reach(self) -> usize {
        self.reach
    }

    /// Records that decoding took `effort` times as long as its sound will.
    pub(super) fn learn(&mut self, effort: f64) {
        self.effort = Some(self.effort.map_or(effort, |before| before + (effort - before) * self.weight));
    }

    /// Returns the share of the time of playing that decoding may take, at worst.
    fn share(self) -> f64 {
        self.effort.map_or(f64::INFINITY, |effort| effort * MARGIN)
    }

    /// Frames of the first chunk of a sentence of `left`.
    pub(super) fn first(self, left: usize) -> usize {
        let share = self.share();
        if share >= TOO_SLOW {
            return left;
        }
        self.with_rest(left, self.shortest())
    }

    /// Frames of the next chunk of `left` while `bridged` frames are played; nothing when that is too little to get any
    /// further in time.
    pub(super) fn next(self, left: usize, bridged: usize) -> Option<usize> {
        let affordable = ((bridged as f64 / self.share()) as usize).saturating_sub(2 * self.reach);
        let next = self.with_rest(left, affordable.min(2 * bridged.max(FIRST)).min(self.longest()));
        (affordable >= SHORTEST.min(left)).then_some(next)
    }

    /// So many frames that the next chunk, at the edges of which it decodes more, need not be shorter.
    fn shortest(self) -> usize {
        let share = self.share();
        let sustained = (2 * self.reach) as f64 * share / (1.0 - share);
        FIRST.max(sustained.ceil() as usize)
    }

    fn longest(self) -> usize {
        (LONGEST * self.reach).max(self.shortest().saturating_mul(2))
    }

    /// A rest that is not worth a chunk of its own is added.
    fn with_rest(self, left: usize, chosen: usize) -> usize {
        if left <= chosen + self.reach { left } else { chosen }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pacing(reach: usize, effort: f64) -> ChunkPacing {
        let mut pacing = ChunkPacing::untried(reach);
        pacing.learn(effort);
        pacing
    }

    /// Returns the chunks of a sentence, all of them played.
    fn chunks(pacing: ChunkPacing, frames: usize) -> Vec<usize> {
        let mut chunks = vec![pacing.first(frames)];
        while chunks.iter().sum::<usize>() < frames {
            let left = frames - chunks.iter().sum::<usize>();
            let last = chunks.last().copied().unwrap_or_default();
            chunks.push(pacing.next(left, last).unwrap_or(left));
        }
        chunks
    }

    #[test]
    fn a_fast_machine_begins_with_little_a_slower_one_with_more_and_a_slow_one_with_all() {
        assert_eq!(chunks(pacing(12, 0.08), 183), [24, 48, 60, 51]);
        assert_eq!(chunks(pacing(12, 0.08), 30), [30], "the rest is not worth a chunk");
        assert_eq!(
            chunks(pacing(12, 0.08), 500),
            [24, 48, 60, 60, 60, 60, 60, 60, 68],
            "they don't grow for ever"
        );
        assert_eq!(chunks(pacing(12, 0.2), 183)[0], 37);
        assert_eq!(chunks(pacing(12, 0.3), 183), [183]);
        assert_eq!(chunks(pacing(12, 2.0), 183), [183]);
    }

    #[test]
    fn a_chunk_too_short_to_bridge_the_next_one_is_reported() {
        let pacing = pacing(12, 0.1);
        assert_eq!(pacing.next(100, 4), None, "nearly all of the first chunk was silent");
        assert_eq!(pacing.next(100, 15), Some(25));
        assert_eq!(pacing.next(5, 10), Some(5));
    }

    #[test]
    fn a_machine_that_gets_busy_decodes_longer_chunks_and_recovers() {
        let mut pacing = pacing(12, 0.08);
        (0..3).for_each(|_| pacing.learn(0.5));
        assert_eq!(pacing.first(200), 200);
        (0..12).for_each(|_| pacing.learn(0.08));
        assert_eq!(pacing.first(200), 24);
    }

    proptest! {
        /// Each chunk is ready before the one in front of it is over, also when decoding takes twice as long.
        #[test]
        fn there_is_no_gap(frames in 1_usize..2_000, reach in 0_usize..40, effort in 0.001_f64..2.0) {
            let pacing = pacing(reach, effort);
            let chunks = chunks(pacing, frames);
            prop_assert_eq!(chunks.iter().sum::<usize>(), frames);
            for pair in chunks.windows(2) {
                let decoding = 2.0 * effort * (pair[1] + 2 * reach) as f64;
                prop_assert!(decoding <= pair[0] as f64, "{:?} at {} and {}", chunks, effort, reach);
            }
        }
    }
}
