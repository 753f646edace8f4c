//! Which tools a request is likely to need, by its words; no model is asked.
//!
//! Far below a millisecond. In: the request and the cues of the tools. Out: at most five names, the
//! likeliest first; none for small talk and for what no cue fits.
//! Pure: no I/O, no clock.

use std::sync::Arc;

use super::tool::Tool;
use joi_language::Language;

/// Most names that are picked.
pub const MOST: usize = 5;

/// Who picked, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picks {
    /// The names, the likeliest first.
    pub names: Vec<String>,
}

/// Picks from `tools` by words: those of the language, and those that a tool brings along.
pub fn by_words(asked: &str, tools: &[&Arc<dyn Tool>], language: &Language) -> Picks {
    picked(asked, tools, |tool| own_cues(tool).chain(language.cues(tool.name())).collect())
}

/// Returns the same by the words that tools bring along.
pub(super) fn by_own_words(asked: &str, tools: &[&Arc<dyn Tool>]) -> Picks {
    picked(asked, tools, |tool| own_cues(tool).collect())
}

fn own_cues(tool: &Arc<dyn Tool>) -> impl Iterator<Item = &str> {
    tool.cues().iter().copied().chain(tool.owned_cues().iter().map(String::as_str))
}

fn picked<'a>(
    asked: &str,
    tools: &[&'a Arc<dyn Tool>],
    cues: impl Fn(&'a Arc<dyn Tool>) -> Vec<&'a str>,
) -> Picks {
    let text = spaced(asked);
    let has_number = asked.chars().any(|c| c.is_ascii_digit());
    let scores =
        |tool: &'a Arc<dyn Tool>| score(&text, has_number, &cues(tool)) + weak(&text, tool.weak_cues());
    let mut scored: Vec<(usize, usize, &str)> = tools
        .iter()
        .enumerate()
        .map(|(place, tool)| (scores(tool), place, tool.name()))
        .filter(|(score, ..)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, place, _)| (std::cmp::Reverse(*score), *place));
    Picks { names: scored.into_iter().take(MOST).map(|(.., name)| name.to_owned()).collect() }
}

/// Returns how many words of cues stand in `text`. A cue that begins with `#` counts only beside a number.
fn score(text: &str, has_number: bool, cues: &[&str]) -> usize {
    let counts = |cue: &&&str| match cue.strip_prefix('#') {
        Some(cue) => has_number && text.contains(&format!(" {cue} ")),
        None => text.contains(&format!(" {cue} ")),
    };
    cues.iter().filter(counts).map(|cue| cue.split(' ').count()).sum()
}

/// Returns half the number of words of `text` that point at a tool only together.
fn weak(text: &str, words: &[String]) -> usize {
    words.iter().filter(|word| text.contains(&format!(" {word} "))).count() / 2
}

/// Lower case words with one space around each; signs of arithmetic are words.
fn spaced(asked: &str) -> String {
    let mut out = String::from(" ");
    for c in asked.to_lowercase().replace('’', "'").chars() {
        match c {
            '+' | '*' | '/' | '%' | '^' | '×' | '÷' | '°' => out.extend([' ', c, ' ']),
            c if c.is_alphanumeric() || matches!(c, '\'' | '-' | '.') => out.push(c),
            _ => out.push(' '),
        }
    }
    let words = out.split_whitespace().map(|word| word.trim_end_matches(['.', '-', '\'']));
    let mut joined =
        words.filter(|word| !word.is_empty()).fold(String::from(" "), |all, word| all + word + " ");
    joined.shrink_to_fit();
    joined
}
