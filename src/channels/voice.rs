//! The voice channel: what is heard becomes a question, the answer becomes speech.
//!
//! One task runs [`Conversation::run`]. In: the listener's events, whisper's transcripts, the mouth's
//! reports. Out: commands to all of them, and [`News`] for whoever shows what happens. What to do is
//! decided by [`flow`]; this file only does it. It refuses nothing: a stage that failed is told, and
//! the conversation goes on with the others.

mod activity;
pub mod flow;
mod news;
mod teller;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::turn::{self, TurnEnd};
use crate::audio::{Player, tone};
use crate::clock::Clock;
use crate::hear::wake::strip_phrase;
use crate::hear::whisper::{Stt, SttEvent, SttJob};
use crate::hear::{Ack, Delivery, HearCommand, HearEvent};
use crate::message::{Activity, Channel, Private, Request, TurnId};
use crate::pulse::Heart;
use crate::reply::model::ChatModel;
use crate::reply::{Engine, TurnInput};
use crate::speak::{Mouth, SpeakEvent};
use crate::store::Store;
use crate::trace::{Decision, Stage, Trace};
use flow::{Effect, Flow, Input, Question};
use teller::Spoken;

pub use news::News;

/// The rate of the tones, in Hz; the player converts them.
const TONE_RATE: u32 = 48_000;
/// Tags of tones: no speech has them, so nobody waits for their end.
const TONE_TAG: u64 = u64::MAX;

/// What the conversation is made of.
pub struct Parts<M> {
    /// Answers.
    pub engine: Arc<Engine<M>>,
    /// Keeps the records of turns.
    pub store: Option<Store>,
    /// Tells the date of a record.
    pub clock: Arc<dyn Clock>,
    /// The wake phrases, to be taken off the beginning of a transcript.
    pub phrases: Vec<String>,
    /// Plays tones.
    pub player: Player,
    /// Speaks, and its reports. Without a voice the answer is shown only.
    pub mouth: Option<(Mouth, Receiver<SpeakEvent>)>,
    /// Transcribes, and its results.
    pub stt: (Stt, Receiver<SttEvent>),
    /// The listener's commands and events.
    pub ears: (SyncSender<HearCommand>, Receiver<Delivery>),
    /// Whether tones are played.
    pub tones: Tones,
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

/// A turn between its last word and its last sample.
struct Running {
    cancel: CancellationToken,
    /// Set when the first sample sounds.
    first_sample: Option<Instant>,
    /// Set when the last sample has sounded.
    spoken: Option<Instant>,
    /// Set when the reply engine is done.
    end: Option<TurnEnd>,
}

/// The conversation by voice.
pub struct Conversation<M> {
    parts: Parts<M>,
    flow: Flow,
    running: HashMap<TurnId, Running>,
    answers: JoinSet<(TurnId, TurnEnd)>,
    ack: Option<Ack>,
    ahead: Option<JoinHandle<()>>,
    shown: Activity,
}

impl<M: ChatModel + 'static> Conversation<M> {
    /// A conversation that rests. Turn ids continue after `last_turn`.
    pub fn new(parts: Parts<M>, last_turn: TurnId) -> Self {
        let flow = Flow::resting(last_turn);
        let shown = Activity::Idle;
        Self { parts, flow, running: HashMap::new(), answers: JoinSet::new(), ack: None, ahead: None, shown }
    }

