//! The texts of prompts in the language of the answer: the character, speech in and out, hints.
//!
//! A language that is not built in may bring any of them as `prompts/<name>.md`; what it does not bring is in
//! English, which asks for the user's language. Pure but for [`PromptTexts::read`], which reads files.

use std::path::{Path, PathBuf};

/// The texts there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptName {
    /// The character, for models that can follow many rules.
    Joi,
    /// The same for small models.
    JoiSmall,
    /// The same for what small models are asked without tools.
    JoiTalk,
    /// Another character.
    Butler,
    /// The same for small models.
    ButlerSmall,
    /// The same for what small models are asked without tools.
    ButlerTalk,
    /// How speech goes in and out.
    Voice,
    /// Beside the last result of a plan.
    HintAnswer,
    /// Beside the only result.
    HintComplete,
    /// Beside a result with which parts of the request are still open.
    HintOpen,
    /// Beside a result behind which a plan goes on.
    HintStep,
    /// After an empty answer.
    Recovery,
    /// Where the model is likely to be wrong.
    Unsure,
    /// Has an answer go on that was long enough.
    Continue,
}

/// A text, the name of its file, and what stands in it in the built-in languages.
struct PromptFile {
    prompt: PromptName,
    file: &'static str,
    english: &'static str,
    german: &'static str,
}

macro_rules! file {
    ($prompt:ident, $name:literal) => {
        PromptFile {
            prompt: PromptName::$prompt,
            file: $name,
            english: include_str!(concat!("../../../assets/prompts/", $name)),
            german: include_str!(concat!("../../../assets/prompts/de/", $name)),
        }
    };
}

const FILES: [PromptFile; 14] = [
    file!(Joi, "joi.md"),
    file!(JoiSmall, "joi.small.md"),
    file!(JoiTalk, "joi.talk.md"),
    file!(Butler, "butler.md"),
    file!(ButlerSmall, "butler.small.md"),
    file!(ButlerTalk, "butler.talk.md"),
    file!(Voice, "voice.md"),
    file!(HintAnswer, "hint.answer.md"),
    file!(HintComplete, "hint.complete.md"),
    file!(HintOpen, "hint.open.md"),
    file!(HintStep, "hint.step.md"),
    file!(Recovery, "recovery.md"),
    file!(Unsure, "unsure.md"),
    file!(Continue, "continue.md"),
];

/// Asks for the user's language, where an English prompt does not.
const LANGUAGE: &str = include_str!("../../../assets/prompts/language.md");

impl PromptFile {
    /// The English text, for a language that brings none.
    fn for_another_language(&self) -> String {
        let text = self.english.trim();
        let is_talk = matches!(self.prompt, PromptName::JoiTalk | PromptName::ButlerTalk);
        if is_talk { format!("{text} {}", LANGUAGE.trim()) } else { text.to_owned() }
    }
}

/// The texts of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTexts(Vec<(PromptName, String)>);

impl PromptTexts {
    /// In English.
    pub(super) fn english() -> Self {
        Self(FILES.iter().map(|file| (file.prompt, file.english.trim().to_owned())).collect())
    }

    /// In German.
    pub(super) fn german() -> Self {
        Self(FILES.iter().map(|file| (file.prompt, file.german.trim().to_owned())).collect())
    }

    /// Those in `folder`, the others in English.
    ///
    /// # Errors
    /// The file that can't be read, and why.
    pub(super) fn read(folder: &Path) -> Result<Self, (PathBuf, std::io::Error)> {
        let text = |known: &PromptFile| {
            let file = folder.join(known.file);
            match std::fs::read_to_string(&file) {
                Ok(text) => Ok((known.prompt, text.trim().to_owned())),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    Ok((known.prompt, known.for_another_language()))
                }
                Err(error) => Err((file, error)),
            }
        };
        FILES.iter().map(text).collect::<Result<_, _>>().map(Self)
    }

    /// The text of this name.
    pub fn of(&self, name: PromptName) -> &str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in braces.
    fn placeholders(text: &str) -> Vec<&str> {
        let mut all: Vec<&str> = text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn every_text_is_there_in_both_languages_and_holds_the_same() {
        for file in &FILES {
            assert!(!file.german.trim().is_empty() && file.german != file.english, "{}", file.file);
            assert_eq!(placeholders(file.german), placeholders(file.english), "{}", file.file);
        }
    }

    #[test]
    fn a_language_of_files_brings_its_own_character_and_has_the_rest_in_english() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("joi.small.md"), "Tu es {name}.\n").unwrap();
        let texts = PromptTexts::read(folder.path()).unwrap();
        assert_eq!(texts.of(PromptName::JoiSmall), "Tu es {name}.");
        assert_eq!(texts.of(PromptName::Joi), PromptTexts::english().of(PromptName::Joi));
        let talk = texts.of(PromptName::JoiTalk);
        assert!(talk.ends_with("Answer in the user's language."), "{talk}");
        std::fs::create_dir(folder.path().join("voice.md")).unwrap();
        let (file, _) = PromptTexts::read(folder.path()).unwrap_err();
        assert_eq!(file, folder.path().join("voice.md"));
    }
}
