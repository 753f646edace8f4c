//! The probabilities of the next token, from the logits of the decoder. Pure: no I/O, no clock.

/// The probabilities of the next token.
#[derive(Debug, Clone, PartialEq)]
pub struct LogProbRow {
    /// Natural logs, but for a constant.
    pub(super) logits: Vec<f32>,
    /// That constant.
    norm: f32,
}

impl LogProbRow {
    /// Creates the row from the logits of all tokens.
    pub(super) fn new(logits: Vec<f32>) -> Self {
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let all: f64 = logits.iter().map(|logit| f64::from((logit - highest).exp())).sum();
        Self { logits, norm: highest + all.ln() as f32 }
    }

    /// Returns the natural log of the probability of a token; minus infinity for a number that no token has.
    pub(crate) fn log_prob(&self, token: i32) -> f32 {
        let at = usize::try_from(token).ok().and_then(|at| self.logits.get(at));
        at.map_or(f32::NEG_INFINITY, |logit| logit - self.norm)
    }

    /// Returns the natural log of the probability that none of the tokens that `goes_on` marks comes next.
    pub(super) fn log_prob_of_none(&self, goes_on: &[bool]) -> f32 {
        let marked = self.logits.iter().zip(goes_on).filter(|(_, goes_on)| **goes_on);
        let some: f64 = marked.map(|(logit, _)| f64::from((logit - self.norm).exp())).sum();
        (1.0 - some).max(1e-6).ln() as f32
    }
}
