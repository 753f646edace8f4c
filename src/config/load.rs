//! Reads the configuration from its sources and reports all its problems at once.
//!
//! Called once at start. The built-in defaults are the schema: a key they do not have is unknown.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Config, NAMED_BY_OWNER, PRICES};
use joi_base::problem::Problem;
use joi_hear::whisper::{AUTO, SttModel, knows_language};
use joi_language::{ANY_LANGUAGE, LanguageLibrary};

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrigin {
    /// Built in.
    Default,
    /// The configuration file.
    File,
    /// An environment variable.
    Environment,
    /// A command-line flag.
    Flag,
}

impl ValueOrigin {
    /// Its name in `joi config show`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// One value given outside the file: its dotted key, its text and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// For example `llm.url`.
    pub key: String,
    /// A TOML value; text that is none is taken as a string.
    pub text: String,
    /// Environment or flag.
    pub origin: ValueOrigin,
}

impl Override {
    /// Returns the overrides among environment variables: `JOI__SECTION__KEY`, double underscores for dots.
    pub fn from_environment(vars: impl Iterator<Item = (String, String)>) -> Vec<Self> {
        vars.filter_map(|(name, text)| {
            let path = name.strip_prefix("JOI__")?;
            let key = path.to_lowercase().replace("__", ".");
            Some(Self { key, text, origin: ValueOrigin::Environment })
        })
        .collect()
    }

    /// Parses a `key=value` flag.
    pub fn from_flag(flag: &str) -> Result<Self, Problem> {
        let Some((key, text)) = flag.split_once('=') else {
            return Err(Problem::new("--set", flag, "KEY=VALUE, for example --set llm.url=http://nas:11434"));
        };
        Ok(Self { key: key.trim().into(), text: text.trim().into(), origin: ValueOrigin::Flag })
    }
}

/// A configuration together with the origin of every key.
#[derive(Debug, Clone)]
pub struct Effective {
    /// The values.
    pub config: Config,
    /// Every key that is not at its default.
    pub origins: BTreeMap<String, ValueOrigin>,
}

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file was named that is not there. Report it to the user.
    #[error("there is no configuration file {path}; write one with `joi config init`")]
    Missing {
        /// Which file.
        path: PathBuf,
    },
    /// The file exists and can't be read. Report it to the user.
    #[error("can't read the configuration {path}: {source}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not TOML. Report it to the user.
    #[error("{name} is not valid TOML: {message}")]
    Syntax {
        /// Which file.
        name: String,
        /// The parser's message, with the place.
        message: String,
    },
    /// Keys or values that can't be used. Report all of them to the user.
    #[error("{}", Listed(.0))]
    Problems(Vec<Problem>),
}

struct Listed<'a>(&'a [Problem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.0.len() == 1 { "problem" } else { "problems" };
        write!(f, "the configuration has {} {noun}:", self.0.len())?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// Every given value by its dotted key, with its origin.
pub(super) type Given = BTreeMap<String, (Value, ValueOrigin)>;

/// Loads `path` (a missing file counts as empty) and lays `overrides` over it.
pub fn load(path: &Path, overrides: &[Override]) -> Result<Effective, ConfigError> {
    read(&text_of(path)?, &path.display().to_string(), overrides, &library_beside(path))
}

/// Returns the text of a configuration file, empty where there is none.
pub(super) fn text_of(path: &Path) -> Result<String, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(ConfigError::Read { path: path.into(), source }),
    }
}

/// Returns the built-in languages and those in the folder beside a configuration file.
pub(super) fn library_beside(path: &Path) -> LanguageLibrary {
    LanguageLibrary::with_folder(path.with_file_name("languages"))
}

/// Loads TOML `text`, called `name` in errors, and lays `overrides` over it; its language is a built-in one.
pub fn load_text(text: &str, name: &str, overrides: &[Override]) -> Result<Effective, ConfigError> {
    read(text, name, overrides, &LanguageLibrary::built_in())
}

fn read(
    text: &str,
    name: &str,
    overrides: &[Override],
    library: &LanguageLibrary,
) -> Result<Effective, ConfigError> {
    resolve(&gather(parse(text, name)?, overrides), library)
}

