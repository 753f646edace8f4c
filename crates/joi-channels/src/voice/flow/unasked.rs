//! Decides when an unasked announcement may begin, and what it interrupts.
//!
//! Part of [`Flow`]. In: that something is to be said. Out: effects. What waits interrupts nobody; a danger interrupts
//! the answer and the listening. Whether somebody speaks then is known to whoever asked for the [`Floor`].
//! Pure: no I/O, no clock.

use super::super::signals::FlowEffect;
use super::{Advance, Flow, Opening, Phase, Progress, SILENT, drop_all};
use joi_hear::HearCommand;
use joi_schedule::announce::Floor;

/// The reason when a danger is announced.
const ALARM: &str = "there is an alarm";

impl Flow {
    /// Who has the floor?
    pub fn floor(&self) -> Floor {
        match &self.phase {
            Phase::Idle => Floor::Free,
            Phase::Listening { by: Opening::Window, advance: Advance::Unspoken, .. } => Floor::FollowUp,
            Phase::Listening { since, advance: Advance::Unspoken, .. } => Floor::Called { since: *since },
            Phase::Listening { since, .. } => Floor::User { since: *since },
            Phase::Transcribing { .. } => Floor::Heard,
            Phase::Answering { .. } => Floor::Answer,
        }
    }

    /// Joi speaks up by itself, but interrupts nobody.
    pub(super) fn announce(&mut self) -> Vec<FlowEffect> {
        if !self.is_idle() {
            return vec![];
        }
        let turn = self.next_turn();
        self.phase = Phase::Answering { turn, progress: Progress::Committed };
        vec![FlowEffect::Announce(turn)]
    }

    /// A danger is announced at once. Words that were not answered are not answered any more, and those that are being said
    /// are not listened to.
    pub(super) fn alarm(&mut self) -> Vec<FlowEffect> {
        let mut effects = match &self.phase {
            Phase::Answering { turn, .. } => vec![FlowEffect::Cancel(*turn, ALARM.into())],
            Phase::Listening { advance: Advance::Unspoken, .. } => {
                vec![FlowEffect::Ears(HearCommand::Cancel)]
            }
            Phase::Listening { advance, .. } => {
                let decoded = advance.generation();
                let drop = decoded.map(|of| FlowEffect::DropDecode { generation: of + 1, revision: 0 });
                let given_up = FlowEffect::GiveUp(self.next_turn(), ALARM);
                drop.into_iter().chain([FlowEffect::Ears(HearCommand::Cancel), given_up]).collect()
            }
            Phase::Transcribing { utterance, .. } => {
                vec![drop_all(utterance), FlowEffect::Ears(HearCommand::Cancel)]
            }
            Phase::Idle => vec![],
        };
        if !effects.is_empty() {
            effects.push(FlowEffect::Ears(SILENT));
        }
        self.phase = Phase::Idle;
        effects.extend(self.announce());
        effects
    }
}
