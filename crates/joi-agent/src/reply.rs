//! Runs one turn of any channel from its text to its outcome, within its bounds.
//!
//! Runs in the task of the turn. In: the text. Out: events to the channel, and the outcome, when the exchange is stored.
//! What happens in between is decided in `lib.rs`. It refuses texts that are too long as a whole.

use std::sync::Arc;

use jiff::SignedDuration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::agent::ask;
use crate::bounds::{self, MOST_CHARACTERS, TurnBounds, TurnClock};
use crate::engine::Engine;
use crate::memory::remember;
use crate::model::ChatModel;
use crate::placeholders;
use crate::session::Session;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{ConversationStatus, Ended, Keep, ReplyEvent, ReplyOutcome, Turn, TurnInput};
use crate::turn_context::TurnContext;
use joi_base::message::{Origin, Private};
use joi_store::ExchangeId;
use joi_understand::text;

/// Characters of a text that is refused by which its language is recognised.
const LANGUAGE_SAMPLE: usize = 400;

/// Answers one turn of a conversation, within the limits of the configuration. Ends soon after `cancel`, or when the
/// receiver of `events` is dropped; what went out until then is remembered as the answer.
pub async fn reply<M: ChatModel>(
    engine: &Engine<M>,
    session: &Session,
    turn: TurnInput,
    events: mpsc::Sender<ReplyEvent>,
    cancel: CancellationToken,
) -> ReplyOutcome {
    let bounds = TurnBounds::of_turn(cancel, &engine.parts.reply);
    reply_within(engine, session, turn, events, bounds).await
}

/// Answers one turn within `bounds`: work that nobody waits for may have more time than a turn.
pub async fn reply_within<M: ChatModel>(
    engine: &Engine<M>,
    session: &Session,
    turn: TurnInput,
    events: mpsc::Sender<ReplyEvent>,
    bounds: TurnBounds,
) -> ReplyOutcome {
    if bounds::is_too_long(&turn.text.0) {
        return refuse_long(engine, session, &turn, events).await;
    }
    let _running = engine.arbiter.begin_turn();
    let _same_model = engine.parts.model.hold();
    let now = engine.parts.clock.now();
    session.begin_turn(now.timestamp(), SignedDuration::from_secs(i64::from(engine.parts.reply.window_s)));
    let language = engine.language_of(session, &turn.text.0, turn.language.as_deref());
    session.with(|state| state.language = Some(language.to_code()));
    let (asked, origin) =
        (joi_redact::redact_in(&turn.text.0, &language).fluent(&language), turn.origin(session.id().channel));
    let is_unsure = turn.is_unsure;
    // Lines are gone from what is redacted. Another program quotes nobody and is a stranger itself.
    let is_quoting =
        origin == Origin::Stranger || text::has_lines(&turn.text.0) || text::quotes(asked.as_str());
    drop(turn.text);
    let mut sink = ReplySink::new(events, Arc::clone(&language));
    // An answer to a stranger's words may contain them.
    sink.is_foreign = is_quoting;
    let context = TurnContext { engine, session, language: Arc::clone(&language) };
    let turn =
        Turn { origin, is_unsure, is_quoting, ..Turn::of(session.id(), asked.as_str(), now, language) };
    let ended = context.bounded(&turn, asked.labels(), &bounds, &mut sink).await;
    let (ended, keep) = ended.unwrap_or((Ended::Cancelled, Keep::Yes));
    let (said, exchange) = context.settled(&turn, keep, &mut sink).await;
    if !turn.origin.is_owners() {
        // Another program and an agent are nobody who could say yes.
        session.drop_question();
    }
    let conversation = match sink.awaits {
        _ if sink.is_over => ConversationStatus::IsOver,
        Some(lasts) => ConversationStatus::Awaits(lasts),
        None if sink.offers => ConversationStatus::Offered,
        None => ConversationStatus::GoesOn,
    };
    let kept = |text: String| Private(if sink.is_private { placeholders::NOT_KEPT.to_owned() } else { text });
    let (heard, text) = (kept(asked.into_string()), kept(said));
    ReplyOutcome { heard, text, ended, conversation, exchange }
}

/// Refuses a text that is too long, of which nothing is read, done or kept.
async fn refuse_long<M: ChatModel>(
    engine: &Engine<M>,
    session: &Session,
    turn: &TurnInput,
    events: mpsc::Sender<ReplyEvent>,
) -> ReplyOutcome {
    let begins: String = turn.text.0.chars().take(LANGUAGE_SAMPLE).collect();
    let language = engine.language_of(session, &begins, turn.language.as_deref());
    let mut sink = ReplySink::new(events, language);
    let sentence = sink.sentence(|say| &say.too_much_text);
    let why = format!("the text has more than {MOST_CHARACTERS} characters");
    // A receiver that is gone needs no sentence.
    let told = match sink.decided("length", "refused", why).await {
        Ok(()) => sink.say(&sentence).await,
        Err(gone) => Err(gone),
    };
    ReplyOutcome {
        heard: Private(placeholders::NOT_KEPT.to_owned()),
        text: Private(sink.said),
        ended: if told.is_ok() { Ended::Apologised } else { Ended::Cancelled },
        conversation: ConversationStatus::GoesOn,
        exchange: None,
    }
}

impl<M: ChatModel> TurnContext<'_, M> {
    /// Responds within `bounds`. Where the time is over, a sentence ends the answer.
    async fn bounded(
        &self,
        turn: &Turn<'_>,
        hidden: &[joi_redact::Label],
        bounds: &TurnBounds,
        sink: &mut ReplySink,
    ) -> Result<(Ended, Keep), ReceiverClosed> {
        let clock = TurnClock::starting(bounds.within);
        sink.clock = clock.clone();
        // Every arm is cancel-safe, or dropped for good.
        let ended = tokio::select! {
            biased;
            () = bounds.cancel.cancelled() => return Err(ReceiverClosed),
            ended = self.respond(turn, hidden, sink) => Some(ended),
            () = clock.over() => None,
        };
        if let Some(ended) = ended {
            return ended;
        }
        tokio::select! {
            biased;
            () = bounds.cancel.cancelled() => Err(ReceiverClosed),
            told = ask::out_of_time(bounds.within, sink) => told.map(|()| (Ended::Apologised, Keep::Yes)),
        }
    }

    /// Stores what there is to store of a turn that is over; returns what was said and the stored exchange.
    async fn settled(
        &self,
        turn: &Turn<'_>,
        keep: Keep,
        sink: &mut ReplySink,
    ) -> (String, Option<ExchangeId>) {
        let (engine, session) = (self.engine, self.session);
        let store = engine.parts.store.as_ref();
        let said = sink.said.trim().to_owned();
        let answered_at = engine.parts.clock.now().timestamp();
        session.end_turn(answered_at);
        session.drop_early_answer();
        let is_fleeting = session.with(|state| state.is_fleeting);
        sink.is_private |= is_fleeting;
        let exchange = match keep {
            Keep::Yes if is_fleeting => {
                session.with(|state| state.last_reply = Some(said.clone()));
                None
            }
            Keep::Yes if !said.is_empty() => {
                remember::remember(turn, answered_at, store, session, sink).await
            }
            Keep::Yes | Keep::No => None,
        };
        session.carry_over(exchange, sink);
        session.keep(store).await;
        (said, exchange)
    }
}
