//! Handles commands and questions to a connected house, within a turn: commands are sent once, questions are answered,
//! what is risky is asked about first.
//!
//! Runs in the task of the turn. Input: the words of the turn, the house, the words of the language. Output: commands,
//! and sentences of what became of them. It refuses what needs a yes wherever words of others are in the conversation,
//! and repeats nothing by itself.

mod about;
mod connected;
mod here;
mod later;
mod likewise;
mod near;
pub(crate) mod picked;
mod rooms;
mod watched;

use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;

use super::context::QuickContext;
use super::gate::{self, Passage};
pub(crate) use super::recognised::HouseWish;
use super::recognised::Recognised;
use crate::session::Session;
use crate::session::asked::{AskedCommands, AskedWhich};
use crate::session::open_question::{OpenQuestion, open_until};
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Ended, Keep, ReplyEvent, Turn};
pub use connected::ConnectedHome;
use joi_home::{CommandOutcome, FOLLOWS_WITHIN, HomeLink, SendFault};
use joi_tools::gate::Consent;
use joi_understand::house::unreached;
use joi_understand::house::watch::refused;
use joi_understand::house::{HouseDecision, PlannedBatch, PlannedCommand, say};
use joi_understand::intents::{self};
pub(crate) use likewise::likewise;

/// So many are not named in a question.
const MANY: usize = 5;

/// Delivery of commands to the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// None of them.
    No,
    /// At least one, or nobody knows.
    Maybe,
}

/// Does what was wished for, or says why not.
pub(crate) async fn carry_out(
    wished: &HouseWish,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    let (Some(home), Some(words)) = (context.home, turn.language.house()) else { return Ok(Keep::No) };
    match wished {
        HouseWish::NotReached => {
            sink.decided("home", "not reached", "nothing was done").await?;
            let link = home.view().link;
            report(&link, sink).await?;
            sink.say(unreached::sentence(&link, &words.say)).await?;
        }
        HouseWish::Decided(HouseDecision::Send(batch)) => {
            send(batch, turn, context, sink).await?;
        }
        HouseWish::Later(wished) => later::carry_out(wished, turn, context, sink).await?,
        HouseWish::Watch { order, .. } => watched::carry_out(order, turn, context, sink).await?,
        HouseWish::NotWatched(refusal) => {
            sink.decided("watch", "refused", "nothing is watched").await?;
            sink.say(&refused(refusal, &turn.language, words)).await?;
        }
        HouseWish::Unstored { stored, then } => {
            let is_gone = later::cancel(*stored, turn, context, sink).await?;
            match then {
                Some(then) => {
                    sink.begin_another();
                    return Box::pin(carry_out(then, turn, context, sink)).await;
                }
                None if is_gone => {}
                None => sink.say(&words.say.not_back).await?,
            }
        }
        HouseWish::Decided(decision @ (HouseDecision::Which(_) | HouseDecision::Where(_))) => {
            ask_which(decision, (turn, &[]), context, sink).await?;
        }
        HouseWish::Decided(HouseDecision::AskFirst(_)) if is_tainted(context.session) => {
            sink.decided("home", "refused", "words of others are in the conversation").await?;
            sink.say(&words.say.foreign_words).await?;
        }
        HouseWish::Decided(decision @ HouseDecision::AskFirst(batch)) => {
            sink.decided("home", "asked", "it needs a yes").await?;
            let question = say::decision(decision, words);
            sink.say(&question).await?;
            let until = waits(&question, turn, context, sink);
            let asked = AskedCommands { batch: batch.clone(), until, is_repeated: false };
            context.session.with(|state| {
                state.house.speaks_of(decision, turn.now.timestamp());
                state.question = Some(OpenQuestion::House(asked));
            });
        }
        HouseWish::Decided(decision) => {
            sink.decided("home", verdict(decision), "nothing was done").await?;
            context.session.with(|state| state.house.speaks_of(decision, turn.now.timestamp()));
            sink.say(&say::decision(decision, words)).await?;
        }
    }
    Ok(Keep::Yes)
}

/// The answer to "shall I really do it?", if this turn is a clear yes in time, in words the recogniser was sure of.
/// Anything else does nothing.
pub(crate) async fn answered(
    turn: &Turn<'_>,
    waiting: AskedCommands,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
    let (Some(home), Some(words)) = (context.home, turn.language.house()) else { return Ok(None) };
    let is_open = turn.now.timestamp() <= waiting.until;
    let is_sure = !turn.is_unsure && intents::is_clear_yes(&turn.language, turn.asked);
    if !is_open || is_tainted(context.session) || !is_sure {
        return Ok(None);
    }
    // The permissions may have changed since the question.
    let house = home.view().house;
    let mut commands = Vec::new();
    let PlannedBatch { commands: asked, left_out, answer } = waiting.batch;
    for planned in asked {
        match house.order(&planned.ordered.item, &planned.command) {
            Ok(ordered) => commands.push(PlannedCommand { ordered, ..planned }),
            Err(_) => {
                sink.decided("home", "refused", "it may not be done any more").await?;
                sink.say(&words.say.not_accepted).await?;
                return Ok(Some((Ended::Quick, Keep::Yes)));
            }
        }
    }
    let batch = PlannedBatch { commands, left_out, answer };
    let wished = HouseWish::Decided(HouseDecision::AskFirst(batch.clone()));
    let sure = QuickContext { consent: Consent::Given, ..*context };
    match gate::passes(turn, &Recognised::House(wished), &sure, sink).await? {
        Passage::Free => send(&batch, turn, context, sink).await.map(|_| Some((Ended::Quick, Keep::Yes))),
        Passage::Barred(keep) => Ok(Some((Ended::Quick, keep))),
    }
}

