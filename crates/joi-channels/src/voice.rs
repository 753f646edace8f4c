//! The voice channel: what is heard at an endpoint becomes a question, the answer becomes speech.
//!
//! One task runs [`Conversation::run`]. In: what `input` hears, what `output` reports, finished answers, announcements,
//! requests. Out: commands to all of them, and [`News`] for whoever shows what happens. What to do is decided by
//! [`flow`]; this file only does it. It refuses nothing: a stage that failed is reported, and the conversation goes on
//! with the others.

mod announcements;
mod answers;
mod config;
mod deliveries;
mod doubt;
mod effects;
mod endpoint;
pub mod first_look;
pub mod flow;
mod glance;
mod hearing;
mod hearing_rules;
mod input;
mod marks;
mod news;
mod observers;
mod opinions;
mod output;
mod recent_speech;
mod rehearsal;
mod reporter;
mod ring_volume;
mod second_look;
pub mod signals;
mod speak_up;
mod thinking;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

pub use announcements::Announcements;
pub use config::ConversationConfig;
pub use endpoint::{EndpointInput, EndpointOutput, Reach, Tones, VoiceEndpoint};
pub use hearing_rules::HearingRules;
pub use news::News;
pub use reporter::changed_volume;
pub use second_look::MoreReadings;

use super::turn;
use announcements::AnnouncementEnd;
use answers::{AnswerContext, Answers};
use flow::{Flow, FollowUps};
use input::{InputEvent, InputSide};
use joi_agent::model::ChatModel;
use joi_agent::{Ended, Engine};
use joi_base::clock::Clock;
use joi_base::message::{Activity, OutsideRequest, TurnId};
use joi_base::pulse::Heart;
use joi_hear::HearCommand;
use joi_schedule::announce::{Announcer, Floor};
use joi_speak::SpeakEvent;
use joi_store::Store;
use observers::Observers;
use output::OutputSide;
use reporter::SpeechOutput;
use signals::{After, FlowEffect, FlowInput};
use thinking::Thinking;

/// The parts of a conversation.
pub struct ConversationParts<M> {
    /// The place of the conversation.
    pub endpoint: VoiceEndpoint,
    /// Answers.
    pub engine: Arc<Engine<M>>,
    /// Keeps the records of turns.
    pub store: Option<Store>,
    /// Dates the records.
    pub clock: Arc<dyn Clock>,
    /// The rules of the conversation.
    pub config: ConversationConfig,
    /// The queue of announcements.
    pub announcer: Announcer,
    /// No ring is softer, in percent.
    pub least_ring_volume: u8,
    /// No alarm is softer, in percent.
    pub least_alarm_volume: u8,
    /// Receives the news. When full, the conversation waits.
    pub news: Sender<News>,
    /// Requests from outside.
    pub requests: Receiver<OutsideRequest>,
    /// Shows when it works.
    pub heart: Heart,
}

/// The conversation at one endpoint.
pub struct Conversation<M> {
    flow: Flow,
    input: InputSide,
    output: OutputSide,
    answers: Answers<M>,
    thinking: Thinking<M>,
    announcements: Announcements,
    observers: Observers,
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// A conversation that rests. Turn ids continue after `last_turn`.
    pub fn new(parts: ConversationParts<M>, last_turn: TurnId) -> Self {
        let VoiceEndpoint { place, input, output, reach, session } = parts.endpoint;
        let follow_ups = FollowUps {
            most: parts.config.most_follow_ups,
            delay: parts.config.delay(),
            to_nobody: input.to_her.judge.answers_to_nobody,
        };
        let languages = input.to_her.languages.clone();
        let output = OutputSide::new(output);
        let speech = SpeechOutput {
            mouth: output.mouth.clone(),
            player: output.player.clone(),
            news: parts.news.clone(),
            languages: languages.clone(),
        };
        let thinking = Thinking::new(
            Arc::clone(&parts.engine),
            Arc::clone(&session),
            parts.config.thinking(),
            output.mouth.clone(),
        );
        Self {
            flow: Flow::resting(last_turn, follow_ups, languages.clone()),
            input: InputSide::new(input),
            output,
            thinking,
            answers: Answers::new(AnswerContext {
                engine: parts.engine,
                store: parts.store,
                clock: parts.clock,
                speech,
                config: parts.config,
                session,
            }),
            announcements: Announcements::new(
                parts.announcer,
                languages,
                (place, reach),
                (parts.least_ring_volume, parts.least_alarm_volume),
            ),
            observers: Observers::new(parts.news, parts.requests, parts.heart),
        }
    }

    /// Talks until `stop`, or until a file that plays the microphone has ended and was answered.
    pub async fn run(mut self, stop: CancellationToken) {
        // Announcements that were not heard before the start.
        self.announcements_changed().await;
        while !(self.input.has_ended() && self.flow.is_idle()) {
            if self.input.has_ended() && self.flow.is_waiting_for_the_user() {
                self.step(FlowInput::NothingSaid).await;
                continue;
            }
            let (tone_at, ask_at) = (self.thinking.tone_at(), self.announcements.ask_at());
            // Every arm is cancel-safe: they only receive, or wait.
            tokio::select! {
                () = stop.cancelled() => break,
                event = self.input.next() => self.heard(event).await,
                event = self.output.next_report() => self.spoke(event).await,
                Some(done) = self.answers.next_done() => self.answered(done).await,
                request = self.observers.next_request() => match request {
                    OutsideRequest::Listen => self.asked().await,
                    OutsideRequest::Stop => self.step(FlowInput::Silenced).await,
                },
                () = until(tone_at) => self.still_thinking(),
                () = self.announcements.changed() => self.announcements_changed().await,
                () = until(ask_at) => self.speak_up().await,
            }
        }
        self.answers.cancel_all();
        self.input.command(HearCommand::Stop);
    }

