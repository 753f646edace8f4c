//! Rules of the sources that the compiler does not check: which file may name which foreign crate, that no more than three
//! files import each other in a circle, how long a file may be, and that every file says what it is.

#![allow(clippy::expect_used, reason = "in a test, what was not expected ends it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod architecture {
    mod circles;
    mod errors;
    mod items;
    mod prose;
    mod size;
}

/// No source file is longer than this.
const LONGEST_FILE: usize = 400;
/// A head of more lines is an essay.
const LONGEST_HEAD: usize = 30;

/// Which files may name a foreign crate, by the start of their path: `src/` is left out, and so is `crates/`.
const MAY_NAME: &[(&str, &[&str])] = &[
    (
        "cpal",
        &[
            "joi-audio/device",
            "joi-audio/connection",
            "joi-audio/capture",
            "joi-audio/playback",
            "joi-audio/sound_server",
        ],
    ),
    ("pulseaudio", &["joi-audio/sound_server"]),
    ("alsa", &["joi-audio/connection"]),
    ("libc", &["joi-base/machine/allocator", "joi-base/machine/signals"]),
    ("whisper_rs", &["joi-hear/whisper"]),
    ("rustpotter", &["joi-hear/wake/templates/engine"]),
    ("ort", &["joi-speak/engines"]),
    ("prost", &["joi-speak/engines/piper/graph"]),
    ("espeak_rs_sys", &["joi-speak/engines/espeak", "joi-speak/engines/piper"]),
    ("rusqlite", &["joi-store"]),
    (
        "reqwest",
        &[
            "joi-llm",
            "joi-models",
            "joi-tools/web",
            "joi-home/hubs",
            "joi-home/address",
            "joi-home/http",
            "joi-messages/outbound/ntfy",
            "joi-messages/signal/http",
            "joi-mcp/connection/open",
            "joi-autonomy/agent/sensor/url",
        ],
    ),
    ("rmcp", &["joi-mcp/connection", "joi-mcp/doubles", "joi-mcp/serve/protocol"]),
    ("jsonschema", &["joi-mcp/arguments"]),
    (
        "axum",
        &[
            "joi-proactive/alert/endpoint",
            "metrics/endpoint",
            "joi-serve",
            "joi-page",
            "joi-mcp/serve/protocol",
            "joi-house-demo",
            "joi-messages/outbound/ntfy/tests",
            "joi-messages/signal/tests/http",
        ],
    ),
    ("qrcode", &["cli/qr"]),
    ("maud", &["joi-page"]),
    ("form_urlencoded", &["joi-page/form", "joi-page/tests/browser"]),
    ("getrandom", &["joi-page/secret"]),
    ("toml_edit", &["config/edit"]),
    ("clap_mangen", &["cli/man"]),
    (
        "tokio_tungstenite",
        &[
            "joi-home/hubs",
            "joi-house-demo/openhab/tests",
            "joi-autonomy/agent/sensor/stream",
            "joi-autonomy/agent/sensor/tests",
        ],
    ),
    ("notify", &["joi-autonomy/agent/sensor/file"]),
    ("mdns_sd", &["joi-home/discover", "joi-satellites/announce"]),
    ("base64", &["joi-hear/wake/templates", "joi-house-demo", "joi-messages/signal/attachment"]),
    ("html5ever", &["joi-tools/web/html"]),
    ("pdf_extract", &["cli/memory/document"]),
    ("lru", &["joi-agent/session/caches"]),
    ("fend_core", &["joi-understand/requests/sum"]),
    ("rubato", &["joi-audio/resample"]),
    ("rphonetic", &["joi-language/english", "joi-language/phonetic"]),
    ("aec3", &["joi-audio/echo"]),
    ("sd_notify", &["control/watchdog"]),
    ("prometheus_client", &["metrics"]),
    ("tar", &["backup/archive", "backup/tests"]),
    ("flate2", &["backup/archive", "backup/tests"]),
    ("symphonia", &["joi-audio/voice_note"]),
    ("opus_decoder", &["joi-audio/voice_note"]),
    ("unicode_normalization", &["joi-messages/signal/envelope", "joi-templates/text"]),
    ("minijinja", &["joi-templates/response", "joi-templates/error"]),
    ("minijinja_contrib", &["joi-templates/response"]),
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

/// The folders of our crates but the program's own.
fn crates() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates")).expect("crates");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("a crate").path()).collect();
    folders.sort();
    folders
}

/// The sources of what an owner installs: without measurements, and without the embedded server, a program of its own.
fn product_files() -> Vec<PathBuf> {
    let is_apart =
        |path: &PathBuf| ["joi-bench/", "joi-model/"].iter().any(|name| inside(path).starts_with(name));
    source_files().into_iter().filter(|path| !is_apart(path)).collect()
}

/// The path of a source file without the folders that all share: `joi-audio/ring.rs`, `cli/run.rs`.
fn inside(path: &Path) -> String {
    short(path).trim_start_matches("crates/").replacen("/src/", "/", 1).trim_start_matches("src/").to_owned()
}

fn source_files() -> Vec<PathBuf> {
    let mut files = rust_files(&root().join("src"));
    files.extend(crates().iter().flat_map(|folder| rust_files(&folder.join("src"))));
    files
}

fn all_files() -> Vec<PathBuf> {
    let mut files = source_files();
    let beside = |folder: PathBuf| ["tests", "benches", "examples"].map(|name| folder.join(name));
    let folders = crates().into_iter().chain([root()]).flat_map(beside);
    files.extend(folders.filter(|folder| folder.exists()).flat_map(|folder| rust_files(&folder)));
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

#[test]
fn foreign_crates_stay_behind_their_files() {
    let mut broken = Vec::new();
    for path in product_files() {
        let inside = inside(&path);
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
    for path in product_files() {
        let name = short(&path);
        if ["/tests/", "/tests.rs", "/testing"].iter().any(|part| name.contains(part)) {
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
