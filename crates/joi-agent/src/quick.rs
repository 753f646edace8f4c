//! Recognises, does and answers within a turn what needs no model.
//!
//! Runs in the task of the turn. Input: what was asked, redacted, and the parts of the engine that carry it out.
//! Output: actions for the channel, and an answer.

use std::sync::Arc;

use crate::session::last_deed::LastDeed;
use crate::session::last_set::LastSet;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Action, Keep, ReplyEvent, Turn};
pub(crate) use context::QuickContext;
use gate::Passage;
use house::HouseWish;
use joi_schedule::{EntryKind, ScheduleOrder};
use joi_tools::{Tool, Toolbox};
use joi_understand::house::HouseDecision;
use joi_understand::house::thread::HouseThread;
use joi_understand::intents::{self, Intent, QuickIntent};
use joi_understand::intents::{QuietWish, TakingBack, Undo};
pub(crate) use recognised::Recognised;

pub(crate) mod agents;
mod context;
pub(crate) mod foresee;
pub(crate) mod gate;
pub(crate) mod home;
pub(crate) mod house;
pub(crate) mod memory;
pub(crate) mod recognised;
pub(crate) mod take_back;
pub(crate) mod timers;

/// Forgets what the beginning of `turn` set where the whole of it is another request.
pub(crate) async fn take_back(
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<(), ReceiverClosed> {
    let order = context.session.with(|state| {
        let order = state.last_set.as_ref()?.taken_back(&turn.language, turn.asked, &turn.now)?;
        state.last_set = None;
        Some(order)
    });
    match order {
        Some(order) => timers::withdraw(order, context.schedule, sink).await,
        None => Ok(()),
    }
}

/// Returns what can be done without a model, unless the words around it say that it is not meant.
pub(crate) fn recognise<'a>(
    turn: &Turn<'a>,
    context: &QuickContext<'_>,
    tools: &Toolbox,
) -> Option<Recognised<'a>> {
    let recognised = recognisable(turn, context, tools)?;
    if gate::is_unmeant(turn, &recognised) {
        context.session.with(|state| state.last_set = None);
        return None;
    }
    if matches!(recognised, Recognised::House(_)) {
        context.session.with(|state| state.last_entry = None);
    }
    Some(recognised)
}

