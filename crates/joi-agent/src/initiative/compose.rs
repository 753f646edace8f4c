//! Words a proactive message: the model gets one topic and writes one or two sentences.
//!
//! Runs in the task of the impulse. Input: a topic's fact and what is known around it. Output: a text that has passed
//! the check of every reply, or the reason why there is none; then the topic is kept. A small model is not asked. The
//! task yields at once to any turn.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use crate::Engine;
use crate::agent::side_call::{SideCall, side_call};
use crate::model::ChatModel;
use crate::prompt::{self, head::HeadSet};
use crate::sink::ReplySink;
use joi_answer::check::{check, estimated_tokens};
use joi_answer::truth::{self, ClaimEvidence, DoneCall};
use joi_llm::ModelPriority;
use joi_llm::{Ask, Length, ModelSize};

/// Tokens of the whole answer.
const TOKENS: u32 = 160;

/// Topic and context of a proactive message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProactiveBrief {
    /// The fact, as a sentence of the language.
    pub fact: String,
    /// The last proactive message, not to be repeated.
    pub last: Vec<String>,
    /// It is dangerous: short and urgent.
    pub is_critical: bool,
}

/// The text of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedWords {
    /// The text.
    pub text: String,
    /// The model thinks that it can't wait.
    pub is_urgent: bool,
}

/// The reason why there are no words of the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeFault {
    /// A sentence of the language says it as well.
    #[error("the model is small, absent, or must not read states of the house")]
    TakeTemplate,
    /// The topic is kept.
    #[error("somebody talks, or the model did not answer in time")]
    NotNow,
    /// The topic is kept.
    #[error("{0}")]
    Refused(String),
}

#[derive(Deserialize)]
struct Written {
    say: String,
    #[serde(default)]
    urgent: bool,
}

impl<M: ChatModel> Engine<M> {
    /// Has the model word it within `limit`.
    ///
    /// # Errors
    /// [`ComposeFault`]; nothing has been said then.
    pub async fn compose(
        &self,
        brief: &ProactiveBrief,
        limit: Duration,
    ) -> Result<ComposedWords, ComposeFault> {
        let answering = self.answering();
        let is_withheld = self.withheld().is_any();
        if answering.model.is_empty() || answering.size == ModelSize::Small || is_withheld {
            return Err(ComposeFault::TakeTemplate);
        }
        let language = self.language();
        let heads = HeadSet::new(self.parts.tools.snapshot(), &self.speaking(&language));
        let head = heads.of_profile(None).of(answering.size, answering.protocol, &[]);
        let house = self.house_line(&language, &self.parts.clock.now());
        let asked = self.instruction(brief, house).await;
        let ask = Ask {
            messages: prompt::build(&head, Vec::new(), &prompt::Newest::auxiliary(&asked), self.parts.room),
            tools: head.tools,
            format: Some(json!({
                "type": "object",
                "properties": {"say": {"type": "string"}, "urgent": {"type": "boolean"}},
                "required": ["say", "urgent"],
            })),
            length: Length::AtMost(TOKENS),
            model: None,
        };
        let (events, _kept) = mpsc::channel(4);
        let sink = ReplySink::new(events, Arc::clone(&language));
        let side = SideCall { purpose: "impulse", limit };
        let access = self.access(ModelPriority::Background);
        let written = tokio::select! {
            biased;
            () = self.arbiter.somebody_waits() => None,
            written = side_call(access, ask, side, &sink) => written,
        };
        let written = written.ok_or(ComposeFault::NotNow)?;
        let refused = |why: &dyn std::fmt::Display| ComposeFault::Refused(why.to_string());
        let Written { say, urgent } = serde_json::from_str(written.trim())
            .map_err(|_| refused(&"the model did not answer as it was told to"))?;
        let text = say.trim().to_owned();
        check(&text, estimated_tokens(&text)).map_err(|refusal| refused(&refusal))?;
        // The states of the house were read; an action of joi there was not.
        let done = [DoneCall::read("homeRead", &brief.fact)];
        if truth::unsupported(
            &language,
            &text,
            ClaimEvidence { asked: "", done: &done, ..ClaimEvidence::default() },
        )
        .is_some()
        {
            return Err(refused(&"the message claims a deed"));
        }
        Ok(ComposedWords { text, is_urgent: urgent })
    }

    /// Returns the message to the model, with the summary of the last conversation.
    async fn instruction(&self, brief: &ProactiveBrief, house: String) -> String {
        let page = match &self.parts.store {
            // As in every prompt, a page with words of a stranger is left out.
            Some(store) => store.profile(1).await.ok().and_then(|profile| profile.last),
            None => None,
        };
        let none = || "nothing".to_owned();
        let or_none = |text: String| if text.is_empty() { none() } else { text };
        let last = if brief.last.is_empty() { none() } else { brief.last.join(" / ") };
        let manner =
            if brief.is_critical { "Be urgent and concise." } else { "Be light, and invite an answer." };
        include_str!("../../../../assets/prompts/proactive.md")
            .trim()
            .replace("{topic}", &brief.fact)
            .replace("{house}", &or_none(house))
            .replace("{conversation}", &page.map_or_else(none, |page| page.text.0))
            .replace("{last}", &last)
            .replace("{manner}", manner)
    }
}
