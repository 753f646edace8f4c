//! The voice channel: what is heard becomes a question, the answer becomes speech.
//!
//! One task runs [`Conversation::run`]. In: the listener's events, whisper's transcripts, the mouth's
//! reports. Out: commands to all of them, and [`News`] for whoever shows what happens. What to do is
//! decided by [`flow`]; this file only does it. It refuses nothing: a stage that failed is told, and
//! the conversation goes on with the others.

mod announce;
mod answers;
mod config;
mod deeds;
pub mod flow;
mod hearing;
mod news;
mod opinions;
mod ringing;
mod said;
mod second_look;
pub mod signals;
mod teller;

use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use config::ConversationConfig;
pub use hearing::Ears;
pub use news::News;
pub use ringing::Ringing;

use super::turn;
use crate::audio::{EchoMeter, Player};
use crate::clock::Clock;
use crate::hear::score::Opinion;
use crate::hear::whisper::{Stt, SttEvent};
use crate::hear::{Ack, Delivery, HearCommand};
use crate::message::{Activity, Request, TurnId};
use crate::pulse::Heart;
use crate::reply::model::ChatModel;
use crate::reply::{Ended, Engine};
use crate::speak::{Mouth, SpeakEvent};
use crate::store::Store;
use announce::Announcer;
use answers::{Answers, Desk};
use flow::{Flow, FollowUps};
use hearing::Hearing;
use signals::Input;
use teller::Stage;

/// What the conversation is made of.
pub struct Parts<M> {
    /// Answers.
    pub engine: Arc<Engine<M>>,
    /// Keeps the records of turns.
    pub store: Option<Store>,
    /// Tells the date of a record.
    pub clock: Arc<dyn Clock>,
    /// Plays tones.
    pub player: Player,
    /// Speaks, and its reports. Without a voice the answer is shown only.
    pub mouth: Option<(Mouth, Receiver<SpeakEvent>)>,
    /// Transcribes what is said to her, and its results.
    pub stt: (Stt, Receiver<SttEvent>),
    /// Transcribes what is said while she speaks, and its results: a thread of its own, so that "stop"
    /// waits for nothing.
    pub interjections: (Stt, Receiver<SttEvent>),
    /// The listener's commands and events.
    pub ears: (SyncSender<HearCommand>, Receiver<Delivery>),
    /// How she talks with people.
    pub config: ConversationConfig,
    /// What counts as said to her.
    pub to_her: Ears,
    /// How well her own voice is kept out of her ears; nothing when it is not.
    pub echo: Option<EchoMeter>,
    /// Whether tones are played.
    pub tones: Tones,
    /// What rings.
    pub ringing: Ringing,
    /// Told what happens. When full, the conversation waits.
    pub news: Sender<News>,
    /// What others ask of it.
    pub requests: Receiver<Request>,
    /// Shows when it works.
    pub heart: Heart,
}

/// Whether the wake word and errors are acknowledged by a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tones {
    /// They are.
    On,
    /// They are not.
    Off,
}

/// The conversation by voice.
pub struct Conversation<M> {
    flow: Flow,
    answers: Answers<M>,
    hearing: Hearing,
    announcer: Announcer,
    /// To be said as soon as nobody is speaking.
    pending: Option<&'static str>,
    ringing: Ringing,
    /// The turn in which something is announced.
    announcing: Option<TurnId>,
    engine: Arc<Engine<M>>,
    clock: Arc<dyn Clock>,
    player: Player,
    mouth: Option<Mouth>,
    reports: Option<Receiver<SpeakEvent>>,
    transcripts: Receiver<SttEvent>,
    interjections: Receiver<SttEvent>,
    /// What the sound of interjections says, and that of short answers.
    opinions: (Receiver<Opinion>, Receiver<Opinion>),
    commands: SyncSender<HearCommand>,
    deliveries: Receiver<Delivery>,
    thinking: Option<Duration>,
    /// When a tone is to say that she thinks.
    think_at: Option<Instant>,
    /// Since when she speaks softer because somebody seems to talk over her.
    ducked: Option<Instant>,
    echo: Option<EchoMeter>,
    tones: Tones,
    news: Sender<News>,
    requests: Receiver<Request>,
    heart: Heart,
    activity: Activity,
    ack: Option<Ack>,
    ahead: Option<JoinHandle<()>>,
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// A conversation that rests. Turn ids continue after `last_turn`.
    pub fn new(parts: Parts<M>, last_turn: TurnId) -> Self {
        let follow_ups = FollowUps {
            most: parts.config.most_follow_ups,
            delay: parts.config.delay(),
            to_nobody: parts.to_her.judge.answers_to_nobody,
        };
        let (hearing, opinions) = Hearing::new(parts.stt.0, parts.interjections.0, parts.to_her);
        let (mouth, reports) = parts.mouth.unzip();
        let stage = Stage { mouth: mouth.clone(), player: parts.player.clone(), news: parts.news.clone() };
        let thinking = parts.config.thinking();
        let answers = Answers::new(Desk {
            engine: Arc::clone(&parts.engine),
            store: parts.store,
            clock: Arc::clone(&parts.clock),
            stage,
            config: parts.config,
        });
        Self {
            flow: Flow::resting(last_turn, follow_ups),
            answers,
            hearing,
            opinions,
            announcer: Announcer::default(),
            pending: None,
            ringing: parts.ringing,
            announcing: None,
            ducked: None,
            engine: parts.engine,
            clock: parts.clock,
            player: parts.player,
            mouth,
            reports,
            transcripts: parts.stt.1,
            interjections: parts.interjections.1,
            commands: parts.ears.0,
            deliveries: parts.ears.1,
            thinking,
            think_at: None,
            echo: parts.echo,
            tones: parts.tones,
            news: parts.news,
            requests: parts.requests,
            heart: parts.heart,
            activity: Activity::Idle,
            ack: None,
            ahead: None,
        }
    }

