//! Where the files of languages are: built in, and in a folder for further ones.
//!
//! Reads files, so not in a turn's task. In: a code such as "en". Out: a checked [`Language`], or an error that names
//! the file, the key, the value and what is allowed. A language of the folder replaces a built-in one of the same code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::care::CareWords;
use super::consent::ConsentWords;
use super::grammar::Grammar;
use super::mood::MoodWords;
use super::readings::ReadingWords;
use super::secrets::SecretWords;
use super::sentences::Sentences;
use super::tools::ToolWords;
use super::truth::TruthWords;
use super::{Language, Names, Vocabulary};

const COMMANDS: &str = "commands.toml";
const SENTENCES: &str = "sentences.toml";
const TOOLS: &str = "tools.toml";
const CONSENT: &str = "consent.toml";
const SECRETS: &str = "secrets.toml";
const TRUTH: &str = "truth.toml";
const READINGS: &str = "readings.toml";
const CARE: &str = "care.toml";

/// The files of a built-in language.
struct BuiltIn {
    code: &'static str,
    commands: &'static str,
    sentences: &'static str,
    tools: &'static str,
    consent: &'static str,
    secrets: &'static str,
    truth: &'static str,
    readings: &'static str,
    care: &'static str,
}

const ENGLISH: BuiltIn = BuiltIn {
    code: "en",
    commands: include_str!("../../assets/language/en/commands.toml"),
    sentences: include_str!("../../assets/language/en/sentences.toml"),
    tools: include_str!("../../assets/language/en/tools.toml"),
    consent: include_str!("../../assets/language/en/consent.toml"),
    secrets: include_str!("../../assets/language/en/secrets.toml"),
    truth: include_str!("../../assets/language/en/truth.toml"),
    readings: include_str!("../../assets/language/en/readings.toml"),
    care: include_str!("../../assets/language/en/care.toml"),
};
const GERMAN: BuiltIn = BuiltIn {
    code: "de",
    commands: include_str!("../../assets/language/de/commands.toml"),
    sentences: include_str!("../../assets/language/de/sentences.toml"),
    tools: include_str!("../../assets/language/de/tools.toml"),
    consent: include_str!("../../assets/language/de/consent.toml"),
    secrets: include_str!("../../assets/language/de/secrets.toml"),
    truth: include_str!("../../assets/language/de/truth.toml"),
    readings: include_str!("../../assets/language/de/readings.toml"),
    care: include_str!("../../assets/language/de/care.toml"),
};
const BUILT_IN: [BuiltIn; 2] = [ENGLISH, GERMAN];

/// The words of secrets of the built-in languages, each with the commands of the same.
pub(super) fn built_in_secrets() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN.iter().map(|language| (language.secrets, language.commands))
}

/// Why there is no language.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// There is none of this code. Tell the user what there is.
    #[error("there is no language \"{code}\"; there is {}", available.join(", "))]
    Unknown {
        /// What was asked for.
        code: String,
        /// What there is.
        available: Vec<String>,
    },
    /// A file that can't be read. Tell the user.
    #[error("can't read {}: {source}", file.display())]
    Unreadable {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that can't be used. Tell the user.
    #[error("{}: {problem}", file.display())]
    Faulty {
        /// Which.
        file: PathBuf,
        /// The key, the value, and what is allowed.
        problem: String,
    },
}

/// The languages there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageLibrary {
    folder: Option<PathBuf>,
}

/// A file and its text.
struct LanguageFile {
    path: PathBuf,
    text: String,
}

/// The files of a language.
struct Files {
    commands: LanguageFile,
    sentences: LanguageFile,
    tools: LanguageFile,
    consent: LanguageFile,
    truth: LanguageFile,
    care: LanguageFile,
    /// Of a language that is not built in, where it has them.
    secrets: Option<LanguageFile>,
    /// Where it has them.
    readings: Option<LanguageFile>,
}

impl Files {
    /// The words of its secrets, beside those of the built-in languages.
    fn secrets(&self) -> Result<Option<SecretWords>, LanguageError> {
        let Some(secrets) = &self.secrets else { return Ok(None) };
        secrets.read(|text| SecretWords::read(text, &self.commands.text)).map(Some)
    }

    fn truth(&self) -> Result<TruthWords, LanguageError> {
        self.truth.read(|text| TruthWords::read(text, &self.commands.text))
    }
}

/// What counts of a language that is not spoken.
struct OtherWords {
    mood: MoodWords,
    tools: ToolWords,
    consent: ConsentWords,
    secrets: Option<SecretWords>,
    truth: TruthWords,
    care: CareWords,
}

/// What counts of another language's commands.
#[derive(Deserialize)]
struct OnlyMood {
    mood: MoodWords,
}

impl LanguageFile {
    fn built_in(code: &str, name: &str, text: &str) -> Self {
        Self { path: Path::new(code).join(name), text: text.to_owned() }
    }

    fn read<T>(&self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, LanguageError> {
        read(&self.text).map_err(|problem| LanguageError::Faulty { file: self.path.clone(), problem })
    }
}

impl LanguageLibrary {
    /// The built-in languages.
    pub fn built_in() -> Self {
        Self { folder: None }
    }

