//! PURE. What she says without having been asked: when it may begin, and what it interrupts.
//!
//! Part of [`Flow`]. In: that something is to be said. Out: effects. What waits interrupts nobody; a danger interrupts
//! her own answer, and never somebody who speaks.

use super::super::signals::FlowEffect;
use super::{Flow, Opening, Phase, Progress, SILENT};

impl Flow {
    /// She speaks up by herself, but interrupts nobody.
    pub(super) fn announce(&mut self) -> Vec<FlowEffect> {
        if !self.is_idle() {
            return vec![];
        }
        let turn = self.next_turn();
        self.phase = Phase::Answering { turn, progress: Progress::Committed };
        vec![FlowEffect::Announce(turn)]
    }

    /// A danger is told at once, unless somebody speaks.
    pub(super) fn alarm(&mut self) -> Vec<FlowEffect> {
        let mut effects = match &self.phase {
            Phase::Answering { turn, .. } => {
                vec![FlowEffect::Cancel(*turn, "there is an alarm".into()), FlowEffect::Ears(SILENT)]
            }
            Phase::Listening { by: Opening::Window, .. } => vec![FlowEffect::Ears(SILENT)],
            Phase::Idle | Phase::Listening { .. } | Phase::Transcribing { .. } => vec![],
        };
        if !effects.is_empty() {
            self.phase = Phase::Idle;
        }
        effects.extend(self.announce());
        effects
    }
}
