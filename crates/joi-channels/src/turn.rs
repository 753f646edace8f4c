//! One turn of any channel: the reply engine on one side, the channel's way of telling on the other.
//!
//! Runs in the task of the turn. In: what was heard or typed. Out: words to the [`Reporter`] as they
//! come, and the turn's record with its trace. It decides nothing.

use std::future::Future;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use joi_agent::model::ChatModel;
use joi_agent::{Action, Engine, ReplyEvent, ReplyOutcome, Session, TurnInput, reply};
use joi_base::clock::Clock;
use joi_base::trace::{Stage, Trace, TurnRecord};

/// Events of the engine that the channel has not reported yet. When full, the model waits.
const EVENTS: usize = 64;

/// The way in which a channel reports an answer.
pub trait Reporter: Send {
    /// The next words of the answer.
    fn words(&mut self, words: &str) -> impl Future<Output = ()> + Send;
    /// Reports a sentence beside the answer, at once.
    fn aside(&mut self, sentence: &str) -> impl Future<Output = ()> + Send;
    /// A question behind the answer that is no part of it.
    fn offer(&mut self, question: &str) -> impl Future<Output = ()> + Send;
    /// Something for the owner, in writing.
    fn notice(&mut self, sentence: &str);
    /// Do this.
    fn act(&mut self, action: Action);
    /// No words follow. Returns when the first complete sentence was reported, if the channel has sentences.
    fn end(&mut self) -> impl Future<Output = Option<Instant>> + Send;
}

/// What a turn came to.
#[derive(Debug)]
pub struct TurnEnd {
    /// The answer and how it ended.
    pub outcome: ReplyOutcome,
    /// Where its time went so far.
    pub trace: Trace,
}

impl TurnEnd {
    /// The record to be stored; `clock` gives its date.
    pub fn record(
        self,
        id: joi_base::message::TurnId,
        channel: joi_base::message::Channel,
        clock: &dyn Clock,
    ) -> TurnRecord {
        TurnRecord {
            id,
            channel,
            at: (clock.now().timestamp() - self.trace.age(Instant::now())).to_string(),
            heard: self.outcome.heard.0,
            reply: self.outcome.text.0,
            marks: self.trace.marks().to_vec(),
            decisions: self.trace.decisions,
            model_use: self.trace.model_use,
            tool_use: self.trace.tool_use,
        }
    }
}

/// Runs a turn to its end. `cancel` ends it soon; dropping the future ends it at once.
pub async fn run<M: ChatModel>(
    (engine, session): (&Engine<M>, &Session),
    input: TurnInput,
    mut trace: Trace,
    reporter: &mut impl Reporter,
    cancel: CancellationToken,
) -> TurnEnd {
    let (events, mut inbox) = mpsc::channel(EVENTS);
    let telling = async {
        while let Some(event) = inbox.recv().await {
            report(event, &mut trace, reporter).await;
        }
        if let Some(at) = reporter.end().await {
            trace.mark(Stage::FirstSentence, at);
        }
    };
    let (outcome, ()) = tokio::join!(reply(engine, session, input, events, cancel), telling);
    TurnEnd { outcome, trace }
}

async fn report(event: ReplyEvent, trace: &mut Trace, reporter: &mut impl Reporter) {
    match event {
        ReplyEvent::Text(words) => reporter.words(&words).await,
        ReplyEvent::Aside(sentence) => reporter.aside(&sentence).await,
        ReplyEvent::Offer(question) => reporter.offer(&question).await,
        ReplyEvent::Act(action) => reporter.act(action),
        ReplyEvent::Notice(sentence) => reporter.notice(&sentence),
        ReplyEvent::FirstToken(at) => trace.mark(Stage::FirstToken, at),
        ReplyEvent::Decided(decision) => trace.decide(decision),
        ReplyEvent::Used(used) => trace.model_use.push(used),
        ReplyEvent::Called(call) => trace.tool_use.push(call),
    }
}