pub(super) fn parse(text: &str, name: &str) -> Result<Table, ConfigError> {
    text.parse()
        .map_err(|e: toml::de::Error| ConfigError::Syntax { name: name.into(), message: e.to_string() })
}

/// Returns the configuration of the given values, or all their problems.
pub(super) fn resolve(given: &Given, library: &LanguageLibrary) -> Result<Effective, ConfigError> {
    let schema = leaves(&schema());
    let mut problems = Vec::new();
    let mut merged = Table::new();
    let mut origins = BTreeMap::new();
    for (key, (value, origin)) in given.iter() {
        match usable(key, value, &schema) {
            Ok(()) => {
                place(&mut merged, key, value.clone());
                origins.insert(key.clone(), *origin);
            }
            Err(problem) => problems.push(problem),
        }
    }
    match merged.try_into::<Config>() {
        Ok(mut config) => {
            problems.extend(config.check());
            problems.extend(unavailable(&config.language, library));
            problems.extend(hear_what_is_spoken(&mut config, library));
            if problems.is_empty() {
                Ok(Effective { config, origins })
            } else {
                Err(ConfigError::Problems(problems))
            }
        }
        Err(e) => {
            problems.push(Problem::new("configuration", "as given", e.message()));
            Err(ConfigError::Problems(problems))
        }
    }
}

/// Sets speech recognition to the spoken language where nothing else is set, or returns why that is impossible.
fn hear_what_is_spoken(config: &mut Config, library: &LanguageLibrary) -> Option<Problem> {
    let (stt, spoken) = (&mut config.hear.stt, &config.language);
    if stt.language != AUTO {
        return None;
    }
    if spoken != ANY_LANGUAGE {
        // An unusable file is reported when the language is loaded.
        let whisper = library.voice(spoken).ok()?.whisper;
        if !knows_language(&whisper) {
            let allowed = "a language that whisper knows, such as \"de\" or \"fr\"";
            let remedy =
                format!("Set whisper = \"…\" in languages/{spoken}/voice.toml, or hear.stt.language.");
            return Some(Problem::new("language", format!("\"{spoken}\""), allowed).remedy(remedy));
        }
        stt.among = Some(whisper).into_iter().filter(|whisper| whisper != "en").collect();
    } else {
        let whisper = |code: &String| library.voice(code).ok().map(|voice| voice.whisper);
        stt.among =
            library.available().iter().filter_map(whisper).filter(|code| knows_language(code)).collect();
    }
    (!stt.is_english() && stt.model == SttModel::TinyEn).then(|| {
        let allowed = format!("\"base\" or \"auto\" with language = \"{spoken}\"");
        Problem::new("hear.stt.model", "\"tiny.en\"", allowed)
            .remedy("`joi models fetch whisper-base` brings the model.")
    })
}

/// Returns the problem of a language that does not exist.
fn unavailable(language: &str, library: &LanguageLibrary) -> Option<Problem> {
    let mut known = library.known();
    known.push(ANY_LANGUAGE.to_owned());
    let is_known = known.iter().any(|known| known == language);
    let names: Vec<String> = known.iter().map(|known| format!("\"{known}\"")).collect();
    let problem = || {
        Problem::new("language", format!("\"{language}\""), names.join(", "))
            .remedy("A language can be added as a folder of files: see docs/user/languages.md.")
    };
    (!is_known).then(problem)
}

/// Returns all given leaves by dotted key; later sources replace earlier ones.
pub(super) fn gather(file: Table, overrides: &[Override]) -> Given {
    let mut given: Given =
        leaves(&file).into_iter().map(|(key, value)| (key, (value, ValueOrigin::File))).collect();
    for o in overrides {
        let value = format!("v = {}", o.text)
            .parse::<Table>()
            .ok()
            .and_then(|mut t| t.remove("v"))
            .unwrap_or_else(|| Value::String(o.text.clone()));
        given.insert(o.key.clone(), (value, o.origin));
    }
    given
}

/// Checks that `key` is known and that its section accepts `value`.
fn usable(key: &str, value: &Value, schema: &BTreeMap<String, Value>) -> Result<(), Problem> {
    if is_named_by_owner(key) {
        return alone(key, value).map(drop).map_err(|message| Problem::new(key, value, message));
    }
    let Some(default) = schema.get(key) else { return Err(unknown(key, value, schema)) };
    match alone(key, value) {
        Ok(_) => Ok(()),
        Err(message) => Err(Problem::new(key, value, allowed(key, default).unwrap_or(message))),
    }
}

