//! The same for another thing: "the bedroom too", "and the desk lamp".
//!
//! Input: the words of the turn, and what was sent last. Output: what that means for the house; nothing where no thing of
//! the house can do it. Pure but for the house it is read against: no I/O, no clock.

use std::sync::Arc;

use super::{ConnectedHome, HouseWish};
use crate::turn::Turn;
use joi_tools::Toolbox;
use joi_understand::house::follow;
use joi_understand::house::thread::HouseThread;

/// Returns what `turn` wants of another thing, as of the last one.
pub(crate) fn likewise(
    home: &ConnectedHome,
    turn: &Turn<'_>,
    thread: &HouseThread,
    tools: &Toolbox,
) -> Option<HouseWish> {
    let last = thread.sent_last(turn.now.timestamp())?;
    let text = follow::likewise(turn.asked, last, turn.language.house()?)?;
    let (now, language) = (turn.now.clone(), Arc::clone(&turn.language));
    let turn = Turn { asked: &text, beside: &text, now, language, ..*turn };
    home.wish(&turn, thread, None, tools).filter(|wish| !wish.comes_to_nothing())
}
