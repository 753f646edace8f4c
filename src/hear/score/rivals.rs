//! What may have been said instead of a phrase, and how the phrase stands up to that.
//!
//! A phrase that fits may fit because something like it was said. So the model is also asked about the words of
//! `lexicon` that sound like it. They mostly are one token each, and whoever knows the probability of one token at
//! some place knows that of all: a few more steps of the decoder serve for dozens of rivals. Where the model likes
//! a rival better without hearing anything, since it is the more usual word, the phrase is forgiven that much. Runs
//! on the thread that owns the model.

use crate::hear::whisper::{Forced, SttError, Whisper};

use super::lexicon::Alike;
use super::spell::usual_forms;
use super::{AHEAD, Effort, log_sum};

/// A phrase is not forgiven more than this, in nats: a rival that is so much more usual was said, in all likelihood.
const MOST_FORGIVEN: f32 = 3.0;

/// So far above [`AHEAD`] a lead is told exactly; a rival that is left behind further is not looked at to its end.
const EXACT: f32 = 3.0;

/// How far a phrase is ahead of what sounds like it.
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

/// What sounds like one phrase.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Rivals {
    names: Vec<String>,
    /// Ways to write them, as tokens, with their places in `names`. Sorted: neighbours share decoder steps.
    ways: Vec<(Vec<i32>, usize)>,
    /// What the phrase is forgiven against each, in nats: at first only what each is doubted.
    forgiven: Vec<f32>,
}

impl Rivals {
    /// Spells them; what the model can't spell is no rival.
    pub(super) fn new(whisper: &Whisper, alikes: Vec<Alike>) -> Self {
        let mut ways = Vec::new();
        for (place, alike) in alikes.iter().enumerate() {
            for forms in usual_forms(&alike.written) {
                let spelled: Vec<_> = forms.iter().filter_map(|form| whisper.tokens(form).ok()).collect();
                // A way that takes more tokens is one that nobody writes.
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

    /// The log probability of each, at the best of the places where it may begin. What comes behind it is not
    /// asked for: that would take a step of the decoder for each.
    pub(super) fn support(&self, forced: &mut Forced<'_>, starts: &[Vec<i32>]) -> Result<Vec<f32>, SttError> {
        self.support_above(&vec![f32::NEG_INFINITY; self.names.len()], forced, starts)
    }

    /// The same for those that are above their place in `floors`; others are left as soon as they have fallen below
    /// it, since a longer text is never likelier.
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

    /// How far a phrase of log probability `phrase` is ahead of them, as exactly as `effort` asks.
    pub(super) fn weigh(
        &self,
        phrase: f32,
        effort: Effort,
        forced: &mut Forced<'_>,
        starts: &[Vec<i32>],
    ) -> Result<Lead, SttError> {
        let support = match effort {
            Effort::Full => self.support(forced, starts)?,
            Effort::Above(_) => {
                let floor = |forgiven: &f32| phrase + forgiven - AHEAD - EXACT;
                let floors: Vec<f32> = self.forgiven.iter().map(floor).collect();
                self.support_above(&floors, forced, starts)?
            }
        };
        Ok(self.lead(phrase, &support))
    }

    /// Takes the log probabilities of `phrase` and of the rivals where nothing was said at all.
    pub(super) fn forgive(&mut self, phrase: f32, support: &[f32]) {
        for (forgiven, rival) in self.forgiven.iter_mut().zip(support) {
            *forgiven += (rival - phrase).clamp(0.0, MOST_FORGIVEN);
        }
    }

    /// How far a phrase of log probability `phrase` is ahead of the nearest of them.
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