/// Returns whether a key belongs to a table that the owner names.
pub(super) fn is_named_by_owner(key: &str) -> bool {
    NAMED_BY_OWNER.iter().any(|table| key.strip_prefix(table).is_some_and(|rest| rest.contains('.')))
}

/// Returns a configuration in which only `key` is given, or why its section does not accept it.
fn alone(key: &str, value: &Value) -> Result<Config, String> {
    let mut alone = Table::new();
    place(&mut alone, key, value.clone());
    alone.try_into::<Config>().map_err(|error| error.message().trim().to_owned())
}

/// Returns the allowed values of a key that was given another type; nothing where the type's own message is better.
pub(super) fn allowed(key: &str, default: &Value) -> Option<String> {
    let number = |noun: &str, far: &[Value]| match range(key, far) {
        Some(range) => format!("{noun} from {range}"),
        None => noun.to_owned(),
    };
    match default {
        Value::Integer(_) => Some(number("a whole number", &FAR.map(Value::Integer))),
        Value::Float(_) => Some(number("a number", &FAR.map(|far| Value::Float(far as f64)))),
        Value::Boolean(_) => Some("true or false".to_owned()),
        Value::Array(_) => Some(format!("a list, for example {default}")),
        Value::String(_) => Some(match alone(key, &"?".into()) {
            Ok(_) => "a text in quotes".to_owned(),
            // An unknown word is reported with the known ones.
            Err(told) => told.split_once("expected ").map_or(told.clone(), |(_, words)| words.to_owned()),
        }),
        Value::Datetime(_) | Value::Table(_) => None,
    }
}

/// Numbers that are outside of what any key allows, and fit into its type.
const FAR: [i64; 5] = [4_000_000_000, 65_000, 255, -1_000_000, -100];

/// Returns the range that a number is checked against, from the problem of a number far outside.
fn range(key: &str, far: &[Value]) -> Option<String> {
    let told = far.iter().filter_map(|far| alone(key, far).ok()?.check().into_iter().find(|p| p.key == key));
    let is_range = |allowed: &String| {
        allowed.contains(" to ") && allowed.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    told.map(|problem| problem.allowed).find(is_range)
}

fn unknown(key: &str, value: &Value, schema: &BTreeMap<String, Value>) -> Problem {
    let nearest = schema
        .keys()
        .map(|known| (strsim::normalized_damerau_levenshtein(known, key), known))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let problem = Problem::new(key, value, "this key does not exist");
    match nearest {
        Some((score, known)) if score > 0.5 => problem.remedy(format!("Did you mean {known}?")),
        _ => problem.remedy("See all keys with `joi config show`."),
    }
}

/// Returns the built-in defaults as a table.
pub(super) fn schema() -> Table {
    Table::try_from(Config::default()).unwrap_or_default()
}

/// Returns the dotted keys of every value that is not a table. Lists count as values, also lists of tables.
pub(crate) fn leaves(table: &Table) -> BTreeMap<String, Value> {
    fn walk(prefix: &str, table: &Table, found: &mut BTreeMap<String, Value>) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                // A field of an agent may have all its keys at their defaults.
                Value::Table(inner) if !(inner.is_empty() && is_named_by_owner(&key)) => {
                    walk(&key, inner, found)
                }
                other => {
                    found.insert(key, other.clone());
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk("", table, &mut found);
    found
}

/// Puts `value` at dotted `key` and creates the tables above it.
fn place(table: &mut Table, key: &str, value: Value) {
    // The name of a model may hold dots itself.
    let model = key.strip_prefix(PRICES).and_then(|rest| rest.rsplit_once('.'));
    let path: Vec<&str> = match model {
        Some((name, part)) => PRICES.split_terminator('.').chain([name, part]).collect(),
        None => key.split('.').collect(),
    };
    let (Some((last, sections)), mut inner) = (path.split_last(), table) else { return };
    for section in sections {
        let below = inner.entry(*section).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(below) = below else { return };
        inner = below;
    }
    inner.insert((*last).to_owned(), value);
}
