//! How much code a crate holds: a room is read in an hour.

use std::path::Path;

use super::super::{crates, inside, rust_files, text};

/// Most lines of code of a crate but the program: without blank lines, comments and tests.
const MOST_LINES: usize = 10_000;

/// The lines of code of a source file.
fn lines_of_code(source: &str) -> usize {
    let mut lines = source.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed == "#[cfg(test)]" {
            let mut item = lines.by_ref().skip_while(|line| line.trim().starts_with("#["));
            let Some(item) = item.next() else { break };
            if item.trim().starts_with("mod ") && item.ends_with('{') {
                let end = item[..item.len() - item.trim_start().len()].to_owned() + "}";
                lines.by_ref().find(|line| *line == end);
            } else {
                count += 2;
            }
        } else if !trimmed.is_empty() && !trimmed.starts_with("//") {
            count += 1;
        }
    }
    count
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

#[test]
fn no_crate_is_more_than_a_room() {
    let lines = |folder: &Path| -> usize {
        let files = rust_files(&folder.join("src"));
        files.iter().filter(|path| !is_test(path)).map(|path| lines_of_code(&text(path))).sum()
    };
    let sizes: Vec<(usize, String)> = crates().iter().map(|folder| (lines(folder), inside(folder))).collect();
    assert!(sizes.iter().all(|(lines, name)| *lines > 50 || name.is_empty()), "{sizes:?}");
    let large: Vec<_> = sizes.iter().filter(|(lines, _)| *lines > MOST_LINES).collect();
    assert!(large.is_empty(), "cut these along a seam: {large:?}");
}

#[test]
fn tests_comments_and_blank_lines_are_no_code() {
    let source = "//! Head.\n\nuse a;\n\n/// Doc.\nfn f() {\n}\n#[cfg(test)]\npub fn g() {}\n\n#[cfg(test)]\nmod tests {\n    use b;\n    fn h() {\n    }\n}\nfn i() {}\n";
    assert_eq!(lines_of_code(source), 6);
}
