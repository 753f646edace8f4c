//! Languages as tests use them, and what holds for all of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

pub(crate) use super::*;
pub(crate) use crate::testing::{FRENCH, english, german};

fn asset(code: &str, name: &str) -> Table {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/language").join(code).join(name);
    fs::read_to_string(file).unwrap().parse().unwrap()
}

/// The keys of a table and of those in it; a list counts as one.
fn keys(table: &Table) -> BTreeSet<String> {
    let of = |(key, value): (&String, &Value)| match value {
        Value::Table(inner) => keys(inner).into_iter().map(|inner| format!("{key}.{inner}")).collect(),
        _ => vec![key.clone()],
    };
    table.iter().flat_map(of).collect()
}

#[test]
fn every_language_says_everything_and_understands_every_command() {
    for code in Language::available() {
        Language::load(&code).unwrap();
        assert_eq!(keys(&asset(&code, "sentences.toml")), keys(&asset("en", "sentences.toml")), "{code}");
        let library = LanguageLibrary::built_in();
        library.page(&code).unwrap();
        assert_eq!(keys(&asset(&code, "page.toml")), keys(&asset("en", "page.toml")), "{code}");
        let tools = |code: &str| {
            let mut tools = asset(code, "tools.toml");
            tools.remove("places");
            keys(&tools)
        };
        assert_eq!(tools(&code), tools("en"), "{code}");
        let asks = |code: &str| -> BTreeSet<_> {
            placeholders_of(asset(code, "tools.toml")["tool"].as_table().unwrap()).into_iter().collect()
        };
        assert_eq!(asks(&code), asks("en"), "{code}");
        // What a matter is called is the same everywhere; its words are each language's own.
        let care = |code: &str| {
            let mut care = asset(code, "care.toml");
            care.remove("words");
            keys(&care)
        };
        assert_eq!(care(&code), care("en"), "{code}");
        let commands = |code: &str, list: &str| -> BTreeSet<String> {
            let table = asset(code, "commands.toml");
            let rows = table[list].as_array().unwrap().iter();
            rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
        };
        for list in ["intent", "answer"] {
            assert_eq!(commands(&code, list), commands("en", list), "{code}");
        }
    }
}

/// What every language that sentence templates understand says and understands by itself.
#[test]
fn a_language_of_templates_says_what_happened_and_knows_stop_and_yes() {
    for code in ["fr", "es", "it", "nl"] {
        let language = LanguageLibrary::built_in().load(code).unwrap();
        assert_eq!(language.code(), code);
        let (own, english) = (language.sentences(), english().sentences());
        assert_ne!(own.schedule, english.schedule, "{code}");
        assert_ne!(own.reply.not_understood, english.reply.not_understood, "{code}");
        let house = language.house().unwrap();
        assert!(house.deed.is_empty() && !house.words.never.is_empty(), "{code}");
        let rows = |list: &str| -> BTreeSet<String> {
            let table = asset(code, "commands.toml");
            let rows = table[list].as_array().unwrap().iter();
            rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
        };
        for name in ["time", "date", "stop", "repeat", "volume set", "timer set", "alarm set", "cancel"] {
            assert!(rows("intent").contains(name), "{code} {name}");
        }
        for name in ["yes", "clear yes", "no", "length"] {
            assert!(rows("answer").contains(name), "{code} {name}");
        }
    }
}

/// A folder in which `fr` has these files.
fn french(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("fr")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join("fr").join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_file_that_can_not_be_used_is_refused_with_its_key_and_value() {
    let problem = |name: &str, from: &str, to: &str| {
        let english = |name: &str| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/language/en").join(name);
            fs::read_to_string(file).unwrap()
        };
        let text = english(name);
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        let folder = french(&[("commands.toml", FRENCH), (name, &changed)]);
        let told = LanguageLibrary::with_folder(folder.path()).load("fr").unwrap_err().to_string();
        assert!(told.starts_with(&folder.path().join("fr").join(name).display().to_string()), "{told}");
        told
    };
    let told = problem("sentences.toml", "rings = \"It's {time}.\"", "rings = \"It's {tiem}.\"");
    assert!(told.ends_with("schedule.rings is \"It's {tiem}.\"; allowed: {time}"), "{told}");
    let told = problem("sentences.toml", "is_over =", "is_ower =");
    assert!(told.contains("is_ower"), "{told}");
    let told = problem("house.toml", "in_room = \"{thing} in {room}\"", "in_room = \"{thing} in {place}\"");
    assert!(told.ends_with("say.in_room is \"{thing} in {place}\"; allowed: {thing}, {room}"), "{told}");
    let told = problem("sentences.toml", "on_day = \"on the {day}", "on_day = \"on the {nth}");
    assert!(
        told.ends_with("time.repeats.on_day is \"on the {nth} of every month\"; allowed: {day}"),
        "{told}"
    );
    let told = problem("commands.toml", "name = \"timer set\"", "name = \"tmer set\"");
    assert!(told.contains("intent.name is \"tmer set\"; allowed: time, date"), "{told}");
    let told = problem("commands.toml", "\"lamp\" = \"light\"", "\"lamp\" = \"lght\"");
    assert!(told.contains("lexicon.device.\"lamp\" is \"lght\"; allowed: \"light\""), "{told}");
    let told =
        problem("commands.toml", "what is the (current|exact|local) time", "what is the (current time");
    assert!(told.contains("what is the (current time") && told.contains("is missing"), "{told}");
    let told = problem("tools.toml", "\"munich\" = \"Europe/Berlin\"", "\"munich\" = \"Bavaria\"");
    assert!(told.ends_with("places.\"munich\" is \"Bavaria\"; allowed: the name of a time zone"), "{told}");
}