    /// The same and those in `folder`, each in a folder of its own; it need not exist.
    pub fn with_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// Their codes, the built-in ones first.
    pub fn available(&self) -> Vec<String> {
        let mut codes: Vec<String> = BUILT_IN.iter().map(|language| language.code.to_owned()).collect();
        let entries =
            self.folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let mut further: Vec<String> = entries
            .filter(|entry| entry.path().join(COMMANDS).is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|code| !codes.contains(code))
            .collect();
        further.sort();
        codes.extend(further);
        codes
    }

    /// The language of this code.
    ///
    /// # Errors
    /// There is none, or its files can't be used.
    pub fn load(&self, code: &str) -> Result<Language, LanguageError> {
        self.load_with(code, &Names::default())
    }

    /// The same with what things are called in a home.
    ///
    /// # Errors
    /// There is none, or its files can't be used.
    pub fn load_with(&self, code: &str, names: &Names) -> Result<Language, LanguageError> {
        let available = self.available();
        if !available.iter().any(|known| known == code) {
            return Err(LanguageError::Unknown { code: code.to_owned(), available });
        }
        let files = self.files(code)?;
        let grammar = files.commands.read(|text| Grammar::read(text, names))?;
        let vocabulary = files.commands.read(Vocabulary::read)?;
        let sentences = files.sentences.read(Sentences::read)?;
        let mut tools = vec![files.tools.read(ToolWords::read)?];
        let mut consent = vec![files.consent.read(ConsentWords::read)?];
        let mut secrets: Vec<SecretWords> = files.secrets()?.into_iter().collect();
        let mut truth = vec![files.truth()?];
        let readings = files.readings.as_ref().map(|file| file.read(ReadingWords::read)).transpose()?;
        let mut care = vec![files.care.read(CareWords::read)?];
        let mut other_moods = Vec::new();
        for other in available.iter().filter(|other| *other != code) {
            // Another language that can't be used costs what it would add.
            match self.of_another(other) {
                Ok(words) => {
                    other_moods.push(words.mood);
                    tools.push(words.tools);
                    consent.push(words.consent);
                    secrets.extend(words.secrets);
                    truth.push(words.truth);
                    care.push(words.care);
                }
                Err(error) => tracing::warn!(%error, other, "a language that is not spoken can't be used"),
            }
        }
        let code = code.into();
        let readings = readings.map(Arc::new);
        Ok(Language {
            code,
            grammar,
            vocabulary,
            sentences,
            tools,
            consent,
            secrets,
            truth,
            care,
            other_moods,
            readings,
        })
    }

    fn of_another(&self, code: &str) -> Result<OtherWords, LanguageError> {
        let files = self.files(code)?;
        let mood = |text: &str| toml::from_str(text).map_err(|error: toml::de::Error| error.to_string());
        let OnlyMood { mood } = files.commands.read(mood)?;
        let (tools, consent) = (files.tools.read(ToolWords::read)?, files.consent.read(ConsentWords::read)?);
        let (secrets, truth) = (files.secrets()?, files.truth()?);
        let care = files.care.read(CareWords::read)?;
        Ok(OtherWords { mood, tools, consent, secrets, truth, care })
    }

    fn files(&self, code: &str) -> Result<Files, LanguageError> {
        let own = self.folder.as_ref().map(|folder| folder.join(code));
        if let Some(own) = own.filter(|own| own.join(COMMANDS).is_file()) {
            return Ok(Files {
                commands: read(own.join(COMMANDS))?,
                sentences: read_or(own.join(SENTENCES), SENTENCES, ENGLISH.sentences)?,
                tools: read_or(own.join(TOOLS), TOOLS, ENGLISH.tools)?,
                consent: read_or(own.join(CONSENT), CONSENT, ENGLISH.consent)?,
                secrets: own.join(SECRETS).exists().then(|| read(own.join(SECRETS))).transpose()?,
                readings: own.join(READINGS).exists().then(|| read(own.join(READINGS))).transpose()?,
                truth: read_or(own.join(TRUTH), TRUTH, ENGLISH.truth)?,
                care: read_or(own.join(CARE), CARE, ENGLISH.care)?,
            });
        }
        let built_in = BUILT_IN.iter().find(|language| language.code == code).unwrap_or(&ENGLISH);
        Ok(Files {
            commands: LanguageFile::built_in(code, COMMANDS, built_in.commands),
            sentences: LanguageFile::built_in(code, SENTENCES, built_in.sentences),
            tools: LanguageFile::built_in(code, TOOLS, built_in.tools),
            consent: LanguageFile::built_in(code, CONSENT, built_in.consent),
            secrets: None,
            readings: Some(LanguageFile::built_in(code, READINGS, built_in.readings)),
            truth: LanguageFile::built_in(code, TRUTH, built_in.truth),
            care: LanguageFile::built_in(code, CARE, built_in.care),
        })
    }
}

fn read(path: PathBuf) -> Result<LanguageFile, LanguageError> {
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(LanguageFile { path, text }),
        Err(source) => Err(LanguageError::Unreadable { file: path, source }),
    }
}

/// A file that may be missing: then it is as in English.
fn read_or(path: PathBuf, name: &str, english: &str) -> Result<LanguageFile, LanguageError> {
    if path.exists() { read(path) } else { Ok(LanguageFile::built_in(ENGLISH.code, name, english)) }
}
