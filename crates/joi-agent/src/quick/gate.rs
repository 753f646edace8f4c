//! Applies the owner's policy to what needs no model: what is forbidden or asked about applies here, too.
//!
//! Runs in the task of the turn. Input: what was recognised. Output: whether it may be done now; if not, the reason is
//! said, or the user is asked and a yes awaited. The user's own words count as a request; strangers' words are in them
//! only if quoted or pasted. What ends a conversation or silences it is never held back. For another program nothing is done
//! at all: it is only informed.

use std::time::Duration;

use super::{QuickContext, Recognised};
use crate::quick::house::{self, HouseWish};
use crate::session::asked::AskedQuick;
use crate::session::open_question::{OpenQuestion, open_until};
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Keep, Turn};
use joi_autonomy::watch::WatchOrder;
use joi_language::fill;
use joi_tools::gate::{self, Address, CallFacts, GateVerdict, Handed, Taint, ToolPermission, Wish};
use joi_tools::{Effect, fence, house_deed};
use joi_understand::house::{HouseDecision, follow, later};
use joi_understand::intents::{EquivalentCall, Intent};
use joi_understand::wish;

/// Most characters of what was said that are said back.
const LONGEST_SAID: usize = 120;

/// A recognised request, as a tool would do it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct QuickDeed {
    tool: &'static str,
    /// The actions, as the tool names them.
    deeds: Vec<String>,
    effect: Effect,
}

impl QuickDeed {
    /// Returns whether it changes nothing and reads nothing of the memory.
    fn informs(&self) -> bool {
        self.effect == Effect::Looks && self.tool != joi_tools::MEMORY
    }
}

/// Decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// It is done now.
    Free,
    /// It is not done, and joi said so.
    Barred(Keep),
}

/// Returns whether a recognised request is done now.
pub(super) async fn passes(
    turn: &Turn<'_>,
    recognised: &Recognised<'_>,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Passage, ReceiverClosed> {
    if !turn.origin.is_owners() && !only_informs(recognised) {
        sink.decided("gate", "forbidden", "nobody of the household asked for it").await?;
        context.session.with(|state| state.last_set = None);
        let sentence = sink.sentence(|say| &say.forbidden_by_settings);
        sink.say(&sentence).await?;
        return Ok(Passage::Barred(Keep::No));
    }
    let Some(deed) = deed(recognised) else { return Ok(Passage::Free) };
    let verdict = judged(turn, (recognised, &deed), context);
    match verdict {
        GateVerdict::Allow => return Ok(Passage::Free),
        // It asks by itself.
        GateVerdict::Ask(_) if asks_itself(recognised) => return Ok(Passage::Free),
        GateVerdict::Ask(_) | GateVerdict::Forbid(_) => {}
    }
    sink.decided("gate", verdict.name(), format!("{}: {}", deed.tool, verdict.reason())).await?;
    // Nothing was set that could be gone on with.
    context.session.with(|state| state.last_set = None);
    match (verdict, recognised) {
        (GateVerdict::Ask(_), Recognised::House(HouseWish::Decided(HouseDecision::Send(batch)))) => {
            let asked = HouseWish::Decided(HouseDecision::AskFirst(batch.clone()));
            house::carry_out(&asked, turn, context, sink).await.map(Passage::Barred)
        }
        (GateVerdict::Ask(_), _) => ask(turn, (recognised, deed), context, sink).await,
        (GateVerdict::Allow | GateVerdict::Forbid(_), _) => {
            let sentence = sink.sentence(|say| &say.forbidden_by_settings);
            sink.say(&sentence).await?;
            // Words that were to be forgotten are kept nowhere else.
            sink.is_private = asks_to_forget(recognised);
            Ok(Passage::Barred(if sink.is_private { Keep::No } else { Keep::Yes }))
        }
    }
}

/// Returns whether what was recognised changes something, and the words around it say that it is not meant.
pub(super) fn is_unmeant(turn: &Turn<'_>, recognised: &Recognised<'_>) -> bool {
    let changes =
        |deed: QuickDeed| matches!(deed.effect, Effect::Changes | Effect::Risks | Effect::Remembers);
    // "Not so bright" turns nothing down.
    let in_other_words = matches!(recognised, Recognised::House(_))
        && turn.language.house().is_some_and(|words| follow::is_in_other_words(turn.asked, words));
    !in_other_words
        && deed(recognised).is_some_and(changes)
        && matches!(wish::objection(&turn.language, turn.asked), Some(Wish::Talk(_)))
}

