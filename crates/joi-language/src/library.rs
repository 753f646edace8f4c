//! Where the files of languages are: built in, and in a folder for further ones.
//!
//! Reads files, so not in a turn's task. In: a code such as "en". Out: a checked [`Language`], or an error that names
//! the file, the key, the value and what is allowed. A language of the folder replaces a built-in one of the same code.

mod files;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::agents::AgentWords;
use super::built_in::{BUILT_IN, BY_TEMPLATES, ENGLISH};
use super::grammar::Grammar;
use super::house::{self, HouseWords};
use super::mood::MoodWords;
use super::page::PageWords;
use super::prompts::PromptTexts;
use super::readings::ReadingWords;
use super::requests::RequestWords;
use super::safety::SafetyWords;
use super::secrets::SecretWords;
use super::sentences::Sentences;
use super::tools::ToolWords;
use super::truth::TruthWords;
use super::{Language, LanguageTemplates, Languages, Names, Vocabulary, VoiceNames};

use super::watch::WatchWords;
use files::{Files, LanguageFile, by_templates, by_tool, read, read_over};

const COMMANDS: &str = "commands.toml";
const SENTENCES: &str = "sentences.toml";
const TOOLS: &str = "tools.toml";
const REQUESTS: &str = "consent.toml";
const SECRETS: &str = "secrets.toml";
const TRUTH: &str = "truth.toml";
const READINGS: &str = "readings.toml";
const SAFETY: &str = "care.toml";
const HOUSE: &str = "house.toml";
const WATCH: &str = "watch.toml";
const AGENTS: &str = "agents.toml";
const VOICE: &str = "voice.toml";
const PAGE: &str = "page.toml";
/// The folder of the prompts, among the files of a language.
const PROMPTS: &str = "prompts";
/// A Piper voice among the files of a language; its description is beside it.
const OWN_VOICE: &str = "voice.onnx";

/// The setting that asks for all languages: the one that is heard is answered in.
pub const ANY_LANGUAGE: &str = "auto";

/// Why there is no language.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// There is none of this code. Report the codes there are.
    #[error("there is no language \"{code}\"; there is {}", available.join(", "))]
    Unknown {
        /// The requested code.
        code: String,
        /// The known codes.
        available: Vec<String>,
    },
    /// A file can't be read. Report it.
    #[error("can't read {}: {source}", file.display())]
    Unreadable {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file can't be used. Report it.
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
    /// The fetched sentence templates, a file for each language.
    templates: Option<PathBuf>,
}

/// What counts of a language that is not spoken.
struct OtherWords {
    mood: MoodWords,
    tools: ToolWords,
    requests: RequestWords,
    secrets: Option<SecretWords>,
    truth: TruthWords,
    safety: SafetyWords,
}

/// What counts of another language's commands.
#[derive(Deserialize)]
struct OnlyMood {
    mood: MoodWords,
}

impl Language {
    /// The built-in language of a two-letter code.
    ///
    /// # Errors
    /// There is none.
    pub fn load(code: &str) -> Result<Self, LanguageError> {
        LanguageLibrary::built_in().load(code)
    }

    /// The codes of the built-in languages.
    pub fn available() -> Vec<String> {
        LanguageLibrary::built_in().available()
    }
}

impl LanguageLibrary {
    /// The built-in languages.
    pub fn built_in() -> Self {
        Self { folder: None, templates: None }
    }

