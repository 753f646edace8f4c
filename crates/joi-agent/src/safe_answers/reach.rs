//! Handles what no small model knows and nothing here reaches: the news, prices, mail, orders.
//!
//! Runs in the task of the turn. Input: a request that no quick command answers. Output: a sentence of the language that
//! says so and what can be done, or what a search of the web found. What a tool is there for is left to it.

use super::{LookUp, LookedUp, Remedy, query_of};
use crate::model::ChatModel;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::{Ended, Keep, Turn};
use crate::turn_context::TurnContext;
use joi_answer::source::SourceTrust;
use joi_language::tools::ReachTopic;
use joi_llm::ModelSize;
use joi_tools::gate::Consent;
use joi_tools::{Arguments, Effect, Tool, WEB_SEARCH};

/// Tools that read from outside and of which is known what they find.
const KNOWN: [&str; 3] = [WEB_SEARCH, "readPage", "weather"];

impl<M: ChatModel> TurnContext<'_, M> {
    /// The answer to what is out of reach, in place of what a small model would invent; nothing when it is none of that.
    pub(in crate::safe_answers) async fn settle_reach(
        &self,
        turn: &Turn<'_>,
        topic: &ReachTopic,
        sink: &mut ReplySink,
    ) -> Result<(), ReceiverClosed> {
        let remedy = if topic.is_public { self.remedy(turn) } else { Remedy::Nothing };
        match remedy {
            Remedy::AtOnce => {
                let query = query_of(turn).to_owned();
                let wanted = LookUp { query, trust: SourceTrust::Anybody, consent: Consent::NotAsked };
                let ended = self.look_up(turn, &wanted, sink).await?;
                if ended != LookedUp::Quoted {
                    sink.say_on(&topic.say).await?;
                }
                self.say_failure(turn, ended, sink).await
            }
            Remedy::Offer => {
                sink.say_on(&topic.say).await?;
                self.offer(turn, query_of(turn).to_owned(), SourceTrust::Anybody, sink).await
            }
            Remedy::Nothing | Remedy::SwitchedOff => {
                sink.say_on(&topic.say).await?;
                sink.say_on(&topic.remedy).await
            }
        }
    }

    /// Answers what is out of reach; nothing when the request is none of that, or a tool is there for it.
    pub(crate) async fn out_of_reach(
        &self,
        turn: &Turn<'_>,
        sink: &mut ReplySink,
    ) -> Result<Option<(Ended, Keep)>, ReceiverClosed> {
        let Some(topic) = turn.language.out_of_reach(turn.asked) else { return Ok(None) };
        let tools = self.tools();
        let is_there = |name: &String| tools.toolbox.get(name).is_some();
        let picked = tools.by_words(turn.asked, &turn.language);
        let hands_out = |name: &String| tools.toolbox.get(name).is_some_and(|tool| tool.hands_out());
        // One that is none of ours may read anything from outside.
        let reads_outside = || {
            let is_other = |tool: &&std::sync::Arc<dyn Tool>| {
                tool.effect(&Arguments::new()) == Effect::Fetches
                    && !tool.hands_out()
                    && !KNOWN.contains(&tool.name())
            };
            tools.offered().iter().any(is_other)
        };
        let is_for_tool = topic.tools.iter().any(is_there)
            || reads_outside()
            || picked.iter().any(hands_out)
            || !tools.outside_by_words(turn.asked, &turn.language).is_empty();
        if is_for_tool || self.engine.answering().size != ModelSize::Small {
            return Ok(None);
        }
        sink.decided("reach", topic.name.as_str(), "no model knows it, and no tool here does it").await?;
        self.settle_reach(turn, topic, sink).await?;
        Ok(Some((Ended::Quick, Keep::Yes)))
    }
}
