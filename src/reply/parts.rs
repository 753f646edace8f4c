//! Several requests in one breath: "set a timer for ten minutes and tell me a joke".
//!
//! Runs in the task of the turn. In: what was asked. Out: the answers to all, one behind the other: first what needs
//! no model, at once, then the rest as a request of its own. A small model that is asked for both at once does one of
//! them, or makes up a third. What could be the rest of a question ("did you close the door and set an alarm for
//! seven") is not taken apart.

use super::compound::Joint;
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

/// The parts that are to be answered, what needs no model first; nothing when they must stay together.
fn in_order([one, other]: [(&str, Part); 2], joint: Joint, first_asks: bool) -> Option<Vec<&str>> {
    match (one.1, other.1) {
        (Part::Rest, Part::Rest) => None,
        (Part::Rest, Part::Acts) if first_asks => None,
        // "I'm making pasta, set a timer": the first half asks for nothing.
        (Part::Rest, _) if joint == Joint::Comma && !first_asks => Some(vec![other.0]),
        (_, Part::Rest) if joint == Joint::Comma => None,
        (Part::Rest, _) => Some(vec![other.0, one.0]),
        _ => Some(vec![one.0, other.0]),
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
    /// The requests of an utterance in the order in which they are answered; nothing when it is to be taken whole.
    pub(super) fn requests<'a>(&self, asked: &'a str) -> Option<Vec<&'a str>> {
        // Calls that stand side by side are told together already.
        let parts = planner::parts_of(asked);
        if parts.len() == 2 && parts.iter().all(|part| quick(part).is_none()) && self.stand(&parts).is_some()
        {
            return None;
        }
        planner::halves_of(asked).into_iter().find_map(|(halves, joint)| {
            let parts = halves.map(|part| (part, self.part(part)));
            in_order(parts, joint, intents::mood(halves[0]) == Mood::Question)
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

    /// Answers them, one behind the other. A question of hers waits for its answer: then the rest is not begun.
    pub(super) async fn each(
        &self,
        turn: &Turn<'_>,
        parts: Vec<&str>,
        outlet: &mut Outlet,
    ) -> Result<(Ended, Keep), Unheard> {
        let (verdict, why) = match parts.len() {
            1 => ("one", "what stands before it asks for nothing"),
            _ => ("two", "a request that needs no model, and another one"),
        };
        outlet.decided("parts", verdict, why).await?;
        let mut all = (Ended::Quick, Keep::No);
        for asked in parts {
            outlet.begin_another();
            let turn = Turn { asked, now: turn.now.clone(), ..*turn };
            let (ended, keep) = match self.quick(&turn) {
                Some(quick) => (Ended::Quick, self.act(&turn, &quick, outlet).await?),
                None => match self.requests(asked) {
                    Some(parts) => Box::pin(self.each(&turn, parts, outlet)).await?,
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
        let joined = |joint, one, other, asks| in_order([("a", one), ("b", other)], joint, asks);
        let order = |one, other, asks| joined(Joint::Conjunction, one, other, asks);
        assert_eq!(order(Acts, Rest, false), Some(vec!["a", "b"]));
        assert_eq!(order(Rest, Acts, false), Some(vec!["b", "a"]));
        assert_eq!(order(Rest, Tells, true), Some(vec!["b", "a"]));
        assert_eq!(order(Acts, Tells, true), Some(vec!["a", "b"]));
        assert_eq!(order(Rest, Acts, true), None, "it may be what the question is about");
        assert_eq!(order(Rest, Rest, false), None);
        let comma = |one, other, asks| joined(Joint::Comma, one, other, asks);
        assert_eq!(comma(Rest, Acts, false), Some(vec!["b"]));
        assert_eq!(comma(Rest, Acts, true), None, "if it rains, …");
        assert_eq!(comma(Rest, Tells, true), Some(vec!["b", "a"]));
        assert_eq!(comma(Acts, Rest, false), None, "it may be taken back");
        assert_eq!(comma(Acts, Tells, false), Some(vec!["a", "b"]));
    }
}
