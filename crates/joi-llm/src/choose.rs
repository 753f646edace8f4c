//! PURE. Which model, and which server.
//!
//! In: the configuration and what was seen of Ollama. Out: who is to serve; `choose/local.rs` chooses among our own
//! models. It never chooses a model
//! that runs elsewhere than at the configured address.

mod local;

pub(super) use local::ANY;
pub use local::{BetterModel, LEAST_SPEED, LocalChoice, LocalWish, PassedOver, choose_local};

use super::{Backend, InstalledModel, LlmConfig, LlmError, Think, ThinkRule};

/// What `llm.model = "auto"` picks from, best first: models that call tools, answer well in a few
/// sentences and keep up with speech on a small computer.
pub const PREFERRED: [&str; 12] = [
    "qwen3:1.7b",
    "qwen2.5:1.5b",
    "llama3.2:3b",
    "qwen2.5:3b",
    "qwen3:4b",
    "granite4:3b",
    "gemma3:1b",
    "gemma3:4b",
    "llama3.2:1b",
    "qwen3:0.6b",
    "qwen2.5:0.5b",
    "qwen2.5-coder:0.5b",
];

/// Most parameters of a small model. Models sold as "7B" hold up to 7.7 thousand million.
const SMALL_MAX: u64 = 7_700_000_000;

/// Fewest parameters of a model whose knowledge is fair. Models sold as "1B" hold at least 0.97 thousand million.
const FAIR_MIN: u64 = 950_000_000;

/// How far one can rely on what a model knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Knowledge {
    /// Below 1 B parameters: facts are as often wrong as right.
    Scant,
    /// More.
    Fair,
}

/// The knowledge of a model: by its parameters when they are known, else by its name; scant when neither tells.
pub fn knowledge_of(name: &str, parameter_count: Option<u64>) -> Knowledge {
    let count = parameter_count.filter(|&n| n > 0).or_else(|| parameters_in(name));
    match count {
        Some(n) if n >= FAIR_MIN => Knowledge::Fair,
        Some(_) | None => Knowledge::Scant,
    }
}

/// How much may be asked of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelSize {
    /// At most 7 B parameters.
    Small,
    /// More.
    Large,
}

/// The size of a model: by its parameters when they are known, else by its name; small when neither tells.
pub fn size_of(name: &str, parameter_count: Option<u64>) -> ModelSize {
    let count = parameter_count.filter(|&n| n > 0).or_else(|| parameters_in(name));
    match count {
        Some(n) if n > SMALL_MAX => ModelSize::Large,
        Some(_) | None => ModelSize::Small,
    }
}

/// The number of parameters that a name tells: `qwen3:1.7b`, `mixtral:8x7b`, `smollm2:135m`,
/// `gemma3n:e4b`. The largest counts where several stand (`qwen3:30b-a3b`).
fn parameters_in(name: &str) -> Option<u64> {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter_map(parameters_of_word).max()
}

fn parameters_of_word(word: &str) -> Option<u64> {
    let (number, scale) = match word.strip_suffix('b') {
        Some(number) => (number, 1e9),
        None => (word.strip_suffix('m')?, 1e6),
    };
    let number = number.strip_prefix(['e', 'a']).unwrap_or(number);
    let (experts, each) = number.split_once('x').unwrap_or(("1", number));
    let starts_with_digit = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    if !starts_with_digit(experts) || !starts_with_digit(each) {
        return None;
    }
    Some((experts.parse::<f64>().ok()? * each.parse::<f64>().ok()? * scale) as u64)
}

/// How long a model thinks: as the first rule says that fits its name, with its publisher or without; else not at all.
pub(super) fn think_of(rules: &[ThinkRule], model: &str) -> Think {
    let full = model.to_ascii_lowercase();
    let name = full.rsplit('/').next().unwrap_or(&full);
    let fits = |rule: &&ThinkRule| {
        let wanted = rule.model.trim().to_ascii_lowercase();
        match wanted.strip_suffix('*') {
            Some(start) => name.starts_with(start) || full.starts_with(start),
            None => {
                [name, &full].iter().any(|is| *is == wanted || is.strip_suffix(":latest") == Some(&wanted))
            }
        }
    };
    rules.iter().find(fits).map_or(Think::Off, |rule| rule.think)
}

