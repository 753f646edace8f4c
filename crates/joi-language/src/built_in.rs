//! The files of the languages that ship: English and German, which are complete, and those in which the community's
//! sentence templates understand the house and quick commands.
//!
//! Pure: no I/O, no clock.

use super::prompts::PromptTexts;

/// The files of a built-in language.
pub(super) struct BuiltIn {
    pub(super) code: &'static str,
    pub(super) commands: &'static str,
    pub(super) sentences: &'static str,
    pub(super) tools: &'static str,
    pub(super) requests: &'static str,
    pub(super) secrets: &'static str,
    pub(super) truth: &'static str,
    pub(super) readings: &'static str,
    pub(super) safety: &'static str,
    pub(super) house: &'static str,
    pub(super) watch: &'static str,
    pub(super) agents: &'static str,
    pub(super) voice: &'static str,
    pub(super) page: &'static str,
    pub(super) prompts: fn() -> PromptTexts,
}

pub(super) const ENGLISH: BuiltIn = BuiltIn {
    code: "en",
    commands: include_str!("../../../assets/language/en/commands.toml"),
    sentences: include_str!("../../../assets/language/en/sentences.toml"),
    tools: include_str!("../../../assets/language/en/tools.toml"),
    requests: include_str!("../../../assets/language/en/consent.toml"),
    secrets: include_str!("../../../assets/language/en/secrets.toml"),
    truth: include_str!("../../../assets/language/en/truth.toml"),
    readings: include_str!("../../../assets/language/en/readings.toml"),
    safety: include_str!("../../../assets/language/en/care.toml"),
    house: include_str!("../../../assets/language/en/house.toml"),
    watch: include_str!("../../../assets/language/en/watch.toml"),
    agents: include_str!("../../../assets/language/en/agents.toml"),
    voice: include_str!("../../../assets/language/en/voice.toml"),
    page: include_str!("../../../assets/language/en/page.toml"),
    prompts: PromptTexts::english,
};
const GERMAN: BuiltIn = BuiltIn {
    code: "de",
    commands: include_str!("../../../assets/language/de/commands.toml"),
    sentences: include_str!("../../../assets/language/de/sentences.toml"),
    tools: include_str!("../../../assets/language/de/tools.toml"),
    requests: include_str!("../../../assets/language/de/consent.toml"),
    secrets: include_str!("../../../assets/language/de/secrets.toml"),
    truth: include_str!("../../../assets/language/de/truth.toml"),
    readings: include_str!("../../../assets/language/de/readings.toml"),
    safety: include_str!("../../../assets/language/de/care.toml"),
    house: include_str!("../../../assets/language/de/house.toml"),
    watch: include_str!("../../../assets/language/de/watch.toml"),
    agents: include_str!("../../../assets/language/de/agents.toml"),
    voice: include_str!("../../../assets/language/de/voice.toml"),
    page: include_str!("../../../assets/language/de/page.toml"),
    prompts: PromptTexts::german,
};
pub(super) const BUILT_IN: [BuiltIn; 2] = [ENGLISH, GERMAN];

/// The files of a language that is understood by sentence templates: what it lacks is as in English. Its words count only
/// where it is spoken.
pub(super) struct TemplateLanguage {
    pub(super) code: &'static str,
    pub(super) commands: &'static str,
    pub(super) sentences: &'static str,
    pub(super) house: &'static str,
    pub(super) voice: &'static str,
}

macro_rules! template_languages {
    ($($code:literal),*) => {
        [$(TemplateLanguage {
            code: $code,
            commands: include_str!(concat!("../../../assets/language/", $code, "/commands.toml")),
            sentences: include_str!(concat!("../../../assets/language/", $code, "/sentences.toml")),
            house: include_str!(concat!("../../../assets/language/", $code, "/house.toml")),
            voice: include_str!(concat!("../../../assets/language/", $code, "/voice.toml")),
        }),*]
    };
}

pub(super) const BY_TEMPLATES: [TemplateLanguage; 4] = template_languages!["fr", "es", "it", "nl"];

/// The words of secrets of the built-in languages, each with the commands of the same.
pub(super) fn built_in_secrets() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN.iter().map(|language| (language.secrets, language.commands))
}
