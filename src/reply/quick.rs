//! What needs no model within a turn: recognised, done, answered in a few words.
//!
//! Runs in the task of the turn. In: what was asked, redacted. Out: actions for the channel, and an answer.

use super::intents::{self, Intent, QuickIntent};
use super::model::ChatModel;
use super::outlet::{Outlet, Unheard};
use super::timers::Just;
use super::{Action, Engine, Keep, ReplyEvent, Turn};

impl<M: ChatModel> Engine<M> {
    /// What can be done without a model; an answer to what was asked back counts only where nothing else fits.
    pub(super) fn quick(&self, turn: &Turn<'_>) -> Option<QuickIntent> {
        let unfinished = self.lock(&self.unfinished).remove(&turn.channel);
        let just = self.lock(&self.just).remove(&turn.channel);
        if let Some((quick, just)) = just.and_then(|just| just.continued(turn.asked, &turn.now)) {
            self.lock(&self.just).insert(turn.channel, just);
            return Some(quick);
        }
        // Known before it is done: who goes on at once cancels this turn, not what it has set.
        if let Some(just) = Just::of(turn.asked, &turn.now) {
            self.lock(&self.just).insert(turn.channel, just);
        }
        intents::match_intent(turn.asked)
            .filter(|quick| !matches!(&quick.what, Intent::Home(order) if self.has_tool_for(order)))
            .or_else(|| unfinished.and_then(|unfinished| unfinished.completed(turn.asked, &turn.now)))
    }

    /// Does what needs no model.
    pub(super) async fn act(
        &self,
        turn: &Turn<'_>,
        quick: &QuickIntent,
        outlet: &mut Outlet,
    ) -> Result<Keep, Unheard> {
        outlet.decided("intents", quick.what.name(), quick.reason.as_str()).await?;
        let (actions, keep): (&[Action], Keep) = match &quick.what {
            Intent::Schedule(order) => return self.schedule(turn, order, outlet).await,
            Intent::Memory(order) => return self.mind(turn, order, outlet).await,
            Intent::Home(order) => return self.home(order, outlet).await,
            Intent::Time | Intent::Date => (&[], Keep::Yes),
            Intent::Volume(change) => (&[Action::Volume(*change)], Keep::Yes),
            Intent::Repeat => (&[], Keep::No),
            Intent::Stop => {
                self.forget_calls();
                (&[Action::StopSpeaking, Action::EndConversation], Keep::No)
            }
            Intent::Thanks | Intent::Goodbye | Intent::GoodNight => (&[Action::EndConversation], Keep::Yes),
            Intent::NeverMind => (&[Action::EndConversation], Keep::No),
        };
        outlet.is_over = actions.contains(&Action::EndConversation);
        for action in actions {
            outlet.send(ReplyEvent::Act(*action)).await?;
        }
        if matches!(quick.what, Intent::Stop | Intent::Thanks | Intent::NeverMind) {
            self.silence().await;
        }
        let last = self.lock(&self.last).get(&turn.channel).cloned();
        outlet.say(&intents::answer(&quick.what, &turn.now, last.as_deref())).await?;
        Ok(keep)
    }
}
