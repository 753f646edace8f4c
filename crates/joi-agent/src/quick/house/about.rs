//! The connected house in words for the model, and whether words are about it, before anything is made of them.
//!
//! Runs in the task of the turn. In: the words, the talk about the house. Out: a line, or yes or no; nothing is done.

use std::sync::Arc;

use super::connected::{ConnectedHome, acts, is_odd};
use crate::session::Session;
use crate::turn::Turn;
use joi_language::Language;
use joi_tools::{HouseKnown, house_summary};
use joi_understand::house::HouseDecision;
use joi_understand::house::follow::FollowUp;
use joi_understand::house::thread::HouseThread;

impl ConnectedHome {
    /// Returns the present description of the house for the model; empty where nothing is known.
    pub(crate) fn summary(&self, known: &HouseKnown, language: &Language) -> String {
        let view = self.view();
        let house = view.link.is_up().then_some(&view.house);
        match language.house() {
            Some(words) => house_summary(house, known, self.comfort, words),
            None => String::new(),
        }
    }

    /// Returns whether `turn` is a question that the house answers.
    pub(crate) fn answers(&self, turn: &Turn<'_>) -> bool {
        matches!(self.decided(turn, FollowUp::default()), Some(HouseDecision::Told(_)))
    }

    /// Returns whether `asked` is about the house, or about what was spoken of in it.
    pub(crate) fn knows(&self, asked: &str, turn: &Turn<'_>, session: &Session) -> bool {
        let thread = session.with(|state| state.house.clone());
        let it = thread.it(turn.now.timestamp());
        let half = Turn { asked, now: turn.now.clone(), language: Arc::clone(&turn.language), ..*turn };
        self.decided(&half, FollowUp { it, ..FollowUp::default() }).is_some_and(|decided| !is_odd(&decided))
    }

    /// Returns whether `turn` is a command to what was spoken of last, and none without that.
    pub(crate) fn is_about_it(&self, turn: &Turn<'_>, thread: &HouseThread) -> bool {
        let it = thread.it(turn.now.timestamp());
        let acts =
            |it| self.decided(turn, FollowUp { it, ..FollowUp::default() }).is_some_and(|it| acts(&it));
        !it.is_empty() && acts(it) && !acts(&[])
    }
}
