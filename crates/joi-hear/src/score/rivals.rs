//! Rivals of a phrase: similar-sounding words that may have been said instead, and the phrase's lead over
//! them.
//!
//! A phrase may be well supported because something similar was said. So the model also scores the
//! similar-sounding words of `lexicon`. Most are one token each, and one decoder step gives the probability
//! of all tokens at a place: a few more steps serve dozens of rivals. Where the model prefers a rival on
//! silence, since it is the more frequent word, the phrase is credited with the difference. Runs on the
//! thread that owns the model.

use crate::whisper::{Forced, SttError, Whisper};

use super::lexicon::Alike;
use super::spell::usual_forms;
use super::{AHEAD, Effort, log_sum};

/// A phrase is credited with at most this, in nats: a rival that is so much more frequent was said, in all
/// likelihood.
const MOST_FORGIVEN: f32 = 3.0;

/// Up to this much above [`AHEAD`] a lead is exact; a rival that is left behind further is not scored to its
/// end.
const EXACT: f32 = 3.0;

/// How far a phrase is ahead of its rivals.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// In nats: compare with [`super::AHEAD`]. Infinite where there is no rival, or none comes near.
    pub nats: f32,
    /// The nearest rival.
    pub rival: Option<String>,
}

impl Default for Lead {
    fn default() -> Self {
        Self { nats: f32::INFINITY, rival: None }
    }
}

/// The rivals of one phrase.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Rivals {
    names: Vec<String>,
    /// Their spellings as tokens, with their indices in `names`. Sorted: neighbours share decoder steps.
    ways: Vec<(Vec<i32>, usize)>,
    /// The phrase's credit against each, in nats: at first only the rival's own penalty.
    forgiven: Vec<f32>,
}

impl Rivals {
    /// Tokenises them; what the model can't spell is no rival.
    pub(super) fn new(whisper: &Whisper, alikes: Vec<Alike>) -> Self {
        let mut ways = Vec::new();
        for (place, alike) in alikes.iter().enumerate() {
            for forms in usual_forms(&alike.written) {
                let spelled: Vec<_> = forms.iter().filter_map(|form| whisper.tokens(form).ok()).collect();
                // A spelling with more tokens is one that nobody writes.
                let fewest = spelled.iter().map(Vec::len).min().unwrap_or(0);
                ways.extend(spelled.into_iter().filter(|way| way.len() == fewest).map(|way| (way, place)));
            }
        }
        ways.sort();
        ways.dedup();
        let (names, forgiven) = alikes.into_iter().map(|alike| (alike.written, alike.doubt)).unzip();
        Self { names, ways, forgiven }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// Returns the log probability of each, at the best of its possible starts. What follows it is not scored: that
    /// would take a decoder step for each.
    pub(super) fn support(&self, forced: &mut Forced<'_>, starts: &[Vec<i32>]) -> Result<Vec<f32>, SttError> {
        self.support_above(&vec![f32::NEG_INFINITY; self.names.len()], forced, starts)
    }

    /// The same for those above their `floors`; others are abandoned as soon as they have fallen below, since
    /// a longer text is never likelier.
    fn support_above(
        &self,
        floors: &[f32],
        forced: &mut Forced<'_>,
        starts: &[Vec<i32>],
    ) -> Result<Vec<f32>, SttError> {
        let mut best = vec![f32::NEG_INFINITY; self.names.len()];
        for start in starts {
            let mut logs = vec![Vec::new(); self.names.len()];
            for (way, place) in &self.ways {
                let mut path = start.clone();
                let mut sum = 0.0;
                for token in way {
                    if sum < floors[*place] {
                        break;
                    }
                    sum += forced.after(&path)?.log_prob(*token);
                    path.push(*token);
                }
                if sum >= floors[*place] {
                    logs[*place].push(sum);
                }
            }
            for (best, logs) in best.iter_mut().zip(&logs) {
                *best = best.max(log_sum(logs));
            }
        }
        Ok(best)
    }

    /// Returns how far a phrase of log probability `phrase` is ahead of them, as exactly as `effort` asks.
    pub(super) fn weigh(
        &self,
        phrase: f32,
        effort: Effort,
        forced: &mut Forced<'_>,
        starts: &[Vec<i32>],
    ) -> Result<Lead, SttError> {
        let support = match effort {
            Effort::Full => self.support(forced, starts)?,
            Effort::Above(_) | Effort::Whether(_) => {
                let floor = |forgiven: &f32| phrase + forgiven - AHEAD - EXACT;
                let floors: Vec<f32> = self.forgiven.iter().map(floor).collect();
                self.support_above(&floors, forced, starts)?
            }
        };
        Ok(self.lead(phrase, &support))
    }

    /// Takes the log probabilities of `phrase` and of the rivals on silence.
    pub(super) fn forgive(&mut self, phrase: f32, support: &[f32]) {
        for (forgiven, rival) in self.forgiven.iter_mut().zip(support) {
            *forgiven += (rival - phrase).clamp(0.0, MOST_FORGIVEN);
        }
    }

    /// Returns how far a phrase of log probability `phrase` is ahead of the nearest of them.
    fn lead(&self, phrase: f32, support: &[f32]) -> Lead {
        let ahead = support.iter().zip(&self.forgiven).map(|(rival, forgiven)| phrase - rival + forgiven);
        let near = ahead.zip(&self.names).filter(|(nats, _)| nats.is_finite());
        near.min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or_else(Lead::default, |(nats, rival)| Lead { nats, rival: Some(rival.clone()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rivals(names: &[&str], forgiven: &[f32]) -> Rivals {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Rivals { names, ways: Vec::new(), forgiven: forgiven.into() }
    }

    #[test]
    fn the_nearest_rival_counts_after_what_is_forgiven() {
        let rivals = rivals(&["hey joyce", "hey boy"], &[0.0, 2.5]);
        let lead = rivals.lead(-4.0, &[-6.0, -3.0]);
        assert_eq!(lead, Lead { nats: 1.5, rival: Some("hey boy".into()) });
        assert_eq!(Rivals::default().lead(-4.0, &[]), Lead::default());
    }

    #[test]
    fn a_usual_word_is_forgiven_up_to_a_limit_and_a_rare_one_gets_nothing() {
        let mut rivals = rivals(&["hey boy", "hey you", "hey joh", "may joy"], &[0.0, 0.0, 0.0, 2.0]);
        rivals.forgive(-12.0, &[-10.0, -2.0, -15.0, -11.0]);
        assert_eq!(rivals.forgiven, [2.0, MOST_FORGIVEN, 0.0, 3.0]);
    }
}