/// Returns what the gate says; a request for what was refused before counts as new. The owner's own words, one deed
/// each, are not counted: the limit is there for models that call again and again.
fn judged(
    turn: &Turn<'_>,
    (recognised, deed): (&Recognised<'_>, &QuickDeed),
    context: &QuickContext<'_>,
) -> GateVerdict {
    context.session.with(|state| state.history.refused.retain(|refused| !deed.deeds.contains(refused)));
    // The condition of a watch is understood, and no objection to its command; nor is "when the sun sets".
    let is_understood = |objection: &Wish| match recognised {
        Recognised::House(HouseWish::Watch { .. }) => true,
        Recognised::House(HouseWish::Later(_)) => {
            let of_moment = turn.language.house().is_some_and(|words| later::names_moment(turn.asked, words));
            matches!(objection, Wish::Ask(_)) && of_moment
        }
        _ => false,
    };
    let objection = wish::objection(&turn.language, turn.asked).filter(|objection| !is_understood(objection));
    let facts = CallFacts {
        tool: deed.tool,
        effect: deed.effect,
        taint: if turn.is_quoting { Taint::Tainted } else { Taint::Clean },
        address: Address::Named,
        permission: ToolPermission::Allow,
        handed: Handed::Nothing,
        wish: objection.unwrap_or(Wish::Act),
        consent: context.consent,
        refused: false,
        lately: 0,
    };
    gate::judge(&facts, context.rules)
}

/// Asks whether it is to be done.
async fn ask(
    turn: &Turn<'_>,
    (recognised, deed): (&Recognised<'_>, QuickDeed),
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Passage, ReceiverClosed> {
    let recognised = match recognised {
        Recognised::Quick(quick) => Recognised::Quick(quick.clone()),
        Recognised::House(wished) => Recognised::House(wished.clone()),
        Recognised::Either(..) | Recognised::Requests(_) => return Ok(Passage::Free),
    };
    let said = fence::shortened(turn.asked.trim_end_matches(['.', '!', '?']), LONGEST_SAID);
    let question = fill(&sink.sentence(|say| &say.shall_i_do), &[("said", &said)]);
    sink.say(&question).await?;
    let confirm = Duration::from_secs(u64::from(context.rules.confirm_s));
    sink.awaits = Some(confirm);
    let asked = AskedQuick {
        recognised,
        said: turn.asked.to_owned(),
        is_quoting: turn.is_quoting,
        deeds: deed.deeds,
        until: open_until(turn.now.timestamp(), confirm, turn.channel, &question),
        is_repeated: false,
    };
    context.session.with(|state| state.question = Some(OpenQuestion::Quick(Box::new(asked))));
    Ok(Passage::Barred(Keep::Yes))
}

/// Returns whether a yes is asked for in any case.
fn asks_itself(recognised: &Recognised<'_>) -> bool {
    asks_to_forget(recognised)
        || matches!(recognised, Recognised::House(HouseWish::Decided(HouseDecision::AskFirst(_))))
}

fn asks_to_forget(recognised: &Recognised<'_>) -> bool {
    let Recognised::Quick(quick) = recognised else { return false };
    matches!(&quick.what, Intent::Memory(order) if order.erases())
}

/// Returns what is recognised, as a tool would do it; nothing for what no tool does.
fn deed(recognised: &Recognised<'_>) -> Option<QuickDeed> {
    match recognised {
        Recognised::Quick(quick) => of_intent(&quick.what),
        Recognised::House(wished) => of_house(wished),
        Recognised::Either(..) | Recognised::Requests(_) => None,
    }
}

/// Returns whether nothing is changed, silenced or ended by it, and nothing of the memory is read.
fn only_informs(recognised: &Recognised<'_>) -> bool {
    match recognised {
        Recognised::Quick(quick) => quick_informs(&quick.what),
        Recognised::House(wished) => house_informs(wished),
        Recognised::Either(quick, wished) => quick_informs(&quick.what) && house_informs(wished),
        Recognised::Requests(_) => true,
    }
}

fn quick_informs(what: &Intent) -> bool {
    match of_intent(what) {
        Some(deed) => deed.informs(),
        None => matches!(
            what,
            Intent::Greeting(_)
                | Intent::HomeAgain
                | Intent::Goodbye
                | Intent::Chance(_)
                | Intent::Herself(_)
                | Intent::CannotRepeat
                | Intent::Repeat
                | Intent::Home(_)
        ),
    }
}

fn house_informs(wished: &HouseWish) -> bool {
    match of_house(wished) {
        Some(deed) => deed.informs(),
        None => !matches!(wished, HouseWish::Watch { order: WatchOrder::Add(_) | WatchOrder::Remove(_), .. }),
    }
}

fn of_intent(what: &Intent) -> Option<QuickDeed> {
    let EquivalentCall { tool, action, effect } = what.row().tool?;
    let deeds = if action.is_empty() { Vec::new() } else { vec![format!("{tool} {action}")] };
    Some(QuickDeed { tool, deeds, effect })
}

fn of_house(wished: &HouseWish) -> Option<QuickDeed> {
    let changes =
        |deeds: Vec<String>| Some(QuickDeed { tool: "homeCommand", deeds, effect: Effect::Changes });
    match wished {
        HouseWish::Decided(HouseDecision::Send(batch) | HouseDecision::AskFirst(batch)) => {
            changes(batch.commands.iter().map(|planned| house_deed(&planned.command)).collect())
        }
        HouseWish::Later(later) => {
            changes(later.commands.iter().map(|planned| house_deed(&planned.command)).collect())
        }
        HouseWish::Unstored { .. } => changes(Vec::new()),
        HouseWish::Watch { planned, .. } if !planned.is_empty() => {
            changes(planned.iter().map(|planned| house_deed(&planned.command)).collect())
        }
        HouseWish::Decided(HouseDecision::Told(_)) => {
            Some(QuickDeed { tool: "homeRead", deeds: Vec::new(), effect: Effect::Looks })
        }
        HouseWish::Decided(HouseDecision::Which(_) | HouseDecision::Where(_) | HouseDecision::Refused(_))
        | HouseWish::Watch { .. }
        | HouseWish::NotWatched(_)
        | HouseWish::NotReached => None,
    }
}

#[cfg(test)]
mod tests {
    use joi_language::values::WatchChoice;

    use super::*;

    #[test]
    fn to_list_watches_informs_and_to_end_one_does_not() {
        let wished = |order| HouseWish::Watch { order, planned: Vec::new() };
        assert!(house_informs(&wished(WatchOrder::List)));
        assert!(!house_informs(&wished(WatchOrder::Remove(WatchChoice::All))));
    }
}
