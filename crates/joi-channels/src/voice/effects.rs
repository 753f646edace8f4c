//! What the conversation does: carries out the flow's effects, one after the other.
//!
//! Owned by the conversation's task. In: [`FlowEffect`]s. Out: commands to the input and the output side, answers begun
//! and cancelled, and [`News`]. It decides nothing.

use std::time::Instant;

use super::announcements::AnnouncementEnd;
use super::output::TONE_RATE;
use super::signals::{FlowEffect, Judged, SpokenQuestion, TOLD, Why};
use super::{Conversation, News, marks};
use joi_agent::model::ChatModel;
use joi_audio::tone;
use joi_base::message::{Private, TurnId};
use joi_base::trace::Decision;
use joi_hear::HearCommand;
use joi_hear::judge::JudgeVerdict;
use joi_hear::whisper::SttJob;

impl<M: ChatModel + 'static> Conversation<M> {
    pub(super) async fn apply(&mut self, effect: FlowEffect) {
        match effect {
            FlowEffect::AcknowledgeTone => self.output.tone(tone::acknowledge(TONE_RATE)),
            FlowEffect::ErrorTone => self.output.tone(tone::error(TONE_RATE)),
            FlowEffect::Cancel(turn, why) => self.cancel(turn, why).await,
            FlowEffect::Duck => self.output.duck(),
            FlowEffect::Unduck => drop(self.output.unduck()),
            FlowEffect::Decode(utterance, urgency) => {
                self.input.hearing.decode(SttJob { utterance, urgency })
            }
            FlowEffect::DropDecode { generation, revision } => {
                self.thinking.forget_words();
                self.input.hearing.drop_before(generation, revision);
            }
            FlowEffect::Rehearse(judged) => self.answers.rehearse(&judged),
            FlowEffect::ReadAhead(judged) => self.read_words(&judged),
            FlowEffect::Answer(question) => self.answer(*question).await,
            FlowEffect::Dismiss(turn, judged) => {
                self.thinking.forget_words();
                self.dismiss(turn, marks::decisions(&judged)).await;
            }
            FlowEffect::GiveUp(turn, why) => {
                self.thinking.forget_words();
                self.dismiss(turn, vec![Decision::new("flow", "given up", why)]).await;
            }
            FlowEffect::Announce(turn) => self.announce(turn).await,
            FlowEffect::Ears(HearCommand::Expect(outlook)) => {
                let outlook = outlook.over_playback(self.output.is_echo_cancelled());
                self.input.command(HearCommand::Expect(outlook));
            }
            FlowEffect::Ears(command) => {
                self.input.command(command);
                if matches!(command, HearCommand::FollowUp(_)) {
                    self.thinking.read_ahead();
                }
            }
            FlowEffect::Rest(why) => self.report(News::Rests(why)).await,
        }
    }

    /// Puts on record that something was heard and is not answered.
    async fn dismiss(&mut self, turn: TurnId, decisions: Vec<Decision>) {
        let record = self.answers.dismissal(turn, decisions);
        self.answers.save(&record).await;
        self.report(News::Dismissed(Box::new(record))).await;
    }

    async fn cancel(&mut self, turn: TurnId, mut why: Why) {
        let ducked = self.output.unduck();
        if let Some(word) = &mut why.word {
            word.ducked = ducked;
        }
        let end = match (why.reason == TOLD, &why.word) {
            (true, _) => AnnouncementEnd::Stopped,
            (false, Some(_)) => AnnouncementEnd::TalkedOver,
            (false, None) => AnnouncementEnd::CutShort,
        };
        self.answers.cancel(turn, why);
        self.input.hearing.speech.ends(Instant::now());
        self.announcement_cancelled(turn, end).await;
        if let Some(record) = self.answers.close(turn).await {
            self.report(News::Turn(Box::new(record))).await;
        }
    }

    async fn answer(&mut self, question: SpokenQuestion) {
        self.report(News::Understood(Private(question.text.clone()))).await;
        let ahead = self.thinking.begin(question.decided, &question.text);
        self.answers.begin(&question, ahead);
    }

    /// The model reads what it will be asked, if that is for it.
    pub(super) fn read_words(&mut self, judged: &Judged) {
        let (JudgeVerdict::Addressed(text) | JudgeVerdict::FollowUp(text)) = &judged.judgement.verdict else {
            return;
        };
        let heard = judged.transcript.language.as_deref();
        let heard = heard.map(|heard| self.input.hearing.ears.languages.heard(Some(heard)).to_code());
        self.thinking.read_words(text, heard);
    }

    pub(super) fn still_thinking(&mut self) {
        self.output.tone(tone::thinking(TONE_RATE));
        self.thinking.goes_on();
    }
}