/// Who is to serve, and what to tell the owner about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WantedServer {
    /// Ollama with this model.
    Ollama {
        /// Its name as installed.
        model: String,
    },
    /// Our own server.
    Local {
        /// How to get Ollama to serve, when it could.
        note: Option<String>,
    },
    /// Nobody can.
    Nobody(LlmError),
}

/// Decides who is to serve. `seen` is what Ollama has installed, or why it gave no answer.
pub(super) fn wanted(config: &LlmConfig, seen: Result<&[InstalledModel], &LlmError>) -> WantedServer {
    let model = match (config.backend, seen) {
        (Backend::Local, _) => return WantedServer::Local { note: None },
        (Backend::Auto, Err(_)) => return WantedServer::Local { note: None },
        (Backend::Ollama, Err(error)) => return WantedServer::Nobody(error.clone()),
        (Backend::Auto | Backend::Ollama, Ok(installed)) => pick(&config.model, installed),
    };
    let missing = if config.model == "auto" { PREFERRED[0] } else { &config.model };
    match (config.backend, model) {
        (_, Some(model)) => WantedServer::Ollama { model: model.to_owned() },
        (Backend::Ollama, None) => WantedServer::Nobody(LlmError::ModelMissing { model: missing.to_owned() }),
        (Backend::Auto | Backend::Local, None) => WantedServer::Local {
            note: Some(format!(
                "Ollama is running but lacks the model: `ollama pull {missing}` lets it serve."
            )),
        },
    }
}

/// The installed model that `model` means.
fn pick<'a>(model: &str, installed: &'a [InstalledModel]) -> Option<&'a str> {
    let mut here = installed.iter().filter(|m| m.remote_host.is_none() && talks(m)).map(|m| m.name.as_str());
    if model != "auto" {
        let latest = format!("{model}:latest");
        return here.find(|name| *name == model || *name == latest);
    }
    let here: Vec<&str> = here.collect();
    PREFERRED.iter().find_map(|best| here.iter().copied().find(|name| is_build_of(name, best)))
}

fn talks(model: &InstalledModel) -> bool {
    model.capabilities.as_ref().is_none_or(|all| all.iter().any(|c| c == "completion"))
}

