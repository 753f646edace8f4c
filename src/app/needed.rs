//! Lists the models that a configuration needs: those that `joi models fetch` brings and `joi doctor` checks.
//!
//! In: the configuration and the manifest. Out: names.
//! Pure: no I/O, no clock.

use crate::config::Config;
use joi_llm::{Backend, LOCAL_EMBED_MODEL};
use joi_models::{Manifest, ModelLibrary};

/// The library that voices from models need.
const VOICE_RUNTIME: &str = "onnxruntime";
/// Prefix of the names of voices.
const VOICE: &str = "voice-";

/// Returns the models that `config` needs, those that are missing among them.
pub fn needed_models<'m>(config: &Config, library: &'m ModelLibrary) -> Vec<&'m str> {
    needed(config, library.manifest())
}

/// Returns whether joi cannot start without a model: for hearing, or for the voice that was chosen by its name. Without the
/// others it starts and reports what is missing.
pub fn is_needed_to_start(config: &Config, model: &str) -> bool {
    let named = config.speak.model();
    ["silero-", "wake-", "whisper-"].iter().any(|kind| model.starts_with(kind))
        || named.is_some_and(|voice| model == VOICE_RUNTIME || model == voice)
}

fn needed<'m>(config: &Config, manifest: &'m Manifest) -> Vec<&'m str> {
    let usual = manifest.needed(config.one_language()).map(|model| model.name.as_str());
    let mut needed: Vec<&str> = usual.filter(|name| !is_idle(config, manifest, name)).collect();
    let chosen = config.speak.model();
    let chosen = manifest.models.iter().find(|model| Some(&model.name) == chosen.as_ref());
    if let Some(voice) = chosen.filter(|voice| !needed.contains(&voice.name.as_str())) {
        needed.push(&voice.name);
    }
    needed
}

/// Returns whether a model that is usually needed would never be loaded.
fn is_idle(config: &Config, manifest: &Manifest, name: &str) -> bool {
    let (speak, llm) = (&config.speak, &config.llm);
    let is_chat = manifest.chat.iter().any(|chat| chat == name);
    (is_chat && matches!(llm.backend, Backend::Server(_)))
        || (name == LOCAL_EMBED_MODEL && llm.embed_model.trim().is_empty())
        || (name == VOICE_RUNTIME && speak.needs_no_model())
        || (name.starts_with(VOICE) && is_silent(config, name))
}

/// Returns whether a voice is never spoken with. One that was chosen by its name speaks one language; others have
/// their own.
fn is_silent(config: &Config, voice: &str) -> bool {
    let speak = &config.speak;
    speak.needs_no_model()
        || (config.one_language().is_some() && speak.model().is_some_and(|chosen| chosen != voice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MachineProfile, load_text};

    /// Returns what is needed with `text` and not without it, and the other way round.
    fn differs(text: &str) -> (Vec<String>, Vec<String>) {
        let manifest = Manifest::built_in().unwrap();
        let of = |text: &str| {
            let config = load_text(text, "test", &[]).unwrap().config;
            needed(&config, &manifest).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let (usual, these) = (of(""), of(text));
        let without = |all: &[String], known: &[String]| {
            all.iter().filter(|name| !known.contains(name)).cloned().collect::<Vec<String>>()
        };
        (without(&these, &usual), without(&usual, &these))
    }

    #[test]
    fn joi_starts_without_a_chat_model_and_without_a_voice_that_has_a_replacement() {
        let needs =
            |text: &str, model| is_needed_to_start(&load_text(text, "test", &[]).unwrap().config, model);
        for (model, is_needed) in [
            ("silero-vad", true),
            ("whisper-tiny.en", true),
            ("wake-alexa", true),
            ("chat-qwen2.5-coder-0.5b", false),
            (LOCAL_EMBED_MODEL, false),
            ("voice-joe", false),
            (VOICE_RUNTIME, false),
        ] {
            assert_eq!(needs("", model), is_needed, "{model}");
        }
        let named = "[speak]\nvoice = \"joe\"";
        assert!(needs(named, "voice-joe") && needs(named, VOICE_RUNTIME) && !needs(named, "voice-thorsten"));
        assert!(!needs("[speak]\nvoice = \"espeak\"", VOICE_RUNTIME));
    }

    #[test]
    fn what_would_never_be_loaded_is_not_fetched() {
        let (chat, joe) = ("chat-qwen2.5-coder-0.5b", "voice-joe");
        for (text, more, fewer) in [
            ("[llm]\nbackend = \"ollama\"", "", vec![chat]),
            ("[llm]\nbackend = \"openai\"", "", vec![chat]),
            ("[llm]\nbackend = \"local\"", "", vec![]),
            ("[llm]\nembed_model = \"\"", "", vec![LOCAL_EMBED_MODEL]),
            ("[speak]\nvoice = \"espeak\"", "", vec![VOICE_RUNTIME, joe]),
            ("[speak]\nvoice = \"thorsten\"", "voice-thorsten", vec![joe]),
            ("[speak]\nvoice = \"joe\"", "", vec![]),
            (MachineProfile::Zero2.text(), "", vec![VOICE_RUNTIME, joe, chat, LOCAL_EMBED_MODEL]),
        ] {
            let (has_more, has_fewer) = differs(text);
            assert_eq!(
                (has_more.concat().as_str(), has_fewer),
                (more, fewer.iter().map(|name| (*name).to_owned()).collect()),
                "{text}"
            );
        }
    }
}
