//! Which models are of use in one language alone, and which of Ollama's are in others.
//!
//! In: the name of a model, and the codes of the languages that are spoken. Out: what is said of it, with a remedy. How
//! well a model answers in German is measured in `docs/dev/everyday-questions.md`.
//! Pure: no I/O, no clock.

/// Models whose answers are of use in English alone, by the beginning of their names.
const ENGLISH_ONLY: [&str; 3] = ["chat-qwen2.5-coder", "qwen2.5-coder", "smollm2"];

/// Models of Ollama whose makers name German and other languages of Europe among those they speak, the smallest first.
/// What fits a Raspberry Pi 5 stands in front.
const OF_USE: [&str; 3] = ["llama3.2:3b", "gemma3:4b", "qwen3:4b"];

/// A language in which the model is of little use, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LittleUse {
    /// The finding.
    pub told: String,
    /// What to do about it.
    pub remedy: String,
}

/// Returns whether `model` is of little use in one of `languages`, which are codes such as "de".
pub fn little_use<'a>(model: &str, languages: impl IntoIterator<Item = &'a str>) -> Option<LittleUse> {
    let name = model.to_ascii_lowercase();
    if !ENGLISH_ONLY.iter().any(|known| name.starts_with(known)) {
        return None;
    }
    let others: Vec<&str> = languages.into_iter().filter(|code| *code != "en").collect();
    if others.is_empty() {
        return None;
    }
    let told = format!(
        "{model} is of little use for talk in {}; commands, timers, lists and the house need no model",
        others.join(", ")
    );
    let [first, rest @ ..] = OF_USE;
    let remedy = format!("`ollama pull {first}` brings one that is; {} are others", rest.join(" and "));
    Some(LittleUse { told, remedy })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_model_is_of_little_use_in_german_and_the_remedy_names_models() {
        for model in ["qwen2.5-coder-0.5b-instruct-q4_k_m", "chat-qwen2.5-coder-1.5b", "SmolLM2-135M"] {
            assert_eq!(little_use(model, ["en"]), None, "{model}");
            let found = little_use(model, ["en", "de"]).unwrap();
            assert!(found.told.contains(" in de;") && found.remedy.contains("ollama pull "), "{found:?}");
            assert!(OF_USE.iter().all(|name| found.remedy.contains(name)), "{found:?}");
        }
        assert_eq!(little_use("qwen3:1.7b", ["de"]), None);
        assert!(OF_USE.iter().all(|name| crate::PREFERRED.contains(name)), "llm.model = \"auto\" takes them");
    }
}