/// Returns what the words can be read as; an answer to what was asked back counts only where nothing else fits.
fn recognisable<'a>(turn: &Turn<'a>, context: &QuickContext<'_>, tools: &Toolbox) -> Option<Recognised<'a>> {
    let session = context.session;
    let thread = session.with(|state| {
        let thread = state.house.clone();
        state.house.leaves();
        thread
    });
    let (clarification, last_set) = session.with(|state| (state.clarification.take(), state.last_set.take()));
    if let Some((quick, set)) = last_set.and_then(|set| set.continued(&turn.language, turn.asked, &turn.now))
    {
        session.with(|state| state.last_set = Some(set));
        return Some(Recognised::Quick(quick));
    }
    // Before commands: "remind me when the machine is done" sets no reminder.
    if let Some(watched) = context.home.and_then(|home| home.watched(turn, &thread)) {
        return Some(Recognised::House(watched));
    }
    // Known before it is done: who goes on at once cancels this turn, not what it has set.
    if let Some(set) = LastSet::of(&turn.language, turn.asked, &turn.now) {
        session.with(|state| state.last_set = Some(set));
    }
    let is_meant = |quick: &QuickIntent| match quick.what {
        // "Got it" is an answer to much else.
        Intent::Quiet(QuietWish::Seen) => context.initiative.is_ringing(),
        // "Leave it for now" may be about what a tool was asked for last.
        Intent::NeverMind => {
            let is_call = |tool: &Arc<dyn Tool>| {
                tool.ready(turn.asked, &turn.language, &session.id().to_string()).is_some()
            };
            !tools.all().iter().any(is_call)
        }
        // "Put it up by one", of a thermostat.
        Intent::Volume(_) => !context.home.is_some_and(|home| home.is_about_it(turn, &thread)),
        _ => true,
    };
    let quick = intents::match_intent(&turn.language, turn.asked).filter(is_meant);
    let last_entry = session.with(|state| state.last_entry).filter(|_| quick.is_none());
    if let Some(quick) = last_entry.and_then(|last| last.continued(&turn.language, turn.asked, &turn.now)) {
        return Some(Recognised::Quick(quick));
    }
    let order = match &quick {
        Some(QuickIntent { what: Intent::Home(order), .. }) => Some(order),
        _ => None,
    };
    let takes_back = match &quick {
        Some(QuickIntent { what: Intent::TakeBack(taking), .. }) => Some(*taking),
        _ => None,
    };
    if takes_back.is_none() {
        session.with(|state| state.last_deed.iter_mut().for_each(LastDeed::passes));
    }
    if let Some(home) = context.home
        && (quick.is_none() || order.is_some() || takes_back.is_some())
    {
        let wished = match takes_back {
            Some(taking) => home.back(turn, &thread, taking),
            None => home.wish(turn, &thread, order, tools),
        };
        if wished.as_ref().is_none_or(HouseWish::comes_to_nothing)
            && let Some(likewise) = house::likewise(home, turn, &thread, tools)
        {
            return Some(Recognised::House(likewise));
        }
        if wished.as_ref().is_none_or(HouseWish::comes_to_nothing)
            && let Some(parts) = home.parts(turn, &thread)
        {
            // The first of them goes on with what was said before.
            session.with(|state| state.house = thread);
            return Some(Recognised::Requests(parts));
        }
        if let Some(wished) = wished {
            return Some(Recognised::House(wished));
        }
    }
    // "Is the alarm on?": what rings, or what guards the house.
    if let Some(QuickIntent { what: Intent::Schedule(ScheduleOrder::List(Some(EntryKind::Alarm))), .. }) =
        &quick
        && let Some(wished @ HouseWish::Decided(HouseDecision::Told(_))) =
            context.home.and_then(|home| home.wish(turn, &thread, None, tools))
    {
        return quick.map(|quick| Recognised::Either(quick, wished));
    }
    quick
        .filter(|quick| !matches!(&quick.what, Intent::Home(order) if home::has_tool_for(order, tools)))
        .or_else(|| clarification.and_then(|asked| asked.completed(&turn.language, turn.asked, &turn.now)))
        .map(Recognised::Quick)
}

/// Returns whether a part of the request is for the connected house.
pub(crate) fn is_for_house(
    turn: &Turn<'_>,
    asked: &str,
    context: &QuickContext<'_>,
    tools: &Toolbox,
) -> bool {
    let Some(home) = context.home else { return false };
    let half = Turn { asked, now: turn.now.clone(), language: Arc::clone(&turn.language), ..*turn };
    let wished = home.wish(&half, &HouseThread::default(), None, tools);
    wished.is_some_and(|wished| !wished.is_of_nothing())
}

