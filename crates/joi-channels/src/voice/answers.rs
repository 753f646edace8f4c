//! The answers on their way: from the question to the last sample, and what of them is remembered.
//!
//! Owned by the conversation's task. In: questions, the mouth's reports, finished turns. Out: records of turns, and a
//! dialogue that holds only what was heard aloud. An answer that paused half-way leaves its rest here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, Receiver};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::config::ConversationConfig;
use super::marks::first_marks;
use super::reporter::{Breath, REST, SpeechOutput, SpokenReporter};
use super::signals::{After, Continuation, Judged, SpokenQuestion, Why};
use crate::turn::{self, Reporter as _, TurnEnd};
use joi_agent::model::ChatModel;
use joi_agent::placeholders::NOT_KEPT;
use joi_agent::{ConversationStatus, Ended, Engine, ReplyOutcome, Session, TurnInput};
use joi_base::clock::Clock;
use joi_base::message::{Private, TurnId};
use joi_base::trace::{Decision, Stage, Trace, TurnRecord};
use joi_language::Language;
use joi_schedule::announce::AnnouncedQuestion;
use joi_speak::{LineRole, SpokenLine};
use joi_store::{ExchangeId, Store, StoreError};
use joi_understand::intents;

/// The database is waited for no longer than this: whoever speaks must be heard, and dangers be announced.
const PATIENCE: Duration = Duration::from_millis(500);

/// A turn between its question and its record.
struct Running {
    cancel: CancellationToken,
    /// Why it was cancelled.
    stopped: Option<Decision>,
    /// Set when the first sample sounds: when the device took it, and when it is heard.
    first_sample: Option<(Instant, Instant)>,
    /// Set when the last sample has sounded.
    spoken: Option<Instant>,
    /// The lines that were heard to their end.
    heard: String,
    /// The text to be said after a pause, if there is one.
    rest: Receiver<String>,
    /// Whether there was a pause: then only a part was said.
    has_paused: bool,
    /// Set when the reply engine is done.
    end: Option<TurnEnd>,
    /// The turn whose rest this is.
    of: Option<TurnId>,
}

/// The rest of a long answer.
struct Rest {
    of: TurnId,
    segments: Receiver<String>,
}

/// An answer of which only a part was said so far.
struct Begun {
    turn: TurnId,
    exchange: ExchangeId,
    heard: String,
}

/// What the answers need.
pub(super) struct AnswerContext<M> {
    pub(super) engine: Arc<Engine<M>>,
    /// The conversation by voice in this room.
    pub(super) session: Arc<Session>,
    pub(super) store: Option<Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) speech: SpeechOutput,
    pub(super) config: ConversationConfig,
}

/// All of them.
pub(super) struct Answers<M> {
    context: AnswerContext<M>,
    running: HashMap<TurnId, Running>,
    tasks: JoinSet<(TurnId, TurnEnd)>,
    rest: Option<Rest>,
    begun: Option<Begun>,
}

