//! Opens goals, passes words on to them, and changes their state.
//!
//! Futures of a call. The rules are those of [`crate::owner`], which the command line follows as well.

use joi_base::message::Origin;
use joi_language::{capital, fill};
use joi_store::StoreError;
use joi_tools::{Call, Output, Source};

use super::{GoalsTool, KnownGoal};
use crate::owner::{self, OpenedGoal};
use crate::status::WorkEvent;

/// The channel of what was said in a conversation.
const TALK: &str = "talk";

pub(super) async fn open(tool: &GoalsTool, call: &Call<'_>) -> Result<Output, StoreError> {
    let say = &call.language.sentences().goals;
    let (name, now) = (call.text("goal"), call.now.timestamp());
    let brief = Some(call.text("text")).filter(|text| !text.is_empty()).unwrap_or(name);
    let opened = owner::open(&tool.store, (name, brief), (origin(call), TALK), Vec::new(), now).await?;
    let sentence = match opened {
        OpenedGoal::Opened(id, name) => {
            tool.speaks_of(id, call).await;
            (tool.wake_up)();
            fill(&say.opened, &[("name", &name)])
        }
        OpenedGoal::There(id, name) => {
            tool.speaks_of(id, call).await;
            fill(&say.open_already, &[("name", &name)])
        }
        OpenedGoal::TooMany(count) => fill(&say.too_many, &[("count", &count.to_string())]),
    };
    Ok(said(sentence))
}

pub(super) async fn say(tool: &GoalsTool, goal: &KnownGoal, call: &Call<'_>) -> Result<Output, StoreError> {
    owner::say(&tool.store, goal.id, call.text("text"), (origin(call), TALK), call.now.timestamp()).await?;
    (tool.wake_up)();
    Ok(named(&call.language.sentences().goals.told, goal))
}

pub(super) async fn resume(
    tool: &GoalsTool,
    goal: &KnownGoal,
    call: &Call<'_>,
) -> Result<Output, StoreError> {
    owner::change(&tool.store, goal.id, WorkEvent::Resumed, call.now.timestamp()).await?;
    (tool.wake_up)();
    Ok(named(&call.language.sentences().goals.resumed, goal))
}

pub(super) async fn leave(tool: &GoalsTool, goal: &KnownGoal, call: &Call<'_>) -> Result<Output, StoreError> {
    owner::change(&tool.store, goal.id, WorkEvent::Left, call.now.timestamp()).await?;
    Ok(named(&call.language.sentences().goals.left, goal))
}

pub(super) async fn end(tool: &GoalsTool, goal: &KnownGoal, call: &Call<'_>) -> Result<Output, StoreError> {
    owner::change(&tool.store, goal.id, WorkEvent::Ended, call.now.timestamp()).await?;
    Ok(named(&call.language.sentences().goals.archived, goal))
}

fn named(sentence: &str, goal: &KnownGoal) -> Output {
    said(capital(&fill(sentence, &[("name", &goal.name)])))
}

fn said(sentence: String) -> Output {
    Output::own(sentence.clone()).saying(sentence)
}

/// Whose words a call brings: the gate has let it through, so that they are the user's unless strangers' are in the turn.
fn origin(call: &Call<'_>) -> Origin {
    match call.source {
        Source::Own => Origin::Speech,
        Source::Foreign => Origin::Stranger,
    }
}