/// Asks which of several things is meant; `asked` is the turn that names them, and what was picked before.
async fn ask_which(
    decision: &HouseDecision,
    (asked, chosen): (&Turn<'_>, &[String]),
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<(), ReceiverClosed> {
    let (Some(words), HouseDecision::Which(things) | HouseDecision::Where(things)) =
        (asked.language.house(), decision)
    else {
        return Ok(());
    };
    sink.decided("home", verdict(decision), "nothing was done").await?;
    let question = say::decision(decision, words);
    sink.say(&question).await?;
    let until = waits(&question, asked, context, sink);
    let (said, chosen, things) = (asked.asked.to_owned(), chosen.to_vec(), things.clone());
    let wants_place = matches!(decision, HouseDecision::Where(_));
    let which = AskedWhich { said, chosen, things, wants_place, until };
    context.session.with(|state| {
        state.house.leaves();
        state.question = Some(OpenQuestion::Which(which));
    });
    Ok(())
}

/// Waits for the answer to `question`; until when it counts.
fn waits(question: &str, turn: &Turn<'_>, context: &QuickContext<'_>, sink: &mut ReplySink) -> Timestamp {
    let confirm = Duration::from_secs(u64::from(context.rules.confirm_s));
    sink.awaits = Some(confirm);
    open_until(turn.now.timestamp(), confirm, turn.channel, question)
}

/// Sends each command once, all of them together, and reports their outcome. They count as sent from the moment they
/// are: a turn that is cancelled while their states are read back leaves behind what takes them back, and whoever goes
/// on with the same words does not send them again.
async fn send(
    batch: &PlannedBatch,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Reached, ReceiverClosed> {
    let (Some(home), Some(words)) = (context.home, turn.language.house()) else { return Ok(Reached::No) };
    let (commands, now) = (&batch.commands, turn.now.timestamp());
    let sent_before = context.session.with(|state| state.house.superseded(now));
    let before = sent_before.as_ref().map_or_else(|| home.view().house, |sent| sent.before.clone());
    let earlier = context.session.with(|state| {
        let earlier = state.house.clone();
        state.house.sends(commands, &before, now);
        state.last_deed = None;
        earlier
    });
    let sent = commands.iter().map(|planned| async {
        let ordered = &planned.ordered;
        match sent_before.as_ref().and_then(|sent| sent.item(ordered)) {
            Some(item) => joi_home::confirm(&*home.home, ordered, item, FOLLOWS_WITHIN).await,
            None => joi_home::command(&*home.home, ordered, FOLLOWS_WITHIN).await,
        }
    });
    let outcomes: Vec<CommandOutcome> = join_all(sent).await;
    context.session.with(|state| match outcomes.iter().all(CommandOutcome::is_lost) {
        true => state.house = earlier,
        false => state.house.has_sent(commands, &outcomes, &before),
    });
    let failed = outcomes.iter().find_map(|outcome| match outcome {
        CommandOutcome::Failed(SendFault::NotSent(fault) | SendFault::OutcomeUnknown(fault)) => Some(fault),
        _ => None,
    });
    let done = outcomes.iter().filter(|outcome| matches!(outcome, CommandOutcome::Done(_))).count();
    sink.decided("home", "sent", format!("{done} of {} commands confirmed", commands.len())).await?;
    if let Some(fault) = failed {
        sink.send(ReplyEvent::Notice(format!("{fault}. {}", fault.remedy()))).await?;
    }
    sink.say(&say::of_batch(batch, &outcomes, words)).await?;
    if outcomes.iter().all(CommandOutcome::is_lost) {
        return Ok(Reached::No);
    }
    sink.say_on(&say::beside(batch, words)).await?;
    Ok(Reached::Maybe)
}

/// The reason why the house is not reached, in writing.
async fn report(link: &HomeLink, sink: &mut ReplySink) -> Result<(), ReceiverClosed> {
    match link {
        HomeLink::Lost { fault } => {
            sink.send(ReplyEvent::Notice(format!("{fault}. {}", fault.remedy()))).await
        }
        HomeLink::Connecting | HomeLink::Starting | HomeLink::Up { .. } => Ok(()),
    }
}

fn is_tainted(session: &Session) -> bool {
    session.with(|state| state.history.is_tainted)
}

fn verdict(decision: &HouseDecision) -> &'static str {
    match decision {
        HouseDecision::Send(_) => "sent",
        HouseDecision::AskFirst(_) => "asked",
        HouseDecision::Which(_) | HouseDecision::Where(_) => "unclear",
        HouseDecision::Refused(_) => "refused",
        HouseDecision::Told(_) => "told",
    }
}
