//! A document for the memory: its text, in pieces that can be found.
//!
//! In: a file of text, Markdown or PDF. Out: its name and its pieces, cut at empty lines and headings; too many of them
//! are refused. Images have no text, and a PDF without text says so. A PDF is read by a process of its own.

use std::path::Path;

use anyhow::Context;

#[cfg(feature = "pdf")]
mod pdf;

#[cfg(feature = "pdf")]
pub(in crate::cli) use pdf::read_for_parent;

/// The longest piece, in characters: a few sentences, that several of them fit into a prompt.
const PIECE: usize = 600;
/// The largest file.
const LARGEST: u64 = 20_000_000;
/// Most pieces of one document: some 500 pages. Each of them gets an embedding, and all are searched.
const MOST_PIECES: usize = 2_000;
/// The longest heading that is repeated in front of its pieces, in characters.
const HEADING: usize = 120;

/// Returns whether an argument is a file rather than words.
pub(super) fn is_meant(argument: &str) -> bool {
    let path = Path::new(argument);
    let has_kind = path.extension().is_some_and(|kind| {
        ["txt", "md", "markdown", "pdf", "text"].iter().any(|known| kind.eq_ignore_ascii_case(known))
    });
    path.is_file() || (has_kind && !argument.contains(' '))
}

/// Returns the name of a document, and its pieces.
pub(super) fn read(file: &Path) -> anyhow::Result<(String, Vec<String>)> {
    let shown = file.display();
    let size = std::fs::metadata(file).with_context(|| format!("{shown} can't be read"))?.len();
    anyhow::ensure!(size <= LARGEST, "{shown} has {size} bytes; allowed: up to {LARGEST}. Split it");
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{shown} has no name that can be shown; rename it"))?.to_owned();
    let bytes = std::fs::read(file).with_context(|| format!("{shown} can't be read"))?;
    let text = if bytes.starts_with(b"%PDF-") {
        pdf_text(bytes)
            .with_context(|| format!("{shown} is a PDF whose text can't be read; save it as text"))?
    } else {
        String::from_utf8(bytes)
            .with_context(|| format!("{shown} is neither text in UTF-8 nor PDF; convert it to one of them"))?
    };
    let pieces = pieces(&text);
    anyhow::ensure!(!pieces.is_empty(), "{shown} has no text in it; a scan needs text recognition first");
    let count = pieces.len();
    anyhow::ensure!(
        count <= MOST_PIECES,
        "{shown} has {count} pieces of at most {PIECE} characters; allowed: up to {MOST_PIECES}. Split it"
    );
    Ok((name, pieces))
}

#[cfg(not(feature = "pdf"))]
fn pdf_text(_: Vec<u8>) -> anyhow::Result<String> {
    anyhow::bail!("this build leaves PDF out (feature `pdf`)")
}

#[cfg(feature = "pdf")]
use pdf::text as pdf_text;

/// `text` in pieces: paragraphs together as long as they fit, long ones cut between sentences or words.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut heading = String::new();
    for paragraph in paragraphs(text) {
        if let Some(title) = paragraph.strip_prefix('#') {
            let title = title.trim_start_matches('#').trim();
            pieces.extend(parts(title));
            heading = title.chars().take(HEADING).collect();
            continue;
        }
        for part in parts(&paragraph) {
            match pieces.last_mut() {
                Some(last) if last.chars().count() + part.chars().count() < PIECE => {
                    last.push('\n');
                    last.push_str(&part);
                }
                _ if heading.is_empty() || part.chars().count() + heading.chars().count() >= PIECE => {
                    pieces.push(part);
                }
                _ => pieces.push(format!("{heading}\n{part}")),
            }
        }
    }
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        let line = line.trim();
        let is_heading = line.starts_with('#');
        if line.is_empty() || is_heading {
            paragraphs.push(String::new());
        }
        if let Some(last) = paragraphs.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(line);
        }
        if is_heading {
            paragraphs.push(String::new());
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Returns a paragraph in parts that fit.
fn parts(paragraph: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = paragraph;
    while let Some((limit, _)) = rest.char_indices().nth(PIECE) {
        let head = &rest[..limit];
        let end = head.rfind(". ").map(|at| at + 1).or_else(|| head.rfind(' ')).filter(|end| *end > 0);
        let (part, behind) = rest.split_at(end.unwrap_or(limit));
        parts.push(part.trim().to_owned());
        rest = behind.trim_start();
    }
    parts.push(rest.to_owned());
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_document_is_cut_at_headings_and_between_sentences() {
        let long = "One sentence of some length stands here. ".repeat(20);
        let text = format!("# Boiler\n\nThe valve\nis red.\n\nBleed it yearly.\n\n## Service\n{long}");
        let pieces = pieces(&text);
        assert_eq!(pieces[0], "Boiler\nThe valve is red.\nBleed it yearly.");
        assert!(pieces[1].starts_with("Service\nOne sentence") && pieces[1].ends_with("here."));
        assert!(pieces[2].starts_with("Service\nOne sentence"), "each piece says what it is about");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_piece_is_too_long(text in "([a-z]{1,30}[ .\n#]{1,3}){0,300}") {
            let pieces = pieces(&text);
            let all = pieces.join(" ");
            for word in text.split(|c: char| !c.is_ascii_lowercase()).filter(|word| !word.is_empty()) {
                prop_assert!(all.contains(word), "{word}");
            }
            prop_assert!(pieces.iter().all(|piece| piece.chars().count() <= PIECE + 40));
        }
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_break_the_pieces_of_documents(
            text in joi_base::testing::damaged_text(&"# Boiler\r\n\n\tThe välve is red. \u{0}\n\n## Service\n* a\n\n\n".repeat(20)),
        ) {
            prop_assert!(pieces(&text).iter().all(|piece| piece.chars().count() <= PIECE + 40));
        }
    }

    #[test]
    fn a_document_of_one_endless_line_is_cut_in_one_pass() {
        for start in ["", "# "] {
            let factor = joi_base::testing::growth(|size| {
                let text = format!("{start}{}\nmore\n", "word ".repeat(size * 20_000));
                move || drop(pieces(&text))
            });
            assert!(factor < 8.0, "four times the text took {factor:.1} times as long");
        }
    }

    #[test]
    fn a_document_of_too_many_pieces_is_refused_with_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.txt");
        std::fs::write(&file, format!("{}\n\n", "word ".repeat(100)).repeat(MOST_PIECES + 1)).unwrap();
        let error = read(&file).unwrap_err().to_string();
        assert!(error.contains("has 2001 pieces") && error.contains("allowed: up to 2000"), "{error}");
    }

    #[test]
    fn files_are_distinguished_from_words() {
        assert!(is_meant("notes.md") && is_meant("Manual.PDF"));
        assert!(!is_meant("my sister is called Ann") && !is_meant("read notes.md"));
    }
}
