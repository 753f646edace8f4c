//! Answers that end otherwise than by the model being done with them.
//!
//! Runs in the task of one turn. Input: how the answer ended. Output: a question to the user, a sentence of ours, or
//! the loop that goes on.

use std::sync::Arc;
use std::time::Duration;

use super::LoopEnd;
use super::state::LoopState;
use crate::agent::AgentContext;
use crate::model::ChatModel;
use crate::session::open_question::{BegunAnswer, OpenQuestion, open_until};
use crate::sink::{ReceiverClosed, ReplySink};
use joi_answer::AnswerStop;
use joi_answer::check::ReplyRefusal;
use joi_answer::source;
use joi_language::PromptName;
use joi_understand::intents::{self, Mood};
use joi_understand::reference::{self, Feeling};

/// Names the site whose page an answer is made of, unless it was named.
pub(super) async fn name_source(state: &LoopState, sink: &mut ReplySink) -> Result<(), ReceiverClosed> {
    let language = Arc::clone(&sink.language);
    let site = source::named(&language, &sink.said, &state.asked.words, &state.progress.pages);
    match (site, language.safety().first()) {
        (Some(site), Some(words)) => sink.say_on(&words.look_up.say.source(&site)).await,
        _ => Ok(()),
    }
}

impl<M: ChatModel> AgentContext<'_, M> {
    /// An answer that ended before the model was done. Where there is more of it, joi asks whether to go on.
    pub(super) async fn stopped(
        &self,
        state: &LoopState,
        stop: AnswerStop,
        sink: &mut ReplySink,
    ) -> Result<LoopEnd, ReceiverClosed> {
        match stop {
            AnswerStop::Long if state.asked.limit.is_some_and(|limit| !limit.may_go_on) => {
                sink.decided("length", "stopped", "a spoken answer is long enough").await?;
            }
            AnswerStop::Long => {
                sink.decided("length", "stopped", "a spoken answer is long enough").await?;
                let question = sink.sentence(|say| &say.go_on);
                let said = sink.said.trim().to_owned();
                name_source(state, sink).await?;
                let now = self.clock.now().timestamp();
                let confirm = Duration::from_secs(u64::from(self.rules.confirm_s));
                let spoken = format!("{} {question}", sink.said);
                let begun = BegunAnswer {
                    said: format!("{} {said}", state.asked.earlier).trim_start().to_owned(),
                    prompt: state.asked.prompt,
                    limit: state.asked.limit,
                    until: open_until(now, confirm, state.asked.channel, &spoken),
                };
                self.session.with(|state| state.question = Some(OpenQuestion::GoOn(begun)));
                sink.offer(question).await?;
            }
            AnswerStop::Circles => {
                sink.decided("length", "circles", "it says again what it has said").await?;
                if sink.said.trim().is_empty() {
                    sink.say_on(&sink.sentence(|say| &say.no_more)).await?;
                }
            }
        }
        Ok(LoopEnd::Answered)
    }

    /// An empty answer. A user who has said something personal is asked for more of it; else the model is asked once
    /// more, without tools.
    pub(super) async fn empty(
        &self,
        state: &mut LoopState,
        refusal: ReplyRefusal,
        sink: &mut ReplySink,
    ) -> Result<Option<LoopEnd>, ReceiverClosed> {
        sink.decided("check", "refused", refusal.to_string()).await?;
        let (language, words) = (&state.asked.language, &state.asked.words);
        let is_told = reference::is_about_speaker(language, words);
        let may_be_order = !is_told && intents::mood(language, words) != Mood::Question;
        if refusal == ReplyRefusal::Claim && may_be_order {
            sink.say_on(&sink.sentence(|say| &say.not_done)).await?;
            return Ok(Some(LoopEnd::Apologised));
        }
        if is_told {
            let listening = match reference::feeling(language, words) {
                Feeling::Sad => sink.sentence(|say| &say.listening_sad),
                Feeling::Glad => sink.sentence(|say| &say.listening_glad),
                Feeling::Untold => sink.sentence(|say| &say.listening),
            };
            sink.say_on(&listening).await?;
            return Ok(Some(LoopEnd::Answered));
        }
        if !state.progress.may_recover() {
            sink.say_on(&sink.sentence(|say| &say.no_answer)).await?;
            return Ok(Some(LoopEnd::Apologised));
        }
        state.put_tools_away(self.heads(), &self.grown());
        let language = Arc::clone(&state.asked.language);
        state.prompt.hint(language.prompts().of(PromptName::Recovery));
        Ok(None)
    }
}
