//! Finds environment variables that look like joi's own and are not: they would have no effect.
//!
//! Called once at start. In: the names in the environment. Out: one warning for each unknown name, with the nearest valid
//! one; never a value. Names that begin with `JOI__` are keys of the configuration and are checked with it.
//! Pure: no I/O, no clock.

use std::ffi::OsString;

use super::load::{leaves, schema};

/// Names that users set.
const SETTINGS: [&str; 8] = [
    "JOI_BUTTON",
    "JOI_CONFIG",
    "JOI_DATA",
    "JOI_LEDS",
    "JOI_LOG",
    "JOI_MODELS",
    "JOI_MODEL_LOG",
    "JOI_RUNTIME",
];

/// Names that the program sets for its own processes, and those of tests, measurements and builds.
const INTERNAL: [&str; 22] = [
    "JOI_ATTACK_ALL",
    "JOI_BINARY",
    "JOI_CRASH_WRITES",
    "JOI_MODEL_TOKEN",
    "JOI_REMAP_CRATES",
    "JOI_REMAP_SOURCES",
    "JOI_ROOM_ROUNDS",
    "JOI_SHOW_TEMPLATES",
    "JOI_TALK_DE",
    "JOI_TALK_EN",
    "JOI_TEST_ALONE",
    "JOI_TEST_EMBED_MODEL",
    "JOI_TEST_FETCH_PLACE",
    "JOI_TEST_FETCH_SOURCE",
    "JOI_TEST_MODEL",
    "JOI_TEST_MODEL_SERVER",
    "JOI_TEST_OF_PDF_READER",
    "JOI_TEST_OF_READERS",
    "JOI_TEST_OF_VOICE_READER",
    "JOI_TEST_OPENAI_SERVER",
    "JOI_TEST_SOUND_SERVER",
    "JOI_UPDATE_REFERENCE",
];

/// Begins the name of a variable that is joi's own.
const OWN: &str = "JOI_";
/// Begins the name of a variable that sets a key of the configuration.
const KEY: &str = "JOI__";
/// Names that are less alike are not offered.
const ALIKE: f64 = 0.6;

/// Returns a warning for each of `names` that begins with `JOI_` and is none of joi's own.
pub(crate) fn unknown_variables(names: impl Iterator<Item = OsString>) -> Vec<String> {
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut unknown: Vec<String> = names.filter(|name| is_unknown(name)).collect();
    unknown.sort();
    unknown.iter().map(|name| warning(name)).collect()
}

fn is_unknown(name: &str) -> bool {
    let is_known = SETTINGS.contains(&name) || INTERNAL.contains(&name);
    name.starts_with(OWN) && !name.starts_with(KEY) && !is_known
}

fn warning(name: &str) -> String {
    let keys =
        leaves(&schema()).into_keys().map(|key| format!("{KEY}{}", key.to_uppercase().replace('.', "__")));
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, name);
    let nearest = keys
        .chain(SETTINGS.map(str::to_owned))
        .map(|known| (likeness(&known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match nearest {
        Some((likeness, known)) if likeness > ALIKE => format!("did you mean {known}?"),
        _ => "JOI__SECTION__KEY sets a key that `joi config show` lists".to_owned(),
    };
    format!("the environment variable {} has no effect: it is unknown; {hint}", name.escape_debug())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn warnings<const N: usize>(names: [&str; N]) -> Vec<String> {
        unknown_variables(names.map(OsString::from).into_iter())
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_nearest_valid_one() {
        let found =
            warnings(["PATH", "JOI_LLM_BACKEND", "JOI_DATA", "JOI__LLM__URL", "JOI_MODEL", "JOIN_ME"]);
        assert_eq!(
            found,
            [
                "the environment variable JOI_LLM_BACKEND has no effect: it is unknown; did you mean \
                 JOI__LLM__BACKEND?",
                "the environment variable JOI_MODEL has no effect: it is unknown; did you mean JOI_MODELS?",
            ]
        );
        let [far] = &warnings(["JOI_QQQQQQQQQQQQQQQQQQQQ"])[..] else { panic!("one warning") };
        assert!(far.ends_with("sets a key that `joi config show` lists"), "{far}");
    }

    #[test]
    fn a_key_of_the_configuration_is_offered_in_the_form_in_which_it_is_read() {
        for (given, meant) in [
            ("JOI_HEAR_ENDPOINT_PATIENCE", "JOI__HEAR__ENDPOINT__PATIENCE"),
            ("JOI_LANGUAGE", "JOI__LANGUAGE"),
            ("JOI_LLM__URL", "JOI__LLM__URL"),
        ] {
            let [found] = &warnings([given])[..] else { panic!("one warning for {given}") };
            assert!(found.ends_with(&format!("did you mean {meant}?")), "{found}");
        }
    }

    /// Returns every name of the kind in a text.
    fn names(text: &str) -> impl Iterator<Item = String> {
        let is_part = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
        let words = text.split(move |sign: char| !is_part(sign));
        words.filter(|word| word.len() > OWN.len() && is_own(word)).map(str::to_owned)
    }

    fn is_own(word: &str) -> bool {
        word.starts_with(OWN) && !word.starts_with(KEY)
    }

    fn collect(path: &Path, found: &mut BTreeSet<String>) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).unwrap() {
                collect(&entry.unwrap().path(), found);
            }
            return;
        }
        let is_text = ["rs", "py", "sh", "toml", "service", "md", "yml"]
            .map(Some)
            .contains(&path.extension().and_then(|ending| ending.to_str()));
        if (is_text || path.extension().is_none()) && !path.ends_with("config/environment.rs") {
            let text = std::fs::read(path).unwrap();
            found.extend(names(&String::from_utf8_lossy(&text)));
        }
    }

    #[test]
    fn the_tables_hold_exactly_the_names_of_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = BTreeSet::new();
        for place in
            ["src", "crates", "tests", "scripts", "examples", "systemd", "debian", "docs", "Makefile"]
        {
            collect(&root.join(place), &mut found);
        }
        let known: BTreeSet<String> = SETTINGS.into_iter().chain(INTERNAL).map(str::to_owned).collect();
        assert_eq!(found, known);
    }
}