    async fn heard(&mut self, event: InputEvent) {
        match event {
            InputEvent::Delivery(delivery) => self.delivered(delivery).await,
            InputEvent::ListenerEnded => {
                self.report(News::Deaf("the listener has ended; start joi again".into())).await;
                self.step(FlowInput::Deaf("the listener has ended")).await;
            }
            InputEvent::Transcribed(result) => self.transcribed(result).await,
            InputEvent::Interjected(result) => self.interjected(result).await,
            InputEvent::InterjectionBySound(opinion) => self.interjected_by_sound(opinion).await,
            InputEvent::AnswerBySound(opinion) => self.answered_by_sound(opinion).await,
            InputEvent::LookedAgain(judged) => self.looked(judged).await,
        }
    }

    async fn spoke(&mut self, event: SpeakEvent) {
        match event {
            SpeakEvent::Started { turn, taken, at } => {
                self.answers.sounds(turn, (taken, at));
                self.step(FlowInput::Speaking(turn)).await;
            }
            SpeakEvent::Saying { spoken, at, .. } => self.input.hearing.speech.begins(spoken, at),
            SpeakEvent::Heard { line, at } => {
                self.input.hearing.speech.ends(at);
                self.answers.heard(&line);
            }
            SpeakEvent::Done { turn, at } if self.announcements.is_turn(turn) => {
                let is_lost = self.output.is_speechless();
                let end = if is_lost { AnnouncementEnd::Unheard } else { AnnouncementEnd::Heard };
                let after = self.announcements.ended(end, at).await;
                if let Some(question) = self.announcements.take_question() {
                    self.answers.expect_yes(question);
                }
                self.step(FlowInput::TurnOver { turn, at, after }).await;
            }
            SpeakEvent::Done { turn, at } => {
                self.answers.spoken(turn, at);
                self.settle(turn).await;
            }
            SpeakEvent::Failed { error, .. } => self.report(News::Remark(error)).await,
            SpeakEvent::Voiceless(why) => {
                self.answers.lose_voice();
                self.report(News::Speechless(why)).await;
            }
            SpeakEvent::Mute(fault) => {
                self.announcements.set_heard(false);
                self.report(News::Speechless(fault.to_string())).await;
            }
            SpeakEvent::Audible { device } => {
                self.announcements.set_heard(true);
                self.report(News::Speaks(device)).await;
                self.speak_up().await;
            }
        }
    }

    async fn answered(&mut self, done: Result<(TurnId, turn::TurnEnd), JoinError>) {
        let Ok((turn, end)) = done else {
            // The panic hook has reported it; whatever was being answered is over.
            for turn in self.answers.give_up() {
                let at = Instant::now();
                self.step(FlowInput::TurnOver { turn, at, after: After::Rest }).await;
            }
            return;
        };
        if end.outcome.ended == Ended::Quick {
            self.step(FlowInput::Acted(turn)).await;
        }
        self.answers.done(turn, end);
        self.settle(turn).await;
    }

    async fn settle(&mut self, turn: TurnId) {
        let over = self.answers.over(turn);
        if let Some(record) = self.answers.close(turn).await {
            self.report(News::Turn(Box::new(record))).await;
        }
        if let Some((at, after)) = over {
            self.step(FlowInput::TurnOver { turn, at, after }).await;
        }
    }

    /// Passes an input to the flow and carries out its effects; then makes the announcement that is due.
    async fn step(&mut self, input: FlowInput) {
        let effects = self.flow.on(input);
        self.carry_out(effects).await;
        self.speak_up().await;
    }

    /// Makes the next announcement or ring, if the flow allows it now.
    async fn speak_up(&mut self) {
        let floor = if self.output.is_speechless() { Floor::Speechless } else { self.flow.floor() };
        if self.announcements.is_next(floor).await {
            let is_alarm = self.announcements.is_alarm_next();
            let input = if is_alarm { FlowInput::Alarming } else { FlowInput::Announcing };
            let effects = self.flow.on(input);
            self.carry_out(effects).await;
        }
        self.show_state().await;
    }

    async fn carry_out(&mut self, effects: Vec<FlowEffect>) {
        let _working = self.observers.work();
        for effect in effects {
            self.apply(effect).await;
        }
    }

    async fn show_state(&mut self) {
        if self.flow.is_waiting_for_the_user() {
            self.input.release();
        }
        let activity = self.flow.activity();
        if activity != Activity::Thinking {
            self.thinking.end();
        }
        self.observers.show(activity).await;
    }

    async fn report(&self, news: News) {
        self.observers.report(news).await;
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
