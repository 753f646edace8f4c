//! What the owner is told: remedies never cost what an error left whole, faults have their tests, models their order.

use std::fs;

use super::super::{code, literals, root, rust_files, short, text};

/// What destroys. "Can't be removed" tells of an error; "or remove it" would be a remedy.
const DESTROYS: [&str; 9] =
    ["delete", "remove", "erase", "wipe", "purge", "rm", "reset", "overwrite", "clear"];

/// Signs and words behind which somebody is told what to do.
const TOLD: [&str; 10] = ["", ".", ";", ":", ",", "or", "and", "then", "please", "must"];

/// Where `text` tells to destroy something.
fn destroys(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    (0..words.len()).any(|at| {
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        let is_told = TOLD.iter().any(|told| {
            if told.len() > 1 || told.is_empty() { before == *told } else { before.ends_with(told) }
        });
        let word = words[at].trim_matches(|c: char| !c.is_alphanumeric());
        is_told && DESTROYS.contains(&word)
    })
}

#[test]
fn no_remedy_destroys() {
    let told =
        ["delete it", "Move it away, or remove it.", "the file is broken; erase it", "Please wipe the disk."];
    assert!(told.iter().all(|text| destroys(text)), "the words are not seen");
    let harmless =
        ["it can't be removed: no rights", "the copy can't be written or removed: full", "a reset button"];
    assert!(!harmless.iter().any(|text| destroys(text)));
    let (mut seen, mut bad) = (0, Vec::new());
    for path in
        rust_files(&root().join("src")).into_iter().chain(rust_files(&root().join("crates/joi-model/src")))
    {
        let code = code(&path);
        for (before, text) in literals(&code) {
            let is_error = ["#[error(", "remedy", "Problem::", "bail!(", ".context(", ".hint("]
                .iter()
                .any(|sign| before.contains(sign));
            if !is_error {
                continue;
            }
            seen += 1;
            if destroys(text) {
                bad.push(format!("{}: \"{text}\"", short(&path)));
            }
        }
    }
    assert!(seen > 300, "only {seen} texts of errors were found");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

// The table of faults
#[test]
fn every_fault_of_the_table_has_a_test_that_shows_it() {
    let table = text(&root().join("docs/faults.md"));
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.ends_with("` |"));
    let named: Vec<&str> = rows.filter_map(|row| row.trim_end_matches("` |").rsplit('`').next()).collect();
    assert!(named.len() >= 40, "only {} faults", named.len());
    let sources = ["src", "tests", "crates"].map(|folder| rust_files(&root().join(folder)));
    let all: String = sources.iter().flatten().map(|path| text(path)).collect();
    let missing: Vec<_> = named.iter().filter(|name| !all.contains(&format!("fn {name}()"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_readme_names_the_preferred_models_in_their_order() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let places: Vec<_> = joi::llm::PREFERRED.iter().map(|name| readme.find(&format!("`{name}`"))).collect();
    assert!(places.iter().all(Option::is_some), "{places:?}");
    assert!(places.is_sorted(), "{places:?}");
}