    /// The same and those in `folder`, each in a folder of its own; it need not exist.
    pub fn with_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), templates: None }
    }

    /// The same with sentence templates from `folder`, which need not be there: a file `<code>.json` for each language.
    #[must_use]
    pub fn with_templates(self, folder: impl Into<PathBuf>) -> Self {
        Self { templates: Some(folder.into()), ..self }
    }

    /// The codes of all languages, those that sentence templates understand last.
    pub fn known(&self) -> Vec<String> {
        let mut codes = self.available();
        let further = BY_TEMPLATES.iter().map(|language| language.code.to_owned());
        codes.extend(further.filter(|code| self.own(code).is_none()).collect::<Vec<_>>());
        codes
    }

    /// The codes of the complete languages and of those with files of their own, the built-in ones first.
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

    /// The languages that `setting` asks for: one by its code, or all of them with [`ANY_LANGUAGE`]. Of all of them,
    /// one that can't be used is left out, and that is logged.
    ///
    /// # Errors
    /// There is none of this code, or its files can't be used.
    pub fn spoken(&self, setting: &str) -> Result<Languages, LanguageError> {
        if setting != ANY_LANGUAGE {
            return self.load(setting).map(Languages::new);
        }
        let others = self.available().into_iter().filter(|code| code != ENGLISH.code);
        let usable = |code: String| {
            let loaded = self.load(&code);
            loaded.inspect_err(|error| tracing::warn!(%error, code, "a language can't be used")).ok()
        };
        Ok(Languages::several(self.load(ENGLISH.code)?, others.filter_map(usable).collect()))
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
        let (available, known) = (self.available(), self.known());
        if !known.iter().any(|known| known == code) {
            return Err(LanguageError::Unknown { code: code.to_owned(), available: known });
        }
        let files = self.files(code)?;
        let grammar = files.commands.read(|text| Grammar::read(text, names))?;
        let vocabulary = files.commands.read(Vocabulary::read)?;
        let sentences = files.sentences.read(Sentences::read)?;
        let mut tools = vec![files.tools.read(ToolWords::read)?];
        let mut requests = vec![files.requests.read(RequestWords::read)?];
        let mut secrets: Vec<SecretWords> = files.secrets()?.into_iter().collect();
        let mut truth = vec![files.truth(&tools[0])?];
        let (voice, prompts) = (self.voice(code)?, self.prompts(code)?);
        let readings = files.readings.as_ref().map(|file| file.read(ReadingWords::read)).transpose()?;
        let mut safety = vec![files.safety.read(SafetyWords::read)?];
        let house = |file: &LanguageFile| file.read(|text| HouseWords::read(text, &files.commands.text));
        let house = files.house.as_ref().map(house).transpose()?.map(Arc::new);
        let templates = self.templates.as_ref().map(|folder| folder.join(format!("{code}.json")));
        let numbers = files.commands.read(house::number_words)?;
        let templates = templates.map(|file| LanguageTemplates::new(file, numbers));
        let is_by_templates = by_templates(code).is_some() && self.own(code).is_none();
        let agents = files.agents.as_ref().map(|file| file.read(AgentWords::read)).transpose()?.map(Arc::new);
        let watch = files.watch.as_ref().map(|file| file.read(WatchWords::read)).transpose()?.map(Arc::new);
        let mut other_moods = Vec::new();
        for other in available.iter().filter(|other| *other != code) {
            // Another language that can't be used costs what it would add.
            match self.of_another(other) {
                Ok(words) => {
                    other_moods.push(words.mood);
                    tools.push(words.tools);
                    requests.push(words.requests);
                    secrets.extend(words.secrets);
                    truth.push(words.truth);
                    safety.push(words.safety);
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
            requests,
            secrets,
            truth,
            safety,
            other_moods,
            readings,
            voice,
            prompts,
            house,
            templates,
            is_by_templates,
            watch,
            agents,
        })
    }

    /// By what the language of this code is heard and spoken; nothing else of it is read.
    ///
    /// # Errors
    /// Its file can't be used.
    pub fn voice(&self, code: &str) -> Result<VoiceNames, LanguageError> {
        let own = self.own(code);
        let complete = BUILT_IN.iter().find(|language| language.code == code).map(|language| language.voice);
        let shipped = complete.or_else(|| by_templates(code).map(|language| language.voice));
        let file = match (&own, shipped) {
            (Some(own), _) if own.join(VOICE).exists() => read(own.join(VOICE))?,
            (None, Some(voice)) => LanguageFile::built_in(code, VOICE, voice),
            (Some(_), _) | (None, None) => LanguageFile::built_in(code, VOICE, ""),
        };
        let own = own.map(|own| own.join(OWN_VOICE)).filter(|voice| voice.exists());
        file.read(|text| VoiceNames::read(text, code, own))
    }

    /// The words of the page in the language of this code; nothing else of it is read. What it lacks is in English.
    ///
    /// # Errors
    /// Its file can't be used.
    pub fn page(&self, code: &str) -> Result<PageWords, LanguageError> {
        let file = match self.own(code) {
            Some(own) => read_over(own.join(PAGE), PAGE, ENGLISH.page)?,
            None => {
                let built_in = BUILT_IN.iter().find(|language| language.code == code).unwrap_or(&ENGLISH);
                LanguageFile::built_in(built_in.code, PAGE, built_in.page)
            }
        };
        file.read(PageWords::read)
    }

    fn prompts(&self, code: &str) -> Result<PromptTexts, LanguageError> {
        if let Some(own) = self.own(code) {
            let unreadable = |(file, source)| LanguageError::Unreadable { file, source };
            return PromptTexts::read(&own.join(PROMPTS)).map_err(unreadable);
        }
        let built_in = BUILT_IN.iter().find(|language| language.code == code);
        Ok((built_in.unwrap_or(&ENGLISH).prompts)())
    }

    /// The folder of a language with files of its own.
    fn own(&self, code: &str) -> Option<PathBuf> {
        let own = self.folder.as_ref().map(|folder| folder.join(code));
        own.filter(|own| own.join(COMMANDS).is_file())
    }

    fn of_another(&self, code: &str) -> Result<OtherWords, LanguageError> {
        let files = self.files(code)?;
        let mood = |text: &str| toml::from_str(text).map_err(|error: toml::de::Error| error.to_string());
        let OnlyMood { mood } = files.commands.read(mood)?;
        let (tools, requests) =
            (files.tools.read(ToolWords::read)?, files.requests.read(RequestWords::read)?);
        let (secrets, truth) = (files.secrets()?, files.truth(&tools)?);
        let safety = files.safety.read(SafetyWords::read)?;
        Ok(OtherWords { mood, tools, requests, secrets, truth, safety })
    }

    fn files(&self, code: &str) -> Result<Files, LanguageError> {
        if let Some(own) = self.own(code) {
            let sentences = read_over(own.join(SENTENCES), SENTENCES, ENGLISH.sentences)?;
            let (sentences, tools) = by_tool(sentences, read_over(own.join(TOOLS), TOOLS, ENGLISH.tools)?)?;
            return Ok(Files {
                commands: read(own.join(COMMANDS))?,
                sentences,
                tools,
                requests: read_over(own.join(REQUESTS), REQUESTS, ENGLISH.requests)?,
                secrets: own.join(SECRETS).exists().then(|| read(own.join(SECRETS))).transpose()?,
                readings: own.join(READINGS).exists().then(|| read(own.join(READINGS))).transpose()?,
                house: own.join(HOUSE).exists().then(|| read(own.join(HOUSE))).transpose()?,
                watch: own.join(WATCH).exists().then(|| read(own.join(WATCH))).transpose()?,
                agents: own.join(AGENTS).exists().then(|| read(own.join(AGENTS))).transpose()?,
                truth: read_over(own.join(TRUTH), TRUTH, ENGLISH.truth)?,
                safety: read_over(own.join(SAFETY), SAFETY, ENGLISH.safety)?,
            });
        }
        let built_in = BUILT_IN.iter().find(|language| language.code == code);
        if let (None, Some(language)) = (built_in, by_templates(code)) {
            let (sentences, english) = (language.sentences, ENGLISH.sentences);
            return Ok(Files {
                commands: LanguageFile::built_in(code, COMMANDS, language.commands),
                sentences: LanguageFile::built_in(code, SENTENCES, sentences).over(english)?,
                tools: LanguageFile::built_in(ENGLISH.code, TOOLS, ENGLISH.tools),
                requests: LanguageFile::built_in(ENGLISH.code, REQUESTS, ENGLISH.requests),
                secrets: None,
                readings: None,
                house: Some(LanguageFile::built_in(code, HOUSE, language.house)),
                watch: None,
                agents: None,
                truth: LanguageFile::built_in(ENGLISH.code, TRUTH, ENGLISH.truth),
                safety: LanguageFile::built_in(ENGLISH.code, SAFETY, ENGLISH.safety),
            });
        }
        let built_in = built_in.unwrap_or(&ENGLISH);
        Ok(Files {
            commands: LanguageFile::built_in(code, COMMANDS, built_in.commands),
            sentences: LanguageFile::built_in(code, SENTENCES, built_in.sentences),
            tools: LanguageFile::built_in(code, TOOLS, built_in.tools),
            requests: LanguageFile::built_in(code, REQUESTS, built_in.requests),
            secrets: None,
            readings: Some(LanguageFile::built_in(code, READINGS, built_in.readings)),
            house: Some(LanguageFile::built_in(code, HOUSE, built_in.house)),
            watch: Some(LanguageFile::built_in(code, WATCH, built_in.watch)),
            agents: Some(LanguageFile::built_in(code, AGENTS, built_in.agents)),
            truth: LanguageFile::built_in(code, TRUTH, built_in.truth),
            safety: LanguageFile::built_in(code, SAFETY, built_in.safety),
        })
    }
}
