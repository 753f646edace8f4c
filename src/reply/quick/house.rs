//! What is said to a connected house, within a turn: commands are sent once, questions are answered, what is risky is
//! asked about first.
//!
//! Runs in the task of the turn. In: the words of the turn, the house, the words of the language. Out: commands, and
//! sentences of what became of them. It refuses what needs a yes wherever words of others are in the conversation, and
//! repeats nothing by itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;

use super::QuickMeans;
use super::home::has_tool_for;
use crate::home::backend::{self, CommandOutcome, FOLLOWS_WITHIN, Home, HomeLink, HomeView, SendFault};
use crate::language::house::HouseWords;
use crate::reply::output::sink::{ReceiverClosed, ReplySink};
use crate::reply::session::Session;
use crate::reply::session::open_question::{OpenQuestion, open_until};
use crate::reply::turn::{Ended, Keep, ReplyEvent, Turn};
use crate::reply::understand::house::{
    self, HouseDecision, HousePhrasings, HouseRefusal, HouseSituation, PlannedCommand, say,
};
use crate::reply::understand::intents::{self, HomeOrder, Mood};
use crate::reply::understand::wish;
use crate::tools::Toolbox;

type KnownPhrasings = Vec<(Arc<HouseWords>, Arc<HousePhrasings>)>;

/// A house that may be spoken to, and the room of this device.
pub struct ConnectedHome {
    home: Arc<dyn Home>,
    room: Option<String>,
    /// Of the languages that were spoken so far.
    phrasings: Mutex<KnownPhrasings>,
}

/// What an utterance wants of the house.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HouseWish {
    /// As it was understood.
    Decided(HouseDecision),
    /// It is about the house, of which nothing is known at the moment.
    NotReached,
}

/// Commands that wait for a yes.
pub(crate) struct AskedCommands {
    pub(crate) commands: Vec<PlannedCommand>,
    /// Until when a yes counts.
    pub(crate) until: Timestamp,
}

impl ConnectedHome {
    /// A house, and the name of the location item of this device; "": none.
    pub fn new(home: Arc<dyn Home>, room: &str) -> Self {
        let room = Some(room.to_owned()).filter(|room| !room.is_empty());
        Self { home, room, phrasings: Mutex::default() }
    }

    fn view(&self) -> HomeView {
        self.home.watch().borrow().clone()
    }

    fn phrasings(&self, words: &Arc<HouseWords>) -> Arc<HousePhrasings> {
        let mut known = self.phrasings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, phrasings)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, words)) {
            return Arc::clone(phrasings);
        }
        // Those of languages that were replaced are held by nobody else.
        known.retain(|(of, _)| Arc::strong_count(of) > 1);
        let phrasings = Arc::new(HousePhrasings::of(words));
        known.push((Arc::clone(words), Arc::clone(&phrasings)));
        phrasings
    }

    /// What `turn` wants of the house; `order` is what was recognised without looking at it.
    pub(crate) fn wish(
        &self,
        turn: &Turn<'_>,
        order: Option<&HomeOrder>,
        tools: &Toolbox,
    ) -> Option<HouseWish> {
        let words = turn.language.house()?;
        let (view, phrasings) = (self.view(), self.phrasings(words));
        let situation = HouseSituation {
            house: &view.house,
            words,
            phrasings: &phrasings,
            ear: turn.language.ear(),
            room: self.room.as_deref(),
        };
        let decided = house::decide(turn.asked, &situation).filter(|decision| may_be(decision, turn));
        let is_known = view.house.items().len() > 0;
        let order = order.filter(|order| !has_tool_for(order, tools));
        match decided {
            Some(HouseDecision::Refused(HouseRefusal::NoSuch(_))) | None if !is_known => {
                order.map(|_| HouseWish::NotReached)
            }
            // What is sent finds out itself that it does not arrive; anything else would go by states that are gone.
            Some(decision) if !view.link.is_up() && !needs_no_state(&decision) => Some(HouseWish::NotReached),
            Some(decision) => Some(HouseWish::Decided(decision)),
            None => order.map(|order| {
                let none = HouseRefusal::NoSuch(order.thing.clone());
                HouseWish::Decided(HouseDecision::Refused(none))
            }),
        }
    }
}

/// A question never acts, and neither does what is quoted.
fn may_be(decision: &HouseDecision, turn: &Turn<'_>) -> bool {
    let acts = matches!(decision, HouseDecision::Send(_) | HouseDecision::AskFirst(_));
    !acts || (intents::mood(&turn.language, turn.asked) == Mood::Request && !wish::quotes(turn.asked))
}

