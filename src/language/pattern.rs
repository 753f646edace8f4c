//! A pattern of a language's words: a regular expression for sentences, in as little memory as it can be.
//!
//! A language has hundreds of them, each looked for in a text of a line or two. The `regex` crate makes them ready for
//! texts of any length: a second automaton that runs backwards, and tables that are filled while it runs, megabytes of
//! them for a long list of words. Here they have one automaton, which costs a few microseconds more for a sentence, and
//! time linear in its length all the same. Syntax and meaning are those of `regex`.

use std::borrow::Cow;
use std::ops::Range;

use regex_automata::Span;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures::Captures;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct WordPattern(Regex);

/// Where it was found, or a group of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatternMatch<'t> {
    text: &'t str,
    span: Span,
}

/// Where its groups were found.
#[derive(Debug)]
pub(crate) struct PatternGroups<'t> {
    text: &'t str,
    captures: Captures,
}

impl WordPattern {
    /// Compiles what is `written`.
    ///
    /// # Errors
    /// Where it is no pattern.
    pub(crate) fn new(written: &str) -> Result<Self, String> {
        let config = Config::new().hybrid(false).dfa(false).onepass(false);
        let compiled = Regex::builder().configure(config).build(written);
        compiled.map(Self).map_err(|error| match error.syntax_error() {
            Some(syntax) => syntax.to_string(),
            None => error.to_string(),
        })
    }

    /// Whether it is anywhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Where it is first.
    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<PatternMatch<'t>> {
        self.find_iter(text).next()
    }

    /// Where it is first at or behind `from`; what is before that counts for the bounds of words.
    pub(crate) fn find_at<'t>(&self, text: &'t str, from: usize) -> Option<PatternMatch<'t>> {
        let input = regex_automata::Input::new(text).range(from..);
        self.0.find(input).map(|found| PatternMatch { text, span: found.span() })
    }

    /// Everywhere it is.
    pub(crate) fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = PatternMatch<'t>> {
        self.0.find_iter(text).map(move |found| PatternMatch { text, span: found.span() })
    }

    /// Where it is first, with its groups.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<PatternGroups<'t>> {
        self.captures_iter(text).next()
    }

    /// Everywhere it is, with its groups.
    pub(crate) fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = PatternGroups<'t>> {
        self.0.captures_iter(text).map(move |captures| PatternGroups { text, captures })
    }

    /// `text` with `instead` in the place of everything that it finds.
    pub(crate) fn replace_all<'t>(&self, text: &'t str, instead: &str) -> Cow<'t, str> {
        let (mut replaced, mut from) = (String::new(), 0);
        for found in self.find_iter(text) {
            replaced.push_str(&text[from..found.start()]);
            replaced.push_str(instead);
            from = found.end();
        }
        match from {
            0 if replaced.is_empty() => Cow::Borrowed(text),
            _ => Cow::Owned(replaced + &text[from..]),
        }
    }
}

impl<'t> PatternMatch<'t> {
    pub(crate) fn as_str(&self) -> &'t str {
        &self.text[self.range()]
    }

    pub(crate) fn start(&self) -> usize {
        self.span.start
    }

    pub(crate) fn end(&self) -> usize {
        self.span.end
    }

    fn range(&self) -> Range<usize> {
        self.span.range()
    }
}

impl<'t> PatternGroups<'t> {
    /// The group of this number; 0 is all of it.
    pub(crate) fn get(&self, group: usize) -> Option<PatternMatch<'t>> {
        self.captures.get_group(group).map(|span| PatternMatch { text: self.text, span })
    }

    pub(crate) fn name(&self, group: &str) -> Option<PatternMatch<'t>> {
        self.captures.get_group_by_name(group).map(|span| PatternMatch { text: self.text, span })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WRITTEN: [&str; 6] = [
        r"(?:\b|^)(?:für|the \w+|küche)(?:\b|$)",
        r"(?i)^(?:please )?(?P<verb>turn|läs?t) (?P<rest>[^?!;:]+?)[.!?]*$",
        r"[,;:–—()]+(?:\s+|$)(?:(?P<behind>and|und)\s+)?|\s+(?P<joint>and|und)\s+",
        r"\w \b(?:if|once|wenn)\b",
        r"",
        r"(?:[^\s,.;:!?]+ ){0,2}?(?:light|licht)\W*$",
    ];

    fn spans(groups: &PatternGroups<'_>) -> Vec<Option<(usize, usize)>> {
        (0..4).map(|group| groups.get(group).map(|found| (found.start(), found.end()))).collect()
    }

    proptest! {
        #[test]
        fn it_finds_what_the_regex_crate_finds(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "please", "turn", "Lät", "für", "the", "light", "licht", "küche", ",", "and", "und", "if", "wenn",
                    "—", "?", "  ", "\u{a0}", "é",
                ]),
                0..12,
            ),
            is_close in any::<bool>(),
        ) {
            let text = words.join(if is_close { "" } else { " " });
            for written in WRITTEN {
                let (ours, theirs) = (WordPattern::new(written).unwrap(), regex::Regex::new(written).unwrap());
                prop_assert_eq!(ours.is_match(&text), theirs.is_match(&text));
                let found: Vec<&str> = ours.find_iter(&text).map(|found| found.as_str()).collect();
                let expected: Vec<&str> = theirs.find_iter(&text).map(|found| found.as_str()).collect();
                prop_assert_eq!(found, expected);
                let groups: Vec<_> = ours.captures_iter(&text).map(|groups| spans(&groups)).collect();
                let expected: Vec<Vec<_>> = theirs
                    .captures_iter(&text)
                    .map(|groups| (0..4).map(|at| groups.get(at).map(|group| (group.start(), group.end()))).collect())
                    .collect();
                prop_assert_eq!(groups, expected);
                prop_assert_eq!(ours.replace_all(&text, "-"), theirs.replace_all(&text, "-"));
                for (at, _) in text.char_indices() {
                    let expected = theirs.find_at(&text, at).map(|found| found.range());
                    prop_assert_eq!(ours.find_at(&text, at).map(|found| found.range()), expected);
                }
            }
        }
    }

    #[test]
    fn groups_have_names_and_what_is_no_pattern_is_told() {
        let pattern = WordPattern::new("(?P<what>timer|alarm) for (?P<when>.+)").unwrap();
        let groups = pattern.captures("a timer for noon").unwrap();
        assert_eq!(groups.name("what").unwrap().as_str(), "timer");
        assert_eq!(groups.name("when").unwrap().as_str(), "noon");
        assert!(groups.name("who").is_none() && pattern.captures("a timer").is_none());
        let error = WordPattern::new("a(b").unwrap_err();
        assert!(error.contains("unclosed group"), "{error}");
    }

    #[test]
    fn a_text_it_is_not_in_is_not_copied() {
        let pattern = WordPattern::new("x").unwrap();
        assert!(matches!(pattern.replace_all("abc", " "), Cow::Borrowed("abc")));
        assert_eq!(pattern.replace_all("x", ""), "");
    }
}
