//! The answer to "which one?" and "in which room?".
//!
//! Runs in the task of the turn. Input: the words of the turn, and what was asked back. Output: the command is carried
//! out, the question asked anew, or nothing where the turn is no answer to it.

use std::sync::Arc;

use super::{MANY, ask_which};
use crate::quick::context::QuickContext;
use crate::quick::recognised::{HouseWish, Recognised};
use crate::session::asked::AskedWhich;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Ended, Keep, Turn};
use joi_understand::house::HouseDecision;
use joi_understand::house::follow::{self, FollowUp, Picked};
use joi_understand::intents::{self, Mood};

/// Carries out or reports what the answer to "which one?" picks; nothing when this turn is no answer to it.
pub(crate) async fn picked(
    turn: &Turn<'_>,
    waiting: AskedWhich,
    context: &QuickContext<'_>,
    sink: &mut ReplySink,
) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
    let over = Some((Ended::Quick, Keep::Yes));
    let Some(home) = context.home.filter(|_| turn.now.timestamp() <= waiting.until) else { return Ok(None) };
    let AskedWhich { said, mut chosen, things, wants_place, .. } = waiting;
    let asked = Turn { asked: &said, now: turn.now.clone(), language: Arc::clone(&turn.language), ..*turn };
    let read = home.understood(turn, FollowUp::default(), |situation| {
        follow::picked(turn.asked, (&things, wants_place), situation)
    });
    // A question picks nothing, and a yes does not say which.
    let is_open = intents::mood(&turn.language, turn.asked) == Mood::Question
        || intents::is_yes(&turn.language, turn.asked);
    let (left, place) = match read.flatten() {
        Some(Picked::These(_) | Picked::In(_)) if is_open => (things, None),
        Some(Picked::These(names)) => {
            chosen.extend(names);
            (Vec::new(), None)
        }
        Some(Picked::In(place)) => (Vec::new(), Some(place)),
        Some(Picked::OneOf(fewer)) => (fewer, None),
        None if intents::is_yes(&turn.language, turn.asked) => (things, None),
        None => return Ok(None),
    };
    let follow = FollowUp { chosen: &chosen, place: place.as_deref(), ..FollowUp::default() };
    let wished = match left.len() {
        0 => home.after_pick(&asked, follow),
        MANY.. if wants_place => Some(HouseWish::Decided(HouseDecision::Where(left))),
        _ => Some(HouseWish::Decided(HouseDecision::Which(left))),
    };
    let Some(wished) = wished else { return Ok(None) };
    if let HouseWish::Decided(decision @ (HouseDecision::Which(_) | HouseDecision::Where(_))) = &wished {
        ask_which(decision, (&asked, &chosen), context, sink).await?;
    } else {
        crate::quick::carry_out(&asked, &Recognised::House(wished), context, sink).await?;
    }
    Ok(over)
}
