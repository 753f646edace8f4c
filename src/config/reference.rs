//! The reference of the configuration, generated from the types: `config/default.toml`, which is also the file that
//! `joi config init` writes, and the tables of `docs/user/configuration.md`.
//!
//! Part of the tests only. In: the sources of the `…Config` structs (meaning), their `Default` (values) and their
//! `check` (ranges, as it reports them for a value out of range). Out: both files, compared with those in the repository,
//! or written where `JOI_UPDATE_REFERENCE` is set (`make config-reference`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use syn::{Attribute, Expr, Fields, Item, ItemStruct, Lit, Meta, Type};
use toml::{Table, Value};

use super::{Config, ConfigError, Override, load, load_text};
use joi_base::problem::Problem;

const TOML_HEAD: &str = "\
# Joi's configuration, with every key at its default. Keys that are left out keep their default.
# Each key can also be set for one run: --set llm.url=http://nas:11434, or in the environment:
# JOI__LLM__URL=http://nas:11434. Check a file with `joi config check`.
";

const TABLE_HEAD: &str = "\
# Configuration

Every key with its default, what it may be, and what it does. The file is `~/.config/joi/config.toml`;
`joi config init` writes one with all keys, `joi config check` reports every problem of a file, and `joi config show` shows
what is in force and where it came from. For one run: `--set KEY=VALUE`, or an environment variable such as
`JOI__LLM__URL`.

This page and `config/default.toml` are generated from the types by `make config-reference`.
";

/// Length of a line of comment.
const WIDTH: usize = 100;

/// One key.
struct ConfigKey {
    name: String,
    /// Its dotted key.
    path: String,
    doc: String,
    default: Value,
}

/// A table of the file.
struct Section {
    path: String,
    doc: String,
    keys: Vec<ConfigKey>,
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns every struct named `…Config` of the program and its crates, by its name.
fn structs() -> BTreeMap<String, ItemStruct> {
    let mut found = BTreeMap::new();
    let is_program = |folder: &PathBuf| !["joi-bench", "joi-model"].iter().any(|name| folder.ends_with(name));
    let crates = std::fs::read_dir(project("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = crates.filter(is_program).map(|folder| folder.join("src")).collect();
    folders.push(project("src"));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if path.extension().is_none_or(|e| e != "rs") || !text.contains("Config {") {
                continue;
            }
            for item in syn::parse_file(&text).unwrap().items {
                let Item::Struct(item) = item else { continue };
                let name = item.ident.to_string();
                // The whole one is in the file of that name; other formats may have a `Config` of their own.
                if name.ends_with("Config") && (name != "Config" || path.ends_with("src/config.rs")) {
                    assert!(found.insert(name.clone(), item).is_none(), "two structs are named {name}");
                }
            }
        }
    }
    found
}

/// Returns the text of a doc comment as one paragraph.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter(|a| a.path().is_ident("doc")).filter_map(|a| match &a.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").trim().replace('−', "-")
}

/// Returns the name of a type without its path: `joi_audio::AudioConfig` gives `AudioConfig`.
fn name_of(kind: &Type) -> String {
    match kind {
        Type::Path(path) => path.path.segments.last().unwrap().ident.to_string(),
        _ => String::new(),
    }
}

/// Returns the sections below `name`, in the order of the fields; a section's own keys come before its sections.
fn sections(
    all: &BTreeMap<String, ItemStruct>,
    name: &str,
    path: &str,
    about: &str,
    values: &Table,
) -> Vec<Section> {
    let Fields::Named(fields) = &all[name].fields else { panic!("{name} has no named fields") };
    let mut own = Section { path: path.to_owned(), doc: about.to_owned(), keys: Vec::new() };
    let mut below = Vec::new();
    for field in &fields.named {
        let field_name = field.ident.as_ref().unwrap().to_string();
        let dotted = if path.is_empty() { field_name.clone() } else { format!("{path}.{field_name}") };
        let (text, kind) = (doc(&field.attrs), name_of(&field.ty));
        match values.get(&field_name) {
            // Not a key: it follows from others.
            None => {}
            Some(Value::Table(inner)) => below.extend(sections(all, &kind, &dotted, &text, inner)),
            Some(value) => {
                own.keys.push(ConfigKey { name: field_name, path: dotted, doc: text, default: value.clone() })
            }
        }
    }
    let mut found = if own.keys.is_empty() { Vec::new() } else { vec![own] };
    found.extend(below);
    found
}

fn reference() -> Vec<Section> {
    sections(&structs(), "Config", "", "", &Table::try_from(Config::default()).unwrap())
}

/// Returns a value as one would write it: the configuration holds some numbers in single precision.
fn written(value: &Value) -> String {
    match value {
        Value::Float(number) => format!("{:?}", *number as f32),
        other => other.to_string(),
    }
}

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    out + &line + "\n"
}

