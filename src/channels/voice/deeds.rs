//! What the conversation does: carries out the flow's effects, one after the other.
//!
//! Owned by the conversation's task. In: [`Effect`]s. Out: commands to ears, mouth and player, answers begun and
//! cancelled, and [`News`]. It decides nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::signals::{Effect, Question, Why};
use super::{Conversation, News, Tones, answers};
use crate::audio::{Duck, tone};
use crate::hear::HearCommand;
use crate::hear::whisper::SttJob;
use crate::message::TurnId;
use crate::message::{Channel, Private};
use crate::reply::model::ChatModel;

/// The rate of the tones, in Hz; the player converts them.
pub(super) const TONE_RATE: u32 = 48_000;
/// Tags of tones: no speech has them, so nobody waits for their end.
pub(super) const TONE_TAG: u64 = u64::MAX;
/// While she thinks on, a tone says so again and again.
const STILL_THINKING: Duration = Duration::from_secs(6);

impl<M: ChatModel + 'static> Conversation<M> {
    pub(super) async fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::AcknowledgeTone => self.tone(tone::acknowledge(TONE_RATE)),
            Effect::ErrorTone => self.tone(tone::error(TONE_RATE)),
            Effect::Cancel(turn, why) => self.cancel(turn, why).await,
            // Where her own voice is not kept out, it is most likely she who was heard.
            Effect::Duck if !self.hears_past_herself() => {}
            Effect::Duck => {
                self.player.duck(Duck::Ducked);
                self.ducked = Some(Instant::now());
            }
            Effect::Unduck => {
                self.player.duck(Duck::Full);
                self.ducked = None;
            }
            Effect::Decode(utterance, urgency) => self.hearing.decode(SttJob { utterance, urgency }),
            Effect::DropDecode { generation, revision } => self.hearing.drop_before(generation, revision),
            Effect::Answer(question) => self.answer(*question).await,
            Effect::Dismiss(turn, judged) => {
                let record = self.answers.dismissal(turn, answers::decisions(&judged));
                self.answers.save(&record).await;
                self.tell(News::Dismissed(Box::new(record))).await;
            }
            Effect::Announce(turn) => self.announce(turn).await,
            Effect::Ears(command) => {
                self.command(command);
                if matches!(command, HearCommand::FollowUp(_)) {
                    self.read_ahead();
                }
            }
            Effect::Rest(why) => self.tell(News::Rests(why)).await,
        }
    }

    pub(super) fn hears_past_herself(&self) -> bool {
        self.echo.as_ref().is_some_and(|echo| echo.report().converged)
    }

    async fn cancel(&mut self, turn: TurnId, mut why: Why) {
        let ducked = self.ducked.take();
        if let Some(word) = &mut why.word {
            word.ducked = ducked;
        }
        self.answers.cancel(turn, why);
        self.player.duck(Duck::Full);
        self.hearing.said.ends(Instant::now());
        self.announcing = None;
        if self.ringing.is_turn(turn) {
            self.answer_ring();
        }
        if let Some(record) = self.answers.close(turn).await {
            self.tell(News::Turn(Box::new(record))).await;
        }
    }

    async fn answer(&mut self, question: Question) {
        self.tell(News::Understood(Private(question.text.clone()))).await;
        if let Some(ahead) = self.ahead.take() {
            ahead.abort();
        }
        self.think_at = self.thinking.map(|after| question.decided + after);
        self.answers.begin(&question);
    }

    /// While the user still speaks, the model reads what it knows already.
    pub(super) fn read_ahead(&mut self) {
        let engine = Arc::clone(&self.engine);
        let task = tokio::spawn(async move {
            if let Err(error) = engine.read_ahead(Channel::Voice).await {
                tracing::debug!(%error, "the model could not read ahead");
            }
        });
        if let Some(earlier) = self.ahead.replace(task) {
            earlier.abort();
        }
    }

    pub(super) fn still_thinking(&mut self) {
        self.tone(tone::thinking(TONE_RATE));
        self.think_at = Some(Instant::now() + STILL_THINKING);
    }

    pub(super) fn tone(&self, samples: Vec<f32>) {
        if self.tones == Tones::On && self.player.play_now(TONE_TAG, TONE_RATE, samples).is_err() {
            tracing::debug!("a tone was not played");
        }
    }

    pub(super) fn command(&self, command: HearCommand) {
        if self.commands.try_send(command).is_err() {
            tracing::debug!(?command, "the listener took no command");
        }
    }

    pub(super) async fn tell(&self, news: News) {
        // Nobody looks any more: the conversation goes on all the same.
        let _ = self.news.send(news).await;
    }
}