/// Whether `name` is `best` or one of its builds (`qwen3:1.7b-q8_0`).
fn is_build_of(name: &str, best: &str) -> bool {
    name.strip_prefix(best).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The names that were once judged wrongly, and the shapes names have.
    #[test]
    fn size_is_read_from_the_count_or_else_from_the_name() {
        use ModelSize::{Large, Small};
        let rows = [
            ("qwen3:4b", Small),
            ("acme/qwen3-1.7b", Small),
            ("qwen2.5-coder-0.5b-instruct", Small),
            ("smollm2:135m", Small),
            ("gemma3n:e4b", Small),
            ("mistral:7b-instruct-q4_K_M", Small),
            ("llama3.1:8b", Large),
            ("mixtral:8x7b", Large),
            ("qwen3:30b-a3b", Large),
            ("qwen3:14b", Large),
            ("llama3.1:70b-instruct", Large),
            ("llama3.2:latest", Small),
            ("b", Small),
        ];
        for (name, size) in rows {
            assert_eq!(size_of(name, None), size, "{name}");
        }
        assert_eq!(size_of("qwen3:1.7b", Some(14_000_000_000)), Large);
        assert_eq!(size_of("my-70b-killer", Some(1_000_000_000)), Small);
        assert_eq!(size_of("qwen2.5:7b", Some(7_615_616_512)), Small);
        assert_eq!(size_of("llama3.1:8b", Some(8_030_261_312)), Large);
    }

    #[test]
    fn a_model_below_one_thousand_million_parameters_knows_little() {
        use Knowledge::{Fair, Scant};
        for (name, count, knowledge) in [
            ("qwen2.5-coder-0.5b-instruct-q4_k_m", None, Scant),
            ("smollm2:360m", None, Scant),
            ("qwen3:1.7b", None, Fair),
            ("gemma3:1b", Some(999_885_952), Fair),
            ("mine:latest", Some(596_049_920), Scant),
            ("mine:latest", Some(1_235_814_432), Fair),
            ("mine:latest", None, Scant),
        ] {
            assert_eq!(knowledge_of(name, count), knowledge, "{name}");
        }
    }

    #[test]
    fn a_model_thinks_as_its_family_does_and_the_first_rule_counts() {
        let rule = |model: &str, think| ThinkRule { model: model.into(), think };
        let rules = [
            rule("qwen3:4b", Think::On),
            rule("Qwen3*", Think::Off),
            rule("gpt-oss*", Think::Low),
            rule("acme/*", Think::High),
            rule("magistral", Think::Medium),
        ];
        for (name, think) in [
            ("qwen3:4b", Think::On),
            ("qwen3:4b-q8_0", Think::Off),
            ("hf.co/unsloth/Qwen3-1.7B-GGUF:Q4_K_M", Think::Off),
            ("gpt-oss:20b", Think::Low),
            ("acme/talker:7b", Think::High),
            ("magistral:latest", Think::Medium),
            ("magistral:24b", Think::Off),
            ("llama3.2:3b", Think::Off),
        ] {
            assert_eq!(think_of(&rules, name), think, "{name}");
        }
        let shipped = LlmConfig::default().think;
        assert_eq!(think_of(&shipped, "qwen3:1.7b"), Think::Off);
        assert_eq!(think_of(&shipped, "gpt-oss:20b"), Think::Low);
    }

    fn model(name: &str) -> InstalledModel {
        InstalledModel { name: name.into(), size: 1, capabilities: None, remote_host: None }
    }

    fn config(backend: Backend, model: &str) -> LlmConfig {
        LlmConfig { backend, model: model.into(), ..LlmConfig::default() }
    }

    #[test]
    fn auto_takes_the_best_of_the_list_that_is_installed_here_and_can_talk() {
        let mut elsewhere = model("qwen3:1.7b");
        elsewhere.remote_host = Some("https://example.org".into());
        let mut embeds = model("qwen2.5:1.5b");
        embeds.capabilities = Some(vec!["embedding".into()]);
        let installed = [model("mistral:7b"), model("gemma3:1b"), elsewhere, embeds, model("qwen3:4b-q8_0")];
        assert_eq!(
            wanted(&config(Backend::Auto, "auto"), Ok(&installed)),
            WantedServer::Ollama { model: "qwen3:4b-q8_0".into() }
        );
    }

    #[test]
    fn a_named_model_may_leave_out_latest() {
        let installed = [model("mistral:latest")];
        for backend in [Backend::Auto, Backend::Ollama] {
            assert_eq!(
                wanted(&config(backend, "mistral"), Ok(&installed)),
                WantedServer::Ollama { model: "mistral:latest".into() }
            );
        }
    }

    #[test]
    fn what_ollama_lacks_is_served_locally_with_the_command_that_would_change_it() {
        let note = |name: &str| {
            Some(format!("Ollama is running but lacks the model: `ollama pull {name}` lets it serve."))
        };
        assert_eq!(
            wanted(&config(Backend::Auto, "phi4"), Ok(&[])),
            WantedServer::Local { note: note("phi4") }
        );
        assert_eq!(
            wanted(&config(Backend::Auto, "auto"), Ok(&[])),
            WantedServer::Local { note: note("qwen3:1.7b") }
        );
        assert_eq!(
            wanted(&config(Backend::Ollama, "phi4"), Ok(&[])),
            WantedServer::Nobody(LlmError::ModelMissing { model: "phi4".into() })
        );
    }

    #[test]
    fn without_ollama_our_own_serves_unless_that_is_ruled_out() {
        let gone = LlmError::Unreachable { at: "a".into(), why: "w".into() };
        assert_eq!(wanted(&config(Backend::Auto, "auto"), Err(&gone)), WantedServer::Local { note: None });
        assert_eq!(wanted(&config(Backend::Ollama, "auto"), Err(&gone)), WantedServer::Nobody(gone));
        assert_eq!(wanted(&config(Backend::Local, "auto"), Ok(&[])), WantedServer::Local { note: None });
    }
}