fn needs_no_state(decision: &HouseDecision) -> bool {
    matches!(decision, HouseDecision::Send(_) | HouseDecision::Refused(HouseRefusal::NoSuch(_)))
}

/// Does what was wished for, or says why not.
pub(crate) async fn carry_out(
    wished: &HouseWish,
    turn: &Turn<'_>,
    means: &QuickMeans<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    let (Some(home), Some(words)) = (means.home, turn.language.house()) else { return Ok(Keep::No) };
    match wished {
        HouseWish::NotReached => {
            sink.decided("home", "not reached", "nothing was done").await?;
            report(&home.view().link, sink).await?;
            sink.say(&words.say.not_reached).await?;
        }
        HouseWish::Decided(HouseDecision::Send(commands)) => send(commands, home, words, sink).await?,
        HouseWish::Decided(HouseDecision::AskFirst(_)) if is_tainted(means.session) => {
            sink.decided("home", "refused", "words of others are in the conversation").await?;
            sink.say(&words.say.foreign_words).await?;
        }
        HouseWish::Decided(decision @ HouseDecision::AskFirst(commands)) => {
            sink.decided("home", "asked", "it needs a yes").await?;
            let question = say::decision(decision, words);
            sink.say(&question).await?;
            let confirm = Duration::from_secs(u64::from(means.confirm_s));
            sink.awaits = Some(confirm);
            let until = open_until(turn.now.timestamp(), confirm, turn.channel, &question);
            let asked = AskedCommands { commands: commands.clone(), until };
            means.session.with(|state| state.question = Some(OpenQuestion::House(asked)));
        }
        HouseWish::Decided(decision) => {
            sink.decided("home", verdict(decision), "nothing was done").await?;
            sink.say(&say::decision(decision, words)).await?;
        }
    }
    Ok(Keep::Yes)
}

/// The answer to "shall I really do it?", if this turn is a yes in time. Anything else does nothing.
pub(crate) async fn answered(
    turn: &Turn<'_>,
    waiting: AskedCommands,
    means: &QuickMeans<'_>,
    sink: &mut ReplySink,
) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
    let (Some(home), Some(words)) = (means.home, turn.language.house()) else { return Ok(None) };
    let is_open = turn.now.timestamp() <= waiting.until;
    if !is_open || is_tainted(means.session) || !intents::is_consent(&turn.language, turn.asked) {
        return Ok(None);
    }
    // What is permitted may have changed since it was asked.
    let house = home.view().house;
    let mut commands = Vec::new();
    for planned in waiting.commands {
        match house.order(&planned.ordered.item, &planned.command) {
            Ok(ordered) => commands.push(PlannedCommand { ordered, ..planned }),
            Err(_) => {
                sink.decided("home", "refused", "it may not be done any more").await?;
                sink.say(&words.say.not_accepted).await?;
                return Ok(Some((Ended::Quick, Keep::Yes)));
            }
        }
    }
    send(&commands, home, words, sink).await?;
    Ok(Some((Ended::Quick, Keep::Yes)))
}

/// Sends each command once, all of them together, and tells what became of them.
async fn send(
    commands: &[PlannedCommand],
    home: &ConnectedHome,
    words: &HouseWords,
    sink: &mut ReplySink,
) -> Result<(), ReceiverClosed> {
    let sent = commands.iter().map(|planned| backend::command(&*home.home, &planned.ordered, FOLLOWS_WITHIN));
    let outcomes: Vec<CommandOutcome> = join_all(sent).await;
    let told: Vec<_> = commands.iter().zip(&outcomes).collect();
    let failed = outcomes.iter().find_map(|outcome| match outcome {
        CommandOutcome::Failed(SendFault::NotSent(fault) | SendFault::OutcomeUnknown(fault)) => Some(fault),
        _ => None,
    });
    let done = outcomes.iter().filter(|outcome| matches!(outcome, CommandOutcome::Done(_))).count();
    sink.decided("home", "sent", format!("{done} of {} commands confirmed", commands.len())).await?;
    if let Some(fault) = failed {
        sink.send(ReplyEvent::Notice(format!("{fault}. {}", fault.remedy()))).await?;
    }
    sink.say(&say::outcomes(&told, words)).await
}

/// Why the house is not reached, in writing.
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
        HouseDecision::Which(_) | HouseDecision::Where => "unclear",
        HouseDecision::Refused(_) => "refused",
        HouseDecision::Told(_) => "told",
    }
}
