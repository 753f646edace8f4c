//! How the sources are written: plain technical English (`CONTRIBUTING.md`). Each rule counts its offences, and the count may
//! only fall.

use super::super::{source_files, text};

/// A rule, and how many lines break it as yet.
struct ProseRule {
    name: &'static str,
    breaks: fn(&str) -> bool,
    most: usize,
}

/// The text of a comment, where a line is one.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["///", "//!", "//"].iter().find_map(|sign| line.strip_prefix(sign)).map(str::trim_start)
}

fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn says(line: &str, words: &[&str]) -> bool {
    comment(line).is_some_and(|text| has_word(text, words))
}

/// The name of the function that a line declares.
fn function(line: &str) -> Option<&str> {
    let rest = line.split("fn ").nth(1).filter(|_| comment(line).is_none())?;
    rest.split(['(', '<']).next()
}

const RULES: [ProseRule; 5] = [
    ProseRule {
        name: "comments with told or tells",
        breaks: |line| says(line, &["told", "tell", "tells"]),
        most: 275,
    },
    ProseRule {
        name: "functions named told or tell",
        breaks: |line| function(line).is_some_and(|name| name.contains("told") || name.contains("tell")),
        most: 248,
    },
    ProseRule {
        name: "comments that call the program she",
        breaks: |line| says(line, &["she", "her"]),
        most: 151,
    },
    ProseRule {
        name: "docs that begin with What is",
        breaks: |line| {
            comment(line).is_some_and(|text| text.starts_with("What is ") || text.starts_with("What was "))
        },
        most: 258,
    },
    ProseRule { name: "heads that begin with PURE", breaks: |line| line.starts_with("//! PURE"), most: 62 },
];

#[test]
fn the_english_of_the_sources_only_gets_plainer() {
    let lines: Vec<String> = source_files()
        .iter()
        .flat_map(|path| text(path).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    for rule in &RULES {
        let found = lines.iter().filter(|line| (rule.breaks)(line)).count();
        assert!(found <= rule.most, "{}: {found}, and at most {} may be left", rule.name, rule.most);
        assert!(
            found + 20 > rule.most,
            "{}: {found} are left; lower the limit from {}",
            rule.name,
            rule.most
        );
    }
}