    /// Talks until `stop`, or until a file that plays the microphone has ended and was answered.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut source_ended = false;
        loop {
            if source_ended && self.flow.is_idle() {
                break;
            }
            // Every arm is cancel-safe: they only receive.
            tokio::select! {
                () = stop.cancelled() => break,
                delivery = self.parts.ears.1.recv(), if !source_ended => match delivery {
                    Some(delivery) => source_ended = self.hear(delivery).await,
                    None => {
                        self.tell(News::Deaf("the listener has ended; start joi again".into())).await;
                        self.step(Input::NothingSaid).await;
                        source_ended = true;
                    }
                },
                Some(result) = self.parts.stt.1.recv() => self.transcribed(result).await,
                Some(event) = next_event(&mut self.parts.mouth) => self.spoke(event).await,
                Some(done) = self.answers.join_next() => self.answered(done).await,
                Some(Request::Listen) = self.parts.requests.recv() => self.step(Input::Requested).await,
            }
        }
        for running in self.running.values() {
            running.cancel.cancel();
        }
        if let Some((mouth, _)) = &self.parts.mouth {
            mouth.stop();
        }
        self.command(HearCommand::Stop);
    }

    /// Takes in a listener's event; tells whether it was the last one.
    async fn hear(&mut self, delivery: Delivery) -> bool {
        let _working = self.parts.heart.work();
        // A newer event says that the conversation has caught up with the older one.
        self.ack = delivery.ack;
        match delivery.event {
            HearEvent::Wake { phrase, score, at, .. } => {
                self.tell(News::Woke(phrase.clone())).await;
                self.read_ahead();
                self.step(Input::Wake { phrase, score, at }).await;
            }
            HearEvent::Started { .. } => {}
            HearEvent::Paused { utterance } => self.step(Input::Paused(utterance)).await,
            HearEvent::Resumed { generation, revision } => {
                self.step(Input::Resumed { generation, revision }).await;
            }
            HearEvent::Ended { utterance, decided, .. } => {
                self.step(Input::Ended { utterance, decided }).await;
            }
            HearEvent::NothingSaid => self.step(Input::NothingSaid).await,
            HearEvent::Deaf { fault } => {
                self.step(Input::NothingSaid).await;
                self.tell(News::Deaf(fault)).await;
            }
            HearEvent::Hearing { device } => self.tell(News::Hears(device)).await,
            HearEvent::SourceEnded => {
                self.step(Input::NothingSaid).await;
                return true;
            }
        }
        false
    }

    async fn transcribed(&mut self, event: SttEvent) {
        let _working = self.parts.heart.work();
        let phrases = &self.parts.phrases;
        let result = match event.result {
            Ok(mut transcript) => {
                transcript.text = strip_phrase(&transcript.text, phrases).to_owned();
                Ok(transcript)
            }
            Err(error) => {
                tracing::warn!(%error, "an utterance could not be transcribed");
                self.tell(News::Remark(error.to_string())).await;
                Err(error.to_string())
            }
        };
        let at = Instant::now();
        let (generation, revision) = (event.generation, event.revision);
        self.step(Input::Transcribed { result, generation, revision, at }).await;
    }

    async fn spoke(&mut self, event: SpeakEvent) {
        let _working = self.parts.heart.work();
        match event {
            SpeakEvent::Started { turn, at } => {
                if let Some(running) = self.running.get_mut(&turn) {
                    running.first_sample.get_or_insert(at);
                }
                self.step(Input::Speaking(turn)).await;
            }
            SpeakEvent::Done { turn, at } => {
                if let Some(running) = self.running.get_mut(&turn) {
                    running.spoken = Some(at);
                }
                self.settle(turn).await;
            }
            SpeakEvent::Heard { .. } => {}
            SpeakEvent::Failed { error, .. } => self.tell(News::Remark(error)).await,
            SpeakEvent::Mute(fault) => self.tell(News::Speechless(fault.to_string())).await,
            SpeakEvent::Audible { device } => self.tell(News::Speaks(device)).await,
        }
    }

    async fn answered(&mut self, done: Result<(TurnId, TurnEnd), tokio::task::JoinError>) {
        let _working = self.parts.heart.work();
        let Ok((turn, end)) = done else {
            // The panic hook has reported it; whatever was being answered is over.
            let open: Vec<_> = self.running.drain().map(|(turn, _)| turn).collect();
            for turn in open {
                self.step(Input::TurnOver(turn)).await;
            }
            return;
        };
        if let Some(running) = self.running.get_mut(&turn) {
            running.end = Some(end);
            if self.parts.mouth.is_none() {
                running.spoken = Some(Instant::now());
            }
        }
        self.settle(turn).await;
    }

    async fn settle(&mut self, turn: TurnId) {
        if self.close(turn).await {
            self.step(Input::TurnOver(turn)).await;
        }
    }

    /// Records a turn whose answer is complete and was spoken, or was cancelled; tells whether it is.
    async fn close(&mut self, turn: TurnId) -> bool {
        let is_over = self.running.get(&turn).is_some_and(|running| {
            running.end.is_some() && (running.spoken.is_some() || running.cancel.is_cancelled())
        });
        if !is_over {
            return false;
        }
        let Some(Running { first_sample, spoken, end: Some(mut end), .. }) = self.running.remove(&turn)
        else {
            return false;
        };
        if let Some(at) = first_sample {
            end.trace.mark(Stage::FirstSample, at);
        }
        end.trace.mark(Stage::End, spoken.unwrap_or_else(Instant::now));
        let record = end.record(turn, Channel::Voice, &*self.parts.clock);
        if let Some(store) = &self.parts.store
            && let Err(error) = store.save_turn(&record).await
        {
            tracing::warn!(%error, "the turn's record was not stored");
        }
        self.tell(News::Turn(Box::new(record))).await;
        true
    }

    /// Lets the flow decide, and does it.
    async fn step(&mut self, input: Input) {
        let effects = self.flow.on(input);
        let shown = activity::after(&effects).unwrap_or(self.shown);
        for effect in effects {
            self.apply(effect).await;
        }
        if shown != self.shown {
            self.shown = shown;
            self.tell(News::Activity(shown)).await;
        }
        if self.flow.is_waiting_for_the_user() {
            self.ack = None;
        }
    }

    async fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::AcknowledgeTone => self.tone(tone::acknowledge(TONE_RATE)),
            Effect::ErrorTone => self.tone(tone::error(TONE_RATE)),
            Effect::Cancel(turn) => self.cancel(turn).await,
            Effect::Decode(utterance, urgency) => {
                self.parts.stt.0.submit(SttJob { utterance, urgency });
            }
            Effect::DropDecode { generation, revision } => {
                self.parts.stt.0.cancel_before(generation, revision);
            }
            Effect::Answer(question) => self.answer(*question).await,
            Effect::Ears(command) => self.command(command),
            Effect::Rest(why) => self.tell(News::Rests(why)).await,
        }
    }

    async fn cancel(&mut self, turn: TurnId) {
        if let Some((mouth, _)) = &self.parts.mouth {
            mouth.stop();
        }
        if let Some(running) = self.running.get(&turn) {
            running.cancel.cancel();
        }
        self.close(turn).await;
    }

    async fn answer(&mut self, question: Question) {
        let text = question.transcript.text.clone();
        self.tell(News::Understood(Private(text.clone()))).await;
        if let Some(ahead) = self.ahead.take() {
            ahead.abort();
        }
        let trace = first_marks(&question);
        let input = TurnInput { id: question.turn, channel: Channel::Voice, text: Private(text) };
        let cancel = CancellationToken::new();
        let running = Running { cancel: cancel.clone(), first_sample: None, spoken: None, end: None };
        self.running.insert(question.turn, running);
        let mouth = self.parts.mouth.as_ref().map(|(mouth, _)| mouth.clone());
        let mut teller =
            Spoken::new(question.turn, mouth, self.parts.player.clone(), self.parts.news.clone());
        let engine = Arc::clone(&self.parts.engine);
        self.answers.spawn(async move {
            let id = input.id;
            (id, turn::run(&engine, input, trace, &mut teller, cancel).await)
        });
    }

    /// While the user still speaks, the model reads what it knows already.
    fn read_ahead(&mut self) {
        let engine = Arc::clone(&self.parts.engine);
        let task = tokio::spawn(async move {
            if let Err(error) = engine.read_ahead(Channel::Voice).await {
                tracing::debug!(%error, "the model could not read ahead");
            }
        });
        if let Some(earlier) = self.ahead.replace(task) {
            earlier.abort();
        }
    }

    fn tone(&self, samples: Vec<f32>) {
        if self.parts.tones == Tones::On && self.parts.player.play_now(TONE_TAG, TONE_RATE, samples).is_err()
        {
            tracing::debug!("a tone was not played");
        }
    }

    fn command(&self, command: HearCommand) {
        if self.parts.ears.0.try_send(command).is_err() {
            tracing::debug!(?command, "the listener took no command");
        }
    }

    async fn tell(&self, news: News) {
        // Nobody looks any more: the conversation goes on all the same.
        let _ = self.parts.news.send(news).await;
    }
}

async fn next_event(mouth: &mut Option<(Mouth, Receiver<SpeakEvent>)>) -> Option<SpeakEvent> {
    match mouth {
        Some((_, events)) => events.recv().await,
        None => std::future::pending().await,
    }
}

/// A trace with everything that happened before the question was understood.
fn first_marks(question: &Question) -> Trace {
    let mut trace = Trace::starting(question.speech_ended);
    if let Some(woke) = question.woke {
        trace.mark(Stage::Wake, woke);
    }
    trace.mark(Stage::SpeechEnd, question.speech_ended);
    trace.mark(Stage::Endpoint, question.decided);
    trace.mark(Stage::Transcript, question.transcribed);
    let heard = &question.transcript;
    trace.decide(Decision::new(
        "whisper",
        if heard.decoded_twice { "decoded twice" } else { "decoded once" },
        format!(
            "mean log-probability {:.2}, no-speech {:.2}, audio context {}, {:.0} ms",
            heard.mean_logprob,
            heard.no_speech,
            heard.audio_ctx,
            heard.took.as_secs_f64() * 1e3
        ),
    ));
    trace
}