/// The placeholders of each text of a file, by its key.
fn placeholders_of(table: &Table) -> Vec<(String, BTreeSet<String>)> {
    let named = |text: &str| {
        text.split('{').skip(1).filter_map(|rest| rest.split('}').next().map(str::to_owned)).collect()
    };
    let of = |(key, value): (&String, &Value)| match value {
        Value::Table(inner) => placeholders_of(inner)
            .into_iter()
            .map(|(inner, names)| (format!("{key}.{inner}"), names))
            .collect(),
        other => vec![(key.clone(), named(other.as_str().unwrap_or_default()))],
    };
    table.iter().flat_map(of).collect()
}

#[test]
fn the_page_says_the_same_in_every_language() {
    let english = placeholders_of(&asset("en", "page.toml"));
    assert!(english.iter().any(|(_, names)| !names.is_empty()));
    assert_eq!(placeholders_of(&asset("de", "page.toml")), english);
    // One of a folder has its own words over the English ones.
    let folder = french(&[("commands.toml", FRENCH), ("page.toml", "[now]\ntitle = \"Maintenant\"\n")]);
    let library = LanguageLibrary::with_folder(folder.path());
    let page = library.page("fr").unwrap();
    assert_eq!((page.now.title.as_str(), page.why.title.as_str()), ("Maintenant", "Why"));
    let told = |text: &str| {
        let folder = french(&[("commands.toml", FRENCH), ("page.toml", text)]);
        LanguageLibrary::with_folder(folder.path()).page("fr").unwrap_err().to_string()
    };
    assert!(told("[shell]\nnwo = \"x\"\n").contains("nwo"));
}

#[test]
fn a_fault_between_two_files_is_named_with_the_file_that_has_it() {
    let claims = "[tool.setVolume]\nclaims = [\"olume\"]\n";
    let folder = french(&[("commands.toml", FRENCH), ("tools.toml", claims)]);
    let said = LanguageLibrary::with_folder(folder.path()).load("fr").unwrap_err().to_string();
    assert!(said.contains("fr/tools.toml: tool.setVolume.claims is \"olume\""), "{said}");
}

#[test]
fn words_of_tools_count_where_files_of_0_1_have_them() {
    let sentences = "[tools]\nask_web = \"chercher {text}\"\n";
    let tools = "[cues]\nstop = [\"silence\"]\n";
    let folder = french(&[("commands.toml", FRENCH), ("sentences.toml", sentences), ("tools.toml", tools)]);
    let language = LanguageLibrary::with_folder(folder.path()).load("fr").unwrap();
    assert!(language.cues("stop").any(|cue| cue == "silence"));
    let asked = serde_json::from_str(r#"{"query":"Ulm"}"#).unwrap();
    assert_eq!(language.ask_of_tool("webSearch", &asked).as_deref(), Some("chercher Ulm"));
}

#[test]
fn a_language_is_added_as_a_folder_of_files() {
    let folder = french(&[("commands.toml", FRENCH)]);
    let library = LanguageLibrary::with_folder(folder.path());
    assert_eq!(library.available(), ["en", "de", "fr"]);
    let french = library.load("fr").unwrap();
    assert_eq!(french.code(), "fr");
    assert_eq!(french.sentences(), english().sentences(), "what has no file of its own is as in English");
    let told = library.load("xx").unwrap_err().to_string();
    assert_eq!(told, "there is no language \"xx\"; there is en, de, fr, es, it, nl");
    assert!(LanguageLibrary::with_folder(folder.path().join("nowhere")).load("../en").is_err());
}

proptest::proptest! {
    // Each reads every language there is.
    #![proptest_config({
        let usual = proptest::test_runner::Config::default();
        proptest::test_runner::Config { cases: usual.cases.div_ceil(4), ..usual }
    })]
    #[test]
    fn foreign_bytes_never_break_the_reader_of_languages(
        commands in joi_base::testing::damaged_text(FRENCH),
        sentences in joi_base::testing::damaged_text(include_str!("../../../assets/language/en/sentences.toml")),
        tools in joi_base::testing::damaged_text(include_str!("../../../assets/language/en/tools.toml")),
    ) {
        for (name, text) in [("commands.toml", commands), ("sentences.toml", sentences), ("tools.toml", tools)] {
            let folder = french(&[("commands.toml", FRENCH), (name, &text)]);
            if let Err(error) = LanguageLibrary::with_folder(folder.path()).load("fr") {
                proptest::prop_assert!(error.to_string().contains(name), "{}", error);
            }
        }
    }
}
