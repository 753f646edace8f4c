//! The words that make a request likely to need a tool, from its name and description.
//!
//! Any thread. Words of the name count alone; words of the description only two together, since descriptions hold many
//! that are said of everything. Pure: no I/O, no clock.

use std::collections::BTreeSet;

/// Words that names and descriptions of any tool hold.
const COMMON: [&str; 94] = [
    "a",
    "about",
    "accept",
    "add",
    "after",
    "all",
    "an",
    "and",
    "any",
    "api",
    "are",
    "argument",
    "as",
    "at",
    "be",
    "before",
    "by",
    "call",
    "can",
    "change",
    "content",
    "create",
    "current",
    "data",
    "default",
    "delete",
    "do",
    "edit",
    "etc",
    "existing",
    "find",
    "for",
    "format",
    "from",
    "get",
    "give",
    "given",
    "has",
    "if",
    "in",
    "info",
    "input",
    "into",
    "is",
    "it",
    "its",
    "json",
    "list",
    "make",
    "may",
    "multiple",
    "name",
    "new",
    "not",
    "object",
    "of",
    "on",
    "one",
    "only",
    "or",
    "other",
    "output",
    "parameter",
    "provide",
    "query",
    "read",
    "remove",
    "request",
    "result",
    "retrieve",
    "return",
    "run",
    "search",
    "server",
    "set",
    "show",
    "simple",
    "specific",
    "specified",
    "string",
    "test",
    "that",
    "the",
    "this",
    "to",
    "tool",
    "update",
    "use",
    "user",
    "using",
    "value",
    "with",
    "write",
    "you",
];
/// Shortest word that counts, in letters.
const SHORTEST: usize = 3;
/// Most words of a description.
const MOST: usize = 24;

/// The words of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToolCues {
    /// Each of them points at the tool.
    pub(super) strong: Vec<String>,
    /// Two of them do.
    pub(super) weak: Vec<String>,
}

/// Returns the words of a tool: `owned` are the owner's for its program, which count alone.
pub(super) fn of(program: &str, tool: &str, description: &str, owned: &[String]) -> ToolCues {
    let owned = owned.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty());
    let named = words(&format!("{program} {tool}")).into_iter().flat_map(forms);
    let strong: BTreeSet<String> = owned.chain(named).collect();
    let weak =
        words(description).into_iter().take(MOST).flat_map(forms).filter(|word| !strong.contains(word));
    let weak: BTreeSet<String> = weak.collect();
    ToolCues { strong: strong.into_iter().collect(), weak: weak.into_iter().collect() }
}

/// Returns the words of a text that say what it is about, each once; `getFile_info` are three words.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && was_lower {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    let mut seen = BTreeSet::new();
    let lower = spaced.to_lowercase();
    let is_meant = |word: &&str| word.chars().count() >= SHORTEST && !is_common(word);
    let words = lower.split_whitespace().filter(is_meant).filter(|word| seen.insert((*word).to_owned()));
    words.map(str::to_owned).collect()
}

fn is_common(word: &str) -> bool {
    let plain = word.strip_suffix('s').unwrap_or(word);
    [word, plain].iter().any(|word| COMMON.contains(word))
}

/// Returns a word and its plural, or its singular.
fn forms(word: String) -> Vec<String> {
    let other = match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => match word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
            Some(stem) => stem.to_owned(),
            None if word.ends_with('y') => format!("{}ies", &word[..word.len() - 1]),
            None => format!("{word}s"),
        },
    };
    vec![word, other]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_count_alone_and_common_ones_not_at_all() {
        let words =
            of("files", "readTextFile", "Read the complete contents of a file as text.", &["Datei ".into()]);
        assert_eq!(words.strong, ["datei", "file", "files", "text", "texts"]);
        assert_eq!(words.weak, ["complete", "completes"]);
        let memory = of("memory", "search_nodes", "Search for nodes in the knowledge graph", &[]);
        assert_eq!(memory.strong, ["memories", "memory", "node", "nodes"]);
        assert_eq!(memory.weak, ["graph", "graphs", "knowledge", "knowledges"]);
    }

    #[test]
    fn the_list_of_common_words_is_sorted_without_doubles() {
        assert!(COMMON.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
