//! The rules of the house that the compiler does not check: who may import whom, which file may name
//! which crate, how long a file may be, and that every file says what it is.

#![allow(clippy::expect_used, reason = "in a test, what was not expected ends it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod architecture {
    mod told;
}

/// No source file is longer than this.
const LONGEST_FILE: usize = 400;
/// A head of more lines is an essay.
const LONGEST_HEAD: usize = 30;

/// What each module may import of ours, beside those that are for all.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("message", &["audio"]),
    ("trace", &[]),
    ("problem", &[]),
    ("checksum", &[]),
    ("durable", &[]),
    ("root_cause", &[]),
    ("clock", &[]),
    ("english", &[]),
    ("language", &[]),
    ("machine", &[]),
    ("pulse", &[]),
    ("restart", &[]),
    ("paths", &[]),
    ("confined", &[]),
    ("audio", &[]),
    ("models", &["paths"]),
    ("hear", &["audio"]),
    ("speak", &["audio"]),
    ("home", &[]),
    ("llm", &[]),
    ("store", &[]),
    ("backup", &["config", "paths", "store"]),
    ("announce", &["store"]),
    ("outbound", &["store"]),
    ("signal", &["outbound"]),
    ("awareness", &["announce", "home"]),
    ("impulse", &["announce", "awareness"]),
    ("alert", &["announce", "awareness", "outbound", "store"]),
    ("tools", &["home", "schedule", "store"]),
    ("schedule", &["announce", "store"]),
    ("reply", &["alert", "announce", "home", "llm", "schedule", "store", "tools"]),
    ("control", &["audio"]),
    ("metrics", &["control"]),
    ("channels", &["announce", "audio", "hear", "speak", "reply", "schedule", "store", "outbound", "signal"]),
];

/// Which files may name a foreign crate, by the start of their path below `src/`.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("cpal", &["audio/device", "audio/connection", "audio/capture", "audio/playback", "audio/sound_server"]),
    ("pulseaudio", &["audio/sound_server"]),
    ("alsa", &["audio/connection"]),
    ("libc", &["machine/allocator", "machine/signals"]),
    ("whisper_rs", &["hear/whisper"]),
    ("rustpotter", &["hear/wake/templates/engine"]),
    ("ort", &["speak/piper"]),
    ("prost", &["speak/piper/graph"]),
    ("espeak_rs_sys", &["speak/espeak", "speak/piper"]),
    ("rusqlite", &["store"]),
    (
        "reqwest",
        &[
            "llm",
            "models",
            "tools/web",
            "tools/config",
            "tools/weather",
            "home/openhab",
            "home/hass",
            "home/address",
            "outbound/ntfy",
            "signal/http",
        ],
    ),
    ("axum", &["alert/door", "metrics/door", "home/demo", "outbound/ntfy/tests", "signal/tests/http"]),
    ("qrcode", &["cli/signal"]),
    ("clap_mangen", &["cli/man"]),
    ("tokio_tungstenite", &["home/hass", "home/demo/tests"]),
    ("mdns_sd", &["home/discover"]),
    ("base64", &["hear/wake/templates", "home/demo", "signal/attachment"]),
    ("html5ever", &["tools/web/html"]),
    ("pdf_extract", &["cli/memory/document"]),
    ("lru", &["reply/session/caches"]),
    ("fend_core", &["tools/calculate"]),
    ("rubato", &["audio/resample"]),
    ("rphonetic", &["english", "language/ear"]),
    ("aec3", &["audio/echo"]),
    ("sd_notify", &["control/watchdog"]),
    ("prometheus_client", &["metrics"]),
    ("tar", &["backup/archive", "backup/tests"]),
    ("flate2", &["backup/archive", "backup/tests"]),
    ("symphonia", &["audio/voice_note"]),
    ("opus_decoder", &["audio/voice_note"]),
    ("unicode_normalization", &["signal/envelope"]),
];

/// Types that share a name because they are the same thing on both sides of a boundary. There are none.
const ONE_NAME_TWICE: &[&str] = &[];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![below.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).expect("a source folder") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn source_files() -> Vec<PathBuf> {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("crates/joi-bench/src")));
    files.extend(rust_files(&root().join("crates/joi-model/src")));
    files
}

fn all_files() -> Vec<PathBuf> {
    let mut files = source_files();
    for folder in ["tests", "benches", "crates/joi-bench/tests", "crates/joi-model/tests"] {
        let folder = root().join(folder);
        if folder.exists() {
            files.extend(rust_files(&folder));
        }
    }
    files
}

fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable source file")
}

/// The source without comments, and without its unit tests when those stand at its end.
fn code(path: &Path) -> String {
    let text = text(path);
    let code = match text.find("#[cfg(test)]\nmod tests {") {
        Some(at) => &text[..at],
        None => &text,
    };
    code.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Names that follow `crate::`, also inside braces: `crate::{audio, hear::Listener}`.
fn imports(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                names.extend(list.split(',').map(|n| first_name(n.trim())));
            }
            None => names.push(first_name(rest)),
        }
    }
    names
}