/// Does what needs no model.
pub(crate) async fn carry_out(
    turn: &Turn<'_>,
    recognised: &Recognised<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    if let Passage::Barred(keep) = gate::passes(turn, recognised, context, sink).await? {
        return Ok(keep);
    }
    let quick = match recognised {
        Recognised::Quick(quick) => quick,
        Recognised::House(wished) => return house::carry_out(wished, turn, context, sink).await,
        Recognised::Either(quick, wished) => {
            let first = Recognised::Quick(quick.clone());
            Box::pin(carry_out(turn, &first, context, sink)).await?;
            sink.begin_another();
            return house::carry_out(wished, turn, context, sink).await;
        }
        Recognised::Requests(_) => return Ok(Keep::No),
    };
    if matches!(quick.what, Intent::Schedule(_) | Intent::Memory(_)) {
        // The last action is not one in the house any more.
        context.session.with(|state| state.house = HouseThread::default());
    }
    if quick.what.row().undo == Undo::Cleared {
        context.session.with(|state| state.last_deed = None);
    }
    sink.decided("intents", quick.what.row().name, quick.reason.as_str()).await?;
    let QuickContext { schedule, memory: store, session, .. } = *context;
    let (actions, keep): (&[Action], Keep) = match &quick.what {
        Intent::Schedule(ScheduleOrder::Set(_) | ScheduleOrder::Amend { .. })
            if joi_redact::has_label(turn.asked) =>
        {
            sink.decided("timers", "refused", "secrets are not kept").await?;
            let refused = sink.refused_secret();
            sink.say(&refused).await?;
            return Ok(Keep::No);
        }
        Intent::Schedule(order) => return timers::carry_out(order, turn, schedule, session, sink).await,
        Intent::Memory(order) => {
            let asking = memory::Asking { confirm_s: context.rules.confirm_s, session };
            return memory::carry_out(order, turn, store, asking, sink).await;
        }
        Intent::Home(order) => return home::carry_out(order, turn, sink).await,
        Intent::Quiet(wish) => return wished(*wish, turn, context, sink).await,
        Intent::Time | Intent::Date | Intent::DateOf(_) | Intent::Greeting(_) => (&[], Keep::Yes),
        Intent::NoSuchTime | Intent::TimeOver => (&[], Keep::Yes),
        Intent::CannotRepeat | Intent::Chance(_) | Intent::Herself(_) | Intent::HomeAgain => (&[], Keep::Yes),
        Intent::Volume(change) => (&[Action::Volume(*change)], Keep::Yes),
        Intent::Repeat => (&[], Keep::No),
        Intent::Stop => {
            session.forget_conversation();
            (&[Action::StopSpeaking, Action::EndConversation], Keep::No)
        }
        Intent::Thanks | Intent::Goodbye | Intent::GoodNight => (&[Action::EndConversation], Keep::Yes),
        Intent::NeverMind => (&[Action::EndConversation], Keep::No),
        Intent::TakeBack(taking) => {
            // What rings is what is cancelled.
            let is_over = *taking == TakingBack::Cancel && timers::silence(schedule, turn.place).await;
            let deed = session.with(|state| state.last_deed.clone());
            if !is_over && take_back::carry_out(*taking, deed, turn, context, sink).await? {
                return Ok(Keep::Yes);
            }
            match taking {
                TakingBack::Cancel => (&[Action::EndConversation], Keep::No),
                TakingBack::Undo => (&[], Keep::Yes),
            }
        }
    };
    sink.is_over = actions.contains(&Action::EndConversation);
    for action in actions {
        sink.send(ReplyEvent::Act(*action)).await?;
    }
    if matches!(quick.what, Intent::Stop | Intent::Thanks | Intent::NeverMind) {
        timers::silence(schedule, turn.place).await;
    }
    if quick.what == Intent::Stop {
        context.initiative.acknowledge(turn.channel).await;
    }
    if quick.what == Intent::GoodNight {
        // The wish for quiet is as silent as the night: the answer is the old one.
        context.initiative.obey(QuietWish::Sleep, (&turn.language, &turn.now), turn.channel).await;
    }
    let last = session.with(|state| state.last_reply.clone());
    sink.say(&intents::answer(&turn.language, &quick.what, &turn.now, last.as_deref())).await?;
    Ok(keep)
}

/// A wish for quiet, or that an alarm was heard.
async fn wished(
    wish: QuietWish,
    turn: &Turn<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Keep, ReceiverClosed> {
    let answer = context.initiative.obey(wish, (&turn.language, &turn.now), turn.channel).await;
    if matches!(wish, QuietWish::NotNow | QuietWish::Sleep | QuietWish::For(_) | QuietWish::Until(_)) {
        sink.is_over = true;
        sink.send(ReplyEvent::Act(Action::EndConversation)).await?;
    }
    sink.say(&answer).await?;
    Ok(Keep::Yes)
}
