//! Several requests in one breath: "set a timer for ten minutes and tell me a joke".
//!
//! Runs in the task of the turn. In: what was asked. Out: the answers to all, one behind the other: first what needs
//! no model, at once, then the rest as a request of its own. A small model that is asked for both at once does one of
//! them, or makes up a third. What could be the rest of a question ("did you close the door and set an alarm for
//! seven") is not taken apart.

use super::intents::{self, Intent};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::{Ended, Engine, Keep, Turn, planner, tool_loop};
use crate::llm::ModelSize;
use crate::schedule::Order;
use crate::tools::Effect;
use crate::tools::gate::Mood;

/// What a part of a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// No model, and it only tells something.
    Tells,
    /// No model, and it does something.
    Acts,
    /// A model.
    Rest,
}

/// The order of two parts, what needs no model first; nothing when they must stay together.
fn in_order([one, other]: [(&str, Part); 2], first_asks: bool) -> Option<[&str; 2]> {
    match (one.1, other.1) {
        (Part::Rest, Part::Rest) => None,
        (Part::Rest, Part::Acts) if first_asks => None,
        (Part::Rest, _) => Some([other.0, one.0]),
        _ => Some([one.0, other.0]),
    }
}

/// A quick command that may stand beside another request.
fn quick(part: &str) -> Option<Part> {
    match intents::match_intent(part)?.what {
        Intent::Time | Intent::Date | Intent::Schedule(Order::List(_) | Order::Left(_)) => Some(Part::Tells),
        Intent::Schedule(_) | Intent::Volume(_) => Some(Part::Acts),
        // What ends a conversation, or takes all that follows for its own, stands alone.
        Intent::Stop
        | Intent::Repeat
        | Intent::Thanks
        | Intent::NeverMind
        | Intent::Goodbye
        | Intent::GoodNight
        | Intent::Memory(_)
        | Intent::Home(_) => None,
    }
}

impl<M: ChatModel> Engine<M> {
    /// The two requests of an utterance in the order in which they are answered; nothing when it is one.
    pub(super) fn two_requests<'a>(&self, asked: &'a str) -> Option<[&'a str; 2]> {
        // Calls that stand side by side are told together already.
        let parts = planner::parts_of(asked);
        if parts.len() == 2 && parts.iter().all(|part| quick(part).is_none()) && self.stand(&parts).is_some()
        {
            return None;
        }
        planner::halves_of(asked).into_iter().find_map(|halves| {
            let parts = halves.map(|part| (part, self.part(part)));
            in_order(parts, intents::mood(halves[0]) == Mood::Question)
        })
    }

    fn part(&self, part: &str) -> Part {
        if let Some(quick) = quick(part) {
            return quick;
        }
        // A large model calls tools better than words do.
        if tool_loop::protocol_of(self).1 == ModelSize::Large {
            return Part::Rest;
        }
        let call = self.stand(&[part]).and_then(|mut calls| calls.pop_front());
        let effect = call.and_then(|made| Some(self.toolbox().get(&made.name)?.effect(&made.arguments)));
        match effect {
            Some(Effect::Looks) => Part::Tells,
            Some(_) => Part::Acts,
            None => Part::Rest,
        }
    }

    /// Answers both, one behind the other. A question of hers waits for its answer: then the rest is not begun.
    pub(super) async fn both(
        &self,
        turn: &Turn<'_>,
        parts: [&str; 2],
        outlet: &mut Outlet,
    ) -> Result<(Ended, Keep), Unheard> {
        outlet.decided("parts", "two", "a request that needs no model, and another one").await?;
        let mut all = (Ended::Quick, Keep::No);
        for asked in parts {
            outlet.begin_another();
            let turn = Turn { asked, now: turn.now.clone(), ..*turn };
            let (ended, keep) = match self.quick(&turn) {
                Some(quick) => (Ended::Quick, self.act(&turn, &quick, outlet).await?),
                None => match self.two_requests(asked) {
                    Some(parts) => Box::pin(self.both(&turn, parts, outlet)).await?,
                    None => self.thinks(&turn, outlet).await?,
                },
            };
            if ended != Ended::Quick {
                all.0 = ended;
            }
            if matches!(keep, Keep::Yes) {
                all.1 = Keep::Yes;
            }
            if outlet.awaits.is_some() || outlet.is_over {
                break;
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_model_comes_first_and_a_question_is_not_taken_apart() {
        use Part::{Acts, Rest, Tells};
        let order = |one, other, first_asks| in_order([("a", one), ("b", other)], first_asks);
        assert_eq!(order(Acts, Rest, false), Some(["a", "b"]));
        assert_eq!(order(Rest, Acts, false), Some(["b", "a"]));
        assert_eq!(order(Rest, Tells, true), Some(["b", "a"]));
        assert_eq!(order(Acts, Tells, true), Some(["a", "b"]));
        assert_eq!(order(Rest, Acts, true), None, "it may be what the question is about");
        assert_eq!(order(Rest, Rest, false), None);
    }
}
