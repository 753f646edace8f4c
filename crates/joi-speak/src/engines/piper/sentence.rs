//! A sentence on its way from frames to sound, chunk by chunk.

use super::network::{EncodedSentence, VoiceNetwork};
use crate::shape::{self, LeadSilence};

/// The rest of a sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    encoded: EncodedSentence,
    /// Frames that are sound already.
    done: usize,
    /// How many are to be next.
    planned: usize,
}

/// The processing of samples before they are passed on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shaping {
    pub(super) gain: f32,
    pub(super) rate: u32,
    pub(super) lead: LeadSilence,
}

impl Shaping {
    /// Processes `samples`, of which those from `fresh` on are new; returns whether they are audible.
    fn apply(self, samples: &mut Vec<f32>, fresh: usize) -> bool {
        shape::level(&mut samples[fresh..], self.gain);
        self.lead == LeadSilence::Kept || shape::cut_lead(samples, self.rate)
    }
}

impl Sentence {
    /// Computes the frames of a sentence.
    pub(super) fn begin(network: &mut VoiceNetwork, ids: Vec<i64>) -> ort::Result<Self> {
        let encoded = network.encode(ids)?;
        let planned = match (&encoded, network.pacing()) {
            (EncodedSentence::Frames(frames), Some(pacing)) => pacing.first(frames.len()),
            _ => 0,
        };
        Ok(Self { encoded, done: 0, planned })
    }

    /// Decodes the next samples, enough to bridge the time until the rest comes, and returns them with the rest.
    pub(super) fn chunk(
        self,
        network: &mut VoiceNetwork,
        shaping: Shaping,
    ) -> ort::Result<(Vec<f32>, Option<Self>)> {
        let frames = match self.encoded {
            EncodedSentence::Samples(mut samples) => {
                shaping.apply(&mut samples, 0);
                return Ok((samples, None));
            }
            EncodedSentence::Frames(frames) => frames,
        };
        let (mut samples, mut done, mut next) = (Vec::new(), self.done, self.planned);
        loop {
            let decoded = network.decode(&frames, done..done + next)?;
            let hop = (decoded.len() / next.max(1)).max(1);
            let from = samples.len();
            samples.extend(decoded);
            let is_heard = shaping.apply(&mut samples, from);
            done += next;
            let left = frames.len() - done;
            let Some(pacing) = network.pacing().filter(|_| left > 0) else { return Ok((samples, None)) };
            let bridged = if is_heard { samples.len() / hop } else { 0 };
            let planned = match pacing.next(left, bridged) {
                Some(planned) => planned,
                // Playback has started: holding back what is ready would make the gap longer.
                None if self.done > 0 => pacing.first(left),
                None => {
                    next = pacing.first(left);
                    continue;
                }
            };
            let rest = Self { encoded: EncodedSentence::Frames(frames), done, planned };
            return Ok((samples, Some(rest)));
        }
    }
}