impl<M: ChatModel + 'static> Answers<M> {
    pub(super) fn new(context: AnswerContext<M>) -> Self {
        Self { context, running: HashMap::new(), tasks: JoinSet::new(), rest: None, begun: None }
    }

    /// Begins to answer: with the rest of the last answer when that is what the question agrees to.
    pub(super) fn begin(&mut self, question: &SpokenQuestion, ahead: Option<Decision>) {
        if question.continues == Some(Continuation::Answered) {
            self.context.session.supersede(self.context.clock.now().timestamp());
        }
        let language = self.context.language_of(question);
        let ready = self.rest.take().and_then(|rest| ReadyAnswer::after(rest, &question.text, &language));
        let cancel = CancellationToken::new();
        let (later, rest) = mpsc::channel(REST);
        let of = ready.as_ref().and_then(|ready| ready.of);
        let running = Running {
            cancel: cancel.clone(),
            stopped: None,
            first_sample: None,
            spoken: None,
            heard: String::new(),
            rest,
            has_paused: false,
            end: None,
            of,
        };
        self.running.insert(question.turn, running);
        let breath = self.context.config.go_on().map(|after| Breath { after, rest: later });
        let reporter =
            SpokenReporter::new(question.turn, self.context.speech.clone(), language.clone(), breath);
        let (id, text, mut trace) = (question.turn, question.text.clone(), first_marks(question));
        ahead.into_iter().for_each(|ahead| trace.decide(ahead));
        match ready {
            Some(ready) => drop(self.tasks.spawn(ready.deliver((id, text), trace, reporter, cancel))),
            None => {
                let language = Some(language.to_code());
                let is_unsure = question.judged.is_unsure;
                let input = TurnInput { id, text: Private(text), language, is_unsure };
                let mut reporter = reporter;
                let (engine, session) = (Arc::clone(&self.context.engine), Arc::clone(&self.context.session));
                self.tasks.spawn(async move {
                    let end = turn::run((&engine, &session), input, trace, &mut reporter, cancel).await;
                    (id, end)
                });
            }
        }
    }

    /// The question of an agent was heard: the next words may answer it.
    pub(super) fn expect_yes(&self, question: AnnouncedQuestion) {
        self.context.engine.agent_asked(&self.context.session, question);
    }

    /// Gets ready for what would be asked if the utterance ended here.
    pub(super) fn rehearse(&self, judged: &Judged) {
        self.context.rehearse(judged);
    }

    /// The next engine to be done, if any runs. Cancel-safe.
    pub(super) async fn next_done(&mut self) -> Option<Result<(TurnId, TurnEnd), JoinError>> {
        self.tasks.join_next().await
    }

    /// The turn's first sample sounds: when the device took it, and when it is heard.
    pub(super) fn sounds(&mut self, turn: TurnId, at: (Instant, Instant)) {
        if let Some(running) = self.running.get_mut(&turn) {
            running.first_sample.get_or_insert(at);
        }
    }

    /// A line was heard to its end.
    pub(super) fn heard(&mut self, line: &SpokenLine) {
        if let Some(running) = self.running.get_mut(&line.turn)
            && line.part == LineRole::Answer
        {
            running.heard.push_str(&line.text);
        }
    }

    /// There is no voice: from here on answers are shown only. What was given to it already ends in silence.
    pub(super) fn lose_voice(&mut self) {
        self.context.speech.mouth = None;
    }

    /// The turn's last sample has sounded.
    pub(super) fn spoken(&mut self, turn: TurnId, at: Instant) {
        if let Some(running) = self.running.get_mut(&turn) {
            running.spoken = Some(at);
        }
    }

    /// The engine is done with the turn.
    pub(super) fn done(&mut self, turn: TurnId, end: TurnEnd) {
        if let Some(running) = self.running.get_mut(&turn) {
            running.end = Some(end);
            if self.context.speech.mouth.is_none() {
                running.spoken = Some(Instant::now());
            }
        }
    }

    /// Stops a turn: model, synthesis, sound. Nothing when it is not running.
    pub(super) fn cancel(&mut self, turn: TurnId, why: Why) {
        if let Some(mouth) = &self.context.speech.mouth {
            mouth.stop();
        }
        self.rest = None;
        if let Some(running) = self.running.get_mut(&turn) {
            running.stopped.get_or_insert_with(|| Decision::new("flow", "stopped", why.description()));
            running.cancel.cancel();
        }
    }

    /// Stops all of them.
    pub(super) fn cancel_all(&mut self) {
        for running in self.running.values() {
            running.cancel.cancel();
        }
        if let Some(mouth) = &self.context.speech.mouth {
            mouth.stop();
        }
    }

    /// The turns that will never end by themselves, because an engine's task broke down.
    pub(super) fn give_up(&mut self) -> Vec<TurnId> {
        self.running.drain().map(|(turn, _)| turn).collect()
    }

    /// Whether the turn is over for the ears, since when, and what follows.
    pub(super) fn over(&mut self, turn: TurnId) -> Option<(Instant, After)> {
        let running = self.running.get_mut(&turn)?;
        let at = running.spoken?;
        if !running.rest.is_empty() {
            let segments = std::mem::replace(&mut running.rest, mpsc::channel(1).1);
            running.has_paused = true;
            self.rest = Some(Rest { of: running.of.unwrap_or(turn), segments });
            return Some((at, self.after_offer()));
        }
        let outcome = &self.running.get(&turn)?.end.as_ref()?.outcome;
        let after = match outcome.conversation {
            _ if self.context.speech.mouth.is_none() => After::Rest,
            ConversationStatus::GoesOn => self.after(&outcome.text.0),
            ConversationStatus::Awaits(lasts) => After::FollowUp { lasts },
            ConversationStatus::Offered => self.after_offer(),
            ConversationStatus::IsOver => After::Rest,
        };
        Some((at, after))
    }

    /// Behind the question whether to go on.
    fn after_offer(&self) -> After {
        self.after(&self.context.speech.languages.get().sentences().reply.go_on)
    }

    fn after(&self, answer: &str) -> After {
        self.context.config.window(answer).map_or(After::Rest, |lasts| After::FollowUp { lasts })
    }

    /// The record of a turn that is complete and was spoken or cancelled. The dialogue is corrected to
    /// what was heard of it.
    pub(super) async fn close(&mut self, turn: TurnId) -> Option<TurnRecord> {
        let is_over = self.running.get(&turn).is_some_and(|running| {
            running.end.is_some() && (running.spoken.is_some() || running.cancel.is_cancelled())
        });
        let running = if is_over { self.running.remove(&turn)? } else { return None };
        let mut end = running.end?;
        if let Some((taken, at)) = running.first_sample {
            end.trace.mark(Stage::FirstSample, taken);
            end.trace.mark(Stage::Audible, at);
        }
        end.trace.mark(Stage::End, running.spoken.unwrap_or_else(Instant::now));
        if let Some(why) = running.stopped {
            end.trace.decide(why);
        }
        // An answer that could not be played was read at least.
        let is_partial = running.cancel.is_cancelled() || running.has_paused || running.of.is_some();
        if self.context.speech.mouth.is_some() && is_partial {
            self.remember_heard((turn, running.of), &running.heard, &mut end.outcome).await;
        }
        let record = end.record(turn, self.context.session.id().channel, &*self.context.clock);
        self.save(&record).await;
        Some(record)
    }

    /// Remembers the answer as far as it was heard: the rest counts as not said.
    async fn remember_heard(
        &mut self,
        (turn, of): (TurnId, Option<TurnId>),
        heard: &str,
        outcome: &mut ReplyOutcome,
    ) {
        let begun = self.begun.take().filter(|begun| of == Some(begun.turn));
        if (words(heard).eq(words(&outcome.text.0)) && of.is_none()) || outcome.text.0 == NOT_KEPT {
            return;
        }
        let (exchange, earlier) = match (begun, outcome.exchange) {
            (Some(begun), _) => (Some(begun.exchange), begun.heard),
            (None, exchange) => (exchange, String::new()),
        };
        outcome.text = Private(heard.trim().to_owned());
        let Some(exchange) = exchange else { return };
        let all = format!("{earlier}{heard}");
        let amended = self.context.engine.heard_only(exchange, all.trim().to_owned());
        if let Err(error) = in_time(amended).await {
            tracing::warn!(%error, "the dialogue was not corrected to what was heard");
        }
        self.begun = Some(Begun { turn: of.unwrap_or(turn), exchange, heard: all });
    }

    /// Stores a record.
    pub(super) async fn save(&self, record: &TurnRecord) {
        if let Some(store) = &self.context.store
            && let Err(error) = in_time(store.save_turn(record)).await
        {
            tracing::warn!(%error, "the turn's record was not stored");
        }
    }

    /// A record of something that is not answered: why, and not what.
    pub(super) fn dismissal(&self, turn: TurnId, decisions: Vec<Decision>) -> TurnRecord {
        TurnRecord {
            id: turn,
            channel: self.context.session.id().channel,
            at: self.context.clock.now().timestamp().to_string(),
            heard: String::new(),
            reply: String::new(),
            marks: Vec::new(),
            decisions,
            model_use: Vec::new(),
            tool_use: Vec::new(),
        }
    }
}

