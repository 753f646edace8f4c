//! One stream of sound on its way through a wake model: front end, network, mean of the probabilities.
//!
//! Owned by the listener thread. In: 16 kHz samples. Out: where the mean crosses a cutoff.

use std::collections::VecDeque;

use super::frontend::Frontend;
use super::network::Network;

/// Probabilities averaged before they are compared with the cutoff; the models are made for five.
const AVERAGED: usize = 5;
/// Runs whose log-odds are kept: 3 s of them.
const KEPT: usize = 100;

/// A network processing one stream of sound.
#[derive(Clone)]
pub(super) struct ModelStream {
    frontend: Frontend,
    network: Network,
    frames: usize,
    /// The newest probabilities, in a ring.
    scores: [f32; AVERAGED],
    runs: usize,
    /// The highest mean in the samples fed last, with its position.
    peak: Option<(f32, u64)>,
    /// The newest log-odds, with their positions.
    odds: VecDeque<(u64, f32)>,
}

impl ModelStream {
    pub(super) fn new(network: Network) -> Self {
        let (frontend, odds) = (Frontend::new(), VecDeque::with_capacity(KEPT));
        Self { frontend, network, frames: 0, scores: [0.0; AVERAGED], runs: 0, peak: None, odds }
    }

    /// Feeds `samples` and hands every raw probability with its position to `each`.
    pub(super) fn probabilities(
        &mut self,
        mut samples: &[f32],
        at: u64,
        mut each: impl FnMut(&mut Self, f32, u64),
    ) {
        let end = at + samples.len() as u64;
        while let Some(features) = self.frontend.next(&mut samples) {
            self.network.set_frame(self.frames, &features);
            self.frames += 1;
            if self.frames == self.network.stride() {
                self.frames = 0;
                let probability = self.network.run();
                let at = end - samples.len() as u64;
                if self.odds.len() == KEPT {
                    self.odds.pop_front();
                }
                self.odds.push_back((at, self.network.log_odds()));
                each(self, probability, at);
            }
        }
    }

    /// Returns the mean over the newest probabilities, `probability` included; 0 until there are enough.
    fn mean_with(&mut self, probability: f32) -> f32 {
        self.scores[self.runs % AVERAGED] = probability;
        self.runs += 1;
        if self.runs < AVERAGED { 0.0 } else { self.scores.iter().sum::<f32>() / AVERAGED as f32 }
    }

    /// Returns the first mean above `cutoff` from position `from` on, with its position.
    pub(super) fn crossing(
        &mut self,
        samples: &[f32],
        at: u64,
        (cutoff, from): (f32, u64),
    ) -> Option<(f32, u64)> {
        let mut found = None;
        self.peak = None;
        self.probabilities(samples, at, |this, probability, at| {
            let score = this.mean_with(probability);
            if this.peak.is_none_or(|(highest, _)| score > highest) {
                this.peak = Some((score, at));
            }
            if score > cutoff && at >= from {
                found.get_or_insert((score, at));
            }
        });
        found
    }

    /// Returns the highest mean in the samples that were fed last, with its position; each once.
    pub(super) fn take_peak(&mut self) -> Option<(f32, u64)> {
        self.peak.take()
    }

    /// Returns the highest log-odds between two positions; nothing where not all of it was heard.
    pub(super) fn highest_odds(&self, from: u64, to: u64) -> Option<f32> {
        self.odds.front().filter(|(oldest, _)| *oldest <= from)?;
        let there = self.odds.iter().filter(|(at, _)| (from..=to).contains(at));
        there.map(|(_, odds)| *odds).max_by(f32::total_cmp)
    }

    pub(super) fn reset(&mut self) {
        self.peak = None;
        self.odds.clear();
        self.frontend.reset();
        self.network.reset();
        self.frames = 0;
        self.runs = 0;
    }
}
