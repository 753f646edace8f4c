//! How the sources are written: plain technical English (`CONTRIBUTING.md`). No line breaks a rule.

use super::super::{short, source_files, text};

/// A rule that no line breaks.
struct ProseRule {
    name: &'static str,
    breaks: fn(&str) -> bool,
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
    ProseRule { name: "comments with told or tells", breaks: |line| says(line, &["told", "tell", "tells"]) },
    ProseRule {
        name: "functions named told or tell",
        breaks: |line| function(line).is_some_and(|name| name.contains("told") || name.contains("tell")),
    },
    ProseRule { name: "comments that call the program she", breaks: |line| says(line, &["she", "her"]) },
    ProseRule {
        name: "docs that begin with What is",
        breaks: |line| {
            comment(line).is_some_and(|text| text.starts_with("What is ") || text.starts_with("What was "))
        },
    },
    ProseRule { name: "heads that begin with PURE", breaks: |line| line.starts_with("//! PURE") },
];

#[test]
fn the_english_of_the_sources_is_plain() {
    let found: Vec<String> = source_files()
        .iter()
        .flat_map(|path| {
            let text = text(path);
            let broken = |(number, line): (usize, &str)| {
                let rule = RULES.iter().find(|rule| (rule.breaks)(line))?;
                Some(format!("{}:{}: {}", short(path), number + 1, rule.name))
            };
            text.lines().enumerate().filter_map(broken).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