fn default_file(reference: &[Section]) -> String {
    let mut out = TOML_HEAD.to_owned();
    for section in reference {
        match section.path.as_str() {
            "" => out.push('\n'),
            path => write!(out, "\n[{path}]\n").unwrap(),
        }
        for key in &section.keys {
            writeln!(out, "{}{} = {}", wrapped(&key.doc), key.name, written(&key.default)).unwrap();
        }
    }
    out
}

fn tables(reference: &[Section]) -> String {
    let mut out = TABLE_HEAD.to_owned();
    let cell = |text: &str| text.replace('|', "\\|");
    for section in reference {
        match section.path.as_str() {
            "" => out.push_str("\n## At the head of the file\n\n"),
            path => write!(out, "\n## `[{path}]`\n\n{}\n\n", section.doc).unwrap(),
        }
        out.push_str("| key | default | allowed | meaning |\n|---|---|---|---|\n");
        for key in &section.keys {
            let (default, allowed) = (cell(&written(&key.default)), cell(&allowed(key)));
            writeln!(out, "| `{}` | `{default}` | {allowed} | {} |", key.name, cell(&key.doc)).unwrap();
        }
    }
    out
}

/// Returns the problem that the configuration has with this value of a key, if it is about that key.
fn problem(path: &str, value: &str) -> Option<Problem> {
    let given = Override::from_flag(&format!("{path}={value}")).unwrap();
    match load_text("", "reference", &[given]) {
        Err(ConfigError::Problems(problems)) => problems.into_iter().find(|problem| problem.key == path),
        _ => None,
    }
}

/// Returns the range that a number is checked against, from the problem of a number far outside.
fn range(path: &str) -> Option<String> {
    let far = ["-1e9", "1e9", "-1000000", "4000000000", "65000", "255"];
    let told = far.into_iter().filter_map(|value| problem(path, value)).map(|problem| problem.allowed);
    let is_range = |allowed: &String| {
        allowed.contains(" to ") && allowed.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    told.into_iter().find(is_range)
}

/// Returns the words that can be chosen from, from the problem of an unknown word.
fn choice(path: &str) -> Option<String> {
    let allowed = problem(path, "\"?\"")?.allowed;
    let is_choice = allowed.starts_with("one of `") || allowed.starts_with('`');
    let words: Vec<&str> = allowed.split('`').skip(1).step_by(2).filter(|_| is_choice).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Returns what a key may be.
fn allowed(key: &ConfigKey) -> String {
    match &key.default {
        Value::Boolean(_) => "true, false".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        _ => range(&key.path).or_else(|| choice(&key.path)).unwrap_or_else(|| "text".to_owned()),
    }
}

#[track_caller]
fn is_in_the_repository(file: &str, generated: &str) {
    let file = project(file);
    if std::env::var_os("JOI_UPDATE_REFERENCE").is_some() {
        std::fs::write(&file, generated).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    for (number, (kept, generated)) in kept.lines().zip(generated.lines()).enumerate() {
        let (file, line) = (file.display(), number + 1);
        assert_eq!(
            kept, generated,
            "line {line} of {file} is not what the types say; run make config-reference"
        );
    }
    assert!(kept == generated, "{} is cut short or too long; run make config-reference", file.display());
}

#[test]
fn the_default_file_is_what_the_types_say() {
    is_in_the_repository("config/default.toml", &default_file(&reference()));
}

#[test]
fn the_tables_are_what_the_types_say() {
    is_in_the_repository("docs/user/configuration.md", &tables(&reference()));
}

#[test]
fn the_range_of_every_number_is_checked_and_documented() {
    let numbers = |text: &str| -> Vec<f64> {
        let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        words.filter_map(|word| word.trim_end_matches('.').parse().ok()).collect()
    };
    for key in reference().iter().flat_map(|section| &section.keys) {
        if !matches!(key.default, Value::Integer(_) | Value::Float(_)) {
            continue;
        }
        let Some(range) = range(&key.path) else { panic!("{} takes any number", key.path) };
        let (named, ends) = (numbers(&key.doc), numbers(&range));
        let are_named = ends.iter().take(2).all(|end| named.contains(end));
        assert!(are_named, "the comment of {} does not name its range, {range}: {}", key.path, key.doc);
    }
}

#[test]
fn every_key_is_explained() {
    let keys: Vec<ConfigKey> = reference().into_iter().flat_map(|section| section.keys).collect();
    let built_in = Table::try_from(Config::default()).unwrap();
    assert_eq!(keys.len(), load::leaves(&built_in).len());
    for key in keys {
        assert!(key.doc.ends_with('.') && !key.doc.contains("[`"), "{}: {}", key.path, key.doc);
    }
}
