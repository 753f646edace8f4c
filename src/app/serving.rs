//! Words the state of the model servers for people.
//!
//! In: which server serves, and `[llm]`. Out: a line for `joi status` and `joi doctor`. Pure: no I/O, no clock.

use tokio::sync::watch;

use crate::control::{AnsweringModel, ChatStatus, ModelOfUse};
use joi_llm::{LlmConfig, Mind, ModelPurpose, ServedBy, Serving, keys_of};

/// What serves a use, at any later time.
pub(super) type UseNow = (ModelPurpose, watch::Receiver<Serving>, LlmConfig);

/// Returns what serves the uses that have a server of their own.
pub(super) fn uses(mind: &Mind) -> Vec<UseNow> {
    let of = |purpose| {
        let beside = mind.beside(purpose)?;
        Some((purpose, beside.serving(), beside.config().clone()))
    };
    ModelPurpose::BESIDE.into_iter().filter_map(of).collect()
}

/// Returns the state of the server of a use, with its own keys where it has to be corrected.
pub(super) fn of_use((purpose, serving, llm): &UseNow) -> ModelOfUse {
    let told = keys_of(*purpose, &sentence(&serving.borrow(), llm));
    ModelOfUse { purpose: purpose.name().to_owned(), told }
}

/// Returns a remark about each use whose words leave the house.
pub(crate) fn leaving(llm: &LlmConfig) -> Vec<String> {
    let of = |purpose: ModelPurpose| Some((purpose.name(), llm.server_of(purpose)?.leaving()?));
    let of_uses = ModelPurpose::BESIDE.into_iter().filter_map(of);
    let of_chat = llm.leaving().map(|leaving| ("chat", leaving));
    of_chat.into_iter().chain(of_uses).map(|(purpose, leaving)| format!("{purpose}: {leaving}")).collect()
}

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
            ChatStatus { told: short, answering: None, uses: Vec::new() }
        }
        Serving::Ready(ready) => {
            let better = ready.why_not_better.as_ref().map(|better| format!("; {better}"));
            let answering = AnsweringModel { model: ready.model.clone(), by: ready.by.name().to_owned() };
            let told = short + &better.unwrap_or_default();
            ChatStatus { told, answering: Some(answering), uses: Vec::new() }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use joi_llm::{Knowledge, LlmError, ModelSize, OPEN_AI, OpenAi, ReadyServer};

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

    #[test]
    fn a_use_whose_words_leave_the_house_is_named_with_its_own_keys() {
        let text = "[uses.goals]\nbackend = \"openai\"\nurl = \"https://api.example.com\"\noutside = true";
        let llm: LlmConfig = toml::from_str(text).unwrap();
        let sent = "goals: words leave the house: what is said to the model is sent to https://api.example.com; memory and \
                    house stay at home";
        assert_eq!(leaving(&llm), [sent]);
        let goals = llm.server_of(ModelPurpose::Goals).unwrap();
        let down = Serving::Down(LlmError::NoKey { at: goals.url.clone() });
        let told = of_use(&(ModelPurpose::Goals, watch::channel(down).1, goals)).told;
        assert!(told.ends_with("off without an API key; set llm.uses.goals.key_file"), "{told}");
        assert_eq!(leaving(&LlmConfig::default()), [""; 0]);
    }
}
