//! Shortens a long result with the model.
//!
//! Runs in the task of one turn. Input: the result of a tool. Output: the model's notes about it, or the same text if
//! it is not to be shortened, the notes took too long, or they hold something that the result does not.

use super::state::LoopState;
use crate::agent::AgentContext;
use crate::agent::side_call::{SideCall, side_call};
use crate::deadline;
use crate::model::ChatModel;
use crate::sink::{ReceiverClosed, ReplySink};
use crate::turn::ReplyEvent;
use joi_answer::digest;
use joi_answer::plan::Course;
use joi_llm::{Ask, Length, Message, ModelSize};
use joi_tools::Digest;

impl<M: ChatModel> AgentContext<'_, M> {
    /// The short form of a long result, when it is wanted and can be had.
    pub(super) async fn digested(
        &self,
        state: &LoopState,
        tool: &str,
        text: String,
        sink: &ReplySink,
    ) -> Result<String, ReceiverClosed> {
        let is_wanted = match self.rules.digest {
            Digest::Auto => state.prompt.size() == ModelSize::Small,
            Digest::Always => true,
            Digest::Never => false,
        };
        let is_wanted = is_wanted && state.plan.course != Course::Reply;
        let pieces = if is_wanted { digest::pieces(&text) } else { Vec::new() };
        if pieces.is_empty() {
            return Ok(text);
        }
        let began = tokio::time::Instant::now();
        let mut notes = Vec::new();
        for piece in &pieces {
            let prompt = digest::PROMPT.replace("{asked}", &state.asked.words).replace("{text}", piece);
            let messages =
                state.prompt.messages.iter().cloned().chain([Message::user(prompt.trim())]).collect();
            let ask = Ask { messages, length: Length::AtMost(200), ..Ask::default() };
            let limit = deadline::DIGEST.saturating_sub(began.elapsed());
            let side = SideCall { purpose: "digest", limit };
            let note = side_call(self.model, ask, side, sink).await;
            let Some(note) = note else {
                sink.decided("digest", "kept raw", "there was no note in time").await?;
                return Ok(text);
            };
            match digest::judge(&note, piece) {
                digest::Note::Use(note) => notes.push(note),
                digest::Note::Nothing => {}
                digest::Note::Invented => {
                    sink.decided("digest", "kept raw", "the note held a number of its own").await?;
                    return Ok(text);
                }
            }
        }
        if notes.is_empty() {
            let notice = format!("the result of {tool} could not be shortened; it is used as it is");
            sink.send(ReplyEvent::Notice(notice)).await?;
            sink.decided("digest", "kept raw", "nothing of use was found").await?;
            return Ok(text);
        }
        let short = digest::joined(&notes, &text);
        let sizes = format!(
            "{} to {} characters in {} pieces",
            text.chars().count(),
            short.chars().count(),
            pieces.len()
        );
        tracing::debug!(tool, %sizes, "a result was digested");
        sink.decided("digest", "short", sizes).await?;
        Ok(short)
    }
}