/// What the database answers; the work of one that does not is done once it does.
async fn in_time<T>(asked: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(PATIENCE, asked).await.unwrap_or(Err(StoreError::Slow))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// An answer that needs no model: after "shall I go on?".
struct ReadyAnswer {
    /// The turn whose answer goes on.
    of: Option<TurnId>,
    segments: Receiver<String>,
    decision: Decision,
    conversation: ConversationStatus,
}

impl ReadyAnswer {
    /// The rest after a yes, a word after a no; anything else is a question of its own.
    fn after(rest: Rest, text: &str, language: &Language) -> Option<Self> {
        let say = &language.sentences().reply;
        let told =
            |verdict, answer| Decision::new("intents", verdict, format!("{answer}, to \"{}\"", say.go_on));
        if intents::wants_more(language, text) {
            let (of, conversation) = (Some(rest.of), ConversationStatus::GoesOn);
            return Some(Self { of, segments: rest.segments, decision: told("go on", "yes"), conversation });
        }
        if intents::is_refusal(language, text) {
            let (sender, segments) = mpsc::channel(1);
            sender.try_send(say.all_right.clone()).ok()?;
            let conversation = ConversationStatus::IsOver;
            return Some(Self { of: None, segments, decision: told("leave it", "no"), conversation });
        }
        None
    }

    async fn deliver(
        mut self,
        (id, text): (TurnId, String),
        mut trace: Trace,
        mut reporter: SpokenReporter,
        cancel: CancellationToken,
    ) -> (TurnId, TurnEnd) {
        trace.decide(self.decision);
        let mut said = String::new();
        while let Some(segment) = tokio::select! {
            segment = self.segments.recv() => segment,
            () = cancel.cancelled() => None,
        } {
            said.push_str(&segment);
            reporter.deliver(segment).await;
        }
        if let Some(at) = reporter.end().await {
            trace.mark(Stage::FirstSentence, at);
        }
        let ended = if cancel.is_cancelled() { Ended::Cancelled } else { Ended::Quick };
        let outcome = ReplyOutcome {
            heard: Private(text),
            text: Private(said),
            ended,
            conversation: self.conversation,
            exchange: None,
        };
        (id, TurnEnd { outcome, trace })
    }
}