    /// Talks until `stop`, or until a file that plays the microphone has ended and was answered.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut source_ended = false;
        while !(source_ended && self.flow.is_idle()) {
            let ring_due = self.ringing.due();
            // Every arm is cancel-safe: they only receive, or wait.
            tokio::select! {
                () = stop.cancelled() => break,
                delivery = self.deliveries.recv(), if !source_ended => match delivery {
                    Some(delivery) => source_ended = self.hear(delivery).await,
                    None => {
                        self.tell(News::Deaf("the listener has ended; start joi again".into())).await;
                        self.step(Input::Deaf("the listener has ended")).await;
                        source_ended = true;
                    }
                },
                Some(result) = self.transcripts.recv() => self.transcribed(result).await,
                Some(result) = self.interjections.recv() => self.interjected(result).await,
                Some(opinion) = self.opinions.0.recv() => self.cried(opinion).await,
                Some(opinion) = self.opinions.1.recv() => self.answered_by_sound(opinion).await,
                judged = self.hearing.looked() => self.looked(judged).await,
                Some(event) = next_event(&mut self.reports) => self.spoke(event).await,
                Some(done) = self.answers.next_done() => self.answered(done).await,
                Some(Request::Listen) = self.requests.recv() => self.asked().await,
                () = until(self.think_at) => self.still_thinking(),
                alert = self.ringing.alert() => self.alerted(alert).await,
                () = until(ring_due), if self.flow.is_idle() => self.speak_up().await,
            }
        }
        self.answers.cancel_all();
        self.command(HearCommand::Stop);
    }

    async fn spoke(&mut self, event: SpeakEvent) {
        match event {
            SpeakEvent::Started { turn, at } => {
                self.answers.sounds(turn, at);
                self.step(Input::Speaking(turn)).await;
            }
            SpeakEvent::Saying { spoken, at, .. } => self.hearing.said.begins(spoken, at),
            SpeakEvent::Heard { line, at } => {
                self.hearing.said.ends(at);
                self.answers.heard(&line);
            }
            SpeakEvent::Done { turn, at } if self.announcing == Some(turn) => {
                self.announcing = None;
                let after = if self.ringing.is_turn(turn) {
                    self.ringing.rang(at, true)
                } else {
                    signals::After::Rest
                };
                self.step(Input::TurnOver { turn, at, after }).await;
            }
            SpeakEvent::Done { turn, at } => {
                self.answers.spoken(turn, at);
                self.settle(turn).await;
            }
            SpeakEvent::Failed { error, .. } => self.tell(News::Remark(error)).await,
            SpeakEvent::Mute(fault) => self.tell(News::Speechless(fault.to_string())).await,
            SpeakEvent::Audible { device } => self.tell(News::Speaks(device)).await,
        }
    }

    async fn answered(&mut self, done: Result<(TurnId, turn::TurnEnd), tokio::task::JoinError>) {
        let Ok((turn, end)) = done else {
            // The panic hook has reported it; whatever was being answered is over.
            for turn in self.answers.give_up() {
                let at = Instant::now();
                self.step(Input::TurnOver { turn, at, after: signals::After::Rest }).await;
            }
            return;
        };
        if end.outcome.ended == Ended::Quick {
            self.step(Input::Acted(turn)).await;
        }
        self.answers.done(turn, end);
        self.settle(turn).await;
    }

    async fn settle(&mut self, turn: TurnId) {
        let over = self.answers.over(turn);
        if let Some(record) = self.answers.close(turn).await {
            self.tell(News::Turn(Box::new(record))).await;
        }
        if let Some((at, after)) = over {
            self.step(Input::TurnOver { turn, at, after }).await;
        }
    }

    /// Lets the flow decide, and does it; then says what has been waiting for silence.
    async fn step(&mut self, input: Input) {
        let _working = self.heart.work();
        let mut effects = self.flow.on(input);
        if self.flow.is_idle() && self.has_something_to_say() {
            effects.extend(self.flow.on(Input::Announcing));
        }
        for effect in effects {
            self.apply(effect).await;
        }
        if self.flow.is_waiting_for_the_user() {
            self.ack = None;
        }
        let activity = self.flow.activity();
        if activity != Activity::Thinking {
            self.think_at = None;
        }
        if std::mem::replace(&mut self.activity, activity) != activity {
            self.tell(News::Activity(activity)).await;
        }
    }
}

async fn next_event(reports: &mut Option<Receiver<SpeakEvent>>) -> Option<SpeakEvent> {
    match reports {
        Some(events) => events.recv().await,
        None => std::future::pending().await,
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
