//! Half a request that goes on with the one before: "what time is it in Lisbon?", "and in Tokyo?"; "put milk on there".
//!
//! Runs in the task of the turn. In: the words of the turn, what was asked before. Out: the whole request, where no model is
//! needed for it; a model sees what was said before anyway.

use std::sync::Arc;

use jiff::SignedDuration;

use super::model::ChatModel;
use super::turn::Turn;
use super::turn_context::TurnContext;
use joi_language::values::ScheduleOrder;
use joi_tools::Effect;
use joi_understand::carried;
use joi_understand::intents::{self, Intent};

/// A question counts this long.
const LASTS: SignedDuration = SignedDuration::from_mins(2);

impl<M: ChatModel> TurnContext<'_, M> {
    /// Returns the request that `asked` is together with what was said before; notes what is asked now.
    pub(super) fn carried_on(&self, asked: &str, turn: &Turn<'_>) -> Option<String> {
        let now = turn.now.timestamp();
        let before = self.session.with(|state| state.last_asked.take());
        let before = before.filter(|(_, at)| now.duration_since(*at).abs() <= LASTS);
        let whole = before.and_then(|(before, _)| {
            let whole = carried::carried_on(&before, asked, &turn.language)?;
            let is_known = |asked: &str| self.is_known_question(asked, turn);
            (is_known(&before) && is_known(&whole)).then_some(whole)
        });
        let noted = (whole.as_deref().unwrap_or(asked).to_owned(), now);
        self.session.with(|state| state.last_asked = Some(noted));
        if whole.is_some() {
            return whole;
        }
        // Timers and the house go first: "take five minutes off".
        let is_quick = || {
            let of_entry = self.session.with(|state| state.last_entry);
            intents::match_intent(&turn.language, asked).is_some()
                || of_entry.and_then(|last| last.continued(&turn.language, asked, &turn.now)).is_some()
                || self.engine.parts.home.as_ref().is_some_and(|home| home.knows(asked, turn, self.session))
        };
        self.tools().in_full(asked, &turn.language).filter(|_| !is_quick())
    }

    /// Returns whether `asked` is a question that no model is needed for. Nothing is done for one.
    fn is_known_question(&self, asked: &str, turn: &Turn<'_>) -> bool {
        let quick = intents::match_intent(&turn.language, asked).map(|quick| quick.what);
        if let Some(quick) = quick {
            return matches!(
                quick,
                Intent::Time
                    | Intent::Date
                    | Intent::DateOf(_)
                    | Intent::Schedule(ScheduleOrder::List(_) | ScheduleOrder::Left(_))
            );
        }
        let half = Turn { asked, now: turn.now.clone(), language: Arc::clone(&turn.language), ..*turn };
        let home = self.engine.parts.home.as_ref();
        if home.is_some_and(|home| home.answers(&half)) {
            return true;
        }
        let tools = self.tools();
        let calls = tools.ready_calls(&[asked], &turn.language).unwrap_or_default();
        calls.iter().any(|call| {
            let tool = tools.offered().into_iter().find(|tool| tool.name() == call.name);
            tool.is_some_and(|tool| tool.effect(&call.arguments) == Effect::Looks)
        })
    }
}