fn first_name(path: &str) -> String {
    path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn modules_import_only_what_the_architecture_allows() {
    let rules: BTreeMap<_, _> = MAY_IMPORT.iter().copied().collect();
    let for_all = [
        "message",
        "trace",
        "problem",
        "checksum",
        "durable",
        "root_cause",
        "clock",
        "english",
        "language",
        "machine",
        "pulse",
        "restart",
    ];
    let src = root().join("src");
    let mut broken = Vec::new();
    for path in rust_files(&src) {
        let inside = path.strip_prefix(&src).expect("below src").display().to_string();
        let module = first_name(&inside);
        let Some(allowed) = rules.get(module.as_str()) else { continue };
        if inside.contains("tests") {
            continue;
        }
        for name in imports(&code(&path)) {
            let own = name == module || for_all.contains(&name.as_str());
            if !own && !allowed.contains(&name.as_str()) {
                broken.push(format!("{} imports {name}", short(&path)));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn nobody_but_the_binary_and_the_command_line_imports_the_wiring() {
    let src = root().join("src");
    for path in rust_files(&src) {
        let inside = path.strip_prefix(&src).expect("below src").display().to_string();
        let module = first_name(&inside);
        if ["app", "cli", "main", "lib"].contains(&module.as_str()) {
            continue;
        }
        let names = imports(&code(&path));
        assert!(!names.iter().any(|n| n == "app" || n == "cli"), "{} imports the wiring", short(&path));
    }
}

#[test]
fn foreign_crates_stay_behind_their_files() {
    let src = root().join("src");
    let mut broken = Vec::new();
    for path in rust_files(&src) {
        let inside = path.strip_prefix(&src).expect("below src").display().to_string();
        let code = code(&path);
        for (name, homes) in MAY_NAME {
            let named = code.contains(&format!("{name}::")) || code.contains(&format!("use {name};"));
            if named && !homes.iter().any(|home| inside.starts_with(home)) && real_crate(&code, name) {
                broken.push(format!("{} names {name}", short(&path)));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_program_needs_nothing_that_measures_it() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let needed = manifest.split("[dependencies]").nth(1).expect("dependencies");
    assert!(!needed.contains("joi-bench"), "a dependency on the measurements");
}

/// `ort::` must not be the tail of another word (`port::`, `transport::`).
fn real_crate(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::"))
        .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<_> = all_files()
        .into_iter()
        .map(|path| (text(&path).lines().count(), short(&path)))
        .filter(|(lines, _)| *lines > LONGEST_FILE)
        .collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn every_file_says_what_it_is() {
    for path in source_files() {
        if path.file_name().is_some_and(|n| n == "tests.rs") {
            continue;
        }
        let text = text(&path);
        let head = text.lines().take_while(|l| l.starts_with("//!")).count();
        assert!(head >= 1, "{} has no //! head", short(&path));
        assert!(head <= LONGEST_HEAD, "the head of {} is {head} lines long", short(&path));
    }
}

#[test]
fn there_is_no_mod_rs_and_nothing_unfinished() {
    let banned = ["todo!(", "unimplemented!(", "FIXME", "#[ignore", "allow(dead_code)"];
    for path in all_files() {
        assert!(!path.ends_with("mod.rs"), "{}", short(&path));
        if path.ends_with("tests/architecture.rs") {
            continue;
        }
        let text = text(&path);
        for word in banned {
            assert!(!text.contains(word), "{} contains {word}", short(&path));
        }
    }
}

/// The types that a file defines, without those of traits and implementations.
fn type_names(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let is_inside = line.starts_with(' ');
        let item = line.trim_start().trim_start_matches("pub ");
        let item =
            item.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")).map_or(item, |(_, item)| item);
        let (kind, rest) = item.split_once(' ')?;
        let is_type = match kind {
            "struct" | "enum" | "trait" => true,
            "type" => !is_inside,
            _ => false,
        };
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        (is_type && rest.starts_with(|c: char| c.is_ascii_uppercase())).then(|| &rest[..end])
    })
}

#[test]
fn no_two_types_share_a_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in rust_files(&root().join("src")) {
        let name = short(&path);
        if name.contains("/tests/") || name.ends_with("/tests.rs") {
            continue;
        }
        for defined in type_names(&code(&path)) {
            places.entry(defined.to_owned()).or_default().push(name.clone());
        }
    }
    assert!(places.len() > 500, "only {} types were found", places.len());
    let shared: Vec<_> = places
        .iter()
        .filter(|(name, places)| places.len() > 1 && !ONE_NAME_TWICE.contains(&name.as_str()))
        .collect();
    assert!(shared.is_empty(), "{shared:#?}");
}

#[test]
fn tests_never_sleep_on_the_wall_clock() {
    for path in all_files() {
        let name = short(&path);
        let is_test = name.contains("tests") && !name.ends_with("architecture.rs");
        if is_test {
            assert!(!text(&path).contains("thread::sleep("), "{name} sleeps");
        }
    }
}
