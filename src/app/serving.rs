//! Words the state of the model server for people.
//!
//! In: which server serves, and `[llm]`. Out: a line for `joi status` and `joi doctor`. Pure: no I/O, no clock.

use crate::control::{AnsweringModel, ChatStatus};
use joi_llm::{LlmConfig, ServedBy, Serving};

/// Returns the state in one line, with what leaves the house where the server is outside of it.
pub(super) fn sentence(serving: &Serving, llm: &LlmConfig) -> String {
    match serving {
        Serving::Starting { .. } => "looking for a model server".into(),
        Serving::Warming { model, by, .. } => format!("{model} is warming up ({})", by.name()),
        Serving::Ready(ready) => {
            let leaves = llm.leaving().filter(|_| ready.by != ServedBy::Local);
            let leaves = leaves.map(|leaves| format!("; {leaves}")).unwrap_or_default();
            format!("{} is ready ({}){leaves}", ready.model, ready.by.name())
        }
        Serving::Down(error) => error.to_string(),
    }
}

/// Returns the same for the status board, with the reason why no better embedded model answers.
pub(super) fn status(serving: &Serving, llm: &LlmConfig) -> ChatStatus {
    let short = sentence(serving, llm);
    match serving {
        Serving::Starting { .. } | Serving::Warming { .. } | Serving::Down(_) => {
            ChatStatus { told: short, answering: None }
        }
        Serving::Ready(ready) => {
            let better = ready.why_not_better.as_ref().map(|better| format!("; {better}"));
            let answering = AnsweringModel { model: ready.model.clone(), by: ready.by.name().to_owned() };
            ChatStatus { told: short + &better.unwrap_or_default(), answering: Some(answering) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use joi_llm::{Knowledge, ModelSize, OPEN_AI, OpenAi, ReadyServer};

    use super::*;

    fn ready(by: ServedBy) -> Serving {
        Serving::Ready(ReadyServer {
            client: Arc::new(OpenAi::new("http://127.0.0.1:1", None).unwrap()),
            model: "gpt-oss-20b".into(),
            size: ModelSize::Large,
            knowledge: Knowledge::Fair,
            has_tools: None,
            by,
            note: None,
            why_not_better: None,
            pid: None,
        })
    }

    #[test]
    fn words_that_leave_the_house_are_reported_while_they_do() {
        let home = LlmConfig::default();
        let outside = LlmConfig { url: "https://api.example.com".into(), outside: true, ..home.clone() };
        assert_eq!(sentence(&ready(ServedBy::Server(&OPEN_AI)), &home), "gpt-oss-20b is ready (openai)");
        let told = status(&ready(ServedBy::Server(&OPEN_AI)), &outside).told;
        let leaving = outside.leaving().unwrap();
        assert_eq!(told, format!("gpt-oss-20b is ready (openai); {leaving}"));
        assert_eq!(sentence(&ready(ServedBy::Local), &outside), "gpt-oss-20b is ready (local)");
    }
}
