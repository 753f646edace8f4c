//! The files of one language: their text, and what stands in their place where they are missing.
//!
//! Reads files. In: a path, or a text that ships. Out: texts, an English one below where keys may be missing; errors name the
//! file.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::LanguageError;
use crate::built_in::{BY_TEMPLATES, ENGLISH, TemplateLanguage};
use crate::secrets::SecretWords;
use crate::tools::ToolWords;
use crate::truth::{TruthFile, TruthWords, devices};

/// A file and its text.
pub(super) struct LanguageFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The files of a language.
pub(super) struct Files {
    pub(super) commands: LanguageFile,
    pub(super) sentences: LanguageFile,
    pub(super) tools: LanguageFile,
    pub(super) requests: LanguageFile,
    pub(super) truth: LanguageFile,
    pub(super) safety: LanguageFile,
    /// Of a language that is not built in, where it has them.
    pub(super) secrets: Option<LanguageFile>,
    /// Where it has them.
    pub(super) readings: Option<LanguageFile>,
    pub(super) house: Option<LanguageFile>,
    pub(super) watch: Option<LanguageFile>,
    pub(super) agents: Option<LanguageFile>,
}

impl Files {
    /// The words of its secrets, beside those of the built-in languages.
    pub(super) fn secrets(&self) -> Result<Option<SecretWords>, LanguageError> {
        let Some(secrets) = &self.secrets else { return Ok(None) };
        secrets.read(|text| SecretWords::read(text, &self.commands.text)).map(Some)
    }

    pub(super) fn truth(&self, tools: &ToolWords) -> Result<TruthWords, LanguageError> {
        let devices = self.commands.read(devices)?;
        let mut file = self.truth.read(TruthFile::read)?;
        self.tools.read(|_| file.add_tools(&tools.tool))?;
        self.truth.read(|_| TruthWords::of(file, &devices))
    }
}

impl LanguageFile {
    pub(super) fn built_in(code: &str, name: &str, text: &str) -> Self {
        Self { path: Path::new(code).join(name), text: text.to_owned() }
    }

    pub(super) fn read<T>(&self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, LanguageError> {
        read(&self.text).map_err(|problem| LanguageError::Faulty { file: self.path.clone(), problem })
    }

    /// The same with the keys of the `english` file that it lacks.
    pub(super) fn over(self, english: &str) -> Result<Self, LanguageError> {
        let table = |text: &str| text.parse::<Table>().map_err(|error| error.to_string());
        let text = self.read(|text| {
            let mut all = table(english)?;
            lay_over(&mut all, table(text)?);
            toml::to_string(&all).map_err(|error| error.to_string())
        })?;
        Ok(Self { text, ..self })
    }
}

/// The files of a language that sentence templates understand.
pub(super) fn by_templates(code: &str) -> Option<&'static TemplateLanguage> {
    BY_TEMPLATES.iter().find(|language| language.code == code)
}

pub(super) fn read(path: PathBuf) -> Result<LanguageFile, LanguageError> {
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(LanguageFile { path, text }),
        Err(source) => Err(LanguageError::Unreadable { file: path, source }),
    }
}

/// A file that may be missing, as may keys in it: then they are as in English.
pub(super) fn read_over(path: PathBuf, name: &str, english: &str) -> Result<LanguageFile, LanguageError> {
    if !path.exists() {
        return Ok(LanguageFile::built_in(ENGLISH.code, name, english));
    }
    read(path)?.over(english)
}

/// Sentences of `[tools]` in files of 0.1 that are the `ask` of a tool today, and what became of their `{text}`.
const ASKS: [(&str, &str, &str); 5] = [
    ("ask_calculate", "calculate", "{expression}"),
    ("ask_web", "webSearch", "{query}"),
    ("ask_page", "readPage", ""),
    ("ask_stop", "stop", ""),
    ("ask_tool", "toolSearch", ""),
];

/// Moves what sentences and words of tools of 0.1 have elsewhere into the tables of the tools.
pub(super) fn by_tool(
    said: LanguageFile,
    words: LanguageFile,
) -> Result<(LanguageFile, LanguageFile), LanguageError> {
    let table = |file: &LanguageFile| {
        file.read(|text| text.parse().map_err(|error: toml::de::Error| error.to_string()))
    };
    let (mut sentences, mut tools): (Table, Table) = (table(&said)?, table(&words)?);
    let mut moved: Vec<(String, &str, Value)> = Vec::new();
    if let Some(Value::Table(cues)) = tools.remove("cues") {
        moved.extend(cues.into_iter().map(|(tool, cues)| (tool, "cues", cues)));
    }
    if let Some(Value::Table(said)) = sentences.get_mut("tools") {
        for (key, tool, argument) in ASKS {
            if let Some(Value::String(ask)) = said.remove(key) {
                moved.push((tool.to_owned(), "ask", ask.replace("{text}", argument).into()));
            }
        }
    }
    for (tool, key, value) in moved {
        let one = |key: String, value| Value::Table(Table::from_iter([(key, value)]));
        lay_over(&mut tools, Table::from_iter([("tool".to_owned(), one(tool, one(key.to_owned(), value)))]));
    }
    let text = |file: LanguageFile, table: &Table| {
        let text = file.read(|_| toml::to_string(table).map_err(|error| error.to_string()))?;
        Ok(LanguageFile { text, ..file })
    };
    Ok((text(said, &sentences)?, text(words, &tools)?))
}

fn lay_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => drop(below.insert(key, value)),
        }
    }
}
