//! Speaks up: says and rings what was announced, when nobody else speaks.
//!
//! Owned by the conversation's task. In: what [`super::announcements`] hands out. Out: a tone and a line, again and
//! again while something rings, until somebody answers: with "stop", with the wake phrase, or from outside. After each
//! ring the microphone is open for a moment.

use std::time::Instant;

use super::Conversation;
use super::announcements::AnnouncementEnd;
use super::signals::{After, FlowInput};
use joi_agent::model::ChatModel;
use joi_base::message::TurnId;
use joi_schedule::announce::AnnouncementPriority;

impl<M: ChatModel + 'static> Conversation<M> {
    /// Shows what waits from here on, and ends what was withdrawn.
    pub(super) async fn announcements_changed(&mut self) {
        for news in self.announcements.unshown() {
            self.report(news).await;
        }
        if !self.announcements.rings() {
            self.announcements.restore_volume(&self.output.player);
        }
        if let Some(turn) = self.announcements.withdrawn() {
            self.output.hush();
            self.step(FlowInput::TurnOver { turn, at: Instant::now(), after: After::Rest }).await;
        }
        self.speak_up().await;
    }

    /// Says it, with the tone before it if it rings.
    pub(super) async fn announce(&mut self, turn: TurnId) {
        let Some((text, priority)) = self.announcements.begin(turn) else {
            let (at, after) = (Instant::now(), After::Rest);
            return Box::pin(self.step(FlowInput::TurnOver { turn, at, after })).await;
        };
        if priority == AnnouncementPriority::Ring || self.announcements.is_alarm(turn) {
            self.ring(turn).await;
        }
        if !self.output.say(turn, text.0, self.announcements.spoken_in()).await {
            let at = Instant::now();
            let after = self.announcements.ended(AnnouncementEnd::Voiceless, at).await;
            Box::pin(self.step(FlowInput::TurnOver { turn, at, after })).await;
        }
    }

    /// The tone of a ring; from here on "stop" is heard.
    async fn ring(&mut self, turn: TurnId) {
        self.announcements.raise_volume(&self.output.player);
        self.output.ring();
        Box::pin(self.step(FlowInput::Speaking(turn))).await;
    }

    /// The turn in which something was announced is cut short: by "stop", or by the wake phrase.
    pub(super) async fn announcement_cancelled(&mut self, turn: TurnId, end: AnnouncementEnd) {
        if self.announcements.is_alarm(turn) && end == AnnouncementEnd::Stopped {
            self.announcements.silence_alarms(&self.output.player);
        } else if self.announcements.is_ring(turn) {
            self.answer_ring();
        } else if self.announcements.is_turn(turn) {
            self.announcements.ended(end, Instant::now()).await;
        }
    }

    /// Somebody called, or pushed to talk.
    pub(super) fn called(&mut self, at: Instant) {
        self.answer_ring();
        self.announcements.called(at);
        self.thinking.read_ahead();
    }

    /// Somebody has answered what rings, if anything does.
    pub(super) fn answer_ring(&mut self) {
        if self.announcements.silence(&self.output.player) {
            self.thinking.silence_timers();
        }
    }
}
